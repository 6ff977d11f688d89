# Functions of floats that Base has under other names, or not.

const Floating = Union{Float16,Float32,Float64}

@inline acospi(x::T) where {T<:Floating} = acos(x) / T(pi)
@inline asinpi(x::T) where {T<:Floating} = asin(x) / T(pi)
@inline atanpi(x::T) where {T<:Floating} = atan(x) / T(pi)
@inline atanpi(y::T, x::T) where {T<:Floating} = atan(y, x) / T(pi)
@inline dim(x::T, y::T) where {T<:Floating} = isnan(x) | isnan(y) ? x + y : max(x - y, zero(T))
@inline mad(a::T, b::T, c::T) where {T<:Floating} = muladd(a, b, c)
@inline powr(x::T, y::T) where {T<:Floating} = x ^ y
@inline rint(x::T) where {T<:Floating} = round(x)
@inline rsqrt(x::T) where {T<:Floating} = inv(sqrt(x))
# Of numbers that are as far from zero, the greater or the smaller.
@inline maxmag(x::T, y::T) where {T<:Floating} = abs(x) > abs(y) ? x : abs(y) > abs(x) ? y : isnan(x) ? y : isnan(y) ? x : max(x, y)
@inline minmag(x::T, y::T) where {T<:Floating} = abs(x) < abs(y) ? x : abs(y) < abs(x) ? y : isnan(x) ? y : isnan(y) ? x : min(x, y)
