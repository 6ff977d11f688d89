//! Late resolution, on text. The function `:a` has a method of two `Int64`s, `mi7`, that returns an `Int64`, and a vararg
//! method, `mi8`; `:b` has a method of an `Int64`, `mi9`, that returns a number of two types.

use super::devirtualize_calls;
use crate::testing::{Body, NoCallees};
use crate::{Callees, Resolved};
use kiln_ir::{Builtin, Instance};
use kiln_types::{Const, Type, Types, display};
use std::cell::RefCell;

struct Program<'a> {
    types: &'a Types,
    asked: RefCell<Vec<String>>,
}

impl Callees for Program<'_> {
    fn is_vararg(&self, instance: Instance) -> bool {
        instance.as_u32() == 8
    }
    fn builtin(&self, builtin: Builtin) -> Const {
        NoCallees.builtin(builtin)
    }
    fn resolve(&self, call: &[Type], of: Option<Instance>) -> Option<Resolved> {
        let core = self.types.core();
        let shown: Vec<String> = call[1..].iter().map(|it| display::of_type(self.types, *it)).collect();
        self.asked.borrow_mut().push(shown.join(", "));
        let (number, returns, packed_from) = match &call[1..] {
            [a, b] if [*a, *b] == [core.int64; 2] => (7, core.int64, None),
            [a, b, c] if [*a, *b, *c] == [core.int64; 3] => (8, core.int64, Some(2)),
            [a] if *a == core.int64 => (9, self.types.union(&[core.int64, core.nothing]), None),
            _ => return None,
        };
        let instance = Instance::from_u32(number);
        // The method of `mi5` is the one of `mi7`.
        let same = of.is_none_or(|it| it.as_u32() == 5 && number == 7);
        same.then_some(Resolved { instance, returns, packed_from })
    }
}

/// The body afterwards; the types that were asked about.
fn resolved(text: &str) -> (String, Vec<String>) {
    let body = Body::new(text);
    let program = Program { types: &body.types, asked: RefCell::default() };
    let (code, _) = devirtualize_calls(body.code.clone(), &body.types, &program, false);
    assert_eq!(kiln_ir::verify(&code, &body.types), [], "{}", code.display(&body.types));
    let after = kiln_ir::compact(code).display(&body.types).to_string();
    (after, program.asked.into_inner())
}

/// A number that is added to in a loop: its initial type is its type throughout.
#[test]
fn a_variable_keeps_its_type_in_a_loop() {
    let (text, asked) = resolved(
        "f(_0::Bool)::Nothing\n\
         bb0:\n  goto bb1\n\
         bb1:\n  %1 = φ (bb0 => 0, bb1 => %2)::Any\n  %2 = dynamic(:a, %1, 1)::Any\n  branch _0 ? bb1 : bb2\n\
         bb2:\n  return nothing\n",
    );
    assert!(
        text.contains("%1 = φ (bb0 => 0, bb1 => %2)::Int64\n  %2 = invoke mi7(:a, %1, 1)::Int64"),
        "{text}"
    );
    assert_eq!(asked, ["Int64, Int64"]);
}

/// An edge by which no value comes is dropped: the phi has the type of the others, and no value of it could come there.
#[test]
fn a_phi_has_no_edges_by_which_nothing_comes() {
    let (text, _) = resolved(
        "f(_0::Bool, _1::Int64)::Nothing\n\
         bb0:\n  branch _0 ? bb1 : bb2\n\
         bb1:\n  %1 = φ ()::Any\n  goto bb3\n\
         bb2:\n  goto bb3\n\
         bb3:\n  %4 = φ (bb1 => %1, bb2 => _1)::Any\n  %5 = dynamic(:a, %4, %4)::Any\n  return nothing\n",
    );
    assert!(text.contains("= φ (bb2 => _1)::Int64\n"), "{text}");
}

/// A variable that changes its type is unchanged.
#[test]
fn a_variable_that_changes_its_type_stays_open() {
    let text = "f(_0::Bool)::Nothing\n\
                bb0:\n  goto bb1\n\
                bb1:\n  %1 = φ (bb0 => 0, bb1 => %2)::Any\n  %2 = dynamic(:b, %1)::Any\n  branch _0 ? bb1 : bb2\n\
                bb2:\n  return nothing\n";
    assert_eq!(resolved(text).0, text);
}

/// Arguments of a call may come through assertions, tuples and their fields.
#[test]
fn types_flow_through_what_computes_them() {
    let (text, _) = resolved(
        "f(_0::Int64)::Nothing\n\
         bb0:\n  %0 = π (_0)::Any\n  %1 = Core.tuple(%0, %0)::Tuple{Any, Any}\n  \
         %2 = Core.getfield(%1, 1)::Any\n  %3 = Core.typeassert(%2, Int64)::Any\n  \
         %4 = dynamic(:a, %3, %0)::Any\n  return nothing\n",
    );
    assert!(text.contains("%4 = invoke mi7(:a, %3, %0)::Int64"), "{text}");
}

/// Trailing arguments of a vararg method are packed.
#[test]
fn varargs_are_packed() {
    let (text, _) = resolved(
        "f(_0::Int64)::Nothing\n\
         bb0:\n  %0 = π (_0)::Any\n  %1 = dynamic(:a, %0, 2, 3)::Any\n  return nothing\n",
    );
    assert!(
        text.contains("%1 = Core.tuple(2, 3)::Tuple{Int64, Int64}\n  %2 = invoke mi8(:a, %0, %1)::Int64"),
        "{text}"
    );
}

/// A static call of a body for any value becomes one of the body for this type, if that is of the same method.
#[test]
fn a_call_for_any_value_becomes_one_for_this_type() {
    let call = |instance: u32| {
        format!(
            "f(_0::Int64)::Nothing\nbb0:\n  %0 = π (_0)::Any\n  %1 = invoke mi{instance}(:a, %0, 2)::Any\n  return nothing\n"
        )
    };
    assert!(resolved(&call(5)).0.contains("invoke mi7(:a, %0, 2)::Int64"));
    assert!(resolved(&call(6)).0.contains("invoke mi6(:a, %0, 2)::Any"));
}

/// Without unresolved calls the pass makes no query and changes nothing.
#[test]
fn a_static_body_is_left_alone() {
    let text = "f(_0::Int64, _1::Any)::Any\nbb0:\n  %0 = invoke mi5(:a, _0, 2)::Int64\n  return _1\n";
    assert_eq!(resolved(text), (text.to_owned(), vec![]));
}
