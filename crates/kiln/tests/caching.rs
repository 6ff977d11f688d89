//! The caching interface on kiln's inferred code: a back end that turns typed kernels into texts.
//!
//! The cases are those of the suites of CompilerCaching.jl and GPUCompiler.jl; each says which it stands for.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::caching::{
    CodeInstance, CompilerConfig, CompilerJob, ConfigOptions, Results, StableBytes, Stored, StoredFields,
    TableId, Type,
};
use kiln::internals::{SessionInternals as _, TestOptions as _};
use kiln::{Session, SessionOptions};
use kiln_ir::Op;
use kiln_runtime::eval::toplevel;
use kiln_runtime::interp::define;
use kiln_types::{consts, datatype, display};
use std::cell::Cell;
use std::sync::Arc;

/// The result of the back end: the typed code of all that a kernel reaches, as text.
#[derive(Default)]
struct Listing {
    text: Stored<String>,
}

impl Results for Listing {
    const NAME: &'static str = "listing";
    fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
        let Self { text } = self;
        to.add("text", text);
    }
}

struct Program {
    session: Session,
    compiles: Cell<u32>,
}

impl Program {
    fn new(text: &str) -> Self {
        // What is counted is what kernels cost.
        let options = SessionOptions::new().interpret_host(true);
        let it = Self { session: Session::new(options).unwrap(), compiles: Cell::new(0) };
        it.run(text);
        it
    }

    fn run(&self, text: &str) {
        self.session.run_text("program", text).unwrap();
    }

    fn inferences(&self) -> u64 {
        self.session.runtime().tables.inference.inferred()
    }

    fn call(&self, name: &str, args: &str) -> Vec<Type> {
        let rt = self.session.runtime();
        let text = format!("Tuple{{Core.Typeof({name}), {args}}}").replace(", }", "}");
        let value = toplevel::eval_string(rt, self.session.main(), &text).unwrap();
        datatype::params(&rt.types, value.as_type(rt.types.core()).unwrap()).to_vec()
    }

    fn table(&self, name: &str) -> TableId {
        let rt = self.session.runtime();
        define::method_table(rt, toplevel::eval_string(rt, self.session.main(), name).unwrap()).unwrap()
    }

    fn config(&self, overlays: &[TableId], change: impl FnOnce(&mut ConfigOptions)) -> Arc<CompilerConfig> {
        let rt = self.session.runtime();
        let mut options = kiln_exec::kernel_options(rt, &self.session.exec_env().exec.compiler, overlays);
        change(&mut options);
        Arc::new(CompilerConfig::new(&rt.tables, options))
    }

    fn job(&self, name: &str, args: &str, config: &Arc<CompilerConfig>) -> CompilerJob {
        let rt = self.session.runtime();
        kiln_inspect::foreign_job(rt, &self.call(name, args), config).unwrap()
    }

    fn infer(&self, job: &CompilerJob) -> Arc<CodeInstance> {
        kiln_inspect::infer_job(&self.session.exec_env(), job).unwrap()
    }

    fn cached(&self, job: &CompilerJob) -> Option<Arc<Listing>> {
        self.session.runtime().tables.cached_results::<Listing>(job)
    }

    /// Returns the result of a job: looked up, and inferred and compiled if there is none.
    fn compile(&self, job: &CompilerJob) -> Arc<Listing> {
        let (rt, env) = (self.session.runtime(), self.session.exec_env());
        if let Some(found) = self.cached(job)
            && found.text.get().is_some()
        {
            return found;
        }
        self.infer(job);
        let found = self.cached(job).unwrap();
        found.text.get_or_make(|| {
            self.compiles.set(self.compiles.get() + 1);
            let parts = kiln_inspect::reachable(&env, job).unwrap();
            rt.tables.set_dependencies(job, &found, &parts);
            let shown = |it: &Arc<CodeInstance>| match (it.code(rt), it.return_const) {
                (Some(code), _) => code.display(&rt.types).to_string(),
                (None, constant) => {
                    format!("return {}", display::of_const(&rt.types, constant.unwrap()))
                }
            };
            parts.iter().map(shown).collect::<Vec<_>>().join("\n")
        });
        found
    }

    fn text(&self, job: &CompilerJob) -> String {
        self.compile(job).text.get().unwrap().to_string()
    }
}

/// MISSION C2. CompilerCaching "inference integration": inferred code has a place for results, also the code of a method
/// that always returns the same, and varargs. GPUCompiler "cached results": a look-up makes nothing.
#[test]
fn inferred_code_has_results() {
    let it = Program::new("f(x) = x + 1\nalways(x) = nothing\nmany(args...) = nothing");
    let plain = it.config(&[], |_| ());
    for (name, args) in [("f", "Int"), ("always", "Int"), ("many", "Int, Int")] {
        let job = it.job(name, args, &plain);
        let before = it.inferences();
        assert!(it.cached(&job).is_none());
        assert_eq!(it.inferences(), before, "a look-up infers nothing");
        let code = it.infer(&job);
        assert_eq!(code.owner, plain.owner());
        assert!(it.cached(&job).unwrap().text.get().is_none());
        let made = it.compile(&job);
        let (inferred, compiled) = (it.inferences(), it.compiles.get());
        for _ in 0..100_000 {
            assert!(Arc::ptr_eq(&made, &it.cached(&job).unwrap()));
        }
        assert_eq!((it.inferences(), it.compiles.get()), (inferred, compiled));
    }
    assert!(it.infer(&it.job("always", "Int", &plain)).return_const.is_some());
}

/// MISSION C3, C4: configurations that differ in inputs of later stages (limits of launches, names, levels) share inference and no
/// artifact. GPUCompiler infers everything again for each.
#[test]
fn limits_of_launches_infer_nothing() {
    let it = Program::new("helper(x) = sin(x) + 1\nkernel(x) = (helper(x); nothing)");
    let plain = it.config(&[], |_| ());
    it.compile(&it.job("kernel", "Float64", &plain));
    let before = it.inferences();
    let changes: [fn(&mut ConfigOptions); 4] = [
        |it| it.params = StableBytes::from_stable(&("maxthreads", 256)),
        |it| it.name = Some("renamed".into()),
        |it| it.opt_level = 1,
        |it| it.debug_level = 2,
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let config = it.config(&[], change);
        let job = it.job("kernel", "Float64", &config);
        assert!(it.cached(&job).unwrap().text.get().is_none(), "{at}: artifacts are not shared");
        it.compile(&job);
        assert_eq!(it.compiles.get(), at as u32 + 2);
    }
    assert_eq!(it.inferences(), before);
}

/// MISSION C3. GPUCompiler "always_inline": the option is seen by inference, so it has an owner of its own; a body that is
/// too large to be inlined otherwise is inlined.
#[test]
fn always_inlining_is_another_owner() {
    let sum = (0..60).map(|n| format!("sin(x + {n}.0)")).collect::<Vec<_>>().join(" + ");
    let it = Program::new(&format!("large(x) = {sum}\nkernel(x) = large(x)"));
    let rt = it.session.runtime();
    let name = |callee| rt.types.name(rt.tables.method(rt.tables.instance_data(callee).method).name);
    let calls = |config: &Arc<CompilerConfig>| {
        let code = it.infer(&it.job("kernel", "Float64", config)).code(rt).unwrap().clone();
        code.stmts
            .values()
            .filter(|it| matches!(it.op, Op::Invoke(callee, _) if name(callee) == "large"))
            .count()
    };
    let (plain, inlined) = (it.config(&[], |_| ()), it.config(&[], |it| it.always_inline = true));
    assert_ne!(plain.owner(), inlined.owner());
    assert_eq!((calls(&plain), calls(&inlined)), (1, 0));
}

/// MISSION C1, O4. CompilerCaching's example of a native compiler, and GPUCompiler "overrides": an overlay is compiled for
/// the device and unseen by the host; unrelated definitions compile nothing; each of a new kernel, a new callee and a new
/// overlay compiles once.
#[test]
fn definitions_compile_once_each() {
    let it = Program::new(
        "Base.Experimental.@MethodTable CUSTOM
         op(x, y) = x + y
         Base.Experimental.@overlay CUSTOM op(x, y) = x * y
         child(x) = op(x, 2)
         parent(x) = child(x) + 1",
    );
    let config = it.config(&[it.table("CUSTOM")], |_| ());
    let text = || it.text(&it.job("parent", "Int", &config));
    let host = || {
        let rt = it.session.runtime();
        toplevel::eval_string(rt, it.session.main(), "parent(10)").unwrap().as_int(rt.types.core()).unwrap()
    };
    let first = text();
    assert!(first.contains("mul_int") && !first.contains("mul_int(_2, 3)"), "{first}");
    it.run("unrelated(x) = 10");
    assert_eq!((text(), it.compiles.get(), host()), (first.clone(), 1, 13));
    it.run("parent(x) = child(x) + 3");
    assert_ne!(text(), first);
    assert_eq!((it.compiles.get(), host()), (2, 15));
    it.run("child(x) = op(x, 3)");
    let third = text();
    assert_eq!((it.compiles.get(), host()), (3, 16));
    it.run("Base.Experimental.@overlay CUSTOM op(x, y) = x - y");
    let fourth = text();
    assert!(fourth.contains("sub_int") && fourth != third, "{fourth}");
    assert_eq!((it.compiles.get(), host()), (4, 16));
}

/// MISSION C15: a definition that changes nothing compiles nothing, although it ends everything for a moment; one that
/// changes the body of a callee, not its calling convention, compiles the results that depend on both.
#[test]
fn definitions_that_change_nothing_compile_nothing() {
    let it = Program::new("@noinline child(x) = x + 1\nkernel(x) = (child(x); child(x))");
    let config = it.config(&[], |_| ());
    let compile = || it.compile(&it.job("kernel", "Int", &config));
    let first = compile();
    it.run("# moved\n@noinline child(x) = x + 1");
    assert!(it.cached(&it.job("kernel", "Int", &config)).is_none(), "no job has looked at it yet");
    assert!(Arc::ptr_eq(&first, &compile()));
    let before = it.infer(&it.job("kernel", "Int", &config));
    it.run("@noinline child(x) = x + 2");
    let second = compile();
    assert!(Arc::ptr_eq(&before, &it.infer(&it.job("kernel", "Int", &config))), "its own code holds");
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!(it.compiles.get(), 2);
}

/// MISSION C14: results depend on the globals their code captured.
#[test]
fn captured_globals_end_results() {
    let it = Program::new("const SCALE = 2\nkernel(x) = x * SCALE");
    let config = it.config(&[], |_| ());
    let text = || it.text(&it.job("kernel", "Int", &config));
    let first = text();
    it.run("const OTHER = 1");
    assert_eq!((text() == first, it.compiles.get()), (true, 1));
    it.run("const SCALE = 3");
    assert_eq!((text() == first, it.compiles.get()), (false, 2));
}

/// MISSION C18. CompilerCaching "const-prop inference": inference results for constant arguments are stored per constants and
/// found again.
#[test]
fn constants_have_inferred_results() {
    let it = Program::new("choose(op, x, y) = op == 1 ? x + y : op == 2 ? x * y : zero(x)");
    let rt = it.session.runtime();
    let config = it.config(&[], |_| ());
    let generic = it.job("choose", "Int, Int, Int", &config);
    let of = |op: i64| {
        let constants = [None, Some(consts::int(&rt.types, op)), None, None];
        let source = generic.view(&rt.tables).constant_instance(generic.source, &constants);
        CompilerJob { source, ..generic.clone() }
    };
    let texts = [it.text(&generic), it.text(&of(1)), it.text(&of(2))];
    assert!(texts[0].contains("branch") && !texts[2].contains("branch"), "{}", texts[2]);
    assert!(texts[1].contains("add_int") && texts[2].contains("mul_int"));
    let before = it.inferences();
    assert_eq!((it.text(&of(1)), it.text(&of(2))), (texts[1].clone(), texts[2].clone()));
    assert_eq!((it.compiles.get(), it.inferences()), (3, before));
    assert!(it.cached(&of(3)).is_none());
}

/// CompilerCaching "exact specializations": a kernel is compiled for the functions it is given, also if it only passes them
/// on, so that its callees are called statically.
#[test]
fn kernels_are_specialized_for_the_functions_they_are_given() {
    let it = Program::new(
        "@noinline child(x, f) = f(x, 2) ? 1 : 2
         kernel(x, f) = child(x, f)",
    );
    let job = it.job("kernel", "Int, typeof(<)", &it.config(&[], |_| ()));
    let rt = it.session.runtime();
    assert_eq!(
        rt.tables.instance_data(job.source).spec_types,
        datatype::tuple(&rt.types, &it.call("kernel", "Int, typeof(<)"))
    );
    let parts = kiln_inspect::reachable(&it.session.exec_env(), &job).unwrap();
    assert!(parts.len() > 1, "the callee is reached");
}

/// The counts at the last look.
struct Compiled(kiln::Timings);

impl Compiled {
    /// Units compiled since the last time, kernels among what was asked for, and bodies inferred.
    fn since(&mut self, it: &Program) -> (u64, u64) {
        let now = it.session.timings();
        let spent = now.since(&self.0);
        self.0 = now;
        (spent.compiles, spent.inferences)
    }
}

/// MISSION C12. GPUCompiler "runtime cache invalidation": library code for kernels (here: exchange of values between
/// lanes) is compiled once for all of them, whatever their configurations. A definition in its place compiles it again,
/// and links the kernels that call it; neither they nor others are compiled.
#[test]
fn a_function_of_the_runtime_is_compiled_alone() {
    let it = Program::new(
        "using CUDA
         @eval Base.DeviceLanes @noinline function exchange(mask::UInt32, value::T, source::Int) where {T}
             slots = Device.shared_array(T, Val((1024,)), Val(:slots))
             mine = Device.local_linear()
             @inbounds slots[mine + 1] = value
             meet(mask)
             result = @inbounds slots[mine - mine % LANES + source + 1]
             meet(mask)
             return result
         end
         @eval Base.DeviceLanes @inline exchange_by(mask::UInt32, value, distance::Int, is_wanted::Bool) =
             exchange_from(mask, value, distance, is_wanted)
         turned!(y) = (y[threadIdx().x] = shfl_xor_sync(FULL_MASK, y[threadIdx().x], 1); return)
         shifted!(y) = (y[threadIdx().x] = shfl_up_sync(FULL_MASK, y[threadIdx().x], 1); return)
         other!(y) = (y[threadIdx().x] += 1; return)
         launch() = (y = CuArray(collect(1:32)); @cuda(threads = 32, turned!(y)); @cuda(threads = 32, other!(y)); Array(y))",
    );
    let mut compiled = Compiled(it.session.timings());
    it.run("launch()[1:2] == [3, 2] || error(launch())");
    assert_eq!(compiled.since(&it).0, 3, "two kernels, and the exchange");
    it.run("@cuda threads=32 shifted!(CuArray(collect(1:32)))");
    assert_eq!(compiled.since(&it).0, 1, "the exchange is there");
    it.run("@cuda threads=32 maxthreads=64 turned!(CuArray(collect(1:32)))");
    assert_eq!(compiled.since(&it), (0, 0), "and good for all configurations");
    it.run(
        "@eval Base.DeviceLanes @noinline function exchange(mask::UInt32, value::T, source::Int) where {T}
             slots = Device.shared_array(T, Val((1024,)), Val(:slots))
             mine = Device.local_linear()
             @inbounds slots[mine + 1] = value
             meet(mask)
             result = @inbounds slots[mine - mine % LANES + source + 1]
             meet(mask)
             return result + T(5)
         end",
    );
    it.run("launch()[1:2] == [8, 7] || error(launch())");
    assert_eq!(compiled.since(&it).0, 1, "the exchange alone");
    it.run("@noinline Base.DeviceLanes.exchange(mask::UInt32, value::T, source::Int) where {T} = value - T(source)");
    it.run("launch()[1:2] == [1, 3] || error(launch())");
    assert_eq!(compiled.since(&it).0, 2, "it waits for no other now, and so its caller does not");
}

/// MISSION C12, R2. The functions that code of a device calls of its own are compiled when a kernel needs them, once for all
/// kernels; a dialect's overlay that takes the place of one compiles that one, and nothing but device links beside it.
#[test]
fn the_runtime_of_a_device_is_compiled_on_demand() {
    let it = Program::new(
        "using CUDA
         @noinline cell(n) = Ref(n)
         plain!(p, n) = (unsafe_store!(p, n); return)
         fails!(p, n) = (unsafe_store!(p, div(1, n)); return)
         makes!(p, n) = (unsafe_store!(p, cell(n)[]); return)
         other!(p, n) = (unsafe_store!(p, cell(n + 1)[]); return)",
    );
    let options = kiln::compile::CompileOptions {
        target: "sm_90".into(),
        emit: kiln::compile::Emit::Form(kiln::targets::Form::Llvm),
        name: None,
        space: kiln::compile::Space::OfArguments,
        function: false,
        kernel: kiln::KernelOptions::default(),
    };
    let compile = |name: &str| {
        let made = it.session.compile(&format!("{name}(Ptr{{Int64}}, Int64)"), &options).unwrap();
        String::from_utf8(made.bytes).unwrap()
    };
    let mut compiled = Compiled(it.session.timings());
    assert!(!compile("plain!").contains("cmpxchg"));
    assert_eq!(compiled.since(&it).0, 2, "the kernel and its device link: nothing of the runtime");
    assert!(compile("fails!").contains("cmpxchg"));
    assert_eq!(compiled.since(&it).0, 3, "the kernel, what reports that it failed, the device link");
    assert!(compile("makes!").contains("atomicrmw"));
    assert_eq!(
        compiled.since(&it).0,
        5,
        "the kernel, `cell`, what allocates and what it calls, the device link"
    );
    compile("other!");
    assert_eq!(compiled.since(&it).0, 2, "the runtime is there");
    it.run(
        "CUDA.@device_override @noinline Base.DeviceRuntime.malloc(bytes::UInt64) =
             ccall(\"extern malloc\", llvmcall, Ptr{UInt8}, (UInt64,), bytes)",
    );
    let made = compile("makes!");
    assert!(made.contains("@malloc(i64") && !made.contains("atomicrmw"), "{made}");
    let again = compiled.since(&it).0;
    assert!(again <= 4, "the function, who calls it (it takes no state now), the device link: {again}");
    compile("fails!");
    assert!(compiled.since(&it).0 <= 1, "nothing but a device link");
}

/// MISSION C3, C4, through `@cuda`: the limits of launches, encodings and names that CUDA.jl lets a launch say infer
/// nothing again, and a processor, to which they say nothing, compiles nothing again either. The name is that of messages.
#[test]
fn options_of_launches_infer_nothing() {
    let it = Program::new(
        "using CUDA
         @noinline helper(x) = sin(x) + 1
         kernel!(y) = (y[threadIdx().x] = helper(y[threadIdx().x]); return)
         refused!(y) = (y[1] = error(string(y)); return)
         y = CuArray([1.0, 2.0])",
    );
    let mut compiled = Compiled(it.session.timings());
    it.run("@cuda threads=2 kernel!(y)");
    let (compiles, inferences) = compiled.since(&it);
    assert!(compiles >= 2 && inferences >= 2, "{compiles} units of {inferences} bodies");
    for option in [
        "maxthreads = 64",
        "minthreads = 2",
        "minthreads = (2, 1)",
        "maxthreads = (8, 8)",
        "blocks_per_sm = 2",
        "maxregs = 32",
        "fastmath = true",
        "name = \"renamed\"",
        "kernel = true",
        "maxthreads = 128 maxregs = 16 name = \"both\"",
    ] {
        it.run(&format!("@cuda threads=2 {option} kernel!(y)"));
        assert_eq!(compiled.since(&it), (0, 0), "{option}");
        it.run(&format!("k = @cuda launch=false {option} kernel!(y); k(y; threads = 2)"));
        assert_eq!(compiled.since(&it), (0, 0), "{option}, looked up");
    }
    it.run("k = @cuda launch=false maxthreads=1 kernel!(y)");
    let refused = it.session.run_text("program", "k(y; threads = 2)").unwrap_err().message;
    assert!(refused.contains("exceeds kernel limit (2 > 1)"), "limits hold for their launch: {refused}");
}

/// MISSION C12: code that only runs when a kernel fails or prints belongs to the host: a definition there compiles no kernel, and
/// the next failure and the next line use it.
#[test]
fn what_failures_and_output_use_compiles_no_kernel() {
    let it = Program::new(
        "using CUDA
         struct Refused <: Exception; at::Int; end
         Base.showerror(io::IO, e::Refused) = print(io, \"refused at \", e.at)
         shown(x) = \"first\"
         const SAID = String[]
         say(x) = push!(SAID, shown(x))
         checked!(y) = (y[1] > 0 || throw(Refused(y[1])); return)
         saying!(y) = (Core.Intrinsics.kiln_report(say, y[1]); return)
         message(y) = try @cuda(checked!(y)); \"none\" catch e; sprint(showerror, e) end",
    );
    it.run("y = CuArray([-1]); m = message(y); @cuda saying!(y)");
    it.run("occursin(\"refused at -1\", m) && SAID == [\"first\"] || error(m, SAID)");
    let mut compiled = Compiled(it.session.timings());
    it.run("Base.showerror(io::IO, e::Refused) = print(io, \"not \", e.at); shown(x) = \"second\"");
    it.run("m = message(y); @cuda saying!(y)");
    it.run("occursin(\"not -1\", m) && SAID == [\"first\", \"second\"] || error(m, SAID)");
    assert_eq!(compiled.since(&it).0, 0);
}
