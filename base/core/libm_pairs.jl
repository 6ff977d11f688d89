# Ground of the mathematical functions: pairs of floats that carry twice the digits, powers of two, domain errors.

# The first 26 significant bits of `x`, so that products of such parts are exact.
@inline high_part(x::Float64) = reinterpret(Float64, reinterpret(UInt64, x) & 0xffff_ffff_f800_0000)
# A sum or product and its rounding error. `quick_sum` wants the greater operand first.
@inline function quick_sum(a::Float64, b::Float64)
    s = a + b
    (s, (a - s) + b)
end
@inline function full_sum(a::Float64, b::Float64)
    s = a + b
    t = s - a
    (s, (a - (s - t)) + (b - t))
end
@inline function full_product(a::Float64, b::Float64)
    p = a * b
    ah = high_part(a)
    bh = high_part(b)
    al = a - ah
    bl = b - bh
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
end
# `(n + nl) / (d + dl)` and what rounding took from it.
@inline function full_quotient(n::Float64, nl::Float64, d::Float64, dl::Float64)
    q = n / d
    p, e = full_product(q, d)
    (q, (((n - p) - e) + (nl - q * dl)) / d)
end
@inline function full_sqrt(s::Float64, sl::Float64)
    r = sqrt_llvm(s)
    p, e = full_product(r, r)
    (r, (((s - p) - e) + sl) / (r + r))
end

# Adding this and taking it away rounds to a whole number, which then stands in the low bits of the sum.
const ROUND_MAGIC64 = 6.755399441055744e15
const ROUND_MAGIC32 = 1.2582912f7
@inline function nearest_whole(x::Float64)
    t = x + ROUND_MAGIC64
    (t - ROUND_MAGIC64, reinterpret(Int64, t) - 0x4338_0000_0000_0000 % Int64)
end
@inline function nearest_whole(x::Float32)
    t = x + ROUND_MAGIC32
    (t - ROUND_MAGIC32, reinterpret(Int32, t) - 0x4b40_0000 % Int32)
end

# Two to the power `k`, which must be that of a normal number.
@inline normal_pow2(::Type{Float64}, k::Int64) = reinterpret(Float64, (k + 1023) << 52)
@inline normal_pow2(::Type{Float32}, k::Int32) = reinterpret(Float32, (k + Int32(127)) << 23)
# `y` times two to the power `k`, in two steps so that the ends of the range are reached.
@inline function scale_pow2(y::T, k) where {T}
    a = k >> 1
    (y * normal_pow2(T, a)) * normal_pow2(T, k - a)
end

const LN2_HIGH = 0.6931471804855391
const LN2_LOW = 7.440617110012397e-11
const LN2_PAIR = (0.6931471805599453, 2.3190468138462996e-17)
const LOG2E_PAIR = (1.4426950408889634, 2.0355273740931033e-17)

@noinline throw_complex_domainerror(f::Symbol, x) = throw(DomainError(x, LazyString(f,
    " was called with a negative real argument but will only return a complex result if called ",
    "with a complex argument. Try ", f, "(Complex(x)).")))
@noinline throw_nan_domain(x) = throw(DomainError(x, "NaN result for non-NaN input."))
nan_dom_err(result, x) = isnan(result) & !isnan(x) ? throw_nan_domain(x) : result
@noinline throw_log1p_domain(x) = throw(DomainError(x, LazyString(
    "log1p was called with a real argument < -1 but will only return a complex result if called ",
    "with a complex argument. Try log1p(Complex(x)).")))
@noinline throw_acosh_domain(x) = throw(DomainError(x, "acosh(x) is only defined for x ≥ 1."))
@noinline throw_atanh_domain(x) = throw(DomainError(x, "atanh(x) is only defined for |x| ≤ 1."))
@noinline throw_exp_domainerror(x) = throw(DomainError(x, LazyString(
    "Exponentiation yielding a complex result requires a complex argument.\n",
    "Replace x^y with (x+0im)^y, Complex(x)^y, or similar.")))
@noinline throw_infinite_domain(f::Symbol, x) = throw(DomainError(x, LazyString(f, "(x) is only defined for finite x.")))
@noinline throw_inverse_domain(f::Symbol, x) = throw(DomainError(x, LazyString(f, "(x) is not defined for |x| > 1.")))

# Every function of one number: integers and other reals by way of their float, `Float16` by way of `Float32`.
# A type that is its own float and has no method of the function's is refused.
@inline function through_float(f, x)
    y = float(x)
    typeof(y) === typeof(x) && throw_no_method(f, x)
    f(y)
end
@noinline throw_no_method(f, x) = throw(MethodError(f, (x,)))
for f in (:exp, :exp2, :exp10, :expm1, :log, :log2, :log10, :log1p, :sin, :cos, :tan, :sinpi, :cospi, :asin, :acos,
        :atan, :sinh, :cosh, :tanh, :asinh, :acosh, :atanh, :cbrt)
    @eval begin
        @inline $f(x::Real) = through_float($f, x)
        @inline $f(x::Float16) = Float16($f(Float32(x)))
    end
end
exp2(x::AbstractFloat) = 2^x
exp10(x::AbstractFloat) = 10^x
# These are as good through `Float64`, and no slower for the accuracy they need.
for f in (:exp10, :expm1, :log2, :log10, :log1p, :tan, :sinpi, :cospi, :asin, :acos, :atan, :sinh, :cosh, :tanh,
        :asinh, :acosh, :atanh, :cbrt)
    @eval @inline $f(x::Float32) = Float32($f(Float64(x)))
end
