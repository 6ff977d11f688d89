//! Why a value is not of a concrete type: recorded while inferring, for messages.

use kiln_ir::SourceLoc;
use kiln_runtime::tables::CodeInstance;
use kiln_types::{Module, Symbol, Type};
use std::sync::Arc;

/// The cause of a wide type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Widening {
    /// Alternatives of too many types were joined.
    UnionTooLarge,
    /// A recursive call with ever larger argument types.
    Recursion,
    /// A global variable that is neither constant nor of declared type.
    GlobalNotConst(Module, Symbol),
    /// A variable that a closure captured and that is assigned more than once.
    CapturedBox,
    /// A call whose method is not known before it runs: the argument types, the function's first.
    DynamicCall(Vec<Type>),
    /// Nothing is called by this name with these types: the argument types, the function's first.
    NoMethod(Vec<Type>),
}

/// One place where a type became wide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widened {
    /// The statement.
    pub loc: SourceLoc,
    /// The type it has.
    pub ty: Type,
    /// Why.
    pub why: Widening,
}

/// The places of one body, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// See [`Widened`].
    pub places: Vec<Widened>,
}

/// Where and why types became wide in a body. Empty if they did not, or if the body was not inferred in this
/// session.
pub fn provenance(ci: &CodeInstance) -> Arc<Provenance> {
    ci.result::<Provenance>().unwrap_or_default()
}
