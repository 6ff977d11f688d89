//! Abstract interpretation of lowered code.

mod blocks;
mod builtins;
mod calls;
mod consts;
mod deferred;
mod effects;
mod frame;
mod interpret;
mod methods;
mod pending;
mod resolution;
mod revalidate;
mod session;
mod splat;

pub(crate) use frame::{Frame, SlotState, State};
pub(crate) use resolution::{Case, Expansion, Resolution};
pub(crate) use revalidate::Inlining;
pub(crate) use session::Session;
pub use session::Summary;
