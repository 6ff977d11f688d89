# Integer division in all its roundings, what is left over, and divisors in common.

@noinline throw_divideerror() = throw(DivideError())
div(x::T, y::T) where {T <: BitSigned} = checked_sdiv_int(x, y)
rem(x::T, y::T) where {T <: BitSigned} = checked_srem_int(x, y)
div(x::T, y::T) where {T <: BitUnsigned} = checked_udiv_int(x, y)
rem(x::T, y::T) where {T <: BitUnsigned} = checked_urem_int(x, y)
# One of each kind: the result has the kind of the dividend for `rem`, of the dividend's sign for `div`.
div(x::BitSigned, y::BitUnsigned) = flipsign(signed(div(unsigned(abs(x)), y)), x)
div(x::BitUnsigned, y::BitSigned) = unsigned(flipsign(signed(div(x, unsigned(abs(y)))), y))
rem(x::BitSigned, y::BitUnsigned) = flipsign(signed(rem(unsigned(abs(x)), y)), x)
rem(x::BitUnsigned, y::BitSigned) = rem(x, unsigned(abs(y)))
mod(x::BitSigned, y::BitUnsigned) = (r = rem(x, y); signbit(r) ? unsigned(r) + y : unsigned(r))
mod(x::BitUnsigned, y::BitSigned) = signed(mod_mixed(x, y))
mod_mixed(x, y) = (r = rem(x, unsigned(abs(y))); (y < 0) & !iszero(r) ? r + unsigned(y) : r)

@inline function mod(x::T, y::T) where {T <: BitSigned}
    y == -1 && return zero(x)
    r = rem(x, y)
    ifelse(!iszero(r) & (signbit(r) != signbit(y)), r + y, r)
end
mod(x::T, y::T) where {T <: BitUnsigned} = rem(x, y)
mod(x::T, y::T) where {T <: Integer} = (r = rem(x, y); !iszero(r) && signbit(r) != signbit(y) ? r + y : r)

const (÷) = div
const (%) = rem

# The rounding modes are types so that `div(x, y, RoundUp)` is chosen when it is compiled.
struct RoundingMode{T} end
const RoundNearest = RoundingMode{:Nearest}()
const RoundToZero = RoundingMode{:ToZero}()
const RoundUp = RoundingMode{:Up}()
const RoundDown = RoundingMode{:Down}()
const RoundFromZero = RoundingMode{:FromZero}()
const RoundNearestTiesAway = RoundingMode{:NearestTiesAway}()
const RoundNearestTiesUp = RoundingMode{:NearestTiesUp}()

fld(x, y) = div(x, y, RoundDown)
cld(x, y) = div(x, y, RoundUp)
div(x, y, ::RoundingMode{:ToZero}) = div(x, y)
rem(x, y, ::RoundingMode{:ToZero}) = rem(x, y)
rem(x, y, ::RoundingMode{:Down}) = mod(x, y)
rem(x, y, ::RoundingMode{:Up}) = rem_up(x, y)
rem_up(x, y) = (r = mod(x, y); iszero(r) ? r : r - y)
rem(x::Integer, y::Integer, r::RoundingMode{:Nearest}) = x - y * div(x, y, r)

div(x::Integer, y::Integer, r::RoundingMode) = div_promoted(promote(x, y)..., r)
div(x::T, y::T, r::RoundingMode) where {T <: Integer} = div_promoted(x, y, r)
div(x::Integer, y::Integer, ::RoundingMode{:ToZero}) = div(x, y)
div(x::T, y::T, ::RoundingMode{:ToZero}) where {T <: Integer} = div(x, y)
@inline function div_promoted(x::T, y::T, ::RoundingMode{:Down}) where {T <: Integer}
    d = div(x, y)
    d - T(signbit(x ⊻ y) & (d * y != x))
end
@inline function div_promoted(x::T, y::T, ::RoundingMode{:Up}) where {T <: Integer}
    d = div(x, y)
    d + T(!signbit(x ⊻ y) & (d * y != x))
end
div_promoted(x::T, y::T, ::RoundingMode{:Down}) where {T <: Unsigned} = div(x, y)
function div_promoted(x::T, y::T, ::RoundingMode{:FromZero}) where {T <: Integer}
    d, r = divrem(x, y)
    iszero(r) ? d : d + flipsign(one(T), x ⊻ y)
end
function div_promoted(x::T, y::T, mode::RoundingMode) where {T <: Integer}
    d, r = divrem(x, y)
    iszero(r) && return d
    left = uabs(r)
    rest = uabs(y) - left
    up = left > rest || (left == rest && tie_goes_away(mode, d, signbit(x) != signbit(y)))
    up ? (signbit(x) != signbit(y) ? d - one(T) : d + one(T)) : d
end
div_promoted(x::Bool, y::Bool, r::RoundingMode) = div(x, y)
tie_goes_away(::RoundingMode{:Nearest}, d, negative) = isodd(d)
tie_goes_away(::RoundingMode{:NearestTiesAway}, d, negative) = true
tie_goes_away(::RoundingMode{:NearestTiesUp}, d, negative) = !negative

@inline divrem(x, y) = divrem(x, y, RoundToZero)
@inline divrem(x, y, r::RoundingMode) = (div(x, y, r), rem(x, y, r))
@inline divrem(x, y, ::RoundingMode{:ToZero}) = (div(x, y), rem(x, y))
@inline function divrem(x::T, y::T, ::RoundingMode{:ToZero}) where {T <: BitInteger}
    d = div(x, y)
    (d, x - d * y)
end
fldmod(x, y) = (fld(x, y), mod(x, y))
mod1(x::T, y::T) where {T <: Real} = (m = mod(x, y); ifelse(m == 0, y, m))
fld1(x::T, y::T) where {T <: Real} = (m = mod1(x, y); fld(x + y - m, y))
fldmod1(x, y) = (fld1(x, y), mod1(x, y))

function gcd(a::T, b::T) where {T <: Integer}
    while !iszero(b)
        a, b = b, rem(a, b)
    end
    checked_abs(a)
end
gcd(a::Integer) = checked_abs(a)
gcd(a::Integer, b::Integer) = gcd(promote(a, b)...)
gcd(a::Integer, b::Integer, c::Integer...) = gcd(gcd(a, b), c...)
lcm(a::T, b::T) where {T <: Integer} = iszero(a) | iszero(b) ? zero(a) : checked_abs(checked_mul(a, div(b, gcd(b, a))))
lcm(a::Integer) = checked_abs(a)
lcm(a::Integer, b::Integer) = lcm(promote(a, b)...)
lcm(a::Integer, b::Integer, c::Integer...) = lcm(lcm(a, b), c...)
gcd(itr::AbstractArray{<:Integer}) = reduce(gcd, itr)
lcm(itr::AbstractArray{<:Integer}) = reduce(lcm, itr)
function gcdx(a::T, b::T) where {T <: Integer}
    s0, s1 = one(T), zero(T)
    t0, t1 = zero(T), one(T)
    while !iszero(b)
        q, r = divrem(a, b)
        a, b = b, r
        s0, s1 = s1, s0 - q * s1
        t0, t1 = t1, t0 - q * t1
    end
    a < 0 ? (-a, -s0, -t0) : (a, s0, t0)
end
gcdx(a::Integer, b::Integer) = gcdx(promote(a, b)...)
function invmod(n::Integer, m::Integer)
    iszero(m) && throw(DomainError(m, "`m` must not be 0."))
    g, x, _ = gcdx(n, m)
    g == 1 || throw(DomainError((n, m), "Greatest common divisor is $g."))
    mod(x, m)
end
function powermod(x::Integer, p::Integer, m::T) where {T <: Integer}
    p < 0 ? positive_powermod(invmod(x, m), -p, m) : positive_powermod(x, p, m)
end
function positive_powermod(x, p, m::T) where {T}
    result = mod(one(widen(T)), m)
    base = mod(widen(x), widen(m))
    while p > 0
        isodd(p) && (result = mod(result * base, m))
        base = mod(base * base, m)
        p >>= 1
    end
    oftype(m, result)
end
function isqrt(n::Integer)
    n < 0 && throw(DomainError(n, "isqrt of a negative number"))
    n < 2 && return oftype(n, n)
    s = rough_isqrt(n)
    while s > div(n, s)
        s -= one(s)
    end
    while s < div(n, s + one(s))
        s += one(s)
    end
    s
end
# At least 1, and near to the root.
rough_isqrt(n) = oftype(n, trunc(sqrt(Float64(n))))
function ndigits(x::Integer; base::Integer = 10, pad::Integer = 1)
    n = 0
    u = uabs(x)
    while !iszero(u)
        u = div(u, oftype(u, base))
        n += 1
    end
    max(n, Int(pad))
end
function digits(x::Integer; base::Integer = 10, pad::Integer = 1)
    out = Int[]
    rest = x
    while !iszero(rest)
        push!(out, Int(rem(rest, base)))
        rest = div(rest, base)
    end
    while length(out) < pad
        push!(out, 0)
    end
    out
end
function factorial(n::Integer)
    n < 0 && throw(DomainError(n, "`n` must not be negative."))
    n > 20 && throw(OverflowError(string(n, " is too large to look up in the table; consider using `factorial(big(", n, "))` instead")))
    p = 1
    for i in 2:Int(n)
        p *= i
    end
    p
end
function binomial(n::T, k::T) where {T <: Integer}
    k < 0 && return zero(T)
    n >= 0 && return positive_binomial(n, k)
    c = positive_binomial(-n + k - one(T), k)
    isodd(k) ? -c : c
end
function positive_binomial(n::T, k::T) where {T}
    k > n && return zero(T)
    k = min(k, n - k)
    p = one(widen(T))
    for i in 1:k
        p = div(p * (n - k + i), i)
    end
    T(p)
end
binomial(n::Integer, k::Integer) = binomial(promote(n, k)...)
