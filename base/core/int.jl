# Bool and the fixed-width integers: arithmetic that wraps, comparison, bits and shifts.

const BitSigned = Union{Int8, Int16, Int32, Int64, Int128}
const BitUnsigned = Union{UInt8, UInt16, UInt32, UInt64, UInt128}
const BitInteger = Union{BitSigned, BitUnsigned}
const BitSigned64 = Union{Int8, Int16, Int32, Int64}
const BitUnsigned64 = Union{UInt8, UInt16, UInt32, UInt64}
const BitInteger64 = Union{BitSigned64, BitUnsigned64}
const BitSignedSmall = Union{Int8, Int16, Int32}
const BitUnsignedSmall = Union{UInt8, UInt16, UInt32}
const BitSigned64_types = (Int8, Int16, Int32, Int64)
const BitUnsigned64_types = (UInt8, UInt16, UInt32, UInt64)
const BitInteger64_types = (Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64)
const BitSigned_types = (Int8, Int16, Int32, Int64, Int128)
const BitUnsigned_types = (UInt8, UInt16, UInt32, UInt64, UInt128)
const BitIntegerType = Union{Type{Int8}, Type{Int16}, Type{Int32}, Type{Int64}, Type{Int128},
    Type{UInt8}, Type{UInt16}, Type{UInt32}, Type{UInt64}, Type{UInt128}}
const BitInteger_types = (Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Int128, UInt128)
const IEEEFloat = Union{Float16, Float32, Float64}
const HWReal = Union{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64}
const HWNumber = HWReal
const BitReal = Union{BitInteger, IEEEFloat}

const Cchar = Int8
const Cuchar = UInt8
const Cshort = Int16
const Cushort = UInt16
const Cint = Int32
const Cuint = UInt32
const Clong = Int64
const Culong = UInt64
const Clonglong = Int64
const Culonglong = UInt64
const Cptrdiff_t = Int64
const Csize_t = UInt64
const Cssize_t = Int64
const Cintmax_t = Int64
const Cuintmax_t = UInt64
const Cfloat = Float32
const Cdouble = Float64

-(x::T) where {T <: BitInteger} = neg_int(x)
+(x::T, y::T) where {T <: BitInteger} = add_int(x, y)
-(x::T, y::T) where {T <: BitInteger} = sub_int(x, y)
*(x::T, y::T) where {T <: BitInteger} = mul_int(x, y)
/(x::T, y::T) where {T <: BitInteger} = float(x) / float(y)
/(x::BitInteger, y::BitInteger) = float(x) / float(y)
/(x::T, y::T) where {T <: Integer} = float(x) / float(y)
<(x::T, y::T) where {T <: BitSigned} = slt_int(x, y)
<=(x::T, y::T) where {T <: BitSigned} = sle_int(x, y)
<(x::T, y::T) where {T <: BitUnsigned} = ult_int(x, y)
<=(x::T, y::T) where {T <: BitUnsigned} = ule_int(x, y)
==(x::T, y::T) where {T <: BitInteger} = eq_int(x, y)
~(x::BitInteger) = not_int(x)
(&)(x::T, y::T) where {T <: BitInteger} = and_int(x, y)
(|)(x::T, y::T) where {T <: BitInteger} = or_int(x, y)
xor(x::T, y::T) where {T <: BitInteger} = xor_int(x, y)
max(x::T, y::T) where {T <: BitInteger} = ifelse(y < x, x, y)
min(x::T, y::T) where {T <: BitInteger} = ifelse(y < x, y, x)

# `Int` is what loops and subscripts are made of: these spare the interpreter a look at the union.
+(x::Int, y::Int) = add_int(x, y)
-(x::Int, y::Int) = sub_int(x, y)
*(x::Int, y::Int) = mul_int(x, y)
<(x::Int, y::Int) = slt_int(x, y)
<=(x::Int, y::Int) = sle_int(x, y)
==(x::Int, y::Int) = eq_int(x, y)

# Signed against unsigned compare by value.
<(x::BitSigned, y::BitUnsigned) = (x < 0) | (unsigned(x) < y)
<(x::BitUnsigned, y::BitSigned) = (y >= 0) & (x < unsigned(y))
<=(x::BitSigned, y::BitUnsigned) = (x < 0) | (unsigned(x) <= y)
<=(x::BitUnsigned, y::BitSigned) = (y >= 0) & (x <= unsigned(y))
==(x::BitSigned, y::BitUnsigned) = (x >= 0) & (unsigned(x) == y)
==(x::BitUnsigned, y::BitSigned) = (y >= 0) & (x == unsigned(y))

signbit(x::BitSigned) = x < zero(x)
signbit(x::Unsigned) = false
flipsign(x::T, y::T) where {T <: BitSigned} = flipsign_int(x, y)
flipsign(x::BitSigned, y::BitSigned) = flipsign_int(promote(x, y)...) % typeof(x)
copysign(x::Signed, y::Signed) = ifelse(signbit(x) != signbit(y), -x, x)
copysign(x::Signed, y::Real) = ifelse(signbit(x) != signbit(y), -x, x)
abs(x::Unsigned) = x
abs(x::BitSigned) = flipsign_int(x, x)
uabs(x::Integer) = abs(x)
uabs(x::BitSigned) = unsigned(abs(x))
unsigned(x::BitSigned) = unsigned_bits(x)
unsigned(x::Unsigned) = x
unsigned(x::Real) = UInt(x)
unsigned(x::Bool) = UInt(x)
signed(x::BitUnsigned) = signed_bits(x)
signed(x::Signed) = x
signed(x::Bool) = Int(x)
signed(x::Real) = Int(x)
unsigned(::Type{Bool}) = UInt
signed(::Type{Bool}) = Int
signed(::Type{T}) where {T <: Signed} = T
unsigned(::Type{T}) where {T <: Unsigned} = T
typemin(::Type{Bool}) = false
typemax(::Type{Bool}) = true
typemin(x::T) where {T <: Real} = typemin(T)
typemax(x::T) where {T <: Real} = typemax(T)

# Shifts. A count as wide as the number or wider shifts everything out; a negative count goes the other way.
<<(x::BitInteger, n::BitUnsigned) = shl_int(x, n)
>>(x::BitSigned, n::BitUnsigned) = ashr_int(x, n)
>>(x::BitUnsigned, n::BitUnsigned) = lshr_int(x, n)
>>>(x::BitInteger, n::BitUnsigned) = lshr_int(x, n)
@inline <<(x::BitInteger, n::Int) = ifelse(0 <= n, x << bitcast(UInt, n), x >> bitcast(UInt, neg_int(n)))
@inline >>(x::BitInteger, n::Int) = ifelse(0 <= n, x >> bitcast(UInt, n), x << bitcast(UInt, neg_int(n)))
@inline >>>(x::BitInteger, n::Int) = ifelse(0 <= n, x >>> bitcast(UInt, n), x << bitcast(UInt, neg_int(n)))
@inline <<(x::Integer, n::Integer) = shift_left(x, n)
@inline >>(x::Integer, n::Integer) = shift_right(x, n)
@inline >>>(x::Integer, n::Integer) = shift_right_logical(x, n)
shift_left(x::Bool, n) = Int(x) << n
shift_right(x::Bool, n) = Int(x) >> n
shift_right_logical(x::Bool, n) = Int(x) >>> n
@inline shift_left(x::BitInteger, n::Integer) = x << shift_count(n)
@inline shift_right(x::BitInteger, n::Integer) = x >> shift_count(n)
@inline shift_right_logical(x::BitInteger, n::Integer) = x >>> shift_count(n)
shift_count(n::BitSigned64) = Int(n)
shift_count(n::BitUnsigned) = n
shift_count(n::Bool) = Int(n)
shift_count(n::Integer) = clamp(n, -256, 256) % Int
bitrotate(x::T, k::Integer) where {T <: BitInteger} =
    (x << ((sizeof(T) << 3 - 1) & k)) | (x >>> ((sizeof(T) << 3 - 1) & -k))

bswap(x::BitInteger) = bswap_int(x)
bswap(x::Bool) = x
count_ones(x::BitInteger) = (ctpop_int(x) % Int)::Int
leading_zeros(x::BitInteger) = (ctlz_int(x) % Int)::Int
trailing_zeros(x::BitInteger) = (cttz_int(x) % Int)::Int
count_zeros(x::Integer) = count_ones(~x)
leading_ones(x::Integer) = leading_zeros(~x)
trailing_ones(x::Integer) = trailing_zeros(~x)
top_set_bit(x::BitInteger) = 8 * sizeof(x) - leading_zeros(x)
ntoh(x) = bswap(x)
hton(x) = bswap(x)
ltoh(x) = x
htol(x) = x

ispow2(x::Integer) = x > 0 && count_ones(x) == 1

# Bool: `+ - *` count, `& | !` reason.
(&)(x::Bool, y::Bool) = and_int(x, y)
(|)(x::Bool, y::Bool) = or_int(x, y)
xor(x::Bool, y::Bool) = x !== y
~(x::Bool) = !x
==(x::Bool, y::Bool) = x === y
<(x::Bool, y::Bool) = y & !x
<=(x::Bool, y::Bool) = y | !x
+(x::Bool) = Int(x)
-(x::Bool) = -Int(x)
+(x::Bool, y::Bool) = Int(x) + Int(y)
-(x::Bool, y::Bool) = Int(x) - Int(y)
*(x::Bool, y::Bool) = x & y
^(x::Bool, y::Bool) = x | !y
^(x::Integer, y::Bool) = ifelse(y, x, one(x))
*(x::Bool, y::T) where {T <: AbstractFloat} = ifelse(x, y, copysign(zero(y), y))
*(x::T, y::Bool) where {T <: AbstractFloat} = ifelse(y, x, copysign(zero(x), x))
/(x::Bool, y::Bool) = Float64(x) / Float64(y)
div(x::Bool, y::Bool) = y ? x : throw(DivideError())
rem(x::Bool, y::Bool) = y ? false : throw(DivideError())
mod(x::Bool, y::Bool) = rem(x, y)
signbit(x::Bool) = false
sign(x::Bool) = x
abs(x::Bool) = x
abs2(x::Bool) = x
iszero(x::Bool) = !x
isone(x::Bool) = x
zero(::Type{Bool}) = false
one(::Type{Bool}) = true
count_ones(x::Bool) = Int(x)
max(x::Bool, y::Bool) = x | y
min(x::Bool, y::Bool) = x & y
float(x::Union{BitInteger, Bool}) = Float64(x)
float(::Type{<:Union{BitInteger, Bool}}) = Float64
