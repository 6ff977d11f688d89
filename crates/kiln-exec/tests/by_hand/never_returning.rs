//! A call that inference is wrong about: it says that the call never returns.

use crate::executor;
use crate::program::Program;
use kiln_exec::{ExecEnv, compile_function, host_view};
use kiln_runtime::CompiledBody;
use kiln_runtime::heap::{fields, text};
use kiln_runtime::tables::{CodeResult, WorldRange};

/// The failure names the call, and what makes it.
#[test]
fn a_call_that_returns_after_all_is_named() {
    let program = Program::new();
    program.add_constant("g", 6);
    program.add_caller("f", "g");
    let exec = executor(&program);
    let env = ExecEnv::new(&program.rt, &exec);
    let (rt, view) = (&program.rt, host_view(&program.rt, &exec));
    let int = program.core().int64;
    let [f, g] = ["f", "g"].map(|it| program.instance(it, &[int]));
    let inferred = kiln_compile::code_instance(&program.env(&view), g).unwrap();
    let wrong = CodeResult {
        instance: g,
        owner: view.owner,
        view: view.tables.clone(),
        worlds: WorldRange::since(view.world),
        return_type: program.core().bottom,
        return_const: None,
        effects: kiln_ir::Effects::NONE,
        exception_type: program.core().any,
        code: Some(kiln_ir::IrCode::clone(inferred.code(rt).unwrap()).into()),
        edges: Vec::new().into(),
    };
    rt.tables.add_code_instance(wrong, view.world);
    let compiled = compile_function(&env, f).unwrap();
    let thrown = compiled.call(rt, &[program.function("f"), rt.heap.int(1)]).unwrap_err();
    let said = text::bytes(&rt.heap, fields::get(&rt.heap, thrown.exception, 0).unwrap());
    let said = String::from_utf8_lossy(said);
    let what = "internal error in `f Tuple{typeof(f), Int64}`: inference said that `g Tuple{typeof(g), Int64}` never returns, \
        but it did: a bug in kiln";
    assert!(said.contains(what), "{said}");
}
