//! Abstract interpretation of lowered code.

mod blocks;
mod builtins;
mod calls;
mod consts;
mod frame;
mod interpret;
mod methods;
mod operands;
mod resolution;
mod session;
mod splat;

pub use frame::{Frame, SlotState, State};
pub use resolution::{Case, Expansion, Resolution};
pub use session::{Session, Summary};
