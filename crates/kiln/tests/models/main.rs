//! Generated programs that models in Rust judge. The interpreter and compiled code share the parser, lowering, subtyping,
//! dispatch and layout, so that comparing the two shows no error there; a model is a small evaluator of the rule itself.
//!
//! `KILN_MODELS` sets how many programs each model judges, of which `KILN_SEED` is the first.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod judge;
mod order;
mod scope;
mod scope_model;

#[test]
fn variables_are_those_of_the_rule() {
    judge::agrees(scope::program);
}

#[test]
fn operands_are_evaluated_in_order() {
    judge::agrees(order::program);
}
