//! The screen: notes of the last accesses of each cell of memory, which a screened kernel compares its accesses with.
//!
//! `kiln_unit::ScreenState` tells what notes are. Compiled code compares most accesses by itself; here are the rules in full, for
//! those that it cannot decide, and for ranges that it meets first. What an access does not agree with may still be right:
//! an order by atomic operations, equal values. So the screen never reports. It *suspects*, and then
//! the launch is undone: before an array is written its contents are saved, in pieces.
//!
//! # Invariants
//! * What the checks would find in a launch, the screen suspects. In doubt it does.
//! * A suspected launch leaves no traces in the memory of arrays.

use super::HostArray;
use kiln_unit::{
    ACCESS_ATOMIC, ACCESS_READ, ACCESS_SAME, ACCESS_SLOT_SHIFT, ACCESS_WRITE, DECLARED_CONSTANT,
    DECLARED_LANES, DECLARED_SHARED, NOTE_ATOMIC, SCREEN_SLOTS, ScreenSlot, ScreenState,
};
use std::collections::HashMap;

/// The bytes of a cell, which has notes of its own, unless accesses are smaller.
const WORD: u64 = 4;
/// The notes in a cache line.
const NOTES_A_LINE: u64 = 16;
/// An array is saved in this many pieces at most, and in pieces of at least so many bytes.
const PIECES_MAX: u64 = 64;
const PIECE_BYTES_MIN: u64 = 64 << 10;
/// The arrays and parts of arrays that a launch may promise not to write: each access that is new is compared with all.
const CONSTANTS_MAX: usize = 64;
/// The bytes of notes that are kept for arrays that no launch has used of late.
const KEPT_BYTES_MAX: usize = 512 << 20;

/// A note for each cell of a range of memory. The notes of cells that fill cache lines do so too.
#[derive(Debug)]
struct Column {
    numbers: Vec<u32>,
    /// The number of the first cell.
    first: usize,
}

impl Column {
    /// The notes of memory from cell `start` on, counted from address 0.
    fn new(start: u64, notes: impl ExactSizeIterator<Item = u32>) -> Self {
        let mut numbers: Vec<u32> = Vec::with_capacity(notes.len() + NOTES_A_LINE as usize);
        let begins = numbers.as_ptr().addr() as u64 / size_of::<u32>() as u64;
        let first = (start.wrapping_sub(begins) % NOTES_A_LINE) as usize;
        numbers.resize(first, 0);
        numbers.extend(notes);
        Self { numbers, first }
    }

    fn note(&mut self, cell: usize) -> &mut u32 {
        &mut self.numbers[self.first + cell]
    }

    /// The address of the note of a cell.
    fn address(&self, cell: usize) -> u64 {
        self.numbers[self.first + cell..].as_ptr().expose_provenance() as u64
    }

    /// Divides each cell into `parts`, of which the first is cell `start`.
    fn divided(&self, start: u64, parts: usize) -> Self {
        let old = &self.numbers[self.first..];
        Self::new(start, (0..old.len() * parts).map(|it| old[it / parts]))
    }
}

/// The notes of a range of memory.
#[derive(Debug)]
pub(super) struct Notes {
    /// The address of the first cell.
    start: u64,
    /// The bytes of a cell.
    cell: u64,
    /// The last writers.
    written: Column,
    /// The last readers.
    read: Column,
}

impl Notes {
    /// The notes of memory that nothing has touched.
    fn new((start, end): (u64, u64)) -> Self {
        let start = start & !(WORD - 1);
        let column = || Column::new(start / WORD, vec![0; (end - start).div_ceil(WORD) as usize].into_iter());
        Self { start, cell: WORD, written: column(), read: column() }
    }

    fn bytes(&self) -> usize {
        (self.written.numbers.len() + self.read.numbers.len()) * size_of::<u32>()
    }

    /// The number of the cell at an address.
    fn cell_at(&self, address: u64) -> usize {
        ((address - self.start) / self.cell) as usize
    }

    /// Divides cells so that an access is to whole ones.
    fn suit(&mut self, address: u64, bytes: u64) {
        let cell = self.cell.min(1 << (address | bytes).trailing_zeros());
        let parts = (self.cell / cell) as usize;
        if parts > 1 {
            let divided = |it: &Column| it.divided(self.start / cell, parts);
            (self.written, self.read) = (divided(&self.written), divided(&self.read));
            self.cell = cell;
        }
    }
}

/// Memory that items may access, with its notes.
#[derive(Debug)]
struct Range {
    /// The address of the first byte, and of the first one behind the last.
    bounds: (u64, u64),
    /// Each group has its own.
    of_group: bool,
    notes: Notes,
    /// Whether the launch may have written to it; to memory of a group, each group may.
    is_written: bool,
    /// The pieces of it that are saved, if they need to be.
    saved: Vec<bool>,
    piece_bytes: u64,
}

impl Range {
    fn new(bounds: (u64, u64), of_group: bool, notes: Notes) -> Self {
        let bytes = bounds.1 - bounds.0;
        let piece_bytes = PIECE_BYTES_MIN.max(bytes.div_ceil(PIECES_MAX)).next_multiple_of(WORD);
        let pieces = if of_group { 0 } else { bytes.div_ceil(piece_bytes) as usize };
        let is_written = of_group;
        Self { bounds, of_group, notes, is_written, saved: vec![false; pieces], piece_bytes }
    }

    fn holds(&self, address: u64, bytes: u64) -> bool {
        address >= self.bounds.0 && bytes <= self.bounds.1 - self.bounds.0 && address <= self.bounds.1 - bytes
    }

    /// Returns the slot of a site for the cells between these bounds, with the numbers below which notes of readers and of writers
    /// are old.
    fn slot(&self, bounds: (u64, u64), (old_reads, old_writes): (u32, u32)) -> ScreenSlot {
        let start = bounds.0.next_multiple_of(self.notes.cell);
        let cell = self.notes.cell_at(start);
        ScreenSlot {
            start,
            bytes: bounds.1.saturating_sub(start),
            written: self.notes.written.address(cell),
            read: self.notes.read.address(cell),
            old_writes,
            old_reads,
            is_unwritten: u32::from(!self.is_written),
        }
    }

    /// Returns the slots of sites that access the range.
    fn slots<'s>(&self, all: &'s mut [ScreenSlot]) -> impl Iterator<Item = &'s mut ScreenSlot> {
        all.iter_mut().filter(|it| self.holds(it.start, it.bytes))
    }

    /// Returns the bounds of a piece.
    fn piece(&self, number: usize) -> (u64, u64) {
        let from = self.bounds.0 + number as u64 * self.piece_bytes;
        (from, (from + self.piece_bytes).min(self.bounds.1))
    }

    /// Returns the numbers of the first and the last piece of an access.
    fn pieces(&self, address: u64, bytes: u64) -> (usize, usize) {
        let number = |at: u64| ((at - self.bounds.0) / self.piece_bytes) as usize;
        (number(address), number(address + bytes - 1))
    }

    /// Returns the bounds of all saved pieces around one.
    fn saved_around(&self, number: usize) -> (u64, u64) {
        let first = (0..=number).rev().take_while(|it| self.saved[*it]).last().unwrap_or(number);
        let last = (number..self.saved.len()).take_while(|it| self.saved[*it]).last().unwrap_or(number);
        (self.piece(first).0, self.piece(last).1)
    }
}

/// An access of one item.
#[derive(Clone, Copy, Debug)]
struct Access {
    address: u64,
    bytes: u64,
    bits: u32,
    /// The number of the item, or of several.
    own: u32,
}

/// The screen of a session, from launch to launch.
#[derive(Debug)]
pub(super) struct Screen {
    /// The fields that compiled code reads.
    pub(super) state: Box<ScreenState>,
    next: u32,
    items: u32,
    ranges: Vec<Range>,
    constants: Vec<(u64, u64)>,
    /// Blocks in which lanes exchange values.
    exchanges: Vec<(u64, u64)>,
    /// The slots for memory of the group, and whether the sites write.
    group_slots: Vec<(usize, bool)>,
    /// The saved contents: the address, and the bytes.
    log: Vec<(u64, Vec<u8>)>,
    spare: Vec<Vec<u8>>,
    /// The notes of arrays of earlier launches, by address and bytes.
    kept: HashMap<(u64, u64), Notes>,
    /// Numbers are used up: all notes are to be forgotten.
    is_full: bool,
}

impl Screen {
    /// The state before the first launch; `state` has the functions.
    pub(super) fn new(state: ScreenState) -> Self {
        Self {
            state: Box::new(state),
            next: 1,
            items: 0,
            ranges: Vec::new(),
            constants: Vec::new(),
            exchanges: Vec::new(),
            group_slots: Vec::new(),
            log: Vec::new(),
            spare: Vec::new(),
            kept: HashMap::new(),
            is_full: false,
        }
    }

    /// Begins a launch with groups of so many items, which have this dynamic shared memory and reach these arrays.
    /// False if arrays overlap, which have notes of their own.
    pub(super) fn begin_launch(
        &mut self,
        items: u32,
        dynamic_memory: (u64, u64),
        arrays: &[HostArray],
    ) -> bool {
        if std::mem::take(&mut self.is_full) {
            self.kept.clear();
            self.next = 1;
        }
        (self.items, self.state.launch) = (items, self.next);
        self.next += 1;
        self.constants.clear();
        self.exchanges.clear();
        self.forget_slots();
        let (dynamic, dynamic_bytes) = dynamic_memory;
        // Blocks of static memory are declared; what lies between them belongs to nothing.
        if dynamic_bytes > 0 {
            let bounds = (dynamic, dynamic + dynamic_bytes);
            self.ranges.push(Range::new(bounds, true, Notes::new(bounds)));
        }
        for it in arrays.iter().filter(|it| !it.is_freed && it.bytes > 0) {
            let key = (it.start, it.bytes);
            let bounds = (it.start, it.start + it.bytes);
            let notes = self.kept.remove(&key).unwrap_or_else(|| Notes::new(bounds));
            self.ranges.push(Range::new(bounds, false, notes));
        }
        let used: usize = self.ranges.iter().map(|it| it.notes.bytes()).sum();
        if self.kept.values().map(Notes::bytes).sum::<usize>() > KEPT_BYTES_MAX.max(used) {
            self.kept.clear();
        }
        self.ranges.sort_by_key(|it| it.bounds);
        self.ranges.windows(2).all(|it| it[0].bounds.1 <= it[1].bounds.0)
    }

    /// Ends a launch, which is undone if it is suspected.
    pub(super) fn end_launch(&mut self, is_suspected: bool, restore: impl Fn(u64, &[u8])) {
        for (address, bytes) in self.log.drain(..).rev() {
            if is_suspected {
                restore(address, &bytes);
            }
            self.spare.push(bytes);
        }
        for it in self.ranges.drain(..).filter(|it| !it.of_group) {
            self.kept.insert((it.bounds.0, it.bounds.1 - it.bounds.0), it.notes);
        }
    }

    fn forget_slots(&mut self) {
        self.state.slots = [ScreenSlot::default(); SCREEN_SLOTS];
        self.group_slots.clear();
    }

    /// Begins a group; false if numbers are used up.
    pub(super) fn begin_group(&mut self) -> bool {
        let goes_on = self.begin_epoch();
        self.state.group = self.state.epoch;
        for &(slot, writes) in &self.group_slots {
            let slot = &mut self.state.slots[slot];
            slot.old_reads = self.state.group;
            slot.old_writes = if writes { self.state.group } else { 0 };
        }
        goes_on
    }

    /// Begins an epoch of the group; false if numbers are used up.
    pub(super) fn begin_epoch(&mut self) -> bool {
        let end = u64::from(self.next) + u64::from(self.items) + 1;
        self.is_full |= end >= u64::from(NOTE_ATOMIC);
        if !self.is_full {
            self.state.epoch = self.next;
            self.next = end as u32;
        }
        !self.is_full
    }

    /// Notes memory of a kind; false if it is not known.
    pub(super) fn declare(&mut self, address: u64, bytes: u64, kind: u32) -> bool {
        if kind == DECLARED_CONSTANT {
            let new = (address, address.saturating_add(bytes));
            if !self.constants.contains(&new) {
                self.constants.push(new);
                self.forget_slots();
            }
            return self.constants.len() <= CONSTANTS_MAX;
        }
        let block = (address, address.saturating_add(bytes));
        if kind == DECLARED_LANES && !self.exchanges.contains(&block) {
            self.exchanges.push(block);
        }
        let at = self.ranges.partition_point(|it| it.bounds.1 <= block.0);
        let next = self.ranges.get(at).map(|it| it.bounds);
        if bytes > 0 && next != Some(block) {
            if next.is_some_and(|it| it.0 < block.1) {
                return false;
            }
            self.ranges.insert(at, Range::new(block, true, Notes::new(block)));
        }
        matches!(kind, DECLARED_SHARED | DECLARED_LANES)
    }

    /// Whether an access of some lanes is right; then it is noted. `save` reads memory before it is written.
    pub(super) fn check(
        &mut self,
        (address, bytes): (u64, u64),
        (bits, item, lanes): (u32, u32, u64),
        save: impl Fn(u64, &mut [u8]),
    ) -> bool {
        let writes = bits & ACCESS_WRITE != 0;
        let is_same = bits & ACCESS_SAME != 0;
        if bytes == 0 {
            return true;
        }
        let first = self.state.epoch + 1 + item;
        if is_same && lanes.count_ones() > 1 {
            let access = Access { address, bytes, bits, own: self.state.epoch };
            return !writes && self.note(access, &save);
        }
        (0..64).filter(|it| lanes >> it & 1 == 1).all(|lane: u32| {
            let address = if is_same { address } else { address.wrapping_add(u64::from(lane) * bytes) };
            self.note(Access { address, bytes, bits, own: first + lane }, &save)
        })
    }

    /// Whether an access of an item is right; then it is noted, and the slot of its site gets the range.
    fn note(&mut self, access: Access, save: &impl Fn(u64, &mut [u8])) -> bool {
        let Access { address, bytes, bits, .. } = access;
        let writes = bits & ACCESS_WRITE != 0;
        let after = self.ranges.partition_point(|it| it.bounds.0 <= address);
        let Some(at) = after.checked_sub(1).filter(|it| self.ranges[*it].holds(address, bytes)) else {
            return false;
        };
        let end = address + bytes;
        if writes && self.constants.iter().any(|it| address < it.1 && it.0 < end) {
            return false;
        }
        let range = &mut self.ranges[at];
        let cell = range.notes.cell;
        range.notes.suit(address, bytes);
        if range.notes.cell != cell {
            range.slots(&mut self.state.slots).for_each(|it| *it = ScreenSlot::default());
        }
        if self.exchanges.contains(&range.bounds) {
            let block = range.bounds;
            self.fill_slot(at, block, (bytes, bits));
            return true;
        }
        let numbers = Numbers::new(&self.state, range.of_group);
        for cell in range.notes.cell_at(address)..range.notes.cell_at(end) {
            let Notes { written, read, .. } = &mut range.notes;
            if !numbers.agree(written.note(cell), read.note(cell), access) {
                return false;
            }
        }
        let mut bounds = range.bounds;
        if writes && !std::mem::replace(&mut range.is_written, true) {
            range.slots(&mut self.state.slots).for_each(|it| it.is_unwritten = 0);
        }
        if writes && !range.of_group {
            let (first, last) = range.pieces(address, bytes);
            for piece in first..=last {
                if !std::mem::replace(&mut range.saved[piece], true) {
                    let (from, to) = range.piece(piece);
                    let mut contents = self.spare.pop().unwrap_or_default();
                    contents.resize((to - from) as usize, 0);
                    save(from, &mut contents);
                    self.log.push((from, contents));
                }
            }
            bounds = range.saved_around(first);
            for it in &self.constants {
                // What is constant lies before the access, or behind it.
                if it.1 <= address {
                    bounds.0 = bounds.0.max(it.1);
                } else {
                    bounds.1 = bounds.1.min(it.0);
                }
            }
        }
        self.fill_slot(at, bounds, (bytes, bits));
        true
    }

    /// Gives the slot of a site a range in which its accesses are right, as far as that is a matter of place.
    fn fill_slot(&mut self, range: usize, bounds: (u64, u64), (bytes, bits): (u64, u32)) {
        let writes = bits & ACCESS_WRITE != 0;
        let range = &self.ranges[range];
        if range.notes.cell != bytes.min(WORD) {
            return; // compiled code compares notes of cells of its own size
        }
        let is_of_lanes = self.exchanges.contains(&range.bounds);
        let old = match (range.of_group, writes) {
            _ if is_of_lanes => (u32::MAX, u32::MAX),
            (false, _) => (self.state.launch, self.state.launch),
            (true, true) => (self.state.group, self.state.group),
            (true, false) => (self.state.group, 0),
        };
        let number = (bits >> ACCESS_SLOT_SHIFT) as usize;
        let Some(slot) = self.state.slots.get_mut(number) else { return };
        *slot = range.slot(bounds, old);
        self.group_slots.retain(|it| it.0 != number);
        if range.of_group && !is_of_lanes {
            self.group_slots.push((number, writes));
        }
    }
}

/// The numbers that notes are compared with.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    launch: u32,
    group: u32,
    epoch: u32,
    of_group: bool,
}

impl Numbers {
    fn new(state: &ScreenState, of_group: bool) -> Self {
        Self { launch: state.launch, group: state.group, epoch: state.epoch, of_group }
    }

    /// Whether a note is of an access that comes before those of this epoch.
    fn comes_before(self, note: u32) -> bool {
        let old = if self.of_group { self.group } else { self.launch };
        note < old || (note >= self.group && note < self.epoch)
    }

    /// Returns the number that stands for an item, and for the author of an earlier access.
    fn both(self, own: u32, note: u32) -> u32 {
        match note {
            _ if note == own || self.comes_before(note) => own,
            _ if note >= self.epoch => self.epoch,
            _ => self.launch,
        }
    }

    /// Whether an access agrees with the notes of a word, which it changes then.
    fn agree(self, written: &mut u32, read: &mut u32, access: Access) -> bool {
        let (writer, is_atomic) = (*written & !NOTE_ATOMIC, *written & NOTE_ATOMIC != 0);
        let is_settled = |note: u32| note == access.own || self.comes_before(note);
        let reads = access.bits & ACCESS_READ != 0;
        if self.of_group && reads && writer < self.group {
            return false; // unwritten
        }
        if access.bits & ACCESS_ATOMIC != 0 {
            if !is_settled(*read) || !(is_atomic || is_settled(writer)) {
                return false;
            }
            // What the item wrote before is plain for the others.
            if is_atomic || self.comes_before(writer) {
                *written = NOTE_ATOMIC | self.both(access.own, writer);
            }
            return true;
        }
        if !is_settled(writer) {
            return false;
        }
        if access.bits & ACCESS_WRITE == 0 {
            *read = self.both(access.own, *read);
            return true;
        }
        if is_settled(*read) {
            *written = access.own;
        }
        is_settled(*read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn check(_: *mut kiln_unit::LaunchContext, _: *mut u8, _: u64, _: u32, _: u32, _: u64) {}
    extern "C" fn tell(_: *mut kiln_unit::LaunchContext) {}
    extern "C" fn declare(_: *mut kiln_unit::LaunchContext, _: *mut u8, _: u64, _: u32) {}

    const ARRAY: u64 = 0x1000;
    const SHARED: u64 = 0x9000;

    /// A screen in a launch of groups of four items, with an array of 16 words and shared memory of 8.
    fn screen() -> Screen {
        let slots = [ScreenSlot::default(); SCREEN_SLOTS];
        let mut it = Screen::new(ScreenState {
            epoch: 0,
            group: 0,
            launch: 0,
            check,
            begin_group: tell,
            begin_epoch: tell,
            suspect: tell,
            declare,
            slots,
        });
        let array = HostArray { start: ARRAY, bytes: 64, around: (ARRAY - 16, ARRAY + 128), is_freed: false };
        assert!(it.begin_launch(4, (0, 0), &[array]));
        assert!(it.declare(SHARED, 32, DECLARED_SHARED));
        assert!(it.begin_group());
        it
    }

    fn access(it: &mut Screen, address: u64, bits: u32, item: u32) -> bool {
        it.check((address, 4), (bits, item, 1), |_, _| {})
    }

    #[test]
    fn items_that_touch_one_word_are_suspected() {
        let mut it = screen();
        assert!(access(&mut it, ARRAY, ACCESS_WRITE, 1) && access(&mut it, ARRAY, ACCESS_READ, 1));
        assert!(!access(&mut it, ARRAY, ACCESS_READ, 2) && !access(&mut it, ARRAY, ACCESS_WRITE, 2));
        assert!(access(&mut it, ARRAY + 4, ACCESS_READ, 1) && access(&mut it, ARRAY + 4, ACCESS_READ, 2));
        assert!(!access(&mut it, ARRAY + 4, ACCESS_WRITE, 1));
    }

    #[test]
    fn a_barrier_orders_the_items_of_a_group() {
        let mut it = screen();
        assert!(access(&mut it, ARRAY, ACCESS_WRITE, 1) && access(&mut it, ARRAY + 4, ACCESS_READ, 1));
        assert!(it.begin_epoch());
        assert!(access(&mut it, ARRAY, ACCESS_READ, 2) && access(&mut it, ARRAY + 4, ACCESS_WRITE, 2));
        assert!(it.begin_group());
        assert!(!access(&mut it, ARRAY, ACCESS_WRITE, 2) && !access(&mut it, ARRAY + 4, ACCESS_READ, 2));
    }

    /// Compiled code leaves out the notes of writers where there are none of the launch.
    #[test]
    fn the_first_write_is_told_to_all_sites() {
        let mut it = screen();
        let site = |number: u32| number << ACCESS_SLOT_SHIFT;
        assert!(access(&mut it, ARRAY, ACCESS_READ | site(1), 0));
        assert!(access(&mut it, SHARED, ACCESS_WRITE | site(2), 0));
        assert_eq!([1, 2].map(|site| it.state.slots[site].is_unwritten), [1, 0]);
        assert!(access(&mut it, ARRAY + 8, ACCESS_WRITE | site(3), 0));
        assert!(access(&mut it, ARRAY + 12, ACCESS_READ | site(4), 0));
        assert_eq!([1, 3, 4].map(|site| it.state.slots[site].is_unwritten), [0, 0, 0]);
    }

    /// The slot of a site that writes holds no constants, which the screen itself has to see.
    #[test]
    fn writes_beside_constants_are_seen() {
        let mut it = screen();
        assert!(it.declare(ARRAY + 16, 16, DECLARED_CONSTANT));
        let site = |number: u32| number << ACCESS_SLOT_SHIFT;
        assert!(access(&mut it, ARRAY + 8, ACCESS_WRITE | site(100), 0));
        assert!(access(&mut it, ARRAY + 32, ACCESS_WRITE | site(101), 0));
        assert_eq!((it.state.slots[100].start, it.state.slots[100].bytes), (ARRAY, 16));
        assert_eq!((it.state.slots[101].start, it.state.slots[101].bytes), (ARRAY + 32, 32));
        assert!(!access(&mut it, ARRAY + 16, ACCESS_WRITE, 0));
    }

    /// An access to half a word has notes of its own from then on, and so have words that were accessed before.
    #[test]
    fn cells_are_as_small_as_accesses() {
        let mut it = screen();
        let byte = |it: &mut Screen, at: u64, bits: u32, item: u32| {
            it.check((ARRAY + at, 1), (bits | 80 << ACCESS_SLOT_SHIFT, item, 1), |_, _| {})
        };
        assert!(access(&mut it, ARRAY, ACCESS_WRITE | 1 << ACCESS_SLOT_SHIFT, 0));
        assert_ne!(it.state.slots[1].bytes, 0);
        assert!(byte(&mut it, 4, ACCESS_WRITE, 0) && byte(&mut it, 5, ACCESS_WRITE, 1));
        assert_eq!((it.state.slots[1].bytes, it.state.slots[80].bytes), (0, 64));
        assert!(byte(&mut it, 3, ACCESS_WRITE, 0) && !byte(&mut it, 2, ACCESS_READ, 1));
        assert!(byte(&mut it, 6, ACCESS_WRITE, 2) && !access(&mut it, ARRAY + 4, ACCESS_READ, 2));
        assert!(it.begin_epoch());
        assert!(access(&mut it, ARRAY + 4, ACCESS_READ | 1 << ACCESS_SLOT_SHIFT, 3));
        assert_eq!(it.state.slots[1].bytes, 0, "its notes are of bytes");
    }

    #[test]
    fn notes_lie_in_cache_lines_as_their_words_do() {
        for start in [0x1000, 0x1004, 0x103c] {
            let mut column = Column::new(start / WORD, vec![7; 40].into_iter());
            assert_eq!(column.address(0) % 64, start % 64);
            assert!((0..40).all(|it| *column.note(it) == 7));
        }
    }

    #[test]
    fn memory_of_the_group_is_unwritten_when_it_begins() {
        let mut it = screen();
        assert!(!access(&mut it, SHARED, ACCESS_READ, 0));
        assert!(access(&mut it, SHARED, ACCESS_WRITE, 0) && access(&mut it, SHARED, ACCESS_READ, 0));
        assert!(!access(&mut it, SHARED + 32, ACCESS_WRITE, 0), "behind the block");
        assert!(it.begin_group());
        assert!(!access(&mut it, SHARED, ACCESS_READ, 0) && access(&mut it, SHARED, ACCESS_WRITE, 3));
    }

    /// The exchange itself has two meetings.
    #[test]
    fn lanes_exchange_values_in_order() {
        let mut it = screen();
        assert!(it.declare(SHARED + 48, 16, DECLARED_LANES));
        assert!(
            access(&mut it, SHARED + 48, ACCESS_WRITE, 0) && access(&mut it, SHARED + 48, ACCESS_READ, 1)
        );
        assert!(access(&mut it, SHARED + 48, ACCESS_WRITE, 2));
        assert!(!access(&mut it, SHARED + 64, ACCESS_READ, 1), "behind the block");
    }

    #[test]
    fn atomic_operations_agree_with_each_other_only() {
        let mut it = screen();
        let add = ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC;
        assert!(access(&mut it, ARRAY, add, 0) && access(&mut it, ARRAY, add, 1));
        assert!(!access(&mut it, ARRAY, ACCESS_READ, 1));
        assert!(access(&mut it, ARRAY + 4, ACCESS_WRITE, 0) && access(&mut it, ARRAY + 4, add, 0));
        assert!(!access(&mut it, ARRAY + 4, add, 1));
        assert!(it.begin_epoch());
        assert!(access(&mut it, ARRAY, ACCESS_READ, 2));
    }

    /// Memory that a suspected launch wrote is as it was before.
    #[test]
    fn arrays_are_saved_before_they_are_written() {
        let mut it = screen();
        let save = |_: u64, bytes: &mut [u8]| bytes.fill(7);
        assert!(it.check((ARRAY + 8, 4), (ACCESS_WRITE, 0, 0b11), save));
        let seen = std::cell::RefCell::new(Vec::new());
        it.end_launch(true, |address, bytes| seen.borrow_mut().push((address, bytes.to_vec())));
        assert_eq!(*seen.borrow(), [(ARRAY, vec![7; 64])]);
    }
}
