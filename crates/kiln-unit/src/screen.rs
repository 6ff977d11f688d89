//! The screen of checked kernels: a form of them that is as fast as vectors are, and says whether a launch needs checks at all.
//!
//! A screened kernel has the form of one that is not checked: loops over vectors of items, cut at barriers. Each access compares
//! notes of who touched its cells last. What it cannot prove to be right it *suspects*: then the launch is undone, and
//! made again with all checks, which say what is wrong, if anything is.
//!
//! Each cell has two notes: the number of who wrote it last, and of who read it. A cell is a word of four bytes, or where accesses are
//! smaller, half of one or a byte. Numbers grow: a launch
//! has one for itself ([`ScreenState::launch`]), and each epoch of a group has one for all its items ([`ScreenState::epoch`]),
//! followed by one for each item in linear order.

use crate::LaunchContext;

/// The ranges that a state remembers for sites of code. Sites that access cells of one size share them in turn, those that write apart
/// from those that read: what is right for one kind is not for the other.
pub const SCREEN_SLOTS: usize = 2 * KIND_SLOTS;
/// The slot of accesses of which nothing is remembered.
pub const NO_SCREEN_SLOT: u32 = SCREEN_SLOTS as u32;
/// The slots of sites that read; those of sites that write follow.
const KIND_SLOTS: usize = WORD_SLOTS + 2 * SMALL_SLOTS;
/// The slots of sites with cells of four bytes, the first of a kind.
const WORD_SLOTS: usize = 64;
/// The slots of sites with cells of two bytes, which follow, and with cells of one byte.
const SMALL_SLOTS: usize = 16;

/// Returns the slot of the nth site that reads or writes cells of so many bytes.
///
/// ```
/// use kiln_unit::screen_slot;
/// assert_eq!([screen_slot(4, false, 65), screen_slot(2, false, 1), screen_slot(1, true, 16)], [1, 65, 176]);
/// ```
pub fn screen_slot(cell_bytes: u32, writes: bool, nth: u32) -> u32 {
    let (first, slots) = match cell_bytes {
        1 => (WORD_SLOTS + SMALL_SLOTS, SMALL_SLOTS),
        2 => (WORD_SLOTS, SMALL_SLOTS),
        _ => (0, WORD_SLOTS),
    };
    let kind = if writes { KIND_SLOTS } else { 0 };
    (kind + first) as u32 + nth % slots as u32
}

/// Bit of a note of a writer: by atomic operations only.
pub const NOTE_ATOMIC: u32 = 1 << 31;

/// Bit of an access, besides `ACCESS_*`: all lanes make it at one address; otherwise one after the other.
pub const ACCESS_SAME: u32 = 64;
/// The number of an access's slot is shifted by this.
pub const ACCESS_SLOT_SHIFT: u32 = 8;

/// Memory that accesses of a site were right in last.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ScreenSlot {
    /// The address of its first byte.
    pub start: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// The address of the note of its first cell's writer.
    pub written: u64,
    /// The address of the note of its first cell's reader.
    pub read: u64,
    /// Notes of writers below this are old, and allow the access.
    pub old_writes: u32,
    /// Notes of readers below this are old.
    pub old_reads: u32,
    /// 1 while nothing of the launch has written to the memory: then reads agree with all notes of writers.
    pub is_unwritten: u32,
}

/// The state that screened kernels read, and the functions that they call: see `LaunchContext::screen`.
#[repr(C)]
#[derive(Debug)]
pub struct ScreenState {
    /// The number that stands for several items of the running epoch; those of the items follow.
    pub epoch: u32,
    /// The first number of the running group.
    pub group: u32,
    /// The number that stands for items of several groups of the launch.
    pub launch: u32,
    /// Called before an access of the lanes whose bits are set to `bytes` bytes each, with bits `ACCESS_*`: returns if it is
    /// right. `item` is the linear index of the first lane.
    pub check: unsafe extern "C" fn(
        ctx: *mut LaunchContext,
        address: *mut u8,
        bytes: u64,
        access: u32,
        item: u32,
        lanes: u64,
    ),
    /// Called when a group begins.
    pub begin_group: unsafe extern "C" fn(ctx: *mut LaunchContext),
    /// Called when all items of a group have met at a barrier.
    pub begin_epoch: unsafe extern "C" fn(ctx: *mut LaunchContext),
    /// Called where something is done that is not screened. Does not return.
    pub suspect: unsafe extern "C" fn(ctx: *mut LaunchContext),
    /// Called for memory of the kind `DECLARED_*`.
    pub declare: unsafe extern "C" fn(ctx: *mut LaunchContext, address: *mut u8, bytes: u64, kind: u32),
    /// The ranges of sites.
    pub slots: [ScreenSlot; SCREEN_SLOTS],
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// Compiled code addresses these fields by number.
    #[test]
    fn fields_are_where_codegen_looks() {
        assert_eq!(offset_of!(ScreenState, epoch), 0);
        assert_eq!(offset_of!(ScreenState, group), 4);
        assert_eq!(offset_of!(ScreenState, launch), 8);
        assert_eq!(offset_of!(ScreenState, check), 16);
        assert_eq!(offset_of!(ScreenState, declare), 48);
        assert_eq!(offset_of!(ScreenState, slots), 56);
        assert_eq!(size_of::<ScreenSlot>(), 48);
    }
}
