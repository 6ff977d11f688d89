//! The virtual machine of the Linux kernel: integers only, one item, no floats.

use crate::facts::{Backend, LineForm, TargetFacts};
use crate::tools::{Shown, Tools, disassembler, objdump_check, texts};
use crate::{Family, fit, model, options};

/// All of them.
pub(crate) static FAMILY: Family = Family {
    backend: Backend::new("bpf"),
    pattern: "bpf",
    about: "the virtual machine of the Linux kernel (integers only)",
    names: &["bpf"],
    shown: "bpf",
    lookup,
    fit: fit::exactly,
    model: model::none,
    check: options::any,
};

fn lookup(name: &str) -> Option<TargetFacts> {
    FAMILY.names.contains(&name).then_some(())?;
    Some(TargetFacts {
        triple: "bpfel-unknown-none".into(),
        cpu: "v3".into(),
        lines: LineForm::Tables,
        intrinsics: texts(["bpf"]),
        tools: Tools {
            check: vec![(Shown::Object, objdump_check())],
            disassemble: Some(disassembler(true)),
            ..Tools::default()
        },
        ..TargetFacts::new(name, FAMILY.backend.clone())
    })
}
