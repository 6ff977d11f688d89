//! Operations and values that a target cannot have, for any program.

use std::fmt;

/// A limit of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetLimit {
    /// A value of a type that the target does not compute with.
    Value {
        /// LLVM's name of the type.
        llvm: &'static str,
        /// The type, as Julia shows it.
        ty: String,
        /// The target's name.
        target: String,
    },
    /// A function for the host.
    HostFunction {
        /// The target's name.
        target: String,
    },
    /// A function that calls itself.
    Recursion {
        /// The target's name.
        target: String,
    },
    /// An address of a function.
    FunctionPointer {
        /// The target's name.
        target: String,
    },
    /// A launch by an item.
    Launch {
        /// The target's name.
        target: String,
    },
    /// An object in memory of the launch.
    Object {
        /// The object's type.
        ty: String,
        /// The target's name.
        target: String,
    },
    /// An atomic operation on fewer bits than the target has them for.
    AtomicBits {
        /// The type of the operand.
        ty: String,
        /// The target's name.
        target: String,
        /// The bits that the target needs, at least.
        least: u32,
    },
    /// An atomic operation on more bits than the target has them for.
    WideAtomic {
        /// The type of the operand.
        ty: String,
        /// The target's name.
        target: String,
        /// The bits that the target has them for, at most.
        most: u32,
    },
    /// More arguments than registers.
    ArgumentCount {
        /// The arguments.
        count: usize,
        /// The arguments of an entry, at most.
        most: usize,
        /// The target's name.
        target: String,
    },
    /// An argument that fits no register.
    Argument {
        /// The argument's type.
        ty: String,
        /// The target's name.
        target: String,
    },
    /// More static shared memory than a group has.
    SharedBytes {
        /// The bytes.
        bytes: u32,
        /// The bytes of a group, at most.
        most: u32,
        /// The target's name.
        target: String,
    },
    /// A call of a constant address at which no function is known.
    LiteralAddress(u64),
    /// A query about the group where there are no items.
    GroupQuery,
    /// A query about the grid where there are no groups.
    GridQuery,
    /// Memory of a group where there are no groups.
    GroupMemory,
    /// A barrier where there are no items.
    Barrier,
    /// A query about lanes where there are no items.
    Lanes,
    /// A fence where no other thread sees its effect.
    Fence,
    /// A read of a clock that the target lacks.
    Clock,
    /// A read of a clock that is an extension.
    ClockExtension(&'static str),
    /// A ballot before SPIR-V 1.3.
    Ballot,
    /// An intrinsic of LLVM that the target has no code for.
    Intrinsic {
        /// The intrinsic.
        name: String,
        /// The target's name.
        target: String,
        /// The first target of the family that has code for it.
        first: Option<String>,
    },
    /// A limit of a target outside of this crate, in its words.
    Other(String),
}

impl fmt::Display for TargetLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { llvm, ty, target } => {
                write!(f, "use of {llvm} value: {target} does not compute with {ty}")
            }
            Self::HostFunction { target } => write!(f, "{target} runs no functions for the host"),
            Self::Recursion { target } => {
                write!(f, "recursion: {target} has no stack for functions that come to call themselves")
            }
            Self::FunctionPointer { target } => write!(
                f,
                "a pointer to a function: {target} calls functions by name only, so one that is looked up has to be \
                 called in the same place, for the types it is looked up for"
            ),
            Self::Launch { target } => {
                write!(f, "a launch by an item: {target} has no kernels that launch kernels")
            }
            Self::Object { ty, target } => {
                write!(f, "an object, a `{ty}`, that others may see: {target} has no memory for any")
            }
            Self::AtomicBits { ty, target, least } => {
                write!(f, "an atomic operation on {ty}: {target} has them for {least} bits and more")
            }
            Self::WideAtomic { ty, target, most } => {
                write!(f, "an atomic operation on {ty}: {target} has them for {most} bits and fewer")
            }
            Self::ArgumentCount { count, most, target } => {
                write!(f, "{count} arguments: a program for {target} takes {most}, in registers")
            }
            Self::Argument { ty, target } => {
                write!(f, "an argument of type {ty}: {target} takes integers and pointers")
            }
            Self::SharedBytes { bytes, most, target } => write!(
                f,
                "{bytes} bytes of static shared memory, where a group has {most} ({target}): memory whose size the \
                 launch gives may be larger"
            ),
            Self::LiteralAddress(address) => {
                write!(f, "call through a literal pointer: nothing is known to be at {address:#x}")
            }
            Self::GroupQuery => f.write_str("a question about the group: there are no items"),
            Self::GridQuery => f.write_str("a question about the grid: there are no groups"),
            Self::GroupMemory => f.write_str("memory of a group: there are no groups"),
            Self::Barrier => f.write_str("a barrier: there are no items to wait for"),
            Self::Lanes => f.write_str("a question about lanes: there are no items"),
            Self::Fence => f.write_str("a fence: no other thread sees the order of accesses"),
            Self::Clock => f.write_str("a read of the clock, which there is not"),
            Self::ClockExtension(extension) => write!(
                f,
                "a read of the clock: drivers that have one ({extension}) are another target, as spirv64-clock"
            ),
            Self::Ballot => f.write_str(
                "a question who is here: a ballot of a sub-group (GroupNonUniformBallot) is of SPIR-V 1.3, as in \
                 spirv64-v1.3",
            ),
            Self::Intrinsic { name, target, first: Some(first) } => {
                write!(f, "`{name}`: {target} has no instruction for it, the first target that has is {first}")
            }
            Self::Intrinsic { name, target, first: None } => {
                write!(f, "`{name}`: neither {target} nor another target of its kind has code for it")
            }
            Self::Other(message) => f.write_str(message),
        }
    }
}
