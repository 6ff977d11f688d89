# Rounding to whole numbers, to digits and to integer types.

round(x::IEEEFloat, ::RoundingMode{:ToZero}) = trunc_llvm(x)
round(x::IEEEFloat, ::RoundingMode{:Down}) = floor_llvm(x)
round(x::IEEEFloat, ::RoundingMode{:Up}) = ceil_llvm(x)
round(x::IEEEFloat, ::RoundingMode{:Nearest}) = rint_llvm(x)
function round(x::AbstractFloat, ::RoundingMode{:NearestTiesAway})
    y = trunc(x)
    ifelse(x == y, y, trunc(2 * x - y))
end
function round(x::AbstractFloat, ::RoundingMode{:NearestTiesUp})
    y = floor(x)
    copysign(ifelse(x - y >= 0.5, y + 1, y), x)
end
round(x::AbstractFloat, ::RoundingMode{:FromZero}) = signbit(x) ? floor(x) : ceil(x)

trunc(x::IEEEFloat) = trunc_llvm(x)
floor(x::IEEEFloat) = floor_llvm(x)
ceil(x::IEEEFloat) = ceil_llvm(x)
round(x::IEEEFloat) = rint_llvm(x)
trunc(x::Integer) = x
floor(x::Integer) = x
ceil(x::Integer) = x
round(x::Integer) = x
round(x::Integer, r::RoundingMode) = x

trunc(::Type{T}, x) where {T} = round(T, x, RoundToZero)
floor(::Type{T}, x) where {T} = round(T, x, RoundDown)
ceil(::Type{T}, x) where {T} = round(T, x, RoundUp)
round(::Type{T}, x) where {T} = round(T, x, RoundNearest)
round(::Type{T}, x, r::RoundingMode) where {T} = convert(T, round(x, r))
round(::Type{T}, x::T, r::RoundingMode) where {T <: Integer} = x
round(::Type{T}, x::Integer, r::RoundingMode) where {T <: Integer} = T(x)
round(::Type{T}, x::T, r::RoundingMode) where {T <: AbstractFloat} = round(x, r)
# To a float type: the whole number is rounded once more, the same way, where that type has not enough digits.
const DirectedRounding = Union{RoundingMode{:ToZero}, RoundingMode{:FromZero}, RoundingMode{:Up}, RoundingMode{:Down}}
round(::Type{T}, x::T, r::DirectedRounding) where {T <: AbstractFloat} = round(x, r)
round(::Type{T}, x, r::DirectedRounding) where {T <: AbstractFloat} = float_beside(T, round(x, r), x, r)
function float_beside(::Type{T}, whole, x, r) where {T}
    y = convert(T, whole)
    if rounds_up(x, r)
        y < x ? nextfloat(y) : y
    else
        y > x ? prevfloat(y) : y
    end
end
rounds_up(x, ::RoundingMode{:Down}) = false
rounds_up(x, ::RoundingMode{:Up}) = true
rounds_up(x, ::RoundingMode{:ToZero}) = signbit(x)
rounds_up(x, ::RoundingMode{:FromZero}) = !signbit(x)
# Conversion to a float type with a rounding mode.
(::Type{T})(x::Real, r::RoundingMode) where {T <: AbstractFloat} = convert_rounded(T, x, r)::T
convert_rounded(::Type{T}, x, ::RoundingMode{:Nearest}) where {T} = convert(T, x)
convert_rounded(::Type{T}, x, r::DirectedRounding) where {T} = float_beside(T, x, x, r)
round(::Type{Integer}, x::AbstractFloat, r::RoundingMode) = round(Int, x, r)
round(::Type{Signed}, x::AbstractFloat, r::RoundingMode) = round(Int, x, r)
round(::Type{Unsigned}, x::AbstractFloat, r::RoundingMode) = round(UInt, x, r)
round(::Type{Bool}, x::AbstractFloat, r::RoundingMode) = Bool(round(x, r))
@inline function round(::Type{T}, x::F, r::RoundingMode) where {T <: BitInteger, F <: IEEEFloat}
    y = rounded_for_int(x, r)
    (float_min(T, typeof(y)) <= y) & below_max(T, y) || throw_rounding_error(T, x, r)
    unsafe_trunc(T, y)
end
@inline rounded_for_int(x, r) = round(x, r)
# Every integer type reaches further than `Float16`, and none as far as `Inf`: the bounds are `Float32`.
@inline rounded_for_int(x::Float16, r) = Float32(round(x, r))
@noinline throw_rounding_error(::Type{T}, x, r) where {T} = throw_inexacterror(rounding_name(r), T, x)
rounding_name(::RoundingMode{:ToZero}) = :trunc
rounding_name(::RoundingMode{:Down}) = :floor
rounding_name(::RoundingMode{:Up}) = :ceil
rounding_name(::RoundingMode) = :round

# With keywords.
function round(x::Real, r::RoundingMode = RoundNearest;
        digits::Union{Nothing, Integer} = nothing, sigdigits::Union{Nothing, Integer} = nothing, base = nothing)
    round_to(x, r, digits, sigdigits, base)
end
trunc(x; kws...) = round(x, RoundToZero; kws...)
floor(x; kws...) = round(x, RoundDown; kws...)
ceil(x; kws...) = round(x, RoundUp; kws...)
round(x; kws...) = round(x, RoundNearest; kws...)
trunc(x::Real; digits = nothing, sigdigits = nothing, base = nothing) = round_one_way(x, RoundToZero, digits, sigdigits, base)
floor(x::Real; digits = nothing, sigdigits = nothing, base = nothing) = round_one_way(x, RoundDown, digits, sigdigits, base)
ceil(x::Real; digits = nothing, sigdigits = nothing, base = nothing) = round_one_way(x, RoundUp, digits, sigdigits, base)
# To whole numbers by the method of `round` that a type has.
round_one_way(x, r, ::Nothing, ::Nothing, ::Nothing) = round(x, r)
round_one_way(x, r, digits, sigdigits, base) = round_to(x, r, digits, sigdigits, base)
round_to(x, r, ::Nothing, ::Nothing, base) = invoke_round(x, r)
round_to(x, r, ::Nothing, ::Nothing, base::Integer) = round(x, r)
round_to(x, r, digits, ::Nothing, base) = isfinite(x) ? round_digits(float(x), r, digits, base_or_ten(base)) : float(x)
round_to(x, r, ::Nothing, sigdigits, base) = isfinite(x) ? round_sigdigits(float(x), r, sigdigits, base_or_ten(base)) : float(x)
round_to(x::Integer, r, ::Nothing, ::Nothing, base) = invoke_round(x, r)
round_to(x::Integer, r, ::Nothing, ::Nothing, base::Integer) = round(x, r)
round_to(x::Integer, r, digits, ::Nothing, base) = round_integer_digits(x, r, digits, base_or_ten(base))
round_to(x::Integer, r, ::Nothing, sigdigits, base) =
    round_integer_digits(x, r, sigdigits - (iszero(x) ? 0 : ndigits(x; base = base_or_ten(base))), base_or_ten(base))
round_to(x, r, digits, sigdigits, base) =
    throw(ArgumentError("`round` cannot use both `digits` and `sigdigits` arguments."))
base_or_ten(base) = base === nothing ? 10 : base
invoke_round(x::Union{Integer, IEEEFloat}, r) = round(x, r)
invoke_round(x, r) = throw(MethodError(round, (x, r)))
round_digits(x, r, digits, base) =
    digits >= 0 ? round_fraction(x, r, digits, oftype(x, base)) : round_multiple(x, r, -digits, oftype(x, base))
# A scale that is out of range goes in two halves.
function round_fraction(x, r, digits, base)
    scale = base^digits
    y = if isfinite(scale)
        round(x * scale, r) / scale
    else
        half = base^(oftype(x, digits) / 2)
        round((x * half) * half, r) / half / half
    end
    isfinite(y) ? y : x
end
function round_multiple(x, r, digits, base)
    scale = base^digits
    y = round(x / scale, r) * scale
    isfinite(y) && return y
    # The multiple is greater than every number: zero, or the infinity on the side that is rounded to.
    away = x > 0 ? r isa RoundingMode{:Up} : x < 0 && r isa RoundingMode{:Down}
    copysign(away ? oftype(x, Inf) : zero(x), x)
end
function round_integer_digits(x, r, digits, base)
    digits >= 0 && return x
    scale = oftype(x, base)^(-digits)
    div(x, scale, r) * scale
end
round_sigdigits(x, r, sigdigits, base) = round_digits(x, r, sigdigits - (iszero(x) ? 0 : magnitude(abs(x), base)), base)
# How many digits stand before the point.
magnitude(x, base) =
    1 + (base == 10 ? floor(Int, log10(x)) : base == 2 ? exponent(x) : floor(Int, log(oftype(x, base), x)))

# Whether subnormal numbers may be taken for zero: never, and no processor is told to.
set_zero_subnormals(yes::Bool) = !yes
get_zero_subnormals() = false

# Unsigned numbers are subtracted the smaller from the greater.
function isapprox(x::Integer, y::Integer; atol::Real = 0, rtol::Real = rtoldefault(x, y, atol), nans::Bool = false,
        norm::Function = abs)
    norm === abs && atol < 1 && rtol == 0 && return x == y
    a, b = x < y ? (x, y) : (y, x)
    norm(b - a) <= max(atol, rtol * max(norm(a), norm(b)))
end
isapprox(x::Number, y::Number; atol::Real = 0, rtol::Real = rtoldefault(x, y, atol), nans::Bool = false,
    norm::Function = abs) = isapprox_number(x, y, atol, rtol, nans, norm)
function isapprox_number(x, y, atol, rtol, nans, norm)
    x == y && return true
    if isfinite(x) && isfinite(y)
        # Norms of one type, so that `abs(typemin(Int))` is a float beside a float.
        a, b = promote(x, y)
        norm(x - y) <= max(atol, rtol * max(norm(a), norm(b)))
    else
        nans && isnan(x) && isnan(y)
    end
end
isapprox(x; kwargs...) = y -> isapprox(y, x; kwargs...)
const (≈) = isapprox
≉(args...; kws...) = !isapprox(args...; kws...)
rtoldefault(::Type{T}) where {T <: AbstractFloat} = sqrt(eps(T))
rtoldefault(::Type{<:Real}) = 0
function rtoldefault(x::Union{T, Type{T}}, y::Union{S, Type{S}}, atol::Real) where {T <: Number, S <: Number}
    rtol = max(rtoldefault(real(T)), rtoldefault(real(S)))
    atol > 0 ? zero(rtol) : rtol
end
