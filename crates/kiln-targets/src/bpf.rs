//! The virtual machine of the Linux kernel: integers only, one item, no floats.

use crate::Family;
use crate::facts::{AddressSpaces, Backend, Items, LineForm, References, TargetFacts};

/// All of them.
pub(crate) const FAMILY: Family = Family {
    backend: Backend::Bpf,
    pattern: "bpf",
    about: "the virtual machine of the Linux kernel (integers only)",
    names: &["bpf"],
};

pub(crate) fn lookup(name: &str) -> Option<TargetFacts> {
    FAMILY.names.contains(&name).then_some(())?;
    Some(TargetFacts {
        name: name.into(),
        backend: Backend::Bpf,
        triple: "bpfel-unknown-none".into(),
        cpu: "v3".into(),
        features: String::new(),
        pointer_bytes: 8,
        have_fma: false,
        can_throw: false,
        preferred_group_items: 1,
        have_int128: false,
        have_float16: false,
        have_bfloat16: false,
        have_float32: false,
        have_float64: false,
        items: Items::None,
        spaces: AddressSpaces::FLAT,
        lines: LineForm::Tables,
        references: References::Patch,
    })
}
