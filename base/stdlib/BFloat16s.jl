# BFloat16s: floats with the exponents of `Float32` and eight bits of significand. Numbers compute in `Float32` and are rounded
# after each operation.
module BFloat16s

import Core: BFloat16
export BFloat16, InfB16, NaNB16

const InfB16 = reinterpret(BFloat16, 0x7f80)
const NaNB16 = reinterpret(BFloat16, 0x7fc0)

@inline Base.Float32(x::BFloat16) = reinterpret(Float32, UInt32(reinterpret(UInt16, x)) << 16)
Base.Float64(x::BFloat16) = Float64(Float32(x))
Base.Float16(x::BFloat16) = Float16(Float32(x))
# To the nearest, ties to even; what is not a number stays so.
@inline function BFloat16(x::Float32)
    bits = reinterpret(UInt32, x)
    isnan(x) && return reinterpret(BFloat16, ((bits >> 16) % UInt16) | 0x0040)
    return reinterpret(BFloat16, ((bits + 0x00007fff + ((bits >> 16) & 0x00000001)) >> 16) % UInt16)
end
# By way of a `Float32` whose last bit says that something was cut off, so that no number is rounded twice.
function BFloat16(x::Float64)
    y = Float32(x)
    (isfinite(y) & (Float64(y) != x)) || return BFloat16(y)
    toward_zero = abs(Float64(y)) > abs(x) ? reinterpret(UInt32, y) - 0x00000001 : reinterpret(UInt32, y)
    return BFloat16(reinterpret(Float32, toward_zero | 0x00000001))
end
BFloat16(x::Float16) = BFloat16(Float32(x))
BFloat16(x::Union{Int8,Int16,UInt8,UInt16,Bool}) = BFloat16(Float32(x))
BFloat16(x::Integer) = BFloat16(Float64(x))
BFloat16(x::BFloat16) = x
BFloat16(x::Real) = BFloat16(Float64(x))
BFloat16(x::Rational{<:Integer}) = BFloat16(Float64(x))
for T in (:Int8, :Int16, :Int32, :Int64, :Int128, :UInt8, :UInt16, :UInt32, :UInt64, :UInt128, :Bool, :BigInt, :Integer, :Signed, :Unsigned)
    @eval Base.$T(x::BFloat16) = $T(Float32(x))
end
Base.unsafe_trunc(::Type{T}, x::BFloat16) where {T<:Integer} = unsafe_trunc(T, Float32(x))
for mode in (:trunc, :floor, :ceil, :round)
    @eval Base.$mode(::Type{T}, x::BFloat16) where {T<:Integer} = $mode(T, Float32(x))
end
for mode in (:Nearest, :ToZero, :Up, :Down, :NearestTiesAway, :NearestTiesUp, :FromZero)
    @eval Base.round(x::BFloat16, mode::RoundingMode{$(QuoteNode(mode))}) = BFloat16(round(Float32(x), mode))
end

Base.promote_rule(::Type{Float32}, ::Type{BFloat16}) = Float32
Base.promote_rule(::Type{Float64}, ::Type{BFloat16}) = Float64
Base.promote_rule(::Type{Float16}, ::Type{BFloat16}) = Float32
Base.promote_rule(::Type{BFloat16}, ::Type{<:Integer}) = BFloat16
Base.promote_rule(::Type{BFloat16}, ::Type{Bool}) = BFloat16

for op in (:+, :-, :*, :/, :^, :rem, :mod)
    @eval @inline Base.$op(x::BFloat16, y::BFloat16) = BFloat16($op(Float32(x), Float32(y)))
end
for op in (:(==), :<, :<=)
    @eval @inline Base.$op(x::BFloat16, y::BFloat16) = $op(Float32(x), Float32(y))
end
for f in (:sqrt, :cbrt, :exp, :exp2, :exp10, :expm1, :log, :log2, :log10, :log1p, :sin, :cos, :tan, :asin, :acos, :atan,
          :sinh, :cosh, :tanh, :asinh, :acosh, :atanh)
    @eval Base.$f(x::BFloat16) = BFloat16($f(Float32(x)))
end
for f in (:fma, :muladd)
    @eval @inline Base.$f(x::BFloat16, y::BFloat16, z::BFloat16) = BFloat16($f(Float32(x), Float32(y), Float32(z)))
end
@inline Base.:-(x::BFloat16) = reinterpret(BFloat16, reinterpret(UInt16, x) ⊻ 0x8000)
@inline Base.abs(x::BFloat16) = reinterpret(BFloat16, reinterpret(UInt16, x) & 0x7fff)
@inline Base.signbit(x::BFloat16) = reinterpret(UInt16, x) >> 15 == 0x0001
@inline Base.isnan(x::BFloat16) = isnan(Float32(x))
@inline Base.isinf(x::BFloat16) = isinf(Float32(x))
@inline Base.isfinite(x::BFloat16) = isfinite(Float32(x))
Base.isequal(x::BFloat16, y::BFloat16) = isequal(Float32(x), Float32(y))
Base.isless(x::BFloat16, y::BFloat16) = isless(Float32(x), Float32(y))
Base.hash(x::BFloat16, h::UInt) = hash(Float32(x), h)

Base.zero(::Type{BFloat16}) = reinterpret(BFloat16, 0x0000)
Base.one(::Type{BFloat16}) = reinterpret(BFloat16, 0x3f80)
Base.zero(::BFloat16) = zero(BFloat16)
Base.one(::BFloat16) = one(BFloat16)
Base.eps(::Type{BFloat16}) = reinterpret(BFloat16, 0x3c00)
Base.typemin(::Type{BFloat16}) = -InfB16
Base.typemax(::Type{BFloat16}) = InfB16
Base.floatmin(::Type{BFloat16}) = reinterpret(BFloat16, 0x0080)
Base.floatmax(::Type{BFloat16}) = reinterpret(BFloat16, 0x7f7f)
Base.precision(::Type{BFloat16}) = 8
Base.nextfloat(x::BFloat16) = isnan(x) | (x == InfB16) ? x : x == zero(x) ? reinterpret(BFloat16, 0x0001) :
    reinterpret(BFloat16, reinterpret(UInt16, x) + (signbit(x) ? 0xffff : 0x0001))
Base.prevfloat(x::BFloat16) = -nextfloat(-x)
Base.rtoldefault(::Type{BFloat16}) = sqrt(eps(BFloat16))
Base.show(io::IO, x::BFloat16) = print(io, "BFloat16(", Float32(x), ")")
Base.print(io::IO, x::BFloat16) = print(io, Float32(x))

# One of the 256 multiples of 2^-8 below 1.
Base.random_value(rng, ::Type{BFloat16}) = BFloat16(Float32(Base.random_value(rng, UInt8)) * 0.00390625f0)

end
