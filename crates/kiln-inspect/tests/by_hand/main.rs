//! Inspection of lowered code written by hand: no parser and no library.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../kiln-compile/tests/by_hand/program.rs"]
#[expect(dead_code, reason = "tests of the stages use the rest")]
mod program;

use kiln_exec::{DeviceChoice, DeviceId, ExecEnv, ExecOptions, Executor, KernelJob, config_for, resolve};
use kiln_infer::InferenceParams;
use kiln_inspect::{
    InspectError, Stage, explain, linked_units, reflect, survey, typed, typed_afresh, unit_requests, why,
};
use kiln_runtime::tables::CacheOwner;
use program::Program;
use std::sync::Arc;

fn executor(program: &Program) -> Arc<Executor> {
    let options = ExecOptions { device: DeviceChoice::Cpu, ..ExecOptions::default() };
    Arc::new(Executor::new(options, program.compiler.clone()))
}

/// Typed code is shared with what was made before, unless a fresh copy is asked for; a call without a method is an error.
#[test]
fn typed_code_is_shown() {
    let program = Program::new();
    program.add_constant("f", 7);
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let call = [program.function("f").ty(), program.core().int64];
    let shown = typed(&env, &call, None).unwrap();
    assert!(Arc::ptr_eq(&shown, &typed(&env, &call, None).unwrap()));
    let owner = CacheOwner::HOST;
    assert!(Arc::ptr_eq(&shown, &typed_afresh(&env, &call, None, owner).unwrap()), "of the same owner");
    let device = typed(&env, &call, Some(&[])).unwrap();
    assert!(!Arc::ptr_eq(&shown, &device), "kernels have their own");
    assert!(typed(&env, &[call[0], program.core().float64], None).is_err());
}

/// Each stage of a function is text, for the target that is named.
#[test]
fn stages_are_shown() {
    let program = Program::new();
    program.add_kernel("k");
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let job = (program.function("k").ty(), program.tuple(&[program.pointer(), program.core().int64]));
    let config = config_for(&env, None, &kiln_targets::lookup("sm_90").unwrap()).unwrap();
    let shown = |stage| String::from_utf8(reflect(&env, stage, job, Some(config)).unwrap()).unwrap();
    for (stage, part) in [
        (Stage::Lowered, "k(p, x)\n"),
        (Stage::Typed, "Intrinsics.mul_int(_2, 2)::Int64"),
        (Stage::Emitted, "define"),
        (Stage::Llvm, "ptx_kernel void @"),
        (Stage::Native, ".visible .entry"),
    ] {
        let text = shown(stage);
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(shown(Stage::Warntype), shown(Stage::Typed), "every type is concrete");
    let bitcode = reflect(&env, Stage::Bitcode, job, Some(config)).unwrap();
    assert!(bitcode.starts_with(b"BC\xc0\xde"));
    let none = (job.0, program.tuple(&[program.core().float64]));
    assert!(reflect(&env, Stage::Typed, none, Some(config)).is_err());
}

/// A survey compiles a kernel, or says at which stage it stopped and why.
#[test]
fn kernels_are_surveyed() {
    let program = Program::new();
    program.add_kernel("k");
    program.add_constant("f", 7);
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let args = program.tuple(&[program.pointer(), program.core().int64]);
    assert!(survey(&env, program.function("k"), args).is_ok());
    let refused = survey(&env, program.function("k"), program.tuple(&[program.core().float64])).unwrap_err();
    assert!(!refused.is_static && refused.reasons.len() == 1);
    assert!(refused.reasons[0].contains("no method matches `k(Float64)`"), "{:?}", refused.reasons);
}

/// The requests of a kernel's units name their functions; the units that were linked are those of the requests.
#[test]
fn units_are_listed() {
    let program = Program::new();
    program.add_kernel("k");
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let args = program.tuple(&[program.pointer(), program.core().int64]);
    let params = InferenceParams { in_kernel: true, ..InferenceParams::default() };
    let requests = unit_requests(&env, program.function("k"), args, &params).unwrap();
    assert_eq!(requests.len(), 1);
    let config = exec.configs.plain(&program.rt, &program.compiler, &[]);
    let job = KernelJob { function: program.function("k").ty(), args, config, device: DeviceId::CPU };
    let kernel = resolve(&env, &job).unwrap();
    let units = linked_units(&exec, kernel).unwrap();
    assert_eq!((units.len(), units[0].functions.len()), (1, 1));
    assert!(units[0].body.object.starts_with(b"\x7fELF"));
}

/// A result that ended names the definition and the calls in between. One that holds has ended never.
#[test]
fn ends_are_explained() {
    let program = Program::new();
    program.add_constant("g", 6);
    program.add_caller("f", "g");
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let (f, args) = (program.function("f"), program.tuple(&[program.core().int64]));
    program.rt.tables.invalidations.start();
    typed(&env, &[f.ty(), program.core().int64], None).unwrap();
    assert!(why(&env, f, args).unwrap().is_empty());
    program.add_constant("g", 8);
    let ended = why(&env, f, args).unwrap();
    assert_eq!((ended.len(), ended[0].place, ended[0].kept), (1, "host", false));
    assert!(ended[0].definition.contains("Tuple{typeof(g), Int64}"), "{}", ended[0].definition);
    let error = why(&env, f, program.tuple(&[program.core().float64])).unwrap_err();
    assert!(!error.render(&program.compiler).is_empty());
}

/// Keys are explained where there is a store.
#[test]
fn without_a_store_nothing_is_explained() {
    let program = Program::new();
    program.add_kernel("k");
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let args = program.tuple(&[program.pointer(), program.core().int64]);
    let error = explain(&env, program.function("k"), args, None).unwrap_err();
    assert!(matches!(error, InspectError::NoStore), "{}", error.render(&program.compiler));
}
