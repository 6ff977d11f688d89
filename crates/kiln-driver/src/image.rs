//! Images: what a program's kernels were compiled to when the image was built, for sessions that compile nothing.
//!
//! An image is the entries that the store would have, of every unit and typed body that was wanted while it was built, for
//! one target or several. It is good for the program it was built by alone: the same sources of the compiler, the same
//! library, the same code generator (or none). What depends on the text of the Julia program is checked entry by entry,
//! when it is asked for.

use crate::kernel_host::Driver;
use kiln_cache::{Class, Entry, Image, Key, Value};
use kiln_compile::device::composition::{DEVICE, device_label};
use kiln_compile::{OUTPUT, REFUSAL, device::finish::TOOL};
use kiln_targets::{TargetFacts, rank, runs_here};
use kiln_unit::bytes::{Read, Reader, Writer};
use std::path::Path;
use std::sync::Arc;

/// The builder's description of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Note {
    kiln: String,
    sources: String,
    library: Vec<u8>,
    codegen: String,
    targets: Vec<TargetFacts>,
    devices: Vec<TargetFacts>,
}

/// An image that fits this program, and the target it is to be used for.
#[derive(Debug)]
pub struct OpenImage {
    image: Arc<Image>,
    codegen: String,
    /// The target that its code is for: the best it has that runs here.
    pub target: TargetFacts,
    targets: Vec<TargetFacts>,
    devices: Vec<TargetFacts>,
}

impl Note {
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.str(&self.kiln);
        out.str(&self.sources);
        out.bytes(&self.library);
        out.str(&self.codegen);
        for all in [&self.targets, &self.devices] {
            out.u32(all.len() as u32);
            all.iter().for_each(|it| out.bytes(&it.to_bytes()));
        }
        out.finish()
    }

    fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        let (kiln, sources, library, codegen) =
            (input.str()?, input.str()?, input.bytes()?.to_vec(), input.str()?);
        let (mut targets, mut devices) = (Vec::new(), Vec::new());
        for all in [&mut targets, &mut devices] {
            for _ in 0..input.u32()? {
                all.push(TargetFacts::from_bytes(input.bytes()?)?);
            }
        }
        input.finish()?;
        Ok(Self { kiln, sources, library, codegen, targets, devices })
    }
}

/// Opens an image for a session whose library came from the snapshot `library`, with the code generator at `codegen`, the
/// usual one if that is `None`.
///
/// # Errors
/// Why the image cannot be used, as the end of a sentence.
pub fn open_image(
    path: &Path,
    library: Option<[u8; 32]>,
    codegen: Option<&Path>,
) -> Result<OpenImage, String> {
    let image = Image::open(path).map_err(|it| it.to_string())?;
    let note = Note::from_bytes(image.note()).map_err(|_| "what it says of itself cannot be read")?;
    if note.kiln != env!("CARGO_PKG_VERSION") || note.sources != kiln_compile::SOURCES {
        return Err(format!("it was built by another kiln ({})", note.kiln));
    }
    if library.is_none_or(|it| it[..] != note.library[..]) {
        return Err("it was built with another standard library".into());
    }
    if kiln_codegen_client::identity(codegen).is_some_and(|it| it != note.codegen) {
        return Err("it was built with another code generator".into());
    }
    let best = note.targets.iter().filter(|it| runs_here(it)).max_by_key(|it| rank(it));
    let Some(best) = best.cloned() else {
        let targets: Vec<&str> = note.targets.iter().map(|it| &*it.cpu).collect();
        return Err(format!("it was built for {}, which this machine is not", targets.join(", ")));
    };
    let Note { codegen, targets, devices, .. } = note;
    Ok(OpenImage { image: Arc::new(image), codegen, target: best, targets, devices })
}

/// Writes an image of what was collected for these processors and devices; its length in bytes.
///
/// # Errors
/// When there is nothing it could be told by, or it cannot be written.
pub fn write_image(
    path: &Path,
    library: Option<[u8; 32]>,
    codegen: Option<&Path>,
    (targets, devices): (&[TargetFacts], &[TargetFacts]),
    entries: &[(Key, Entry)],
) -> Result<u64, String> {
    let library = library
        .ok_or("an image can only be built with the library that is in the program, not with KILN_BASE")?;
    let codegen =
        kiln_codegen_client::identity(codegen).ok_or("there is no code generator to build an image with")?;
    let note = Note {
        kiln: env!("CARGO_PKG_VERSION").into(),
        sources: kiln_compile::SOURCES.into(),
        library: library.into(),
        codegen,
        targets: targets.to_vec(),
        devices: devices.to_vec(),
    };
    kiln_cache::write_image(path, &note.to_bytes(), entries)
        .map_err(|it| format!("cannot write {}: {it}", path.display()))
}

/// The kind of an entry of an image, or of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// Typed code.
    Typed,
    /// A unit.
    Unit,
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
            (_, Some(Value::Text(what))) if what == REFUSAL => Self::Refusal,
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
            Self::Artifact => "artifact",
            Self::MachineCode => "machine code",
            Self::Refusal => "refusal",
            Self::Note => "note",
        }
    }
}

impl OpenImage {
    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.image.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.image.is_empty()
    }

    /// The processors it was built for.
    pub fn targets(&self) -> &[TargetFacts] {
        &self.targets
    }

    /// The devices it was built for.
    pub fn devices(&self) -> &[TargetFacts] {
        &self.devices
    }

    /// The device that an entry is for, if it is what one loads.
    pub fn device_of(&self, key: &Key) -> Option<&TargetFacts> {
        let said = key.parts().into_iter().find(|it| it.name == DEVICE)?.value;
        let is_of = |it: &&TargetFacts| said == Value::Text(device_label(it));
        self.devices.iter().find(is_of).filter(|_| key.class() == Class::Tool)
    }

    /// The image itself.
    pub fn image(&self) -> &Image {
        &self.image
    }
}

impl Driver {
    /// Takes results from an image from now on.
    ///
    /// # Errors
    /// When it has nothing for the target that this driver compiles for.
    pub fn use_image(&self, image: OpenImage) -> Result<(), String> {
        if !image.targets.contains(self.facts()) {
            let targets: Vec<&str> = image.targets.iter().map(|it| &*it.cpu).collect();
            let (has, wants) = (targets.join(", "), &self.facts().cpu);
            return Err(format!("it was built for {has}, and this session compiles for {wants}"));
        }
        let images = &self.compiler.images;
        let _ = images.codegen.set(image.codegen);
        images.devices.write().extend_from_slice(&image.devices);
        self.compiler.results.add_image(image.image);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A note comes back as it was written, and no truncation of it is taken for something else.
    #[test]
    fn a_note_survives_its_bytes() {
        let targets = ["x86-64-v2", "x86-64-v3"].map(|it| kiln_targets::lookup(it).expect("a level"));
        let note = Note {
            kiln: "1".into(),
            sources: "2".into(),
            library: vec![3; 32],
            codegen: "4".into(),
            targets: targets.into(),
            devices: vec![kiln_targets::lookup("sm_90").expect("a device")],
        };
        let bytes = note.to_bytes();
        assert_eq!(Note::from_bytes(&bytes), Ok(note));
        for len in 0..bytes.len() {
            assert!(Note::from_bytes(&bytes[..len]).is_err());
        }
    }
}
