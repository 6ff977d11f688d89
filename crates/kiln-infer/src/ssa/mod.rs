//! placeholder
use crate::abstract_interp::Frame;
use crate::tfuncs::Env;
use kiln_ir::IrCode;
pub fn build(_env: Env<'_>, _frame: &Frame) -> Option<IrCode> { None }
