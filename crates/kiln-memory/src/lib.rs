//! Memory for the objects of a heap that are collected and do not move, the native stacks that name them, and the allocator of the
//! `kiln` command.
//!
//! A [`ObjectSpace`] gives cells to [`Allocator`]s, knows the object that an address is in, and frees the objects that a collection has
//! not marked. The types of objects, and the references in them, are the heap's.
//!
//! ```
//! use kiln_memory::{Allocator, ObjectSpace};
//! let (mut space, mut own) = (ObjectSpace::default(), Allocator::default());
//! let object = space.alloc(&mut own, 7, 0, 24).unwrap();
//! assert_eq!(space.extent(object + 5), Some((object, 24)));
//! ```

#![expect(unsafe_code, reason = "this crate hands out memory, and reads stacks; see ARCHITECTURE.md")]

mod allocator;
mod cells;
mod chunk;
mod chunks;
mod large;
mod native_stack;
mod process;
mod space;

pub use allocator::{AllocationCounts, Allocator, FreeRun, FreeRuns};
pub use cells::{SHARED_INTEGER_MAX, cell_bytes, class_of};
pub use native_stack::{StackRanges, is_known, try_with_room, with_room, with_visible_stacks, within_base};
pub use process::ProcessAllocator;
pub use space::{
    HANDLE, HeapStats, INLINE, LIVE, ObjectSpace, PERMANENT, UNCOUNTED, bytes, copy, header, is_marked, load,
    mark, prefetch, set_header, store,
};
