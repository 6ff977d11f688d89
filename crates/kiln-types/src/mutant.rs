//! One mistake for the stages in front of code generation to make, to test tests with. Every stage has the interner at
//! hand, so the session tells it here. A release build makes none: the question is then a constant.

use crate::Types;

/// A mistake of the front end, of dispatch, of inference or of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontMutant {
    /// Scope: variables of outer loops are not copied for each inner iteration.
    SharedLoopVariable,
    /// Scope: a `global` declaration does not reach functions inside.
    GlobalEndsAtFunction,
    /// Dispatch: of the applicable methods of a program, the first one defined is called.
    FirstApplicable,
    /// Dispatch: an ambiguous call selects some method.
    AmbiguityResolved,
    /// Subtyping: the upper bound of a variable is not looked at.
    BoundIgnored,
    /// Subtyping: a variable that occurs twice need not stand for a concrete type.
    DiagonalIgnored,
    /// Intersection: types with variables have nothing in common.
    IntersectionEmpty,
    /// Intersection: the second of the two types.
    IntersectionSecond,
    /// Union splitting: the last member needs no test although an earlier one has no method.
    UncoveredMember,
    /// Union splitting: a member that no method takes counts as covered.
    MissingIsCovered,
    /// Bounds: `@inbounds` removes no check.
    InboundsNever,
    /// Bounds: every inlined check is removed.
    InboundsAlways,
    /// Layout: a tuple of `VecElement`s is aligned as its element is.
    ElementAlignment,
    /// Layout: the selector of an inline union takes no room.
    NoSelector,
    /// Layout: fields follow each other without padding.
    NoPadding,
    /// Order: keywords are evaluated behind the positional arguments.
    KeywordsLast,
    /// Order: the right side of a comparison in a chain is evaluated first.
    ChainBackwards,
    /// Order: the function of a call is evaluated behind its arguments.
    CalleeLast,
}

/// Sets the mistake to make, once.
pub fn set(types: &Types, mutant: FrontMutant) {
    let _ = types.mutant.set(mutant);
}

/// Whether this mistake is to be made. Never in a build without debug assertions.
#[inline]
pub fn is_set(types: &Types, mutant: FrontMutant) -> bool {
    cfg!(debug_assertions) && types.mutant.get() == Some(&mutant)
}
