# Hash values: equal for values that are `isequal`, numbers of different types included.

hash(x) = hash(x, zero(UInt))
hash(x, h::UInt) = hash_mix(h, objectid(x))
@assume_effects :total objectid(x) = Host.object_id(x)

# A multiply-and-fold step over two words.
@inline function hash_mix(a::UInt, b::UInt)
    x = (a ⊻ 0x9e37_79b9_7f4a_7c15) + b * 0xff51_afd7_ed55_8ccd
    x = (x ⊻ (x >> 0x21)) * 0xc4ce_b9fe_1a85_ec53
    x ⊻ (x >> 0x1d)
end

# Words mixed to 32 bits: products by odd numbers and shifts, each of which can be undone, where the word has 32 bits.
function hash_32_32(n::UInt32)
    n = (n ⊻ (n >> 16)) * 0x21f0aaad
    n = (n ⊻ (n >> 15)) * 0x735a2d97
    n ⊻ (n >> 15)
end
hash_64_32(n::UInt64) = hash_32_32((hash_mix(0x9e37_79b9_7f4a_7c15, n) >> 32) % UInt32)
hash(x::Int64, h::UInt) = hash_mix(h, bitcast(UInt, x))
hash(x::Union{Int8, Int16, Int32, UInt8, UInt16, UInt32, Bool}, h::UInt) = hash(Int64(x), h)
hash(x::UInt64, h::UInt) = x <= 0x7fffffffffffffff ? hash_mix(h, x) : hash_mix(hash_mix(h, x), 0x0000000000000001)
function hash(x::Union{Int128, UInt128}, h::UInt)
    if typemin(Int64) <= x <= typemax(Int64)
        hash(x % Int64, h)
    elseif 0 <= x <= typemax(UInt64)
        hash(x % UInt64, h)
    elseif trailing_zeros(x) > 64 && Float64(x) == x
        hash(Float64(x), h)
    else
        hash_mix(hash_mix(h, x % UInt64), (x >> 64) % UInt64)
    end
end
function hash(x::Float64, h::UInt)
    -9.223372036854776e18 <= x < 9.223372036854776e18 && isinteger(x) && !(iszero(x) && signbit(x)) &&
        return hash(unsafe_trunc(Int64, x), h)
    9.223372036854776e18 <= x < 1.8446744073709552e19 && return hash(unsafe_trunc(UInt64, x), h)
    isnan(x) && return hash_mix(h, 0x7ff8000000000000)
    hash_mix(h ⊻ 0x3c6e_f372_fe94_f82a, bitcast(UInt64, x))
end
# The number `n * 2^e` for an `n` of any size: as the machine number that is equal to it, if there is one.
function hash_exact(n, e, h::UInt)
    if e < 0
        zeros = min(iszero(n) ? 0 : trailing_zeros(n), -e)
        n >>= zeros
        e += zeros
    end
    if e >= 0 && e <= 128
        m = n << e
        typemin(Int128) <= m <= typemax(UInt128) && return m < 0 ? hash(m % Int128, h) : hash(m % UInt128, h)
    end
    x = ldexp(Float64(n), e)
    isfinite(x) && !iszero(x) && float_is_exact(x, n, e) && return hash(x, h)
    zeros = trailing_zeros(n)
    n >>= zeros
    h = hash_mix(h, (e + zeros) % UInt)
    negative = n < 0
    n = abs(n)
    while !iszero(n)
        h = hash_mix(h, n % UInt)
        n >>= 64
    end
    negative ? ~h : h
end
# A machine integer that a float holds exactly needs no big number.
function hash_exact(n::BitInteger, e, h::UInt)
    x = ldexp(Float64(n), e)
    uabs(n) <= 0x0020000000000000 && ldexp(x, -e) == n ? hash(x, h) : hash_exact(BigInt(n), e, h)
end
float_is_exact(x, n, e) = BigFloat(x) == ldexp(BigFloat(n; precision = max(64, bit_length(n))), e)
hash(x::Union{Float16, Float32}, h::UInt) = hash(Float64(x), h)
hash(x::Char, h::UInt) = hash_mix(h ⊻ 0xd4d6_4234_25b1_9c61, UInt(bitcast(UInt32, x)))
hash(x::Symbol, h::UInt) = hash_mix(h, objectid(x))
hash(x::Type, h::UInt) = hash_mix(h, Host.type_hash(x))
hash(x::Pair, h::UInt) = hash(x.first, hash(x.second, h ⊻ 0x42ea_3d17_a15c_0b6d))
hash(x::QuoteNode, h::UInt) = hash(x.value, h ⊻ 0x2c97_bf8b_3de8_7020)
hash(x::Expr, h::UInt) = hash(x.args, hash(x.head, h ⊻ 0x83c7_900f_0e19_b0b1))
hash(x::Some, h::UInt) = hash(x.value, h ⊻ 0x5a17_3a2f_10c4_9d4b)
const tuplehash_seed = 0x77cf_a1ee_f01b_ca90
hash(::Tuple{}, h::UInt) = h + tuplehash_seed
hash(t::Tuple, h::UInt) = hash(getfield(t, 1), hash(tail(t), h))
hash(x::NamedTuple, h::UInt) = hash(Tuple(x), hash(keys(x), h))
function hash(a::AbstractArray, h::UInt)
    ax = axes(a)
    h = hash(map(last, ax), hash(map(first, ax), h ⊻ 0x7e2d_6fb6_448b_eb77))
    for x in a
        h = hash(x, h)
    end
    h
end
hash(r::AbstractRange, h::UInt) = invoke(hash, Tuple{AbstractArray, UInt}, r, h)
hash(s::AbstractString, h::UInt) = hash(String(s), h)
hash(s::String, h::UInt) = hash_mix(h ⊻ 0x2a4c_9b1d_7f03_e581, objectid(s))
hash(s::SubString, h::UInt) = hash(String(s), h)
hash(I::CartesianIndex, h::UInt) = foldl((g, i) -> hash(i, g), I.I; init = h + cartindexhash_seed)
