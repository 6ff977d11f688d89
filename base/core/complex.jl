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
real(x::Real) = x
imag(x::Real) = zero(x)
reim(z) = (real(z), imag(z))
real(::Type{T}) where {T <: Real} = T
real(::Type{Complex{T}}) where {T <: Real} = T
complex(z::Complex) = z
complex(x::Real) = Complex(x)
complex(x::Real, y::Real) = Complex(x, y)
complex(::Type{T}) where {T <: Real} = Complex{T}
complex(::Type{Complex{T}}) where {T <: Real} = Complex{T}
isreal(x::Real) = true
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
flipsign(z::Complex, y::Real) = ifelse(signbit(y), -z, z)

==(z::Complex, w::Complex) = (real(z) == real(w)) & (imag(z) == imag(w))
==(z::Complex, x::Real) = isreal(z) && real(z) == x
==(x::Real, z::Complex) = isreal(z) && real(z) == x
isequal(z::Complex, w::Complex) = isequal(real(z), real(w)) & isequal(imag(z), imag(w))
in(z::Complex, w::Complex) = z == w
hash(z::Complex, h::UInt) = isreal(z) ? hash(real(z), h) : hash(imag(z), hash(real(z), h) ⊻ 0x3c1d_5a77_90b2_e64f)

conj(x::Real) = x
conj(z::Complex) = Complex(real(z), -imag(z))
abs(z::Complex) = hypot(real(z), imag(z))
abs2(z::Complex) = real(z) * real(z) + imag(z) * imag(z)
angle(z::Complex) = atan(imag(z), real(z))
angle(x::Real) = ifelse(signbit(x), oftype(float(x), pi), zero(float(x)))
sign(z::Complex) = iszero(z) ? float(z) : z / abs(z)

+(z::Complex) = z
-(z::Complex) = Complex(-real(z), -imag(z))
+(z::Complex, w::Complex) = Complex(real(z) + real(w), imag(z) + imag(w))
-(z::Complex, w::Complex) = Complex(real(z) - real(w), imag(z) - imag(w))
*(z::Complex, w::Complex) = Complex(real(z) * real(w) - imag(z) * imag(w), real(z) * imag(w) + imag(z) * real(w))
+(x::Real, z::Complex) = Complex(x + real(z), imag(z))
+(z::Complex, x::Real) = Complex(x + real(z), imag(z))
-(x::Real, z::Complex) = Complex(x - real(z), -imag(z))
-(z::Complex, x::Real) = Complex(real(z) - x, imag(z))
*(x::Real, z::Complex) = Complex(x * real(z), x * imag(z))
*(z::Complex, x::Real) = Complex(x * real(z), x * imag(z))
# The unit times a real number keeps signed zeros.
+(x::Bool, z::Complex{Bool}) = Complex(x + real(z), imag(z))
+(z::Complex{Bool}, x::Bool) = Complex(real(z) + x, imag(z))
-(x::Bool, z::Complex{Bool}) = Complex(x - real(z), -imag(z))
-(z::Complex{Bool}, x::Bool) = Complex(real(z) - x, imag(z))
*(x::Bool, z::Complex{Bool}) = Complex(x * real(z), x * imag(z))
*(z::Complex{Bool}, x::Bool) = Complex(x * real(z), x * imag(z))
+(x::Real, z::Complex{Bool}) = Complex(x + real(z), oftype(x, imag(z)))
+(z::Complex{Bool}, x::Real) = x + z
-(z::Complex{Bool}, x::Real) = Complex(real(z) - x, oftype(x, imag(z)))
+(x::Bool, z::Complex) = Complex(x + real(z), imag(z))
+(z::Complex, x::Bool) = Complex(real(z) + x, imag(z))
*(x::Bool, z::Complex) = ifelse(x, z, zero(z))
*(z::Complex, x::Bool) = ifelse(x, z, zero(z))
muladd(z::Complex, w::Complex, x::Complex) = Complex(
    muladd(real(z), real(w), real(x)) - imag(z) * imag(w), muladd(real(z), imag(w), muladd(imag(z), real(w), imag(x))))
muladd(x::Real, y::Real, z::Complex) = Complex(muladd(x, y, real(z)), imag(z))
muladd(x::Real, z::Complex, y::Number) = x * z + y
muladd(z::Complex, x::Real, y::Number) = z * x + y
/(z::Complex, x::Real) = Complex(real(z) / x, imag(z) / x)
/(x::Real, z::Complex) = x * inv(z)
/(z::Complex, w::Complex) = /(promote(z, w)...)
# Quotients are scaled by the greater part of the divisor, so that no square leaves the range.
/(z::Complex{T}, w::Complex{T}) where {T <: Real} = scaled_quotient(z, w)
function scaled_quotient(z, w)
    a, b = reim(z)
    c, d = reim(w)
    if isinf(c) | isinf(d)
        return isfinite(z) ? Complex(zero(a / c), zero(a / c)) : Complex(oftype(a / c, NaN), oftype(a / c, NaN))
    end
    if abs(d) <= abs(c)
        r = d / c
        den = muladd(d, r, c)
        Complex(muladd(b, r, a) / den, muladd(-a, r, b) / den)
    else
        r = c / d
        den = muladd(c, r, d)
        Complex(muladd(a, r, b) / den, muladd(b, r, -a) / den)
    end
end
# In twice the digits the plain formula does.
function /(z::ComplexF32, w::ComplexF32)
    q = Complex{Float64}(z) / Complex{Float64}(w)
    Complex(Float32(real(q)), Float32(imag(q)))
end
function inv(z::Complex{<:Union{Float16, Float32, Float64}})
    c, d = reim(z)
    (isinf(c) | isinf(d)) && return Complex(copysign(zero(c), c), flipsign(-zero(d), d))
    if abs(d) <= abs(c)
        r = d / c
        den = muladd(d, r, c)
        Complex(inv(den), -r / den)
    else
        r = c / d
        den = muladd(c, r, d)
        Complex(r / den, -inv(den))
    end
end
inv(z::Complex{<:Integer}) = inv(float(z))
inv(z::Complex) = (d = abs2(z); Complex(real(z) / d, -imag(z) / d))

function sqrt(z::Complex{T}) where {T <: AbstractFloat}
    x, y = reim(z)
    if iszero(x) & iszero(y)
        return Complex(zero(x), y)
    elseif isinf(y)
        return Complex(T(Inf), y)
    elseif isinf(x)
        return x > 0 ? Complex(x, isnan(y) ? y : copysign(zero(y), y)) : Complex(isnan(y) ? y : zero(y), copysign(-x, y))
    end
    big = max(abs(x), abs(y))
    k = big > floatmax(T) / 8 ? -1 : big < 8 * floatmin(T) / eps(T) ? 1 : 0
    up = k == 0 ? one(T) : k < 0 ? T(0.0625) : inv(eps(T)^2)
    down = k == 0 ? one(T) : k < 0 ? T(4) : eps(T)
    x *= up
    y *= up
    r = sqrt((abs(x) + hypot(x, y)) / 2)
    s = y / (2 * r)
    w = x >= 0 ? Complex(r, s) : Complex(abs(s), copysign(r, y))
    Complex(real(w) * down, imag(w) * down)
end
sqrt(z::Complex) = sqrt(float(z))
cis(theta::Real) = ((s, c) = sincos(theta); Complex(c, s))
cis(z::Complex) = (v = exp(-imag(z)); (s, c) = sincos(real(z)); Complex(v * c, v * s))
cispi(theta::Real) = Complex(cospi(theta), sinpi(theta))
function exp(z::Complex{<:AbstractFloat})
    x, y = reim(z)
    iszero(y) && return Complex(exp(x), y)
    if !isfinite(y)
        isinf(x) && x < 0 && return Complex(zero(x), copysign(zero(x), y))
        return Complex(isinf(x) ? x : oftype(x, NaN), oftype(x, NaN))
    end
    e = exp(x)
    iszero(x) && (e = one(x))
    s, c = sincos(y)
    Complex(e * c, e * s)
end
exp(z::Complex) = exp(float(z))
exp2(z::Complex) = exp(z * log(oftype(float(real(z)), 2)))
exp10(z::Complex) = exp(z * log(oftype(float(real(z)), 10)))
# Near the unit circle the logarithm of the absolute value comes from the distance to it.
function log(z::Complex{T}) where {T <: AbstractFloat}
    a = abs(z)
    x, y = minmax(abs(real(z)), abs(imag(z)))
    re = T(0.5) < a < T(1.5) ? log1p((y - 1) * (y + 1) + x * x) / 2 : log(a)
    Complex(re, angle(z))
end
log(z::Complex) = log(float(z))
log2(z::Complex) = (w = log(z); w / log(oftype(real(w), 2)))
log10(z::Complex) = (w = log(z); w / log(oftype(real(w), 10)))
log1p(z::Complex) = log(1 + z)

^(z::Complex, w::Complex) = complex_power(float(z), float(w))
^(z::Complex, y::Real) = complex_power(float(z), float(y))
^(x::Real, w::Complex) = complex_power(float(complex(x)), float(w))
^(z::Complex{<:AbstractFloat}, n::Integer) =
    n >= 0 ? power_by_squaring(z, n) : power_by_squaring(inv(z), -n)
^(z::Complex{<:Integer}, n::Integer) = n >= 0 ? power_by_squaring(z, n) : power_by_squaring(inv(float(z)), -n)
^(z::Complex, n::Integer) = n >= 0 ? power_by_squaring(z, n) : power_by_squaring(inv(z), -n)
^(z::Complex, n::Bool) = n ? z : one(z)
function complex_power(z, w)
    iszero(w) && return one(z * w)
    if iszero(z)
        return real(w) > 0 ? zero(z * w) : Complex(oftype(real(z), NaN), oftype(real(z), NaN))
    end
    isreal(z) && real(z) > 0 && isreal(w) && return Complex(real(z)^real(w), zero(real(z * w)))
    exp(w * log(z))
end

function sin(z::Complex)
    s, c = sincos(float(real(z)))
    y = float(imag(z))
    Complex(s * cosh(y), c * sinh(y))
end
function cos(z::Complex)
    s, c = sincos(float(real(z)))
    y = float(imag(z))
    Complex(c * cosh(y), -s * sinh(y))
end
sincos(z::Complex) = (sin(z), cos(z))
sinpi(z::Complex) = sin(z * oftype(float(real(z)), pi))
cospi(z::Complex) = cos(z * oftype(float(real(z)), pi))
times_i(z::Complex) = Complex(-imag(z), real(z))
times_minus_i(z::Complex) = Complex(imag(z), -real(z))
sinh(z::Complex) = times_minus_i(sin(times_i(z)))
cosh(z::Complex) = cos(times_i(z))
function tanh(z::Complex)
    x, y = reim(float(z))
    abs(x) > 20 && return Complex(copysign(one(x), x), 4 * sin(y) * cos(y) * exp(-2 * abs(x)))
    t = tan(y)
    b = 1 + t * t
    s = sinh(x)
    r = cosh(x)
    d = 1 + b * s * s
    Complex(b * r * s / d, t / d)
end
tan(z::Complex) = times_minus_i(tanh(times_i(z)))
asinh(z::Complex) = log(z + sqrt(z * z + 1))
acosh(z::Complex) = log(z + sqrt(z + 1) * sqrt(z - 1))
atanh(z::Complex) = (log(1 + float(z)) - log(1 - float(z))) / 2
asin(z::Complex) = times_minus_i(asinh(times_i(float(z))))
atan(z::Complex) = times_minus_i(atanh(times_i(float(z))))
acos(z::Complex) = oftype(float(real(z)), pi) / 2 - asin(z)

round(z::Complex, r::RoundingMode = RoundNearest, s::RoundingMode = r; kws...) =
    Complex(round(real(z), r; kws...), round(imag(z), s; kws...))
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
        isa(i, Signed) && i == typemin(i) ? show(io, -widen(i)) : show(io, -i)
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
