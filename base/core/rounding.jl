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
    ifelse(x == y, y, copysign(floor(2 * x - y), x))
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

trunc(::Type{T}, x::Real) where {T} = round(T, x, RoundToZero)
floor(::Type{T}, x::Real) where {T} = round(T, x, RoundDown)
ceil(::Type{T}, x::Real) where {T} = round(T, x, RoundUp)
round(::Type{T}, x::Real) where {T} = round(T, x, RoundNearest)
round(::Type{T}, x::Real, r::RoundingMode) where {T} = convert(T, round(x, r))
round(::Type{T}, x::T, r::RoundingMode) where {T <: Integer} = x
round(::Type{T}, x::Integer, r::RoundingMode) where {T <: Integer} = T(x)
round(::Type{T}, x::T, r::RoundingMode) where {T <: AbstractFloat} = round(x, r)
round(::Type{Integer}, x::AbstractFloat, r::RoundingMode) = round(Int, x, r)
round(::Type{Signed}, x::AbstractFloat, r::RoundingMode) = round(Int, x, r)
round(::Type{Unsigned}, x::AbstractFloat, r::RoundingMode) = round(UInt, x, r)
round(::Type{Bool}, x::AbstractFloat, r::RoundingMode) = Bool(round(x, r))
@inline function round(::Type{T}, x::F, r::RoundingMode) where {T <: BitInteger, F <: IEEEFloat}
    y = round(x, r)
    (float_min(T, F) <= y) & below_max(T, y) || throw_inexacterror(rounding_name(r), T, x)
    unsafe_trunc(T, y)
end
rounding_name(::RoundingMode{:ToZero}) = :trunc
rounding_name(::RoundingMode{:Down}) = :floor
rounding_name(::RoundingMode{:Up}) = :ceil
rounding_name(::RoundingMode) = :round

# With keywords.
function round(x::Real, r::RoundingMode = RoundNearest;
        digits::Union{Nothing, Integer} = nothing, sigdigits::Union{Nothing, Integer} = nothing, base = nothing)
    round_to(x, r, digits, sigdigits, base)
end
trunc(x::Real; digits = nothing, sigdigits = nothing, base = nothing) = round_to(x, RoundToZero, digits, sigdigits, base)
floor(x::Real; digits = nothing, sigdigits = nothing, base = nothing) = round_to(x, RoundDown, digits, sigdigits, base)
ceil(x::Real; digits = nothing, sigdigits = nothing, base = nothing) = round_to(x, RoundUp, digits, sigdigits, base)
round_to(x, r, ::Nothing, ::Nothing, base) = round_whole(x, r)
round_to(x, r, digits, ::Nothing, base) = round_digits(float(x), r, digits, base === nothing ? 10 : base)
round_to(x, r, ::Nothing, sigdigits, base) = round_sigdigits(float(x), r, sigdigits, base === nothing ? 10 : base)
round_to(x::Integer, r, digits, ::Nothing, base) = round_integer_digits(x, r, digits, base === nothing ? 10 : base)
round_to(x, r, digits, sigdigits, base) =
    throw(ArgumentError("`round` cannot use both `digits` and `sigdigits` arguments."))
round_whole(x, r) = invoke_round(x, r)
invoke_round(x::Union{Integer, IEEEFloat}, r) = round(x, r)
invoke_round(x, r) = throw(MethodError(round, (x, r)))
function round_digits(x, r, digits, base)
    isfinite(x) || return x
    if digits >= 0
        scale = oftype(x, base)^digits
        y = round(x * scale, r) / scale
    else
        scale = oftype(x, base)^(-digits)
        y = round(x / scale, r) * scale
    end
    isfinite(y) ? y : x
end
function round_integer_digits(x, r, digits, base)
    digits >= 0 && return x
    scale = oftype(x, base)^(-digits)
    div(x, scale, r) * scale
end
function round_sigdigits(x, r, sigdigits, base)
    (iszero(x) || !isfinite(x)) && return x
    round_digits(x, r, sigdigits - magnitude(abs(x), base), base)
end
# How many digits stand before the point.
function magnitude(x, base)
    n = 0
    p = one(x)
    while p <= x
        p *= base
        n += 1
    end
    while p / base > x
        p /= base
        n -= 1
    end
    n
end

isapprox(x::Integer, y::Integer; atol::Real = 0, rtol::Real = rtoldefault(x, y, atol), nans::Bool = false,
    norm::Function = abs) =
    iszero(atol) && iszero(rtol) ? x == y : isapprox_number(x, y, atol, rtol, nans, norm)
isapprox(x::Number, y::Number; atol::Real = 0, rtol::Real = rtoldefault(x, y, atol), nans::Bool = false,
    norm::Function = abs) = isapprox_number(x, y, atol, rtol, nans, norm)
function isapprox_number(x, y, atol, rtol, nans, norm)
    x == y && return true
    if isfinite(x) && isfinite(y)
        norm(x - y) <= max(atol, rtol * max(norm(x), norm(y)))
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
