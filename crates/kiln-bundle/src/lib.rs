//! Bundles: kernels for several targets in one file, which `libkiln_rt` reads.
//!
//! ```text
//!  0 magic "KILNBNDL"        12 length of the table u32
//!  8 version u32             16 SHA-256 of bytes 0 to 15, and of all from 48 on [32]
//! 48 table: parts, in the order of their contents
//!    contents of each part, from the next multiple of 64 on
//! ```
//!
//! A part for a processor is a shared library with a descriptor for each kernel; one for a device is what its driver loads,
//! for one kernel. The reader takes nothing on trust: there is one layout for a table, and it refuses lengths that do not
//! fit, gaps that are not zero, and contents that have another hash. What it accepts is written back to equal bytes.
//!
//! # Deliberately absent
//! Compression, files and code: this crate moves bytes.

use kiln_bytes::{Malformed, Read, Reader, Writer};
use sha2::{Digest, Sha256};
use std::fmt;

const MAGIC: [u8; 8] = *b"KILNBNDL";
const VERSION: u32 = 1;
const HEADER: usize = 48;
const ALIGN: usize = 64;

/// Why bytes are no bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleRefusal {
    /// The magic number is another.
    Foreign,
    /// The format has another version.
    Version(u32),
    /// The bytes end early.
    Truncated,
    /// The hash is that of other bytes.
    Damaged,
    /// The table contradicts itself.
    Malformed(&'static str),
}

impl std::error::Error for BundleRefusal {}

impl fmt::Display for BundleRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("it is no bundle"),
            Self::Version(it) => write!(f, "its format has version {it}, not {VERSION}"),
            Self::Truncated => f.write_str("it has been cut short"),
            Self::Damaged => f.write_str("it is damaged: its contents have another hash"),
            Self::Malformed(what) => write!(f, "it is malformed: {what}"),
        }
    }
}

impl From<Malformed> for BundleRefusal {
    fn from(it: Malformed) -> Self {
        Self::Malformed(it.0)
    }
}

/// A bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle<'a> {
    /// Its parts: for a processor those of higher levels come first.
    pub parts: Vec<BundlePart<'a>>,
}

/// Code for one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundlePart<'a> {
    /// The name of the target: `x86-64-v3`, `sm_90`.
    pub target: String,
    /// The level of a processor, from 1; 0 for a device.
    pub level: u32,
    /// The ending of files of this kind: `so`, `ptx`, `spv`.
    pub format: String,
    /// The kernels in it, by their names in C.
    pub kernels: Vec<String>,
    /// For a device: how the kernel is launched, as JSON (`kiln compile --sites`).
    pub description: &'a str,
    /// The code.
    pub contents: &'a [u8],
}

impl<'a> Bundle<'a> {
    /// The bytes of the bundle. Equal bundles have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut table = Writer::new();
        table.list(&self.parts, |out, it| {
            out.str(&it.target);
            out.u32(it.level);
            out.str(&it.format);
            out.list(&it.kernels, |out, it| out.str(it));
            out.str(it.description);
            out.u64(it.contents.len() as u64);
        });
        let table = table.finish();
        let mut bytes = vec![0; HEADER];
        bytes.extend_from_slice(&table);
        for it in &self.parts {
            bytes.resize(bytes.len().next_multiple_of(ALIGN), 0);
            bytes.extend_from_slice(it.contents);
        }
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(table.len() as u32).to_le_bytes());
        let hash = hash(&bytes);
        bytes[16..HEADER].copy_from_slice(&hash);
        bytes
    }

    /// Reads a bundle.
    ///
    /// # Errors
    /// When the bytes are not those of a bundle.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, BundleRefusal> {
        if bytes.get(..8) != Some(&MAGIC) {
            return Err(BundleRefusal::Foreign);
        }
        let mut header = Reader::new(&bytes[8..]);
        let version = header.u32().map_err(|_| BundleRefusal::Truncated)?;
        if version != VERSION {
            return Err(BundleRefusal::Version(version));
        }
        let table_len = header.u32().map_err(|_| BundleRefusal::Truncated)? as usize;
        let recorded: [u8; 32] = header.array().map_err(|_| BundleRefusal::Truncated)?;
        let table = header.take(table_len).map_err(|_| BundleRefusal::Truncated)?;
        let parts = read_table(table)?;
        let mut at = HEADER + table_len;
        let mut placed = Vec::with_capacity(parts.len());
        for (part, len) in parts {
            let start = at.next_multiple_of(ALIGN);
            let end = usize::try_from(len).ok().and_then(|it| start.checked_add(it));
            let end = end.filter(|it| *it <= bytes.len()).ok_or(BundleRefusal::Truncated)?;
            if bytes[at..start].iter().any(|it| *it != 0) {
                return Err(BundleRefusal::Malformed("bytes between two parts"));
            }
            placed.push(BundlePart { contents: &bytes[start..end], ..part });
            at = end;
        }
        if at != bytes.len() {
            return Err(BundleRefusal::Malformed("bytes behind the last part"));
        }
        if hash(bytes) != recorded {
            return Err(BundleRefusal::Damaged);
        }
        Ok(Self { parts: placed })
    }
}

/// The parts without their contents, and the lengths of these.
fn read_table(table: &[u8]) -> Read<Vec<(BundlePart<'_>, u64)>> {
    let mut input = Reader::new(table);
    let parts = input.list(|it| {
        let part = BundlePart {
            target: it.string()?,
            level: it.u32()?,
            format: it.string()?,
            kernels: it.list(Reader::string)?,
            description: it.str()?,
            contents: &[],
        };
        Ok((part, it.u64()?))
    })?;
    input.finish()?;
    Ok(parts)
}

/// The hash of a bundle: of its header without the hash, and of everything behind it.
fn hash(bytes: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(&bytes[..16]);
    hash.update(&bytes[HEADER..]);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Bundle<'static> {
        let part = |target: &str, level, format: &str, kernels: &[&str], contents| BundlePart {
            target: target.into(),
            level,
            format: format.into(),
            kernels: kernels.iter().map(|it| (*it).to_owned()).collect(),
            description: if level == 0 { "{}" } else { "" },
            contents,
        };
        Bundle {
            parts: vec![
                part("x86-64-v2", 2, "so", &["f", "g"], b"\x7fELF and so on"),
                part("sm_90", 0, "ptx", &["f"], b".version 8.0"),
                part("sm_90", 0, "ptx", &["g"], b""),
            ],
        }
    }

    /// A bundle comes back as it was written; no truncation and no changed bit is taken for one.
    #[test]
    fn a_bundle_survives_its_bytes_and_no_damage() {
        let bytes = example().to_bytes();
        assert_eq!(Bundle::from_bytes(&bytes), Ok(example()));
        for len in 0..bytes.len() {
            assert!(Bundle::from_bytes(&bytes[..len]).is_err(), "{len}");
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert!(Bundle::from_bytes(&damaged).is_err(), "{at}");
            }
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(Bundle::from_bytes(&longer), Err(BundleRefusal::Malformed("bytes behind the last part")));
    }

    /// Each refusal says what is wrong.
    #[test]
    fn refusals_are_told_apart() {
        let bytes = example().to_bytes();
        let with = |at: usize, value: u8| {
            let mut other = bytes.clone();
            other[at] = value;
            Bundle::from_bytes(&other).map(|_| ()).map_err(|it| it.to_string())
        };
        assert_eq!(Bundle::from_bytes(b"GIF"), Err(BundleRefusal::Foreign));
        assert_eq!(with(8, 9), Err("its format has version 9, not 1".into()));
        assert_eq!(with(15, 0xff), Err("it has been cut short".into()));
        let last = bytes.iter().rposition(|it| *it == b'0').expect("of the PTX");
        assert_eq!(with(last, b'1'), Err("it is damaged: its contents have another hash".into()));
        assert_eq!(Bundle::from_bytes(&bytes[..20]), Err(BundleRefusal::Truncated));
    }
}
