//! The entries of images and of the store, as listings name them.

use kiln_cache::{Class, Entry, Key, KeyValue};
use kiln_compile::device::device_link::{DEVICE, device_label};
use kiln_compile::device::finish::TOOL;
use kiln_compile::{LATE_UNIT, OUTPUT, OpenImage, REFUSAL};
use kiln_targets::TargetFacts;

/// The kind of an entry of an image, or of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// Typed code.
    Typed,
    /// A unit.
    Unit,
    /// The traits, sites and globals of a unit whose code has not been generated.
    LateUnit,
    /// An artifact that devices load.
    Artifact,
    /// The output of a vendor's tool.
    MachineCode,
    /// Why there is no code of something.
    Refusal,
    /// A note without payload, or one that says which of others to take.
    Note,
}

impl Holding {
    /// Of an entry with this key.
    pub fn of(key: &Key, entry: &Entry) -> Self {
        let output = key.parts().into_iter().find(|it| it.name == OUTPUT).map(|it| it.value);
        match (key.class(), output) {
            (_, Some(KeyValue::Text(what))) if what == REFUSAL => Self::Refusal,
            (_, Some(KeyValue::Text(what))) if what == LATE_UNIT => Self::LateUnit,
            (Class::Semantic, _) if entry.payload.is_empty() => Self::Note,
            (Class::Semantic, _) => Self::Typed,
            (Class::Codegen, _) => Self::Unit,
            (Class::Tool, Some(_)) => Self::Note,
            (Class::Tool, None) if key.parts().iter().any(|it| it.name == TOOL) => Self::MachineCode,
            (Class::Tool, None) => Self::Artifact,
        }
    }

    /// As listings name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Typed => "typed code",
            Self::Unit => "unit",
            Self::LateUnit => "late unit",
            Self::Artifact => "artifact",
            Self::MachineCode => "machine code",
            Self::Refusal => "refusal",
            Self::Note => "note",
        }
    }
}

/// The device of an image that an entry is for, if it is what one loads.
pub fn device_of<'a>(image: &'a OpenImage, key: &Key) -> Option<&'a TargetFacts> {
    let said = key.parts().into_iter().find(|it| it.name == DEVICE)?.value;
    let is_of = |it: &&TargetFacts| said == KeyValue::Text(device_label(it));
    image.devices().iter().find(is_of).filter(|_| key.class() == Class::Tool)
}
