//! A session without a front end, and a builder of lowered code, for tests.

use crate::heap::Value;
use crate::image::{Image, ImageBytes, ImageError, Trust};
use crate::runtime::Runtime;
use crate::services::{Frontend, HostIo};
use crate::tables::{MethodDef, MethodId, TableId};
use crate::thrown::Run;
use kiln_ir::{CodeInfo, CodeMeta, Lowered, LoweredStmt, SlotInfo, SourceLoc};
use kiln_types::{Module, Symbol, Type, Types};
use std::sync::Arc;

/// A front end that can do nothing.
struct NoFrontend;

impl Frontend for NoFrontend {}

/// A machine without files or clocks.
struct NoIo;

impl HostIo for NoIo {}

/// A session with an empty `Base`.
pub(crate) fn session() -> Runtime {
    Runtime::new(Arc::new(Types::new()), Box::new(NoFrontend), Box::new(NoIo))
}

/// A session from an image, in the same surroundings.
pub(crate) fn thawed(bytes: &[u8], trust: Trust) -> Result<Runtime, ImageError> {
    let image = Image::open(ImageBytes::read(bytes.to_vec()), trust)?;
    Runtime::thaw(&image, Box::new(NoFrontend), Box::new(NoIo))
}

/// Code being written down.
pub(crate) struct Code<'a> {
    pub(crate) rt: &'a Runtime,
    info: CodeInfo,
}

impl<'a> Code<'a> {
    /// A method body with these arguments, after the function itself.
    pub(crate) fn new(rt: &'a Runtime, name: &str, args: &[&str]) -> Self {
        let symbol = |it: &str| rt.types.symbol(it);
        let slot = |it: &&str| SlotInfo { name: symbol(it), unused: false, single_assignment: false };
        let slots: Vec<SlotInfo> = std::iter::once(&"#self#").chain(args).map(slot).collect();
        let info = CodeInfo {
            name: symbol(name),
            module: rt.types.main_module(),
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
        Self { rt, info }
    }
    pub(crate) fn vararg(mut self) -> Self {
        self.info.is_va = true;
        self
    }
    pub(crate) fn static_param(mut self, name: &str) -> Self {
        self.info.static_params.push(self.rt.types.symbol(name));
        self
    }
    pub(crate) fn local(&mut self, name: &str) -> u32 {
        let name = self.rt.types.symbol(name);
        self.info.slots.push(SlotInfo { name, unused: false, single_assignment: false });
        self.info.slots.len() as u32 - 1
    }
    pub(crate) fn push(&mut self, stmt: LoweredStmt) -> Lowered {
        self.info.stmts.push(stmt);
        self.info.locs.push(SourceLoc::NONE);
        Lowered::Ssa(self.info.stmts.len() as u32 - 1)
    }
    pub(crate) fn call(&mut self, args: &[Lowered]) -> Lowered {
        self.push(LoweredStmt::Call(args.into()))
    }
    /// A global of `Core` if there is one of this name, else of `Main`.
    pub(crate) fn global(&self, name: &str) -> Lowered {
        let (types, name) = (&self.rt.types, self.rt.types.symbol(name));
        let in_core = self.rt.global(types.core_module(), name).is_some();
        Lowered::Global(if in_core { types.core_module() } else { types.main_module() }, name)
    }
    pub(crate) fn intrinsic(&self, name: &str) -> Lowered {
        let core = self.rt.types.core();
        let at = kiln_ir::Intrinsic::ALL.iter().position(|it| it.name() == name).unwrap();
        self.value(Value::inline(core.intrinsic_function, at as u64))
    }
    pub(crate) fn int(&self, value: i64) -> Lowered {
        Lowered::Const(self.rt.types.const_int(value))
    }
    pub(crate) fn value(&self, value: Value) -> Lowered {
        Lowered::Const(self.rt.heap.const_of(value))
    }
    pub(crate) fn ret(&mut self, value: Lowered) {
        self.push(LoweredStmt::Return(value));
    }
    pub(crate) fn here(&self) -> u32 {
        self.info.stmts.len() as u32
    }
    pub(crate) fn patch(&mut self, at: Lowered, stmt: LoweredStmt) {
        let Lowered::Ssa(at) = at else { panic!("not a statement") };
        self.info.stmts[at as usize] = stmt;
    }
    pub(crate) fn nest(&mut self, body: CodeInfo) -> u32 {
        self.info.bodies.push(body);
        self.info.bodies.len() as u32 - 1
    }
    pub(crate) fn finish(self) -> CodeInfo {
        self.info
    }
    /// As a top-level thunk.
    pub(crate) fn thunk(mut self) -> CodeInfo {
        self.info.nargs = 0;
        self.info
    }
}

impl Runtime {
    pub(crate) fn main(&self, name: &str) -> (Module, Symbol) {
        (self.types.main_module(), self.types.symbol(name))
    }
    /// The function `name` of `Main`, made if there is none.
    pub(crate) fn function(&self, name: &str) -> Value {
        let (main, name) = self.main(name);
        self.generic_function(main, name).unwrap()
    }
    /// Adds `name(::args...)` with this body.
    pub(crate) fn add(&self, name: &str, args: &[Type], code: CodeInfo) -> MethodId {
        let function = self.function(name);
        let mut elems = vec![function.ty()];
        elems.extend_from_slice(args);
        self.add_sig(self.types.tuple(&elems), code)
    }
    pub(crate) fn add_sig(&self, sig: Type, code: CodeInfo) -> MethodId {
        self.add_to(TableId::GLOBAL, sig, code)
    }
    pub(crate) fn add_to(&self, table: TableId, sig: Type, code: CodeInfo) -> MethodId {
        let def =
            MethodDef { name: code.name, module: code.module, sig, loc: code.loc, code: Arc::new(code) };
        self.tables.add_method(table, def)
    }
    /// A body that returns a number.
    pub(crate) fn returns(&self, name: &str, args: &[&str], number: i64) -> CodeInfo {
        let mut code = Code::new(self, name, args);
        let value = code.int(number);
        code.ret(value);
        code.finish()
    }
    /// The `Int` a call gives.
    pub(crate) fn int_of(&self, result: Run) -> i64 {
        match result {
            Ok(value) => value.as_int(self.types.core()).unwrap(),
            Err(thrown) => panic!("threw {}", self.types.display(thrown.exception.ty())),
        }
    }
}
