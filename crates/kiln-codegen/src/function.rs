//! Emission of one function: blocks, phis, terminators.

use crate::error::{EmitError, EmitErrorKind, InvalidBody, Operation};
use crate::host::{ConstantPlaces, Regions};
use crate::item_state::{DeviceState, ItemState, STATE_VALUES};
use crate::llvm::{Block as LlvmBlock, Frames, Function, Module, Val};
use crate::loop_hints::{self, Hint};
use crate::never_returning::never_returning;
use crate::phi::{ReturnBlock, SplitPhi};
use crate::range_checks::RangeChecks;
use crate::regions::Region;
use crate::unit::Unit;
use crate::value::Value;
use crate::{limits, signatures, sites};
use cranelift_entity::SecondaryMap;
use kiln_ir::{Block, Cfg, IrCode, Op, Stmt, StmtData, Value as Operand};
use kiln_types::{Type, Types, consts};
use kiln_unit::{LaunchContext, Traits};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;

/// How a function fails, and whether it writes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Writes the launch record and returns the site.
    Record,
    /// Returns the site only; the item loop collects it.
    Quiet,
    /// Like `Record`, but writes nothing else: the replay of an item that failed quietly.
    Replay,
}

/// The emitter of one function.
pub(crate) struct Emitter<'u, 'a> {
    pub(crate) unit: &'u Unit<'a>,
    pub(crate) ordinal: u32,
    pub(crate) function: Function,
    pub(crate) mode: Mode,
    pub(crate) state: Option<ItemState>,
    pub(crate) device_state: DeviceState,
    /// Range checks that hold for every item that runs this code.
    pub(crate) eliminated: Option<&'u RangeChecks>,
    /// The region being emitted, if the function is one.
    pub(crate) region: Option<&'u Region<'u>>,
    /// The statement being emitted.
    pub(crate) current: Cell<Stmt>,
    args: Vec<Value>,
    pub(crate) values: SecondaryMap<Stmt, Option<Value>>,
    /// The phis, part by part.
    phis: SecondaryMap<Stmt, Option<SplitPhi>>,
    /// The block in which all returns meet, if there is one.
    pub(crate) return_block: RefCell<Option<ReturnBlock>>,
    pub(crate) blocks: SecondaryMap<Block, Option<LlvmBlock>>,
    /// The hints of each block that ends in the back edge of a marked loop.
    pub(crate) loop_hints: BTreeMap<Block, Vec<Hint>>,
    /// The blocks after which other items may run, before the next turn of a loop.
    waiting: BTreeSet<Block>,
    /// The places of the constants of host code.
    pub(crate) constants: OnceCell<ConstantPlaces>,
    /// The memory for operands and results of the statements that the host runs.
    pub(crate) run_blocks: Cell<Option<(Val, Val)>>,
    /// The `try` regions of a function of the host.
    pub(crate) tries: Regions,
}

impl<'u, 'a> Emitter<'u, 'a> {
    pub(crate) fn new(unit: &'u Unit<'a>, ordinal: u32, function: Function, mode: Mode) -> Self {
        Self {
            unit,
            ordinal,
            function,
            mode,
            state: None,
            device_state: DeviceState::default(),
            eliminated: None,
            region: None,
            current: Cell::new(Stmt::from_u32(0)),
            args: Vec::new(),
            values: SecondaryMap::new(),
            phis: SecondaryMap::new(),
            return_block: RefCell::default(),
            blocks: SecondaryMap::new(),
            loop_hints: BTreeMap::new(),
            waiting: BTreeSet::new(),
            constants: OnceCell::new(),
            run_blocks: Cell::new(None),
            tries: Regions::default(),
        }
    }

    pub(crate) fn module(&self) -> &'a Module {
        self.unit.module
    }
    pub(crate) fn types(&self) -> &'a Types {
        self.unit.types
    }
    pub(crate) fn code(&self) -> &'u IrCode {
        &self.unit.sources[self.ordinal as usize].code
    }
    /// Returns the function and the statement being emitted.
    pub(crate) fn statement(&self) -> (u32, Stmt) {
        (self.ordinal, self.current.get())
    }
    pub(crate) fn state(&self) -> ItemState {
        self.state.expect("the analysis gives state to every function that needs it")
    }

    /// Emits the whole body.
    pub(crate) fn body(mut self) -> Result<(), EmitError> {
        let code = self.code();
        let cfg = Cfg::new(code);
        self.loop_hints = loop_hints::latches(code, &cfg, self.types());
        if self.unit.in_kernel && self.unit.device.is_none() {
            self.waiting = crate::waiting::latches(code, &cfg, self.types());
        }
        if self.unit.is_host {
            self.tries = Regions::new(code, &cfg);
        }
        let mut order = cfg.reverse_postorder;
        order.retain(|it| self.eliminated.is_none_or(|checks| checks.is_reachable(*it)));
        let looks_at_stack = self.unit.looks_at_stack(self.ordinal as usize);
        let first = looks_at_stack.then(|| self.module().block(self.function));
        for &block in &order {
            self.blocks[block] = Some(self.module().block(self.function));
        }
        self.take_params()?;
        if let (Some(first), Some(&start)) = (first, order.first()) {
            self.module().at_end(first);
            self.look_at_stack()?;
            self.module().br(self.target(start));
        }
        for &block in &order {
            self.make_phis(block)?;
        }
        for &block in &order {
            self.module().at_end(self.target(block));
            self.begin_regions(block)?;
            self.emit_stmts(block, &code.blocks[block].stmts)?;
        }
        self.module().set_line(0);
        self.emit_return_block();
        Ok(())
    }

    /// Emits statements of a block, up to its terminator or the barrier that ends a region.
    pub(crate) fn emit_stmts(&mut self, block: Block, stmts: &[Stmt]) -> Result<(), EmitError> {
        for &stmt in stmts {
            let data = &self.code().stmts[stmt];
            self.current.set(stmt);
            self.module().set_line(self.unit.line(self.ordinal, stmt));
            let at_stmt = |it: EmitError| it.at(stmt.as_u32());
            self.check_limits(data).map_err(at_stmt)?;
            if matches!(data.op, Op::Phi(_)) {
                self.keep(stmt).map_err(at_stmt)?;
                continue;
            }
            if data.op.is_terminator() {
                if self.waiting.contains(&block) {
                    self.let_others_run();
                }
                self.terminator(block, &data.op).map_err(at_stmt)?;
                if let Some(hints) = self.loop_hints.get(&block) {
                    self.module().hint_loop(hints);
                }
                break;
            }
            if self.end_region(stmt).map_err(at_stmt)? {
                break;
            }
            if self.region.is_some_and(|it| it.is_computed(stmt)) {
                continue;
            }
            let is_of_copy = self.region.is_some_and(|it| it.accesses_copy(stmt));
            let value = match is_of_copy {
                true => self.module().within_frames(Frames::Unknown, || self.op(stmt, data)),
                false => self.op(stmt, data),
            };
            self.values[stmt] = match value {
                Err(error) if self.unit.is_host => self.left_to_host(stmt, data, error).map_err(at_stmt)?,
                value => value.map_err(at_stmt)?,
            };
            self.keep(stmt).map_err(at_stmt)?;
        }
        Ok(())
    }

    /// Notes that the host is to run a statement that cannot be compiled; the unit is then emitted again.
    fn left_to_host(
        &self,
        stmt: Stmt,
        data: &StmtData,
        error: EmitError,
    ) -> Result<Option<Value>, EmitError> {
        let of_handler = matches!(data.op, Op::Upsilon(_) | Op::PhiC(_) | Op::TheException);
        let can_run = matches!(error.kind, EmitErrorKind::Unsupported(_)) && !of_handler;
        if !can_run || self.unit.host.contains(self.ordinal, stmt) {
            return Err(error);
        }
        self.unit.left_to_host.borrow_mut().push((self.ordinal, Some(stmt)));
        let Some(llvm) = self.unit.shapes.of(data.ty)?.llvm else { return Ok(Some(self.ghost(data.ty))) };
        Ok(Some(self.register(data.ty, self.module().poison(llvm))))
    }

    /// Refuses a statement that the device cannot run. Processors have every kind of value, or library functions for
    /// it.
    fn check_limits(&self, data: &StmtData) -> Result<(), EmitError> {
        match self.unit.device {
            None => Ok(()),
            Some(_) => limits::check(self.unit.facts, self.types(), self.code(), data),
        }
    }

    /// Emits statements without effects and control flow; with `x`, for that item of the row.
    pub(crate) fn emit_slice(&mut self, slice: &[Stmt], x: Option<Val>) -> Result<(), EmitError> {
        self.take_params()?;
        if let (Some(x), Some(state)) = (x, self.state) {
            self.state = Some(state.at_x(x));
        }
        for &stmt in slice {
            self.current.set(stmt);
            let value = self.op(stmt, &self.code().stmts[stmt]);
            self.values[stmt] = value.map_err(|it| it.at(stmt.as_u32()))?;
        }
        Ok(())
    }

    pub(crate) fn take_params(&mut self) -> Result<(), EmitError> {
        let traits = self.unit.traits[self.ordinal as usize];
        let mut next = 0;
        if self.unit.device.is_some() {
            let mut param = || {
                next += 1;
                self.unit.module.param(self.function, next - 1)
            };
            self.device_state.kernel = traits.needs_state.then(&mut param);
            let passes = self.unit.facts.abilities.passes_dynamic_shared && traits.has_dynamic_shared;
            self.device_state.dynamic_shared = passes.then(param);
        } else if traits.needs_state {
            let (module, function) = (self.module(), self.function);
            (self.state, next) = match self.unit.is_host {
                true => (Some(ItemState::of_host(module, function)), 1),
                false => (Some(ItemState::params(module, function)), STATE_VALUES),
            };
        }
        for &ty in &self.code().args {
            let val = self.unit.shapes.of(ty)?.llvm.map(|_| {
                next += 1;
                self.module().param(self.function, next - 1)
            });
            self.args.push(Value { ty, val, constant: None });
        }
        Ok(())
    }

    pub(crate) fn target(&self, block: Block) -> LlvmBlock {
        self.blocks[block].expect("every reachable block has been made")
    }

    pub(crate) fn make_phis(&mut self, block: Block) -> Result<(), EmitError> {
        let code = self.code();
        self.module().at_end(self.target(block));
        for &stmt in &code.blocks[block].stmts {
            let data = &code.stmts[stmt];
            if matches!(data.op, Op::Phi(_)) {
                let shape = self.unit.shapes.of(data.ty);
                let shape = shape.map_err(|it| it.at(stmt.as_u32()))?;
                self.phis[stmt] = shape.llvm.map(|it| self.new_phi(it));
            }
        }
        for &stmt in &code.blocks[block].stmts {
            let data = &code.stmts[stmt];
            if matches!(data.op, Op::Phi(_)) {
                let val = self.phis[stmt].as_ref().map(|it| self.phi_value(it));
                self.values[stmt] = Some(Value { ty: data.ty, val, constant: None });
            }
        }
        Ok(())
    }

    /// Returns the value of an operand.
    pub(crate) fn operand(&self, operand: Operand) -> Result<Value, EmitError> {
        match operand {
            Operand::Stmt(stmt) => {
                if let Some(kept) = self.kept(stmt)? {
                    return Ok(kept);
                }
                self.values[stmt].ok_or_else(|| InvalidBody::UnknownValue { stmt: stmt.as_u32() }.into())
            }
            Operand::Arg(arg) => {
                self.args.get(arg as usize).copied().ok_or_else(|| InvalidBody::UnknownArgument.into())
            }
            Operand::Const(constant) => {
                let ty = consts::type_of(self.types(), constant);
                Ok(Value { ty, val: None, constant: Some(constant) })
            }
        }
    }

    /// Adds this block's inputs to the phis of its successors. Conversions go before the terminator, and may make blocks.
    fn emit_phi_inputs(&mut self, block: Block, successors: &[Block]) -> Result<(), EmitError> {
        let mut inputs = Vec::new();
        for to in successors {
            self.phi_inputs(block, *to, &mut inputs)?;
        }
        for (stmt, value) in inputs {
            let Some(phi) = &self.phis[stmt] else { continue };
            self.add_phi_input(phi, value);
        }
        Ok(())
    }

    /// Adds the inputs of the phis of one successor to `inputs`.
    fn phi_inputs(
        &self,
        block: Block,
        to: Block,
        inputs: &mut Vec<(Stmt, Option<Val>)>,
    ) -> Result<(), EmitError> {
        let code = self.code();
        for &stmt in &code.blocks[to].stmts {
            let data = &code.stmts[stmt];
            let Op::Phi(incoming) = &data.op else { break };
            if self.phis[stmt].is_none() {
                continue;
            }
            let value = match incoming.iter().find(|it| it.0 == block) {
                Some(&(_, operand)) => {
                    let value = self.operand(operand)?;
                    let value = self.convert(value, data.ty)?;
                    Some(self.materialize(value)?)
                }
                None => None,
            };
            inputs.push((stmt, value));
        }
        Ok(())
    }

    fn terminator(&mut self, block: Block, op: &Op) -> Result<(), EmitError> {
        if let Op::Goto(to) = op {
            self.emit_phi_inputs(block, &[*to])?;
            self.module().br(self.target(*to));
        } else if let (Op::Branch { then, other, .. }, Some(way)) = (
            op,
            self.eliminated.and_then(|it| it.taken(block)).or(self.region.and_then(|it| it.assumed(block))),
        ) {
            let to = if way { *then } else { *other };
            self.emit_phi_inputs(block, &[to])?;
            self.module().br(self.target(to));
        } else if let Op::Branch { cond, then, other } = op {
            let cond = self.condition(*cond)?;
            if then == other {
                self.emit_phi_inputs(block, &[*then])?;
                self.module().br(self.target(*then));
            } else {
                self.emit_phi_inputs(block, &[*then, *other])?;
                self.module().cond_br(cond, self.target(*then), self.target(*other));
            }
        } else if let Op::Return(value) = op {
            let value = self.operand(*value)?;
            self.emit_return(value)?;
        } else if let Op::Fail(site, operands) = op {
            let number = sites::number_of(self.unit, self.ordinal, *site);
            let types = self.code().throw_sites[*site].operands.clone();
            let operands: Result<Vec<_>, EmitError> =
                operands.iter().zip(types).map(|(it, ty)| self.convert(self.operand(*it)?, ty)).collect();
            self.fail(number, &operands?)?;
        } else if let (Op::Unreachable, true, Some(before)) =
            (op, self.unit.is_host, never_returning(self.code(), block))
        {
            self.fail(
                sites::own_number_of(self.unit, (self.ordinal, before), kiln_unit::SITE_RETURNED),
                &[],
            )?;
        } else if matches!(op, Op::Unreachable) {
            self.module().unreachable();
        } else if let (Op::Enter { body, handler }, true) = (op, self.unit.is_host) {
            self.enter_region(block, *handler)?;
            self.emit_phi_inputs(block, &[*body])?;
            self.module().br(self.target(*body));
        } else {
            return Err(Operation::TryBlock.into());
        }
        Ok(())
    }

    /// Returns a `Bool` as `i1`.
    pub(crate) fn condition(&self, operand: Operand) -> Result<Val, EmitError> {
        let value = self.operand(operand)?;
        let value = self.convert(value, self.types().core().bool)?;
        self.materialize(value)
    }

    /// Emits the return of a value, without a site.
    fn emit_return(&self, value: Value) -> Result<(), EmitError> {
        if self.leave_region(0) {
            return Ok(());
        }
        let return_type = self.code().return_type;
        let value = self.convert(value, return_type)?;
        let module = self.module();
        let shape = self.unit.shapes.of(return_type)?;
        let no_site = module.const_u32(0);
        let may_fail = self.unit.traits[self.ordinal as usize].may_fail;
        match (shape.llvm, may_fail) {
            (None, false) => module.ret(None),
            (None, true) => module.ret(Some(no_site)),
            (Some(_), false) => self.return_value(self.materialize(value)?),
            (Some(llvm), true) => {
                let pair = module.poison(module.structure(&[llvm, module.int(32)]));
                let pair = module.insert(pair, self.materialize(value)?, 0);
                self.return_value(module.insert(pair, no_site, 1));
            }
        }
        Ok(())
    }

    /// Emits the end of a block that failed at a site: a branch to the handler around it, or the return of the site, without
    /// a value.
    pub(crate) fn return_site(&self, site: Val) -> Result<(), EmitError> {
        if let Some(handler) = self.tries.handler() {
            self.module().br(self.target(handler));
            return Ok(());
        }
        self.return_site_now(site)
    }

    /// Emits the return of a site, whatever handlers there are.
    pub(crate) fn return_site_now(&self, site: Val) -> Result<(), EmitError> {
        if self.leave_region(0) {
            return Ok(());
        }
        let module = self.module();
        let value = match self.unit.shapes.of(self.code().return_type)?.llvm {
            None => site,
            Some(llvm) => {
                let pair = module.poison(module.structure(&[llvm, module.int(32)]));
                module.insert(pair, site, 1)
            }
        };
        self.return_value(value);
        Ok(())
    }

    /// Continues only if `ok`; otherwise fails at this site of codegen's own.
    pub(crate) fn check(&self, ok: Val, which: u32, operands: &[Value]) -> Result<(), EmitError> {
        if which == kiln_unit::SITE_BOUNDS && sites::has_run_site(self.unit, self.statement()) {
            return self.run_unless(ok); // the exception has the object
        }
        let module = self.module();
        let (go_on, failing) = (module.block(self.function), module.block(self.function));
        module.cond_br(ok, go_on, failing);
        module.at_end(failing);
        self.fail(sites::own_number_of(self.unit, self.statement(), which), operands)?;
        module.at_end(go_on);
        Ok(())
    }

    /// Continues only if the frame is above the stack limit.
    fn look_at_stack(&self) -> Result<(), EmitError> {
        let module = self.module();
        let (ptr, int) = (module.ptr(), module.int(64));
        let address = module.field(self.state().ctx(), offset_of!(LaunchContext, stack_limit) as u64);
        let limit = module.load(int, address, 8);
        // The frame's address would ask for a register that holds it.
        let frame = module.intrinsic("llvm.addressofreturnaddress", &[ptr], &[]);
        let frame = module.cast(LLVMOpcode::LLVMPtrToInt, frame, int);
        let ok = module.icmp(LLVMIntPredicate::LLVMIntUGE, frame, limit);
        self.check(ok, kiln_unit::SITE_STACK, &[])
    }

    /// Returns the hidden arguments of a call: the state that a function with these traits takes.
    pub(crate) fn passed_on(&self, callee: Traits) -> Result<Vec<Val>, EmitError> {
        if self.unit.device.is_none() {
            return Ok(if callee.needs_state {
                signatures::passed_state(self.unit, &self.state())
            } else {
                Vec::new()
            });
        }
        let mut values = Vec::new();
        if callee.needs_state {
            values.push(self.device_state.kernel.ok_or(InvalidBody::CallerState)?);
        }
        if callee.has_dynamic_shared && self.unit.facts.abilities.passes_dynamic_shared {
            let block = self.device_state.dynamic_shared;
            values.push(block.ok_or(InvalidBody::CallerMemory)?);
        }
        Ok(values)
    }

    /// Emits a direct call.
    pub(crate) fn invoke(&self, callee: u32, args: &[Operand], ty: Type) -> Result<Option<Value>, EmitError> {
        let module = self.module();
        let target = &self.unit.sources[callee as usize].code;
        let traits = self.unit.traits[callee as usize];
        if args.len() != target.args.len() {
            return Err(InvalidBody::CallArguments.into());
        }
        let mut values = self.passed_on(traits)?;
        for (&arg, &param) in args.iter().zip(&target.args) {
            let value = self.convert(self.operand(arg)?, param)?;
            if self.unit.shapes.of(param)?.llvm.is_some() {
                values.push(self.materialize(value)?);
            }
        }
        let result = module.call(self.unit.functions[callee as usize], &values);
        let llvm = self.unit.shapes.of(target.return_type)?.llvm;
        if traits.may_fail {
            let site = if llvm.is_some() { module.extract(result, 1) } else { result };
            let ok = module.int_eq(site, module.const_u32(0));
            let (go_on, failing) = (module.block(self.function), module.block(self.function));
            module.cond_br(ok, go_on, failing);
            module.at_end(failing);
            self.record_frame()?;
            self.return_site(site)?;
            module.at_end(go_on);
        }
        let val = llvm.map(|_| if traits.may_fail { module.extract(result, 0) } else { result });
        if ty == Types::BOTTOM {
            return Ok(None);
        }
        let value = Value { ty: target.return_type, val, constant: None };
        self.convert(value, ty).map(Some)
    }
}
