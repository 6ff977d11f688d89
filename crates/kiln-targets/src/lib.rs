//! Facts about each target, as data.
//!
//! [`TargetFacts`] is a plain hashable value, part of requests and keys; the *actions* of a target are behind
//! codegen's `Target` trait. [`lookup`] is the only function that maps built-in names to facts, and machines of one
//! kind have equal facts: a processor is a named level, never a description of the host. A third-party code generator
//! supplies the facts of its own targets.
//!
//! # Deliberately absent
//! LLVM. The options of one kernel (launch bounds, fast math, PTX version) belong to a job.

mod bpf;
mod facts;
mod fit;
mod gcn;
mod metal;
mod model;
mod native;
mod option_error;
mod options;
mod ptx;
mod spirv;
mod tool_paths;
mod tools;
mod wire;

pub use facts::{
    Abilities, AddressSpaces, Backend, ByAddress, FileFormats, Items, Limits, LineForm, Loads, References,
    Scopes, TargetFacts,
};
pub use fit::fit;
pub use metal::{AirVersions, metal_name, metal_versions};
pub use model::DeviceModel;
pub use native::{processor_level, rank, runs_here};
pub use option_error::OptionError;
pub use options::{TargetOption, check_options};
pub use ptx::{ptx_needed, ptx_newest};
pub use spirv::{SPIRV_CLOCK, spirv_minor};
pub use tool_paths::ToolPaths;
pub use tools::{Finish, Library, Shown, Tool, ToolUse, Tools, tools};

use kiln_unit::DeviceOptions;

/// Returns the target of this name: `native`, a level of x86-64 or a processor of that family, `sm_90`, `gfx1100`,
/// `spirv64`, `metal`, `bpf`.
pub fn lookup(name: &str) -> Option<TargetFacts> {
    FAMILIES.iter().find_map(|it| (it.lookup)(name))
}

/// A family of targets: those of one back end.
#[derive(Debug)]
pub struct Family {
    /// The back end.
    pub backend: Backend,
    /// The pattern of their names.
    pub pattern: &'static str,
    /// A description for users.
    pub about: &'static str,
    /// Names of some of them.
    pub names: &'static [&'static str],
    /// The default for showing code.
    pub shown: &'static str,
    /// The facts of the target of a name.
    lookup: fn(&str) -> Option<TargetFacts>,
    /// Returns a rank of code for one of them on a device that is another; `None` if it may not run there.
    fit: fn(&TargetFacts, &TargetFacts) -> Option<u32>,
    /// Returns the device that runs code for one of them, where it is documented.
    model: fn(&TargetFacts) -> Option<DeviceModel>,
    /// Checks the values of the options that no other family has.
    check: fn(&TargetFacts, &DeviceOptions) -> Result<(), OptionError>,
}

impl Family {
    /// Whether a target is one of them, or a third party's for the same back end.
    pub(crate) fn has(&self, facts: &TargetFacts) -> bool {
        self.backend == facts.backend
    }

    /// Returns the facts of the default for showing code.
    fn example(&self) -> Option<TargetFacts> {
        (self.lookup)(self.shown)
    }

    /// Returns the options that any of them supports.
    pub fn options(&self) -> Vec<TargetOption> {
        self.example().map_or_else(Vec::new, |it| it.options)
    }
}

/// All targets there are, by family.
pub static FAMILIES: [&Family; 6] =
    [&native::FAMILY, &ptx::FAMILY, &gcn::FAMILY, &spirv::FAMILY, &metal::FAMILY, &bpf::FAMILY];

/// The family of a target; `None` of a back end that kiln does not have.
pub(crate) fn family(facts: &TargetFacts) -> Option<&'static Family> {
    FAMILIES.into_iter().find(|it| it.has(facts))
}

/// The known targets of a back end, in the order of the family's names, which is that of their age.
pub fn of_backend(backend: &Backend) -> Vec<TargetFacts> {
    let family = FAMILIES.into_iter().find(|it| it.backend == *backend);
    family.map_or_else(Vec::new, |it| it.names.iter().filter_map(|name| (it.lookup)(name)).collect())
}

/// The libraries of functions that vendors ship for kiln's own targets.
pub fn libraries() -> Vec<Library> {
    FAMILIES.iter().filter_map(|it| it.example()?.library).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Facts travel in requests, and every name that is listed is one.
    #[test]
    fn facts_survive_their_bytes() {
        for family in FAMILIES {
            for name in family.names {
                let facts = lookup(name).unwrap_or_else(|| panic!("{name} is listed and not known"));
                assert_eq!(facts.backend, family.backend);
                assert_eq!(TargetFacts::from_bytes(&facts.to_bytes()), Ok(facts.clone()));
            }
        }
        assert_eq!(lookup("z80"), None);
    }

    /// A back end of a third party has items if its device runs them; loops are of the host's own processor.
    #[test]
    fn other_back_ends_have_items() {
        let facts = TargetFacts::new("own", Backend::new("own"));
        for (items, is_one) in [(Items::None, true), (Items::Device, true), (Items::Loops, false)] {
            let facts = TargetFacts { items, ..facts.clone() };
            assert_eq!(TargetFacts::from_bytes(&facts.to_bytes()).ok(), is_one.then_some(facts));
        }
    }

    /// A target maps the number in a pointer's type to a memory; most use the numbering of GPU packages.
    #[test]
    fn targets_number_their_memory() {
        let spirv = lookup("spirv64").expect("a target");
        assert_eq!(
            [0, 1, 3, 4, 5, 2].map(|it| spirv.pointer_space(it)),
            [4, 1, 3, 2, 0, 9].map(|it| Some(it).filter(|it| *it < 9))
        );
        let own = TargetFacts { pointer_spaces: spirv.spaces, ..spirv.clone() };
        assert_eq!([0, 3, 4, 5].map(|it| own.pointer_space(it)), [Some(0), Some(3), Some(4), None]);
    }

    /// A request may come from another process: no prefix of facts may panic.
    #[test]
    fn every_truncation_is_an_error() {
        let bytes = lookup("sm_90").expect("a target").to_bytes();
        for len in 0..bytes.len() {
            assert!(TargetFacts::from_bytes(&bytes[..len]).is_err());
        }
    }
}
