# Numbers of twice the precision, as the unevaluated sum of two floats.

struct TwicePrecision{T}
    hi::T
    lo::T
end

# The integer as a float whose low half of the significand is clear, and what is left.
function splitprec(::Type{F}, i::Integer) where {F <: AbstractFloat}
    hi = truncbits(F(i), cld(precision(F), 2))
    (hi, F(i - oftype(i, hi)))
end
# Clears the low bits of a significand, so that products with small integers are exact.
truncbits(x::F, bits) where {F <: IEEEFloat} = reinterpret(F, (typemax(uinttype(F)) << bits) & reinterpret(uinttype(F), x))
truncbits(x, bits) = x

TwicePrecision(x) = TwicePrecision{typeof(x)}(x)
TwicePrecision{T}(x::T) where {T} = TwicePrecision{T}(x, zero(T))
TwicePrecision{T}(x::TwicePrecision{T}) where {T} = x
TwicePrecision{T}(x) where {T} = (hi = T(x); TwicePrecision{T}(hi, T(x - hi)))
TwicePrecision{T}(i::Integer) where {T <: AbstractFloat} = (parts = splitprec(T, i); TwicePrecision{T}(canonicalize2(parts[1], parts[2])...))
# From a fraction; and with `bits` low bits of the high part clear.
TwicePrecision{T}(q::Tuple{Integer, Integer}) where {T <: Union{Float16, Float32}} = TwicePrecision{T}(q[1] / q[2])
TwicePrecision{T}(q::Tuple{Any, Any}) where {T} = TwicePrecision{T}(TwicePrecision{T}(q[1]) / q[2])
TwicePrecision{T}(q::Tuple{I, I}, bits::Integer) where {T, I} = twiceprecision(TwicePrecision{T}(q), bits)
TwicePrecision{T}(q::Tuple{Integer, Integer}, bits::Integer) where {T} = twiceprecision(TwicePrecision{T}(q), bits)
twiceprecision(x::T, bits::Integer) where {T <: IEEEFloat} = (hi = truncbits(x, bits); TwicePrecision{T}(hi, x - hi))
function twiceprecision(x::TwicePrecision{T}, bits::Integer) where {T <: IEEEFloat}
    hi = truncbits(x.hi, bits)
    TwicePrecision{T}(hi, (x.hi - hi) + x.lo)
end

eltype(::Type{TwicePrecision{T}}) where {T} = T
promote_rule(::Type{TwicePrecision{T}}, ::Type{TwicePrecision{S}}) where {T, S} = TwicePrecision{promote_type(T, S)}
promote_rule(::Type{TwicePrecision{T}}, ::Type{S}) where {T, S <: Number} = TwicePrecision{promote_type(T, S)}
(::Type{T})(x::TwicePrecision) where {T <: Number} = (T(x.hi) + T(x.lo))::T
convert(::Type{TwicePrecision{T}}, x::TwicePrecision{T}) where {T} = x
convert(::Type{TwicePrecision{T}}, x::TwicePrecision) where {T} = TwicePrecision{T}(convert(T, x.hi), convert(T, x.lo))
convert(::Type{TwicePrecision{T}}, x::Number) where {T} = TwicePrecision{T}(x)
convert(::Type{T}, x::TwicePrecision) where {T <: Number} = T(x)
float(x::TwicePrecision{<:AbstractFloat}) = x
float(x::TwicePrecision) = TwicePrecision(float(x.hi), float(x.lo))
big(x::TwicePrecision) = big(x.hi) + big(x.lo)
zero(::Type{TwicePrecision{T}}) where {T} = TwicePrecision{T}(zero(T), zero(T))
zero(x::TwicePrecision) = zero(typeof(x))
iszero(x::TwicePrecision) = iszero(x.hi)
<(x::TwicePrecision{T}, y::TwicePrecision{T}) where {T} = x.hi < y.hi || ((x.hi == y.hi) & (x.lo < y.lo))

-(x::TwicePrecision) = TwicePrecision(-x.hi, -x.lo)
function +(x::TwicePrecision, y::Number)
    hi, lo = add12(x.hi, y)
    TwicePrecision(canonicalize2(hi, lo + x.lo)...)
end
+(x::Number, y::TwicePrecision) = y + x
function +(x::TwicePrecision{T}, y::TwicePrecision{T}) where {T}
    hi = x.hi + y.hi
    large, small = abs(x.hi) > abs(y.hi) ? (x, y) : (y, x)
    TwicePrecision(canonicalize2(hi, (((large.hi - hi) + small.hi) + small.lo) + large.lo)...)
end
+(x::TwicePrecision, y::TwicePrecision) = +(promote(x, y)...)
-(x::TwicePrecision, y::TwicePrecision) = x + (-y)
-(x::TwicePrecision, y::Number) = x + (-y)
-(x::Number, y::TwicePrecision) = x + (-y)
function *(x::TwicePrecision, v::Number)
    v == 0 && return TwicePrecision(x.hi * v, x.lo * v)
    x * TwicePrecision(oftype(x.hi * v, v))
end
function *(x::TwicePrecision{<:IEEEFloat}, v::Integer)
    v == 0 && return TwicePrecision(x.hi * v, x.lo * v)
    exact = truncbits(x.hi, top_set_bit(abs(v) - 1))
    TwicePrecision(canonicalize2(exact * v, ((x.hi - exact) + x.lo) * v)...)
end
*(v::Number, x::TwicePrecision) = x * v
function *(x::TwicePrecision{T}, y::TwicePrecision{T}) where {T}
    hi, lo = mul12(x.hi, y.hi)
    iszero(hi) | !isfinite(hi) && return TwicePrecision{T}(hi, hi)
    TwicePrecision{T}(canonicalize2(hi, (x.hi * y.lo + x.lo * y.hi) + lo)...)
end
*(x::TwicePrecision, y::TwicePrecision) = *(promote(x, y)...)
/(x::TwicePrecision, v::Number) = x / TwicePrecision(oftype(x.hi / v, v))
function /(x::TwicePrecision, y::TwicePrecision)
    hi = x.hi / y.hi
    iszero(hi) | !isfinite(hi) && return TwicePrecision(hi, hi)
    back, rest = mul12(hi, y.hi)
    TwicePrecision(canonicalize2(hi, ((((x.hi - back) - rest) + x.lo) - hi * y.lo) / y.hi)...)
end
