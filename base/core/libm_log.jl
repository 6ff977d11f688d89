# Logarithms, real powers, inverse hyperbolic functions.

# `x = m * 2^k` with `m` from sqrt(1/2) to sqrt(2), for positive finite `x`.
@inline function log_parts(x::Float64)
    small = x < 2.2250738585072014e-308
    bits = reinterpret(Int64, ifelse(small, x * 1.8014398509481984e16, x))
    k = (bits - 0x3fe6_a09e_667f_3bcd % Int64) >> 52
    (reinterpret(Float64, bits - (k << 52)), (k - ifelse(small, 54, 0)) % Int32)
end
@inline function log_parts(x::Float32)
    small = x < 1.1754944f-38
    bits = reinterpret(Int32, ifelse(small, x * 3.3554432f7, x))
    k = (bits - 0x3f35_04f3 % Int32) >> 23
    (reinterpret(Float32, bits - (k << 23)), k - ifelse(small, Int32(25), Int32(0)))
end
# With s = f/(2 + f), log(1 + f) = 2s + s*z*tail(z) where z = s^2.
@inline log_tail(z::Float64) = evalpoly(z, (0.6666666666666666, 0.3999999999999999, 0.28571428571435364,
    0.22222222219857532, 0.18181818593831864, 0.15384575118573857, 0.13335639264926186, 0.1168811030764391,
    0.11882118054196694))
@inline log_tail(z::Float32) = evalpoly(z, (6.666667f-1, 4.0000123f-1, 2.855082f-1, 2.3330562f-1))
# `n*log(2) + log(1 + f)` and a correction `c`. The three great terms, of which each is greater than the next, are added
# with the errors of these sums, so that little more than the last addition rounds.
@inline function log_sum(f::T, n::T, c::T, ln2_high::T, ln2_low::T) where {T}
    s = f / (T(2) + f)
    z = s * s
    h = T(0.5) * f
    half = h * f
    twos = n * ln2_high
    t = twos + f
    u = t - half
    lost = ((f - (t - twos)) + ((t - u) - half)) - muladd(h, f, -half)
    u + muladd(s, muladd(z, log_tail(z), half), muladd(n, ln2_low, c) + lost)
end
# Zero, infinity and NaN go through the arithmetic as rubbish and are put right here.
@inline log_special(x::T, y::T) where {T} = ifelse(x == zero(T), T(-Inf), ifelse(x < T(Inf), y, x))

@inline function log(x::T) where {T <: Union{Float32, Float64}}
    x < zero(T) && throw_complex_domainerror(:log, x)
    m, k = log_parts(x)
    log_special(x, log_sum(m - one(T), T(k), zero(T), log_constants(T)...))
end
@inline log_constants(::Type{Float64}) = (LN2_HIGH, LN2_LOW)
@inline log_constants(::Type{Float32}) = (0.69314575f0, 1.4286068f-6)

# `log(x + t)` for a `t` far below the last digit of `x`.
@inline function log_with_tail(x::Float64, t::Float64)
    m, k = log_parts(x)
    log_sum(m - 1.0, Float64(k), t / x, LN2_HIGH, LN2_LOW)
end
# `log(1 + x + t)`.
@inline function log1p_with_tail(x::Float64, t::Float64)
    u, e = full_sum(1.0, x)
    m, k = log_parts(u)
    near = k == 0
    log_sum(ifelse(near, x, m - 1.0), Float64(k), ifelse(near, t, e + t) / u, LN2_HIGH, LN2_LOW)
end
function log1p(x::Float64)
    x < -1.0 && throw_log1p_domain(x)
    abs(x) < 1.0e-16 && return x
    x == -1.0 && return -Inf
    x < Inf ? log1p_with_tail(x, 0.0) : x
end

# The logarithm of the significand as a pair, good to about 68 bits, and the exponent.
@inline function log_pair(x::Float64)
    m, k = log_parts(x)
    f = m - 1.0
    d, dl = full_sum(2.0, f)
    s, sl = full_quotient(f, 0.0, d, dl)
    z, zl = full_product(s, s)
    zl = muladd(2.0 * s, sl, zl)
    t = z * evalpoly(z, (0.4, 0.28571428571429364, 0.22222222221655943, 0.18181818335379513, 0.153845949639382,
        0.1333480461663011, 0.11706238407260777, 0.11723157001190189))
    w, wl = quick_sum(0.6666666666666666, t)
    wl += 3.700743415417188e-17
    u, ul = full_product(z, w)
    ul += muladd(z, wl, zl * w)
    c, cl = full_product(s, u)
    cl += muladd(s, ul, sl * u)
    h, l = quick_sum(2.0 * s, c)
    h, l = quick_sum(h, l + (2.0 * sl + cl))
    (h, l, Float64(k))
end
function log2(x::Float64)
    x < 0.0 && throw_complex_domainerror(:log2, x)
    h, l, n = log_pair(x)
    p, e = full_product(h, LOG2E_PAIR[1])
    s, r = full_sum(n, p)
    log_special(x, s + (r + (e + muladd(h, LOG2E_PAIR[2], l * LOG2E_PAIR[1]))))
end
function log10(x::Float64)
    x < 0.0 && throw_complex_domainerror(:log10, x)
    h, l, n = log_pair(x)
    p, e = full_product(h, 0.4342944819032518)
    e += muladd(h, 1.098319650216765e-17, l * 0.4342944819032518)
    s, r = full_sum(n * 0.30102999560767785, p)
    log_special(x, s + (r + muladd(n, 5.630334806675098e-11, e)))
end
log(b::T, x::T) where {T <: Number} = log(x) / log(b)
log(b::Number, x::Number) = log(promote(b, x)...)
log(b::Real, x::Real) = log_of_base(map(float, promote(b, x))...)
log_of_base(b::T, x::T) where {T} = b == T(2) ? log2(x) : b == T(10) ? log10(x) : log(x) / log(b)
log(::Irrational{:ℯ}) = 1
log(::Irrational{:ℯ}, x::Real) = log(x)
exponent_of_two(x::Integer) = 8 * sizeof(x) - 1 - leading_zeros(x)

# Powers: exp(y * log(x)), the logarithm and the product as pairs.
function power_of_positive(x::Float64, y::Float64)
    h, l, n = log_pair(x)
    s, r = full_sum(n * LN2_HIGH, h)
    r += muladd(n, LN2_LOW, l)
    p, e = full_product(y, s)
    e = muladd(y, r, e)
    p > 710.0 && return Inf
    p < -746.0 && return 0.0
    v, t, k = exp_fine_parts(p, e)
    scale_pow2(v + t, k)
end
@inline is_odd_whole(y::Float64) = abs(y) < 9.007199254740992e15 && y == trunc(y) && isodd(unsafe_trunc(Int64, y))
# Whole exponents that repeated squaring answers as well: such a power is the same with a float and with an integer.
@inline squares_suffice(y::Float64) = -4096.0 <= y <= 24576.0 && y == trunc(y)
@inline squares_suffice(n::Integer) = -4096 <= n <= 24576
function ^(x::Float64, y::Float64)
    (y == 0.0 || x == 1.0) && return 1.0
    (isnan(x) || isnan(y)) && return NaN
    squares_suffice(y) && return float_power_with(compensated_power, x, unsafe_trunc(Int, y))
    a = abs(x)
    if isinf(y)
        a == 1.0 && return 1.0
        return (a > 1.0) == (y > 0.0) ? Inf : 0.0
    end
    negative = signbit(x) && is_odd_whole(y)
    if a == 0.0 || isinf(a)
        r = (a == 0.0) == (y > 0.0) ? 0.0 : Inf
    else
        x < 0.0 && y != trunc(y) && throw_exp_domainerror(x)
        r = y == 1.0 ? a : y == 0.5 ? sqrt_llvm(a) : power_of_positive(a, y)
    end
    negative ? -r : r
end
# In `Float64` the plain formula is already good to the last digit of a `Float32`.
function ^(x::Float32, y::Float32)
    (y == 0.0f0 || x == 1.0f0) && return 1.0f0
    squares_suffice(Float64(y)) && !isnan(x) && return float_power(x, unsafe_trunc(Int, Float64(y)))
    (x > 0.0f0 && x < Inf32 && isfinite(y)) && return Float32(exp(Float64(y) * log(Float64(x))))
    Float32(Float64(x)^Float64(y))
end
^(x::Float16, y::Float16) = Float16(Float32(x)^Float32(y))

function asinh(x::Float64)
    a = abs(x)
    if a < 0.5
        a < 1.0e-9 && return x # a zero keeps its sign
        z = x * x
        p = evalpoly(z, (-0.16666666666666666, 0.07499999999999919, -0.044642857142676524, 0.03038194442845777,
            -0.022372158353448204, 0.017352744100632582, -0.013964482486015398, 0.011547467566226112,
            -0.009725660600766477, 0.0081821244466585, -0.00647392691763486, 0.004137287295866399,
            -0.0014980926997373353))
        return muladd(x * z, p, x)
    end
    a < Inf || return x
    a > 3.0e8 && return copysign(log(a) + LN2_PAIR[1], x)
    z, zl = full_product(a, a)
    q, ql = full_sum(z, 1.0)
    s, sl = full_sqrt(q, ql + zl)
    h, l = full_sum(a, s)
    copysign(log_with_tail(h, l + sl), x)
end
function acosh(x::Float64)
    x < 1.0 && throw_acosh_domain(x)
    x < Inf || return x
    x > 3.0e8 && return log(x) + LN2_PAIR[1]
    t = x - 1.0
    if x < 2.0
        z, zl = full_product(t, t)
        q, ql = full_sum(2.0 * t, z)
        q == 0.0 && return 0.0
        s, sl = full_sqrt(q, ql + zl)
        h, l = full_sum(s, t)
        return log1p_with_tail(h, l + sl)
    end
    z, zl = full_product(x, x)
    q, ql = full_sum(z, -1.0)
    s, sl = full_sqrt(q, ql + zl)
    h, l = full_sum(x, s)
    log_with_tail(h, l + sl)
end
function atanh(x::Float64)
    a = abs(x)
    a > 1.0 && throw_atanh_domain(x)
    if a < 0.5
        z = x * x
        p = evalpoly(z, (0.3333333333333333, 0.2000000000000087, 0.14285714285488846, 0.1111111113405809,
            0.09090907875688518, 0.07692346108805066, 0.06665883232659046, 0.058931382593187094,
            0.051604446522550286, 0.05443792667937839, 0.012219494246581248, 0.13576149109826188,
            -0.14477005451011898, 0.21115109506841148))
        return muladd(x * z, p, x)
    end
    isnan(x) && return x
    a == 1.0 && return copysign(Inf, x)
    q, ql = full_quotient(2.0 * a, 0.0, 1.0 - a, 0.0)
    copysign(0.5 * log1p_with_tail(q, ql), x)
end
