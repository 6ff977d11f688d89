//! Tables of an image that are used where they lie: an entry is found by its number or by a hash, and decoded when
//! it is used.
//!
//! ```text
//! entries: number | slots: number | bits of a group: number | bytes of the entries: number
//! | starts of groups: u32 each | hash index: slots of u32 | entries, each with its length
//! ```
//!
//! The start of a group of entries is written; a reader skips those before its own. A slot has the number of an entry + 1
//! in its low bits, as many as the number of entries needs, and bits of the entry's hash in the others; it is 0 if empty.
//! The hash index is probed from the slot that the hash's high half selects. It depends on the hashes alone, in the order
//! of the entries.

use super::{ImageBytes, ImageError};
use kiln_bytes::{Read, Reader, Writer};
use once_cell::race::OnceBox;

const SLOT: usize = 4;

/// Eight entries have one start.
const GROUP_BITS: u32 = 3;
/// Two entries have one start in tables of which each process reads hundreds of entries: skipping an entry costs a cache miss.
const GROUP_BITS_READ_OFTEN: u32 = 1;

/// A table that is being written.
#[derive(Debug)]
pub struct TableWriter {
    group_bits: u32,
    offsets: Vec<u32>,
    entries: Writer,
    hashes: Vec<(u64, u32)>,
}

impl Default for TableWriter {
    fn default() -> Self {
        Self::with_groups(GROUP_BITS)
    }
}

impl TableWriter {
    /// No entries yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// No entries of a table that is read often: it is larger, and fewer entries are skipped.
    pub fn read_often() -> Self {
        Self::with_groups(GROUP_BITS_READ_OFTEN)
    }
    fn with_groups(group_bits: u32) -> Self {
        Self { group_bits, offsets: Vec::new(), entries: Writer::new(), hashes: Vec::new() }
    }
    /// Begins the next entry; with a hash it can be looked up by it.
    pub fn entry(&mut self, hash: Option<u64>) -> &mut Writer {
        if let Some(hash) = hash {
            self.hashes.push((hash, self.offsets.len() as u32));
        }
        self.offsets.push(self.entries.len() as u32);
        &mut self.entries
    }
    /// Writes the table.
    pub fn finish(mut self, out: &mut Writer) {
        let len = self.offsets.len();
        let index = build_index(len, &self.hashes);
        self.offsets.push(self.entries.len() as u32);
        let all = self.entries.finish();
        let (mut starts, mut entries) = (Writer::new(), Writer::new());
        for (at, ends) in self.offsets.windows(2).enumerate() {
            if at.trailing_zeros() >= self.group_bits {
                starts.u32(entries.len() as u32);
            }
            entries.bytes(&all[ends[0] as usize..ends[1] as usize]);
        }
        out.index(len);
        out.index(index.len() / SLOT);
        out.number(self.group_bits.into());
        out.index(entries.len());
        [starts.finish(), index, entries.finish()].iter().for_each(|it| out.raw(it));
    }
}

/// The bits of a slot that are the number of an entry, of `len` entries.
fn number_mask(len: usize) -> u32 {
    u32::MAX.checked_shr((len as u32).leading_zeros()).unwrap_or(0)
}

/// Returns the slot of `slots` that is probed first.
fn first_slot(hash: u64, slots: usize) -> usize {
    (((hash >> 32) * slots as u64) >> 32) as usize
}

fn build_index(len: usize, hashes: &[(u64, u32)]) -> Vec<u8> {
    if hashes.is_empty() {
        return Vec::new();
    }
    let mut slots = vec![0; hashes.len() * 4 / 3 + 1];
    let mask = number_mask(len);
    for &(hash, number) in hashes {
        let mut slot = first_slot(hash, slots.len());
        while slots[slot] != 0 {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = (hash as u32 & !mask) | (number + 1);
    }
    slots.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// A table in an image.
#[derive(Clone, Debug, Default)]
pub struct FrozenTable {
    bytes: ImageBytes,
    len: usize,
    slots: usize,
    group_bits: u32,
    starts: usize,
    index: usize,
    entries: std::ops::Range<usize>,
}

impl FrozenTable {
    /// The table that `input`, which reads `bytes`, comes to next.
    ///
    /// # Errors
    /// When it does not fit into the bytes.
    pub fn read(bytes: &ImageBytes, input: &mut Reader<'_>) -> Read<Self> {
        let (len, slots) = (input.count()?, input.count()?);
        let group_bits = input.index(32)? as u32;
        let size = input.count()?;
        let position = |it: &Reader<'_>| bytes.get().len() - it.rest().len();
        let starts = position(input);
        input.take(len.div_ceil(1 << group_bits) * SLOT)?;
        let index = position(input);
        input.take(slots * SLOT)?;
        let first = position(input);
        input.take(size)?;
        Ok(Self { bytes: bytes.clone(), len, slots, group_bits, starts, index, entries: first..first + size })
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
    pub fn entry(&self, at: usize) -> Result<Reader<'_>, ImageError> {
        if at >= self.len {
            return Err(ImageError("a table without such an entry"));
        }
        let group = at >> self.group_bits;
        let start = self.bytes.u32_at(self.starts + SLOT * group) as usize;
        let entries = self.bytes.get()[self.entries.clone()].get(start..);
        let mut input = Reader::new(entries.ok_or(ImageError("an entry lies outside its table"))?);
        for _ in group << self.group_bits..at {
            input.bytes()?;
        }
        Ok(Reader::new(input.bytes()?))
    }
    /// The entries that may have this hash.
    #[inline]
    pub fn candidates(&self, hash: u64) -> impl Iterator<Item = usize> + '_ {
        let first = first_slot(hash, self.slots);
        let mask = number_mask(self.len);
        (first..self.slots)
            .chain(0..first)
            .map(|it| self.bytes.u32_at(self.index + it * SLOT))
            .take_while(|&it| it != 0)
            .filter(move |it| (it ^ hash as u32) & !mask == 0)
            .map(move |it| (it & mask) as usize)
            .filter(|it| (1..=self.len).contains(it))
            .map(|it| it - 1)
    }
    /// Whether its index is that of entries with these hashes.
    ///
    /// # Errors
    /// When it is another.
    pub fn check_index(&self, hashes: &[(u64, u32)]) -> Result<(), ImageError> {
        let index = &self.bytes.get()[self.index..self.index + self.slots * SLOT];
        let same = index == build_index(self.len, hashes);
        if same { Ok(()) } else { Err(ImageError("an index of another table")) }
    }
}

/// The number of slots allocated at once.
const LEAF: usize = 64;

/// The decoded entries of a frozen table. Unused entries take next to no memory.
pub struct Thawed<T> {
    len: usize,
    /// Slots are pointers: every process makes the outer table, of which it uses little.
    leaves: Box<[OnceBox<Leaf<T>>]>,
}

type Leaf<T> = [OnceBox<T>; LEAF];

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
        Self { len, leaves: (0..len.div_ceil(LEAF)).map(|_| OnceBox::new()).collect() }
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
        self.leaves[at / LEAF].get()?[at % LEAF].get()
    }
    /// Keeps entry `at`, unless another thread has done so.
    pub fn insert(&self, at: usize, item: T) -> &T {
        let leaf = self.leaves[at / LEAF].get_or_init(|| Box::new(std::array::from_fn(|_| OnceBox::new())));
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
