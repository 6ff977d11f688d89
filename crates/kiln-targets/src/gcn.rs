//! AMD GPUs: `gfx90a`, `gfx1100`.

use crate::facts::{
    Abilities, AddressSpaces, Backend, ByAddress, FileFormats, Items, Limits, LineForm, Scopes, TargetFacts,
};
use crate::option_error::OptionError;
use crate::options::TargetOption as O;
use crate::tools::{Finish, Library, Shown, ToolUse, Tools, disassembler, lld, objdump_check, texts};
use crate::{DeviceModel, Family, fit};
use kiln_unit::DeviceOptions;

/// All of them.
pub(crate) static FAMILY: Family = Family {
    backend: Backend::new("gcn"),
    pattern: "gfxXXXX",
    about: "AMD GPUs, through code objects",
    names: &[
        "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1031",
        "gfx1032", "gfx1034", "gfx1035", "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150",
        "gfx1151", "gfx1200", "gfx1201",
    ],
    shown: "gfx90a",
    lookup,
    fit: fit::exactly,
    model,
    check,
};

/// Versions of code objects that LLVM 22 makes.
const CODE_OBJECTS: std::ops::RangeInclusive<u32> = 4..=6;

/// Vector registers of an item, those for accumulation among them.
const REGISTERS_MAX: u32 = 512;

fn lookup(name: &str) -> Option<TargetFacts> {
    FAMILY.names.contains(&name).then_some(())?;
    let linker = ToolUse { tool: lld(), options: texts(["-shared", "--build-id=none"]), makes_file: true };
    Some(TargetFacts {
        triple: "amdgcn-amd-amdhsa".into(),
        cpu: name.into(),
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
        abilities: Abilities { by_address: Some(ByAddress::Reference), ..Abilities::GPU },
        scopes: Some(Scopes { group: "workgroup".into(), device: "agent".into() }),
        intrinsics: texts(["amdgcn", "r600"]),
        tables: dot_products(name).into_iter().map(Into::into).collect(),
        limits: Limits {
            static_shared_bytes: Some(if name == "gfx950" { 160 << 10 } else { 64 << 10 }),
            group_items: Some(1024),
            registers: Some(REGISTERS_MAX),
        },
        options: vec![O::Fastmath, O::Items, O::ItemsMax, O::RegistersMax, O::CodeObject],
        files: FileFormats { binary: "hsaco".into(), loads_binary: true, ..FileFormats::OBJECTS },
        tools: Tools {
            finish: Finish::CodeObject(linker.clone()),
            check: vec![(Shown::Object, linker), (Shown::Binary, objdump_check())],
            disassemble: Some(disassembler(true)),
        },
        library: Some(Library {
            name: "ocml".into(),
            file: "ocml.bc".into(),
            folders: texts(["/opt/rocm/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"]),
        }),
        ..TargetFacts::new(name, FAMILY.backend.clone())
    })
}

/// The table of the instructions for sums of products of bytes: they came with gfx906, and RDNA 3 has others.
fn dot_products(name: &str) -> Option<&'static str> {
    match name {
        "gfx900" | "gfx1010" => None,
        _ if name.starts_with("gfx11") || name.starts_with("gfx12") => Some("gcn_mixed_dot"),
        _ => Some("gcn_dot"),
    }
}

fn model(facts: &TargetFacts) -> Option<DeviceModel> {
    let Limits { static_shared_bytes, group_items, .. } = facts.limits;
    let (items_max, shared) = (group_items?, static_shared_bytes?);
    // Generations from the tenth on have waves of 32 items, unless a kernel asks for 64.
    let lanes = if facts.cpu.starts_with("gfx9") { 64 } else { 32 };
    Some(DeviceModel {
        target: facts.name.clone(),
        items_max,
        items_max_in: [items_max; 3],
        groups_max_in: [i32::MAX as u32; 3],
        static_shared_bytes: shared,
        launched_shared_bytes: shared,
        shared_bytes_max: shared,
        lanes,
        lockstep: false,
    })
}

fn check(_: &TargetFacts, options: &DeviceOptions) -> Result<(), OptionError> {
    match options.code_object {
        Some(version) if !CODE_OBJECTS.contains(&version) => Err(OptionError::UnknownCodeObject(version)),
        _ => Ok(()),
    }
}
