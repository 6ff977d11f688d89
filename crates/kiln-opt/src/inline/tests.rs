//! Inlining, on text: the caller before, its callees, the caller after. `mi0` is the first callee, and so on.

use super::inline;
use crate::testing::{Body, NoCallees};
use crate::{Callee, Callees, OptParams};
use kiln_ir::{Builtin, Inlining, Instance};
use kiln_types::Const;

/// The bodies that may be inlined; `None` while one is being made.
struct Program(Vec<Option<Callee>>);

impl Callees for Program {
    fn body(&self, instance: Instance) -> Option<Callee> {
        self.0.get(instance.as_u32() as usize)?.clone()
    }
    fn builtin(&self, builtin: Builtin) -> Const {
        NoCallees.builtin(builtin)
    }
}

/// A body without annotations of its author.
fn plain(body: &Body, text: &str) -> Option<Callee> {
    told(body, text, Inlining::Default)
}

fn told(body: &Body, text: &str, inlining: Inlining) -> Option<Callee> {
    Some(Callee { code: body.other(text), inlining, propagate_inbounds: false })
}

/// The caller afterwards, as the pass left it but renumbered; it is verified before.
fn inlined(body: &Body, callees: Vec<Option<Callee>>) -> String {
    let code = inline(body.code.clone(), &body.types, &Program(callees), &OptParams::default());
    assert_eq!(kiln_ir::verify(&code, &body.types), [], "{}", code.display(&body.types));
    kiln_ir::compact(code).display(&body.types).to_string()
}

/// A body of one block is spliced between the statements around the call, whose value becomes a copy of the returned
/// one.
#[test]
fn a_straight_body_is_spliced() {
    let body = Body::new(
        "f(_0::Int64, _1::Int64)::Int64\n\
         bb0:\n  %0 = invoke mi0(_1, _0)::Int64\n  %1 = Intrinsics.mul_int(%0, 2)::Int64\n  return %1\n",
    );
    let callee = plain(
        &body,
        "g(_0::Int64, _1::Int64)::Int64\nbb0:\n  %0 = Intrinsics.sub_int(_0, _1)::Int64\n  return %0\n",
    );
    assert_eq!(
        inlined(&body, vec![callee]),
        "f(_0::Int64, _1::Int64)::Int64\n\
         bb0:\n  %0 = Intrinsics.sub_int(_1, _0)::Int64\n  %1 = π (%0)::Int64\n  \
         %2 = Intrinsics.mul_int(%1, 2)::Int64\n  return %2\n"
    );
}

/// Several returns meet in a phi where the call was; the call's block is split there.
#[test]
fn several_returns_meet_in_a_phi() {
    let body = Body::new(
        "f(_0::Bool, _1::Int64)::Int64\n\
         bb0:\n  %0 = invoke mi0(_0, _1)::Int64\n  %1 = Intrinsics.add_int(%0, 1)::Int64\n  return %1\n",
    );
    let callee = plain(
        &body,
        "g(_0::Bool, _1::Int64)::Int64\n\
         bb0:\n  branch _0 ? bb1 : bb2\n\
         bb1:\n  return _1\n\
         bb2:\n  %2 = Intrinsics.neg_int(_1)::Int64\n  return %2\n",
    );
    assert_eq!(
        inlined(&body, vec![callee]),
        "f(_0::Bool, _1::Int64)::Int64\n\
         bb0:\n  goto bb2\n\
         bb1:\n  %1 = φ (bb3 => _1, bb4 => %6)::Int64\n  %2 = Intrinsics.add_int(%1, 1)::Int64\n  return %2\n\
         bb2:\n  branch _0 ? bb3 : bb4\n\
         bb3:\n  goto bb1\n\
         bb4:\n  %6 = Intrinsics.neg_int(_1)::Int64\n  goto bb1\n"
    );
}

/// A callee that throws on one path returns on the other only: its error path stays a block of its own.
#[test]
fn a_way_that_throws_has_no_value() {
    let body =
        Body::new("f(_0::Bool, _1::Int64)::Int64\nbb0:\n  %0 = invoke mi0(_0, _1)::Int64\n  return %0\n");
    let callee = plain(
        &body,
        "g(_0::Bool, _1::Int64)::Int64\n\
         bb0:\n  branch _0 ? bb1 : bb2\n\
         bb1:\n  return _1\n\
         bb2:\n  %2 = Core.throw(:a)::Union{}\n  unreachable\n",
    );
    assert_eq!(
        inlined(&body, vec![callee]),
        "f(_0::Bool, _1::Int64)::Int64\n\
         bb0:\n  goto bb2\n\
         bb1:\n  %1 = π (_1)::Int64\n  return %1\n\
         bb2:\n  branch _0 ? bb3 : bb4\n\
         bb3:\n  goto bb1\n\
         bb4:\n  %5 = Core.throw(:a)::Union{}\n  unreachable\n"
    );
}

/// A phi behind the call names the block that the rest of the call's block moved to.
#[test]
fn phis_behind_the_call_follow_its_block() {
    let body = Body::new(
        "f(_0::Bool, _1::Int64)::Int64\n\
         bb0:\n  branch _0 ? bb1 : bb2\n\
         bb1:\n  %1 = invoke mi0(_0, _1)::Int64\n  goto bb2\n\
         bb2:\n  %3 = φ (bb0 => 7, bb1 => %1)::Int64\n  return %3\n",
    );
    let callee = plain(
        &body,
        "g(_0::Bool, _1::Int64)::Int64\n\
         bb0:\n  branch _0 ? bb1 : bb2\n\
         bb1:\n  return _1\n\
         bb2:\n  return 0\n",
    );
    let text = inlined(&body, vec![callee]);
    assert!(text.contains("bb3:\n  %4 = φ (bb5 => _1, bb6 => 0)::Int64\n  goto bb2\n"), "{text}");
    assert!(text.contains("= φ (bb0 => 7, bb3 => %4)::Int64"), "{text}");
}

/// A call in a loop whose block branches to itself: the phi at its own head follows, too.
#[test]
fn a_loop_of_one_block_is_split() {
    let body = Body::new(
        "f(_0::Bool, _1::Int64)::Int64\n\
         bb0:\n  goto bb1\n\
         bb1:\n  %1 = φ (bb0 => _1, bb1 => %2)::Int64\n  %2 = invoke mi0(_0, %1)::Int64\n  branch _0 ? bb1 : bb2\n\
         bb2:\n  return %2\n",
    );
    let callee = plain(
        &body,
        "g(_0::Bool, _1::Int64)::Int64\nbb0:\n  branch _0 ? bb1 : bb2\nbb1:\n  return _1\nbb2:\n  return 0\n",
    );
    let text = inlined(&body, vec![callee]);
    assert!(text.contains("bb1:\n  %1 = φ (bb0 => _1, bb3 => %4)::Int64\n  goto bb4\n"), "{text}");
}

/// A callee of one block that never returns although its type allows it: the statements after the call are dropped,
/// with the control-flow edges from there, near and far.
#[test]
fn what_follows_a_call_that_cannot_return_is_cut_off() {
    let body = Body::new(
        "f(_0::Bool, _1::Int64)::Int64\n\
         bb0:\n  branch _0 ? bb1 : bb3\n\
         bb1:\n  %1 = invoke mi0(_1)::Int64\n  %2 = Intrinsics.add_int(%1, 1)::Int64\n  goto bb2\n\
         bb2:\n  %4 = φ (bb1 => %2)::Int64\n  goto bb3\n\
         bb3:\n  %6 = φ (bb0 => _1, bb2 => %4)::Int64\n  return %6\n",
    );
    let callee = plain(&body, "g(_0::Int64)::Int64\nbb0:\n  %0 = Core.throw(:a)::Union{}\n  unreachable\n");
    assert_eq!(
        inlined(&body, vec![callee]),
        "f(_0::Bool, _1::Int64)::Int64\n\
         bb0:\n  branch _0 ? bb1 : bb2\n\
         bb1:\n  %1 = Core.throw(:a)::Union{}\n  unreachable\n\
         bb2:\n  %3 = φ (bb0 => _1)::Int64\n  return %3\n"
    );
}

/// The trailing arguments of a vararg method come as one tuple, which its body takes apart.
#[test]
fn varargs_are_one_tuple() {
    let body = Body::new(
        "f(_0::Int64, _1::Int64)::Int64\n\
         bb0:\n  %0 = Core.tuple(_1, 3)::Tuple{Int64, Int64}\n  %1 = invoke mi0(_0, %0)::Int64\n  return %1\n",
    );
    let callee = plain(
        &body,
        "g(_0::Int64, _1::Tuple{Int64, Int64})::Int64\n\
         bb0:\n  %0 = Core.getfield(_1, 2)::Int64\n  return %0\n",
    );
    let text = inlined(&body, vec![callee]);
    assert!(text.contains("%1 = Core.getfield(%0, 2)::Int64"), "{text}");
    assert!(!text.contains("invoke"), "{text}");
}

/// A body that takes another number of arguments than the call has (trailing ones that were not packed) is left alone.
#[test]
fn a_call_that_does_not_fit_stays() {
    let text = "f(_0::Int64)::Int64\nbb0:\n  %0 = invoke mi0(_0, 1, 2)::Int64\n  return %0\n";
    let body = Body::new(text);
    let callee = plain(&body, "g(_0::Int64, _1::Tuple{Int64, Int64})::Int64\nbb0:\n  return _0\n");
    assert_eq!(inlined(&body, vec![callee]), text);
}

/// A recursive function has no body yet while its own is being optimized: the call stays, as does one to a missing
/// function.
#[test]
fn recursion_stays_a_call() {
    let text = "f(_0::Int64)::Int64\nbb0:\n  %0 = invoke mi0(_0)::Int64\n  return %0\n";
    assert_eq!(inlined(&Body::new(text), vec![None]), text);
}

/// Inlined code is not looked at again: the callee was optimized, and a call that is left in it was left on purpose. So
/// two functions that call each other do not go round.
#[test]
fn one_level_is_inlined() {
    let body = Body::new("f(_0::Int64)::Int64\nbb0:\n  %0 = invoke mi0(_0)::Int64\n  return %0\n");
    let calls = |n: u32| {
        let text = format!("g(_0::Int64)::Int64\nbb0:\n  %0 = invoke mi{n}(_0)::Int64\n  return %0\n");
        plain(&body, &text)
    };
    let text = inlined(&body, vec![calls(1), calls(0)]);
    assert!(text.contains("invoke mi1(_0)") && !text.contains("mi0"), "{text}");
    let branches = "g(_0::Int64)::Int64\n\
                    bb0:\n  %0 = invoke mi0(_0)::Int64\n  goto bb1\n\
                    bb1:\n  %2 = invoke mi0(%0)::Int64\n  return %2\n";
    let text = inlined(&body, vec![plain(&body, branches)]);
    assert_eq!(text.matches("invoke mi0").count(), 2, "{text}");
}

/// A callee of `n` additions in a chain.
fn additions(n: usize) -> String {
    let mut text = "g(_0::Int64)::Int64\nbb0:\n".to_owned();
    for at in 0..n {
        let before = if at == 0 { "_0".to_owned() } else { format!("%{}", at - 1) };
        text += &format!("  %{at} = Intrinsics.add_int({before}, 1)::Int64\n");
    }
    text + &format!("  return %{}\n", n - 1)
}

/// Cost decides, one unit an addition, unless the author did.
#[test]
fn cost_and_author_decide() {
    let body = Body::new("f(_0::Int64)::Int64\nbb0:\n  %0 = invoke mi0(_0)::Int64\n  return %0\n");
    let limit = OptParams::default().inline_cost_max as usize;
    let stays = |text: &str, inlining| inlined(&body, vec![told(&body, text, inlining)]).contains("invoke");
    assert!(!stays(&additions(limit), Inlining::Default));
    assert!(stays(&additions(limit + 1), Inlining::Default));
    assert!(!stays(&additions(limit + 1), Inlining::Always));
    assert!(stays(&additions(1), Inlining::Never));
}

/// An error path costs one unit however much it computes: it is outlined later.
#[test]
fn error_paths_are_cheap() {
    let body = Body::new("f(_0::Bool)::Int64\nbb0:\n  %0 = invoke mi0(_0)::Int64\n  return %0\n");
    let mut text = "g(_0::Bool)::Int64\nbb0:\n  branch _0 ? bb1 : bb2\nbb1:\n  return 1\nbb2:\n".to_owned();
    for at in 2..10 {
        text += &format!("  %{at} = dynamic(:a, 1)::Any\n");
    }
    text += "  %10 = Core.throw(%9)::Union{}\n  unreachable\n";
    assert!(!inlined(&body, vec![plain(&body, &text)]).contains("invoke"));
}

/// An instance made for constant arguments is called with them all the same; its body does not read them.
#[test]
fn an_instance_for_constants_ignores_them() {
    let body = Body::new("f(_0::Int64)::Int64\nbb0:\n  %0 = invoke mi0(_0, 3)::Int64\n  return %0\n");
    let callee = plain(
        &body,
        "g(_0::Int64, _1::Int64)::Int64\nbb0:\n  %0 = Intrinsics.mul_int(_0, 9)::Int64\n  return %0\n",
    );
    let text = inlined(&body, vec![callee]);
    assert!(text.contains("Intrinsics.mul_int(_0, 9)"), "{text}");
}

/// The call that makes an exception stays a call, although the callee is small: `outline_throws` needs it whole.
#[test]
fn what_is_made_to_be_thrown_stays_a_call() {
    let text = "f(_0::Int64)::Union{}\n\
                bb0:\n  %0 = invoke mi0(_0)::String\n  %1 = Core.throw(%0)::Union{}\n  unreachable\n";
    let body = Body::new(text);
    let callee = plain(&body, "g(_0::Int64)::String\nbb0:\n  %0 = dynamic(:a, _0)::String\n  return %0\n");
    assert_eq!(inlined(&body, vec![callee]), text);
}

/// `boundscheck` in a callee is `false` if the call is in `@inbounds`, undecided if the caller is
/// `@propagate_inbounds`, else `true`. The callee's own annotation does not matter.
#[test]
fn bounds_checks_are_decided_at_the_call() {
    let body = Body::new("f(_0::Int64)::Bool\nbb0:\n  %0 = invoke mi0(_0)::Bool\n  return %0\n");
    let callee = |propagate_inbounds| {
        let code = body.other("g(_0::Int64)::Bool\nbb0:\n  %0 = boundscheck::Bool\n  return %0\n");
        Callee { code, inlining: Inlining::Default, propagate_inbounds }
    };
    let check = |inbounds, own, callees| {
        let mut code = body.code.clone();
        code.stmts.values_mut().for_each(|it| it.inbounds = inbounds);
        let params = OptParams { propagate_inbounds: own, ..OptParams::default() };
        let code = inline(code, &body.types, &Program(vec![Some(callee(callees))]), &params);
        let text = kiln_ir::compact(code).display(&body.types).to_string();
        text.lines().nth(2).expect("the check is the first statement").trim().to_owned()
    };
    assert_eq!(check(false, false, false), "%0 = π (true)::Bool");
    assert_eq!(check(false, false, true), "%0 = π (true)::Bool");
    assert_eq!(check(true, false, false), "%0 = π (false)::Bool");
    assert_eq!(check(true, true, true), "%0 = π (false)::Bool");
    assert_eq!(check(false, true, false), "%0 = boundscheck::Bool");
    assert_eq!(check(false, true, true), "%0 = boundscheck::Bool");
}

/// Statements remember through which calls they came, the callee's own inlining included.
#[test]
fn inlined_statements_know_their_callers() {
    let body = Body::new("f(_0::Int64)::Int64\nbb0:\n  %0 = invoke mi0(_0)::Int64\n  return %0\n");
    let inner =
        plain(&body, "h(_0::Int64)::Int64\nbb0:\n  %0 = Intrinsics.neg_int(_0)::Int64\n  return %0\n");
    let middle = body.other("g(_0::Int64)::Int64\nbb0:\n  %0 = invoke mi0(_0)::Int64\n  return %0\n");
    let params = OptParams::default();
    let middle = inline((*middle).clone(), &body.types, &Program(vec![inner]), &params);
    let middle = Callee {
        code: std::sync::Arc::new(kiln_ir::compact(middle)),
        inlining: Inlining::Default,
        propagate_inbounds: false,
    };
    let code =
        kiln_ir::compact(inline(body.code.clone(), &body.types, &Program(vec![Some(middle)]), &params));
    let negation = code.stmts.values().find(|it| matches!(it.op, kiln_ir::Op::Intrinsic(..)));
    let mut at = negation.expect("it was inlined").inlined as usize;
    let mut names = Vec::new();
    while at != 0 {
        names.push(body.types.name(code.inlined_at[at].name));
        at = code.inlined_at[at].parent as usize;
    }
    assert_eq!(names, ["h", "g"]);
}
