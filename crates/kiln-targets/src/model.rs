//! Facts about the devices of a target, which no code depends on: answers for programs that ask, and bounds of launches.

use crate::{TargetFacts, family};

/// A device that runs code for a target, as its vendor documents it. It is no part of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceModel {
    /// The target.
    pub target: String,
    /// Items of a group.
    pub items_max: u32,
    /// Items of a group in each dimension.
    pub items_max_in: [u32; 3],
    /// Groups in each dimension.
    pub groups_max_in: [u32; 3],
    /// Bytes of shared memory that the code of a group may have.
    pub static_shared_bytes: u32,
    /// Bytes of shared memory that a launch may add without asking for more.
    pub launched_shared_bytes: u32,
    /// Bytes of shared memory of a group at most, static and launched.
    pub shared_bytes_max: u32,
    /// Items that run in step.
    pub lanes: u32,
    /// They run in lockstep, access by access, also where nothing makes them wait for each other.
    pub lockstep: bool,
}

impl TargetFacts {
    /// Returns the device that runs code for the target; `None` if devices of one target differ, or kiln knows none.
    pub fn device_model(&self) -> Option<DeviceModel> {
        (family(self)?.model)(self)
    }
}

/// The `model` of a family without documented devices.
pub(crate) fn none(_: &TargetFacts) -> Option<DeviceModel> {
    None
}

#[cfg(test)]
mod tests {
    use crate::{FAMILIES, lookup};

    /// Every GPU whose vendor documents it has a model, with the limits that its code is checked by.
    #[test]
    fn models_agree_with_limits() {
        for family in FAMILIES {
            for name in family.names {
                let facts = lookup(name).expect("a listed target");
                let Some(model) = facts.device_model() else {
                    assert!(!["ptx", "gcn"].contains(&family.backend.name()), "{name} has no model");
                    continue;
                };
                assert_eq!(Some(model.items_max), facts.limits.group_items, "{name}");
                assert_eq!(Some(model.static_shared_bytes), facts.limits.static_shared_bytes, "{name}");
                assert!(model.shared_bytes_max >= model.launched_shared_bytes, "{name}");
            }
        }
    }

    /// Known figures: shared memory after asking for more, and lanes.
    #[test]
    fn models_have_documented_figures() {
        let model = |name| lookup(name).and_then(|it| it.device_model()).expect("a GPU");
        let shared = ["sm_61", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90a", "sm_120", "gfx90a", "gfx950"];
        let expected = [48, 96, 64, 163, 99, 227, 99, 64, 160];
        assert_eq!(shared.map(|it| model(it).shared_bytes_max >> 10), expected);
        assert_eq!(["sm_80", "gfx90a", "gfx1100"].map(|it| model(it).lanes), [32, 64, 32]);
        assert_eq!(lookup("spirv64").and_then(|it| it.device_model()), None);
    }
}
