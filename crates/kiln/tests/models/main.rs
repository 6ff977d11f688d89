//! Generated programs that models in Rust judge. The interpreter and compiled code share the parser, lowering, subtyping,
//! dispatch and layout, so that comparing the two shows no error there; a model is a small evaluator of the rule itself.
//!
//! `KILN_MODELS` sets how many programs each model judges, of which `KILN_SEED` is the first.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bounds;
mod dispatch;
mod judge;
mod layout;
mod mutants;
mod order;
mod scope;
mod scope_model;
mod subtypes;
mod universe;

#[test]
fn variables_are_those_of_the_rule() {
    judge::agrees(scope::program);
}

#[test]
fn operands_are_evaluated_in_order() {
    judge::agrees(order::program);
}

#[test]
fn bounds_checks_are_left_out_where_the_rule_says() {
    judge::agrees(bounds::program);
}

#[test]
fn fields_lie_where_the_rule_says() {
    judge::agrees(layout::program);
}

#[test]
fn calls_go_to_the_method_of_the_smallest_set() {
    judge::agrees(dispatch::program);
}

#[test]
fn subtypes_are_subsets() {
    judge::agrees(subtypes::program);
}
