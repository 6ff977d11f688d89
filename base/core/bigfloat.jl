# Floats of any precision, with the rules of IEEE 754 and MPFR. `Host.big_float` does the arithmetic.

# The value is `sign * 0.d * 2^exp`, the first bit of `d` set; three exponents stand for zero, NaN and infinity.
"""
    BigFloat(x)

A float of arbitrary precision, which `setprecision` chooses. Kernels cannot use it.
"""
mutable struct BigFloat <: AbstractFloat
    const prec::Int
    # Functions of MPFR that programs call give a number another value. Limbs are never written, so two numbers may share them.
    sign::Int32
    exp::Int
    d::Memory{UInt64}
    BigFloat(prec::Int, sign::Int32, exp::Int, d::Memory{UInt64}) = new(prec, sign, exp, d)
end
const BIG_EXPONENT_ZERO = typemin(Int) + 1
const BIG_EXPONENT_NAN = typemin(Int) + 2
const BIG_EXPONENT_INF = typemin(Int) + 3

# The format of results: precision, rounding mode, and the least and greatest exponent.
mutable struct BigFloatSettings
    precision::Int
    rounding::Int
    emin::Int
    emax::Int
end
const BIG_SETTINGS = BigFloatSettings(256, 0, -4611686018427387903, 4611686018427387903)
@noinline throw_big_precision(p) = throw(DomainError(p, "`precision` cannot be less than 1."))
big_settings() = big_settings(BIG_SETTINGS.precision)
big_settings(p::Integer) = big_settings(p, BIG_SETTINGS.rounding)
big_settings(p::Integer, mode::Int) =
    p < 1 ? throw_big_precision(p) : (Int(p), mode, BIG_SETTINGS.emin, BIG_SETTINGS.emax, BigInt)

precision(::Type{BigFloat}; base::Integer = 2) = precision_in_base(BIG_SETTINGS.precision, base)
precision(x::BigFloat; base::Integer = 2) = precision_in_base(x.prec, base)
bits_of_precision(p::Integer, base::Integer) = base < 2 ? throw(DomainError(base, "`base` cannot be less than 2.")) :
    base == 2 ? Int(p) : ceil(Int, p * log2(base))
function setprecision(::Type{BigFloat}, p::Integer; base::Integer = 2)
    bits = bits_of_precision(p, base)
    bits < 1 && throw_big_precision(bits)
    BIG_SETTINGS.precision = bits
    p
end
setprecision(p::Integer; base::Integer = 2) = setprecision(BigFloat, p; base = base)
function setprecision(f::Function, ::Type{BigFloat}, p::Integer; base::Integer = 2)
    old = BIG_SETTINGS.precision
    setprecision(BigFloat, p; base = base)
    try
        f()
    finally
        BIG_SETTINGS.precision = old
    end
end
setprecision(f::Function, p::Integer; base::Integer = 2) = setprecision(f, BigFloat, p; base = base)

rounding_of_number(n::Int) = n == 0 ? RoundNearest : n == 1 ? RoundToZero : n == 2 ? RoundUp : n == 3 ? RoundDown : RoundFromZero
rounding(::Type{BigFloat}) = rounding_of_number(BIG_SETTINGS.rounding)
setrounding(::Type{BigFloat}, r::RoundingMode) = (BIG_SETTINGS.rounding = rounding_number(r))
function setrounding(f::Function, ::Type{BigFloat}, r::RoundingMode)
    old = BIG_SETTINGS.rounding
    BIG_SETTINGS.rounding = rounding_number(r)
    try
        f()
    finally
        BIG_SETTINGS.rounding = old
    end
end

# Conversion to.
const BigOperand = Union{WordInteger, IEEEFloat}
host_word(x::IEEEFloat) = Float64(x)
host_word(x::BigInt) = x
host_word(x::BigFloat) = x
set_big_float(x, p, mode::Int) = Host.big_float(:set, BigFloat, big_settings(p, mode), host_word(x))::BigFloat
BigFloat(; precision::Integer = BIG_SETTINGS.precision) = BigFloat(NaN; precision = precision)
BigFloat(x::BigFloat; precision::Integer = BIG_SETTINGS.precision) =
    precision == x.prec ? x : set_big_float(x, precision, BIG_SETTINGS.rounding)
BigFloat(x::BigFloat, r::RoundingMode; precision::Integer = BIG_SETTINGS.precision) =
    precision == x.prec ? x : set_big_float(x, precision, rounding_number(r))
BigFloat(x::Union{BigOperand, BigInt}; precision::Integer = BIG_SETTINGS.precision) =
    with_sign_of(x, set_big_float(x, precision, BIG_SETTINGS.rounding))
# Not a number has a sign too.
with_sign_of(x, y::BigFloat) = y
with_sign_of(x::IEEEFloat, y::BigFloat) =
    isnan(x) ? BigFloat(y.prec, signbit(x) ? Int32(-1) : Int32(1), y.exp, y.d) : y
BigFloat(x::Union{BigOperand, BigInt}, r::RoundingMode; precision::Integer = BIG_SETTINGS.precision) =
    set_big_float(x, precision, rounding_number(r))
BigFloat(x::Integer; kws...) = BigFloat(BigInt(x); kws...)::BigFloat
BigFloat(x::Integer, r::RoundingMode; kws...) = BigFloat(BigInt(x), r; kws...)::BigFloat
BigFloat(x::Rational; precision::Integer = BIG_SETTINGS.precision) = big_quotient(x, precision, BIG_SETTINGS.rounding)
BigFloat(x::Rational, r::RoundingMode; precision::Integer = BIG_SETTINGS.precision) =
    big_quotient(x, precision, rounding_number(r))
# The denominator is rounded the other way, and the quotient once more.
function big_quotient(x, p, mode)
    num = set_big_float(BigInt(x.num), p, mode)
    den = set_big_float(BigInt(x.den), p, mode == 2 ? 3 : mode == 3 ? 2 : mode)
    Host.big_float(:div, BigFloat, big_settings(p, mode), num, den)::BigFloat
end
BigFloat(x::AbstractString; precision::Integer = BIG_SETTINGS.precision) =
    parse_big_float(x, 0, precision, BIG_SETTINGS.rounding)
BigFloat(x::AbstractString, r::RoundingMode; precision::Integer = BIG_SETTINGS.precision) =
    parse_big_float(x, 0, precision, rounding_number(r))
BigFloat(x::Union{Real, AbstractString}, p::Int) = BigFloat(x; precision = p)::BigFloat
BigFloat(x::Union{Real, AbstractString}, p::Int, r::RoundingMode) = BigFloat(x, r; precision = p)::BigFloat
function parse_big_float(s, base, p, mode)
    x = tryparse_big_float(s, base, p, mode)
    x === nothing ? throw(ArgumentError(string("cannot parse ", repr(s), " as BigFloat"))) : x
end
tryparse_big_float(s, base, p, mode) =
    Host.big_float(:parse, BigFloat, big_settings(p, mode), String(strip(s)), Int(base))::Union{BigFloat, Nothing}
tryparse(::Type{BigFloat}, s::AbstractString; base::Integer = 0, precision::Integer = BIG_SETTINGS.precision,
    rounding::RoundingMode = rounding(BigFloat)) = tryparse_big_float(s, base, precision, rounding_number(rounding))
parse(::Type{BigFloat}, s::AbstractString; base::Integer = 0, precision::Integer = BIG_SETTINGS.precision,
    rounding::RoundingMode = rounding(BigFloat)) = parse_big_float(s, base, precision, rounding_number(rounding))

for (name, known) in ((:π, "pi"), (:ℯ, "e"))
    @eval function BigFloat(::Irrational{$(QuoteNode(name))}, r::RoundingMode = rounding(BigFloat);
            precision::Integer = BIG_SETTINGS.precision)
        Host.big_float(:constant, BigFloat, big_settings(precision, rounding_number(r)), $(QuoteNode(Symbol(known))))::BigFloat
    end
end
BigFloat(::Irrational{:φ}; precision::Integer = BIG_SETTINGS.precision) =
    setprecision(() -> BigFloat((1 + sqrt(BigFloat(5))) / 2; precision = precision), BigFloat, precision + 32)
BigFloat(::Irrational{:γ}; precision::Integer = BIG_SETTINGS.precision) = rounded_constant(euler_gamma, precision)
BigFloat(::Irrational{:catalan}; precision::Integer = BIG_SETTINGS.precision) = rounded_constant(catalan_sum, precision)
BigFloat(x::AbstractIrrational, r::RoundingMode; precision::Integer = BIG_SETTINGS.precision) =
    setrounding(() -> BigFloat(x; precision = precision), BigFloat, r)::BigFloat
<(x::AbstractIrrational, y::BigFloat) = BigFloat(x; precision = precision(y) + 32) < y
<(x::BigFloat, y::AbstractIrrational) = x < BigFloat(y; precision = precision(x) + 32)
<(x::AbstractIrrational, y::Rational) = BigFloat(x; precision = bits_to_compare(y)) < y
<(x::Rational, y::AbstractIrrational) = x < BigFloat(y; precision = bits_to_compare(x))
bits_to_compare(x::Rational) = Int(top_set_bit(abs(big(x.num))) + top_set_bit(big(x.den))) + 64

# Defines a constant of one's own: its name, the digits that the floats get, and how any number of digits is computed.
macro irrational(sym, def)
    irrational_expr(__module__, sym, :(big($(esc(sym)))), def)
end
macro irrational(sym, val, def)
    irrational_expr(__module__, sym, val, def)
end
function irrational_expr(m, sym, val, def)
    name = QuoteNode(sym)
    computed = def isa Symbol ? esc(:(big($def))) : esc(def)
    quote
        const $(esc(sym)) = Irrational{$name}()
        Base.BigFloat(::Irrational{$name}; precision::Integer = Base.precision(BigFloat)) =
            setprecision(() -> BigFloat($computed; precision = precision), BigFloat, precision)
        let value = $(val isa Expr ? val : esc(val)), wide = Float64(value), narrow = Float32(value)
            Base.Float64(::Irrational{$name}) = wide
            Base.Float32(::Irrational{$name}) = narrow
        end
        Float64($(esc(sym))) == Float64(big($(esc(sym)))) && Float32($(esc(sym))) == Float32(big($(esc(sym)))) ||
            throw(AssertionError(string("the digits of ", $name, " are not those of its definition")))
    end
end
# A constant computed to nearest with 64 bits to spare.
rounded_constant(f, p) = BigFloat(setrounding(() -> setprecision(() -> f(p + 64), BigFloat, p + 64), BigFloat, RoundNearest);
    precision = p)
# Brent and McMillan: a quotient of two series of Bessel functions; the error is about `exp(-4n)`.
function euler_gamma(bits)
    n = cld(bits, 5) + 8
    a = -log(BigFloat(n))
    b = BigFloat(1)
    u = a
    v = b
    for k in 1:4n
        b = b * n^2 / k^2
        a = (a * n^2 / k + b) / k
        u += a
        v += b
    end
    u / v
end
# Ramanujan's series, which gains two bits a term.
function catalan_sum(bits)
    term = BigFloat(1)
    sum = term
    for k in 0:cld(bits, 2)
        term = term * (k + 1) / (2 * (2k + 1))
        sum += term / (2k + 3)^2
    end
    BigFloat(pi) * log(2 + sqrt(BigFloat(3))) / 8 + 3 * sum / 8
end
big(::Type{T}) where {T <: Number} = typeof(big(zero(T)))
big(x::AbstractFloat) = BigFloat(x)
big(x::Rational) = Rational{BigInt}(x)
big(x::AbstractIrrational) = BigFloat(x)
big(::Type{<:AbstractFloat}) = BigFloat
big(::Type{<:Rational}) = Rational{BigInt}
big(::Type{<:AbstractIrrational}) = BigFloat
big(::Type{Complex{T}}) where {T <: Real} = Complex{big(T)}
big(z::Complex) = Complex(big(real(z)), big(imag(z)))
AbstractFloat(x::BigInt) = BigFloat(x)
float(x::BigInt) = BigFloat(x)
float(::Type{BigInt}) = BigFloat
widen(::Type{Float64}) = BigFloat
widen(::Type{BigFloat}) = BigFloat
promote_rule(::Type{BigFloat}, ::Type{<:Real}) = BigFloat
promote_rule(::Type{BigFloat}, ::Type{<:AbstractFloat}) = BigFloat
promote_rule(::Type{BigFloat}, ::Type{Bool}) = BigFloat
promote_rule(::Type{BigInt}, ::Type{<:AbstractFloat}) = BigFloat
promote_rule(::Type{BigFloat}, ::Type{<:AbstractIrrational}) = BigFloat

# Conversion from.
function Float64(x::BigFloat)
    y = Host.big_float(:float, BigFloat, big_settings(), x)::Float64
    isnan(x) ? copysign(y, signbit(x) ? -1.0 : 1.0) : y
end
Float32(x::BigFloat) = Host.big_float(:float32, BigFloat, big_settings(), x)::Float32
Float16(x::BigFloat) = Float16(Host.big_float(:float16, BigFloat, big_settings(), x)::Float64)
Float64(x::BigFloat, r::RoundingMode) = Host.big_float(:float, BigFloat, big_settings(1, rounding_number(r)), x)::Float64
Float32(x::BigFloat, r::RoundingMode) = Host.big_float(:float32, BigFloat, big_settings(1, rounding_number(r)), x)::Float32
Float16(x::BigFloat, r::RoundingMode) =
    Float16(Host.big_float(:float16, BigFloat, big_settings(1, rounding_number(r)), x)::Float64)
integer_rounding(r::RoundingMode) = rounding_number(r)
integer_rounding(::RoundingMode{:NearestTiesAway}) = 5
big_integer_of(x, mode::Int) = Host.big_float(:integer, BigFloat, big_settings(), x, mode)::Union{BigInt, Nothing}
unsafe_trunc(::Type{BigInt}, x::IEEEFloat) = something(big_integer_of(Float64(x), 1), BigInt(0))
unsafe_trunc(::Type{BigInt}, x::BigFloat) = something(big_integer_of(x, 1), BigInt(0))
unsafe_trunc(::Type{T}, x::BigFloat) where {T <: BitInteger} = unsafe_trunc(BigInt, x) % T
function round(::Type{BigInt}, x::Union{IEEEFloat, BigFloat}, r::RoundingMode)
    n = big_integer_of(host_word(x), integer_rounding(r))
    n === nothing ? throw_inexacterror(:round, BigInt, x) : n
end
function round(::Type{T}, x::BigFloat, r::RoundingMode) where {T <: BitInteger}
    n = big_integer_of(x, integer_rounding(r))
    n === nothing || !(typemin(T) <= n <= typemax(T)) ? throw_inexacterror(:round, T, x) : n % T
end
round(::Type{Integer}, x::BigFloat, r::RoundingMode) = round(BigInt, x, r)
round(::Type{Bool}, x::BigFloat, r::RoundingMode) = Bool(round(BigInt, x, r))
BigInt(x::BigFloat) = isinteger(x) ? unsafe_trunc(BigInt, x) : throw_inexacterror(:BigInt, BigInt, x)
function (::Type{T})(x::BigFloat) where {T <: BitInteger}
    isinteger(x) || throw_inexacterror(nameof(T), T, x)
    n = unsafe_trunc(BigInt, x)
    typemin(T) <= n <= typemax(T) ? n % T : throw_inexacterror(nameof(T), T, x)
end
Bool(x::BigFloat) = iszero(x) ? false : isone(x) ? true : throw_inexacterror(:Bool, Bool, x)
(::Type{Integer})(x::BigFloat) = BigInt(x)
trunc_to_int(x::BigFloat) = BigInt(x)
# Mantissa and exponent of a finite number, exactly.
big_parts(x::BigFloat) = Host.big_float(:parts, BigFloat, big_settings(), x)::Tuple{BigInt, Int}

# Comparison by value.
compare_big_float(x, y) = Host.big_float(:cmp, BigFloat, big_settings(1), x, y)::Int
for (op, test) in ((:(==), :(c == 0)), (:<, :(c == -1)), (:<=, :(c == -1 || c == 0)))
    @eval begin
        $op(x::BigFloat, y::BigFloat) = (c = compare_big_float(x, y); $test)
        $op(x::BigFloat, y::Union{BigOperand, BigInt}) = (c = compare_big_float(x, host_word(y)); $test)
        $op(x::Union{BigOperand, BigInt}, y::BigFloat) = (c = compare_big_float(host_word(x), y); $test)
    end
end
cmp(x::BigFloat, y::BigFloat) = iszero(x) && iszero(y) ? Int(signbit(y)) - Int(signbit(x)) : big_order(x, y, compare_big_float(x, y))
cmp(x::BigFloat, y::Union{BigOperand, BigInt}) = big_order(x, y, compare_big_float(x, host_word(y)))
cmp(x::Union{BigOperand, BigInt}, y::BigFloat) = -cmp(y, x)
# NaN comes after every number.
big_order(x, y, c) = c != 2 ? c : isnan(x) ? (isnan(y) ? 0 : 1) : -1
isequal(x::BigFloat, y::BigFloat) = (isnan(x) ? isnan(y) : x == y && signbit(x) == signbit(y))::Bool
isnan(x::BigFloat) = x.exp == BIG_EXPONENT_NAN
isinf(x::BigFloat) = x.exp == BIG_EXPONENT_INF
isfinite(x::BigFloat) = x.exp != BIG_EXPONENT_NAN && x.exp != BIG_EXPONENT_INF
iszero(x::BigFloat) = x.exp == BIG_EXPONENT_ZERO
isone(x::BigFloat) = x == 1
isinteger(x::BigFloat) = Host.big_float(:isinteger, BigFloat, big_settings(), x)::Bool
issubnormal(x::BigFloat) = false
signbit(x::BigFloat) = x.sign < 0

# Rationals of floats and constants, and back.
for F in (:Float16, :Float32, :Float64)
    @eval $F(x::Rational{BigInt}) = $F(BigFloat(x))
end
rationalize(::Type{T}, x::AbstractIrrational; kws...) where {T <: Integer} = rationalize(T, BigFloat(x); kws...)
Rational{T}(x::AbstractIrrational) where {T <: Integer} = rationalize(T, BigFloat(x; precision = 512), 0)
Rational{BigInt}(::AbstractIrrational) =
    throw(ArgumentError("Cannot convert an AbstractIrrational to a Rational{BigInt}: use rationalize(BigInt, x) instead"))
^(z::Complex{T}, y::Rational) where {T <: Real} = z^convert(typeof(one(T)^y), y)
Rational(x::AbstractFloat) = Rational{BigInt}(x)

function Rational{BigInt}(x::AbstractFloat)
    isfinite(x) || return isnan(x) ? throw_inexacterror(:Rational, Rational{BigInt}, x) : unsafe_rational(BigInt, sign(x), 0)
    m, e, s = decompose(x)
    n = BigInt(s < 0 ? -abs(m) : m)
    e >= 0 ? Rational{BigInt}(n << e, 1) : Rational{BigInt}(n, BigInt(1) << -e)
end
function decompose(x::BigFloat)
    isnan(x) && return (big(0), 0, 0)
    isinf(x) && return (big(Int(x.sign)), 0, 0)
    m, e = big_parts(x)
    (abs(m), e, Int(x.sign))
end

# Text.
big_digits(x::BigFloat, digits::Int) = Host.big_float(:string, BigFloat, big_settings(x.prec), x, digits)::String
function big_float_string(x::BigFloat, digits::Int = -1)
    isfinite(x) || return isnan(x) ? "NaN" : signbit(x) ? "-Inf" : "Inf"
    mantissa, exponent = split(big_digits(x, digits), 'e')
    negative = startswith(mantissa, '-')
    negative && (mantissa = SubString(mantissa, 2))
    point = parse(Int, exponent)
    fraction = rstrip(ncodeunits(mantissa) > 2 ? SubString(mantissa, 3) : "", '0')
    figures = string(SubString(mantissa, 1, 1), fraction)
    n = ncodeunits(figures)
    sign = negative ? "-" : ""
    if !(-5 < point < 6)
        string(sign, SubString(figures, 1, 1), ".", n > 1 ? SubString(figures, 2) : "0", "e", exponent)
    elseif point < 0
        string(sign, "0.", "0"^(-point - 1), figures)
    elseif n <= point + 1
        string(sign, figures, "0"^(point + 1 - n), ".0")
    else
        string(sign, SubString(figures, 1, point + 1), ".", SubString(figures, point + 2))
    end
end
string(x::BigFloat) = big_float_string(x)
print(io::IO, x::BigFloat) = (write(io, big_float_string(x)); nothing)
show(io::IO, x::BigFloat) = (write(io, get(io, :compact, false) ? big_float_string(x, 5) : big_float_string(x)); nothing)
export setprecision, setrounding
