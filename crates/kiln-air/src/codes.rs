//! Operations with the numbers that LLVM 14 writes for them.

/// Returns the value with a number.
pub(crate) fn by_code<T: Copy>(table: &[(u64, T)], code: u64) -> Option<T> {
    table.iter().find(|it| it.0 == code).map(|it| it.1)
}

/// Returns the number of a value.
pub(crate) fn code_of<T: Copy + PartialEq>(table: &[(u64, T)], value: T) -> u64 {
    table.iter().find(|it| it.1 == value).expect("the tables have each value").0
}

/// An operation of two numbers. Those of floats have the numbers of the integer operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "LLVM's names")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

impl BinaryOp {
    /// Whether the operands are floats.
    pub fn is_float(self) -> bool {
        matches!(self, Self::FAdd | Self::FSub | Self::FMul | Self::FDiv | Self::FRem)
    }
    /// Returns the flags that the operation may have: [`ArithmeticFlags`].
    pub fn flags(self) -> u8 {
        match self {
            Self::Add | Self::Sub | Self::Mul | Self::Shl => {
                ArithmeticFlags::NO_UNSIGNED_WRAP | ArithmeticFlags::NO_SIGNED_WRAP
            }
            Self::UDiv | Self::SDiv | Self::LShr | Self::AShr => ArithmeticFlags::EXACT,
            Self::URem | Self::SRem | Self::And | Self::Or | Self::Xor => 0,
            Self::FAdd | Self::FSub | Self::FMul | Self::FDiv | Self::FRem => ArithmeticFlags::FAST,
        }
    }
    /// Returns the operation with a number, of floats or of integers.
    pub(crate) fn from_code(code: u64, is_float: bool) -> Option<Self> {
        BINARY.iter().find(|it| it.0 == code && it.1.is_float() == is_float).map(|it| it.1)
    }
}

/// The numbers of [`BinaryOp`].
pub(crate) const BINARY: [(u64, BinaryOp); 18] = [
    (0, BinaryOp::Add),
    (1, BinaryOp::Sub),
    (2, BinaryOp::Mul),
    (3, BinaryOp::UDiv),
    (4, BinaryOp::SDiv),
    (5, BinaryOp::URem),
    (6, BinaryOp::SRem),
    (7, BinaryOp::Shl),
    (8, BinaryOp::LShr),
    (9, BinaryOp::AShr),
    (10, BinaryOp::And),
    (11, BinaryOp::Or),
    (12, BinaryOp::Xor),
    (0, BinaryOp::FAdd),
    (1, BinaryOp::FSub),
    (2, BinaryOp::FMul),
    (4, BinaryOp::FDiv),
    (6, BinaryOp::FRem),
];

/// Bits that make results poison, or that allow floats to be computed inexactly.
#[derive(Clone, Copy, Debug)]
pub struct ArithmeticFlags;

impl ArithmeticFlags {
    /// An addition, subtraction, multiplication or left shift does not overflow, unsigned.
    pub const NO_UNSIGNED_WRAP: u8 = 1;
    /// An addition, subtraction, multiplication or left shift does not overflow, signed.
    pub const NO_SIGNED_WRAP: u8 = 2;
    /// A division or right shift has no remainder.
    pub const EXACT: u8 = 1;
    /// No float is a NaN.
    pub const NO_NANS: u8 = 2;
    /// No float is infinite.
    pub const NO_INFINITIES: u8 = 4;
    /// The sign of zero does not matter.
    pub const NO_SIGNED_ZEROS: u8 = 8;
    /// A division may become a multiplication.
    pub const RECIPROCAL: u8 = 16;
    /// A multiplication and an addition may be fused.
    pub const CONTRACT: u8 = 32;
    /// A function may be approximated.
    pub const APPROXIMATE: u8 = 64;
    /// Operations may be reordered.
    pub const REASSOCIATE: u8 = 128;
    /// All flags of floats.
    pub const FAST: u8 = 254;
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "LLVM's names")]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    FpTrunc,
    FpExt,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

/// The numbers of [`CastOp`].
pub(crate) const CASTS: [(u64, CastOp); 13] = [
    (0, CastOp::Trunc),
    (1, CastOp::ZExt),
    (2, CastOp::SExt),
    (3, CastOp::FpToUi),
    (4, CastOp::FpToSi),
    (5, CastOp::UiToFp),
    (6, CastOp::SiToFp),
    (7, CastOp::FpTrunc),
    (8, CastOp::FpExt),
    (9, CastOp::PtrToInt),
    (10, CastOp::IntToPtr),
    (11, CastOp::BitCast),
    (12, CastOp::AddrSpaceCast),
];

/// A comparison. Those of floats are ordered, false for NaNs, or unordered, true for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "LLVM's names")]
pub enum Comparison {
    FAlwaysFalse,
    FOrderedEqual,
    FOrderedGreater,
    FOrderedGreaterEqual,
    FOrderedLess,
    FOrderedLessEqual,
    FOrderedNotEqual,
    FOrdered,
    FUnordered,
    FUnorderedEqual,
    FUnorderedGreater,
    FUnorderedGreaterEqual,
    FUnorderedLess,
    FUnorderedLessEqual,
    FUnorderedNotEqual,
    FAlwaysTrue,
    Equal,
    NotEqual,
    UnsignedGreater,
    UnsignedGreaterEqual,
    UnsignedLess,
    UnsignedLessEqual,
    SignedGreater,
    SignedGreaterEqual,
    SignedLess,
    SignedLessEqual,
}

impl Comparison {
    /// Returns the comparison with LLVM's number.
    pub fn from_number(number: u64) -> Option<Self> {
        by_code(&COMPARISONS, number)
    }
    /// Whether it compares floats.
    pub fn is_float(self) -> bool {
        code_of(&COMPARISONS, self) < 32
    }
}

/// The numbers of [`Comparison`].
pub(crate) const COMPARISONS: [(u64, Comparison); 26] = [
    (0, Comparison::FAlwaysFalse),
    (1, Comparison::FOrderedEqual),
    (2, Comparison::FOrderedGreater),
    (3, Comparison::FOrderedGreaterEqual),
    (4, Comparison::FOrderedLess),
    (5, Comparison::FOrderedLessEqual),
    (6, Comparison::FOrderedNotEqual),
    (7, Comparison::FOrdered),
    (8, Comparison::FUnordered),
    (9, Comparison::FUnorderedEqual),
    (10, Comparison::FUnorderedGreater),
    (11, Comparison::FUnorderedGreaterEqual),
    (12, Comparison::FUnorderedLess),
    (13, Comparison::FUnorderedLessEqual),
    (14, Comparison::FUnorderedNotEqual),
    (15, Comparison::FAlwaysTrue),
    (32, Comparison::Equal),
    (33, Comparison::NotEqual),
    (34, Comparison::UnsignedGreater),
    (35, Comparison::UnsignedGreaterEqual),
    (36, Comparison::UnsignedLess),
    (37, Comparison::UnsignedLessEqual),
    (38, Comparison::SignedGreater),
    (39, Comparison::SignedGreaterEqual),
    (40, Comparison::SignedLess),
    (41, Comparison::SignedLessEqual),
];

/// Who may see a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AirLinkage {
    /// Other modules.
    External,
    /// This module.
    Internal,
    /// This module; the name is not kept.
    Private,
    /// Lists of several modules are joined.
    Appending,
}

/// The numbers of [`AirLinkage`].
pub(crate) const LINKAGES: [(u64, AirLinkage); 4] = [
    (0, AirLinkage::External),
    (2, AirLinkage::Appending),
    (3, AirLinkage::Internal),
    (9, AirLinkage::Private),
];

/// An attribute that LLVM 14 knows, without those that have types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "LLVM's names")]
pub enum AttributeKind {
    Align,
    AlwaysInline,
    NoAlias,
    NoCapture,
    NoDuplicate,
    NoInline,
    NoUnwind,
    ReadNone,
    ReadOnly,
    Returned,
    SignExt,
    ZeroExt,
    Cold,
    NonNull,
    Dereferenceable,
    Convergent,
    ArgMemOnly,
    NoRecurse,
    InaccessibleMemOnly,
    InaccessibleMemOrArgMemOnly,
    WriteOnly,
    Speculatable,
    ImmArg,
    WillReturn,
    NoFree,
    NoSync,
    NoUndef,
    MustProgress,
}

impl AttributeKind {
    /// Whether the attribute has a number.
    pub fn has_value(self) -> bool {
        matches!(self, Self::Align | Self::Dereferenceable)
    }
}

/// The numbers of [`AttributeKind`].
pub(crate) const ATTRIBUTES: [(u64, AttributeKind); 28] = [
    (1, AttributeKind::Align),
    (2, AttributeKind::AlwaysInline),
    (9, AttributeKind::NoAlias),
    (11, AttributeKind::NoCapture),
    (12, AttributeKind::NoDuplicate),
    (14, AttributeKind::NoInline),
    (18, AttributeKind::NoUnwind),
    (20, AttributeKind::ReadNone),
    (21, AttributeKind::ReadOnly),
    (22, AttributeKind::Returned),
    (24, AttributeKind::SignExt),
    (34, AttributeKind::ZeroExt),
    (36, AttributeKind::Cold),
    (39, AttributeKind::NonNull),
    (41, AttributeKind::Dereferenceable),
    (43, AttributeKind::Convergent),
    (45, AttributeKind::ArgMemOnly),
    (48, AttributeKind::NoRecurse),
    (49, AttributeKind::InaccessibleMemOnly),
    (50, AttributeKind::InaccessibleMemOrArgMemOnly),
    (52, AttributeKind::WriteOnly),
    (53, AttributeKind::Speculatable),
    (60, AttributeKind::ImmArg),
    (61, AttributeKind::WillReturn),
    (62, AttributeKind::NoFree),
    (63, AttributeKind::NoSync),
    (68, AttributeKind::NoUndef),
    (70, AttributeKind::MustProgress),
];
