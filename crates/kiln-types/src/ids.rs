//! Names for interned things: `u32`s that mean something only with the `Types` that made them.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index. Meaningful only if the interner made it.
            pub const fn from_index(index: usize) -> Self {
                Self(index as u32)
            }
            /// The index of this id in its table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id!(
    /// A type, or anything that may stand as a type parameter (see [`TypeData`](crate::TypeData)).
    /// Equality of ids is Julia's `===`.
    Type,
    "ty"
);
id!(
    /// An interned name (Julia's `Symbol`).
    Symbol,
    "sym"
);
id!(
    /// The part that all instances of one type definition share (Julia's `Core.TypeName`).
    TypeName,
    "tn"
);
id!(
    /// An interned immutable value, or a handle to an object with identity. Equality of ids is `===`.
    Const,
    "const"
);
id!(
    /// A Julia module. Its bindings live in the runtime; its name and parent in `Types`.
    Module,
    "mod"
);
id!(
    /// A permanent object of the runtime's heap, one handle per object.
    ObjectHandle,
    "obj"
);

impl Module {
    /// `Core`.
    pub const CORE: Self = Self(0);
    /// `Base`.
    pub const BASE: Self = Self(1);
    /// `Main`.
    pub const MAIN: Self = Self(2);
}

impl TypeName {
    /// `Tuple`.
    pub(crate) const TUPLE: Self = Self(1);
    /// `NamedTuple`.
    pub(crate) const NAMED_TUPLE: Self = Self(2);
    /// `Type`.
    pub(crate) const TYPE: Self = Self(3);
}
