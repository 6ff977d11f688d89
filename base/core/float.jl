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

# Whole numbers within range only. The bounds are exact: the greatest integer of a type rounds up to one beyond
# it in a float type with fewer digits, hence `<`.
@inline function float_to_int(::Type{T}, x::F, name::Symbol) where {T, F}
    float_fits_int(T, x) || throw_inexacterror(name, T, x)
    unsafe_trunc(T, x)
end
@inline float_to_int(::Type{T}, x::Float16, name::Symbol) where {T} =
    float_fits_int(T, Float32(x)) ? unsafe_trunc(T, Float32(x)) : throw_inexacterror(name, T, x)
float_fits_int(::Type{T}, x::F) where {T, F} = (float_min(T, F) <= x) & below_max(T, x) & (trunc_llvm(x) == x)
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
fma(x::Integer, y::Integer, z::Integer) = x * y + z
fma(x::T, y::T, z::T) where {T <: Integer} = x * y + z
muladd(x::T, y::T, z::T) where {T <: Integer} = x * y + z
abs(x::IEEEFloat) = abs_float(x)
inv(x::IEEEFloat) = one(x) / x
sqrt_unchecked(x::IEEEFloat) = sqrt_llvm(x)

# A Bool times a number keeps the number or gives its zero: `false * NaN` is zero. Plus a Bool: `false` adds nothing.
+(x::Bool, y::T) where {T <: AbstractFloat} = ifelse(x, oneunit(y) + y, y)
+(x::T, y::Bool) where {T <: AbstractFloat} = y + x

# Remainders are exact where the rounding of the quotient is toward zero or to nearest.
rem(x::T, y::T) where {T <: IEEEFloat} = rem_float(x, y)
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
rem(x::T, y::T, ::RoundingMode{:Nearest}) where {T <: IEEEFloat} = rem_nearest(x, y)
rem(x::T, y::T, ::RoundingMode{:Up}) where {T <: AbstractFloat} = mod(x, -y)
rem(x::T, y::T, ::RoundingMode{:FromZero}) where {T <: AbstractFloat} =
    signbit(x) == signbit(y) ? rem(x, y, RoundUp) : rem(x, y, RoundDown)
# Of numbers of two types, without promotion.
rem_up(x::Real, y::AbstractFloat) = mod(x, -y)
rem_up(x::AbstractFloat, y::Real) = mod(x, -y)
rem_up(x::AbstractFloat, y::AbstractFloat) = mod(x, -y)
rem(x::Real, y::Real, ::RoundingMode{:FromZero}) = signbit(x) == signbit(y) ? rem(x, y, RoundUp) : rem(x, y, RoundDown)
rem(x::Real, y::Real, r::RoundingMode{:Nearest}) = x - y * div(x, y, r)
# The quotient is that of the multiple of `y` nearest to `x`; the narrow types have it exact in a wider one.
div(x::T, y::T) where {T <: IEEEFloat} = div(x, y, RoundToZero)
div(x::T, y::T, r::RoundingMode) where {T <: AbstractFloat} = round((x - rem(x, y, r)) / y)
div(x::T, y::T, r::RoundingMode) where {T <: Union{Float16, Float32}} = narrow_div(x, y, r)
div(x::T, y::T, r::RoundingMode{:ToZero}) where {T <: Union{Float16, Float32}} = narrow_div(x, y, r)
div(x::T, y::T, r::RoundingMode{:ToZero}) where {T <: AbstractFloat} = round((x - rem(x, y)) / y)
narrow_div(x::Float32, y::Float32, r) = Float32(round(Float64(x) / Float64(y), r))
narrow_div(x::Float16, y::Float16, r) = Float16(round(Float32(x) / Float32(y), r))
function div(x::Real, y::Real, r::RoundingMode)
    typeof(x) === typeof(y) && throw(MethodError(div, (x, y, r)))
    a, b = promote_checked(x, y)
    div(a, b, r)
end

# Long division on the significands, as many bits at a time as fit beside the divisor.
function rem_float(x::T, y::T) where {T <: IEEEFloat}
    a = abs(x)
    b = abs(y)
    (a < T(Inf)) & (b > zero(T)) || return T(NaN)
    a < b && return x
    ea, ma = rem_parts(a)
    eb, mb = rem_parts(b)
    copysign(rem_assemble(T, shifted_rem(ma, ea - eb, mb), eb), x)
end
# The remainder of the quotient rounded to nearest, to even on a tie.
function rem_nearest(x::T, y::T) where {T <: IEEEFloat}
    a = abs(x)
    b = abs(y)
    (a < T(Inf)) & (b > zero(T)) || return T(NaN)
    b < T(Inf) || return x
    ea, ma = rem_parts(a)
    eb, mb = rem_parts(b)
    if ea < eb
        # Less than half of `y`, unless the exponents are neighbours and the significand is greater.
        return ea + 1 < eb || ma <= mb ? x : flipsign(a - b, x)
    end
    # Modulo twice the divisor, the quotient's last bit is known.
    m = ea == eb ? ma % (mb << 1) : shifted_rem(ma, ea - eb, mb << 1)
    odd = m >= mb
    odd && (m -= mb)
    up = (m << 1 > mb) | ((m << 1 == mb) & odd)
    r = rem_assemble(T, up ? mb - m : m, eb)
    flipsign(up ? -r : r, x)
end
# Biased exponent and significand with its leading bit; a subnormal counts as exponent 1.
function rem_parts(a::T) where {T}
    bits = reinterpret(uinttype(T), a)
    e = Int(bits >> significand_bits(T))
    m = UInt64(bits & significand_mask(T))
    e == 0 ? (1, m) : (e, m + (UInt64(significand_mask(T)) + 0x0000_0000_0000_0001))
end
# `m * 2^n` modulo `by`, which is not zero.
@inline function shifted_rem(m::UInt64, n::Int, by::UInt64)
    room = leading_zeros(by)
    m = urem_int(m, by)
    while (n > 0) & (m != 0x0000_0000_0000_0000)
        k = min(n, room)
        m = urem_int(m << k, by)
        n -= k
    end
    m
end
function rem_assemble(::Type{T}, m::UInt64, e::Int) where {T}
    m == 0x0000_0000_0000_0000 && return zero(T)
    k = min(leading_zeros(m) - (63 - significand_bits(T)), e - 1)
    m <<= k
    e -= k
    top = UInt64(significand_mask(T)) + 0x0000_0000_0000_0001
    reinterpret(T, (m < top ? m : (((e % UInt64) << significand_bits(T)) | (m & (top - 0x0000_0000_0000_0001)))) % uinttype(T))
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

# An integer whose type has more digits than the float is compared by exact value: in a wider float, or, where none
# holds it, by rounding it to the float and then looking at what the rounding did. `Float16` always has a wider one.
const NarrowInteger = Union{Int8, UInt8, Int16, UInt16, Int32, UInt32}
const WideInteger = Union{Int64, UInt64, Int128, UInt128}
for op in (:(==), :<, :<=)
    @eval begin
        $op(x::Float64, y::NarrowInteger) = $op(x, Float64(y))
        $op(x::NarrowInteger, y::Float64) = $op(Float64(x), y)
        $op(x::Float32, y::Union{Int32, UInt32}) = $op(Float64(x), Float64(y))
        $op(x::Union{Int32, UInt32}, y::Float32) = $op(Float64(x), Float64(y))
        $op(x::Float16, y::Union{Int16, UInt16}) = $op(Float32(x), Float32(y))
        $op(x::Union{Int16, UInt16}, y::Float16) = $op(Float32(x), Float32(y))
        $op(x::Float16, y::Union{Int32, UInt32, WideInteger}) = $op(Float64(x), y)
        $op(x::Union{Int32, UInt32, WideInteger}, y::Float16) = $op(x, Float64(y))
    end
end
@inline function ==(x::Union{Float32, Float64}, y::T) where {T <: WideInteger}
    fy = typeof(x)(y)
    (x == fy) & below_max(T, fy) && y == unsafe_trunc(T, fy)
end
==(x::WideInteger, y::Union{Float32, Float64}) = y == x
# A float beyond the greatest integer is not below `max`, and then greater than all of them.
@inline function <(x::T, y::Union{Float32, Float64}) where {T <: WideInteger}
    fx = typeof(y)(x)
    (fx < y) | ((fx == y) && (!below_max(T, fx) || x < unsafe_trunc(T, fx)))
end
@inline function <(x::Union{Float32, Float64}, y::T) where {T <: WideInteger}
    fy = typeof(x)(y)
    (x < fy) | ((x == fy) && below_max(T, fy) && unsafe_trunc(T, fy) < y)
end
@inline function <=(x::T, y::Union{Float32, Float64}) where {T <: WideInteger}
    fx = typeof(y)(x)
    (fx < y) | ((fx == y) && (!below_max(T, fx) || x <= unsafe_trunc(T, fx)))
end
@inline function <=(x::Union{Float32, Float64}, y::T) where {T <: WideInteger}
    fy = typeof(x)(y)
    (x < fy) | ((x == fy) && below_max(T, fy) && unsafe_trunc(T, fy) <= y)
end

# Predicates and limits.
isnan(x::AbstractFloat) = x != x
isfinite(x::AbstractFloat) = !isnan(x - x)
isfinite(x::Real) = isfinite(float(x))
bswap(x::T) where {T <: IEEEFloat} = bitcast(T, bswap_int(bitcast(uinttype(T), x)))
isinf(x::IEEEFloat) = abs(x) == oftype(x, Inf)
isinteger(x::AbstractFloat) = iszero(x - trunc(x))
ispow2(x::AbstractFloat) = !iszero(x) && frexp(x)[1] == 0.5
iseven(x::AbstractFloat) = isinteger(x) && (abs(x) > maxintfloat(x) || iseven(Integer(x)))
isodd(x::AbstractFloat) = isinteger(x) && abs(x) <= maxintfloat(x) && isodd(Integer(x))
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
precision(::Type{T}; base::Integer = 2) where {T <: IEEEFloat} = precision_in_base(significand_bits(T) + 1, base)
precision(x::IEEEFloat; base::Integer = 2) = precision(typeof(x); base)
# The digits in another base that the binary digits are sure to hold.
precision_in_base(p, base) = base == 2 ? p : base < 2 ? throw_precision_base(base) : floor(Int, p / log2(base))
@noinline throw_precision_base(base) = throw(DomainError(base, "`base` cannot be less than 2."))
