//! A session without a front end, and a builder of lowered code.

use kiln_infer::{InferenceInputs, InferenceParams};
use kiln_ir::{CodeInfo, CodeMeta, Intrinsic, Lowered, LoweredStmt, SlotInfo, SourceLoc};
use kiln_runtime::tables::{CacheOwner, CodeInstance, MethodDef, MethodTableView, TableId};
use kiln_runtime::{Frontend, HostIo, Runtime, Value};
use kiln_types::{CoreTypes, Type, Types};
use std::sync::Arc;

struct Nothing;

impl Frontend for Nothing {}

impl HostIo for Nothing {}

/// A program under construction.
pub(crate) struct Program {
    pub(crate) rt: Runtime,
}

impl Program {
    pub(crate) fn new() -> Self {
        Self { rt: Runtime::new(Arc::new(Types::new()), Box::new(Nothing), Box::new(Nothing)) }
    }
    pub(crate) fn core(&self) -> &CoreTypes {
        self.rt.types.core()
    }
    /// Adds `name(::args...)` with this body.
    pub(crate) fn add(&self, name: &str, args: &[Type], code: CodeInfo) {
        let (main, symbol) = (self.rt.types.main_module(), self.rt.types.symbol(name));
        let function = self.rt.generic_function(main, symbol).unwrap();
        let mut elems = vec![function.ty()];
        elems.extend_from_slice(args);
        let sig = self.rt.types.tuple(&elems);
        let def = MethodDef { name: symbol, module: main, sig, loc: SourceLoc::NONE, code: Arc::new(code) };
        self.rt.tables.add_method(TableId::GLOBAL, def);
    }
    pub(crate) fn identity(&self, name: &str) -> CodeInfo {
        let mut code = Code::new(self, name, &["x"]);
        code.ret(Lowered::Slot(1));
        code.finish()
    }
    pub(crate) fn constant(&self, name: &str, value: i64) -> CodeInfo {
        let mut code = Code::new(self, name, &["x"]);
        code.ret(code.int(value));
        code.finish()
    }
    /// Infers `name(::args...)`.
    pub(crate) fn infer(&self, name: &str, args: &[Type]) -> Arc<CodeInstance> {
        let function = self.rt.global(self.rt.types.main_module(), self.rt.types.symbol(name)).unwrap();
        let mut elems = vec![function.ty()];
        elems.extend_from_slice(args);
        let world = self.rt.tables.world();
        let found = self.rt.tables.find_matches(self.rt.types.tuple(&elems), world, 4).unwrap();
        let it = &found.matches[0];
        let instance = self.rt.tables.instance(it.method, it.spec_types, &it.static_params);
        let inputs = InferenceInputs {
            world,
            view: MethodTableView::global(),
            params: InferenceParams::default(),
            owner: CacheOwner::HOST,
        };
        kiln_infer::infer(&self.rt, &inputs, instance, &mut |_, code| code.into()).unwrap()
    }
    /// The type it returns.
    pub(crate) fn returns(&self, name: &str, args: &[Type]) -> String {
        self.rt.types.display(self.infer(name, args).return_type)
    }
    /// The text of its body, without the line of its signature.
    pub(crate) fn body(&self, name: &str, args: &[Type]) -> String {
        let ci = self.infer(name, args);
        let code = ci.code(&self.rt).unwrap();
        assert_eq!(kiln_ir::verify(code, &self.rt.types), vec![]);
        let text = code.display(&self.rt.types).to_string();
        let read =
            kiln_ir::parse(&text, &self.rt.types, &kiln_ir::Vocabulary::of(code, &self.rt.types)).unwrap();
        assert_eq!(
            read.display(&self.rt.types).to_string(),
            text,
            "printing what was read gives the text again"
        );
        text.split_once('\n').unwrap().1.to_owned()
    }
}

/// Code being written down.
pub(crate) struct Code<'a> {
    rt: &'a Runtime,
    info: CodeInfo,
}

impl<'a> Code<'a> {
    /// A method body with these arguments, after the function itself.
    pub(crate) fn new(program: &'a Program, name: &str, args: &[&str]) -> Self {
        let rt = &program.rt;
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
    /// The last argument takes the rest.
    pub(crate) fn vararg(mut self) -> Self {
        self.info.is_va = true;
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
    pub(crate) fn global(&self, name: &str) -> Lowered {
        Lowered::Global(self.rt.types.core_module(), self.rt.types.symbol(name))
    }
    pub(crate) fn main(&self, name: &str) -> Lowered {
        Lowered::Global(self.rt.types.main_module(), self.rt.types.symbol(name))
    }
    pub(crate) fn intrinsic(&self, name: &str) -> Lowered {
        let at = Intrinsic::ALL.iter().position(|it| it.name() == name).unwrap();
        let value = Value::inline(self.rt.types.core().intrinsic_function, at as u64);
        Lowered::Const(self.rt.heap.const_of(value))
    }
    pub(crate) fn int(&self, value: i64) -> Lowered {
        Lowered::Const(self.rt.types.const_int(value))
    }
    pub(crate) fn ty(&self, ty: Type) -> Lowered {
        Lowered::Const(self.rt.types.const_type(ty))
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
    pub(crate) fn finish(self) -> CodeInfo {
        self.info
    }
}
