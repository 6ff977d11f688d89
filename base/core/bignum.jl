# Integers and floats of any size are not there: what would make one says so, rather than giving what wraps around.

struct BigInt <: Signed
    BigInt(x = 0; kws...) = throw_no_bignum(:BigInt)
end
struct BigFloat <: AbstractFloat
    BigFloat(x = 0, args...; kws...) = throw_no_bignum(:BigFloat)
end
@noinline throw_no_bignum(what) = throw(UnsupportedError(what, "kiln has no arithmetic of arbitrary precision; Int128 and Float64 are its widest"))
big(x::Integer) = throw_no_bignum(:BigInt)
big(x::AbstractFloat) = throw_no_bignum(:BigFloat)
big(x::Number) = throw_no_bignum(:BigFloat)
big(::Type{<:Integer}) = BigInt
big(::Type{<:AbstractFloat}) = BigFloat
using Core: @big_str
