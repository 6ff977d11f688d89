# Finding the type that two values have in common, and bringing them to it.

# Values that are no types have only `Any` in common.
typejoin(@nospecialize(a), @nospecialize(b)) =
    a isa Union{Type, TypeVar} && b isa Union{Type, TypeVar} ? Host.typejoin(a, b) : a === b ? a : Any
typejoin() = Union{}
typejoin(a) = a
typejoin(a, b, cs...) = typejoin(typejoin(a, b), cs...)
promote_typejoin(a, b) = promote_typejoin_union(typejoin(nonmissingnothing(a), nonmissingnothing(b)), a, b)::Type
nonmissingnothing(T) = typesplit(T, Union{Missing, Nothing})
function promote_typejoin_union(joined, a, b)
    Nothing <: a && (joined = Union{joined, Nothing})
    Missing <: a && (joined = Union{joined, Missing})
    Nothing <: b && (joined = Union{joined, Nothing})
    Missing <: b && (joined = Union{joined, Missing})
    joined
end
typeintersect(a, b) = Host.typeintersect(a::Type, b::Type)

promote_type() = Union{}
promote_type(T) = T
promote_type(T, S, U) = promote_type(promote_type(T, S), U)
promote_type(T, S, U, V...) = promote_type(promote_type(promote_type(T, S), U), V...)
promote_type(::Type{Union{}}, ::Type{Union{}}) = Union{}
promote_type(::Type{T}, ::Type{T}) where {T} = T
promote_type(::Type{T}, ::Type{Union{}}) where {T} = T
promote_type(::Type{Union{}}, ::Type{T}) where {T} = T
@inline promote_type(::Type{T}, ::Type{S}) where {T, S} =
    promote_result(T, S, promote_rule(T, S), promote_rule(S, T))

promote_rule(::Type, ::Type) = Union{}
promote_rule(::Type{Union{}}, ::Type{T}) where {T} = T
promote_rule(::Type{Missing}, ::Type{T}) where {T} = Union{T, Missing}
promote_rule(::Type{Nothing}, ::Type{T}) where {T} = Union{T, Nothing}
promote_rule(::Type{Union{Nothing, Missing}}, ::Type{T}) where {T} = Union{T, Nothing, Missing}
# Of a union with `nothing` or `missing` the rest is promoted, unless nothing can be taken from it (`Any`).
promote_rule(::Type{U}, ::Type{T}) where {U >: Nothing, T} = promote_rest(U, T, Nothing)
promote_rule(::Type{U}, ::Type{T}) where {U >: Missing, T} = promote_rest(U, T, Missing)
promote_rule(::Type{U}, ::Type{T}) where {U >: Union{Nothing, Missing}, T} = promote_rest(U, T, Union{Nothing, Missing})
function promote_rest(U, T, S)
    R = typesplit(U, S)
    R >: Nothing && S >: Nothing || R >: Missing && S >: Missing ? Any : Union{promote_type(R, T), S}
end
promote_rule(::Type{Some{T}}, ::Type{Some{S}}) where {T, S <: T} = Some{T}
promote_rule(::Type{Some{T}}, ::Type{Nothing}) where {T} = Union{Some{T}, Nothing}
promote_rule(::Type{Pair{A, B}}, ::Type{Pair{C, D}}) where {A, B, C, D} = Pair{promote_type(A, C), promote_type(B, D)}

# Rules are one-sided; the answer of either order will do.
promote_result(T, S, a, b) = promote_type(a, b)
promote_result(T, S, ::Type{Union{}}, ::Type{Union{}}) = typejoin(T, S)
promote_result(T, S, ::Type{A}, ::Type{Union{}}) where {A} = A
promote_result(T, S, ::Type{Union{}}, ::Type{B}) where {B} = B

promote() = ()
promote(x) = (x,)
# Values of different types that promotion leaves as they are have no common type: that is an error.
promote(x::T, y::T) where {T} = (x, y)
@inline function promote(x::T, y::S) where {T, S}
    R = promote_type(T, S)
    p = (convert(R, x), convert(R, y))
    not_sametype((x, y), p)
    p
end
promote(x::T, y::T, z::T) where {T} = (x, y, z)
@inline function promote(x, y, z)
    R = promote_type(typeof(x), typeof(y), typeof(z))
    p = (convert(R, x), convert(R, y), convert(R, z))
    not_sametype((x, y, z), p)
    p
end
promote(x::T, y::T, zs::T...) where {T} = (x, y, zs...)
@inline function promote(x, y, zs...)
    R = promote_type(typeof(x), typeof(y), promote_types_of(zs...))
    map(Fix1(convert, R), (x, y, zs...))
end
promote_types_of() = Union{}
promote_types_of(x, ys...) = promote_type(typeof(x), promote_types_of(ys...))

# After promotion two numbers must have come to one type, or the operator would call itself for ever.
# The text waits until it is asked for: inference would follow the printing of types from each operation on integers.
@noinline sametype_error(x, y) =
    throw(ErrorException(LazyString("promotion of types ", typeof(x), " and ", typeof(y), " failed to change any arguments")))
@noinline sametype_error(args...) = throw(ErrorException(string("promotion of types ",
    join(map(typeof, args), ", ", " and "), " failed to change any arguments")))
not_sametype(x::Tuple, y::Tuple) = typeof(x) === typeof(y) ? sametype_error(x...) : nothing
@inline function promote_checked(x, y)
    px, py = promote(x, y)
    typeof(px) === typeof(x) && typeof(py) === typeof(y) && sametype_error(x, y)
    (px, py)
end

+(x::Number, y::Number) = ((a, b) = promote_checked(x, y); a + b)
*(x::Number, y::Number) = ((a, b) = promote_checked(x, y); a * b)
-(x::Number, y::Number) = ((a, b) = promote_checked(x, y); a - b)
/(x::Number, y::Number) = ((a, b) = promote_checked(x, y); a / b)
^(x::Number, y::Number) = ((a, b) = promote_checked(x, y); a ^ b)
==(x::Number, y::Number) = ((a, b) = promote_checked(x, y); a == b)
<(x::Real, y::Real) = ((a, b) = promote_checked(x, y); a < b)
<=(x::Real, y::Real) = ((a, b) = promote_checked(x, y); a <= b)
# Integers come to one type by their bits: a sum of a signed and an unsigned number wraps.
@inline function promote_bits(x, y)
    R = promote_type(typeof(x), typeof(y))
    px, py = x % R, y % R
    typeof(px) === typeof(x) && typeof(py) === typeof(y) && sametype_error(x, y)
    (px, py)
end
+(x::Integer, y::Integer) = ((a, b) = promote_bits(x, y); a + b)
-(x::Integer, y::Integer) = ((a, b) = promote_bits(x, y); a - b)
*(x::Integer, y::Integer) = ((a, b) = promote_bits(x, y); a * b)
(&)(x::Integer, y::Integer) = ((a, b) = promote_bits(x, y); a & b)
(|)(x::Integer, y::Integer) = ((a, b) = promote_bits(x, y); a | b)
xor(x::Integer, y::Integer) = ((a, b) = promote_bits(x, y); xor(a, b))
# Numbers of one type have a method of their own, of two arguments or with a rounding mode.
div(x::Real, y::Real) = typeof(x) === typeof(y) ? div(x, y, RoundToZero) : ((a, b) = promote_checked(x, y); div(a, b))
rem(x::Real, y::Real) = ((a, b) = promote_checked(x, y); rem(a, b))
mod(x::Real, y::Real) = ((a, b) = promote_checked(x, y); mod(a, b))
mod1(x::Real, y::Real) = ((a, b) = promote_checked(x, y); mod1(a, b))
fld1(x::Real, y::Real) = ((a, b) = promote_checked(x, y); fld1(a, b))
max(x::Real, y::Real) = ((a, b) = promote_checked(x, y); max(a, b))
min(x::Real, y::Real) = ((a, b) = promote_checked(x, y); min(a, b))
minmax(x::Real, y::Real) = ((a, b) = promote_checked(x, y); minmax(a, b))
fma(x::Number, y::Number, z::Number) = ((a, b, c) = promote(x, y, z); fma(a, b, c))
muladd(x::Number, y::Number, z::Number) = ((a, b, c) = promote(x, y, z); muladd(a, b, c))

# One type, but no method of its own for it.
@noinline no_op_error(name, ::Type{T}) where {T} =
    throw(ErrorException(string(name, " not defined for ", T)))
+(x::T, y::T) where {T <: Number} = no_op_error("+", T)
+(x::T, y::T) where {T <: Integer} = no_op_error("+", T)
-(x::T, y::T) where {T <: Integer} = no_op_error("-", T)
*(x::T, y::T) where {T <: Integer} = no_op_error("*", T)
-(x::T, y::T) where {T <: Number} = no_op_error("-", T)
*(x::T, y::T) where {T <: Number} = no_op_error("*", T)
/(x::T, y::T) where {T <: Number} = no_op_error("/", T)
^(x::T, y::T) where {T <: Number} = no_op_error("^", T)
<(x::T, y::T) where {T <: Real} = no_op_error("<", T)
(&)(x::T, y::T) where {T <: Integer} = no_op_error("&", T)
(|)(x::T, y::T) where {T <: Integer} = no_op_error("|", T)
xor(x::T, y::T) where {T <: Integer} = no_op_error("xor", T)
==(x::T, y::T) where {T <: Number} = x === y
<=(x::T, y::T) where {T <: Real} = (x < y) | (x == y)
max(x::T, y::T) where {T <: Real} = ifelse(y < x, x, y)
min(x::T, y::T) where {T <: Real} = ifelse(y < x, y, x)
minmax(x::T, y::T) where {T <: Real} = y < x ? (y, x) : (x, y)
