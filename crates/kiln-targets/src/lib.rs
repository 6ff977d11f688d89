//! Facts about each target, as data.
//!
//! [`TargetFacts`] is a plain hashable value that goes into requests and keys; what a target *does* is behind
//! codegen's `Target` trait. [`lookup`] is the only place that turns a name of our own into facts, and machines of one
//! kind get equal facts: a processor is a named level, never the text of the host. A third-party code generator
//! says the facts of what it has beside these.
//!
//! # Deliberately absent
//! LLVM. How one kernel is to be compiled (launch bounds, fast math, which PTX): those are options of a job.

mod bpf;
mod facts;
mod fit;
mod gcn;
mod native;
mod options;
mod ptx;
mod spirv;

pub use facts::{AddressSpaces, Backend, Items, LineForm, References, TargetFacts};
pub use fit::fit;
pub use native::{rank, runs_here};
pub use options::{
    CODE_OBJECTS, GROUP_ITEMS_MAX, PTX_VERSIONS, SPIRV_EXTENSIONS, TargetOption, check_options, ptx_needed,
};
pub use spirv::{SPIRV_CLOCK, spirv_minor};

/// The target of this name: `native`, a level of x86-64 or a processor of that family, `sm_90`, `gfx1100`, `spirv64`,
/// `bpf`. `None` if there is none.
pub fn lookup(name: &str) -> Option<TargetFacts> {
    let families = [native::lookup, ptx::lookup, gcn::lookup, spirv::lookup, bpf::lookup];
    families.iter().find_map(|it| it(name))
}

/// A family of targets, to be listed.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The code generator they belong to.
    pub backend: Backend,
    /// How their names are made.
    pub pattern: &'static str,
    /// A description for users.
    pub about: &'static str,
    /// Names of some of them.
    pub names: &'static [&'static str],
}

/// All targets there are, by family.
pub const FAMILIES: [Family; 5] = [native::FAMILY, ptx::FAMILY, gcn::FAMILY, spirv::FAMILY, bpf::FAMILY];

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

    /// Only devices that codegen knows have items that it can ask.
    #[test]
    fn other_back_ends_have_no_items() {
        let facts = TargetFacts { backend: Backend::Other, ..lookup("bpf").expect("a target") };
        assert_eq!(TargetFacts::from_bytes(&facts.to_bytes()), Ok(facts.clone()));
        for items in [Items::Loops, Items::Device] {
            assert!(TargetFacts::from_bytes(&TargetFacts { items, ..facts.clone() }.to_bytes()).is_err());
        }
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
