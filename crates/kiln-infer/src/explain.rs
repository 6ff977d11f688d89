//! The causes of wide types, recorded during inference for diagnostics.

use kiln_ir::SourceLoc;
use kiln_runtime::tables::CodeInstance;
use kiln_types::{Module, Symbol, Type};
use std::sync::Arc;

/// The cause of a wide type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Widening {
    /// A union of too many types was widened.
    UnionTooLarge,
    /// A recursive call whose argument types grow was widened.
    Recursion,
    /// A global variable that is neither `const` nor of declared type.
    GlobalNotConst(Module, Symbol),
    /// A captured variable that is assigned more than once, and so boxed.
    CapturedBox,
    /// A call whose method is selected at run time: the argument types, the function's first.
    DynamicCall(Vec<Type>),
    /// A call without an applicable method: the argument types, the function's first.
    NoMethod(Vec<Type>),
}

/// One place where a type became wide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widened {
    /// The statement.
    pub loc: SourceLoc,
    /// The inferred type of its value.
    pub ty: Type,
    /// The cause.
    pub why: Widening,
}

/// The places of one body, in the order of its statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The places.
    pub places: Vec<Widened>,
}

/// Returns the places where types became wide in a body, with the causes. Empty if all types are concrete, or if the
/// body was inferred in another session.
pub fn provenance(ci: &CodeInstance) -> Arc<Provenance> {
    ci.result::<Provenance>().unwrap_or_default()
}
