//! Bodies that contradict themselves, their callees or the layouts of their types.

use kiln_ir::Violation;
use std::fmt;

/// A contradiction in a body, which no front end should make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidBody {
    /// The verifier of the IR has refused it.
    Verifier(Violation),
    /// A statement's value is used before its definition.
    UnknownValue {
        /// The statement.
        stmt: u32,
    },
    /// An operand is an argument that the function lacks.
    UnknownArgument,
    /// An operation has more or fewer operands than it takes.
    OperandCount {
        /// Its name.
        op: &'static str,
    },
    /// An operation has fewer operands than it takes.
    TooFewOperands {
        /// Its name.
        op: &'static str,
    },
    /// A conversion in the wrong direction.
    ConversionWidths {
        /// Its name.
        op: &'static str,
    },
    /// A bitcast changes the size.
    BitcastSizes,
    /// `genericmemory_copyto` with other than three operands.
    CopyOperands,
    /// `string_pointer` with other than one operand.
    StringPointerOperands,
    /// A `throw` without a site.
    Throw,
    /// An atomic operation in the replay of a failed item.
    AtomicReplay,
    /// A call names a function that the request lacks.
    UnknownCallee,
    /// A call has other arguments than its callee.
    CallArguments,
    /// A look-up has other arguments than its function.
    LookupArguments,
    /// A call through an address without an address.
    MissingAddress,
    /// A caller lacks the state that its callee takes.
    CallerState,
    /// A caller lacks the memory that its callee takes.
    CallerMemory,
    /// A caller through an address lacks the kernel's state.
    PointerCallerState,
    /// A function of the device's runtime has other parameters than its role.
    RuntimeParameters,
    /// A function of the device's runtime returns nothing where its role needs a value.
    RuntimeResult(RuntimeResult),
    /// A union without members.
    EmptyUnion,
    /// A union without a tag.
    UntaggedUnion,
    /// A value without bits is materialized.
    GhostBits,
    /// A value without bits is loaded.
    GhostLoad,
    /// A value without bits is a parameter.
    GhostParameter,
    /// A value without bits has a size.
    GhostSize,
    /// A struct has no layout.
    StructLayout,
    /// A float has no type in LLVM.
    FloatBits,
    /// A float has no register.
    FloatRegister,
    /// A memory reference has no bits.
    ReferenceBits,
    /// A constant integer is wider than any register.
    WideConstant,
    /// A constant has fewer bytes than its type.
    ShortConstant,
    /// A constant of a union has the tag of no member.
    ConstantTag,
    /// A constant of a type without bits has bytes.
    ConstantBits,
}

/// The results of the device's runtime that compiled code uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuntimeResult {
    /// The claimed record of a failure.
    Claim,
    /// The room for a report.
    Reserve,
    /// The address of a box.
    Box,
    /// The value in a box.
    Unbox,
    /// The memory of an object.
    Allocate,
}

impl fmt::Display for RuntimeResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Claim => "the runtime claims nothing",
            Self::Reserve => "the runtime reserves nothing",
            Self::Box => "the runtime makes no box",
            Self::Unbox => "the runtime finds nothing in a box",
            Self::Allocate => "the runtime allocates nothing",
        })
    }
}

impl fmt::Display for InvalidBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Verifier(problem) => return write!(f, "the body is malformed: {}", problem.message),
            Self::UnknownValue { stmt } => return write!(f, "the value of %{stmt} is not known"),
            Self::OperandCount { op } => return write!(f, "{op} has the wrong number of operands"),
            Self::TooFewOperands { op } => return write!(f, "{op} has too few operands"),
            Self::ConversionWidths { op } => return write!(f, "{op} between these widths"),
            Self::RuntimeResult(result) => return result.fmt(f),
            Self::UnknownArgument => "no such argument",
            Self::BitcastSizes => "a bitcast between types of different sizes",
            Self::CopyOperands => "a copy of memory has three operands",
            Self::StringPointerOperands => "a string's address has one operand",
            Self::Throw => "a `throw` that the optimizer did not turn into a site",
            Self::AtomicReplay => "an atomic operation cannot be replayed",
            Self::UnknownCallee => "a callee is not in the request",
            Self::CallArguments => "a call has not the arguments of its callee",
            Self::LookupArguments => "a look-up has not the arguments of its function",
            Self::MissingAddress => "a call through nothing",
            Self::CallerState => "a caller without the state its callee takes",
            Self::CallerMemory => "a caller without the memory its callee takes",
            Self::PointerCallerState => "a call through an address without the kernel's state",
            Self::RuntimeParameters => {
                "a function of the device's runtime takes other arguments than it is given"
            }
            Self::EmptyUnion => "a union has members",
            Self::UntaggedUnion => "a union has a tag",
            Self::GhostBits => "a ghost has no bits",
            Self::GhostLoad => "a ghost is not loaded",
            Self::GhostParameter => "a ghost is no parameter",
            Self::GhostSize => "a ghost has a size",
            Self::StructLayout => "a struct has no layout",
            Self::FloatBits => "a float has bits",
            Self::FloatRegister => "a float has a register",
            Self::ReferenceBits => "a reference has bits",
            Self::WideConstant => "a constant integer has more than 128 bits",
            Self::ShortConstant => "a constant is too short",
            Self::ConstantTag => "a constant has an unknown tag",
            Self::ConstantBits => "a constant has no bits",
        };
        f.write_str(text)
    }
}
