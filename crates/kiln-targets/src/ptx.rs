//! NVIDIA GPUs: `sm_90`, `sm_90a` with what only that one has, `sm_100f` with what its family has.

use crate::Family;
use crate::facts::{AddressSpaces, Backend, Items, LineForm, References, TargetFacts};

/// All of them.
pub(crate) const FAMILY: Family = Family {
    backend: Backend::Ptx,
    pattern: "sm_XX[a|f]",
    about: "NVIDIA GPUs, through PTX",
    names: &[
        "sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86",
        "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_101", "sm_101a",
        "sm_101f", "sm_103", "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f", "sm_120", "sm_120a",
        "sm_120f", "sm_121", "sm_121a", "sm_121f",
    ],
};

/// The PTX version that first knew a processor of this number, in tenths, as LLVM numbers them; at least what LLVM's back
/// end needs to express what kernels do.
fn ptx_of(number: u32) -> u32 {
    match number {
        ..=69 => 62,
        70..=72 => 63,
        73..=79 => 63,
        80..=85 => 70,
        86 => 71,
        87 => 74,
        88 => 90,
        89..=90 => 80,
        100..=101 => 86,
        103 | 121 => 88,
        110 => 90,
        _ => 87,
    }
}

pub(crate) fn lookup(name: &str) -> Option<TargetFacts> {
    FAMILY.names.contains(&name).then_some(())?;
    let digits = name.strip_prefix("sm_")?.trim_end_matches(['a', 'f']);
    let number: u32 = digits.parse().ok()?;
    let of_family = if name.ends_with('f') { 88 } else { 0 };
    Some(TargetFacts {
        name: name.into(),
        backend: Backend::Ptx,
        triple: "nvptx64-nvidia-cuda".into(),
        cpu: name.into(),
        features: format!("+ptx{}", ptx_of(number).max(of_family)),
        pointer_bytes: 8,
        have_fma: true,
        can_throw: true,
        preferred_group_items: 256,
        have_int128: true,
        have_float16: true,
        have_bfloat16: true,
        have_float32: true,
        have_float64: true,
        items: Items::Device,
        spaces: AddressSpaces { generic: 0, global: 1, shared: 3, constant: 4, private: 5 },
        lines: LineForm::Directives,
        references: References::Patch,
    })
}
