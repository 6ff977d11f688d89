//! Images: what a program's kernels were compiled to when the image was built, for sessions that compile nothing.
//!
//! An image is the entries that the store would have, of every unit and typed body that was wanted while it was built, for
//! one target or several. It is good for the program it was built by alone: the same sources of the compiler, the same
//! library, the same code generator (or none). What depends on the text of the Julia program is checked entry by entry,
//! when it is asked for.

use crate::SOURCES;
use crate::env::Compiler;
use kiln_bytes::{Read, Reader, Writer};
use kiln_cache::{Entry, ImageFile, Key};
use kiln_targets::{TargetFacts, rank, runs_here};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why an image cannot be used or written, as the end of a sentence.
#[derive(Debug)]
pub enum ImageUseError {
    /// The file is missing, or is no image.
    Open(kiln_cache::ImageRefusal),
    /// Its description of itself is damaged.
    Unreadable,
    /// It was built by another kiln, of this version.
    OtherKiln(String),
    /// It was built with another standard library.
    OtherLibrary,
    /// It was built with another code generator.
    OtherCodegen,
    /// It was built for these processors, of which this machine is none.
    OtherMachine(Vec<String>),
    /// It was built for other processors than the session compiles for.
    OtherTarget {
        /// Those of the image.
        has: Vec<String>,
        /// That of the session.
        wants: String,
    },
    /// An image is told from others by the library in the program, and this session has another.
    NoLibrary,
    /// There is no code generator to build an image with.
    NoCodegen,
    /// The file cannot be written.
    Write(PathBuf, std::io::Error),
}

impl std::error::Error for ImageUseError {}

impl fmt::Display for ImageUseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(error) => write!(f, "{error}"),
            Self::Unreadable => f.write_str("what it says of itself cannot be read"),
            Self::OtherKiln(version) => write!(f, "it was built by another kiln ({version})"),
            Self::OtherLibrary => f.write_str("it was built with another standard library"),
            Self::OtherCodegen => f.write_str("it was built with another code generator"),
            Self::OtherMachine(targets) => {
                write!(f, "it was built for {}, which this machine is not", targets.join(", "))
            }
            Self::OtherTarget { has, wants } => {
                write!(f, "it was built for {}, and this session compiles for {wants}", has.join(", "))
            }
            Self::NoLibrary => f.write_str(
                "an image can only be built with the library that is in the program, not with KILN_BASE",
            ),
            Self::NoCodegen => f.write_str("there is no code generator to build an image with"),
            Self::Write(path, error) => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

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
    image: Arc<ImageFile>,
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
            out.list(all, |out, it| out.bytes(&it.to_bytes()));
        }
        out.finish()
    }

    fn from_bytes(bytes: &[u8]) -> Read<Self> {
        let mut input = Reader::new(bytes);
        let (kiln, sources, library, codegen) =
            (input.string()?, input.string()?, input.bytes()?.to_vec(), input.string()?);
        let mut facts = || input.list(|it| TargetFacts::from_bytes(it.bytes()?));
        let (targets, devices) = (facts()?, facts()?);
        input.finish()?;
        Ok(Self { kiln, sources, library, codegen, targets, devices })
    }
}

/// Opens an image for a session whose library came from the snapshot `library`. `codegen` is asked for the identity of the code
/// generator, if there is one.
///
/// # Errors
/// Why the image cannot be used.
pub fn open_image(
    path: &Path,
    library: Option<[u8; 32]>,
    codegen: impl FnOnce() -> Option<String>,
) -> Result<OpenImage, ImageUseError> {
    let image = ImageFile::open(path).map_err(ImageUseError::Open)?;
    let note = Note::from_bytes(image.note()).map_err(|_| ImageUseError::Unreadable)?;
    if note.kiln != env!("CARGO_PKG_VERSION") || note.sources != SOURCES {
        return Err(ImageUseError::OtherKiln(note.kiln));
    }
    if library.is_none_or(|it| it[..] != note.library[..]) {
        return Err(ImageUseError::OtherLibrary);
    }
    if codegen().is_some_and(|it| it != note.codegen) {
        return Err(ImageUseError::OtherCodegen);
    }
    let best = note.targets.iter().filter(|it| runs_here(it)).max_by_key(|it| rank(it));
    let Some(best) = best.cloned() else {
        return Err(ImageUseError::OtherMachine(note.targets.iter().map(|it| it.cpu.to_string()).collect()));
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
) -> Result<u64, ImageUseError> {
    let library = library.ok_or(ImageUseError::NoLibrary)?;
    let codegen = kiln_codegen_client::identity(codegen).ok_or(ImageUseError::NoCodegen)?;
    let note = Note {
        kiln: env!("CARGO_PKG_VERSION").into(),
        sources: SOURCES.into(),
        library: library.into(),
        codegen,
        targets: targets.to_vec(),
        devices: devices.to_vec(),
    };
    kiln_cache::write_image(path, &note.to_bytes(), entries)
        .map_err(|it| ImageUseError::Write(path.to_owned(), it))
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

    /// The image itself.
    pub fn image(&self) -> &ImageFile {
        &self.image
    }
}

/// Takes results from an image from now on.
///
/// # Errors
/// When it has nothing for the target that this session compiles for.
pub fn use_image(compiler: &Compiler, image: OpenImage) -> Result<(), ImageUseError> {
    let facts = &compiler.options.facts;
    if !image.targets.contains(facts) {
        let has = image.targets.iter().map(|it| it.cpu.to_string()).collect();
        return Err(ImageUseError::OtherTarget { has, wants: facts.cpu.to_string() });
    }
    let _ = compiler.images.codegen.set(image.codegen);
    compiler.images.devices.write().extend_from_slice(&image.devices);
    compiler.results.add_image(image.image);
    Ok(())
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
