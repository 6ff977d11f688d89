//! Metal libraries for Apple GPUs: `metal`, or for a release of macOS, `metal-macos14`. Suffixes choose an earlier dialect of
//! the modules, or a version of the language: `metal-macos26-air2.7-metal3.2`.

use crate::facts::{
    Abilities, AddressSpaces, Backend, FileFormats, Items, Limits, LineForm, Loads, Scopes, TargetFacts,
};
use crate::options::TargetOption as O;
use crate::tools::{Finish, Tools, texts};
use crate::{DeviceModel, Family, options};

/// All of them.
pub(crate) static FAMILY: Family = Family {
    backend: Backend::new("metal"),
    pattern: "metal[-macosN][-airX.Y][-metalX.Y]",
    about: "Apple GPUs, by Metal libraries for macOS 14, 15 and 26",
    names: &[
        "metal",
        "metal-macos14",
        "metal-macos15",
        "metal-macos26",
        "metal-macos26-air2.6",
        "metal-macos26-air2.7-metal3.2",
    ],
    shown: "metal",
    lookup,
    fit,
    model,
    check: options::any,
};

/// The versions that a module is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirVersions {
    /// The release of macOS.
    pub macos: u16,
    /// The version of AIR, the dialect of modules.
    pub air: [u16; 2],
    /// The version of the Metal language.
    pub language: [u16; 2],
}

/// The releases for which the rules of modules are known, with their own versions.
const RELEASES: [AirVersions; 3] = [
    AirVersions { macos: 14, air: [2, 6], language: [3, 1] },
    AirVersions { macos: 15, air: [2, 7], language: [3, 2] },
    AirVersions { macos: 26, air: [2, 8], language: [4, 0] },
];
/// The default release: the first whose items have fences, which orders of atomic operations need.
const MACOS: u16 = 15;
/// The first dialect that was written with LLVM 14.
const AIR_MIN: [u16; 2] = [2, 6];
/// Items of a group, and the bytes of its memory, on all GPUs with Metal 3.
const GROUP_ITEMS: u32 = 1024;
const GROUP_BYTES: u32 = 32 << 10;
/// Items of a SIMD-group on all Apple GPUs.
const LANES: u32 = 32;
/// The feature that names the version of the language.
const LANGUAGE: &str = "metal";

/// Returns a version of two numbers.
fn pair(text: &str) -> Option<[u16; 2]> {
    let (major, minor) = text.split_once('.')?;
    Some([major.parse().ok()?, minor.parse().ok()?])
}

fn release(macos: u16) -> Option<AirVersions> {
    RELEASES.into_iter().find(|it| it.macos == macos)
}

/// Returns the versions that the suffixes of a name choose.
fn versions(suffixes: &str) -> Option<AirVersions> {
    let mut parts = suffixes.split('-').skip(1).peekable();
    let mut value = |key: &str| parts.next_if(|it| it.starts_with(key)).map(|it| &it[key.len()..]);
    let (macos, air, language) = (value("macos"), value("air"), value("metal"));
    if parts.next().is_some() {
        return None;
    }
    let own = release(macos.map_or(Some(MACOS), |it| it.parse().ok())?)?;
    let air = air.map_or(Some(own.air), pair)?;
    let language = language.map_or(Some(own.language), pair)?;
    // A version of the language that is asked for needs the dialect of the release that it came with.
    let needed = match RELEASES.into_iter().find(|it| it.language == language) {
        Some(it) if language != own.language => it.air,
        Some(_) => AIR_MIN,
        None => return None,
    };
    let is_known = (AIR_MIN..=own.air).contains(&air) && language <= own.language && needed <= air;
    is_known.then_some(AirVersions { macos: own.macos, air, language })
}

fn lookup(name: &str) -> Option<TargetFacts> {
    let suffixes = name.strip_prefix("metal").filter(|it| it.is_empty() || it.starts_with('-'))?;
    let versions = versions(suffixes)?;
    Some(TargetFacts {
        triple: format!("air64_v{}{}-apple-macosx{}.0.0", versions.air[0], versions.air[1], versions.macos),
        features: format!("{LANGUAGE}{}.{}", versions.language[0], versions.language[1]),
        have_fma: true,
        can_throw: true,
        preferred_group_items: 256,
        have_float16: true,
        have_bfloat16: true,
        have_float32: true,
        items: Items::Device,
        spaces: AddressSpaces { generic: 0, global: 1, shared: 3, constant: 2, private: 0 },
        // Metal numbers constant memory as AIR does.
        pointer_spaces: AddressSpaces { constant: 2, ..AddressSpaces::OF_GPU_POINTERS },
        // Lines are for messages: none are in a module.
        lines: LineForm::Directives,
        // The least and the greatest of two floats as LLVM has them abort Apple's compiler. Integers of 128 bits, which wide
        // products are, are not there.
        abilities: Abilities {
            is_exact: false,
            has_wide_products: false,
            recurses: false,
            has_function_pointers: false,
            passes_dynamic_shared: true,
            atomic_bytes_min: 4,
            atomic_bytes_max: 4,
            ..Abilities::GPU
        },
        scopes: Some(Scopes { group: "workgroup".into(), device: "device".into() }),
        intrinsics: texts(["air"]),
        loads: Some(Loads { object: "metallib".into(), binary: None }),
        limits: Limits {
            static_shared_bytes: Some(GROUP_BYTES),
            group_items: Some(GROUP_ITEMS),
            registers: None,
        },
        options: vec![O::Fastmath, O::ItemsMax],
        files: FileFormats {
            assembly: "ll".into(),
            object: "air".into(),
            binary: "metallib".into(),
            object_is_text: false,
            loads_binary: true,
        },
        tools: Tools { finish: Finish::MetalLibrary, ..Tools::default() },
        ..TargetFacts::new(name, FAMILY.backend.clone())
    })
}

/// Returns the versions of a target of this family.
pub fn metal_versions(facts: &TargetFacts) -> Option<AirVersions> {
    if facts.backend != FAMILY.backend {
        return None;
    }
    let (architecture, release) = facts.triple.split_once("-apple-macosx")?;
    let macos = release.split('.').next()?.parse().ok()?;
    let (major, minor) = architecture.strip_prefix("air64_v")?.split_at_checked(1)?;
    let air = [major.parse().ok()?, minor.parse().ok()?];
    Some(AirVersions { macos, air, language: pair(facts.features.strip_prefix(LANGUAGE)?)? })
}

/// Returns the name of the target of this family that differs from `name` in these versions: of macOS, of the dialect of the
/// modules, of the language. `None` if `name` is not one of the family.
pub fn metal_name(name: &str, [macos, air, language]: [Option<&str>; 3]) -> Option<String> {
    let suffixes = name.strip_prefix("metal").filter(|it| it.is_empty() || it.starts_with('-'))?;
    let mut made = "metal".to_owned();
    for (key, given) in [("macos", macos), ("air", air), ("metal", language)] {
        let own = suffixes.split('-').find_map(|it| it.strip_prefix(key));
        if let Some(value) = given.or(own) {
            made.push_str(&format!("-{key}{value}"));
        }
    }
    // What is no version makes a name of no target.
    let is_version = |it: &&str| ["macos", "air", "metal"].iter().any(|key| it.starts_with(key));
    for other in suffixes.split('-').skip(1).filter(|it| !is_version(it)) {
        made.push('-');
        made.push_str(other);
    }
    Some(made)
}

/// A driver takes modules for its own release and those before it.
fn fit(code: &TargetFacts, device: &TargetFacts) -> Option<u32> {
    let (code, device) = (metal_versions(code)?, metal_versions(device)?);
    let rank = u32::from(code.macos) << 16 | u32::from(code.air[1]) << 8 | u32::from(code.language[0]);
    (code.macos <= device.macos).then_some(rank)
}

fn model(facts: &TargetFacts) -> Option<DeviceModel> {
    Some(DeviceModel {
        target: facts.name.clone(),
        items_max: GROUP_ITEMS,
        items_max_in: [GROUP_ITEMS; 3],
        groups_max_in: [i32::MAX as u32; 3],
        static_shared_bytes: GROUP_BYTES,
        launched_shared_bytes: GROUP_BYTES,
        shared_bytes_max: GROUP_BYTES,
        lanes: LANES,
        lockstep: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup as target;

    /// A name says for which release, in which dialect and of which version of the language a module is.
    #[test]
    fn names_have_versions() {
        let of = |name: &str| {
            let it = target(name).and_then(|it| metal_versions(&it));
            it.map(|it| (it.macos, it.air[1], it.language[0], it.language[1]))
        };
        assert_eq!(of("metal"), Some((15, 7, 3, 2)));
        assert_eq!(of("metal-macos14"), Some((14, 6, 3, 1)));
        assert_eq!(of("metal-macos26"), Some((26, 8, 4, 0)));
        assert_eq!(of("metal-macos26-air2.7-metal3.2"), Some((26, 7, 3, 2)));
        let triple = target("metal-macos26-air2.7").map(|it| it.triple);
        assert_eq!(triple.as_deref(), Some("air64_v27-apple-macosx26.0.0"));
        for other in [
            "metal-macos13",
            "metal-macos27",
            "metal-air2.5",
            "metal-air2.8",
            "metal-macos14-metal3.2",
            "metal-macos26-air2.6-metal3.2",
            "metal-fast",
            "metallic",
        ] {
            assert_eq!(target(other), None, "{other}");
        }
    }

    /// The command line gives versions by themselves.
    #[test]
    fn versions_change_names() {
        let named = |name, versions| metal_name(name, versions);
        assert_eq!(named("metal", [Some("26"), None, None]).as_deref(), Some("metal-macos26"));
        assert_eq!(
            named("metal-macos14", [Some("26"), Some("2.7"), Some("3.2")]).as_deref(),
            Some("metal-macos26-air2.7-metal3.2")
        );
        assert_eq!(named("metal-macos14", [None, None, None]).as_deref(), Some("metal-macos14"));
        assert_eq!(named("sm_90", [Some("26"), None, None]), None);
    }

    /// A driver refuses modules for later releases.
    #[test]
    fn libraries_fit_later_releases() {
        let fits = |code, device| fit(&target(code).expect("one"), &target(device).expect("one"));
        assert!(fits("metal-macos14", "metal-macos26") < fits("metal-macos15", "metal-macos26"));
        assert_eq!(fits("metal-macos26", "metal-macos15"), None);
    }
}
