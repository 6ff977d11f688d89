//! `typeintersect`: the walk of `subtype` over the same environment, building the common part on the way.
//!
//! The result is never too small. Where the common part has no name in the algebra (a variable below two
//! unrelated bounds), or finding it takes too much work, one of the two types stands for it.

mod entry;
mod finish;
mod tuple;
mod variables;
mod walk;
