//! A session without a front end.

use kiln_infer::{InferenceInputs, InferenceParams};
use kiln_ir::{CodeInfo, Lowered, SourceLoc};
use kiln_runtime::interp::define;
use kiln_runtime::tables::{CacheOwner, CodeInstance, MethodDef, MethodTableView, TableId};
use kiln_runtime::{Frontend, HostIo, Runtime};
use kiln_testing::CodeBuilder;
use kiln_types::{CoreTypes, Module, Type, Types, datatype, display};
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
        let (main, symbol) = (Module::MAIN, self.rt.types.symbol(name));
        let function = define::generic_function(&self.rt, main, symbol).unwrap();
        let mut elems = vec![function.ty()];
        elems.extend_from_slice(args);
        let sig = datatype::tuple(&self.rt.types, &elems);
        let def = MethodDef { name: symbol, module: main, sig, loc: SourceLoc::NONE, code: Arc::new(code) };
        self.rt.tables.add_method(TableId::GLOBAL, def);
    }
    pub(crate) fn identity(&self, name: &str) -> CodeInfo {
        let mut code = CodeBuilder::new(&self.rt.types, name, &["x"]);
        code.ret(Lowered::Slot(1));
        code.finish()
    }
    pub(crate) fn constant(&self, name: &str, value: i64) -> CodeInfo {
        let mut code = CodeBuilder::new(&self.rt.types, name, &["x"]);
        code.ret(code.int(value));
        code.finish()
    }
    /// Infers `name(::args...)`.
    pub(crate) fn infer(&self, name: &str, args: &[Type]) -> Arc<CodeInstance> {
        let function = self.rt.global(Module::MAIN, self.rt.types.symbol(name)).unwrap();
        let mut elems = vec![function.ty()];
        elems.extend_from_slice(args);
        let world = self.rt.tables.world();
        let found = self.rt.tables.find_matches(datatype::tuple(&self.rt.types, &elems), world, 4).unwrap();
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
        display::of_type(&self.rt.types, self.infer(name, args).return_type)
    }
    /// The text of its body, without the line of its signature.
    pub(crate) fn body(&self, name: &str, args: &[Type]) -> String {
        let ci = self.infer(name, args);
        let code = ci.code(&self.rt).unwrap();
        assert_eq!(kiln_ir::verify(code, &self.rt.types), vec![]);
        let text = code.display(&self.rt.types).to_string();
        let read =
            kiln_ir::parse(&text, &self.rt.types, &kiln_ir::Vocabulary::mentioned_in(code, &self.rt.types))
                .unwrap();
        assert_eq!(
            read.display(&self.rt.types).to_string(),
            text,
            "printing what was read gives the text again"
        );
        text.split_once('\n').unwrap().1.to_owned()
    }
}
