//! Operations, operands and types that kiln does not compile.

use std::fmt;

/// An operation that kiln does not compile, or not for these operands. Types are named as Julia shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// An operation, whatever its operands.
    Operation(Operation),
    /// A type in a role that it cannot have.
    Type {
        /// The type.
        ty: String,
        /// The role.
        role: TypeRole,
    },
    /// A name of the program or of Julia in a role that it cannot have.
    Name {
        /// The name.
        name: String,
        /// The role.
        role: NameRole,
    },
    /// A value of one type used as another.
    Mismatch {
        /// The value's type.
        from: String,
        /// The type it is used as.
        to: String,
    },
    /// `isa` of a box that its tag does not decide.
    IsA {
        /// The known type of the value.
        value: String,
        /// The tested type.
        ty: String,
    },
    /// A pointer into an address space that the target lacks.
    AddressSpace {
        /// The pointer's type.
        pointer: String,
        /// The target's name.
        target: String,
    },
    /// An entry whose result fits no register.
    EntryResult {
        /// The target's name.
        target: String,
        /// The result's type.
        ty: String,
    },
    /// A report to the host on a target that cannot report.
    Reports {
        /// The target's name.
        target: String,
    },
    /// More private memory than an item can have.
    PrivateMemory {
        /// The bytes.
        bytes: i64,
        /// The bytes of an item, at most.
        most: i64,
    },
    /// More operands of a failure or a report than a record holds.
    OperandBytes {
        /// The bytes.
        bytes: u32,
        /// The bytes of a record, at most.
        most: usize,
    },
}

/// Operations that are never compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A statement of a `try`.
    Try,
    /// The beginning of a `try`.
    TryBlock,
    /// A call that is dispatched at run time.
    DynamicCall,
    /// A call of a C function.
    CCall,
    /// `isdefined` of a global.
    IsDefinedGlobal,
    /// An expression as a value.
    QuotedExpression,
    /// A type that is not constant.
    DynamicType,
    /// An object of unknown type.
    DynamicObject,
    /// An allocation of memory.
    Allocation,
    /// A field of dynamic name or number.
    DynamicField,
    /// A field of a union by a dynamic number.
    DynamicFieldOfUnion,
    /// `nfields` of a value of unknown type.
    FieldCount,
    /// `===` of two objects of unknown types.
    ObjectIdentity,
    /// A `Memory` of unknown type.
    DynamicMemory,
    /// A copy between memories of different types.
    MemoryCopy,
    /// An access through a pointer of unknown element type.
    UnknownPointee,
    /// An atomic order that is not constant.
    DynamicAtomicOrder,
    /// A scope that is not constant.
    DynamicAtomicScope,
    /// A query about a dimension that is not constant.
    Dimension,
    /// A block of memory whose size or alignment is not constant.
    BlockSize,
    /// A report with a value that cannot be sent to the host.
    ReportedValue,
    /// A kernel of a pointer that is not a look-up.
    KernelOfPointer,
}

/// Roles of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeRole {
    /// The type of an object that is allocated.
    Allocation,
    /// The type of a boxed value, where only addresses are stored.
    Boxed,
    /// The type of a struct that is built.
    Struct,
    /// The type of a struct that lacks the field.
    MissingField,
    /// The type of a value that has no fields in registers.
    Field,
    /// The type of a struct whose field is chosen at run time.
    DynamicField,
    /// The immutable type of an object whose field is written.
    ImmutableField,
    /// The operand of `sizeof`.
    SizeOf,
    /// The known type of two boxes that are compared by `===`.
    BoxIdentity,
    /// The type of two values that are compared by `===`.
    Identity,
    /// The operand of `typeof`.
    TypeOf,
    /// The elements of a `Memory`.
    Memory,
    /// The elements of a `Memory`, which have no size.
    SizelessMemory,
    /// A value in a register.
    Register,
    /// The operand of an operation of primitive types.
    Primitive,
    /// The operand of an operation of floats.
    Float,
    /// The address of an access.
    Pointer,
    /// Values that memory refers to.
    HeldReferences,
    /// The operand of an atomic operation.
    Atomic,
    /// A type of unknown layout.
    Layout,
    /// A tuple that is too long for registers.
    LongTuple,
    /// A union of more, or of other, members than host code has.
    HostUnion,
    /// The result of a kernel.
    KernelResult,
    /// An argument of an entry.
    EntryArgument,
}

/// Roles of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRole {
    /// A function of the host that is called.
    HostFunction,
    /// A builtin of the host that is called.
    HostBuiltin,
    /// A global that is not constant.
    Global,
    /// A constant that is not plain data, as Julia shows it.
    Constant,
    /// The function of an atomic operation.
    AtomicFunction,
    /// The order of an atomic operation.
    AtomicOrder,
    /// The scope of an atomic operation.
    AtomicScope,
}

impl Operation {
    fn text(self) -> &'static str {
        match self {
            Self::Try => "a `try`",
            Self::TryBlock => "a `try` cannot be compiled",
            Self::DynamicCall => "a call whose target is only known at run time",
            Self::CCall => "a call of a C function",
            Self::IsDefinedGlobal => "a question whether a global is defined",
            Self::QuotedExpression => "a quoted expression",
            Self::DynamicType => "a type that is only known at run time",
            Self::DynamicObject => "an object of a type only known at run time",
            Self::Allocation => "an allocation",
            Self::DynamicField => "a field that is only known at run time",
            Self::DynamicFieldOfUnion => "a field of a union by a number only known at run time",
            Self::FieldCount => "the number of fields of a type only known at run time",
            Self::ObjectIdentity => "identity of objects of types only known at run time",
            Self::DynamicMemory => "a memory of a type only known at run time",
            Self::MemoryCopy => "a copy between memories of different types",
            Self::UnknownPointee => "a pointer to nothing known",
            Self::DynamicAtomicOrder => "an atomic order that is only known at run time",
            Self::DynamicAtomicScope => "a scope that is only known at run time",
            Self::Dimension => "a dimension is not the constant 0, 1 or 2",
            Self::BlockSize => "the size or the alignment of a block of memory is not constant",
            Self::ReportedValue => "a report of a value that the host cannot be given",
            Self::KernelOfPointer => "a kernel of what is not looked up in the same place",
        }
    }
}

impl TypeRole {
    /// Returns the words before and after the type.
    fn around(self) -> (&'static str, &'static str) {
        match self {
            Self::Allocation => ("an allocation of a ", ""),
            Self::Boxed => ("a boxed ", ""),
            Self::Struct => ("", " has no fields"),
            Self::MissingField => ("", " has no such field"),
            Self::Field => ("a field of a ", ""),
            Self::DynamicField => ("a field of a ", " by a number only known at run time"),
            Self::ImmutableField => ("a write to a field of ", ", which is immutable"),
            Self::SizeOf => ("the size of a ", ""),
            Self::BoxIdentity => ("the identity of two values of which only `", "` is known"),
            Self::Identity => ("identity of two values of ", ""),
            Self::TypeOf => ("the type of a ", ", which is only known at run time"),
            Self::Memory => ("a memory of ", ""),
            Self::SizelessMemory => ("a memory of ", ", which has no size"),
            Self::Register => ("a value of type ", " has no bits"),
            Self::Primitive => ("", " is no primitive type"),
            Self::Float => ("", " is no floating-point type"),
            Self::Pointer => ("", " is no pointer"),
            Self::HeldReferences => ("memory that holds references to values of ", ""),
            Self::Atomic => ("an atomic operation on ", ""),
            Self::Layout => ("the type ", " has no layout"),
            Self::LongTuple => ("the tuple ", " is too long for registers"),
            Self::HostUnion => ("a value of the union ", " is not one of up to four plain-data types"),
            Self::KernelResult => ("a kernel returns a ", ", not `nothing`"),
            Self::EntryArgument => ("an argument of type ", ""),
        }
    }
}

impl NameRole {
    /// Returns the words before and after the name.
    fn around(self) -> (&'static str, &'static str) {
        match self {
            Self::HostFunction => ("a call of the host's ", ""),
            Self::HostBuiltin => ("a call of `", "`, which only the host can carry out"),
            Self::Global => ("a read of the global `", "`, which is not constant"),
            Self::Constant => ("the constant ", " is no plain data"),
            Self::AtomicFunction => ("an atomic `", "`"),
            Self::AtomicOrder => ("the atomic order `", "`"),
            Self::AtomicScope => ("the scope `", "`"),
        }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation(operation) => f.write_str(operation.text()),
            Self::Type { ty, role } => {
                let (before, after) = role.around();
                write!(f, "{before}{ty}{after}")
            }
            Self::Name { name, role } => {
                let (before, after) = role.around();
                write!(f, "{before}{name}{after}")
            }
            Self::Mismatch { from, to } => {
                write!(f, "a value of type {from} cannot stand for one of type {to}")
            }
            Self::IsA { value, ty } => {
                write!(f, "whether a value of which only `{value}` is known is a `{ty}`")
            }
            Self::AddressSpace { pointer, target } => {
                write!(f, "a {pointer}: {target} has no such kind of memory")
            }
            Self::EntryResult { target, ty } => {
                write!(f, "{target} returns an integer or a pointer, not a {ty}")
            }
            Self::Reports { target } => {
                write!(f, "a report to the host, such as printing: {target} has nothing to leave it in")
            }
            Self::PrivateMemory { bytes, most } => {
                write!(f, "{bytes} bytes of private memory; at most {most} are possible")
            }
            Self::OperandBytes { bytes, most } => {
                write!(f, "{bytes} bytes of values to throw or to print at once; at most {most} are possible")
            }
        }
    }
}
