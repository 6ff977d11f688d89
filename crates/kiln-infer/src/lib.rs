//! Type inference: from lowered code to typed SSA, by Julia's method (abstract interpretation over the slots of
//! a body to a fixed point, bodies of callees included), with Julia's limits.

pub mod lattice;
pub mod tfuncs;
mod type_limits;
