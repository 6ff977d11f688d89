# Cube root and hypotenuse.

# The bits of a float divided by three are those of a rough cube root; two steps of Halley's rule and one in which
# the square is exact bring the last digit.
function cbrt(x::Float64)
    (x == 0.0 || !isfinite(x)) && return x
    a = abs(x)
    small = a < 1.0e-290
    great = a > 1.0e300
    a = ifelse(small, a * 1.8014398509481984e16, ifelse(great, a * 5.551115123125783e-17, a))
    t = reinterpret(Float64, div(reinterpret(UInt64, a), 0x0000_0000_0000_0003) + 0x2a9f_7893_0000_0000)
    t = halley_cbrt(t, a)
    t = halley_cbrt(t, a)
    t = high_part(t)
    r = a / (t * t)
    t += t * ((r - t) / (t + t + r))
    copysign(ifelse(small, t * 3.814697265625e-6, ifelse(great, t * 262144.0, t)), x)
end
cbrt(x::AbstractFloat) = copysign(abs(x)^(one(x) / 3), x)
@inline halley_cbrt(t, a) = (c = t * t * t; t * ((c + 2.0 * a) / (c + c + a)))

function hypot(x::Float64, y::Float64)
    a = abs(x)
    b = abs(y)
    (isinf(a) | isinf(b)) && return Inf
    a, b = ifelse(a < b, b, a), ifelse(a < b, a, b)
    b == 0.0 && return a
    # Two to a power, so that scaling rounds nothing.
    scale = a > 1.0e150 ? 2.409919865102884e-181 : b < 1.0e-145 ? 4.149515568880993e180 : 1.0
    (b < a * 1.0e-17) && return a
    a *= scale
    b *= scale
    p, e = full_product(a, a)
    q, f = full_product(b, b)
    s, l = quick_sum(p, q)
    r, t = full_sqrt(s, l + (e + f))
    (r + t) / scale
end
hypot(x::Float32, y::Float32) =
    isinf(x) | isinf(y) ? Inf32 : Float32(sqrt_llvm(Float64(x) * Float64(x) + Float64(y) * Float64(y)))
hypot(x::Float16, y::Float16) = Float16(hypot(Float32(x), Float32(y)))
hypot(x::Number) = abs(float(x))
hypot(x::Number, y::Number) = hypot_floats(map(float, promote_checked_or_same(x, y))...)
hypot(x::Number, y::Number, zs::Number...) = hypot_floats(floats_of(promote(x, y, zs...)...)...)
floats_of() = ()
@inline floats_of(x, ys...) = (float(x), floats_of(ys...)...)
@inline promote_checked_or_same(x::T, y::T) where {T} = (x, y)
@inline promote_checked_or_same(x, y) = promote_checked(x, y)
@inline hypot_floats(x::T, y::T) where {T <: IEEEFloat} = hypot(x, y)
# An infinity wins over NaN. The rest is scaled by the greatest.
function hypot_floats(xs...)
    m = abs(xs[1])
    for x in xs
        a = abs(x)
        isinf(a) && return a
        m = isnan(m) || m > a ? m : a
    end
    (iszero(m) || isnan(m)) && return m
    total = zero(m)
    for x in xs
        r = abs(x) / m
        total += r * r
    end
    m * sqrt(total)
end
fourthroot(x::Real) = sqrt(sqrt(x))
const (∛) = cbrt
const (∜) = fourthroot
