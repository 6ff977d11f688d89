//! Forms of an artifact as they are kept: what a launch needs under the key of the composition, and what only people look at
//! under keys beside it, so that finding a kernel reads no more than it runs.

use kiln_cache::{Class, Entry, Key, KeyBuilder};
use kiln_results::TieredStore;
use kiln_unit::bytes::{Reader, Writer};
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

    /// `composition` lists all that an artifact is made of.
    fn key(self, composition: &Key) -> Key {
        let form = match self {
            Self::Artifact => return composition.clone(),
            Self::Assembly => "assembly",
            Self::Optimized => "optimized",
        };
        let mut key = KeyBuilder::new(Class::Tool, composition.subject());
        key.text("form", form).nested("composition", composition);
        key.finish()
    }

    fn write(self, composed: &LinkedModule) -> Vec<u8> {
        let mut out = Writer::new();
        match self {
            Self::Artifact => {
                out.bytes(&composed.object);
                out.u32(composed.shared_bytes);
            }
            Self::Assembly => out.bytes(&composed.assembly),
            Self::Optimized => out.bytes(&composed.optimized),
        }
        out.finish()
    }

    /// Fills in what was written; `None` if it was something else.
    fn read(self, bytes: &[u8], composed: &mut LinkedModule) -> Option<()> {
        let mut input = Reader::new(bytes);
        let mut next = || input.bytes().map(<[u8]>::to_vec).ok();
        match self {
            Self::Artifact => {
                let object = next()?;
                let shared_bytes = input.u32().ok()?;
                (composed.object, composed.shared_bytes) = (object, shared_bytes);
            }
            Self::Assembly => composed.assembly = next()?,
            Self::Optimized => composed.optimized = next()?,
        }
        input.finish().ok()
    }
}

/// Returns the wanted forms that are not there.
pub(super) fn missing(composed: &LinkedModule, wanted: OutputKinds) -> OutputKinds {
    let LinkedModule { linked, optimized, assembly, object, shared_bytes: _ } = composed;
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
pub(super) fn only(composed: &LinkedModule, wanted: OutputKinds) -> LinkedModule {
    let form = |is_wanted: bool, bytes: &Vec<u8>| if is_wanted { bytes.clone() } else { Vec::new() };
    LinkedModule {
        linked: form(wanted.linked, &composed.linked),
        optimized: form(wanted.optimized, &composed.optimized),
        assembly: form(wanted.assembly, &composed.assembly),
        object: form(wanted.object, &composed.object),
        shared_bytes: composed.shared_bytes,
    }
}

/// Returns the wanted forms that are kept.
pub(super) fn kept_forms(results: &TieredStore, composition: &Key, wanted: OutputKinds) -> LinkedModule {
    let mut composed = LinkedModule::default();
    for kept in Kept::ALL.into_iter().filter(|it| it.is_wanted(wanted)) {
        let key = kept.key(composition);
        let entry = if kept == Kept::Artifact { results.get(&key) } else { results.peek(&key) };
        let _ = entry.and_then(|it| kept.read(&it.payload, &mut composed)); // damaged: made again
    }
    composed
}

/// Keeps what was made.
pub(super) fn keep_forms(
    results: &TieredStore,
    composition: &Key,
    made: &LinkedModule,
    wanted: OutputKinds,
    cost: Duration,
) {
    for kept in Kept::ALL.into_iter().filter(|it| it.is_wanted(wanted)) {
        let (key, bytes) = (kept.key(composition), kept.write(made));
        if kept == Kept::Artifact {
            results.replace(key, Entry::new(bytes, cost));
        } else {
            results.put(key, Entry::new(bytes, Duration::ZERO));
        }
    }
}
