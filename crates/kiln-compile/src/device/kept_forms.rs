//! Forms of an artifact as they are kept: what a launch needs under the key of the device link, and what only people look at
//! under keys beside it, so that finding a kernel reads no more than it runs.

use kiln_bytes::{Reader, Writer};
use kiln_cache::{Class, Entry, Key, KeyBuilder};
use kiln_results::TieredStore;
use kiln_unit::{LinkedModule, OutputKinds};
use std::time::Duration;

/// The entry under one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// The object, and the memory of a group.
    Artifact,
    /// The assembler's text.
    Assembly,
    /// The module after the passes. Before them it is the parts put together, which is done again on demand.
    Optimized,
}

impl Kept {
    const ALL: [Self; 3] = [Self::Artifact, Self::Assembly, Self::Optimized];

    fn is_wanted(self, wanted: OutputKinds) -> bool {
        match self {
            Self::Artifact => wanted.object,
            Self::Assembly => wanted.assembly,
            Self::Optimized => wanted.optimized,
        }
    }

    /// `device link` lists all that an artifact is made of.
    fn key(self, link_set: &Key) -> Key {
        let form = match self {
            Self::Artifact => return link_set.clone(),
            Self::Assembly => "assembly",
            Self::Optimized => "optimized",
        };
        let mut key = KeyBuilder::new(Class::Tool, link_set.subject());
        key.text("form", form).nested("composition", link_set);
        key.finish()
    }

    fn write(self, linked_module: &LinkedModule) -> Vec<u8> {
        let mut out = Writer::new();
        match self {
            Self::Artifact => {
                out.bytes(&linked_module.object);
                out.u32(linked_module.shared_bytes);
            }
            Self::Assembly => out.bytes(&linked_module.assembly),
            Self::Optimized => out.bytes(&linked_module.optimized),
        }
        out.finish()
    }

    /// Fills in what was written; `None` if it was something else.
    fn read(self, bytes: &[u8], linked_module: &mut LinkedModule) -> Option<()> {
        let mut input = Reader::new(bytes);
        let mut next = || input.bytes().map(<[u8]>::to_vec).ok();
        match self {
            Self::Artifact => {
                let object = next()?;
                let shared_bytes = input.u32().ok()?;
                (linked_module.object, linked_module.shared_bytes) = (object, shared_bytes);
            }
            Self::Assembly => linked_module.assembly = next()?,
            Self::Optimized => linked_module.optimized = next()?,
        }
        input.finish().ok()
    }
}

/// Returns the wanted forms that are not there.
pub(super) fn missing(linked_module: &LinkedModule, wanted: OutputKinds) -> OutputKinds {
    let LinkedModule { linked, optimized, assembly, object, shared_bytes: _ } = linked_module;
    OutputKinds {
        linked: wanted.linked && linked.is_empty(),
        optimized: wanted.optimized && optimized.is_empty(),
        assembly: wanted.assembly && assembly.is_empty(),
        object: wanted.object && object.is_empty(),
    }
}

/// Returns the forms made, and those found of the rest.
pub(super) fn together(made: LinkedModule, found: LinkedModule) -> LinkedModule {
    let either = |made: Vec<u8>, found: Vec<u8>| if made.is_empty() { found } else { made };
    LinkedModule {
        linked: either(made.linked, found.linked),
        optimized: either(made.optimized, found.optimized),
        assembly: either(made.assembly, found.assembly),
        object: either(made.object, found.object),
        shared_bytes: made.shared_bytes.max(found.shared_bytes),
    }
}

/// Returns the wanted forms of an artifact.
pub(super) fn only(linked_module: &LinkedModule, wanted: OutputKinds) -> LinkedModule {
    let form = |is_wanted: bool, bytes: &Vec<u8>| if is_wanted { bytes.clone() } else { Vec::new() };
    LinkedModule {
        linked: form(wanted.linked, &linked_module.linked),
        optimized: form(wanted.optimized, &linked_module.optimized),
        assembly: form(wanted.assembly, &linked_module.assembly),
        object: form(wanted.object, &linked_module.object),
        shared_bytes: linked_module.shared_bytes,
    }
}

/// Returns the wanted forms that are kept.
pub(super) fn kept_forms(results: &TieredStore, link_set: &Key, wanted: OutputKinds) -> LinkedModule {
    let mut linked_module = LinkedModule::default();
    for kept in Kept::ALL.into_iter().filter(|it| it.is_wanted(wanted)) {
        let key = kept.key(link_set);
        let entry = if kept == Kept::Artifact { results.get(&key) } else { results.peek(&key) };
        let _ = entry.and_then(|it| kept.read(&it.payload, &mut linked_module)); // damaged: made again
    }
    linked_module
}

/// Keeps what was made.
pub(super) fn keep_forms(
    results: &TieredStore,
    link_set: &Key,
    made: &LinkedModule,
    wanted: OutputKinds,
    cost: Duration,
) {
    for kept in Kept::ALL.into_iter().filter(|it| it.is_wanted(wanted)) {
        let (key, bytes) = (kept.key(link_set), kept.write(made));
        if kept == Kept::Artifact {
            results.replace(key, Entry::new(bytes, cost));
        } else {
            results.put(key, Entry::new(bytes, Duration::ZERO));
        }
    }
}
