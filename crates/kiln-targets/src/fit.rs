//! The devices that run code compiled for another device.

use crate::facts::TargetFacts;
use crate::family;

/// Returns a rank of code for one target on a device whose own target is another, the higher the better; `None` if it
/// may not run there.
///
/// Code fits the device it was compiled for. The target's family decides the rest.
pub fn fit(code: &TargetFacts, device: &TargetFacts) -> Option<u32> {
    if (TargetFacts { name: device.name.clone(), ..code.clone() }) == *device {
        return Some(u32::MAX);
    }
    let family = family(code).filter(|it| it.has(device))?;
    (family.fit)(code, device)
}

/// The function of a family whose code runs on the named device only.
pub(crate) fn exactly(_: &TargetFacts, _: &TargetFacts) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup;

    /// MISSION C9: code runs where its target's documentation says so, and the nearest code is preferred.
    #[test]
    fn code_fits_later_devices() {
        let fits = |code: &str, device: &str| {
            let facts = |name: &str| lookup(name).expect("a target");
            fit(&facts(code), &facts(device))
        };
        assert_eq!(fits("sm_86", "sm_86"), Some(u32::MAX));
        assert!(fits("sm_80", "sm_86") > fits("sm_70", "sm_86") && fits("sm_70", "sm_86").is_some());
        assert_eq!(fits("sm_90", "sm_86"), None);
        assert_eq!(fits("sm_90a", "sm_100"), None, "what only that one has");
        assert_eq!(fits("sm_90a", "sm_90"), None);
        assert!(fits("sm_90", "sm_90a").is_some());
        assert!(fits("spirv64", "spirv64-v1.4").is_some());
        assert_eq!(fits("spirv64", "spirv64-v1.2"), Some(u32::MAX), "another name of the same");
        assert_eq!(fits("spirv64-v1.4", "spirv64-v1.2"), None);
        assert_eq!(fits("spirv64", "spirv64-v1.4-nofp64"), None);
        assert!(fits("spirv64-nofp64", "spirv64-v1.4").is_some());
        assert!(fits("spirv64", "spirv64-v1.4-clock").is_some());
        assert_eq!(fits("spirv64-clock", "spirv64-v1.4"), None);
        assert_eq!(fits("gfx1100", "gfx1101"), None);
        assert_eq!(fits("gfx1100", "gfx1100"), Some(u32::MAX));
        assert_eq!(fits("sm_70", "spirv64"), None);
    }
}
