//! Julia's test suite as an oracle.
//!
//! A *site* is one `@test...` in the source text. [`source`] finds the top-level expressions of a file and the sites in
//! each, [`worker`] evaluates expressions in a session and reports sites as they are reached, [`supervisor`] starts
//! workers and replaces one that dies or hangs, and [`scores`] counts outcomes and compares them with recorded scores.

pub mod outcome;
pub mod scores;
pub mod source;
pub mod supervisor;
pub mod worker;
