//! Configurations, jobs, launches and compiled functions, on lowered code written by hand: no parser and no library.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../kiln-compile/tests/by_hand/program.rs"]
#[expect(dead_code, reason = "tests of the stages use the rest")]
mod program;

mod background;
mod never_returning;

use kiln_codegen_client::ClientOptions;
use kiln_compile::ErrorKind;
use kiln_compile::device::{ArtifactError, EntryAbi, Form};
use kiln_exec::{
    ConfigId, DeviceChoice, DeviceId, ExecEnv, ExecOptions, Executor, Grid, KernelConfig, KernelJob,
    KernelOptions, Together, compile_for_device, compile_function, config_for, config_on, default_device,
    device_choice, device_facts, device_name, dialect_tables, drain, inlines, kernel_options,
    launch_in_stream, launch_kernel, note_hot, open_device, resolve, resolve_all, was_hot,
};
use kiln_ir::{Lowered, SourceLoc};
use kiln_runtime::heap::bits;
use kiln_runtime::{HotPart, HotSpot};
use kiln_types::consts;
use program::Program;
use std::sync::Arc;

/// An executor on this machine's processor.
fn executor(program: &Program) -> Arc<Executor> {
    let options = ExecOptions { device: DeviceChoice::Cpu, ..ExecOptions::default() };
    Arc::new(Executor::new(options, program.compiler.clone()))
}

/// The job of `name(::args...)` on the processor.
fn job(program: &Program, config: ConfigId, name: &str, args: &[kiln_types::Type]) -> KernelJob {
    let function = program.rt.heap.dispatch_type(program.function(name));
    KernelJob { function, args: program.tuple(args), config, device: DeviceId::CPU }
}

fn plain(env: &ExecEnv<'_>) -> ConfigId {
    env.exec.configs.plain(env.rt, &env.exec.compiler, &[])
}

/// Equal configurations have one number; a target that does not exist is an error with a name that is like it.
#[test]
fn configurations_are_interned() {
    let program = Program::new();
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let for_target = |name: &str| {
        let target = Some(program.rt.types.symbol(name));
        KernelConfig {
            method_tables: Vec::new(),
            options: KernelOptions { target, ..KernelOptions::default() },
        }
    };
    let one = env.intern(&for_target("sm_90")).unwrap();
    assert_eq!(env.intern(&for_target("sm_90")).unwrap(), one);
    assert_ne!(env.intern(&for_target("sm_80")).unwrap(), one);
    assert_eq!(exec.configs.target(one).name, "sm_90");
    assert_eq!((env.config(one), exec.configs.iter().count()), (&for_target("sm_90"), 2));
    let error = env.intern(&for_target("sm90")).unwrap_err();
    assert!(error.to_string().contains("did you mean `sm_90`"), "{error}");
    assert_eq!(plain(&env), plain(&env));
    let again = config_for(&env, Some(plain(&env)), &kiln_targets::lookup("sm_90").unwrap()).unwrap();
    assert_eq!(again, one, "the plain configuration, for that target");
    assert!(dialect_tables(&program.rt).is_empty(), "no dialect is loaded");
    assert!(kernel_options(&program.rt, &program.compiler, &[]).kernel);
}

/// The processor is there without a driver. A device that is not there is an error, and kernels stay on the processor.
#[test]
fn the_processor_is_a_device() {
    let program = Program::new();
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    assert_eq!((device_choice(&exec), default_device(&exec)), (DeviceChoice::Cpu, DeviceId::CPU));
    assert_eq!(open_device(&exec, DeviceChoice::Cpu).unwrap(), DeviceId::CPU);
    assert!(open_device(&exec, DeviceChoice::Cuda(4096)).is_err());
    let (name, target) = device_name(&exec, DeviceId::CPU);
    assert_eq!((&*name, &*target), ("this machine's processor", "x86-64"));
    let facts = device_facts(&exec).unwrap();
    assert!(facts.compute_units >= 1 && facts.items_max >= 1);
    assert_eq!(config_on(&env, plain(&env), DeviceId::CPU).unwrap(), (plain(&env), DeviceId::CPU));
}

/// A job is compiled once, launched with values, and compiled again when a definition changed it.
#[test]
fn jobs_are_compiled_and_launched() {
    let program = Program::new();
    program.add_kernel("k");
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let types = [program.pointer(), program.core().int64];
    let job = job(&program, plain(&env), "k", &types);
    let kernel = resolve(&env, &job).unwrap();
    assert_eq!(resolve(&env, &job).unwrap(), kernel);
    assert_eq!(
        resolve_all(&env, &[job, job]).into_iter().map(Result::unwrap).collect::<Vec<_>>(),
        [kernel; 2]
    );
    let mut memory = Box::new(0_i64);
    let address = (&raw mut *memory).expose_provenance() as u64;
    let pointer = bits::from_bits(&program.rt.heap, types[0], &address.to_le_bytes());
    let grid = Grid { groups: [1; 3], items: [1; 3], dynamic_shared_bytes: 0, together: Together::NONE };
    let args = |number: i64| [pointer, program.rt.heap.int(number)];
    launch_kernel(&env, kernel, &grid, program.function("k"), &args(21)).unwrap();
    assert_eq!(*memory, 42);
    launch_in_stream(&env, kernel, &grid, (program.function("k"), &args(4)), false).unwrap();
    drain(&env).unwrap();
    assert_eq!(*memory, 8);
    let none = Grid { groups: [0; 3], ..grid };
    launch_kernel(&env, kernel, &none, program.function("k"), &args(1)).unwrap();
    assert_eq!(*memory, 8, "a launch of no item does nothing");
    let mut code = program.code("k", &["p", "x"]);
    code.ret(Lowered::Const(consts::nothing(&program.rt.types)));
    program.add("k", &types, code.finish());
    let other = resolve(&env, &job).unwrap();
    assert_ne!(other, kernel);
    launch_kernel(&env, other, &grid, program.function("k"), &args(1)).unwrap();
    assert_eq!(*memory, 8);
}

/// A job that is refused stays refused, with one rendered text, until a definition changes it.
#[test]
fn refused_jobs_are_remembered() {
    let program = Program::new();
    program.add_constant("f", 1);
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let job = job(&program, plain(&env), "f", &[program.core().int64]);
    let error = resolve(&env, &job).unwrap_err();
    assert_eq!((error.error.kind, error.error.diagnostics[0].code), (ErrorKind::Program, "kernel-returns"));
    assert!(error.message.starts_with("kernel-returns: "), "{}", error.message);
    assert!(Arc::ptr_eq(&error, &resolve(&env, &job).unwrap_err()));
    let mut code = program.code("f", &["x"]);
    code.ret(Lowered::Const(consts::nothing(&program.rt.types)));
    program.add("f", &[program.core().int64], code.finish());
    assert!(resolve(&env, &job).is_ok());
}

/// Without a code generator a job is refused by a tool, and is tried again when it is asked for again.
#[test]
fn a_missing_code_generator_refuses_jobs() {
    let library = Some("/none/lib.so".into());
    let program = Program::with_codegen(ClientOptions { library, ..ClientOptions::default() });
    program.add_kernel("k");
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let job = job(&program, plain(&env), "k", &[program.pointer(), program.core().int64]);
    let error = resolve(&env, &job).unwrap_err();
    assert_eq!(error.error.kind, ErrorKind::Tool);
    assert!(error.message.contains("/none/lib.so"), "{}", error.message);
}

/// An artifact has the bytes that were asked for, a name, and its calling convention; a function's says what it returns.
#[test]
fn artifacts_are_described() {
    let program = Program::new();
    program.add_kernel("k");
    program.add_constant("f", 7);
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let config = config_for(&env, None, &kiln_targets::lookup("sm_90").unwrap()).unwrap();
    let types = |name: &str| program.rt.heap.dispatch_type(program.function(name));
    let args = program.tuple(&[program.pointer(), program.core().int64]);
    let kernel = compile_for_device(&env, (types("k"), args), config, Form::Object).unwrap();
    let text = String::from_utf8(kernel.bytes).unwrap();
    assert!(text.contains(&format!(".entry {}(", kernel.symbol)), "{text}");
    assert_eq!((kernel.description.entry.abi, kernel.returns), (EntryAbi::Device, None));
    let args = program.tuple(&[program.core().int64]);
    let function = compile_for_device(&env, (types("f"), args), config, Form::Object).unwrap();
    assert_eq!(function.returns, Some(program.core().int64));
    let args = program.tuple(&[program.core().float64]);
    let error = compile_for_device(&env, (types("f"), args), config, Form::Object).unwrap_err();
    assert!(matches!(error, ArtifactError::Compile(it) if it.diagnostics[0].code == "no-matching-method"));
}

/// Host code is compiled for its own types; whether it would be inlined is asked without compiling it.
#[test]
fn functions_of_the_host_are_compiled() {
    let program = Program::new();
    program.add_constant("g", 6);
    program.add_caller("f", "g");
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let f = program.instance("f", &[program.core().int64]);
    assert!(compile_function(&env, f).is_ok());
    assert!(inlines(&env, program.instance("g", &[program.core().int64])));
    assert!(!inlines(&env, f), "its author forbids it");
}

/// Hints about hot code are kept in the store; without one nothing is known.
#[test]
fn hot_code_is_forgotten_without_a_store() {
    let program = Program::new();
    let types = vec![program.core().int64];
    let spot =
        HotSpot { name: program.rt.types.symbol("g"), loc: SourceLoc::NONE, types, part: HotPart::Loops };
    note_hot(&program.compiler, &program.rt, &spot);
    assert!(!was_hot(&program.compiler, &program.rt, &spot));
}
