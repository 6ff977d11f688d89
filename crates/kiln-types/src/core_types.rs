//! The types Rust code names, registered by `Types::new` in a fixed order.

use crate::{Symbol, Type, Types};

macro_rules! core_types {
    ($($(#[$doc:meta])* $field:ident),* $(,)?) => {
        /// Ids of the types that exist before any source is read. A parametric one is its `UnionAll`.
        #[derive(Clone, Copy, Debug)]
        pub struct CoreTypes {
            $($(#[$doc])* pub $field: Type,)*
        }

        impl CoreTypes {
            /// All fields alike, until the types exist.
            pub(crate) fn placeholder(ty: Type) -> Self {
                Self { $($field: ty),* }
            }

            /// All of them, in the order of the fields.
            pub(crate) fn all(&self) -> Vec<Type> {
                vec![$(self.$field),*]
            }

            /// The inverse of `all`; `None` when there are more or fewer.
            pub(crate) fn from_all(all: &[Type]) -> Option<Self> {
                let mut all = all.iter().copied();
                let core = Self { $($field: all.next()?),* };
                all.next().is_none().then_some(core)
            }
        }
    };
}

core_types! {
    /// `Union{}`.
    bottom,
    /// `Any`.
    any,
    /// `Type` (`Type{T} where T`).
    type_,
    /// `DataType`.
    data_type,
    /// `Union` (the type of union types).
    union_type,
    /// `UnionAll`.
    union_all,
    /// `TypeVar`.
    type_var,
    /// `Core.TypeofBottom`, the type of `Union{}`.
    typeof_bottom,
    /// `Core.TypeofVararg`.
    typeof_vararg,
    /// `Core.TypeName`.
    type_name,
    /// `Tuple` (`Tuple{Vararg{Any}}`).
    tuple,
    /// `Tuple{}`.
    empty_tuple,
    /// `NamedTuple` (a `UnionAll` of names and types).
    named_tuple,
    /// `Function`.
    function,
    /// `Core.Builtin <: Function`.
    builtin,
    /// `Core.IntrinsicFunction <: Builtin`.
    intrinsic_function,
    /// `Number`.
    number,
    /// `Real`.
    real,
    /// `AbstractFloat`.
    abstract_float,
    /// `Integer`.
    integer,
    /// `Signed`.
    signed,
    /// `Unsigned`.
    unsigned,
    /// `Bool`.
    bool,
    /// `Int8`.
    int8,
    /// `Int16`.
    int16,
    /// `Int32`.
    int32,
    /// `Int64`.
    int64,
    /// `Int128`.
    int128,
    /// `UInt8`.
    uint8,
    /// `UInt16`.
    uint16,
    /// `UInt32`.
    uint32,
    /// `UInt64`.
    uint64,
    /// `UInt128`.
    uint128,
    /// `Float16`.
    float16,
    /// `Core.BFloat16`.
    bfloat16,
    /// `Float32`.
    float32,
    /// `Float64`.
    float64,
    /// `AbstractChar`.
    abstract_char,
    /// `Char` (32 bits).
    char,
    /// `AbstractString`.
    abstract_string,
    /// `String`.
    string,
    /// `Symbol`.
    symbol,
    /// `Module`.
    module,
    /// `Nothing`.
    nothing,
    /// `Ref` (abstract, one parameter).
    ref_,
    /// `Ptr{T} <: Ref{T}`, 64 bits.
    ptr,
    /// `Core.LLVMPtr{T, AS} <: Ref{T}`, 64 bits.
    llvm_ptr,
    /// `AbstractArray{T, N}`.
    abstract_array,
    /// `DenseArray{T, N}`.
    dense_array,
    /// `GenericMemory{kind, T, addrspace}` (mutable; fields `length::Int`, `ptr::Ptr{Nothing}`).
    generic_memory,
    /// `Memory{T} = GenericMemory{:not_atomic, T, Core.CPU}`.
    memory,
    /// `GenericMemoryRef{kind, T, addrspace}` (fields `ptr_or_offset::Ptr{Nothing}`, `mem`).
    generic_memory_ref,
    /// `MemoryRef{T}`.
    memory_ref,
    /// `Core.AddrSpace{T}` (8 bits; `Core.CPU` is its value 0).
    addr_space,
    /// `Array{T, N}` (mutable; fields `ref::MemoryRef{T}`, `size::NTuple{N, Int}`).
    array,
    /// `Core.SimpleVector`.
    simple_vector,
    /// `Core.Box` (mutable, field `contents`).
    box_,
    /// `Expr` (mutable; `head::Symbol`, `args::Array{Any, 1}`).
    expr,
    /// `QuoteNode` (`value`).
    quote_node,
    /// `LineNumberNode` (`line::Int`, `file::Union{Symbol, Nothing}`; `nothing` when unknown).
    line_number_node,
    /// `GlobalRef` (`mod::Module`, `name::Symbol`).
    global_ref,
    /// `Method`.
    method,
    /// `Core.MethodInstance`.
    method_instance,
    /// `Core.CodeInstance`: a result of inference.
    code_instance,
    /// `Core.MethodTable`: an overlay table.
    method_table,
    /// `Exception`.
    exception,
    /// `ErrorException` (`msg::AbstractString`).
    error_exception,
    /// `BoundsError` (`a`, `i`; both may be undefined).
    bounds_error,
    /// `DivideError`.
    divide_error,
    /// `DomainError` (`val`, `msg`).
    domain_error,
    /// `OverflowError` (`msg`).
    overflow_error,
    /// `InexactError` (`func::Symbol`, `args`).
    inexact_error,
    /// `UndefRefError`.
    undef_ref_error,
    /// `UndefVarError` (`var::Symbol`, `world::UInt`, `scope`).
    undef_var_error,
    /// `UndefKeywordError` (`var::Symbol`).
    undef_keyword_error,
    /// `FieldError` (`type::DataType`, `field::Symbol`).
    field_error,
    /// `TypeError` (`func::Symbol`, `context::Union{AbstractString,Symbol}`, `expected::Type`, `got`).
    type_error,
    /// `ArgumentError` (`msg`).
    argument_error,
    /// `AssertionError` (`msg`).
    assertion_error,
    /// `MethodError` (`f`, `args`, `world::UInt`).
    method_error,
    /// `ConcurrencyViolationError` (`msg`).
    concurrency_violation_error,
    /// `StackOverflowError`.
    stack_overflow_error,
    /// `OutOfMemoryError`.
    out_of_memory_error,
    /// `InterruptException`.
    interrupt_exception,
    /// `LoadError` (`file::AbstractString`, `line::Int`, `error`).
    load_error,
}

/// Returns the bindings of `Core` to types, in a fixed order.
pub fn named(types: &Types) -> &[(Symbol, Type)] {
    &types.bindings
}
