//! Abstract interpretation of lowered code.

mod blocks;
mod builtins;
mod calls;
mod consts;
mod deferred;
mod effects;
mod interpreter;
mod local;
mod methods;
mod pending;
mod publication;
mod resolution;
mod result;
mod revalidate;
mod splat;
mod state;

pub(crate) use interpreter::AbstractInterpreter;
pub(crate) use resolution::{Case, Expansion, Resolution};
pub use result::InferenceResult;
pub(crate) use result::{Closed, Inlining};
pub(crate) use state::{InferenceState, VarState, VarTable};
