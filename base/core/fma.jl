# `x * y + z` rounded once, without an instruction for it.

function fma_emulated(x::Float64, y::Float64, z::Float64)
    # The product of finite numbers is finite, though it may not fit.
    isfinite(x) & isfinite(y) || return x * y + z
    isfinite(z) || return z
    (iszero(x) | iszero(y)) && return x * y + z
    iszero(z) && return x * y
    mx, ex = whole_significand(x)
    my, ey = whole_significand(y)
    mz, ez = whole_significand(z)
    product, ep = top_aligned(widemul(mx, my), ex + ey)
    addend, ez = top_aligned(UInt128(mz), ez)
    negative = signbit(x) ⊻ signbit(y)
    ep >= ez ? sum_of_aligned(product, ep, negative, addend, ez, signbit(z)) :
        sum_of_aligned(addend, ez, signbit(z), product, ep, negative)
end
# The sum in `Float64` is exact but for one rounding, which is made odd: the second rounding then sees that there was one.
function fma_emulated(x::Float32, y::Float32, z::Float32)
    p = Float64(x) * Float64(y)
    s, e = add12(p, Float64(z))
    (iszero(e) || !isfinite(s) || isodd(reinterpret(UInt64, s))) && return Float32(s)
    Float32((e > 0) == (s > 0) ? reinterpret(Float64, reinterpret(UInt64, s) + 1) : reinterpret(Float64, reinterpret(UInt64, s) - 1))
end
fma_emulated(x::Float16, y::Float16, z::Float16) = Float16(fma_emulated(Float32(x), Float32(y), Float32(z)))

# A finite float other than zero as a whole number of units of two to some power.
function whole_significand(x::Float64)
    bits = reinterpret(UInt64, x)
    e = ((bits & exponent_mask(Float64)) >> 52) % Int
    m = bits & significand_mask(Float64)
    e == 0 ? (m, -1074) : (m | 0x0010000000000000, e - 1075)
end
# With the highest bit at place 125, so that a sum fits and a few places below are free.
function top_aligned(m::UInt128, e)
    k = leading_zeros(m) - 2
    (m << k, e - k)
end
function sum_of_aligned(a::UInt128, ea, a_negative, b::UInt128, eb, b_negative)
    gap = ea - eb
    # Bits that are shifted out leave a mark in the last place.
    low = gap > 127 ? one(b) : (b >> gap) | ((b >> gap) << gap == b ? zero(b) : one(b))
    a_negative == b_negative && return rounded_float(a + low, ea, a_negative)
    a == low && return 0.0
    a > low ? rounded_float(a - low, ea, a_negative) : rounded_float(low - a, ea, b_negative)
end
# `m * 2^e` to the nearest `Float64`, to even in the middle.
function rounded_float(m::UInt128, e, negative)
    top = 127 - leading_zeros(m)
    places = min(53, e + top + 1075)
    drop = top + 1 - places
    y = if places < 0
        0.0
    elseif drop <= 0
        ldexp(Float64(m), e)
    else
        kept = m >> drop
        rest = m - (kept << drop)
        half = one(m) << (drop - 1)
        kept += (rest > half) | ((rest == half) & isodd(kept))
        ldexp(Float64(kept), e + drop)
    end
    negative ? -y : y
end
