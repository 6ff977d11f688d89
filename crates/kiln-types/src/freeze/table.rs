//! Tables of an image that are used where they lie: an entry is found by its number or by a hash, and decoded when
//! it is used.
//!
//! ```text
//! entries: number | slots: number | offsets of entries, and of their end: u32 each
//! | hash index: slots of (number of an entry + 1, hash's low half), u32 each, 0 if empty | entries
//! ```
//!
//! The hash index is probed from the slot that the hash's high half selects. It depends on the hashes alone, in the
//! order of the entries.

use super::{ImageBytes, ImageError, In, Out};
use std::sync::OnceLock;

const SLOT: usize = 8;

/// A table that is being written.
#[derive(Debug, Default)]
pub struct TableWriter {
    offsets: Vec<u32>,
    entries: Out,
    hashes: Vec<(u64, u32)>,
}

impl TableWriter {
    /// No entries yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// Begins the next entry; with a hash it can be looked up by it.
    pub fn entry(&mut self, hash: Option<u64>) -> &mut Out {
        if let Some(hash) = hash {
            self.hashes.push((hash, self.offsets.len() as u32));
        }
        self.offsets.push(self.entries.len() as u32);
        &mut self.entries
    }
    /// Writes the table.
    pub fn finish(self, out: &mut Out) {
        let index = build_index(&self.hashes);
        out.index(self.offsets.len());
        out.index(index.len() / SLOT);
        for offset in self.offsets.iter().copied().chain([self.entries.len() as u32]) {
            out.raw(&offset.to_le_bytes());
        }
        out.raw(&index);
        out.raw(&self.entries.into_bytes());
    }
}

fn build_index(hashes: &[(u64, u32)]) -> Vec<u8> {
    if hashes.is_empty() {
        return Vec::new();
    }
    let slots = (hashes.len() * 4 / 3 + 1).next_power_of_two();
    let mut index = vec![0; slots * SLOT];
    for &(hash, number) in hashes {
        let mut slot = (hash >> 32) as usize & (slots - 1);
        while index[slot * SLOT..slot * SLOT + 4] != [0; 4] {
            slot = (slot + 1) & (slots - 1);
        }
        index[slot * SLOT..slot * SLOT + 4].copy_from_slice(&(number + 1).to_le_bytes());
        index[slot * SLOT + 4..(slot + 1) * SLOT].copy_from_slice(&(hash as u32).to_le_bytes());
    }
    index
}

/// A table in an image.
#[derive(Clone, Debug, Default)]
pub struct FrozenTable {
    bytes: ImageBytes,
    len: usize,
    slots: usize,
    offsets: usize,
    index: usize,
    entries: usize,
}

impl FrozenTable {
    /// The table that `input`, which reads `bytes`, comes to next.
    ///
    /// # Errors
    /// When it does not fit into the bytes.
    pub fn read(bytes: &ImageBytes, input: &mut In<'_>) -> Result<Self, ImageError> {
        let (len, slots) = (input.count()?, input.count()?);
        if slots != 0 && !slots.is_power_of_two() {
            return Err(ImageError("an index of an odd size"));
        }
        let position = |it: &In<'_>| bytes.get().len() - it.left();
        let offsets = position(input);
        let ends = input.raw((len + 1) * 4)?;
        let index = position(input);
        input.raw(slots * SLOT)?;
        let entries = position(input);
        let mut end = [0; 4];
        end.copy_from_slice(&ends[len * 4..]);
        input.raw(u32::from_le_bytes(end) as usize)?;
        Ok(Self { bytes: bytes.clone(), len, slots, offsets, index, entries })
    }
    /// Returns the number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Returns entry `at`.
    ///
    /// # Errors
    /// When it does not exist.
    #[inline]
    pub fn entry(&self, at: usize) -> Result<In<'_>, ImageError> {
        if at >= self.len {
            return Err(ImageError("a table without such an entry"));
        }
        let [start, end] = [at, at + 1].map(|it| self.bytes.u32_at(self.offsets + 4 * it) as usize);
        let entry = self.bytes.get()[self.entries..].get(start..end);
        entry.map(In::new).ok_or(ImageError("an entry lies outside its table"))
    }
    /// The entries that may have this hash.
    #[inline]
    pub fn candidates(&self, hash: u64) -> impl Iterator<Item = usize> + '_ {
        let first = (hash >> 32) as usize;
        (0..self.slots)
            .map(move |it| {
                let at = self.index + ((first + it) & (self.slots - 1)) * SLOT;
                (self.bytes.u32_at(at) as usize, self.bytes.u32_at(at + 4))
            })
            .take_while(|it| it.0 != 0)
            .filter(move |it| it.1 == hash as u32 && it.0 <= self.len)
            .map(|it| it.0 - 1)
    }
    /// Whether its index is that of entries with these hashes.
    ///
    /// # Errors
    /// When it is another.
    pub fn check_index(&self, hashes: &[(u64, u32)]) -> Result<(), ImageError> {
        let index = &self.bytes.get()[self.index..self.index + self.slots * SLOT];
        if index == build_index(hashes) { Ok(()) } else { Err(ImageError("an index of another table")) }
    }
}

/// The number of slots allocated at once.
const LEAF: usize = 32;

/// The decoded entries of a frozen table. Unused entries take next to no memory.
pub struct Thawed<T> {
    len: usize,
    leaves: Box<[OnceLock<Leaf<T>>]>,
}

type Leaf<T> = Box<[OnceLock<Box<T>>]>;

impl<T> std::fmt::Debug for Thawed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Thawed").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<T> Default for Thawed<T> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<T> Thawed<T> {
    /// None of `len` entries.
    pub fn new(len: usize) -> Self {
        Self { len, leaves: (0..len.div_ceil(LEAF)).map(|_| OnceLock::new()).collect() }
    }
    /// Returns the number of entries, decoded or not.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Entry `at`, if it is there.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&T> {
        let found = self.leaves[at / LEAF].get()?[at % LEAF].get()?;
        Some(found)
    }
    /// Keeps entry `at`, unless another thread has done so.
    pub fn insert(&self, at: usize, item: T) -> &T {
        let leaf = self.leaves[at / LEAF].get_or_init(|| (0..LEAF).map(|_| OnceLock::new()).collect());
        leaf[at % LEAF].get_or_init(|| Box::new(item))
    }
}

/// Unwraps the result of reading an image that was accepted.
pub fn accepted<T>(read: Result<T, ImageError>) -> T {
    match read {
        Ok(it) => it,
        Err(problem) => unreachable!("an image that was accepted: {problem}"),
    }
}
