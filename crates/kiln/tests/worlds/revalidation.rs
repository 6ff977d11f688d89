//! Results that outlive a definition, and the reasons of those that do not.

use crate::program::Program;
use kiln::internals::SessionInternals as _;
use kiln_runtime::CompiledBody as _;
use kiln_runtime::eval::toplevel;
use kiln_runtime::tables::{CacheOwner, Definition, Edge};
use kiln_types::display;
use std::sync::Arc;

const CHAIN: &str = "
    const LIMIT = 3
    @noinline leaf(x) = x + LIMIT
    @noinline middle(x) = 2leaf(x)
    top(x) = middle(x) - 1
    @noinline apart(x) = 7x";

/// MISSION C15: a definition with an equal body, or with other comments, costs no inference; derived results stay on the
/// code instances.
#[test]
fn an_equal_body_costs_nothing() {
    let it = Program::new(CHAIN);
    let calls = ["leaf(Int)", "middle(Int)", "top(Int)", "apart(Int)"];
    let before = calls.map(|call| it.typed(call, None));
    before[2].set_result(Arc::new("a unit"));
    let count = it.inferences();
    for text in
        ["@noinline leaf(x) = x + LIMIT", "# moved\n\n@noinline function leaf(x)\n# why\n x + LIMIT\nend"]
    {
        it.run(text);
        let now = it.session.runtime().tables.world();
        for (call, old) in calls.iter().zip(&before) {
            let new = it.typed(call, None);
            assert!(Arc::ptr_eq(&new, old), "{call}");
            assert!(new.holds_in(now));
        }
    }
    assert_eq!(it.inferences(), count);
    assert_eq!(before[2].result::<&str>().as_deref(), Some(&"a unit"));
}

/// MISSION C15: a callee whose new body does the same to its callers is inferred again, alone.
#[test]
fn a_callee_that_returns_the_same_is_inferred_alone() {
    let it = Program::new(CHAIN);
    let [middle, top] = ["middle(Int)", "top(Int)"].map(|call| it.typed(call, None));
    let count = it.inferences();
    it.run("@noinline leaf(x) = x * LIMIT");
    assert!(Arc::ptr_eq(&it.typed("top(Int)", None), &top));
    assert!(Arc::ptr_eq(&it.typed("middle(Int)", None), &middle));
    assert_eq!(it.inferences() - count, 1);
    // Another type: everything above it changes.
    it.run("@noinline leaf(x) = x * 0.5");
    assert_eq!(
        display::of_type(&it.session.runtime().types, it.typed("top(Int)", None).return_type),
        "Float64"
    );
}

/// Code depends on inlined bodies statement by statement.
#[test]
fn what_was_inlined_is_compared() {
    let it = Program::new("small(x) = x + 1\nuser(x) = 3small(x)\n@noinline outer(x) = user(x)");
    let old = it.typed("user(Int)", None);
    it.run("small(x) = x + 2");
    let new = it.typed("user(Int)", None);
    assert!(!Arc::ptr_eq(&old, &new));
    assert_eq!(it.said(&new), it.said(&it.afresh("user(Int)", None, 1)));
    it.run("@noinline small(x) = x + 2");
    assert_eq!(it.said(&it.typed("user(Int)", None)), it.said(&it.afresh("user(Int)", None, 2)));
}

/// A constant that was computed by running a callee is computed again.
#[test]
fn what_was_evaluated_is_evaluated_again() {
    let it = Program::new("@noinline f(x) = (s = 0; for i in 1:x; s += i; end; s)\ng() = f(10)");
    assert_eq!(it.constant("g()", None).as_deref(), Some("55"));
    it.run("@noinline f(x) = (s = 0; for i in 1:x; s += 2i; end; s)");
    assert_eq!(it.constant("g()", None).as_deref(), Some("110"));
}

/// MISSION C1: definitions elsewhere end nothing; a constant that comes back to its old value brings the old result back.
/// MISSION C15: each instance has one entry an owner.
#[test]
fn results_come_back() {
    let it = Program::new(CHAIN);
    let top = it.typed("top(Int)", None);
    it.run("module Elsewhere; other(x) = x; export other; end\nusing .Elsewhere\nunrelated(x) = 1");
    assert!(Arc::ptr_eq(&it.typed("top(Int)", None), &top));
    assert_eq!(it.session.runtime().tables.inference.revived(), 0);
    it.run("const LIMIT = 4");
    let _ = it.typed("top(Int)", None);
    let count = it.inferences();
    it.run("const LIMIT = 3");
    assert!(Arc::ptr_eq(&it.typed("top(Int)", None), &top));
    assert_eq!(it.inferences(), count);
}

/// Members of a cycle are kept together, or inferred again together.
#[test]
fn cycles_are_kept_whole() {
    let it = Program::new(
        "@noinline even(n) = n == 0 ? true : odd(n - 1)
         @noinline odd(n) = n == 0 ? false : even(n - 1)
         step(n) = n - 1
         @noinline down(n) = n <= 0 ? 0 : down(step(n))
         f(n) = (even(n), down(n))",
    );
    let calls = ["f(Int)", "even(Int)", "odd(Int)", "down(Int)"];
    let old = calls.map(|call| it.typed(call, None));
    let count = it.inferences();
    it.run("@noinline even(n) = n == 0 ? true : odd(n - 1)\nstep(n) = n - 1");
    for (call, old) in calls.iter().zip(&old) {
        assert!(Arc::ptr_eq(&it.typed(call, None), old), "{call}");
    }
    assert_eq!(it.inferences(), count);
    it.run("@noinline odd(n) = n == 0 ? 0.5 : even(n - 1)");
    let returns = |call| display::of_type(&it.session.runtime().types, it.typed(call, None).return_type);
    assert_eq!(returns("even(Int)"), "Union{Bool, Float64}");
    assert_eq!(returns("odd(Int)"), "Union{Bool, Float64}");
    assert!(Arc::ptr_eq(&it.typed("down(Int)", None), &old[3]));
}

/// A generator sees the world of its definition, so its output cannot go stale.
#[test]
fn generators_see_the_world_they_were_defined_in() {
    let it = Program::new("part() = 1\n@generated g(x) = part()\nf(x) = g(x)");
    it.run("part() = 2");
    assert_eq!(it.constant("f(Int)", None).as_deref(), Some("1"));
    it.run("@generated g(x) = part()");
    assert_eq!(it.constant("f(Int)", None).as_deref(), Some("2"));
}

/// MISSION X6: why a result ended, and how the definition got to it.
#[test]
fn the_definition_that_ended_a_result_is_named() {
    let it = Program::new(CHAIN);
    let [leaf, middle, top] =
        ["leaf(Int)", "middle(Int)", "top(Int)"].map(|it2| it.typed(it2, None).instance);
    let tables = &it.session.runtime().tables;
    assert_eq!(tables.why_ended(top, CacheOwner::HOST), None);
    it.run("const LIMIT = 4");
    let why = tables.why_ended(top, CacheOwner::HOST).unwrap();
    let name = it.session.runtime().types.symbol("LIMIT");
    assert_eq!(why.definition, Definition::Binding(it.session.main(), name));
    assert_eq!(why.edge, Some(Edge::Binding(it.session.main(), name)));
    assert_eq!(why.chain, [top, middle, leaf]);
    assert_eq!(why.holds_again, None);
    let _ = it.typed("top(Int)", None);
    it.run("@noinline leaf(x) = x + LIMIT + 1");
    let why = tables.why_ended(top, CacheOwner::HOST).unwrap();
    assert!(matches!(why.definition, Definition::Method(_)), "{why:?}");
    assert!(why.chain.len() <= 3 && why.chain[0] == top, "{why:?}");
    let _ = it.typed("top(Int)", None);
    let again = tables.why_ended(top, CacheOwner::HOST).unwrap().holds_again;
    assert_eq!(again, Some(tables.world()));
}

/// MISSION C15: units of kernels stay with the results they were made of. A callee with a new body is compiled alone, and
/// the kernel linked again. MISSION C4: a change that inference cannot see causes no inference.
#[test]
fn kernels_compile_what_changed() {
    let it = Program::new(
        "using CUDA
         const a = CUDA.zeros(Float64, 1)
         @noinline leaf(x) = x + 1.0
         @noinline middle(x) = 2leaf(x)
         function k(a)
             a[1] = middle(3.0)
             return
         end
         go() = (@cuda k(a); Array(a)[1])
         @assert go() == 8.0",
    );
    let counts = || {
        let now = it.session.timings();
        (now.compiles, now.kernels_compiled)
    };
    let first = counts();
    assert!(first.0 >= 1 && first.1 == 1, "{first:?}");
    it.run("# elsewhere\n@noinline leaf(x) = x + 1.0\nunrelated(x) = x\n@assert go() == 8.0");
    it.run("function k(a)\n # the kernel itself\n a[1] = middle(3.0)\n return\nend\n@assert go() == 8.0");
    assert_eq!(counts(), first);
    it.run("@noinline leaf(x) = x - 1.0\n@assert go() == 4.0");
    assert_eq!(counts().1, 2);
    let inferred = it.inferences();
    let units = counts().0;
    it.run("@cuda maxthreads=64 k(a)");
    assert_eq!(counts(), (units, 3), "another kernel of the same units");
    assert_eq!(it.inferences() - inferred, 0);
}

/// A look-up that found too many methods finds too many when one is added, and its callers stay; one that answers for all its calls ends
/// them.
#[test]
fn too_many_methods_stay_too_many() {
    let it = Program::new(
        "f(a::Int, b, c, d) = 1\nf(a, b::Int, c, d) = 2\nf(a, b, c::Int, d) = 3\nf(a, b, c, d::Int) = 4
         caller(a) = f(a, a, a, a)",
    );
    let typed = || it.typed("caller(Int)", None);
    let first = typed();
    it.run("f(a::Real, b::Int, c, d) = 5.0");
    assert!(std::sync::Arc::ptr_eq(&first, &typed()));
    it.run("f(a::Int, b::Int, c::Int, d::Int) = 6");
    assert!(!std::sync::Arc::ptr_eq(&first, &typed()));
}

/// Compiled host code outlives definitions that change nothing it was made of, and no others.
#[test]
fn compiled_host_code_is_renewed() {
    let it = Program::new(
        "@noinline part(x) = x + 1
         function total(n)
             s = 0
             for i in 1:n
                 s += part(i)
             end
             return s
         end
         for i in 1:1500; global last = total(5); end
         @assert last == 20",
    );
    let compiled = || it.session.timings().host_compiled;
    let first = compiled();
    assert!(first >= 1);
    it.run("@noinline part(x) = x + 1\nfor i in 1:5; global last = total(5); end\n@assert last == 20");
    assert_eq!(compiled(), first);
    it.run("@noinline part(x) = x + 2\nfor i in 1:1500; global last = total(5); end\n@assert last == 25");
    assert!(compiled() > first);
}

/// MISSION N4: a redefinition that changes nothing for the callers points the slot of its function elsewhere; the machine code of
/// the callers is neither made nor placed again. A unit that two functions call is placed once.
#[test]
fn a_redefinition_points_one_slot_elsewhere() {
    let it = Program::new(
        "@noinline part(x) = x + 1
         @noinline function twice(x)
             s = 0
             for i in 1:2
                 s += part(x + i)
             end
             return s
         end
         @noinline function thrice(x)
             s = 0
             for i in 1:3
                 s += part(x + i) + twice(x + i)
             end
             return s
         end",
    );
    let rt = it.session.runtime();
    let counts = || {
        let now = it.session.timings();
        [now.units_placed, now.slots_changed, now.compiles]
    };
    let value_of = |name: &str| {
        let function = toplevel::eval_string(rt, it.session.main(), name).unwrap();
        let compiled = it.session.compile_function(function, &[rt.heap.int(1)]).unwrap();
        compiled.call(rt, &[function, rt.heap.int(10)]).unwrap().as_int(rt.types.core()).unwrap()
    };
    let spent = |work: &dyn Fn()| -> Vec<u64> {
        let before = counts();
        work();
        counts().iter().zip(before).map(|(now, it)| now - it).collect()
    };
    // Each as an entry, and what is called as a callee, too.
    assert_eq!(spent(&|| assert_eq!(value_of("thrice"), 126)), [3, 0, 3]);
    assert_eq!(spent(&|| assert_eq!(value_of("twice"), 25)), [1, 0, 1]);
    for round in 2..6 {
        it.run(&format!("@noinline part(x) = x + {round}"));
        assert_eq!(spent(&|| assert_eq!(value_of("thrice"), 117 + 9 * round)), [1, 1, 1], "only `part`");
        assert_eq!(
            spent(&|| assert_eq!(value_of("twice"), 23 + 2 * round)),
            [0, 0, 0],
            "the slot leads to it already"
        );
    }
}

/// Code of functions that have not run is generated when it is first called, and its callers stay as they are.
#[test]
fn code_that_has_not_run_is_generated_when_it_is_called() {
    let it = Program::new(
        "@noinline rare(x) = length(string(x, \" is rare\"))
         function often(x)
             s = 0
             for i in 1:10
                 s += x < i - 20 ? rare(x) : i
             end
             return s
         end",
    );
    let rt = it.session.runtime();
    let counts = || {
        let now = it.session.timings();
        [now.compiles, now.units_placed]
    };
    let function = toplevel::eval_string(rt, it.session.main(), "often").unwrap();
    let compiled = it.session.compile_function(function, &[rt.heap.int(1)]).unwrap();
    let call = |x| compiled.call(rt, &[function, rt.heap.int(x)]).unwrap().as_int(rt.types.core());
    assert!(it.session.timings().units_late > 1, "`rare`, and what it calls");
    assert_eq!((call(1), counts()), (Some(55), [1, 1]));
    assert_eq!(call(-30), Some(110));
    let after = counts();
    assert!(after[0] > 2 && after[0] == after[1], "{after:?}");
    assert_eq!((call(-30), call(2), counts()), (Some(110), Some(55), after));
    // A caller that is linked afterwards finds the code where it is.
    it.run("other(x) = rare(x) + 1");
    let other = toplevel::eval_string(rt, it.session.main(), "other").unwrap();
    let linked = it.session.compile_function(other, &[rt.heap.int(1)]).unwrap();
    assert_eq!(linked.call(rt, &[other, rt.heap.int(5)]).unwrap().as_int(rt.types.core()), Some(10));
    assert_eq!(counts(), [after[0] + 1, after[1] + 1], "the caller alone");
    assert_eq!(it.session.timings().slots_changed, 0);
}

/// A late unit whose functions run in the interpreter meanwhile stays where its callers call it: no slot leads elsewhere.
#[test]
fn a_late_unit_that_has_run_is_called_by_its_entries() {
    let it = Program::new(
        "@noinline g(x) = x + 1
         @noinline h(x) = g(x) * 2
         f1(n) = (s = 0; for i in 1:n; s += i; i > n + 1 && (s += h(i)); end; s)
         f2(n) = (s = 0; for i in 1:n; s += 2i; i == n && (s += h(i)); end; s)",
    );
    let rt = it.session.runtime();
    let compiled = |name: &str| {
        let function = toplevel::eval_string(rt, it.session.main(), name).unwrap();
        (function, it.session.compile_function(function, &[rt.heap.int(1)]).unwrap())
    };
    let (f1, first) = compiled("f1");
    it.run("@assert h(3) == 8");
    let (f2, second) = compiled("f2");
    let core = rt.types.core();
    assert_eq!(second.call(rt, &[f2, rt.heap.int(3)]).unwrap().as_int(core), Some(20));
    assert_eq!(first.call(rt, &[f1, rt.heap.int(3)]).unwrap().as_int(core), Some(6));
    let now = it.session.timings();
    assert_eq!((now.slots_changed, now.units_placed, now.compiles), (0, 4, 4));
}
