//! Overlay tables, seen by inference. What kernels make of them is in `tests/programs/overlays.jl`.

use crate::program::Program;
use kiln::internals::SessionInternals as _;
use kiln_runtime::eval::toplevel;
use kiln_runtime::heap::text;
use kiln_types::display;

/// MISSION O7: a call of constants is evaluated as the device would, through overlays and all.
#[test]
fn constants_fold_through_overlays() {
    let it = Program::new(
        "Base.Experimental.@MethodTable DEVICE
         helper(x) = x + 1.0
         Base.Experimental.@overlay DEVICE Base.sin(x::Float64) = helper(2x)
         Base.Experimental.@overlay DEVICE helper(x) = x + 40.0
         f() = sin(1.0)
         @noinline loop(x) = (s = 0.0; for i in 1:10; s += sin(x); end; s)
         g() = loop(1.0)
         where_am_i() = Base.Device.in_kernel() ? 1 : 2",
    );
    let device = [it.table("DEVICE")];
    assert_eq!(it.constant("f()", Some(&device)).as_deref(), Some("42.0"));
    assert_eq!(it.constant("g()", Some(&device)).as_deref(), Some("420.0"));
    assert_eq!(it.constant("f()", Some(&[])), it.constant("f()", None));
    assert_eq!(it.constant("f()", None).as_deref(), Some("0.8414709848078965"));
    assert_eq!(it.constant("where_am_i()", Some(&device)).as_deref(), Some("1"));
    assert_eq!(it.constant("where_am_i()", None).as_deref(), Some("2"));
}

/// MISSION O1: several tables in order of priority, on the runtime's own, which a device without tables sees too.
#[test]
fn three_tables_answer_in_order() {
    let it = Program::new(
        "Base.Experimental.@MethodTable A
         Base.Experimental.@MethodTable B
         Base.Experimental.@MethodTable C
         f(x) = 0; g(x) = 0; h(x) = 0; k(x) = 0
         Base.Experimental.@overlay A f(x) = 1
         Base.Experimental.@overlay B f(x) = 2
         Base.Experimental.@overlay B g(x) = 2
         Base.Experimental.@overlay C f(x) = 3
         Base.Experimental.@overlay C g(x) = 3
         Base.Experimental.@overlay C h(x) = 3
         all(x) = (f(x), g(x), h(x), k(x))",
    );
    let [a, b, c] = ["A", "B", "C"].map(|name| it.table(name));
    let says = |tables: &[_]| it.constant("all(Int)", Some(tables)).unwrap();
    assert_eq!(says(&[a, b, c]), "(1, 2, 3, 0)");
    assert_eq!(says(&[c, b, a]), "(3, 3, 3, 0)");
    assert_eq!(says(&[b]), "(2, 2, 0, 0)");
    assert_eq!(says(&[]), "(0, 0, 0, 0)");
    assert_eq!(it.constant("Base.Device.in_kernel()", Some(&[])).as_deref(), Some("true"));
}

/// MISSION O4: results belong to the tables they were made with. MISSION C4: and to nothing that inference cannot see.
#[test]
fn owners_tell_tables_apart_and_nothing_else() {
    let it = Program::new("Base.Experimental.@MethodTable A\nBase.Experimental.@MethodTable B\nf(x) = x + 1");
    let [a, b] = ["A", "B"].map(|name| it.table(name));
    let owner = |device: Option<&[_]>| it.typed("f(Int)", device).owner;
    let all = [owner(None), owner(Some(&[])), owner(Some(&[a])), owner(Some(&[a, b])), owner(Some(&[b, a]))];
    for (n, one) in all.iter().enumerate() {
        assert!(!all[..n].contains(one), "{all:?}");
    }
    let before = it.inferences();
    assert_eq!(owner(Some(&[a])), all[2]);
    assert_eq!(it.inferences(), before);
}

/// A method that exists only in an overlay is found through it, also when it appears later; a definition in a table
/// ends what sees the table and nothing else. MISSION C14.
#[test]
fn a_table_is_a_dependency() {
    let it = Program::new(
        "Base.Experimental.@MethodTable A
         Base.Experimental.@MethodTable B
         function only end
         f(x) = only(x)",
    );
    let [a, b] = ["A", "B"].map(|name| it.table(name));
    let returns = |device: Option<&[_]>| {
        let ty = it.typed("f(Int)", device).return_type;
        display::of_type(&it.session.runtime().types, ty)
    };
    assert_eq!(returns(Some(&[a])), "Union{}");
    assert_eq!(returns(Some(&[b])), "Union{}");
    let of_b = it.typed("f(Int)", Some(&[b]));
    it.run("Base.Experimental.@overlay A only(x) = 1.5x");
    assert_eq!(returns(Some(&[a])), "Float64");
    assert!(std::sync::Arc::ptr_eq(&of_b, &it.typed("f(Int)", Some(&[b]))));
    assert_eq!(returns(None), "Union{}");
}

/// MISSION O2: nothing in the language can add to the runtime's own table, whatever it calls the value.
#[test]
fn the_runtimes_table_is_out_of_reach() {
    let it = Program::new(
        "message(f) = try; f(); \"\"; catch e; sprint(showerror, e); end
         first = message(() -> Core.Host.new_method_table(nothing))
         second = message(() -> Core.eval(Main, :(Base.Experimental.@overlay 1 sin(x::Float64) = x)))",
    );
    let text = |name: &str| {
        let rt = it.session.runtime();
        text::read(&rt.heap, toplevel::eval_string(rt, it.session.main(), name).unwrap()).unwrap()
    };
    assert!(text("first").contains("private"), "{}", text("first"));
    assert!(text("second").contains("MethodTable"), "{}", text("second"));
}
