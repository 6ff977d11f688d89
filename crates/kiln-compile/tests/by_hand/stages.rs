//! The stages before code generation: entries, typed code, call graphs and their checks.

use crate::program::Program;
use kiln_compile::{
    ErrorKind, NotBits, Place, ProblemKind, all_hold, body, call_graph, checked_graph, code_instance,
    entry_instance, job, not_bits, outlined, problems, resolve, source, specialization,
};
use kiln_ir::{Instance, Lowered};
use kiln_types::{consts, display};
use std::sync::Arc;

/// A launch runs the method that its argument types choose, specialized for them.
#[test]
fn an_entry_is_the_method_of_the_types() {
    let program = Program::new();
    let core = *program.core();
    program.add_constant("f", 1);
    let mut code = program.code("f", &["x"]);
    code.ret(code.int(2));
    program.add("f", &[core.float64], code.finish());
    let view = program.host();
    let (env, f) = (program.env(&view), program.function("f").ty());
    let [whole, real] =
        [core.int64, core.float64].map(|it| entry_instance(&env, f, program.tuple(&[it])).unwrap());
    assert_eq!(specialization(&program.rt, whole), "f Tuple{typeof(f), Int64}");
    assert_eq!(specialization(&program.rt, real), "f Tuple{typeof(f), Float64}");
    assert_eq!(
        entry_instance(&env, f, program.tuple(&[core.int64])).unwrap(),
        whole,
        "it is the same one again"
    );
}

/// Arguments that are objects of the host, and calls that no method takes, are the program's errors, with codes.
#[test]
fn an_entry_refuses_objects_and_calls_without_a_method() {
    let program = Program::new();
    let core = *program.core();
    program.add_constant("f", 1);
    let view = program.host();
    let (env, f) = (program.env(&view), program.function("f").ty());
    for (args, code) in [
        (vec![core.any], "not-bits-argument"),
        (vec![core.float64], "no-matching-method"),
        (vec![], "no-matching-method"),
    ] {
        let error = entry_instance(&env, f, program.tuple(&args)).unwrap_err();
        assert_eq!((error.kind, error.diagnostics[0].code), (ErrorKind::Program, code));
        assert!(error.dependencies.is_some_and(|it| it.is_empty()), "it holds in its world");
    }
    assert_eq!(not_bits(&program.rt.types, core.int64), None);
    assert!(matches!(not_bits(&program.rt.types, core.any), Some(NotBits { .. })));
}

/// Typed code is made once. It ends with a definition that changes what it calls, and what was made of it no longer holds.
#[test]
fn typed_code_is_made_once_and_ends_with_a_definition() {
    let program = Program::new();
    let core = *program.core();
    program.add_constant("g", 6);
    program.add_caller("f", "g");
    let f = program.instance("f", &[core.int64]);
    let before = program.host();
    let env = program.env(&before);
    let typed = code_instance(&env, f).unwrap();
    assert!(Arc::ptr_eq(&typed, &code_instance(&env, f).unwrap()));
    assert_eq!(display::of_type(&program.rt.types, typed.return_type), "Int64");
    let text = body(&program.rt, &typed).unwrap().display(&program.rt.types).to_string();
    assert!(text.ends_with("return 7\n"), "the call of a constant folds: {text}");
    assert!(all_hold(&env, std::slice::from_ref(&typed)));
    program.add_constant("g", 8);
    let after = program.host();
    let env = program.env(&after);
    assert!(!all_hold(&env, std::slice::from_ref(&typed)));
    let again = code_instance(&env, f).unwrap();
    let text = body(&program.rt, &again).unwrap().display(&program.rt.types).to_string();
    assert!(!Arc::ptr_eq(&typed, &again) && text.ends_with("return 9\n"), "{text}");
}

/// A program of three functions: `f` calls `g`, which calls itself; neither is inlined.
fn recursive() -> (Program, Instance) {
    let program = Program::new();
    let core = *program.core();
    let mut code = program.code("g", &["x"]);
    let is_small = code.call(&[code.intrinsic("slt_int"), Lowered::Slot(1), code.int(1)]);
    let branch = code.push(kiln_ir::LoweredStmt::GotoIfNot(is_small, 0));
    code.ret(Lowered::Slot(1));
    let rest = code.here();
    code.patch(branch, kiln_ir::LoweredStmt::GotoIfNot(is_small, rest));
    let less = code.call(&[code.intrinsic("sub_int"), Lowered::Slot(1), code.int(1)]);
    let called = code.call(&[code.main("g"), less]);
    let sum = code.call(&[code.intrinsic("add_int"), called, Lowered::Slot(1)]);
    code.ret(sum);
    let mut info = code.finish();
    info.meta.inlining = kiln_ir::Inlining::Never;
    program.add("g", &[core.int64], info);
    program.add_caller("f", "g");
    let f = program.instance("f", &[core.int64]);
    (program, f)
}

/// A call graph has the entry first, each callee once, and groups in which a function follows what it calls.
#[test]
fn a_call_graph_has_callees_and_groups() {
    let (program, f) = recursive();
    let view = program.host();
    let graph = call_graph(&program.env(&view), f, Place::Host).unwrap();
    let names: Vec<String> =
        graph.nodes.iter().map(|it| specialization(&program.rt, it.typed.instance)).collect();
    assert_eq!(names, ["f Tuple{typeof(f), Int64}", "g Tuple{typeof(g), Int64}"]);
    assert_eq!((&*graph.nodes[0].callees, &*graph.nodes[1].callees), (&[1][..], &[1][..]));
    assert_eq!(graph.groups(), [vec![1], vec![0]]);
    assert_eq!(graph.path_to(1).len(), 1, "by one call");
    assert_eq!(graph.parts().len(), 2);
    assert!(graph.problems.is_empty() && graph.doubts.is_empty());
    let unit = source(&graph, &[0], &|_| None);
    assert_eq!((unit.functions.len(), unit.callees.len()), (1, 1), "`f`, and the signature of `g`");
    assert!(job(&program.rt, f).starts_with("f Tuple{typeof(f), Int64}"));
}

/// A kernel returns nothing. The error names the type and depends on the typed code.
#[test]
fn a_kernel_that_returns_is_refused() {
    let program = Program::new();
    program.add_constant("f", 1);
    let f = program.instance("f", &[program.core().int64]);
    let view = program.device("sm_90");
    let error = checked_graph(&program.env(&view), f).err().unwrap();
    assert_eq!(error.diagnostics[0].code, "kernel-returns");
    assert!(error.diagnostics[0].message.contains("Int64"), "{}", error.diagnostics[0].message);
    assert_eq!(error.dependencies.unwrap().len(), 1);
}

/// A call that is not known is a problem of kernels; in host code the host makes it. One cause is told once.
#[test]
fn a_dynamic_call_is_a_problem() {
    let program = Program::new();
    let core = *program.core();
    let mut code = program.code("f", &["g", "x"]);
    code.call(&[Lowered::Slot(1), Lowered::Slot(2)]);
    code.call(&[Lowered::Slot(1), Lowered::Slot(2)]);
    code.ret(Lowered::Const(consts::nothing(&program.rt.types)));
    program.add("f", &[core.any, core.int64], code.finish());
    let f = program.rt.tables.find_matches(
        program.tuple(&[program.function("f").ty(), core.any, core.int64]),
        program.rt.tables.world(),
        4,
    );
    let found = &f.unwrap().matches[0];
    let f = program.rt.tables.instance(found.method, found.spec_types, &found.static_params);
    let view = program.device("sm_90");
    let env = program.env(&view);
    let graph = call_graph(&env, f, Place::Device).unwrap();
    assert_eq!(graph.problems.len(), 1, "both calls have one cause");
    assert!(graph.problems.iter().all(|it| matches!(it.kind, ProblemKind::DynamicCall { .. })));
    let told = problems(&env, &graph);
    assert_eq!(told.iter().map(|it| it.code).collect::<Vec<_>>(), ["dynamic-call"]);
    let host = program.host();
    assert!(call_graph(&program.env(&host), f, Place::Host).unwrap().problems.is_empty());
}

/// A static call of an instance reaches the method that took the place of its method; one that holds reaches itself.
#[test]
fn calls_reach_the_method_that_was_defined_again() {
    let program = Program::new();
    program.add_constant("g", 6);
    let args = [program.core().int64];
    let before = program.instance("g", &args);
    let view = program.host();
    assert_eq!(resolve(&program.env(&view), before), before);
    program.add_constant("g", 8);
    let now = program.host();
    let after = resolve(&program.env(&now), before);
    assert_eq!((after, after == before), (program.instance("g", &args), false));
    assert_eq!(resolve(&program.env(&view), before), before, "as it was in the world before");
}

/// Outlining turns a throw of a kernel into a site; a body without one is as it was.
#[test]
fn bodies_without_throws_are_not_outlined() {
    let program = Program::new();
    program.add_kernel("k");
    let k = program.instance("k", &[program.pointer(), program.core().int64]);
    let view = program.device("sm_90");
    let typed = code_instance(&program.env(&view), k).unwrap();
    let code = body(&program.rt, &typed).unwrap();
    let text = code.display(&program.rt.types).to_string();
    let after = outlined(&program.rt, &view, code, Place::Device);
    assert_eq!(after.display(&program.rt.types).to_string(), text);
    assert!(text.contains("Intrinsics.pointerset("), "{text}");
}
