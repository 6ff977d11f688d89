//! The models themselves are tested by compilers with one thing wrong in front of code generation: its model notices each.
//! Each runs in a process of its own, because the code of a wrong compiler may crash or never end.

use crate::judge::{self, Model};
use crate::{bounds, dispatch, layout, order, scope, subtypes};
use kiln::internals::Mutant;
use kiln_testing::mutants::MutantTest;
use kiln_testing::random::setting;
use kiln_types::FrontMutant::{self, *};

/// Each mistake and the model that is to notice it.
const MUTANTS: [(FrontMutant, Model); 18] = [
    (SharedLoopVariable, scope::program),
    (GlobalEndsAtFunction, scope::program),
    (FirstApplicable, dispatch::program),
    (AmbiguityResolved, dispatch::program),
    (BoundIgnored, subtypes::program),
    (DiagonalIgnored, subtypes::program),
    (IntersectionEmpty, subtypes::program),
    (IntersectionSecond, subtypes::program),
    (UncoveredMember, dispatch::program),
    (MissingIsCovered, dispatch::program),
    (InboundsNever, bounds::program),
    (InboundsAlways, bounds::program),
    (ElementAlignment, layout::program),
    (NoSelector, layout::program),
    (NoPadding, layout::program),
    (KeywordsLast, order::program),
    (ChainBackwards, order::program),
    (CalleeLast, order::program),
];

/// Programs within which a wrong compiler must be noticed.
const PROGRAMS: u64 = 250;

#[test]
fn a_mutant_front_end_is_caught() {
    let test = MutantTest { name: "mutants::a_mutant_front_end_is_caught", variable: "KILN_MODELS_MUTANT" };
    if let Some(number) = test.number() {
        return look_for(MUTANTS[number]);
    }
    let missed = test.missed(&(0..MUTANTS.len()).collect::<Vec<_>>());
    let missed: Vec<FrontMutant> = missed.into_iter().map(|it| MUTANTS[it].0).collect();
    assert!(missed.is_empty(), "these compilers were not noticed: {missed:?}");
}

/// Fails at the first program that shows the mutant.
fn look_for((mutant, model): (FrontMutant, Model)) {
    let first = setting("KILN_SEED", 1);
    let shown = judge::on_large_stack(move || {
        judge::difference(model, first..first + PROGRAMS, Some(Mutant::Front(mutant)))
    });
    if let Some(difference) = shown {
        panic!("{difference}");
    }
}
