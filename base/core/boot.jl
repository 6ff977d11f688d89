# The bottom of the library: what module Core holds beyond the builtins and types that the runtime provides.
# Only builtins may be called while this file is evaluated: Base does not exist yet, so there is no `a.b`.

export VecElement, Any, Type, DataType, Union, UnionAll, TypeVar, Vararg, Tuple, NamedTuple, NTuple, Function,
    Number, Real, AbstractFloat, Integer, Signed, Unsigned, Bool,
    Int, Int8, Int16, Int32, Int64, Int128, UInt, UInt8, UInt16, UInt32, UInt64, UInt128,
    Float16, Float32, Float64, AbstractChar, Char, AbstractString, String, Symbol, Module, Nothing,
    Ref, Ptr, AbstractArray, DenseArray, GenericMemory, Memory, GenericMemoryRef, MemoryRef, AtomicMemory,
    Array, Vector, Matrix, Expr, QuoteNode, LineNumberNode, GlobalRef, Method, Exception, ErrorException,
    BoundsError, DivideError, DomainError, OverflowError, InexactError, UndefRefError, UndefVarError,
    UndefKeywordError, FieldError, TypeError, ArgumentError, AssertionError, MethodError,
    ConcurrencyViolationError, StackOverflowError, OutOfMemoryError, InterruptException, LoadError, InitError,
    UndefInitializer, Cvoid,
    typeof, isa, <:, ===, typeassert, throw, tuple, getfield, setfield!, swapfield!, modifyfield!,
    replacefield!, fieldtype, isdefined, nfields, applicable, invoke, invokelatest,
    getglobal, setglobal!, isdefinedglobal, memoryref, undef, nothing, Core, Main

import Core.Intrinsics: slt_int, sle_int, eq_int, or_int, and_int, add_int, not_int, checked_smul_int, bitcast
import Core.Host: symbol_from_string, has_free_typevars
const host_eval = getglobal(Host, :eval)
# Splatting mentions `Base.iterate`, which therefore has to be there, if only in name.
host_eval(Base, _expr(:function, :iterate))

const Int = Int64
const UInt = UInt64
const Cvoid = Nothing

(::Type{TypeVar})(n::Symbol) = _typevar(n, Union{}, Any)
(::Type{TypeVar})(n::Symbol, ub) = _typevar(n, Union{}, ub)
(::Type{TypeVar})(n::Symbol, lb, ub) = _typevar(n, lb, ub)
(::Type{UnionAll})(v::TypeVar, t) = _unionall(v, t)

function Typeof end
(::typeof(Typeof))(x) = isa(x, Type) ? Type{x} : typeof(x)
# What the type of a closure says of a variable it captures.
_typeof_captured_variable(x) = Typeof(x)

# Every call with keywords goes through here: `f(a; k = 1)` is `kwcall((k = 1,), f, a)`.
function kwcall end

# Expressions, and the macros that make objects without a constructor.
(::Type{Expr})(args...) = _expr(args...)

macro new(T, args...)
    Expr(:escape, Expr(:new, T, args...))
end

macro splatnew(T, args)
    Expr(:escape, Expr(:splatnew, T, args))
end

(::Type{QuoteNode})(value) = @new QuoteNode value
(::Type{LineNumberNode})(line::Int) = @new LineNumberNode line nothing
(::Type{LineNumberNode})(line::Int, file::Union{Symbol, Nothing}) = @new LineNumberNode line file
(::Type{LineNumberNode})(line::Int, file::String) = @new LineNumberNode line symbol_from_string(file)
(::Type{GlobalRef})(mod::Module, name::Symbol) = @new GlobalRef mod name
(::Type{Symbol})(name::String) = symbol_from_string(name)
(::Type{Symbol})(name::Symbol) = name
(::Type{Box})() = @new Box
(::Type{Box})(contents) = @new Box contents
(::Type{Nothing})() = nothing

# The library's documentation waits here until module Docs takes it: a chain of place, module, text, head of the
# definition, and rest.
const documentation = Box(nothing)
argument(ex, i) = memoryrefget(memoryrefnew(getfield(getfield(ex, :args), :ref), i, false), :not_atomic, false)
# The part of a definition that names it, without its body.
function documented_head(ex)
    isa(ex, Expr) || return ex
    head = getfield(ex, :head)
    if head === :macrocall
        documented_head(argument(ex, getfield(getfield(getfield(ex, :args), :size), 1)))
    elseif head === :function || head === :macro || head === :(=)
        Expr(head, argument(ex, 1), Expr(:block))
    elseif head === :struct
        Expr(head, argument(ex, 1), argument(ex, 2), Expr(:block))
    elseif head === :const
        Expr(head, documented_head(argument(ex, 1)))
    else
        ex
    end
end
# Whether an expression only mentions a name or a signature, so that nothing remains to be evaluated.
function only_mentions(ex)
    while isa(ex, Expr)
        head = getfield(ex, :head)
        head === :call && return true
        head === :where || head === :(::) || return false
        ex = argument(ex, 1)
    end
    isa(ex, Symbol)
end

macro doc(text)
    nothing
end

macro doc(text, definition)
    kept = svec(__source__, __module__, text, documented_head(definition), getfield(documentation, :contents))
    setfield!(documentation, :contents, kept)
    only_mentions(definition) && return nothing
    Expr(:escape, definition)
end

macro doc(text, definition, define)
    Expr(:escape, definition)
end

eval(m::Module, ex) = host_eval(m, ex)

# Exceptions.
(::Type{ErrorException})(msg::AbstractString) = @new ErrorException msg
(::Type{BoundsError})() = @new BoundsError
(::Type{BoundsError})(a) = @new BoundsError a
(::Type{BoundsError})(a, i) = @new BoundsError a i
(::Type{DivideError})() = @new DivideError
(::Type{DomainError})(val) = @new DomainError val ""
(::Type{DomainError})(val, msg) = @new DomainError val msg
(::Type{OverflowError})(msg) = @new OverflowError msg
(::Type{InexactError})(func::Symbol, args...) = @new InexactError func args
(::Type{UndefRefError})() = @new UndefRefError
(::Type{UndefKeywordError})(var::Symbol) = @new UndefKeywordError var
(::Type{TypeError})(func, expected::Type, got) = TypeError(func, "", expected, got)
(::Type{TypeError})(func, context, expected::Type, got) = @new TypeError Symbol(func) context expected got
(::Type{ArgumentError})(msg) = @new ArgumentError msg
(::Type{AssertionError})(msg) = @new AssertionError msg
(::Type{AssertionError})() = @new AssertionError ""
(::Type{MethodError})(f, args, world::UInt) = @new MethodError f args world
(::Type{ConcurrencyViolationError})(msg) = @new ConcurrencyViolationError msg
(::Type{StackOverflowError})() = @new StackOverflowError
(::Type{OutOfMemoryError})() = @new OutOfMemoryError
(::Type{InterruptException})() = @new InterruptException
(::Type{LoadError})(file, line::Int, error) = @new LoadError file line error
(::Type{FieldError})(type::DataType, field::Symbol) = @new FieldError type field

# Memory, Array.
const NTuple{N, T} = Tuple{Vararg{T, N}}
const Vector{T} = Array{T, 1}
const Matrix{T} = Array{T, 2}
const AtomicMemory{T} = GenericMemory{:atomic, T, CPU}

# A tuple of these is an LLVM vector.
struct VecElement{T}
    value::T
    VecElement{T}(value::T) where {T} = new{T}(value)
end
VecElement(value::T) where {T} = VecElement{T}(value)

# A method that a look-up found: for calls with which types, with which static parameters, and whether for all of them.
# An exception of a module's `__init__`.
struct InitError <: Exception
    mod::Symbol
    error::Any
    InitError(mod::Symbol, error) = new(mod, error)
end

# Of a type that has no single name.
struct TypeNameError <: Exception
    a::Any
    TypeNameError(a) = new(a)
end

struct MethodMatch
    spec_types::Any
    sparams::SimpleVector
    method::Method
    fully_covers::Bool
    MethodMatch(spec_types, sparams::SimpleVector, method::Method, fully_covers::Bool) =
        new(spec_types, sparams, method, fully_covers)
end

# The parts of the code of `CodeInfo`s besides `Expr`s and constants. Numbers count from 1.
struct SSAValue
    id::Int
end
struct SlotNumber
    id::Int
end
struct Argument
    n::Int
end
struct GotoNode
    label::Int
end
struct GotoIfNot
    cond::Any
    dest::Int
    GotoIfNot(cond, dest::Int) = new(cond, dest)
end
# A return without a value is where control never gets.
struct ReturnNode
    val::Any
    ReturnNode(val) = new(val)
    ReturnNode() = new()
end
struct NewvarNode
    slot::SlotNumber
end
struct EnterNode
    catch_dest::Int
    scope::Any
    EnterNode(catch_dest::Int) = new(catch_dest)
    EnterNode(catch_dest::Int, scope) = new(catch_dest, scope)
end
struct PiNode
    val::Any
    typ::Any
    PiNode(val, typ) = new(val, typ)
end
struct PhiNode
    edges::Vector{Int32}
    values::Vector{Any}
end

# The values of variables where a handler begins.
struct PhiCNode
    values::Vector{Any}
end
struct UpsilonNode
    val::Any
    UpsilonNode(val) = new(val)
    UpsilonNode() = new()
end

# The file that code is from, and the line of each statement; 0 where there is none.
struct DebugInfo
    def::Any
    lines::Vector{Int32}
end

# Code as a value: as lowering makes it, or typed.
mutable struct CodeInfo
    code::Vector{Any}
    debuginfo::Any
    ssavaluetypes::Any
    ssaflags::Vector{UInt32}
    slotnames::Vector{Symbol}
    slotflags::Vector{UInt8}
    slottypes::Any
    rettype::Any
    parent::Any
    edges::Any
    min_world::UInt
    max_world::UInt
    method_for_inference_limit_heuristics::Any
    nargs::UInt
    propagate_inbounds::Bool
    has_fcall::Bool
    has_image_globalref::Bool
    nospecializeinfer::Bool
    isva::Bool
    inlining::UInt8
    constprop::UInt8
    purity::UInt16
    inlining_cost::UInt16
end
# How the runtime makes one of what it knows, as a named tuple; the method is in code_info.jl.
function _code_info end

# A function that makes the expression which is the body of a method, with the names of the arguments and static parameters.
struct GeneratedFunctionStub
    gen::Any
    argnames::SimpleVector
    spnames::SimpleVector
end
abstract type CachedGenerator end
# Calls the generator that `Expr(:meta, :generated, g)` names; the method is in code_info.jl.
function _run_generator end

struct UndefInitializer
end
const undef = @new UndefInitializer

memoryref(mem::GenericMemory) = memoryrefnew(mem)
memoryref(mem::GenericMemory, i::Int) = memoryrefnew(memoryrefnew(mem), i, true)
memoryref(ref::GenericMemoryRef, i::Int) = memoryrefnew(ref, i, true)
(::Type{GenericMemoryRef})(mem::GenericMemory) = memoryrefnew(mem)
(::Type{GenericMemoryRef})(mem::GenericMemory, i::Int) = memoryrefnew(memoryrefnew(mem), i, true)
(::Type{MemoryRef})(mem::Memory) = memoryrefnew(mem)
(::Type{MemoryRef})(mem::Memory, i::Int) = memoryrefnew(memoryrefnew(mem), i, true)
(::Type{GenericMemory{K, T, A}})(::UndefInitializer, n::Int) where {K, T, A} = memorynew(GenericMemory{K, T, A}, n)

# The one place where dimensions are multiplied, and a number of elements by the size of one: how many elements an array of
# these dimensions has, and how many bytes. No dimension is negative, and the product is no larger than an `Int` holds
# unless it is zero.
throw_invalid_dims() = throw(ArgumentError("invalid Array dimensions"))
function checked_product(a::Int, b::Int)
    both = checked_smul_int(a, b)
    if or_int(getfield(both, 2), or_int(slt_int(a, 0), slt_int(b, 0)))
        throw_invalid_dims()
    end
    getfield(both, 1)
end
checked_dims() = 1
checked_dims(dims::Int...) = checked_length(dims)
checked_length(::Tuple{}) = 1
function checked_length(dims::Tuple{Int})
    if slt_int(getfield(dims, 1), 0)
        throw_invalid_dims()
    end
    getfield(dims, 1)
end
checked_length(dims::Tuple{Int, Int}) = checked_product(getfield(dims, 1), getfield(dims, 2))
function checked_length(dims::NTuple{N, Int}) where {N}
    count = 1
    overflows = false
    is_negative = false
    is_empty = false
    i = 1
    while sle_int(i, N)
        d = getfield(dims, i)
        both = checked_smul_int(count, d)
        count = getfield(both, 1)
        overflows = or_int(overflows, getfield(both, 2))
        is_negative = or_int(is_negative, slt_int(d, 0))
        is_empty = or_int(is_empty, eq_int(d, 0))
        i = add_int(i, 1)
    end
    if or_int(is_negative, and_int(overflows, not_int(is_empty)))
        throw_invalid_dims()
    end
    if is_empty
        return 0
    end
    count
end

function (::Type{Array{T, 1}})(::UndefInitializer, m::Int) where {T}
    @new Array{T, 1} memoryrefnew(memorynew(Memory{T}, checked_length((m,)))) (m,)
end
function (::Type{Array{T, 2}})(::UndefInitializer, m::Int, n::Int) where {T}
    @new Array{T, 2} memoryrefnew(memorynew(Memory{T}, checked_product(m, n))) (m, n)
end
function (::Type{Array{T, N}})(::UndefInitializer, dims::NTuple{N, Int}) where {T, N}
    @new Array{T, N} memoryrefnew(memorynew(Memory{T}, checked_length(dims))) dims
end
(::Type{Array{T, N}})(u::UndefInitializer, dims::Int...) where {T, N} = Array{T, N}(u, dims)
(::Type{Array{T}})(u::UndefInitializer, m::Int) where {T} = Array{T, 1}(u, m)
(::Type{Array{T}})(u::UndefInitializer, m::Int, n::Int) where {T} = Array{T, 2}(u, m, n)
(::Type{Array{T}})(u::UndefInitializer, dims::NTuple{N, Int}) where {T, N} = Array{T, N}(u, dims)
(::Type{Array{T}})(u::UndefInitializer, dims::Int...) where {T} = Array{T}(u, dims)
(::Type{Array{T, 1}})() where {T} = Array{T, 1}(undef, 0)

# Named tuples.
(::Type{NamedTuple{names}})(args::Tuple) where {names} = @splatnew NamedTuple{names, typeof(args)} args

# The type parameter that a captured variable gives to its closure.
_typeof_captured_variable(x) = isa(x, Type) && not_int(has_free_typevars(x)) ? Type{x} : typeof(x)

# The parser, by the name that programs replace it under; its method is in meta_parse.jl.
function _parse end
