# Values as bytes and back, within one version of kiln: numbers, text, arrays, tuples, structures, types and functions with names,
# expressions. An object that appears twice is written once. What has no bytes of its own, such as a task or a closure, is refused.
module Serialization

export serialize, deserialize, AbstractSerializer, Serializer

abstract type AbstractSerializer end
mutable struct Serializer{I} <: AbstractSerializer
    io::I
    seen::IdDict{Any, Int}      # objects written, by number
    read::Vector{Any}           # objects read, by number
end
Serializer(io::IO) = Serializer{typeof(io)}(io, IdDict{Any, Int}(), Any[])

const MAGIC = UInt8['k', 'l', 'n', 1]
function serialize(io::IO, x)
    write(io, MAGIC)
    serialize(Serializer(io), x)
    nothing
end
serialize(s::AbstractSerializer, x) = put(s, x)
# A method of `serialize` for a type of its own begins with this; `deserialize(s, T)` reads the rest.
serialize_type(s::AbstractSerializer, T::DataType) = (tag(s, 'k'); put_type(s, T))
function deserialize(io::IO)
    for byte in MAGIC
        read(io, UInt8) === byte || error("deserialize: this is not what serialize of this version writes")
    end
    get_value(Serializer(io))
end
deserialize(s::AbstractSerializer) = get_value(s)
deserialize(s::AbstractSerializer, T::DataType) = throw(ArgumentError(string("deserialize: no method reads a ", T)))
serialize(path::AbstractString, x) = open(io -> serialize(io, x), path, "w")
deserialize(path::AbstractString) = open(deserialize, path)

const Bits = Union{Bool, Int8, Int16, Int32, Int64, Int128, UInt8, UInt16, UInt32, UInt64, UInt128, Float16, Float32, Float64, Char}
# Types of programs, as `@enum` makes them, are written as integers of their size.
const INTEGERS = (UInt8, UInt16, UInt32, UInt64, UInt128)
has_bits(T) = isprimitivetype(T) && !(T <: Ptr) && sizeof(T) in map(sizeof, INTEGERS)
as_integer(T) = INTEGERS[findfirst(it -> sizeof(it) == sizeof(T), INTEGERS)]
tag(s, byte::Char) = write(s.io, UInt8(byte))
number(s, n::Integer) = write(s.io, Int64(n))
get_number(s) = read(s.io, Int64)
text(s, x) = (bytes = codeunits(String(x)); number(s, length(bytes)); write(s.io, bytes))
get_text(s) = String(read(s.io, Int(get_number(s))))

function put(s, x)
    x === nothing && return tag(s, 'n')
    x === Core.CPU && return tag(s, 'c')
    # It is the session's own: the frame of a stack trace is read without it.
    x isa Core.MethodInstance && return tag(s, 'n')
    (x isa Bits || has_bits(typeof(x))) && return (tag(s, 'b'); put_type(s, typeof(x)); put_bits(s, x))
    x isa Type && return (tag(s, 't'); put_type(s, x))
    x isa Symbol && return (tag(s, 'y'); text(s, x))
    x isa Module && return (tag(s, 'm'); put_module(s, x))
    x isa TypeVar && return (tag(s, 'v'); put_variable(s, x))
    T = typeof(x)
    if x isa Function && Base.issingletontype(T)
        m, name = parentmodule(x), nameof(x)
        Base.isdefinedglobal(m, name) && getglobal(m, name) === x || throw(ArgumentError("serialize: a function without a name"))
        tag(s, 'f'); put_module(s, m); text(s, name)
        return nothing
    end
    if ismutable(x) && !(x isa String)
        known = get(s.seen, x, 0)
        known == 0 || return (tag(s, 'r'); number(s, known))
        s.seen[x] = length(s.seen) + 1
    end
    x isa String && return (tag(s, 's'); text(s, x))
    x isa Core.SimpleVector && return (tag(s, 'z'); number(s, length(x)); foreach(i -> serialize(s, x[i]), 1:length(x)))
    x isa Tuple && return (tag(s, 'u'); number(s, length(x)); foreach(it -> serialize(s, it), x))
    x isa Array && return (tag(s, 'a'); put_type(s, T); put(s, size(x)); elements(s, x))
    x isa Memory && return (tag(s, 'g'); put_type(s, T); number(s, length(x)); elements(s, x))
    x isa Union{Task, Ptr, IO} && throw(ArgumentError(string("serialize: a ", T, " has no bytes of its own")))
    isprimitivetype(T) && throw(ArgumentError(string("serialize: values of the primitive type ", T)))
    T <: Function && throw(ArgumentError("serialize: a closure has no name to be found by"))
    tag(s, ismutable(x) ? 'o' : 'i')
    put_type(s, T)
    for i in 1:fieldcount(T)
        defined = isdefined(x, i)
        write(s.io, UInt8(defined))
        defined && serialize(s, getfield(x, i))
    end
    nothing
end
put_bits(s, x) = write(s.io, x isa Bits && !(x isa Char) ? x : reinterpret(as_integer(typeof(x)), x))
get_bits(s, T) = T <: Bits && T !== Char ? read(s.io, T) : reinterpret(T, read(s.io, as_integer(T)))
function elements(s, x)
    for i in 1:length(x)
        defined = isassigned(x, i)
        write(s.io, UInt8(defined))
        defined && serialize(s, x[i])
    end
end

function put_module(s, m)
    is_known = m === Main || m === Base || m === Core
    is_known ? number(s, 0) : parentmodule(m) === m ? number(s, 2) : (number(s, 1); put_module(s, parentmodule(m)))
    text(s, nameof(m))
end
function get_module(s)
    kind = get_number(s)
    outer = kind == 1 ? get_module(s) : Main
    name = Symbol(get_text(s))
    kind == 2 && return package_module(name)
    name === :Main ? Main : getglobal(outer, name)::Module
end
# A package, which is loaded if need be.
function package_module(name::Symbol)
    holder = Module(:holder)
    Core.eval(holder, Expr(:import, Expr(:., name)))
    getglobal(holder, name)::Module
end
put_variable(s, v) = (text(s, v.name); put(s, v.lb); put(s, v.ub))
function put_type(s, T)
    T === Union{} && return tag(s, '0')
    if T isa Union
        tag(s, 'U')
        put_type(s, T.a)
        return put_type(s, T.b)
    elseif T isa UnionAll
        tag(s, 'A')
        s.seen[T.var] = length(s.seen) + 1
        put_variable(s, T.var)
        return put_type(s, T.body)
    elseif T isa TypeVar
        tag(s, 'V')
        return number(s, s.seen[T])
    elseif T isa Core.TypeofVararg
        tag(s, 'N')
        put_parameter(s, isdefined(T, :T) ? T.T : Any)
        write(s.io, UInt8(isdefined(T, :N)))
        return isdefined(T, :N) ? put_parameter(s, T.N) : nothing
    end
    m, name = T.name.module, T.name.name
    tag(s, 'D')
    put_module(s, m)
    text(s, name)
    number(s, length(T.parameters))
    foreach(p -> put_parameter(s, p), T.parameters)
end
put_parameter(s, p) = p isa Type || p isa TypeVar || p isa Core.TypeofVararg ? (write(s.io, 0x01); put_type(s, p)) : (write(s.io, 0x00); put(s, p))
get_parameter(s) = read(s.io, UInt8) === 0x01 ? get_type(s) : get_value(s)
function get_type(s)
    t = Char(read(s.io, UInt8))
    t === '0' && return Union{}
    if t === 'U'
        a = get_type(s)
        return Union{a, get_type(s)}
    elseif t === 'A'
        at = length(push!(s.read, nothing))
        v = TypeVar(Symbol(get_text(s)), get_value(s), get_value(s))
        s.read[at] = v
        return UnionAll(v, get_type(s))
    elseif t === 'V'
        return s.read[get_number(s)]
    elseif t === 'N'
        elem = get_parameter(s)
        return read(s.io, UInt8) === 0x01 ? Vararg{elem, get_parameter(s)} : Vararg{elem}
    end
    t === 'D' || error("deserialize: damaged bytes")
    m, name = get_module(s), Symbol(get_text(s))
    found = getglobal(m, name)
    n = get_number(s)
    parameters = Any[get_parameter(s) for _ in 1:n]
    found = found isa UnionAll ? Base.typename(found).wrapper : found
    n == 0 && !(found === Tuple) ? (found isa UnionAll ? Base.unwrap_unionall(found) : found) : found === Tuple ? Tuple{parameters...} : found{parameters...}
end

function get_value(s)
    t = Char(read(s.io, UInt8))
    t === 'n' && return nothing
    t === 'c' && return Core.CPU
    t === 'b' && return get_bits(s, get_type(s))
    t === 't' && return get_type(s)
    t === 'y' && return Symbol(get_text(s))
    t === 'm' && return get_module(s)
    t === 'v' && return TypeVar(Symbol(get_text(s)), get_value(s), get_value(s))
    if t === 'f'
        m = get_module(s)
        return getglobal(m, Symbol(get_text(s)))
    end
    t === 'r' && return finished(s.read[get_number(s)])
    t === 's' && return get_text(s)
    t === 'z' && return Core.svec(Any[get_value(s) for _ in 1:get_number(s)]...)
    t === 'u' && return (Any[get_value(s) for _ in 1:get_number(s)]...,)
    if t === 'a' || t === 'g'
        at = length(push!(s.read, nothing))
        T = get_type(s)
        x = t === 'a' ? T(undef, get_value(s)) : T(undef, Int(get_number(s)))
        s.read[at] = x
        for i in 1:length(x)
            read(s.io, UInt8) === 0x01 && (x[i] = get_value(s))
        end
        return x
    end
    t === 'o' && return get_object(s)
    t === 'k' && return deserialize(s, get_type(s))
    t === 'i' || error("deserialize: damaged bytes")
    T = get_type(s)
    values = Any[]
    for _ in 1:fieldcount(T)
        read(s.io, UInt8) === 0x01 ? push!(values, get_value(s)) : break
    end
    make(T, values)
end
@generated make_with(::Type{T}, values, ::Val{N}) where {T, N} = Expr(:new, T, (:(values[$i]) for i in 1:N)...)
make(T, values) = make_with(T, values, Val(length(values)))
# The fields first: an object that some field of it refers to cannot be made.
struct Unfinished end
function get_object(s)
    at = length(push!(s.read, Unfinished()))
    T = get_type(s)
    values, later = Any[], Any[]
    for i in 1:fieldcount(T)
        read(s.io, UInt8) === 0x01 || continue
        x = get_value(s)
        length(values) == i - 1 ? push!(values, x) : push!(later, i => x)
    end
    x = make(T, values)
    for (i, value) in later
        Core.setfield!(x, i, value)
    end
    s.read[at] = x
end
function finished(x)
    x isa Unfinished && throw(ArgumentError("deserialize: an object that refers to itself"))
    x
end

end
