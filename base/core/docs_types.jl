# Documentation of the types of Core and of C's types.

"""
    AbstractArray{T, N}

The supertype of arrays with elements of type `T` and `N` dimensions.
"""
AbstractArray

"""
    AbstractChar

The supertype of characters, which stand for code points.
"""
AbstractChar

"""
    AbstractFloat

The supertype of floating-point numbers.
"""
AbstractFloat

"""
    AbstractString

The supertype of strings.
"""
AbstractString

"""
    Any

The supertype of all types.
"""
Any

"""
    ArgumentError(text)

The exception for an argument that a function cannot take.
"""
ArgumentError

"""
    Array{T, N}(undef, dims)

An array of `N` dimensions whose elements of type `T` lie in memory one after the other, the first index fastest.
"""
Array

"""
    AssertionError(text)

The exception of a failed `@assert`.
"""
AssertionError

"""
    AtomicMemory{T}

Memory of fixed length whose elements are read and changed atomically.
"""
AtomicMemory

"""
    Base

The module of the standard library that every program uses.
"""
Base

"""
    Bool

The type of `true` and `false`, which are also the integers 1 and 0.
"""
Bool

"""
    BoundsError(a, i)

The exception for an index outside of an array or another collection.
"""
BoundsError

"""
    Cchar

C's `char`: an `Int8`.
"""
Cchar

"""
    Cdouble

C's `double`: a `Float64`.
"""
Cdouble

"""
    Cfloat

C's `float`: a `Float32`.
"""
Cfloat

"""
    Channel{T}(size = 0)
    Channel(f, size = 0)

A queue through which tasks hand each other values. A task that calls `f` with the channel may fill it.
"""
Channel

"""
    Char(n)

A character: 32 bits that hold a code point as UTF-8 encodes it.
"""
Char

"""
    Cint

C's `int`: an `Int32`.
"""
Cint

"""
    Cintmax_t

C's `intmax_t`: an `Int64`.
"""
Cintmax_t

"""
    Clong

C's `long`: an `Int64`.
"""
Clong

"""
    Clonglong

C's `long long`: an `Int64`.
"""
Clonglong

"""
    Cmd(words; ...)

The words of a command with its folder and environment. kiln runs no commands.
"""
Cmd

"""
    Colon

The type of `:`, which as an index selects all of a dimension.
"""
Colon

"""
    Complex{T}(re, im)

A complex number with parts of type `T`.
"""
Complex

"""
    ComplexF16

A complex number with parts of type `Float16`.
"""
ComplexF16

"""
    ComplexF32

A complex number with parts of type `Float32`.
"""
ComplexF32

"""
    ComplexF64

A complex number with parts of type `Float64`.
"""
ComplexF64

"""
    ConcurrencyViolationError(text)

The exception for operations that need a lock or an order that they do not have.
"""
ConcurrencyViolationError

"""
    Condition()

An event that tasks wait for and `notify` announces.
"""
Condition

"""
    Core

The module of what the language itself is made of.
"""
Core

"""
    Cptrdiff_t

C's `ptrdiff_t`: an `Int`.
"""
Cptrdiff_t

"""
    Cshort

C's `short`: an `Int16`.
"""
Cshort

"""
    Csize_t

C's `size_t`: a `UInt`.
"""
Csize_t

"""
    Cssize_t

C's `ssize_t`: an `Int`.
"""
Cssize_t

"""
    Cstring

A text of C, which a zero byte ends: a parameter of `ccall` that takes a `String`.
"""
Cstring

"""
    Cwstring

A text of C in wide characters, which a zero ends.
"""
Cwstring

"""
    Cuchar

C's `unsigned char`: a `UInt8`.
"""
Cuchar

"""
    Cuint

C's `unsigned int`: a `UInt32`.
"""
Cuint

"""
    Cuintmax_t

C's `uintmax_t`: a `UInt64`.
"""
Cuintmax_t

"""
    Culong

C's `unsigned long`: a `UInt64`.
"""
Culong

"""
    Culonglong

C's `unsigned long long`: a `UInt64`.
"""
Culonglong

"""
    Cushort

C's `unsigned short`: a `UInt16`.
"""
Cushort

"""
    Cvoid

C's `void`: `Nothing`.
"""
Cvoid

"""
    DataType

The type of types that were declared, with all their parameters.
"""
DataType

"""
    DenseArray{T, N}

The supertype of arrays whose elements lie in memory one after the other.
"""
DenseArray

"""
    DivideError()

The exception of an integer division by zero, or one whose result overflows.
"""
DivideError

"""
    DomainError(value, text)

The exception for a value at which a function is not defined.
"""
DomainError

"""
    ErrorException(text)

The exception of `error`.
"""
ErrorException

"""
    Expr(head, args...)

An expression: a head that says what it is, and its arguments.
"""
Expr

"""
    FieldError(type, field)

The exception for a field that a type does not have.
"""
FieldError

"""
    Float16(x)

A float of 16 bits: 11 of precision and 5 of exponent.
"""
Float16

"""
    Float32(x)

A float of 32 bits: 24 of precision and 8 of exponent.
"""
Float32

"""
    Float64(x)

A float of 64 bits: 53 of precision and 11 of exponent.
"""
Float64

"""
    Function

The supertype of functions.
"""
Function

"""
    GenericMemory{kind, T, space}(undef, n)

Memory of fixed length, on which arrays stand.
"""
GenericMemory

"""
    InexactError(name, T, value)

The exception for a value that a type cannot represent exactly.
"""
InexactError

"""
    InitError(mod, error)

The exception for an error in a module's `__init__`.
"""
InitError

"""
    Int

The integer of a machine word: `Int64`.
"""
Int

"""
    Int128(x)

A signed integer of 128 bits.
"""
Int128

"""
    Int16(x)

A signed integer of 16 bits.
"""
Int16

"""
    Int32(x)

A signed integer of 32 bits.
"""
Int32

"""
    Int64(x)

A signed integer of 64 bits.
"""
Int64

"""
    Int8(x)

A signed integer of 8 bits.
"""
Int8

"""
    Integer

The supertype of integers, `Bool` among them.
"""
Integer

"""
    InterruptException()

The exception of an interrupted program.
"""
InterruptException

"""
    LoadError(file, line, error)

The exception for an error in a file that is included.
"""
LoadError

"""
    Main

The module of the program.
"""
Main

"""
    Matrix{T}(undef, m, n)

An array of two dimensions: `Array{T, 2}`.
"""
Matrix

"""
    Memory{T}(undef, n)

Memory of fixed length with elements of type `T`.
"""
Memory

"""
    MethodError(f, args)

The exception for a call that no method fits.
"""
MethodError

"""
    Module

The type of modules.
"""
Module

"""
    NamedTuple{names}(values)
    (a = 1, b = 2)

A tuple whose elements have names.
"""
NamedTuple

"""
    Nothing

The type of `nothing`.
"""
Nothing

"""
    NTuple{N, T}

A tuple of `N` elements of type `T`.
"""
NTuple

"""
    Number

The supertype of numbers.
"""
Number

"""
    OutOfMemoryError()

The exception for memory that cannot be had.
"""
OutOfMemoryError

"""
    OverflowError(text)

The exception for a result that its type cannot hold.
"""
OverflowError

"""
    PipeBuffer(data = UInt8[])

A stream in memory that appends what is written and reads from the start.
"""
PipeBuffer

"""
    Ptr{T}

The address of a value of type `T`.
"""
Ptr

"""
    QuoteNode(value)

A quoted value in an expression, which evaluates to itself.
"""
QuoteNode

"""
    Real

The supertype of real numbers.
"""
Real

"""
    Ref(x)
    Ref(A, i)
    Ref{T}()

A reference to one value, read and written as `r[]`. In a broadcast it counts as a scalar.
"""
Ref

"""
    RoundingMode

The type of directions of rounding.
"""
RoundingMode

"""
    Signed

The supertype of signed integers.
"""
Signed

"""
    StackOverflowError()

The exception for calls that nest too deeply.
"""
StackOverflowError

"""
    String(x)

An immutable string of bytes in UTF-8. `String(bytes)` takes the memory of a byte vector.
"""
String

"""
    Symbol(parts...)

A name as a value: there is one symbol of each text.
"""
Symbol

"""
    Tuple{Types...}
    Tuple(itr)

An immutable sequence with a type for each element.
"""
Tuple

"""
    Type{T}

The type whose only value is the type `T`; `Type` alone is the supertype of all types of types.
"""
Type

"""
    TypeError(func, context, expected, got)

The exception for a value of another type than is needed.
"""
TypeError

"""
    UInt

The unsigned integer of a machine word: `UInt64`.
"""
UInt

"""
    UInt128(x)

An unsigned integer of 128 bits.
"""
UInt128

"""
    UInt16(x)

An unsigned integer of 16 bits.
"""
UInt16

"""
    UInt32(x)

An unsigned integer of 32 bits.
"""
UInt32

"""
    UInt64(x)

An unsigned integer of 64 bits.
"""
UInt64

"""
    UInt8(x)

An unsigned integer of 8 bits.
"""
UInt8

"""
    UndefInitializer()

The type of `undef`.
"""
UndefInitializer

"""
    UndefKeywordError(name)

The exception for a keyword without a default that was not given.
"""
UndefKeywordError

"""
    UndefRefError()

The exception for an element or a field that was never assigned.
"""
UndefRefError

"""
    UndefVarError(name)

The exception for a variable without a value.
"""
UndefVarError

"""
    Union{Types...}

The type of all values of any of the types. `Union{}` has no values.
"""
Union

"""
    UnionAll(var, body)
    T where var

The union of a type over all values of a parameter.
"""
UnionAll

"""
    Unsigned

The supertype of unsigned integers.
"""
Unsigned

"""
    Vararg{T, N}

The last parameter of a tuple type, for `N` or any number of elements of type `T`.
"""
Vararg

"""
    VecElement(x)

An element of a vector register: tuples of these are passed as LLVM vectors.
"""
VecElement

"""
    Vector{T}(undef, n)

An array of one dimension: `Array{T, 1}`.
"""
Vector
