# Divisors in common, inverses, powers and roots modulo a number; factorials and binomials.

@noinline throw_gcd_overflow(a, b) = throw(OverflowError(LazyString("gcd(", a, ", ", b, ") overflows")))
# Remainders get smaller: the loops end.
@assume_effects :terminates_locally function gcd(a::T, b::T) where {T <: Integer}
    while !iszero(b)
        a, b = b, rem(a, b)
    end
    checked_abs(a)
end
# By magnitudes, so that the least integer is no special case until it is the result.
@assume_effects :terminates_locally function gcd(a::T, b::T) where {T <: BitSigned}
    x = unsigned(abs(a))
    y = unsigned(abs(b))
    while !iszero(y)
        x, y = y, rem(x, y)
    end
    r = signed(x)
    r < 0 && (iszero(a) | iszero(b) ? throw_overflow_abs(r) : throw_gcd_overflow(a, b))
    r
end
gcd(a::T, b::T) where {T <: Real} = throw(MethodError(gcd, (a, b)))
lcm(a::T, b::T) where {T <: Real} = throw(MethodError(lcm, (a, b)))
lcm(a::T, b::T) where {T <: Integer} = iszero(a) | iszero(b) ? zero(a) : checked_abs(checked_mul(a, div(b, gcd(b, a))))
gcd(a::Integer) = checked_abs(a)
lcm(a::Integer) = checked_abs(a)
for f in (:gcd, :lcm)
    @eval begin
        $f(a::Unsigned, b::Signed) = $f(promote(a, abs(b))...)
        $f(a::Signed, b::Unsigned) = $f(promote(abs(a), b)...)
        $f(a::Real, b::Real) = $f(promote(a, b)...)
        $f(a::Real, b::Real, c::Real...) = $f(a, $f(b, c...))
    end
end
gcd(itr::AbstractArray{<:Real}) = reduce(gcd, itr; init = zero(eltype(itr)))
function gcd(itr::AbstractArray{<:Integer})
    a = zero(eltype(itr))
    for b in itr
        a = gcd(a, b)
        a == 1 && return a
    end
    a
end
function lcm(itr::AbstractArray{<:Real})
    if isempty(itr)
        eltype(itr) <: Integer && return one(eltype(itr))
        throw(ArgumentError(string("lcm has no identity for ", eltype(itr))))
    end
    length(itr) == 1 ? abs(first(itr)) : reduce(lcm, itr)
end

# The divisor and the coefficients that make it: `d == s * a + t * b`.
@assume_effects :terminates_locally function gcdx(a::Integer, b::Integer)
    T = promote_type(typeof(a), typeof(b))
    iszero(a) && iszero(b) && return (zero(T), zero(T), zero(T))
    s0, s1 = oneunit(T), zero(T)
    t0, t1 = zero(T), oneunit(T)
    x = a % T
    y = b % T
    while !iszero(y)
        q, r = divrem(x, y)
        x, y = y, r
        s0, s1 = s1, s0 - q * s1
        t0, t1 = t1, t0 - q * t1
    end
    x < 0 ? (-x, -s0, -t0) : (x, s0, t0)
end
function gcdx(a::Signed, b::Unsigned)
    T = promote_type(typeof(a), typeof(b))
    d, s, t = gcdx(promote(abs(a % signed(T)), b)...)
    (d, flipsign(s, a), t)
end
gcdx(a::Unsigned, b::Signed) = ((d, t, s) = gcdx(b, a); (d, s, t))
gcdx(a::Real) = (gcd(a), signbit(a) ? -one(a) : one(a))
gcdx(a::T, b::T) where {T <: Real} = throw(MethodError(gcdx, (a, b)))
gcdx(a::Real, b::Real) = gcdx(promote(a, b)...)
function gcdx(a::Real, b::Real, c::Real, more::Real...)
    d, s, t = gcdx(a, b)
    rest = gcdx(d, c, more...)
    (rest[1], rest[2] * s, rest[2] * t, tail(tail(rest))...)
end

# The sign of the result is the modulus's.
function invmod(n::Integer, m::Integer)
    iszero(m) && throw(DomainError(m, "`m` must not be 0."))
    if n isa BitSigned
        # Where a quotient of the algorithm would overflow.
        T = promote_type(typeof(n), typeof(m))
        n == typemin(n) && m == oftype(n, -1) && return zero(T)
        n == oftype(n, -1) && m == typemin(n) && return T(-1)
    end
    g, x, _ = gcdx(n, m)
    isone(g) || throw_not_invertible(n, m, g)
    # A negative coefficient of unsigned numbers has wrapped.
    n isa BitUnsigned && x > typemax(n) >> 1 && (x += m)
    mod(x, m)
end
@noinline throw_not_invertible(n, m, g) = throw(DomainError((n, m), LazyString("Greatest common divisor is ", g, ".")))
invmod(n::Integer, ::Type{T}) where {T <: BitInteger} = invmod(n % T)
# Modulo two to the width of the type: each step of Newton's doubles the bits that are right.
@assume_effects :terminates_locally function invmod(n::T) where {T <: BitInteger}
    iseven(n) && throw(DomainError(n, "Argument must be odd."))
    x = n
    for _ in 1:6
        x *= T(2) - n * x
    end
    x
end

function powermod(x::Integer, p::Integer, m::T) where {T <: Integer}
    if p < 0
        inverse = invmod(x, m)
        p == -p || return positive_powermod(inverse, -p, m)
        # The least integer has no negative: half of it twice.
        half = positive_powermod(inverse, -(p ÷ 2), m)
        return product_modulo(half, half, m)
    end
    positive_powermod(x, p, m)
end
product_modulo(a, b, m) = oftype(m, mod(widemul(a, b), m))
@assume_effects :terminates_locally function positive_powermod(x, p, m::T) where {T}
    iszero(p) && return mod(one(m), m)
    (m == 1 || m == -1) && return zero(m)
    base = oftype(m, mod(x, m))
    result = mod(one(m), m)
    while p > 0
        isodd(p) && (result = product_modulo(result, base, m))
        p >>= 1
        iszero(p) || (base = product_modulo(base, base, m))
    end
    result
end

@noinline throw_isqrt_domain(n) = throw(DomainError(n, "isqrt of a negative number"))
@assume_effects :terminates_locally function isqrt(n::Integer)
    n < 0 && throw_isqrt_domain(n)
    n < 2 && return oftype(n, n)
    s = rough_isqrt(n)
    # One step of Newton's brings a float's estimate to within one.
    s = (s + div(n, s)) >> 1
    while s > div(n, s)
        s -= one(s)
    end
    while s < div(n, s + one(s))
        s += one(s)
    end
    s
end
# At least 1, and near to the root.
rough_isqrt(n) = unsafe_trunc(typeof(n), sqrt(Float64(n)))

# The greatest factorials that fit. Small types widen to `Int`, as their products do.
@noinline throw_factorial_domain(n) = throw(DomainError(n, "`n` must not be negative."))
@noinline throw_factorial_overflow(n) = throw(OverflowError(LazyString(n,
    " is too large to look up in the table; consider using `factorial(big(", n, "))` instead")))
@assume_effects :terminates_locally function factorial_up_to(n, limit, one)
    n < 0 && throw_factorial_domain(n)
    n > limit && throw_factorial_overflow(n)
    p = one
    for i in 2:(n % Int)
        p *= i % typeof(one)
    end
    p
end
factorial(n::Int128) = factorial_up_to(n, 33, one(Int128))
factorial(n::UInt128) = factorial_up_to(n, 34, one(UInt128))
factorial(n::Union{Int64, UInt64}) = factorial_up_to(n, 20, one(n))
factorial(n::Union{Int8, Int16, Int32, UInt8, UInt16, UInt32, Bool}) = factorial_up_to(Int(n), 20, 1)
@assume_effects :terminates_locally function factorial(n::Integer)
    n < 0 && throw_factorial_domain(n)
    p = oneunit(n * n)
    for i in 2:n
        p *= i
    end
    p
end

@noinline throw_binomial_overflow(n, k) = throw(OverflowError(LazyString("binomial(", n, ", ", k, ") overflows")))
binomial(n::Integer, k::Integer) = binomial(promote(n, k)...)
function binomial(n::T, k::T) where {T <: Integer}
    k < 0 && return zero(T)
    if n < 0
        c = positive_binomial(-n + k - one(T), k, n, k)
        return isodd(k) ? -c : c
    end
    positive_binomial(n, k, n, k)
end
@assume_effects :terminates_locally function positive_binomial(n::T, k::T, n0, k0) where {T}
    k > n && return zero(T)
    (iszero(k) || k == n) && return one(T)
    k > (n >> 1) && (k = n - k)
    isone(k) && return n
    x = n - k + one(T)
    top = x + one(T)
    i = T(2)
    while i <= k
        wide = div(widemul(x, top), i)
        x = wide % T
        x == wide || throw_binomial_overflow(n0, k0)
        i += one(T)
        top += one(T)
    end
    x
end
function binomial(x::Number, k::Integer)
    k < 0 && return zero(x) / one(k)
    result = oneunit(x) / one(k)
    for i in 1:k
        result *= (x - (i - 1)) / i
    end
    result
end

# Whole powers above and below, and whether a number is a power of two.
ispow2(x::Number) = isreal(x) && ispow2(real(x))
nextpow2_of(x::Unsigned) = oneunit(x) << top_set_bit(x - oneunit(x))
nextpow2_of(x::Integer) = x <= 1 ? oneunit(x) : oftype(x, nextpow2_of(unsigned(x)))
prevpow2_of(x::Unsigned) = oneunit(x) << (top_set_bit(x) - 1)
prevpow2_of(x::Integer) = oftype(x, prevpow2_of(unsigned(x)))
hastypemax(::Type{<:Union{BitInteger, Bool}}) = true
hastypemax(::Type{T}) where {T} = applicable(typemax, T) && applicable(typemin, T)
@noinline throw_power_range(x) = throw(DomainError(x, "argument is beyond the range of type of the base"))
@noinline throw_power_overflow() = throw(OverflowError("result is beyond the range of type of the base"))
function nextpow(a::Real, x::Real)
    x <= 0 && throw(DomainError(x, "`x` must be positive."))
    a == 2 && x isa Integer && return nextpow2_of(x)
    a <= 1 && throw(DomainError(a, "`a` must be greater than 1."))
    x <= 1 && return one(a)
    # The logarithm may err by one either way.
    n = ceil(Int, log(a, x))
    p = a^(n - 1)
    hastypemax(typeof(p)) && x > typemax(p) && throw_power_range(x)
    for i in n:(n + 2)
        p >= x && return p
        q = a^i
        q > p || throw_power_overflow()
        p = q
    end
    p
end
function prevpow(a::Real, x::Real)
    x < 1 && throw(DomainError(x, "`x` must be ≥ 1."))
    a == 2 && x isa Integer && return prevpow2_of(x)
    a <= 1 && throw(DomainError(a, "`a` must be greater than 1."))
    n = floor(Int, log(a, x))
    p = a^n
    hastypemax(typeof(p)) && x > typemax(p) && throw_power_range(x)
    if a isa Integer
        q, overflow = mul_with_overflow(promote(a, p)...)
        q <= x && !overflow && return q
    else
        q = a^(n + 1)
        q <= x && return q
    end
    p <= x ? p : a^(n - 1)
end

# The place of the highest bit that is set, counted from one.
top_set_bit(x::Integer) = ceil(Integer, log2(x + oneunit(x)))

# The least product of powers of the factors that is not below `x`.
function nextprod(factors::Union{Tuple{Vararg{Integer}}, AbstractVector{<:Integer}}, x::Real)
    x > typemax(Int) && throw(ArgumentError(string("unsafe for x > typemax(Int), got ", x)))
    least_product(factors, firstindex(factors), 1, x, typemax(Int))
end
# Of the products that begin with `p` and go on with the factors from number `i`, the least; or `best` if none is less.
function least_product(factors, i, p, x, best)
    p >= x && return min(p, best)
    i > lastindex(factors) && return best
    overflow = false
    while p < x && !overflow
        best = least_product(factors, i + 1, p, x, best)
        p, overflow = mul_with_overflow(p, Int(factors[i]))
    end
    overflow ? best : min(p, best)
end

# Division by a divisor that is known beforehand: a multiplication and shifts.
struct MultiplicativeInverse{T <: BitInteger, U <: BitUnsigned}
    divisor::T
    multiplier::U
    shift::UInt8
end
function multiplicativeinverse(d::T) where {T <: BitInteger}
    d == 0 && throw(ArgumentError("cannot compute magic for d == 0"))
    m = uabs(d)
    U = typeof(m)
    # Two to the power `shift` is the least that is not below the divisor.
    shift = top_set_bit(m - one(m))
    W = widen(U)
    magic = div((one(W) << (8 * sizeof(U))) * ((one(W) << shift) - W(m)), W(m)) + one(W)
    MultiplicativeInverse{T, U}(d, magic % U, shift % UInt8)
end
@inline function unsigned_quotient(n::U, b::MultiplicativeInverse) where {U}
    b.shift == 0x00 && return n
    high = (widemul(n, b.multiplier) >> (8 * sizeof(U))) % U
    (high + ((n - high) >> 1)) >> (b.shift - 0x01)
end
div(n::T, b::MultiplicativeInverse{T}) where {T <: BitUnsigned} = unsigned_quotient(n, b)
function div(n::T, b::MultiplicativeInverse{T}) where {T <: BitSigned}
    q = unsigned_quotient(uabs(n), b) % T
    signbit(n) == signbit(b.divisor) ? q : -q
end
rem(n::T, b::MultiplicativeInverse{T}) where {T} = n - div(n, b) * b.divisor
divrem(n::T, b::MultiplicativeInverse{T}) where {T} = (q = div(n, b); (q, n - q * b.divisor))
