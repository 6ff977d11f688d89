//! The three forms of a program between its text and LLVM: [`Ast`] (Julia's `Expr`), [`CodeInfo`] (lowered, with
//! slots; the input of the interpreter and of inference) and [`IrCode`] (typed SSA).
//!
//! All three are plain data with small numbers as names. None holds a world, a method table or a target; a method
//! instance is an opaque [`Instance`].

mod builtin;
mod cfg;
mod check_bounds;
mod code_hash;
mod code_info;
mod code_info_print;
mod compact;
mod dominators;
mod effects;
mod expr;
pub mod foreign;
mod handlers;
mod intrinsic;
mod ir_code;
mod loc;
mod lowered_operands;
mod operands;
mod parse;
mod parse_error;
mod print;
mod verify;
pub mod wire;

pub use builtin::{Builtin, HostFunction};
pub use cfg::Cfg;
pub use check_bounds::{CheckBounds, NoCheckBounds};
pub use code_info::{CodeInfo, CodeMeta, Declaration, Inlining, Lowered, LoweredStmt, Mark, SlotInfo};
pub use code_info_print::CodeInfoDisplay;
pub use compact::compact;
pub use dominators::Dominators;
pub use effects::Effects;
pub use expr::{Ast, Expansion, Expr, ExprId};
pub use handlers::{Handlers, leave};
pub use intrinsic::Intrinsic;
pub use ir_code::{
    Block, BlockData, InlinedAt, Instance, IrCode, Op, Stmt, StmtData, ThrowSite, ThrowSiteData, ThunkStep,
    ThunkValue, Undefined, Value,
};
pub use loc::SourceLoc;
pub use parse::{Vocabulary, parse};
pub use parse_error::{ParseError, ParseErrorKind, TextForm};
pub use print::IrDisplay;
pub use verify::{Violation, verify};
