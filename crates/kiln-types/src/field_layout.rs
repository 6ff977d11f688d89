//! The shape of an instance, as data.

use crate::Type;

/// The largest alignment of a primitive type, and of any address that the heap or a launch gives out.
pub(crate) const MAX_ALIGN: u32 = 16;

/// The place of a field in an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldLayout {
    /// Bytes from the start of the object's data.
    pub offset: u32,
    /// Bytes it occupies, the selector byte of an inline union included.
    pub size: u32,
    /// The storage of the field.
    pub storage: FieldStorage,
}

/// The storage of a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FieldStorage {
    /// The bits of an isbits (or inline immutable) value.
    Inline,
    /// A pointer to a heap object, null when undefined.
    Pointer,
    /// The bits of one member of a union of isbits types, followed by a `u8` index into `members`.
    Union {
        /// The members, in the union's order.
        members: Box<[Type]>,
    },
}

/// Size and shape of an instance of a concrete type, Julia's rules.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Bytes of the data (without any header).
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// No pointers inside: an isbits type if it is immutable too.
    pub pointer_free: bool,
    /// One a field; empty for primitive types.
    pub fields: Box<[FieldLayout]>,
}

impl Layout {
    /// The alignment that code may assume of an address: offsets follow `align`, addresses are aligned to 16 at most.
    pub fn access_align(&self) -> u32 {
        self.align.min(MAX_ALIGN)
    }
}
