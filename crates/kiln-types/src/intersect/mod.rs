//! `typeintersect`: the walk of `subtype` over the same environment, building the intersection on the way.
//!
//! The result is never too small. Where the intersection has no name in the algebra (a variable below two unrelated
//! bounds), or finding it takes too much work, the result is one of the two types.

mod entry;
mod finish;
mod tuple;
mod variables;
mod walk;
