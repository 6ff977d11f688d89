//! SPIR-V as OpenCL drivers take it: `spirv64`, or with a version, `spirv64-v1.2`. What a driver may lack is said by
//! suffixes: `spirv64-v1.2-nofp64`.

use crate::Family;
use crate::facts::{AddressSpaces, Backend, Items, LineForm, References, TargetFacts};

/// All of them.
pub(crate) const FAMILY: Family = Family {
    backend: Backend::Spirv,
    pattern: "spirv64[-vX.Y][-nofp16][-nofp64][-bf16][-clock]",
    about: "OpenCL drivers that take SPIR-V",
    names: &[
        "spirv64",
        "spirv64-v1.0",
        "spirv64-v1.1",
        "spirv64-v1.2",
        "spirv64-v1.3",
        "spirv64-v1.4",
        "spirv64-v1.5",
        "spirv64-v1.6",
        "spirv64-nofp64",
        "spirv64-nofp16",
        "spirv64-bf16",
        "spirv64-clock",
        "spirv64-v1.2-nofp16-nofp64",
    ],
};

/// The version that every OpenCL 2.1 driver takes.
const VERSION: &str = "v1.2";
/// The feature of a driver that has a clock, which kernels read: the extension that LLVM is told of.
pub const SPIRV_CLOCK: &str = "+SPV_KHR_shader_clock";

/// The version of SPIR-V behind its point: 3 for 1.3; `None` for other targets.
pub fn spirv_minor(facts: &TargetFacts) -> Option<u32> {
    facts.triple.strip_prefix("spirv64v1.")?.split_once('-')?.0.parse().ok()
}

const VERSIONS: [&str; 7] = ["v1.0", "v1.1", "v1.2", "v1.3", "v1.4", "v1.5", "v1.6"];

pub(crate) fn lookup(name: &str) -> Option<TargetFacts> {
    let suffixes = name.strip_prefix("spirv64").filter(|it| it.is_empty() || it.starts_with('-'))?;
    let mut parts = suffixes.split('-').skip(1).peekable();
    let version = parts.next_if(|it| VERSIONS.contains(it)).unwrap_or(VERSION);
    let (mut have_float16, mut have_float64, mut have_bfloat16) = (true, true, false);
    let mut features = "";
    for part in parts {
        match part {
            "nofp16" => have_float16 = false,
            "nofp64" => have_float64 = false,
            "bf16" => have_bfloat16 = true,
            "clock" => features = SPIRV_CLOCK,
            _ => return None,
        }
    }
    Some(TargetFacts {
        name: name.into(),
        backend: Backend::Spirv,
        triple: format!("spirv64{version}-unknown-unknown"),
        cpu: String::new(),
        features: features.into(),
        pointer_bytes: 8,
        have_fma: true,
        can_throw: true,
        preferred_group_items: 256,
        have_int128: false,
        have_float16,
        have_bfloat16,
        have_float32: true,
        have_float64,
        items: Items::Device,
        spaces: AddressSpaces { generic: 4, global: 1, shared: 3, constant: 2, private: 0 },
        lines: LineForm::None,
        references: References::Patch,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The facts tell the features that a driver lacks.
    #[test]
    fn suffixes_say_what_is_lacking() {
        let facts = lookup("spirv64-v1.4-nofp64").expect("a target");
        assert!(facts.have_float16 && !facts.have_float64);
        assert_eq!(facts.triple, "spirv64v1.4-unknown-unknown");
        assert_eq!(lookup("spirv64-v9.9"), None);
        assert_eq!((spirv_minor(&facts), facts.features.as_str()), (Some(4), ""));
        let clocked = lookup("spirv64-clock").expect("a target");
        assert_eq!((spirv_minor(&clocked), clocked.features.as_str()), (Some(2), SPIRV_CLOCK));
        assert_eq!(lookup("spirv64x"), None);
    }
}
