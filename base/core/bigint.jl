# Integers of any size. The limbs lie in memory of the program; `Host.big_integer` does the arithmetic.

# `abs(size)` words of `limbs` are the magnitude, the least first; the sign of `size` is the number's.
"""
    BigInt(x)

An integer without bounds. Kernels cannot use it.
"""
mutable struct BigInt <: Signed
    size::Int
    limbs::Memory{UInt64}
    BigInt(; nbits::Integer = 0) = new(0, Memory{UInt64}(undef, 0))
end

# A machine integer that the host takes as an operand.
host_word(x::BitSigned64) = Int64(x)
host_word(x::BitUnsigned64) = UInt64(x)
host_word(x::Bool) = Int64(x)
const WordInteger = Union{BitInteger64, Bool}

BigInt(x::BigInt) = x
BigInt(x::WordInteger) = Host.big_integer(:add, BigInt, host_word(x), 0)::BigInt
BigInt(x::Int128) = (BigInt((x >> 64) % Int64) << 64) + (x % UInt64)
BigInt(x::UInt128) = (BigInt((x >> 64) % UInt64) << 64) + (x % UInt64)
function BigInt(x::Integer)::BigInt
    typemin(Int64) <= x <= typemax(Int64) && return BigInt(x % Int64)
    magnitude = BigInt(0)
    rest = x < 0 ? -x : x
    shift = 0
    while !iszero(rest)
        magnitude |= BigInt(rest % UInt64) << shift
        rest >>= 64
        shift += 64
    end
    x < 0 ? -magnitude : magnitude
end
function BigInt(x::IEEEFloat)
    isinteger(x) || throw_inexacterror(:BigInt, BigInt, x)
    unsafe_trunc(BigInt, x)
end
big(x::Integer) = BigInt(x)
big(::Type{<:Integer}) = BigInt
(::Type{Integer})(x::BigInt) = x
(::Type{Signed})(x::BigInt) = x
signed(x::BigInt) = x
signed(::Type{BigInt}) = BigInt
unsigned(x::BigInt) = x < 0 ? throw_inexacterror(:convert, Unsigned, x) : x
copy(x::BigInt) = x
deepcopy(x::BigInt) = x + false
hastypemax(::Type{BigInt}) = false
widen(::Type{Int128}) = BigInt
widen(::Type{UInt128}) = BigInt
widen(::Type{BigInt}) = BigInt
promote_rule(::Type{BigInt}, ::Type{<:Integer}) = BigInt
promote_rule(::Type{BigInt}, ::Type{Bool}) = BigInt

# To machine integers: checked, or the low bits.
function rem(x::BigInt, ::Type{T}) where {T <: BitInteger}
    if sizeof(T) == 16
        low, high = Host.big_integer(:words128, BigInt, x)::Tuple{UInt64, UInt64}
        return (((high % UInt128) << 64) | low) % T
    end
    (Host.big_integer(:words, BigInt, x)::UInt64) % T
end
rem(x::BigInt, ::Type{Bool}) = isodd(x)
rem(x::BigInt, ::Type{BigInt}) = x
rem(x::Integer, ::Type{BigInt}) = BigInt(x)
function (::Type{T})(x::BigInt) where {T <: BitInteger}
    y = x % T
    y == x || throw_inexacterror(nameof(T), T, x)
    y
end
Bool(x::BigInt) = iszero(x) ? false : isone(x) ? true : throw_inexacterror(:Bool, Bool, x)
unsafe_trunc(::Type{BigInt}, x::BigInt) = x

rounding_number(::RoundingMode{:Nearest}) = 0
rounding_number(::RoundingMode{:ToZero}) = 1
rounding_number(::RoundingMode{:Up}) = 2
rounding_number(::RoundingMode{:Down}) = 3
rounding_number(::RoundingMode{:FromZero}) = 4
Float64(x::BigInt, r::RoundingMode = RoundNearest) = Host.big_integer(:float, BigInt, x, rounding_number(r))::Float64
Float32(x::BigInt, r::RoundingMode = RoundNearest) = Host.big_integer(:float32, BigInt, x, rounding_number(r))::Float32
Float16(x::BigInt, r::RoundingMode = RoundNearest) =
    Float16(Host.big_integer(:float16, BigInt, x, rounding_number(r))::Float64)

# Arithmetic. Machine integers are operands as they are.
for (op, name) in ((:+, :add), (:-, :sub), (:*, :mul), (:&, :and), (:|, :or), (:xor, :xor), (:rem, :rem), (:mod, :mod),
        (:gcd, :gcd), (:div, :div), (:fld, :fld), (:cld, :cld))
    what = QuoteNode(name)
    @eval begin
        $op(x::BigInt, y::BigInt) = Host.big_integer($what, BigInt, x, y)::BigInt
        $op(x::BigInt, y::BitInteger64) = Host.big_integer($what, BigInt, x, host_word(y))::BigInt
        $op(x::BitInteger64, y::BigInt) = Host.big_integer($what, BigInt, host_word(x), y)::BigInt
    end
end
for (r, name) in ((:ToZero, :div), (:Down, :fld), (:Up, :cld))
    what = QuoteNode(name)
    @eval div(x::BigInt, y::BigInt, ::RoundingMode{$(QuoteNode(r))}) = Host.big_integer($what, BigInt, x, y)::BigInt
end
function div(x::BigInt, y::BigInt, ::RoundingMode{:FromZero})
    d, r = divrem(x, y)
    iszero(r) ? d : d + (signbit(x) != signbit(y) ? -1 : 1)
end
divrem(x::BigInt, y::BigInt, ::RoundingMode{:ToZero}) = Host.big_integer(:divrem, BigInt, x, y)::Tuple{BigInt, BigInt}
divrem(x::BigInt, y::BigInt) = divrem(x, y, RoundToZero)
divrem(x::BigInt, y::Integer) = divrem(x, BigInt(y), RoundToZero)
fldmod(x::BigInt, y::BigInt) = Host.big_integer(:fldmod, BigInt, x, y)::Tuple{BigInt, BigInt}
lcm(x::BigInt, y::BigInt) = iszero(x) || iszero(y) ? BigInt(0) : abs(x * div(y, gcd(x, y)))
/(x::BigInt, y::BigInt) = float(x) / float(y)
-(x::BigInt) = Host.big_integer(:neg, BigInt, x)::BigInt
+(x::BigInt) = x
~(x::BigInt) = Host.big_integer(:not, BigInt, x)::BigInt
abs(x::BigInt) = x.size < 0 ? -x : x
uabs(x::BigInt) = abs(x)
sign(x::BigInt) = BigInt(sign(x.size))
signbit(x::BigInt) = x.size < 0
flipsign(x::BigInt, y::Integer) = signbit(y) ? -x : x
flipsign(x::BigInt, y::BigInt) = signbit(y) ? -x : x
copysign(x::BigInt, y::BigInt) = signbit(x) != signbit(y) ? -x : x
iszero(x::BigInt) = x.size == 0
isone(x::BigInt) = x == 1
zero(::Type{BigInt}) = BigInt(0)
one(::Type{BigInt}) = BigInt(1)
iseven(x::BigInt) = !isodd(x)
isodd(x::BigInt) = x.size != 0 && isodd(getfield(x, :limbs)[1])

# Shifts by any machine integer; a negative count goes the other way.
@noinline throw_shift_memory() = throw(OutOfMemoryError())
shift_big_left(x::BigInt, n) = n > typemax(Int) ? iszero(x) ? x : throw_shift_memory() :
    Host.big_integer(:shl, BigInt, x, Int(n))::BigInt
shift_big_right(x::BigInt, n) = n > typemax(Int) ? BigInt(signbit(x) ? -1 : 0) : Host.big_integer(:shr, BigInt, x, Int(n))::BigInt
<<(x::BigInt, n::UInt) = shift_big_left(x, n)
>>(x::BigInt, n::UInt) = shift_big_right(x, n)
>>>(x::BigInt, n::UInt) = x >> n
<<(x::BigInt, n::Int) = n < 0 ? shift_big_right(x, -widen(n)) : shift_big_left(x, n)
>>(x::BigInt, n::Int) = n < 0 ? shift_big_left(x, -widen(n)) : shift_big_right(x, n)
>>>(x::BigInt, n::Int) = x >> n
shift_left(x::BigInt, n::Integer) = n < 0 ? shift_big_right(x, -widen(n)) : shift_big_left(x, n)
shift_right(x::BigInt, n::Integer) = n < 0 ? shift_big_left(x, -widen(n)) : shift_big_right(x, n)
shift_right_logical(x::BigInt, n::Integer) = shift_right(x, n)
function trailing_zeros(x::BigInt)
    iszero(x) && throw(DomainError(x, "`x` must be non-zero"))
    Host.big_integer(:zeros, BigInt, x)::Int
end
trailing_ones(x::BigInt) = x == -1 ? throw(DomainError(x, "`x` must not be equal to -1")) : trailing_zeros(~x)
count_ones_abs(x::BigInt) = Host.big_integer(:ones, BigInt, x)::Int
count_ones(x::BigInt) = signbit(x) ? throw(DomainError(x, "`x` cannot be negative")) : count_ones_abs(x)
count_zeros(x::BigInt) = signbit(x) ? count_ones_abs(~x) : throw(DomainError(x, "`x` must be negative"))
top_set_bit(x::BigInt) = signbit(x) ? throw(DomainError(x, "`x` must not be negative")) : bit_length(x)
bit_length(x::BigInt) = Host.big_integer(:bits, BigInt, x)::Int
ispow2(x::BigInt) = x.size > 0 && count_ones_abs(x) == 1
nextpow2_of(x::BigInt) = x <= 1 ? one(x) : one(x) << bit_length(x - 1)
prevpow2_of(x::BigInt) = one(x) << (bit_length(x) - 1)

# Comparison by value with every kind of machine number.
compare_big(x, y) = Host.big_integer(:cmp, BigInt, x, y)::Int
cmp(x::BigInt, y::BigInt) = compare_big(x, y)
cmp(x::BigInt, y::Integer) = compare_big_integer(x, y)
cmp(x::Integer, y::BigInt) = -compare_big_integer(y, x)
cmp(x::BigInt, y::IEEEFloat) = isnan(y) ? -1 : compare_big_float(x, Float64(y))
cmp(x::IEEEFloat, y::BigInt) = -cmp(y, x)
compare_big_integer(x, y::WordInteger) = compare_big(x, host_word(y))
compare_big_integer(x, y::Integer) = compare_big(x, BigInt(y))
for (op, test) in ((:(==), :(c == 0)), (:<, :(c < 0)), (:<=, :(c <= 0)))
    flipped = op === :(==) ? :(c == 0) : op === :< ? :(c > 0) : :(c >= 0)
    @eval begin
        $op(x::BigInt, y::BigInt) = (c = compare_big(x, y); $test)
        $op(x::BigInt, y::Integer) = (c = compare_big_integer(x, y); $test)
        $op(x::Integer, y::BigInt) = (c = compare_big_integer(y, x); $flipped)
        $op(x::BigInt, y::IEEEFloat) = !isnan(y) && (c = compare_big_float(x, Float64(y)); $test)
        $op(x::IEEEFloat, y::BigInt) = !isnan(x) && (c = compare_big_float(y, Float64(x)); $flipped)
    end
end

# Powers and roots.
@noinline throw_exponent_overflow(y) =
    throw(OverflowError(string("exponent ", y, " is too large and computation will overflow")))
function big_power(x::BigInt, y::Integer)
    isone(x) && return x
    x == -1 && return isodd(y) ? x : -x
    y < 0 && throw(DomainError(y, "`y` cannot be negative."))
    if y > typemax(Int)
        iszero(x) && return x
        y > typemax(UInt) ? throw_exponent_overflow(y) : throw(OutOfMemoryError())
    end
    Host.big_integer(:pow, BigInt, x, Int(y))::BigInt
end
^(x::BigInt, y::BigInt) = big_power(x, y)
^(x::BigInt, y::Integer) = big_power(x, y)
^(x::BigInt, y::Bool) = y ? x : one(x)
^(x::Integer, y::BigInt) = big_power(BigInt(x), y)
^(x::Bool, y::BigInt) = x | iszero(y)
function isqrt(x::BigInt)
    signbit(x) && throw(DomainError(x, "`x` must not be negative."))
    Host.big_integer(:isqrt, BigInt, x)::BigInt
end
function powermod(x::BigInt, p::BigInt, m::BigInt)
    iszero(m) && throw(DivideError())
    abs(m) == 1 && return zero(m)
    if signbit(p)
        isone(gcd(x, m)) || throw(DivideError())
        return powermod(invmod(x, m), -p, m)
    end
    r = Host.big_integer(:powermod, BigInt, mod(x, abs(m)), p, abs(m))::BigInt
    m < 0 && !iszero(r) ? r + m : r
end
powermod(x::Integer, p::Integer, m::BigInt) = powermod(BigInt(x), BigInt(p), m)
# The coefficients of the magnitudes are least; the signs go over to them.
function gcdx(a::BigInt, b::BigInt)
    iszero(a) && iszero(b) && return (zero(a), zero(a), zero(a))
    g, s, t = Host.big_integer(:gcdx, BigInt, abs(a), abs(b))::Tuple{BigInt, BigInt, BigInt}
    (g, signbit(a) ? -s : s, signbit(b) ? -t : t)
end
clamp(x, ::Type{BigInt}) = convert(BigInt, x)
clamp(x::AbstractFloat, ::Type{BigInt}) = convert(BigInt, x)
function invmod(x::BigInt, m::BigInt)
    iszero(m) && throw(DomainError(m))
    abs(m) == 1 && return zero(BigInt)
    g, s, _ = gcdx(mod(x, abs(m)), abs(m))
    isone(g) || throw(DomainError(m))
    mod(s, m)
end
function factorial(n::BigInt)
    n < 0 && throw(DomainError(n, "`n` must not be negative."))
    n > typemax(Int) && throw(OutOfMemoryError())
    Host.big_integer(:factorial, BigInt, Int(n))::BigInt
end
function binomial(n::BigInt, k::Integer)
    k < 0 && return BigInt(0)
    n < 0 && return isodd(k) ? -binomial(k - n - 1, k) : binomial(k - n - 1, k)
    k > n && return BigInt(0)
    k = min(BigInt(k), n - k)
    k > typemax(Int) && throw(OverflowError("Computation would exceed memory"))
    result = BigInt(1)
    for i in 1:Int(k)
        result = div(result * (n - k + i), i)
    end
    result
end
binomial(n::BigInt, k::BigInt) = invoke(binomial, Tuple{BigInt, Integer}, n, k)

# No overflow to check.
checked_abs(x::BigInt) = abs(x)
checked_neg(x::BigInt) = -x
checked_add(x::BigInt, y::BigInt) = x + y
checked_sub(x::BigInt, y::BigInt) = x - y
checked_mul(x::BigInt, y::BigInt) = x * y
checked_pow(x::BigInt, p::Integer) = x^p
checked_pow(x::Integer, p::BigInt) = x^p
checked_pow(x::BigInt, p::BigInt) = x^p
add_with_overflow(x::BigInt, y::BigInt) = (x + y, false)
sub_with_overflow(x::BigInt, y::BigInt) = (x - y, false)
mul_with_overflow(x::BigInt, y::BigInt) = (x * y, false)

hash(x::BigInt, h::UInt) = hash_exact(x, 0, h)

# The quotient of an infinite number by a negative one changes sign.
//(x::Rational{BigInt}, y::Rational{BigInt}) = iszero(x.den) && !iszero(y.den) && y.num < 0 ? -x :
    invoke(//, Tuple{Rational, Rational}, x, y)

# The modules under whose names programs reach arithmetic that writes its result to an operand. Limbs are never written,
# so two numbers may share them.
module GMP
    using ..Base: BigInt
    import ..Base: cmp
    const Limb = UInt64
    const BITS_PER_LIMB = 64
    module MPZ
        using ..GMP: BigInt
        set!(x::BigInt, y::BigInt) = (x.size = y.size; x.limbs = y.limbs; x)
        set(x::BigInt) = set!(BigInt(), x)
        for (name, f) in ((:add, :+), (:sub, :-), (:mul, :*), (:fdiv_q, :fld), (:tdiv_q, :div), (:cdiv_q, :cld),
                (:fdiv_r, :mod), (:tdiv_r, :rem), (:gcd, :gcd), (:lcm, :lcm), (:and, :&), (:ior, :|), (:xor, :xor),
                (:invert, :invmod))
            in_place = Symbol(name, :!)
            @eval begin
                $name(a::BigInt, b::BigInt) = Base.$f(a, b)
                $in_place(x::BigInt, a::BigInt, b::BigInt) = set!(x, Base.$f(a, b))
                $in_place(x::BigInt, b::BigInt) = set!(x, Base.$f(x, b))
            end
        end
        for (name, f) in ((:neg, :-), (:com, :~), (:sqrt, :isqrt))
            in_place = Symbol(name, :!)
            @eval begin
                $name(a::BigInt) = Base.$f(a)
                $in_place(x::BigInt, a::BigInt) = set!(x, Base.$f(a))
                $in_place(x::BigInt) = set!(x, Base.$f(x))
            end
        end
        set_ui!(x::BigInt, n) = set!(x, BigInt(n))
        set_si!(x::BigInt, n) = set!(x, BigInt(n))
        powm(a::BigInt, b::BigInt, c::BigInt) = powermod(a, b, c)
        cmp(a::BigInt, b::BigInt) = Base.cmp(a, b)
        sizeinbase(a::BigInt, b) = ndigits(a; base = b)
        popcount(a::BigInt) = count_ones(a)
        tstbit(a::BigInt, b) = isodd(a >> b)
    end
    module MPQ
        using ..GMP: BigInt, MPZ
        function set!(z::Rational{BigInt}, x::Rational{BigInt})
            num, den = x.num, x.den
            MPZ.set!(z.num, num)
            MPZ.set!(z.den, den)
            z
        end
        for (name, f) in ((:add, :+), (:sub, :-), (:mul, :*), (:div, :/))
            in_place = Symbol(name, :!)
            @eval begin
                $in_place(z::Rational{BigInt}, x::Rational{BigInt}, y::Rational{BigInt}) = set!(z, Base.$f(x, y))
                $in_place(z::Rational{BigInt}, y::Rational{BigInt}) = set!(z, Base.$f(z, y))
            end
        end
        for name in (:set_si, :set_ui)
            in_place = Symbol(name, :!)
            @eval $name(n, d) = Rational{BigInt}(n, d)
            @eval $in_place(z::Rational{BigInt}, n, d) = set!(z, Rational{BigInt}(n, d))
        end
        set_z!(z::Rational{BigInt}, n::BigInt) = set!(z, Rational{BigInt}(n))
        cmp(x::Rational{BigInt}, y::Rational{BigInt}) = Base.cmp(x, y)
    end
end
