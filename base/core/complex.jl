# Complex numbers.

struct Complex{T <: Real} <: Number
    re::T
    im::T
end
Complex(x::Real, y::Real) = Complex(promote(x, y)...)
Complex(x::Real) = Complex(x, zero(x))
Complex(z::Complex) = z
Complex{T}(x::Real) where {T <: Real} = Complex{T}(T(x), zero(T))
Complex{T}(z::Complex) where {T <: Real} = Complex{T}(T(real(z)), T(imag(z)))
const im = Complex(false, true)
const ComplexF64 = Complex{Float64}
const ComplexF32 = Complex{Float32}
const ComplexF16 = Complex{Float16}

(::Type{T})(z::Complex) where {T <: Real} = isreal(z) ? T(real(z))::T : throw(InexactError(nameof(T), T, z))
convert(::Type{Complex{T}}, x::Real) where {T} = Complex{T}(x)
convert(::Type{Complex{T}}, z::Complex{T}) where {T} = z
convert(::Type{Complex{T}}, z::Complex) where {T} = Complex{T}(z)
promote_rule(::Type{Complex{T}}, ::Type{S}) where {T <: Real, S <: Real} = Complex{promote_type(T, S)}
promote_rule(::Type{Complex{T}}, ::Type{Complex{S}}) where {T <: Real, S <: Real} = Complex{promote_type(T, S)}
widen(::Type{Complex{T}}) where {T} = Complex{widen(T)}
float(::Type{Complex{T}}) where {T <: Real} = Complex{float(T)}
float(z::Complex{<:AbstractFloat}) = z
float(z::Complex) = Complex(float(z.re), float(z.im))

real(z::Complex) = z.re
imag(z::Complex) = z.im
real(T::Type) = typeof(real(zero(T)))
real(C::Type{<:Complex}) = fieldtype(C, 1)
real(::Type{Union{}}, more...) = Union{}(im)
complex(z::Complex) = z
complex(x::Real) = Complex(x)
complex(x::Real, y::Real) = Complex(x, y)
complex(::Type{T}) where {T <: Real} = Complex{T}
complex(::Type{Complex{T}}) where {T <: Real} = Complex{T}
complex(A::AbstractArray{<:Complex}) = A
function complex(A::AbstractArray{T}) where {T}
    isconcretetype(T) || throw(ErrorException(
        "`complex` not defined on abstractly-typed arrays; please convert to a more specific type"))
    map(typeof(complex(zero(T))), A)
end
isreal(z::Complex) = iszero(imag(z))
isinteger(z::Complex) = isreal(z) & isinteger(real(z))
isfinite(z::Complex) = isfinite(real(z)) & isfinite(imag(z))
isnan(z::Complex) = isnan(real(z)) | isnan(imag(z))
isinf(z::Complex) = isinf(real(z)) | isinf(imag(z))
iszero(z::Complex) = iszero(real(z)) & iszero(imag(z))
isone(z::Complex) = isone(real(z)) & iszero(imag(z))
zero(::Type{Complex{T}}) where {T} = Complex{T}(zero(T), zero(T))
one(::Type{Complex{T}}) where {T} = Complex{T}(one(T), zero(T))
zero(z::Complex) = zero(typeof(z))
one(z::Complex) = one(typeof(z))
oneunit(::Type{Complex{T}}) where {T} = one(Complex{T})
ispow2(z::Complex) = ispow2(real(z)) & iszero(imag(z))
iseven(z::Complex) = isreal(z) & iseven(real(z))
isodd(z::Complex) = isreal(z) & isodd(real(z))
bswap(z::Complex) = Complex(bswap(real(z)), bswap(imag(z)))
flipsign(z::Complex, y::Real) = ifelse(signbit(y), -z, z)

==(z::Complex, w::Complex) = (real(z) == real(w)) & (imag(z) == imag(w))
==(z::Complex, x::Real) = isreal(z) && real(z) == x
==(x::Real, z::Complex) = isreal(z) && real(z) == x
isequal(z::Complex, w::Complex) = isequal(real(z), real(w))::Bool & isequal(imag(z), imag(w))::Bool
isequal(z::Complex, x::Real) = isequal(real(z), x)::Bool & isequal(imag(z), zero(x))::Bool
isequal(x::Real, z::Complex) = isequal(x, real(z))::Bool & isequal(zero(x), imag(z))::Bool
in(z::Complex, w::Complex) = z == w
hash(z::Complex, h::UInt) = isequal(imag(z), zero(imag(z))) ? hash(real(z), h) :
    hash(imag(z), hash(real(z), h) ⊻ 0x3c1d_5a77_90b2_e64f)

conj(z::Complex) = Complex(real(z), -imag(z))
abs(z::Complex) = hypot(real(z), imag(z))
abs2(z::Complex) = real(z) * real(z) + imag(z) * imag(z)
angle(z::Complex) = atan(imag(z), real(z))
angle(x::Real) = ifelse(signbit(x), oftype(float(x), pi), zero(float(x)))
sign(z::Complex) = iszero(z) ? float(z) : z / abs(z)

+(z::Complex) = Complex(+real(z), +imag(z))
-(z::Complex) = Complex(-real(z), -imag(z))
+(z::Complex, w::Complex) = Complex(real(z) + real(w), imag(z) + imag(w))
-(z::Complex, w::Complex) = Complex(real(z) - real(w), imag(z) - imag(w))
*(z::Complex, w::Complex) = Complex(real(z) * real(w) - imag(z) * imag(w), real(z) * imag(w) + imag(z) * real(w))
# A real number has no imaginary part, not one that is zero: signed zeros and infinities of the other operand stay.
+(x::Real, z::Complex) = Complex(x + real(z), imag(z))
+(z::Complex, x::Real) = Complex(real(z) + x, imag(z))
-(x::Real, z::Complex) = real_minus(x, z)
-(z::Complex, x::Real) = Complex(real(z) - x, imag(z))
*(x::Real, z::Complex) = Complex(x * real(z), x * imag(z))
*(z::Complex, x::Real) = Complex(real(z) * x, imag(z) * x)
# The negative of a Bool is an Int; here it is to have the type of the real part.
@inline function real_minus(x, z)
    re = x - real(z)
    Complex(re, -oftype(re, imag(z)))
end
muladd(z::Complex, w::Complex, x::Complex) = Complex(
    muladd(real(z), real(w), -muladd(imag(z), imag(w), -real(x))),
    muladd(real(z), imag(w), muladd(imag(z), real(w), imag(x))))
muladd(z::Complex, w::Complex, x::Real) = Complex(
    muladd(real(z), real(w), -muladd(imag(z), imag(w), -x)), muladd(real(z), imag(w), imag(z) * real(w)))
muladd(z::Complex, x::Real, w::Complex) = Complex(muladd(real(z), x, real(w)), muladd(imag(z), x, imag(w)))
muladd(z::Complex, x::Real, y::Real) = Complex(muladd(real(z), x, y), imag(z) * x)
muladd(x::Real, z::Complex, y::Union{Real, Complex}) = muladd(z, x, y)
muladd(x::Real, y::Real, z::Complex) = Complex(muladd(x, y, real(z)), imag(z))

# Quotients. A divisor with an infinite part gives zero, with the sign of each product's leading term.
/(z::Complex, x::Real) = Complex(real(z) / x, imag(z) / x)
/(x::R, z::C) where {R <: Real, C <: Complex} = x * inv(promote_type(R, C)(z))
function over_infinity(z::Complex, w::Complex)
    zr, zi = reim(z)
    nothing_left = zero(float(zr))
    isfinite(z) || return Complex(nothing_left / nothing_left, nothing_left / nothing_left)
    Complex(nothing_left * sign(zr) * sign(real(w)), -nothing_left * sign(zi) * sign(imag(w)))
end
# Any real type: the divisor is brought to one part of magnitude one, so that no square leaves the range.
/(z::Complex{T}, w::Complex{T}) where {T <: Real} = scaled_quotient(z, w)
function scaled_quotient(z, w)
    a, b = reim(z)
    c, d = reim(w)
    isinf(c) | isinf(d) && return over_infinity(z, w)
    if abs(d) < abs(c)
        r = d / c
        den = c + r * d
        Complex((a + b * r) / den, (b - a * r) / den)
    else
        r = c / d
        den = d + r * c
        Complex((a * r + b) / den, (b * r - a) / den)
    end
end
# In twice the digits the plain formula is good to the last digit, and in range.
@inline function /(z::Complex{T}, w::Complex{T}) where {T <: Union{Float16, Float32}}
    a, b = map(Float64, reim(z))
    c, d = map(Float64, reim(w))
    isinf(c) | isinf(d) && return over_infinity(z, w)
    den = c * c + d * d
    Complex(T((a * c + b * d) / den), T((b * c - a * d) / den))
end
@inline function inv(z::Complex{T}) where {T <: Union{Float16, Float32}}
    c, d = map(Float64, reim(z))
    isinf(c) | isinf(d) && return inverse_of_infinity(z)
    den = c * c + d * d
    Complex(T(c / den), T(-d / den))
end
# `Float64`: sums of two products with their rounding errors. Where a product or square might leave the range, the
# operands are taken apart into significand and exponent.
function /(z::ComplexF64, w::ComplexF64)
    a, b = reim(z)
    c, d = reim(w)
    isinf(c) | isinf(d) && return over_infinity(z, w)
    products_in_range(a, b) & products_in_range(c, d) || return quotient_by_parts(z, w)
    den, rest = sum_of_products(c, c, d, d)
    re = over_pair(sum_of_products(a, c, b, d)..., den, rest)
    im = over_pair(sum_of_products(b, c, -a, d)..., den, rest)
    Complex(re, im)
end
function inv(z::ComplexF64)
    c, d = reim(z)
    isinf(c) | isinf(d) && return inverse_of_infinity(z)
    if products_in_range(c, d)
        den, rest = sum_of_products(c, c, d, d)
        Complex(over_pair(c, 0.0, den, rest), over_pair(-d, 0.0, den, rest))
    else
        q = quotient_by_parts(Complex(1.0, 0.0), z)
        Complex(real(q), iszero(d) ? -copysign(imag(q), d) : imag(q))
    end
end
@inline products_in_range(x::Float64, y::Float64) =
    (iszero(x) | (1.0e-70 < abs(x) < 1.0e70)) & (iszero(y) | (1.0e-70 < abs(y) < 1.0e70))
@noinline function quotient_by_parts(z::ComplexF64, w::ComplexF64)
    a, b = map(frexp, reim(z))
    c, d = map(frexp, reim(w))
    den, rest, k = sum_of_products_by_parts(c, c, d, d)
    p, pl, j = sum_of_products_by_parts(a, c, b, d)
    q, ql, l = sum_of_products_by_parts(b, c, (-a[1], a[2]), d)
    Complex(ldexp(over_pair(p, pl, den, rest), j - k), ldexp(over_pair(q, ql, den, rest), l - k))
end
# A zero has no exponent: the other product decides.
function sum_of_products_by_parts(a, b, c, d)
    j = a[2] + b[2]
    k = c[2] + d[2]
    top = iszero(a[1] * b[1]) ? k : iszero(c[1] * d[1]) ? j : max(j, k)
    s, e = sum_of_products(ldexp(a[1], j - top), b[1], ldexp(c[1], k - top), d[1])
    (s, e, top)
end
# `a * b + c * d` and a correction to it.
@inline function sum_of_products(a::Float64, b::Float64, c::Float64, d::Float64)
    p = a * b
    q = c * d
    s, e = full_sum(p, q)
    (s, e + (fma(a, b, -p) + fma(c, d, -q)))
end
@inline function over_pair(n::Float64, nl::Float64, d::Float64, dl::Float64)
    q = n / d
    rest = (fma(-q, d, n) + (nl - q * dl)) / d
    # A rest of zero may be of the other sign than a zero quotient.
    (rest != 0.0) & isfinite(rest) ? q + rest : q
end
inverse_of_infinity(z) = ((c, d) = reim(z); Complex(copysign(zero(c), c), flipsign(-zero(d), d)))
inv(z::Complex{<:Integer}) = inv(float(z))
function inv(z::Complex)
    c, d = reim(z)
    isinf(c) | isinf(d) ? inverse_of_infinity(z) : Complex(c, -d) / (c * c + d * d)
end

round(z::Complex, r::RoundingMode = RoundNearest, s::RoundingMode = r; kws...) =
    Complex(round(real(z), r; kws...), round(imag(z), s; kws...))
round(::Type{Complex{T}}, z::Complex, r::RoundingMode = RoundNearest, s::RoundingMode = r) where {T} =
    Complex{T}(round(T, real(z), r), round(T, imag(z), s))
for (f, mode) in ((:trunc, :RoundToZero), (:floor, :RoundDown), (:ceil, :RoundUp))
    @eval begin
        $f(z::Complex; kws...) = round(z, $mode; kws...)
        $f(::Type{T}, z::Complex) where {T <: Complex} = round(T, z, $mode)
    end
end
rtoldefault(::Type{Complex{T}}) where {T <: AbstractFloat} = rtoldefault(T)
ndims(::Complex) = 0
transpose(z::Complex) = z
adjoint(z::Complex) = conj(z)

function show(io::IO, z::Complex)
    r, i = reim(z)
    compact = get(io, :compact, false)
    show(io, r)
    if signbit(i) && !isnan(i)
        print(io, compact ? "-" : " - ")
        isa(i, BitSigned) && i == typemin(i) ? show(io, -widen(i)) : show(io, -i)
    else
        print(io, compact ? "+" : " + ")
        show(io, i)
    end
    (isa(i, Integer) && !isa(i, Bool) || isa(i, AbstractFloat) && isfinite(i)) || print(io, "*")
    print(io, "im")
end
show(io::IO, z::Complex{Bool}) = print(io, z == im ? "im" : string("Complex(", z.re, ",", z.im, ")"))
//(x::Complex, y::Real) = complex(real(x) // y, imag(x) // y)
//(x::Number, y::Complex) = x * conj(y) // abs2(y)

# Complex rationals over their common denominator.
denominator(z::Complex{<:Integer}) = one(real(z))
denominator(z::Complex{<:Rational}) = lcm(denominator(real(z)), denominator(imag(z)))
numerator(z::Complex{<:Integer}) = z
function numerator(z::Complex{<:Rational})
    den = denominator(z)
    Complex(numerator_over(real(z), den), numerator_over(imag(z), den))
end
numerator_over(x, den) = checked_mul(numerator(x), div(den, denominator(x)))
rationalize(::Type{T}, z::Complex; kws...) where {T <: Integer} =
    Complex{Rational{T}}(rationalize(T, real(z); kws...), rationalize(T, imag(z); kws...))
rationalize(z::Complex; kws...) = Complex(rationalize(real(z); kws...), rationalize(imag(z); kws...))
