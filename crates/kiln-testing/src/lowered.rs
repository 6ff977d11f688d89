//! Lowered code, written by hand: for tests of the stages behind lowering.

use kiln_ir::{CodeInfo, CodeMeta, Intrinsic, Lowered, LoweredStmt, SlotInfo, SourceLoc};
use kiln_types::{Const, ConstData, Module, Type, Types, consts};

/// A builder of one method body or thunk.
pub struct CodeBuilder<'a> {
    types: &'a Types,
    info: CodeInfo,
}

impl<'a> CodeBuilder<'a> {
    /// Begins a body in `Main` with these arguments behind the function itself.
    pub fn new(types: &'a Types, name: &str, args: &[&str]) -> Self {
        let slot = |it: &&str| SlotInfo { name: types.symbol(it), unused: false, single_assignment: false };
        let slots: Vec<SlotInfo> = std::iter::once(&"#self#").chain(args).map(slot).collect();
        let info = CodeInfo {
            name: types.symbol(name),
            module: Module::MAIN,
            nargs: slots.len() as u32,
            slots,
            is_va: false,
            static_params: Vec::new(),
            stmts: Vec::new(),
            locs: Vec::new(),
            bodies: Vec::new(),
            meta: CodeMeta::default(),
            loc: SourceLoc::NONE,
        };
        Self { types, info }
    }

    /// Makes the last argument take the rest.
    #[must_use]
    pub fn vararg(mut self) -> Self {
        self.info.is_va = true;
        self
    }

    /// Adds a static parameter.
    #[must_use]
    pub fn static_param(mut self, name: &str) -> Self {
        self.info.static_params.push(self.types.symbol(name));
        self
    }

    /// Adds a local variable and returns its slot.
    pub fn local(&mut self, name: &str) -> u32 {
        let name = self.types.symbol(name);
        self.info.slots.push(SlotInfo { name, unused: false, single_assignment: false });
        self.info.slots.len() as u32 - 1
    }

    /// Appends a statement and returns its value.
    pub fn push(&mut self, stmt: LoweredStmt) -> Lowered {
        self.info.stmts.push(stmt);
        self.info.locs.push(SourceLoc::NONE);
        Lowered::Ssa(self.here() - 1)
    }

    /// Appends a call of the first operand.
    pub fn call(&mut self, args: &[Lowered]) -> Lowered {
        self.push(LoweredStmt::Call(args.into()))
    }

    /// Appends a `return`.
    pub fn ret(&mut self, value: Lowered) {
        self.push(LoweredStmt::Return(value));
    }

    /// Returns the number of the next statement.
    pub fn here(&self) -> u32 {
        self.info.stmts.len() as u32
    }

    /// Replaces a statement, such as a jump whose target is known now.
    ///
    /// # Panics
    /// Panics if `at` is not the value of a statement.
    pub fn patch(&mut self, at: Lowered, stmt: LoweredStmt) {
        let Lowered::Ssa(at) = at else { panic!("not a statement") };
        self.info.stmts[at as usize] = stmt;
    }

    /// Adds the body of a method that this code defines, and returns its number.
    pub fn nest(&mut self, body: CodeInfo) -> u32 {
        self.info.bodies.push(body);
        self.info.bodies.len() as u32 - 1
    }

    /// Returns a global of `Core`.
    pub fn core(&self, name: &str) -> Lowered {
        Lowered::Global(Module::CORE, self.types.symbol(name))
    }

    /// Returns a global of `Main`.
    pub fn main(&self, name: &str) -> Lowered {
        Lowered::Global(Module::MAIN, self.types.symbol(name))
    }

    /// Returns an intrinsic function.
    ///
    /// # Panics
    /// Panics if there is no intrinsic of this name.
    pub fn intrinsic(&self, name: &str) -> Lowered {
        let number = Intrinsic::ALL.iter().position(|it| it.name() == name).expect("an intrinsic");
        let (ty, bytes) = (self.types.core().intrinsic_function, Box::new((number as u64).to_le_bytes()));
        self.constant(self.types.constant(ConstData::Bits { ty, bytes }))
    }

    /// Returns an `Int64`.
    pub fn int(&self, value: i64) -> Lowered {
        self.constant(consts::int(self.types, value))
    }

    /// Returns a type.
    pub fn ty(&self, ty: Type) -> Lowered {
        self.constant(consts::of_type(self.types, ty))
    }

    /// Returns a constant.
    pub fn constant(&self, constant: Const) -> Lowered {
        Lowered::Const(constant)
    }

    /// Returns the method body.
    pub fn finish(self) -> CodeInfo {
        self.info
    }

    /// Returns the code as a thunk, which has no arguments.
    pub fn thunk(mut self) -> CodeInfo {
        self.info.nargs = 0;
        self.info
    }
}
