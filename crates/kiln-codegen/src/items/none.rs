//! Targets without items: an entry runs once.

use super::{DeviceItems, Question};
use crate::error::TargetLimit;
use crate::llvm::{Module, Val};
use kiln_targets::TargetFacts;

/// No queries.
pub(crate) struct NoItems;

impl DeviceItems for NoItems {
    fn ask(&self, _: &Module, what: Question, _: usize) -> Result<Val, TargetLimit> {
        Err(match what {
            Question::LocalId | Question::LocalSize => TargetLimit::GroupQuery,
            Question::GroupId | Question::NumGroups => TargetLimit::GridQuery,
        })
    }

    fn barrier(&self, _: &Module) -> Result<(), TargetLimit> {
        Err(TargetLimit::Barrier)
    }

    fn warp_barrier(&self, _: &Module, _: &TargetFacts, _: Option<Val>) -> Result<Val, TargetLimit> {
        Err(TargetLimit::Lanes)
    }

    fn clock(&self, _: &Module, _: &TargetFacts) -> Result<Val, TargetLimit> {
        Err(TargetLimit::Clock)
    }
}
