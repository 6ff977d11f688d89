# Constants such as pi, exact until they meet a number: module MathConstants.

"""
    AbstractIrrational

The supertype of exact irrational constants.
"""
abstract type AbstractIrrational <: Real end
"""
    Irrational{name}

An exact irrational constant, such as `π`.
"""
struct Irrational{sym} <: AbstractIrrational end

Irrational{s}(x::Irrational{s}) where {s} = x
"""
    π

The ratio 3.141... of a circle's circumference to its diameter, also called `pi`.
"""
const π = Irrational{:π}()
"""
    pi

The ratio 3.141... of a circle's circumference to its diameter, also called `π`.
"""
const pi = π
"""
    ℯ

Euler's number 2.718..., the base of the natural logarithm.
"""
const ℯ = Irrational{:ℯ}()

Float64(::Irrational{:π}) = 3.141592653589793
Float32(::Irrational{:π}) = 3.1415927f0
Float64(::Irrational{:ℯ}) = 2.718281828459045
Float32(::Irrational{:ℯ}) = 2.7182817f0
Float64(::Irrational{:γ}) = 0.5772156649015329
Float32(::Irrational{:γ}) = 0.5772157f0
Float64(::Irrational{:φ}) = 1.618033988749895
Float32(::Irrational{:φ}) = 1.618034f0
Float64(::Irrational{:catalan}) = 0.915965594177219
Float32(::Irrational{:catalan}) = 0.9159656f0
Float16(x::AbstractIrrational) = Float16(Float32(x)::Float32)
AbstractFloat(x::AbstractIrrational) = Float64(x)::Float64
Integer(x::AbstractIrrational) = throw_inexacterror(:Integer, Integer, x)
(::Type{T})(x::AbstractIrrational) where {T <: BitInteger} = throw_inexacterror(:Int, T, x)
Bool(x::AbstractIrrational) = throw_inexacterror(:Bool, Bool, x)

promote_rule(::Type{<:AbstractIrrational}, ::Type{Float16}) = Float16
promote_rule(::Type{<:AbstractIrrational}, ::Type{Float32}) = Float32
promote_rule(::Type{<:AbstractIrrational}, ::Type{<:AbstractIrrational}) = Float64
promote_rule(::Type{<:AbstractIrrational}, ::Type{T}) where {T <: Real} = promote_type(Float64, T)
promote_rule(::Type{S}, ::Type{T}) where {S <: AbstractIrrational, T <: Rational} = promote_type(Float64, T)
promote_rule(::Type{Bool}, ::Type{<:AbstractIrrational}) = Float64

==(::Irrational{s}, ::Irrational{s}) where {s} = true
==(x::AbstractIrrational, y::AbstractIrrational) = false
==(x::AbstractIrrational, y::Real) = false
==(x::Real, y::AbstractIrrational) = false
<(x::Irrational{s}, y::Irrational{s}) where {s} = false
<(x::AbstractIrrational, y::AbstractIrrational) = Float64(x) < Float64(y)
<(x::AbstractIrrational, y::Real) = Float64(x) < y
<(x::Real, y::AbstractIrrational) = x < Float64(y)
# A constant is no float: beside the float nearest to it lies the constant itself, on the side that is known of it.
for T in (:Float64, :Float32)
    @eval <(x::AbstractIrrational, y::$T) = (n = $T(x); (n < y) | ((n == y) & !nearest_is_below(x, $T)))
    @eval <(y::$T, x::AbstractIrrational) = (n = $T(x); (y < n) | ((y == n) & nearest_is_below(x, $T)))
end
<(x::AbstractIrrational, y::Float16) = x < Float32(y)
<(x::Float16, y::AbstractIrrational) = Float32(x) < y
nearest_is_below(x, ::Type{T}) where {T} = T(x) < big(x)
nearest_is_below(::Irrational{:π}, ::Type{T}) where {T} = T === Float64
nearest_is_below(::Irrational{:ℯ}, ::Type{T}) where {T} = true
nearest_is_below(::Irrational{:γ}, ::Type{T}) where {T} = false
nearest_is_below(::Irrational{:φ}, ::Type{T}) where {T} = false
nearest_is_below(::Irrational{:catalan}, ::Type{T}) where {T} = T === Float64
<=(x::AbstractIrrational, y::Real) = x < y
<=(x::Real, y::AbstractIrrational) = x < y
<=(x::AbstractIrrational, y::AbstractIrrational) = x === y || x < y
widen(::Type{T}) where {T <: Irrational} = T
isfinite(::AbstractIrrational) = true
isinteger(::AbstractIrrational) = false
iszero(::AbstractIrrational) = false
isone(::AbstractIrrational) = false
isnan(::AbstractIrrational) = false
signbit(::AbstractIrrational) = false
sign(::AbstractIrrational) = 1.0
zero(::AbstractIrrational) = false
zero(::Type{<:AbstractIrrational}) = false
one(::AbstractIrrational) = true
one(::Type{<:AbstractIrrational}) = true
-(x::AbstractIrrational) = -Float64(x)
+(x::AbstractIrrational, y::AbstractIrrational) = Float64(x) + Float64(y)
-(x::AbstractIrrational, y::AbstractIrrational) = Float64(x) - Float64(y)
*(x::AbstractIrrational, y::AbstractIrrational) = Float64(x) * Float64(y)
/(x::AbstractIrrational, y::AbstractIrrational) = Float64(x) / Float64(y)
^(x::AbstractIrrational, y::AbstractIrrational) = Float64(x)^Float64(y)
*(x::Bool, y::AbstractIrrational) = ifelse(x, Float64(y), 0.0)
*(x::AbstractIrrational, y::Bool) = y * x
^(x::AbstractIrrational, p::Integer) = Float64(x)^p
^(::Irrational{:ℯ}, x::Real) = exp(x)
typemin(::Type{T}) where {T <: Irrational} = T()
typemax(::Type{T}) where {T <: Irrational} = T()
^(::Irrational{:ℯ}, x::Integer) = exp(x)
^(::Irrational{:ℯ}, x::Rational) = exp(x)
^(::Irrational{:ℯ}, x::AbstractIrrational) = exp(x)
^(::Irrational{:ℯ}, x::Irrational{:ℯ}) = exp(x)
abs(x::AbstractIrrational) = x
inv(x::AbstractIrrational) = 1 / Float64(x)
hash(x::Irrational{s}, h::UInt) where {s} = hash(s, h ⊻ 0x8f1c_32e0_9d71_55a3)
round(x::AbstractIrrational, r::RoundingMode) = round(Float64(x), r)
floor(x::AbstractIrrational) = floor(Float64(x))
ceil(x::AbstractIrrational) = ceil(Float64(x))
trunc(x::AbstractIrrational) = trunc(Float64(x))
round(x::AbstractIrrational) = round(Float64(x))
round(::Type{T}, x::AbstractIrrational, r::RoundingMode) where {T <: Integer} = round(T, Float64(x), r)
float(::Type{<:AbstractIrrational}) = Float64

"""
    MathConstants

Mathematical constants. They are exact: arithmetic rounds them to the type of the other operand.
"""
MathConstants

baremodule MathConstants
    using ..Base: Irrational, π, pi, ℯ
    """
        e

    Euler's number 2.718..., the base of the natural logarithm. It is exported as `ℯ`.
    """
    const e = ℯ
    """
        γ

    The Euler-Mascheroni constant 0.577...
    """
    const γ = Irrational{:γ}()
    """
        eulergamma

    The Euler-Mascheroni constant, another name of `γ`.
    """
    const eulergamma = γ
    """
        φ

    The golden ratio 1.618...
    """
    const φ = Irrational{:φ}()
    """
        golden

    The golden ratio, another name of `φ`.
    """
    const golden = φ
    """
        catalan

    Catalan's constant 0.915...
    """
    const catalan = Irrational{:catalan}()
    export π, pi, e, ℯ, γ, eulergamma, catalan, φ, golden
end
