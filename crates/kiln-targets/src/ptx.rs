//! NVIDIA GPUs: `sm_90`, `sm_90a` with the features of that GPU alone, `sm_100f` with those of its family.

use crate::facts::{
    Abilities, AddressSpaces, Backend, FileFormats, Items, Limits, LineForm, Loads, Scopes, TargetFacts,
};
use crate::option_error::OptionError;
use crate::options::TargetOption as O;
use crate::tools::{Finish, Library, Shown, ToolUse, Tools, ptxas, texts};
use crate::{DeviceModel, Family};
use kiln_unit::DeviceOptions;

/// All of them.
pub(crate) static FAMILY: Family = Family {
    backend: Backend::new("ptx"),
    pattern: "sm_XX[a|f]",
    about: "NVIDIA GPUs, through PTX",
    names: &[
        "sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86",
        "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_101", "sm_101a",
        "sm_101f", "sm_103", "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f", "sm_120", "sm_120a",
        "sm_120f", "sm_121", "sm_121a", "sm_121f",
    ],
    shown: "sm_80",
    lookup,
    fit,
    model,
    check,
};

/// Versions of PTX that LLVM 22 emits, from the oldest that a supported GPU needs: `major * 10 + minor`.
const PTX_VERSIONS: [u32; 25] =
    [60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90];

/// Registers of a thread.
const REGISTERS_MAX: u32 = 255;

/// The processors from which on there are further instructions, the newest first, and the tables that use them.
const GENERATIONS: [(u32, &str); 4] = [(90, "ptx_90"), (80, "ptx_80"), (70, "ptx_70"), (61, "ptx_61")];

/// The first GPUs with ordered loads and stores.
const ORDERED: u32 = 70;

/// Returns the first PTX version for a processor of this number, in tenths, as LLVM numbers them; at least the
/// version that LLVM's back end needs for kernels.
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

fn lookup(name: &str) -> Option<TargetFacts> {
    FAMILY.names.contains(&name).then_some(())?;
    let digits = name.strip_prefix("sm_")?.trim_end_matches(['a', 'f']);
    let number: u32 = digits.parse().ok()?;
    let of_family = if name.ends_with('f') { 88 } else { 0 };
    let assembler =
        ToolUse { tool: ptxas(), options: vec![format!("-arch={name}").into()], makes_file: true };
    // Code for `sm_90a` is for devices that say they are `sm_90`, and for no others.
    let processor = name.trim_end_matches('a').to_owned();
    Some(TargetFacts {
        triple: "nvptx64-nvidia-cuda".into(),
        cpu: name.into(),
        features: format!("+ptx{}", ptx_of(number).max(of_family)),
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
        abilities: Abilities { orders_accesses: number >= ORDERED, ..Abilities::GPU },
        scopes: Some(Scopes { group: "block".into(), device: "device".into() }),
        intrinsics: texts(["nvvm"]),
        tables: GENERATIONS.iter().filter(|it| it.0 <= number).map(|it| it.1.into()).collect(),
        limits: Limits {
            static_shared_bytes: Some(48 << 10),
            group_items: Some(1024),
            registers: Some(REGISTERS_MAX),
        },
        options: vec![O::Fastmath, O::Items, O::ItemsMax, O::GroupsMin, O::RegistersMax, O::Language],
        files: FileFormats {
            assembly: "ptx".into(),
            object: "ptx".into(),
            binary: "cubin".into(),
            object_is_text: true,
            loads_binary: false,
        },
        tools: Tools {
            finish: Finish::Assemble { assembler: assembler.clone(), relocatable: texts(["-c"]) },
            check: vec![(Shown::Object, assembler)],
            disassemble: None,
        },
        library: Some(Library {
            name: "libdevice".into(),
            file: "libdevice.10.bc".into(),
            folders: texts(["/usr/local/cuda/nvvm/libdevice", "/usr/lib/nvidia-cuda-toolkit/libdevice"]),
        }),
        loads: Some(Loads { object: "ptx".into(), binary: Some(("cubin".into(), processor.into())) }),
        ..TargetFacts::new(name, FAMILY.backend.clone())
    })
}

/// Kibibytes of shared memory that a group may have once it is asked for, by the number of the processor.
fn shared_kib(number: u32) -> u32 {
    match number {
        ..=69 => 48,
        70..=72 => 96,
        73..=79 => 64,
        86 | 89 | 120..=129 => 99,
        80..=88 => 163,
        _ => 227,
    }
}

fn model(facts: &TargetFacts) -> Option<DeviceModel> {
    let number = processor(facts.cpu.trim_end_matches(['a', 'f']))?;
    let Limits { static_shared_bytes, group_items, .. } = facts.limits;
    Some(DeviceModel {
        target: facts.name.clone(),
        items_max: group_items?,
        items_max_in: [1024, 1024, 64],
        groups_max_in: [i32::MAX as u32, 65535, 65535],
        static_shared_bytes: static_shared_bytes?,
        launched_shared_bytes: 48 << 10,
        shared_bytes_max: shared_kib(number) << 10,
        lanes: 32,
        lockstep: number < 70,
    })
}

/// The version of PTX that a GPU needs.
pub fn ptx_needed(facts: &TargetFacts) -> u32 {
    facts.features.split(',').find_map(|it| it.strip_prefix("+ptx")?.parse().ok()).unwrap_or(PTX_VERSIONS[0])
}

/// The newest version of PTX that LLVM emits.
pub fn ptx_newest() -> u32 {
    PTX_VERSIONS[PTX_VERSIONS.len() - 1]
}

/// PTX is for a processor and all later ones, unless its name ends in a letter.
fn fit(code: &TargetFacts, device: &TargetFacts) -> Option<u32> {
    let least = processor(&code.cpu)?;
    let own = processor(device.cpu.trim_end_matches(['a', 'f']))?;
    (least <= own).then_some(least)
}

/// The number of a processor that is not one alone.
fn processor(name: &str) -> Option<u32> {
    name.strip_prefix("sm_")?.parse().ok()
}

fn check(facts: &TargetFacts, options: &DeviceOptions) -> Result<(), OptionError> {
    let Some(version) = options.language else { return Ok(()) };
    let needed = ptx_needed(facts);
    let is_known = PTX_VERSIONS.contains(&version);
    if is_known && version >= needed {
        return Ok(());
    }
    let taken = PTX_VERSIONS.into_iter().filter(|it| *it >= needed).collect();
    let target = facts.name.clone();
    Err(match is_known {
        true => OptionError::EarlyPtx { target, version, taken },
        false => OptionError::UnknownPtx { target, version, taken },
    })
}
