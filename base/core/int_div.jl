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
mod(x::BitUnsigned, y::BitSigned) = (r = signed(rem(x, y)); ifelse(!iszero(r) & (y < 0), r + y, r))

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
# One method for all modes, so that those of packages for their own numbers are more specific.
div(x, y, r::RoundingMode) = r === RoundToZero ? div(x, y) : throw(MethodError(div, (x, y, r)))
rem(x, y, ::RoundingMode{:ToZero}) = rem(x, y)
rem(x, y, ::RoundingMode{:Down}) = mod(x, y)
rem(x, y, ::RoundingMode{:Up}) = rem_up(x, y)
rem_up(x, y) = (r = mod(x, y); iszero(r) ? r : r - y)
rem(x::Integer, y::Integer, r::RoundingMode{:Nearest}) = x - y * div(x, y, r)

div(x::Integer, y::Integer, r::RoundingMode) = div_promoted(promote(x, y)..., r)
# One signed and one unsigned: the quotient of the magnitudes, a step further where the mode says so.
div(x::BitSigned, y::BitUnsigned, ::RoundingMode{:Down}) = (q = div(x, y); q - (signbit(x) & !iszero(rem(x, y))))
div(x::BitUnsigned, y::BitSigned, ::RoundingMode{:Down}) = (q = div(x, y); q - (signbit(y) & !iszero(rem(x, y))))
div(x::BitSigned, y::BitUnsigned, ::RoundingMode{:Up}) = (q = div(x, y); q + (!signbit(x) & !iszero(rem(x, y))))
div(x::BitUnsigned, y::BitSigned, ::RoundingMode{:Up}) = (q = div(x, y); q + (!signbit(y) & !iszero(rem(x, y))))
div(x::BitSigned, y::BitUnsigned, r::RoundingMode{:FromZero}) = signbit(x) ? div(x, y, RoundDown) : div(x, y, RoundUp)
div(x::BitUnsigned, y::BitSigned, r::RoundingMode{:FromZero}) = signbit(y) ? div(x, y, RoundDown) : div(x, y, RoundUp)
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
div(x::Bool, y::Bool, ::RoundingMode) = div(x, y)
div(x::Bool, y::Bool, ::RoundingMode{:ToZero}) = div(x, y)
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
fld1(x::T, y::T) where {T <: Real} = (m = mod1(x, y); fld((x - m) + y, y))
# Of integers without a sum, which might not fit.
function fld1(x::T, y::T) where {T <: Integer}
    q = div(x, y)
    q + (!signbit(x ⊻ y) & (q * y != x))
end
fldmod1(x, y) = (fld1(x, y), mod1(x, y))
