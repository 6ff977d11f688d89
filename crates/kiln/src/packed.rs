//! The library's files in the program: texts compressed in groups, unpacked when one is asked for, and the lengths of lines,
//! which most messages need alone. `build/packed.rs` writes them.
//!
//! ```text
//! groups: number | each: bytes without compression, and with it: number each | their bytes | table of files, by path
//! a file: path | group: number | offset and length in its group: number each | lengths of its lines but the last: list
//! ```

use kiln_bytes::{Read, Reader};
use kiln_types::freeze::{FrozenTable, ImageBytes, ImageError};
use std::ops::Range;

/// Files that the build wrote.
#[derive(Debug)]
pub(crate) struct Packed {
    /// Compressed texts with their lengths.
    groups: Vec<(usize, &'static [u8])>,
    files: FrozenTable,
}

/// A file: everything but its text.
pub(crate) struct PackedFile<'a> {
    pub(crate) path: &'a str,
    group: usize,
    range: Range<usize>,
    /// The lengths of its lines but the last.
    lines: Reader<'a>,
}

impl PackedFile<'_> {
    /// Returns the number of bytes of its text.
    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }

    /// Returns the lengths of its lines but the last, with their ends.
    pub(crate) fn lines(&self) -> Read<Vec<u32>> {
        self.lines.clone().list(Reader::number_u32)
    }
}

impl Packed {
    /// Finds the parts.
    pub(crate) fn read(bytes: &'static [u8]) -> Result<Self, ImageError> {
        let mut input = Reader::new(bytes);
        let lengths = input.list(|it| Ok((it.number()? as usize, it.number()? as usize)))?;
        let groups = lengths.into_iter().map(|(len, packed)| Ok((len, input.take(packed)?)));
        let groups = groups.collect::<Read<Vec<_>>>()?;
        let files = FrozenTable::read(&ImageBytes::Program(bytes), &mut input)?;
        input.finish()?;
        Ok(Self { groups, files })
    }

    fn file(&self, at: usize) -> Result<PackedFile<'_>, ImageError> {
        let mut entry = self.files.entry(at)?;
        let (path, group) = (entry.str()?, entry.index(self.groups.len())?);
        let (start, len) = (entry.number()? as usize, entry.number()? as usize);
        Ok(PackedFile { path, group, range: start..start + len, lines: entry })
    }

    /// All files, by path.
    pub(crate) fn files(&self) -> impl Iterator<Item = PackedFile<'_>> {
        (0..self.files.len()).map(|it| kiln_types::freeze::accepted(self.file(it)))
    }

    /// Returns the file of this path.
    pub(crate) fn find(&self, path: &str) -> Option<PackedFile<'_>> {
        let (mut low, mut high) = (0, self.files.len());
        while low < high {
            let middle = (low + high) / 2;
            let file = self.file(middle).ok()?;
            match file.path.cmp(path) {
                std::cmp::Ordering::Equal => return Some(file),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Unpacks the text of a file.
    pub(crate) fn text(&self, file: &PackedFile<'_>) -> Option<String> {
        let &(len, packed) = self.groups.get(file.group)?;
        let group = zstd::bulk::decompress(packed, len).ok()?;
        String::from_utf8(group.get(file.range.clone())?.to_vec()).ok()
    }
}
