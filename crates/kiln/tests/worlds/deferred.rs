//! Functions that kernels look up: their typed code, and the results that a definition ends.

use crate::program::Program;

const PRELUDE: &str = "using CUDA
    using Base.Device: deferred, deferred_call
    const a = CUDA.zeros(Float64, 1)
    @noinline through(p, x) = deferred_call(p, Float64, x)
    @noinline leaf(x) = x + 1.0
    @noinline middle(x) = 2through(deferred(leaf, x), x)
    kernel(a) = (a[1] = through(deferred(middle, 1.0), 3.0) + through(deferred(leaf, 1.0), 3.0); return)
    directly(a) = (a[1] = deferred_call(deferred(leaf, 1.0), Float64, 3.0); return)
    go(k) = (@cuda k(a); Array(a)[1])";

fn typed(it: &Program, call: &str) -> String {
    let rt = it.session.runtime();
    let code = it.typed(call, Some(&[])).code(rt).unwrap().clone();
    code.display(&rt.types).to_string()
}

/// MISSION D1: the type is `Ptr{Cvoid}`, and typed code names the instance; nothing is boxed or left dynamic, inlined or
/// not. MISSION D4: a call next to its look-up is a direct call.
#[test]
fn typed_code_names_the_instance() {
    let it = Program::new(PRELUDE);
    it.run("wanted(x) = deferred(leaf, x)\nwants(x) = wanted(x) == C_NULL");
    for call in ["wanted(Float64)", "wants(Float64)"] {
        let code = typed(&it, call);
        assert!(code.contains("gpuc.lookup mi") && code.contains("(leaf, _1)::Ptr{Nothing}"), "{code}");
        assert!(!code.contains("dynamic") && !code.contains("new("), "{code}");
    }
    let code = typed(&it, "directly(CuDeviceVector{Float64, 1})");
    assert!(!code.contains("gpuc") && !code.contains("deferred"), "{code}");
    assert!(code.contains("invoke mi") && code.contains("(leaf, 3.0)::Float64"), "{code}");
}

/// Arguments whose types are only known once a box is gone are known then: MISSION D1's refinement by the optimizer.
#[test]
fn a_late_look_up_is_resolved() {
    let it = Program::new(PRELUDE);
    it.run(
        "function late(x)
             y = x
             f = () -> y
             y = x + 1.0
             return deferred_call(deferred(leaf, f()), Float64, f())
         end",
    );
    let code = typed(&it, "late(Float64)");
    assert!(!code.contains("deferred") && !code.contains("dynamic"), "{code}");
}

/// MISSION D2: redefining a looked-up function compiles it again, and links the kernels that look it up, directly or not.
/// MISSION D3: a function looked up in several places is one unit.
#[test]
fn a_definition_reaches_through_look_ups() {
    let it = Program::new(PRELUDE);
    it.run("@assert go(kernel) == 12.0");
    let compiles = || it.session.timings().compiles;
    // The kernel, `middle`, `leaf` and `through`.
    assert_eq!(compiles(), 4);
    it.run("@assert go(directly) == 4.0");
    let before = compiles();
    it.run("@noinline leaf(x) = x + 1.0\n@assert go(kernel) == 12.0 && go(directly) == 4.0");
    assert_eq!(compiles(), before, "an equal definition compiles nothing");
    it.run("@noinline leaf(x) = x + 10.0\n@assert go(kernel) == 39.0 && go(directly) == 13.0");
    // A more specific method takes the look-up over, also of a kernel whose text says nothing of types.
    it.run("@noinline leaf(x::Float64) = x - 1.0\n@assert go(kernel) == 6.0 && go(directly) == 2.0");
    it.run("@noinline middle(x) = -x\n@assert go(kernel) == -1.0");
}
