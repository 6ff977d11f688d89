//! Targets without items: an entry runs once.

use super::{DeviceItems, ItemQuery};
use crate::error::TargetLimit;
use crate::llvm::{Module, Val};
use kiln_targets::TargetFacts;

/// No queries.
pub(crate) struct NoItems;

impl DeviceItems for NoItems {
    fn ask(&self, _: &Module, what: ItemQuery, _: usize) -> Result<Val, TargetLimit> {
        Err(match what {
            ItemQuery::LocalId | ItemQuery::LocalSize => TargetLimit::GroupQuery,
            ItemQuery::GroupId | ItemQuery::NumGroups => TargetLimit::GridQuery,
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
