# The IEEE floating-point types: conversion, arithmetic, comparison with integers by exact value, predicates.

const Inf64 = bitcast(Float64, 0x7ff0000000000000)
const NaN64 = bitcast(Float64, 0x7ff8000000000000)
const Inf32 = bitcast(Float32, 0x7f800000)
const NaN32 = bitcast(Float32, 0x7fc00000)
const Inf16 = bitcast(Float16, 0x7c00)
const NaN16 = bitcast(Float16, 0x7e00)
const Inf = Inf64
const NaN = NaN64

uinttype(::Type{Float64}) = UInt64
uinttype(::Type{Float32}) = UInt32
uinttype(::Type{Float16}) = UInt16
inttype(::Type{Float64}) = Int64
inttype(::Type{Float32}) = Int32
inttype(::Type{Float16}) = Int16
floattype(::Type{UInt64}) = Float64
floattype(::Type{UInt32}) = Float32
floattype(::Type{UInt16}) = Float16
floattype(::Type{Int64}) = Float64
floattype(::Type{Int32}) = Float32
floattype(::Type{Int16}) = Float16
significand_bits(::Type{Float64}) = 52
significand_bits(::Type{Float32}) = 23
significand_bits(::Type{Float16}) = 10
exponent_bits(::Type{Float64}) = 11
exponent_bits(::Type{Float32}) = 8
exponent_bits(::Type{Float16}) = 5
sign_mask(::Type{Float64}) = 0x8000000000000000
sign_mask(::Type{Float32}) = 0x80000000
sign_mask(::Type{Float16}) = 0x8000
exponent_mask(::Type{Float64}) = 0x7ff0000000000000
exponent_mask(::Type{Float32}) = 0x7f800000
exponent_mask(::Type{Float16}) = 0x7c00
exponent_one(::Type{Float64}) = 0x3ff0000000000000
exponent_one(::Type{Float32}) = 0x3f800000
exponent_one(::Type{Float16}) = 0x3c00
exponent_half(::Type{Float64}) = 0x3fe0000000000000
exponent_half(::Type{Float32}) = 0x3f000000
exponent_half(::Type{Float16}) = 0x3800
significand_mask(::Type{Float64}) = 0x000fffffffffffff
significand_mask(::Type{Float32}) = 0x007fffff
significand_mask(::Type{Float16}) = 0x03ff
exponent_bias(::Type{T}) where {T <: IEEEFloat} = Int(exponent_one(T) >> significand_bits(T))
exponent_max(::Type{T}) where {T <: IEEEFloat} = Int(exponent_mask(T) >> significand_bits(T)) - exponent_bias(T)

# Conversion.
Float64(x::Float64) = x
Float64(x::Union{Float32, Float16}) = fpext(Float64, x)
Float32(x::Float32) = x
Float32(x::Float64) = fptrunc(Float32, x)
Float32(x::Float16) = fpext(Float32, x)
Float16(x::Float16) = x
Float16(x::Union{Float32, Float64}) = fptrunc(Float16, x)
for F in (:Float16, :Float32, :Float64)
    @eval begin
        $F(x::BitSigned) = sitofp($F, x)
        $F(x::BitUnsigned) = uitofp($F, x)
        $F(x::Bool) = uitofp($F, zext_int(UInt8, x))
        promote_rule(::Type{$F}, ::Type{<:BitInteger}) = $F
    end
end
promote_rule(::Type{Float64}, ::Type{Float32}) = Float64
promote_rule(::Type{Float64}, ::Type{Float16}) = Float64
promote_rule(::Type{Float32}, ::Type{Float16}) = Float32
AbstractFloat(x::AbstractFloat) = x
AbstractFloat(x::Union{BitInteger, Bool}) = Float64(x)
float(x::AbstractFloat) = x

# Whole numbers within range only. The bounds are exact: the greatest integer of a type rounds up to one beyond
# it in a float type with fewer digits, hence `<`.
@inline function float_to_int(::Type{T}, x::F, name::Symbol) where {T, F}
    (float_min(T, F) <= x) & below_max(T, x) & (trunc_llvm(x) == x) || throw_inexacterror(name, T, x)
    unsafe_trunc(T, x)
end
float_min(::Type{T}, ::Type{F}) where {T <: Signed, F} = sitofp(F, typemin(T))
float_min(::Type{T}, ::Type{F}) where {T <: Unsigned, F} = uitofp(F, typemin(T))
below_max(::Type{T}, x::F) where {T <: Signed, F} = lt_float(x, neg_float(sitofp(F, typemin(T))))
below_max(::Type{T}, x::F) where {T <: Unsigned, F} =
    lt_float(x, mul_float(uitofp(F, typemin(T) | (one(T) << (8 * sizeof(T) - 1))), sitofp(F, 2)))
# Inside the range of `T` once the fraction is cut off.
@inline in_trunc_range(::Type{T}, x::F) where {T <: Signed, F} =
    sizeof(T) * 8 <= significand_bits(F) ? (x > float_min(T, F) - 1) & below_max(T, x) :
        (x >= float_min(T, F)) & below_max(T, x)
@inline in_trunc_range(::Type{T}, x::F) where {T <: Unsigned, F} = (x > -one(F)) & below_max(T, x)

unsafe_trunc(::Type{T}, x::IEEEFloat) where {T <: BitSigned} = fptosi(T, x)
unsafe_trunc(::Type{T}, x::IEEEFloat) where {T <: BitUnsigned} = fptoui(T, x)
unsafe_trunc(::Type{T}, x::Float16) where {T <: BitSigned} = fptosi(T, Float32(x))
unsafe_trunc(::Type{T}, x::Float16) where {T <: BitUnsigned} = fptoui(T, Float32(x))
unsafe_trunc(::Type{T}, x::Integer) where {T <: Integer} = x % T
rem(x::IEEEFloat, ::Type{T}) where {T <: BitInteger} = float_rem_int(x, T)
function float_rem_int(x, ::Type{T}) where {T}
    isinteger(x) || throw_inexacterror(:rem, T, x)
    unsafe_trunc(Int128, x) % T
end

# Arithmetic.
-(x::IEEEFloat) = neg_float(x)
+(x::T, y::T) where {T <: IEEEFloat} = add_float(x, y)
-(x::T, y::T) where {T <: IEEEFloat} = sub_float(x, y)
*(x::T, y::T) where {T <: IEEEFloat} = mul_float(x, y)
/(x::T, y::T) where {T <: IEEEFloat} = div_float(x, y)
+(x::Float64, y::Float64) = add_float(x, y)
-(x::Float64, y::Float64) = sub_float(x, y)
*(x::Float64, y::Float64) = mul_float(x, y)
/(x::Float64, y::Float64) = div_float(x, y)
muladd(x::T, y::T, z::T) where {T <: IEEEFloat} = muladd_float(x, y, z)
fma(x::T, y::T, z::T) where {T <: IEEEFloat} = fma_float(x, y, z)
muladd(x, y, z) = x * y + z
muladd(x::Integer, y::Integer, z::Integer) = x * y + z
fma(x::Integer, y::Integer, z::Integer) = x * y + z
fma(x::T, y::T, z::T) where {T <: Integer} = x * y + z
muladd(x::T, y::T, z::T) where {T <: Integer} = x * y + z
abs(x::IEEEFloat) = abs_float(x)
inv(x::IEEEFloat) = one(x) / x
sqrt_unchecked(x::IEEEFloat) = sqrt_llvm(x)
rem(x::T, y::T) where {T <: IEEEFloat} = rem_float(x, y)
div(x::T, y::T) where {T <: IEEEFloat} = copysign(round((x - rem(x, y)) / y), x / y)
function mod(x::T, y::T) where {T <: AbstractFloat}
    r = rem(x, y)
    if r == 0
        copysign(r, y)
    elseif (r > 0) ⊻ (y > 0)
        r + y
    else
        r
    end
end
div(x::T, y::T, r::RoundingMode) where {T <: AbstractFloat} = round((x - rem(x, y, r)) / y)
div(x::T, y::T, ::RoundingMode{:ToZero}) where {T <: AbstractFloat} = div(x, y)
div(x::Real, y::Real, r::RoundingMode) = div(promote(x, y)..., r)
div(x::Real, y::Real, ::RoundingMode{:ToZero}) = div(x, y)
rem(x::T, y::T, ::RoundingMode{:Nearest}) where {T <: AbstractFloat} = x - y * round(x / y)

# The remainder of two floats is a float: exact long division on the significands.
function rem_float(x::T, y::T) where {T <: IEEEFloat}
    (isnan(x) | isnan(y) | isinf(x) | iszero(y)) && return T(NaN)
    isinf(y) && return x
    a = abs(x)
    b = abs(y)
    a < b && return x
    a == b && return copysign(zero(T), x)
    ea, ma = rem_parts(a)
    eb, mb = rem_parts(b)
    while ea > eb
        ma >= mb && (ma -= mb)
        ma <<= 1
        ea -= 1
    end
    ma >= mb && (ma -= mb)
    iszero(ma) && return copysign(zero(T), x)
    copysign(rem_assemble(T, ma, ea), x)
end
# Exponent field and significand with its leading bit; a subnormal counts as exponent 1.
function rem_parts(a::T) where {T}
    bits = reinterpret(uinttype(T), a)
    e = Int(bits >> significand_bits(T))
    m = bits & significand_mask(T)
    e == 0 ? (1, m) : (e, m | (significand_mask(T) + one(m)))
end
function rem_assemble(::Type{T}, m, e) where {T}
    top = significand_mask(T) + one(m)
    while m < top && e > 1
        m <<= 1
        e -= 1
    end
    m < top ? reinterpret(T, m) : reinterpret(T, ((e % typeof(m)) << significand_bits(T)) | (m & significand_mask(T)))
end

# Comparison.
==(x::T, y::T) where {T <: IEEEFloat} = eq_float(x, y)
!=(x::T, y::T) where {T <: IEEEFloat} = ne_float(x, y)
<(x::T, y::T) where {T <: IEEEFloat} = lt_float(x, y)
<=(x::T, y::T) where {T <: IEEEFloat} = le_float(x, y)
isequal(x::T, y::T) where {T <: IEEEFloat} = fpiseq(x, y)
max(x::T, y::T) where {T <: IEEEFloat} = max_float(x, y)
min(x::T, y::T) where {T <: IEEEFloat} = min_float(x, y)
minmax(x::T, y::T) where {T <: IEEEFloat} = (min_float(x, y), max_float(x, y))
max(x::Float16, y::Float16) = isnan(x) | isnan(y) ? NaN16 : (x < y || (x == y && signbit(x))) ? y : x
min(x::Float16, y::Float16) = isnan(x) | isnan(y) ? NaN16 : (x < y || (x == y && signbit(x))) ? x : y

# An integer whose type has more digits than the float is compared by exact value.
const NarrowInteger = Union{Int8, UInt8, Int16, UInt16, Int32, UInt32}
const WideInteger = Union{Int64, UInt64, Int128, UInt128}
==(x::Float64, y::NarrowInteger) = x == Float64(y)
==(x::NarrowInteger, y::Float64) = Float64(x) == y
<(x::Float64, y::NarrowInteger) = x < Float64(y)
<(x::NarrowInteger, y::Float64) = Float64(x) < y
<=(x::Float64, y::NarrowInteger) = x <= Float64(y)
<=(x::NarrowInteger, y::Float64) = Float64(x) <= y
==(x::Union{Float16, Float32}, y::Union{Int32, UInt32}) = Float64(x) == Float64(y)
==(x::Union{Int32, UInt32}, y::Union{Float16, Float32}) = Float64(x) == Float64(y)
<(x::Union{Float16, Float32}, y::Union{Int32, UInt32}) = Float64(x) < Float64(y)
<(x::Union{Int32, UInt32}, y::Union{Float16, Float32}) = Float64(x) < Float64(y)
<=(x::Union{Float16, Float32}, y::Union{Int32, UInt32}) = Float64(x) <= Float64(y)
<=(x::Union{Int32, UInt32}, y::Union{Float16, Float32}) = Float64(x) <= Float64(y)
@inline function ==(x::IEEEFloat, y::T) where {T <: WideInteger}
    fy = typeof(x)(y)
    (x == fy) & below_max(T, fy) && y == unsafe_trunc(T, fy)
end
==(x::WideInteger, y::IEEEFloat) = y == x
@inline function <(x::T, y::IEEEFloat) where {T <: WideInteger}
    fx = typeof(y)(x)
    (fx < y) | ((fx == y) & (!below_max(T, fx) ? false : x < unsafe_trunc(T, y)))
end
@inline function <(x::IEEEFloat, y::T) where {T <: WideInteger}
    fy = typeof(x)(y)
    (x < fy) | ((x == fy) & (!below_max(T, fy) ? !below_max(T, x) ? false : true : unsafe_trunc(T, x) < y))
end
@inline function <=(x::T, y::IEEEFloat) where {T <: WideInteger}
    fx = typeof(y)(x)
    (fx < y) | ((fx == y) & (!below_max(T, fx) ? true : x <= unsafe_trunc(T, y)))
end
@inline function <=(x::IEEEFloat, y::T) where {T <: WideInteger}
    fy = typeof(x)(y)
    (x < fy) | ((x == fy) & (!below_max(T, fy) ? false : unsafe_trunc(T, x) <= y))
end

# Predicates and limits.
isnan(x::AbstractFloat) = x != x
isfinite(x::AbstractFloat) = !isnan(x - x)
isfinite(x::Real) = isfinite(float(x))
isinf(x::IEEEFloat) = abs(x) == oftype(x, Inf)
isinteger(x::AbstractFloat) = iszero(x - trunc(x))
issubnormal(x::T) where {T <: IEEEFloat} =
    (y = reinterpret(uinttype(T), x); (y & exponent_mask(T) == 0) & (y & significand_mask(T) != 0))
iszero(x::IEEEFloat) = x == zero(x)
signbit(x::Float64) = slt_int(bitcast(Int64, x), 0)
signbit(x::Float32) = slt_int(bitcast(Int32, x), Int32(0))
signbit(x::Float16) = slt_int(bitcast(Int16, x), Int16(0))
copysign(x::Float64, y::Float64) = copysign_float(x, y)
copysign(x::Float32, y::Float32) = copysign_float(x, y)
copysign(x::Float16, y::Float16) = copysign_float(x, y)
copysign(x::IEEEFloat, y::Real) = copysign(x, ifelse(signbit(y), -one(x), one(x)))
flipsign(x::T, y::T) where {T <: IEEEFloat} = bitcast(T, xor_int(bitcast(uinttype(T), x),
    and_int(bitcast(uinttype(T), y), sign_mask(T))))
flipsign(x::IEEEFloat, y::Real) = signbit(y) ? -x : x
sign(x::AbstractFloat) = ifelse(isnan(x), x, ifelse(x > 0, one(x), ifelse(x < 0, -one(x), x)))
zero(::Type{Float64}) = 0.0
zero(::Type{Float32}) = 0.0f0
zero(::Type{Float16}) = bitcast(Float16, 0x0000)
one(::Type{Float64}) = 1.0
one(::Type{Float32}) = 1.0f0
one(::Type{Float16}) = bitcast(Float16, 0x3c00)
typemin(::Type{Float64}) = -Inf64
typemax(::Type{Float64}) = Inf64
typemin(::Type{Float32}) = -Inf32
typemax(::Type{Float32}) = Inf32
typemin(::Type{Float16}) = -Inf16
typemax(::Type{Float16}) = Inf16
floatmin(::Type{Float64}) = bitcast(Float64, 0x0010000000000000)
floatmin(::Type{Float32}) = bitcast(Float32, 0x00800000)
floatmin(::Type{Float16}) = bitcast(Float16, 0x0400)
floatmax(::Type{Float64}) = bitcast(Float64, 0x7fefffffffffffff)
floatmax(::Type{Float32}) = bitcast(Float32, 0x7f7fffff)
floatmax(::Type{Float16}) = bitcast(Float16, 0x7bff)
floatmin(x::T) where {T <: AbstractFloat} = floatmin(T)
floatmax(x::T) where {T <: AbstractFloat} = floatmax(T)
floatmin() = floatmin(Float64)
floatmax() = floatmax(Float64)
eps(::Type{Float64}) = bitcast(Float64, 0x3cb0000000000000)
eps(::Type{Float32}) = bitcast(Float32, 0x34000000)
eps(::Type{Float16}) = bitcast(Float16, 0x1400)
eps() = eps(Float64)
maxintfloat(::Type{Float64}) = 9007199254740992.0
maxintfloat(::Type{Float32}) = 1.6777216f7
maxintfloat(::Type{Float16}) = Float16(2048.0)
maxintfloat(x::T) where {T <: AbstractFloat} = maxintfloat(T)
maxintfloat() = maxintfloat(Float64)
maxintfloat(::Type{S}, ::Type{T}) where {S <: AbstractFloat, T <: Integer} = min(maxintfloat(S), S(typemax(T)))
precision(::Type{T}) where {T <: IEEEFloat} = significand_bits(T) + 1
precision(x::IEEEFloat) = precision(typeof(x))
