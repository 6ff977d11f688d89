//! Machines without items: an entry runs once.

use super::{DeviceItems, Question};
use crate::limits::limit;
use crate::llvm::{Module, Val};
use kiln_targets::TargetFacts;

/// See the module.
pub(crate) struct NoItems;

impl DeviceItems for NoItems {
    fn ask(&self, _: &Module, what: Question, _: usize) -> Result<Val, String> {
        Err(limit(match what {
            Question::LocalId | Question::LocalSize => "a question about the group: there are no items",
            Question::GroupId | Question::NumGroups => "a question about the grid: there are no groups",
        }))
    }

    fn barrier(&self, _: &Module) -> Result<(), String> {
        Err(limit("a barrier: there are no items to wait for"))
    }

    fn warp_barrier(&self, _: &Module, _: &TargetFacts, _: Option<Val>) -> Result<Val, String> {
        Err(limit("a question about lanes: there are no items"))
    }

    fn clock(&self, _: &Module, _: &TargetFacts) -> Result<Val, String> {
        Err(limit("a read of the clock, which there is not"))
    }
}
