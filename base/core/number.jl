# What holds for every kind of number, and for numbers as collections of one.

convert(::Type{T}, x::T) where {T <: Number} = x
convert(::Type{T}, x::Number) where {T <: Number} = T(x)::T
(::Type{T})(x::T) where {T <: Number} = x

isinteger(x::Integer) = true
iszero(x) = x == zero(x)
isone(x) = x == one(x)
isfinite(x::Number) = iszero(x - x)
isfinite(x::Integer) = true
isinf(x::Real) = !isnan(x) & !isfinite(x)
isnan(x::Number) = false
isnan(x::Integer) = false
isinf(x::Integer) = false
iseven(n::Integer) = iszero(n & oneunit(n))
isodd(n::Integer) = !iseven(n)
iseven(n::Real) = isinteger(n) && iszero(rem(n, 2))
isodd(n::Real) = isinteger(n) && !iszero(rem(n, 2))
ispositive(x::Real) = x > zero(x)
isnegative(x::Real) = x < zero(x)

zero(x::Number) = oftype(x, 0)
zero(::Type{T}) where {T <: Number} = convert(T, 0)
one(x::Number) = one(typeof(x))
one(::Type{T}) where {T <: Number} = convert(T, 1)
oneunit(x::T) where {T} = T(one(x))
oneunit(::Type{T}) where {T} = T(one(T))
zero(::Missing) = missing
one(::Missing) = missing

sign(x::Number) = iszero(x) ? x / abs(oneunit(x)) : x / abs(x)
sign(x::Real) = ifelse(x < zero(x), oftype(one(x), -1), ifelse(x > zero(x), one(x), typeof(one(x))(x)))
sign(x::Unsigned) = ifelse(x > zero(x), one(x), oftype(one(x), 0))
abs(x::Real) = ifelse(signbit(x), -x, x)
abs2(x::Number) = abs(x)^2
abs2(x::Real) = x * x
signbit(x::Real) = x < 0
flipsign(x::Real, y::Real) = ifelse(signbit(y), -x, +x)
copysign(x::Real, y::Real) = ifelse(signbit(x) != signbit(y), -x, +x)
real(x::Real) = x
imag(x::Real) = zero(x)
conj(x::Real) = x
reim(z) = (real(z), imag(z))
real(::Type{T}) where {T <: Real} = T
isreal(x::Real) = true
inv(x::Number) = one(x) / x
inv(x::Integer) = float(one(x)) / float(x)
identity_times(x, y) = x * y
float(x) = AbstractFloat(x)
float(::Type{T}) where {T <: Number} = typeof(float(zero(T)))
float(::Type{T}) where {T <: AbstractFloat} = T
float(x::AbstractFloat) = x
numerator(x::Integer) = x
denominator(x::Integer) = one(x)

widen(::Type{Int8}) = Int16
widen(::Type{Int16}) = Int32
widen(::Type{Int32}) = Int64
widen(::Type{Int64}) = Int128
widen(::Type{UInt8}) = UInt16
widen(::Type{UInt16}) = UInt32
widen(::Type{UInt32}) = UInt64
widen(::Type{UInt64}) = UInt128
widen(::Type{Float16}) = Float32
widen(::Type{Float32}) = Float64
widen(x::T) where {T} = convert(widen(T), x)
widen(x::Type{T}) where {T} = throw(MethodError(widen, (T,)))
widemul(x::Number, y::Number) = widen(x) * widen(y)
widemul(x::Bool, y::Number) = x * y
widemul(x::Number, y::Bool) = x * y
widemul(x::Bool, y::Bool) = x * y
# The product of a signed and an unsigned number is signed, and fits.
widemul(x::Signed, y::Unsigned) = widen(x) * signed(widen(y))
widemul(x::Unsigned, y::Signed) = signed(widen(x)) * widen(y)

# A number is a collection of itself.
function get(x::Number, i::Integer, default)
    isone(i) ? x : default
end
get(x::Number, I::Tuple, default) = all(isone, I) ? x : default
get(f::Callable, x::Number, i::Integer) = isone(i) ? x : f()
get(f::Callable, x::Number, I::Tuple) = all(isone, I) ? x : f()
size(x::Number) = ()
size(x::Number, d::Integer) = d < 1 ? throw(BoundsError()) : 1
axes(x::Number) = ()
axes(x::Number, d::Integer) = d < 1 ? throw(BoundsError()) : OneTo(1)
eltype(::Type{T}) where {T <: Number} = T
ndims(x::Number) = 0
ndims(::Type{<:Number}) = 0
length(x::Number) = 1
firstindex(x::Number) = 1
lastindex(x::Number) = 1
keys(x::Number) = OneTo(1)
iterate(x::Number) = (x, nothing)
iterate(x::Number, ::Any) = nothing
isempty(x::Number) = false
in(x::Number, y::Number) = x == y
getindex(x::Number) = x
@propagate_inbounds function getindex(x::Number, i::Integer)
    @boundscheck i == 1 || throw_boundserror(x, i)
    x
end
@propagate_inbounds function getindex(x::Number, I::Integer...)
    @boundscheck all(isone, I) || throw_boundserror(x, I)
    x
end
first(x::Number) = x
last(x::Number) = x
copy(x::Number) = x
deepcopy(x::Number) = x
map(f, x::Number, ys::Number...) = f(x, ys...)
vec(x::Number) = fill(x, 1)
transpose(x::Number) = x
adjoint(x::Number) = conj(x)
