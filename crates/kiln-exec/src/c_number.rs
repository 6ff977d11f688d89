//! Numbers that C and Julia share.

/// A number, by Julia's name. A `Char` and a `Float16` are their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are Julia's names")]
pub enum CNumber {
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Int128,
    UInt128,
    Float16,
    Float32,
    Float64,
    Bool,
    Char,
}

impl CNumber {
    /// All of them, with Julia's name.
    const NAMES: [(Self, &'static str); 15] = [
        (Self::Int8, "Int8"),
        (Self::UInt8, "UInt8"),
        (Self::Int16, "Int16"),
        (Self::UInt16, "UInt16"),
        (Self::Int32, "Int32"),
        (Self::UInt32, "UInt32"),
        (Self::Int64, "Int64"),
        (Self::UInt64, "UInt64"),
        (Self::Int128, "Int128"),
        (Self::UInt128, "UInt128"),
        (Self::Float16, "Float16"),
        (Self::Float32, "Float32"),
        (Self::Float64, "Float64"),
        (Self::Bool, "Bool"),
        (Self::Char, "Char"),
    ];

    /// Returns the number that Julia calls by this name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|it| it.1 == name).map(|it| it.0)
    }

    /// Returns the unsigned number of so many bits that a primitive type of so many bytes has.
    pub(crate) fn of_bytes(bytes: u32) -> Option<Self> {
        match bytes {
            1 => Some(Self::UInt8),
            2 => Some(Self::UInt16),
            4 => Some(Self::UInt32),
            8 => Some(Self::UInt64),
            _ => None,
        }
    }

    /// Julia's name.
    pub fn name(self) -> &'static str {
        Self::NAMES.into_iter().find(|it| it.0 == self).map_or("", |it| it.1)
    }

    /// Its type in C: those of 128 bits are `libkiln_rt`'s.
    pub fn in_c(self) -> &'static str {
        match self {
            Self::Int8 => "int8_t",
            Self::UInt8 => "uint8_t",
            Self::Int16 => "int16_t",
            Self::UInt16 | Self::Float16 => "uint16_t",
            Self::Int32 => "int32_t",
            Self::UInt32 | Self::Char => "uint32_t",
            Self::Int64 => "int64_t",
            Self::UInt64 => "uint64_t",
            Self::Int128 => "kiln_int128",
            Self::UInt128 => "kiln_uint128",
            Self::Float32 => "float",
            Self::Float64 => "double",
            Self::Bool => "bool",
        }
    }

    /// Its size, which is its alignment, in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Int8 | Self::UInt8 | Self::Bool => 1,
            Self::Int16 | Self::UInt16 | Self::Float16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 | Self::Char => 4,
            Self::Int64 | Self::UInt64 | Self::Float64 => 8,
            Self::Int128 | Self::UInt128 => 16,
        }
    }
}
