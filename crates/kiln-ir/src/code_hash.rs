//! The identity of a lowered body: a hash of its content, independent of the place of the definition.

use crate::{CodeInfo, Inlining, Lowered, LoweredStmt, Mark, SourceLoc};
use kiln_types::{Const, Module, Symbol, Types, identity, module};

impl CodeInfo {
    /// Returns a hash of the body and of the positions relative to the definition, but not of the position of the
    /// definition itself. Equal in every process of the image that `types` comes from. `None` if the body holds an
    /// object created since, which no other process has.
    pub fn content_hash(&self, types: &Types) -> Option<u128> {
        let (hash, is_portable) = self.hash(types, Some(self.loc));
        is_portable.then_some(hash)
    }

    /// Returns a hash of everything but positions and objects created since the image, and whether there are no such
    /// objects.
    pub fn identity(&self, types: &Types) -> (u128, bool) {
        self.hash(types, None)
    }

    fn hash(&self, types: &Types, base: Option<SourceLoc>) -> (u128, bool) {
        let mut writer = Writer { types, base, out: Vec::with_capacity(BYTES), is_portable: true };
        writer.code(self);
        let mut hash = [0; 16];
        hash.copy_from_slice(&blake3::hash(&writer.out).as_bytes()[..16]);
        (u128::from_le_bytes(hash), writer.is_portable)
    }
}

/// The room that most bodies need.
const BYTES: usize = 4096;

struct Writer<'a> {
    types: &'a Types,
    /// The whole definition, if places count.
    base: Option<SourceLoc>,
    /// The bytes to hash, all at once: most pieces are a few bytes.
    out: Vec<u8>,
    is_portable: bool,
}

impl Writer<'_> {
    fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }

    fn number(&mut self, number: usize) {
        self.out.extend_from_slice(&(number as u64).to_le_bytes());
    }

    fn symbol(&mut self, symbol: Symbol) {
        let name = self.types.name(symbol);
        self.number(name.len());
        self.out.extend_from_slice(name.as_bytes());
    }

    /// Hashes a place relative to the definition: a stored body has such places, which must be those of the current text.
    fn place(&mut self, loc: SourceLoc) {
        let Some(base) = self.base else { return };
        let inside = loc != SourceLoc::NONE && loc.file() == base.file();
        self.byte(u8::from(inside));
        if inside {
            self.out.extend_from_slice(&loc.start().wrapping_sub(base.start()).to_le_bytes());
            self.out.extend_from_slice(&loc.len().to_le_bytes());
        }
    }

    fn symbols(&mut self, symbols: &[Symbol]) {
        self.number(symbols.len());
        symbols.iter().for_each(|it| self.symbol(*it));
    }

    fn module(&mut self, module: Module) {
        let mut at = module;
        loop {
            self.symbol(module::name(self.types, at));
            let parent = module::parent(self.types, at);
            if parent == at {
                return self.byte(u8::MAX);
            }
            at = parent;
        }
    }

    fn constant(&mut self, constant: Const) {
        match identity::hash_of_const(self.types, constant) {
            Some(hash) => {
                self.out.extend_from_slice(&hash.to_le_bytes());
            }
            None => self.is_portable = false,
        }
    }

    fn operand(&mut self, operand: Lowered) {
        match operand {
            Lowered::Ssa(it) => self.tagged(0, it),
            Lowered::Slot(it) => self.tagged(1, it),
            Lowered::Const(it) => {
                self.byte(2);
                self.constant(it);
            }
            Lowered::Global(module, name) => {
                self.byte(3);
                self.module(module);
                self.symbol(name);
            }
            Lowered::StaticParam(it) => self.tagged(4, it),
        }
    }

    fn tagged(&mut self, tag: u8, number: u32) {
        self.byte(tag);
        self.number(number as usize);
    }

    fn operands(&mut self, tag: u8, operands: &[Lowered]) {
        self.tagged(tag, operands.len() as u32);
        operands.iter().for_each(|it| self.operand(*it));
    }

    fn code(&mut self, code: &CodeInfo) {
        self.symbol(code.name);
        self.module(code.module);
        self.number(code.slots.len());
        for it in &code.slots {
            self.symbol(it.name);
            self.byte(u8::from(it.unused) | u8::from(it.single_assignment) << 1);
        }
        self.number(code.nargs as usize);
        self.byte(u8::from(code.is_va));
        self.symbols(&code.static_params);
        self.number(code.stmts.len());
        code.stmts.iter().for_each(|it| self.stmt(it));
        code.locs.iter().for_each(|it| self.place(*it));
        self.number(code.bodies.len());
        code.bodies.iter().for_each(|it| self.code(it));
        let meta = &code.meta;
        let inlining = match meta.inlining {
            Inlining::Default => 0,
            Inlining::Always => 1,
            Inlining::Never => 2,
        };
        self.byte(inlining | u8::from(meta.propagate_inbounds) << 2 | u8::from(meta.generated) << 3);
        self.symbols(&meta.assumed_effects);
        self.symbols(meta.constprop.as_slice());
        self.number(meta.nospecialize as usize);
        self.marks(&meta.others);
    }

    fn stmt(&mut self, stmt: &LoweredStmt) {
        match stmt {
            LoweredStmt::Value(it) => self.operands(10, &[*it]),
            LoweredStmt::SetSlot(slot, it) => {
                self.tagged(11, *slot);
                self.operand(*it);
            }
            LoweredStmt::NewVar(slot) => self.tagged(12, *slot),
            LoweredStmt::Call(args) => self.operands(13, args),
            LoweredStmt::New(args) => self.operands(14, args),
            LoweredStmt::SplatNew(a, b) => self.operands(15, &[*a, *b]),
            LoweredStmt::IsDefined(it) => self.operands(16, &[*it]),
            LoweredStmt::Goto(target) => self.tagged(17, *target),
            LoweredStmt::GotoIfNot(it, target) => {
                self.tagged(18, *target);
                self.operand(*it);
            }
            LoweredStmt::Return(it) => self.operands(19, &[*it]),
            LoweredStmt::Enter(target) => self.tagged(20, *target),
            LoweredStmt::Leave(all) => self.operands(21, all),
            LoweredStmt::TheException => self.byte(22),
            LoweredStmt::PopException(it) => self.operands(23, &[*it]),
            LoweredStmt::BoundsCheck => self.byte(24),
            LoweredStmt::InboundsBegin => self.byte(25),
            LoweredStmt::InboundsEnd => self.byte(26),
            LoweredStmt::LoopInfo(marks) => {
                self.byte(27);
                self.symbols(marks);
            }
            LoweredStmt::CopyAst(it) => {
                self.byte(28);
                self.constant(*it);
            }
            LoweredStmt::GenericFunction(module, name) => {
                self.byte(29);
                self.module(*module);
                self.symbol(*name);
            }
            LoweredStmt::Method { .. }
            | LoweredStmt::DeclareGlobal { .. }
            | LoweredStmt::LatestWorld
            | LoweredStmt::TopLevel(_) => self.definition(stmt),
        }
    }

    fn marks(&mut self, marks: &[Mark]) {
        self.number(marks.len());
        for mark in marks {
            match mark {
                Mark::Name(name) => {
                    self.byte(0);
                    self.symbol(*name);
                }
                Mark::Value(value) => {
                    self.byte(1);
                    self.constant(*value);
                }
                Mark::Node(head, args) => {
                    self.byte(2);
                    self.symbol(*head);
                    self.marks(args);
                }
            }
        }
    }

    fn definition(&mut self, stmt: &LoweredStmt) {
        if let LoweredStmt::Method { signature, body, table } = stmt {
            self.tagged(30, *body);
            self.operand(*signature);
            self.operands(0, table.as_slice());
        } else if let LoweredStmt::DeclareGlobal { module, name, value, kind } = stmt {
            self.byte(31);
            self.module(*module);
            self.symbol(*name);
            self.operands(*kind as u8, value.as_slice());
        } else if let LoweredStmt::TopLevel(it) = stmt {
            self.byte(32);
            self.constant(*it);
        } else {
            self.byte(33);
        }
    }
}
