//! Which code a device runs that was not compiled for that very device.

use crate::facts::{Backend, TargetFacts};

/// How well code for one target fits a device whose own target is another: the more, the better; `None` if it may not run
/// there.
///
/// PTX is for a processor and all later ones, unless its name ends in a letter; SPIR-V for drivers that take its version and
/// have the floats that it may use. All else is for the device it names.
pub fn fit(code: &TargetFacts, device: &TargetFacts) -> Option<u32> {
    if (TargetFacts { name: device.name.clone(), ..code.clone() }) == *device {
        return Some(u32::MAX);
    }
    if code.backend != device.backend {
        return None;
    }
    match code.backend {
        Backend::Ptx => {
            let least = processor(&code.cpu)?;
            let own = processor(device.cpu.trim_end_matches(['a', 'f']))?;
            (least <= own).then_some(least)
        }
        Backend::Spirv => {
            let lacks = [
                (code.have_float16, device.have_float16),
                (code.have_bfloat16, device.have_bfloat16),
                (code.have_float64, device.have_float64),
            ];
            let (version, own) = (version(code)?, version(device)?);
            let has_features = device.features.contains(&code.features);
            (has_features && version <= own && lacks.iter().all(|(uses, has)| has | !uses)).then_some(version)
        }
        Backend::Native | Backend::Gcn | Backend::Bpf | Backend::Other => None,
    }
}

/// The number of an NVIDIA processor that is not one alone.
fn processor(name: &str) -> Option<u32> {
    name.strip_prefix("sm_")?.parse().ok()
}

/// The version of SPIR-V, in tenths.
fn version(facts: &TargetFacts) -> Option<u32> {
    let (version, _) = facts.triple.strip_prefix("spirv64v")?.split_once('-')?;
    let (major, minor) = version.split_once('.')?;
    Some(10 * major.parse::<u32>().ok()? + minor.parse::<u32>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup;

    /// MISSION C9: code runs where its target's documentation says so, and the nearest is the best.
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
