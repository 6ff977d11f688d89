//! AMD GPUs: `gfx90a`, `gfx1100`.

use crate::Family;
use crate::facts::{AddressSpaces, Backend, Items, LineForm, References, TargetFacts};

/// All of them.
pub(crate) const FAMILY: Family = Family {
    backend: Backend::Gcn,
    pattern: "gfxXXXX",
    about: "AMD GPUs, through code objects",
    names: &[
        "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1031",
        "gfx1032", "gfx1034", "gfx1035", "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150",
        "gfx1151", "gfx1200", "gfx1201",
    ],
};

pub(crate) fn lookup(name: &str) -> Option<TargetFacts> {
    FAMILY.names.contains(&name).then_some(())?;
    Some(TargetFacts {
        name: name.into(),
        backend: Backend::Gcn,
        triple: "amdgcn-amd-amdhsa".into(),
        cpu: name.into(),
        features: String::new(),
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
        lines: LineForm::Tables,
        references: References::Patch,
    })
}
