//! `try` in host code: a failing statement branches to the handler of the innermost region instead of returning its site.
//!
//! The record of the call then has the failure, as when it is returned. The handler first asks the host to take it
//! ([`HostTable::catch`]): the host makes the exception, adds it to those being handled, and clears the record. It does not
//! take what no handler sees, such as the end of the process; then the handler returns the site, past all other handlers.
//!
//! A variable that a region assigns is in a cell of the frame as far as its handler goes: each `Upsilon` writes it, the `PhiC` reads
//! it. LLVM makes registers of the cells, since every way to the handler is an edge.

use crate::error::{EmitError, InvalidBody};
use crate::function::Emitter;
use crate::llvm::Val;
use crate::value::Value;
use kiln_ir::{Block, Cfg, Handlers, IrCode, Op, Stmt, Value as Operand, leave};
use kiln_types::Type;
use kiln_unit::HostTable;
use llvm_sys::LLVMIntPredicate as Int;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::mem::offset_of;

/// The `try` regions of the function being emitted.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    /// `None` of a function without `try`.
    handlers: Option<Handlers>,
    /// The `Enter`s around the statement being emitted, and the handler of each.
    around: RefCell<Vec<(Stmt, Block)>>,
    /// The number of exceptions being handled at each `Enter`.
    tokens: FxHashMap<Stmt, Val>,
    /// The `PhiC`s that an `Upsilon` writes to.
    kept_for: FxHashMap<Stmt, Vec<Stmt>>,
    /// The cell of each `PhiC`.
    cells: RefCell<FxHashMap<Stmt, Val>>,
}

impl Regions {
    /// Looks at a body of host code.
    pub(crate) fn new(code: &IrCode, cfg: &Cfg) -> Self {
        let handlers = Some(Handlers::new(code, cfg)).filter(|it| !it.is_empty());
        let mut kept_for: FxHashMap<Stmt, Vec<Stmt>> = FxHashMap::default();
        for (stmt, data) in &code.stmts {
            let Op::PhiC(kept) = &data.op else { continue };
            for upsilon in kept {
                if let Operand::Stmt(upsilon) = upsilon {
                    kept_for.entry(*upsilon).or_default().push(stmt);
                }
            }
        }
        Self { handlers, kept_for, ..Self::default() }
    }

    /// The block that a failure of the statement being emitted continues at; `None` if it leaves the function.
    pub(crate) fn handler(&self) -> Option<Block> {
        self.around.borrow().last().map(|it| it.1)
    }
}

/// The handler of an `Enter`.
fn handler_of(code: &IrCode, enter: Stmt) -> Option<Block> {
    if let Op::Enter { handler, .. } = code.stmts[enter].op { Some(handler) } else { None }
}

impl Emitter<'_, '_> {
    /// Begins a block: its failures go to the handlers around it, and a handler takes the exception.
    pub(crate) fn begin_regions(&self, block: Block) -> Result<(), EmitError> {
        let Some(handlers) = &self.tries.handlers else { return Ok(()) };
        let code = self.code();
        let around = handlers.around(block).iter().filter_map(|it| Some((*it, handler_of(code, *it)?)));
        *self.tries.around.borrow_mut() = around.collect();
        if handlers.is_handler(block) { self.take_exception() } else { Ok(()) }
    }

    /// Emits the call that takes the exception, at the start of a handler.
    fn take_exception(&self) -> Result<(), EmitError> {
        let module = self.module();
        let site = self.call_host(offset_of!(HostTable, catch), module.int(32), &[]);
        let (go_on, not_taken) = (module.block(self.function), module.block(self.function));
        module.cond_br(module.int_eq(site, module.const_u32(0)), go_on, not_taken);
        module.at_end(not_taken);
        self.return_site_now(site)?;
        module.at_end(go_on);
        Ok(())
    }

    /// Emits `Enter`, up to the branch to the body. The cells of variables that have no value yet are cleared: a collection may
    /// see them.
    pub(crate) fn enter_region(&mut self, block: Block, handler: Block) -> Result<(), EmitError> {
        let enter = self.current.get();
        let token = self.handled();
        self.tries.tokens.insert(enter, token);
        let code = self.code();
        for &stmt in &code.blocks[handler].stmts {
            let Op::PhiC(kept) = &code.stmts[stmt].op else { continue };
            let is_set =
                |it: &Operand| matches!(it, Operand::Stmt(it) if code.blocks[block].stmts.contains(it));
            let shape = self.unit.shapes.of(code.stmts[stmt].ty)?;
            if let (Some(llvm), false) = (shape.llvm, kept.iter().any(is_set)) {
                self.store_shape(&shape, self.module().zero(llvm), self.handler_cell(stmt)?, shape.align)?;
            }
        }
        Ok(())
    }

    /// Returns the number of exceptions being handled, an `i32`.
    fn handled(&self) -> Val {
        let module = self.module();
        module.load(module.int(32), self.host_field(offset_of!(HostTable, handled)), 4)
    }

    /// Emits `Leave`.
    pub(crate) fn leave_regions(&self, op: &Op) {
        let mut around = self.tries.around.borrow_mut();
        let mut enters: Vec<Stmt> = around.iter().map(|it| it.0).collect();
        leave(&mut enters, op);
        around.truncate(enters.len());
    }

    /// Emits `PopException`: if more exceptions are being handled than at the `Enter`.
    pub(crate) fn pop_exceptions(&self, token: Operand) -> Result<(), EmitError> {
        let module = self.module();
        let Operand::Stmt(enter) = token else { return Err(InvalidBody::UnknownArgument.into()) };
        let unknown = InvalidBody::UnknownValue { stmt: enter.as_u32() };
        let before = self.tries.tokens.get(&enter).copied().ok_or(unknown)?;
        let (pop, done) = (module.block(self.function), module.block(self.function));
        module.cond_br(module.icmp(Int::LLVMIntUGT, self.handled(), before), pop, done);
        module.at_end(pop);
        self.call_host(offset_of!(HostTable, pop_exceptions), module.void(), &[before]);
        module.br(done);
        module.at_end(done);
        Ok(())
    }

    /// Emits `TheException`.
    pub(crate) fn the_exception(&self, ty: Type) -> Result<Value, EmitError> {
        let object = self.call_host(offset_of!(HostTable, exception), self.module().ptr(), &[]);
        self.convert(self.register(self.types().core().any, object), ty)
    }

    /// Emits an `Upsilon`.
    pub(crate) fn keep_for_handler(&self, upsilon: Stmt, operand: Operand) -> Result<(), EmitError> {
        for &phi in self.tries.kept_for.get(&upsilon).into_iter().flatten() {
            let ty = self.code().stmts[phi].ty;
            let shape = self.unit.shapes.of(ty)?;
            if shape.llvm.is_some() {
                let value = self.convert(self.operand(operand)?, ty)?;
                self.store(value, self.handler_cell(phi)?, shape.align)?;
            }
        }
        Ok(())
    }

    /// Emits a `PhiC`.
    pub(crate) fn kept_value(&self, phi: Stmt) -> Result<Value, EmitError> {
        let ty = self.code().stmts[phi].ty;
        let shape = self.unit.shapes.of(ty)?;
        if shape.llvm.is_none() {
            return Ok(self.ghost(ty));
        }
        self.load(ty, self.handler_cell(phi)?, shape.align)
    }

    /// Returns the memory of a variable.
    fn handler_cell(&self, phi: Stmt) -> Result<Val, EmitError> {
        if let Some(known) = self.tries.cells.borrow().get(&phi) {
            return Ok(*known);
        }
        let shape = self.unit.shapes.of(self.code().stmts[phi].ty)?;
        let module = self.module();
        let bytes = module.array(module.int(8), shape.size.max(1).into());
        let made = module.alloca_in(self.function, bytes, shape.align.max(1));
        self.tries.cells.borrow_mut().insert(phi, made);
        Ok(made)
    }
}
