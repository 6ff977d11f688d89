//! A program whose methods are lowered code written by hand: a session without a front end, a library and files.

use kiln_codegen_client::{ClientOptions, CodegenClient, Isolation, OnOpen};
use kiln_compile::{CompileEnv, Compiler, CompilerOptions, View};
use kiln_infer::InferenceParams;
use kiln_ir::{CodeInfo, Instance, Lowered, SourceLoc};
use kiln_results::TieredStore;
use kiln_runtime::interp::define;
use kiln_runtime::tables::{MethodDef, MethodId, TableId};
use kiln_runtime::{Frontend, HostIo, Runtime, Value};
use kiln_targets::ToolPaths;
use kiln_testing::CodeBuilder;
use kiln_types::{CoreTypes, Module, Type, Types, consts, datatype};
use kiln_unit::DeviceOptions;
use std::sync::Arc;

/// No front end, and a machine without files.
struct Nothing;

impl Frontend for Nothing {}

impl HostIo for Nothing {}

/// A program under construction, and a compiler for it.
pub(crate) struct Program {
    pub(crate) rt: Runtime,
    pub(crate) compiler: Arc<Compiler>,
}

impl Program {
    /// A program that compiles with the code generator beside the test.
    pub(crate) fn new() -> Self {
        Self::with_codegen(ClientOptions { isolation: Isolation::Never, ..ClientOptions::default() })
    }

    /// A program that compiles with a code generator.
    pub(crate) fn with_codegen(options: ClientOptions) -> Self {
        Self::with_threads(options, 1, Box::new(|_, _| ()))
    }

    /// A program that compiles with so many threads, and is told when the code generator is opened.
    pub(crate) fn with_threads(options: ClientOptions, threads: usize, on_open: OnOpen) -> Self {
        let rt = Runtime::new(Arc::new(Types::new()), Box::new(Nothing), Box::new(Nothing));
        let compiler = CompilerOptions {
            facts: kiln_targets::lookup("x86-64").unwrap(),
            mutant: None,
            threads,
            host_opt_level: None,
            uses_device: false,
            code_map: None,
            barriers: kiln_compile::Barriers::Fibers,
            vector_bits: None,
            checks: kiln_unit::Checks::NONE,
            warps: kiln_compile::Warps::default(),
            libraries: Vec::new(),
            tools: ToolPaths::default(),
            render: Box::new(|all| all.iter().map(|it| format!("{}: {}\n", it.code, it.message)).collect()),
            is_user_file: Box::new(|_| true),
        };
        let codegen = CodegenClient::new(options, on_open);
        let results = TieredStore::new(None, false, Arc::default());
        Self { rt, compiler: Arc::new(Compiler::new(compiler, Arc::default(), codegen, results)) }
    }

    /// The types of `Core`.
    pub(crate) fn core(&self) -> &CoreTypes {
        self.rt.types.core()
    }

    /// Begins the body of a method of `Main`.
    pub(crate) fn code(&self, name: &str, args: &[&str]) -> CodeBuilder<'_> {
        CodeBuilder::new(&self.rt.types, name, args)
    }

    /// Adds `name(::args...)`.
    pub(crate) fn add(&self, name: &str, args: &[Type], code: CodeInfo) -> MethodId {
        let (main, symbol) = (Module::MAIN, self.rt.types.symbol(name));
        let function = define::generic_function(&self.rt, main, symbol).unwrap();
        let mut elems = vec![function.ty()];
        elems.extend_from_slice(args);
        let sig = datatype::tuple(&self.rt.types, &elems);
        let def = MethodDef { name: symbol, module: main, sig, loc: SourceLoc::NONE, code: Arc::new(code) };
        self.rt.tables.add_method(TableId::GLOBAL, def)
    }

    /// Adds `name(x::Int64) = value`.
    pub(crate) fn add_constant(&self, name: &str, value: i64) {
        let mut code = self.code(name, &["x"]);
        code.ret(code.int(value));
        self.add(name, &[self.core().int64], code.finish());
    }

    /// Adds `name(x::Int64) = callee(x) + 1`; calls are not inlined.
    pub(crate) fn add_caller(&self, name: &str, callee: &str) {
        let mut code = self.code(name, &["x"]);
        let called = code.call(&[code.main(callee), Lowered::Slot(1)]);
        let sum = code.call(&[code.intrinsic("add_int"), called, code.int(1)]);
        code.ret(sum);
        let mut info = code.finish();
        info.meta.inlining = kiln_ir::Inlining::Never;
        self.add(name, &[self.core().int64], info);
    }

    /// Adds `name(p::Ptr{Int64}, x::Int64)`, a kernel that stores `x * 2`.
    pub(crate) fn add_kernel(&self, name: &str) {
        let mut code = self.code(name, &["p", "x"]);
        let twice = code.call(&[code.intrinsic("mul_int"), Lowered::Slot(2), code.int(2)]);
        code.call(&[code.intrinsic("pointerset"), Lowered::Slot(1), twice, code.int(1), code.int(8)]);
        code.ret(Lowered::Const(consts::nothing(&self.rt.types)));
        self.add(name, &[self.pointer(), self.core().int64], code.finish());
    }

    /// `Ptr{Int64}`.
    pub(crate) fn pointer(&self) -> Type {
        self.rt.types.apply(self.core().ptr, &[self.core().int64]).unwrap()
    }

    /// A function of `Main`.
    pub(crate) fn function(&self, name: &str) -> Value {
        self.rt.global(Module::MAIN, self.rt.types.symbol(name)).unwrap()
    }

    /// The type of the call's tuple, without the function.
    pub(crate) fn tuple(&self, args: &[Type]) -> Type {
        datatype::tuple(&self.rt.types, args)
    }

    /// The instance of `name(::args...)`.
    pub(crate) fn instance(&self, name: &str, args: &[Type]) -> Instance {
        let mut types = vec![self.function(name).ty()];
        types.extend_from_slice(args);
        self.rt.tables.dispatch(&types, self.rt.tables.world()).unwrap()
    }

    /// What host code sees now.
    pub(crate) fn host(&self) -> View {
        View::host(&self.rt, self.compiler.targets.host())
    }

    /// What kernels for a target see now.
    pub(crate) fn device(&self, target: &str) -> View {
        let facts = kiln_targets::lookup(target).unwrap();
        let unit = self.compiler.targets.of_kernels(&facts, 2, 1);
        let params = InferenceParams { in_kernel: true, ..InferenceParams::default() };
        let device = Arc::new(DeviceOptions::default());
        View { unit, params, device, ..self.host() }
    }

    /// The environment of stages that see `view`.
    pub(crate) fn env<'a>(&'a self, view: &'a View) -> CompileEnv<'a> {
        CompileEnv::new(&self.rt, &self.compiler, view)
    }
}
