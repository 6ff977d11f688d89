//! The frame of an image: its kind, program, length and checksum.
//!
//! ```text
//! magic: 8 bytes | version: u32 | parts: u32 | build id: 16 bytes | length of all: u64 | lengths of parts: u64 each
//! | blake3 of what precedes and follows: 32 bytes | parts
//! ```

use super::{ImageBytes, ImageError};
use kiln_bytes::{Reader, Writer};
use kiln_ir::{Builtin, HostFunction, Intrinsic};

const MAGIC: [u8; 8] = *b"KILNIMG\0";
const VERSION: u32 = 6;
const PARTS: usize = 6;
const CHECKSUM_AT: usize = 8 + 4 + 4 + 16 + 8 + 8 * PARTS;
const HEADER: usize = CHECKSUM_AT + 32;

/// Part of an image, by position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Types,
    Objects,
    Tables,
    Loaded,
    Bodies,
    Attached,
}

/// The extent of the checks before an image is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The image is part of the program, whose bytes are trusted: entries are read on demand.
    Program,
    /// The image may come from anywhere: everything is checked first.
    Nothing,
}

/// An image whose frame has been checked.
#[derive(Clone, Debug)]
pub struct Snapshot {
    bytes: ImageBytes,
    parts: [(usize, usize); PARTS],
    trust: Trust,
}

/// Tells programs apart that number builtins, host functions or intrinsics differently, or encode otherwise.
fn build_id() -> [u8; 16] {
    let mut hash = blake3::Hasher::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    let names = Builtin::ALL.iter().map(|it| it.name());
    let names = names.chain(HostFunction::ALL.iter().map(|it| it.name()));
    for name in names.chain(Intrinsic::ALL.iter().map(|it| it.name())) {
        hash.update(&[0]);
        hash.update(name.as_bytes());
    }
    let mut id = [0; 16];
    id.copy_from_slice(&hash.finalize().as_bytes()[..16]);
    id
}

fn checksum(bytes: &[u8]) -> [u8; 32] {
    let mut hash = blake3::Hasher::new();
    hash.update(&bytes[..CHECKSUM_AT]);
    hash.update(&bytes[HEADER..]);
    *hash.finalize().as_bytes()
}

/// Restores the checksum after a change, to test the other checks.
#[cfg(test)]
pub(super) fn seal(bytes: &mut [u8]) {
    let sum = checksum(bytes);
    bytes[CHECKSUM_AT..HEADER].copy_from_slice(&sum);
}

pub(super) fn assemble(parts: [&[u8]; PARTS]) -> Vec<u8> {
    let length = HEADER + parts.iter().map(|it| it.len()).sum::<usize>();
    let mut out = Writer::with_capacity(length);
    out.raw(&MAGIC);
    out.u32(VERSION);
    out.u32(PARTS as u32);
    out.raw(&build_id());
    out.u64(length as u64);
    parts.iter().for_each(|it| out.u64(it.len() as u64));
    out.raw(&[0; 32]);
    parts.iter().for_each(|it| out.raw(it));
    let mut bytes = out.finish();
    let sum = checksum(&bytes);
    bytes[CHECKSUM_AT..HEADER].copy_from_slice(&sum);
    bytes
}

impl Snapshot {
    /// Checks the frame of an image and, trusting nothing, its checksum.
    ///
    /// # Errors
    /// When it is no image, or one of another version, of another program, cut short, or damaged.
    pub fn open(bytes: ImageBytes, trust: Trust) -> Result<Self, ImageError> {
        let all = bytes.get();
        let mut input = Reader::new(all);
        if all.len() < HEADER || input.array()? != MAGIC {
            return Err(ImageError("not an image"));
        }
        if (input.u32()?, input.u32()?) != (VERSION, PARTS as u32) {
            return Err(ImageError("an image of another version"));
        }
        if input.array()? != build_id() {
            return Err(ImageError("an image of another program"));
        }
        if input.u64()? != all.len() as u64 {
            return Err(ImageError("an image of another length than it says"));
        }
        let mut parts = [(0, 0); PARTS];
        let mut start = HEADER;
        for part in &mut parts {
            let len = usize::try_from(input.u64()?).unwrap_or(usize::MAX);
            *part = (start, len);
            let end = start.checked_add(len).filter(|&it| it <= all.len());
            start = end.ok_or(ImageError("an image cut short"))?;
        }
        if start != all.len() {
            return Err(ImageError("an image with bytes left over"));
        }
        if trust == Trust::Nothing && checksum(all) != all[CHECKSUM_AT..HEADER] {
            return Err(ImageError("a damaged image"));
        }
        Ok(Self { bytes, parts, trust })
    }

    /// Returns the identity of this image.
    pub fn id(&self) -> [u8; 32] {
        let mut id = [0; 32];
        id.copy_from_slice(&self.bytes.get()[CHECKSUM_AT..HEADER]);
        id
    }

    /// Returns the bytes attached to it.
    pub fn attached(&self) -> &[u8] {
        self.part(Part::Attached)
    }

    pub(super) fn trust(&self) -> Trust {
        self.trust
    }

    pub(super) fn part(&self, part: Part) -> &[u8] {
        let (start, len) = self.parts[part as usize];
        &self.bytes.get()[start..start + len]
    }

    pub(super) fn part_bytes(&self, part: Part) -> ImageBytes {
        let (start, len) = self.parts[part as usize];
        self.bytes.slice(start, len)
    }
}
