# Enumerations: types of named integers.

"""
    Enum{T}

The supertype of the types that `@enum` defines.
"""
abstract type Enum{T <: Integer} end
basetype(::Type{<:Enum{T}}) where {T} = T
(::Type{T})(x::Enum) where {T <: Integer} = T(bitcast_enum(x))::T
bitcast_enum(x::Enum{T}) where {T} = bitcast(T, x)
instances_of_enum(T) = ()
isless(a::T, b::T) where {T <: Enum} = isless(bitcast_enum(a), bitcast_enum(b))
hash(x::Enum, h::UInt) = isprimitivetype(typeof(x)) ? hash(typeof(x), hash(bitcast_enum(x), h)) : invoke(hash, Tuple{Any, UInt}, x, h)
broadcastable(x::Enum) = Ref(x)
Symbol(x::Enum) = enum_name(x)
cconvert(::Type{T}, x::Enum{S}) where {T <: Integer, S <: Integer} = T(x)
write(io::IO, x::Enum{T}) where {T} = write(io, T(x))
read(io::IO, ::Type{T}) where {T <: Enum} = T(read(io, basetype(T)))
print(io::IO, x::Enum) = print(io, enum_name(x))
function show(io::IO, x::Enum)
    name = enum_name(x)
    # An instance shows as a name that means it where the text is read.
    print_prefix(io, parentmodule(typeof(x)), name)
    print(io, name)
end
show(io::IO, ::MIME"text/plain", x::Enum) =
    (print(io, enum_name(x), "::"); show(IOContext(io, :compact => true), typeof(x)); print(io, " = "); show(io, bitcast_enum(x)))
function show(io::IO, m::MIME"text/plain", T::Type{<:Enum})
    isconcretetype(T) || return show(io, T)
    print(io, "Enum ", T, ":")
    for (value, name) in enum_pairs(T)
        print(io, "\n", name, " = ")
        show(io, value)
    end
    nothing
end
enum_name(x::Enum) = (v = bitcast_enum(x); for (k, n) in enum_pairs(typeof(x)); k == v && return n; end; Symbol(string("<invalid #", v, ">")))
typemin(::Type{T}) where {T <: Enum} = minimum(instances(T))
typemax(::Type{T}) where {T <: Enum} = maximum(instances(T))
instances(::Type{T}) where {T <: Enum} = map(p -> T(p[1]), enum_pairs(T))
@noinline enum_argument_error(name, x) = throw(ArgumentError(string("invalid value for Enum ", name, ": ", x)))
function enum_pairs end

# The name and the integer type that a declaration begins with.
function enum_type(mod, T)
    T isa Symbol && return (T, Int32)
    T isa Expr && T.head === :(::) && length(T.args) == 2 && T.args[1] isa Symbol ||
        throw(ArgumentError(string("invalid type expression for enum ", T)))
    base = Core.eval(mod, T.args[2])
    base isa DataType && base <: Integer && isprimitivetype(base) ||
        throw(ArgumentError(string("invalid base type for Enum ", T.args[1], ", ", T, "=::", base, "; base type must be an integer primitive type")))
    (T.args[1], base)
end
function enum_items(mod, name, base, list)
    items, seen, taken = Tuple{Any, Symbol}[], Set{Symbol}(), Dict{Any, Symbol}()
    next, fits = zero(base), true
    for v in list
        v isa LineNumberNode && continue
        if v isa Symbol
            fits || throw(ArgumentError(string("overflow in value \"", v, "\" of Enum ", name)))
            s = v
        elseif v isa Expr && (v.head === :(=) || v.head === :kw) && length(v.args) == 2 && v.args[1] isa Symbol
            s = v.args[1]
            given = Core.eval(mod, v.args[2])
            given isa Integer || throw(ArgumentError(string("invalid value for Enum ", name, ", ", v, "; values must be integers")))
            next = convert(base, given)
        else
            throw(ArgumentError(string("invalid argument for Enum ", name, ": ", v)))
        end
        isidentifier(s) || throw(ArgumentError(string("invalid name for Enum ", name, "; \"", s, "\" is not a valid identifier")))
        haskey(taken, next) && throw(ArgumentError(string("both ", s, " and ", taken[next], " have value ", next, " in Enum ", name, "; values must be unique")))
        s in seen && throw(ArgumentError(string("name \"", s, "\" in Enum ", name, " is not unique")))
        taken[next] = s
        push!(seen, s)
        push!(items, (next, s))
        fits = next != typemax(base)
        fits && (next += oneunit(base))
    end
    items
end
"""
    @enum Name[::T] a[=1] b ...

Defines a type of named integer values, and a constant for each.
"""
macro enum(T, values...)
    name, base = enum_type(__module__, T)
    isempty(values) && throw(ArgumentError(string("no arguments given for Enum ", name)))
    list = length(values) == 1 && values[1] isa Expr && values[1].head === :block ? values[1].args : values
    items = enum_items(__module__, name, base, list)
    bits = 8 * sizeof(base)
    all_pairs = Expr(:tuple, (Expr(:tuple, n, QuoteNode(s)) for (n, s) in items)...)
    codes = Expr(:tuple, (n for (n, s) in items)...)
    blk = quote
        $(documentable(:(primitive type $name <: $(GlobalRef(Base, :Enum)){$base} $bits end)))
        function $name(x::Integer)
            x in $codes || $(GlobalRef(Base, :enum_argument_error))($(QuoteNode(name)), x)
            $(GlobalRef(Core.Intrinsics, :bitcast))($name, convert($base, x))
        end
        $(GlobalRef(Base, :enum_pairs))(::Type{$name}) = $all_pairs
    end
    for (n, s) in items
        push!(blk.args, :(const $s = $name($n)))
    end
    push!(blk.args, nothing)
    esc(Expr(:toplevel, blk.args...))
end
module Enums
    using ..Base: Base, Enum, basetype, @enum, instances
    # The names by their numbers.
    namemap(T::Type{<:Enum}) = Base.Dict{basetype(T), Base.Symbol}(Base.enum_pairs(T))
    export Enum, @enum
end
