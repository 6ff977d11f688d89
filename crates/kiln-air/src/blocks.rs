//! The numbers of blocks and records in the bitcode of LLVM 14.

/// Blocks.
pub(crate) mod block {
    pub(crate) const MODULE: u32 = 8;
    pub(crate) const ATTRIBUTES: u32 = 9;
    pub(crate) const ATTRIBUTE_GROUPS: u32 = 10;
    pub(crate) const CONSTANTS: u32 = 11;
    pub(crate) const FUNCTION: u32 = 12;
    pub(crate) const IDENTIFICATION: u32 = 13;
    pub(crate) const METADATA: u32 = 15;
    pub(crate) const TYPES: u32 = 17;
    pub(crate) const NAMES: u32 = 23;
}

/// Records of [`block::IDENTIFICATION`].
pub(crate) mod identification {
    pub(crate) const PRODUCER: u64 = 1;
    pub(crate) const EPOCH: u64 = 2;
}

/// Records of [`block::MODULE`].
pub(crate) mod module {
    pub(crate) const VERSION: u64 = 1;
    pub(crate) const TRIPLE: u64 = 2;
    pub(crate) const LAYOUT: u64 = 3;
    pub(crate) const GLOBAL: u64 = 7;
    pub(crate) const FUNCTION: u64 = 8;
    pub(crate) const SOURCE_NAME: u64 = 16;
    /// Operands are relative, names are in a table.
    pub(crate) const VERSION_RELATIVE: u64 = 2;
}

/// Records of [`block::TYPES`].
pub(crate) mod types {
    pub(crate) const COUNT: u64 = 1;
    pub(crate) const VOID: u64 = 2;
    pub(crate) const FLOAT: u64 = 3;
    pub(crate) const DOUBLE: u64 = 4;
    pub(crate) const OPAQUE: u64 = 6;
    pub(crate) const INTEGER: u64 = 7;
    pub(crate) const POINTER: u64 = 8;
    pub(crate) const HALF: u64 = 10;
    pub(crate) const ARRAY: u64 = 11;
    pub(crate) const VECTOR: u64 = 12;
    pub(crate) const STRUCT: u64 = 18;
    pub(crate) const STRUCT_NAME: u64 = 19;
    pub(crate) const NAMED_STRUCT: u64 = 20;
    pub(crate) const FUNCTION: u64 = 21;
    pub(crate) const BFLOAT: u64 = 23;
}

/// Records of [`block::ATTRIBUTES`] and [`block::ATTRIBUTE_GROUPS`].
pub(crate) mod attributes {
    pub(crate) const LIST: u64 = 2;
    pub(crate) const GROUP: u64 = 3;
    /// The carrier of a group that is for the function.
    pub(crate) const FUNCTION: u64 = 0xffff_ffff;
    pub(crate) const FLAG: u64 = 0;
    pub(crate) const NUMBER: u64 = 1;
    pub(crate) const WORD: u64 = 3;
    pub(crate) const TEXT: u64 = 4;
}

/// Records of [`block::CONSTANTS`].
pub(crate) mod constants {
    pub(crate) const TYPE: u64 = 1;
    pub(crate) const NULL: u64 = 2;
    pub(crate) const UNDEF: u64 = 3;
    pub(crate) const INTEGER: u64 = 4;
    pub(crate) const FLOAT: u64 = 6;
    pub(crate) const AGGREGATE: u64 = 7;
    pub(crate) const CAST: u64 = 11;
    pub(crate) const DATA: u64 = 22;
    pub(crate) const POISON: u64 = 26;
}

/// Records of [`block::METADATA`].
pub(crate) mod metadata {
    pub(crate) const VALUE: u64 = 2;
    pub(crate) const NODE: u64 = 3;
    pub(crate) const NAME: u64 = 4;
    pub(crate) const NAMED_NODE: u64 = 10;
    pub(crate) const TEXTS: u64 = 35;
}

/// Records of [`block::NAMES`].
pub(crate) mod names {
    pub(crate) const BLOB: u64 = 1;
}

/// Records of [`block::FUNCTION`].
pub(crate) mod function {
    pub(crate) const BLOCKS: u64 = 1;
    pub(crate) const BINARY: u64 = 2;
    pub(crate) const CAST: u64 = 3;
    pub(crate) const EXTRACT_ELEMENT: u64 = 6;
    pub(crate) const INSERT_ELEMENT: u64 = 7;
    pub(crate) const SHUFFLE: u64 = 8;
    pub(crate) const RETURN: u64 = 10;
    pub(crate) const BRANCH: u64 = 11;
    pub(crate) const SWITCH: u64 = 12;
    pub(crate) const UNREACHABLE: u64 = 15;
    pub(crate) const PHI: u64 = 16;
    pub(crate) const ALLOCATE: u64 = 19;
    pub(crate) const LOAD: u64 = 20;
    pub(crate) const EXTRACT_VALUE: u64 = 26;
    pub(crate) const INSERT_VALUE: u64 = 27;
    pub(crate) const COMPARE: u64 = 28;
    pub(crate) const SELECT: u64 = 29;
    pub(crate) const CALL: u64 = 34;
    pub(crate) const ELEMENT_ADDRESS: u64 = 43;
    pub(crate) const STORE: u64 = 44;
    pub(crate) const UNARY: u64 = 56;
    pub(crate) const FREEZE: u64 = 58;
    /// The bit of an allocation that says that its type is explicit.
    pub(crate) const ALLOCATE_EXPLICIT: u64 = 1 << 6;
    /// Bits of a call's convention: a tail call, an explicit signature, and flags of floats.
    pub(crate) const CALL_TAIL: u64 = 1;
    pub(crate) const CALL_EXPLICIT: u64 = 1 << 15;
    pub(crate) const CALL_FLAGS: u64 = 1 << 17;
}
