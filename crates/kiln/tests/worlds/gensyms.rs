//! Generated names: equal for equal definitions, and distinct where Julia's are distinct.

use crate::program::Program;
use kiln::Session;
use kiln::internals::SessionInternals as _;
use kiln_runtime::eval::toplevel;
use kiln_runtime::heap::text;
use std::sync::Arc;

const DEFINITIONS: [&str; 5] = [
    "@noinline h(x; k = 1, rest...) = x + k",
    "@noinline adder(a) = y -> y + a",
    "@noinline function twice(v)\n  inner(x; by = 2) = by * x\n  return map(x -> inner(x; by = 3), v)\nend",
    "macro doubled(e)\n  :(t = $(esc(e)); u -> 2 * (t + u))\nend",
    "@noinline through(x) = (@doubled x)(1)",
];
const USERS: &str = "
    @noinline use_h(x) = h(x; k = 2) + h(x) + h(x; k = 3, other = 4)
    @noinline use_adder(x) = adder(x)(2)
    @noinline use_twice(x) = twice((x, x, 4))[1]
    @noinline use_through(x) = through(x)";
const CALLS: [&str; 4] = ["use_h(Int)", "use_adder(Int)", "use_twice(Int)", "use_through(Int)"];

/// Shows an expression of `Main`.
fn shown(it: &Session, text: &str) -> String {
    let rt = it.runtime();
    let value = toplevel::eval_string(rt, it.main(), &format!("string(tuple({text}))")).unwrap();
    text::read(&rt.heap, value).unwrap()
}

/// MISSION C15: an equal definition of a function with keywords or closures costs its callers nothing.
#[test]
fn an_equal_definition_makes_equal_names() {
    let it = Program::new(&format!("{}{USERS}", DEFINITIONS.join("\n")));
    let before = CALLS.map(|call| it.typed(call, None));
    it.run("kept = adder(1)");
    let count = it.inferences();
    for again in DEFINITIONS {
        it.run(&format!("# moved\n\n{again}"));
        for (call, old) in CALLS.iter().zip(&before) {
            assert!(Arc::ptr_eq(&it.typed(call, None), old), "{call} after {again}");
        }
    }
    assert_eq!(it.inferences(), count);
    assert_eq!(shown(&it.session, "typeof(kept) == typeof(adder(1)), kept(2), adder(2)(3)"), "(true, 3, 5)");
    // One that differs is another.
    it.run("@noinline adder(a) = y -> y + 2a");
    assert_eq!(
        shown(&it.session, "typeof(kept) == typeof(adder(1)), kept(2), use_adder(2)"),
        "(false, 3, 6)"
    );
    it.run("@noinline h(x; k = 1, rest...) = x + 10k");
    assert_eq!(shown(&it.session, "use_h(1)"), "(63,)");
}

/// Evaluating top-level code again makes closures of new types and new hidden variables, as in Julia.
#[test]
fn what_is_evaluated_twice_is_two() {
    let it = Program::new(
        "first = x -> x
         second = x -> x
         many = [eval(:(x -> x)) for _ in 1:3]
         for value in (1, 2.0)
             global current = value
             eval(:(let n = current; global kind(::typeof(n)) = n; global get(::typeof(n)) = () -> n end))
         end
         object = Ref(1)
         @eval from() = () -> $object[]
         old = from()
         object = Ref(2)
         @eval from() = () -> $object[]",
    );
    let it = &it.session;
    assert_eq!(shown(it, "first === second, length(unique(map(typeof, many)))"), "(false, 3)");
    assert_eq!(shown(it, "kind(0), kind(0.0), get(0)(), get(0.0)()"), "(1, 2.0, 1, 2.0)");
    assert_eq!(shown(it, "old(), from()()"), "(1, 2)");
}

/// The names are those of every session that evaluates the definition, whatever else it evaluates.
#[test]
fn names_do_not_depend_on_what_was_defined_before() {
    let names = |before: &str| {
        let it = Program::new(&format!("{before}\n{}", DEFINITIONS.join("\n")));
        it.run("named(it) = string(typeof(it))\nmade = x -> x");
        shown(&it.session, "named(adder(1)), named(made), [m.name for m in methods(h)]")
    };
    let alone = names("");
    assert_eq!(names("other(x; k = 2) = map(y -> y + k, x)\n@elapsed 1\nbefore = x -> x + 1"), alone);
    // The second of two that are equal is told from the first, in each session alike.
    let twice = names("made = x -> x");
    assert_ne!(twice, alone);
    assert_eq!(names("made = x -> x"), twice);
}
