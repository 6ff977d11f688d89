# Functions of whole numbers that Base has under other names, or not.

const Whole = Union{Int8,UInt8,Int16,UInt16,Int32,UInt32,Int64,UInt64}

@inline abs_diff(x::T, y::T) where {T<:Whole} = x > y ? x - y : y - x
@inline add_sat(x::T, y::T) where {T<:Unsigned} = x + y < x ? typemax(T) : x + y
@inline sub_sat(x::T, y::T) where {T<:Unsigned} = x < y ? zero(T) : x - y
# Of signed numbers the sum has another sign than both where it is out of range.
@inline function add_sat(x::T, y::T) where {T<:Signed}
    s = x + y
    return (x < 0) == (y < 0) && (s < 0) != (x < 0) ? (x < 0 ? typemin(T) : typemax(T)) : s
end
@inline function sub_sat(x::T, y::T) where {T<:Signed}
    d = x - y
    return (x < 0) != (y < 0) && (d < 0) != (x < 0) ? (x < 0 ? typemin(T) : typemax(T)) : d
end
# Half of the sum, rounded down or up, as if the sum were wider.
@inline hadd(x::T, y::T) where {T<:Whole} = (x >> 1) + (y >> 1) + (x & y & one(T))
@inline rhadd(x::T, y::T) where {T<:Whole} = (x >> 1) + (y >> 1) + ((x | y) & one(T))

@inline clz(x::T) where {T<:Whole} = leading_zeros(x) % T
@inline ctz(x::T) where {T<:Whole} = trailing_zeros(x) % T
@inline popcount(x::T) where {T<:Whole} = count_ones(x) % T
@inline rotate(x::T, n::T) where {T<:Whole} = (u = unsigned(x); bitrotate(u, (n % Int) & (8sizeof(T) - 1)) % T)

# The upper half of a product: of 64 bits from halves of 32, since devices may lack 128.
@inline mul_hi(x::T, y::T) where {T<:Union{Int8,UInt8,Int16,UInt16,Int32,UInt32}} = (widemul(x, y) >> (8sizeof(T))) % T
@inline function mul_hi(x::UInt64, y::UInt64)
    a, b, c, d = x >> 32, x & 0xffffffff, y >> 32, y & 0xffffffff
    middle = a * d + ((b * d) >> 32)
    return a * c + (middle >> 32) + (((middle & 0xffffffff) + b * c) >> 32)
end
@inline function mul_hi(x::Int64, y::Int64)
    high = mul_hi(x % UInt64, y % UInt64)
    return (high - (x < 0 ? y % UInt64 : UInt64(0)) - (y < 0 ? x % UInt64 : UInt64(0))) % Int64
end
@inline mad_hi(a::T, b::T, c::T) where {T<:Whole} = mul_hi(a, b) + c
@inline function mad_sat(a::T, b::T, c::T) where {T<:Union{Int8,UInt8,Int16,UInt16,Int32,UInt32}}
    return clamp(widemul(a, b) + c, typemin(T), typemax(T)) % T
end
@inline mul24(x::T, y::T) where {T<:Union{Int32,UInt32}} = x * y
@inline mad24(x::T, y::T, z::T) where {T<:Union{Int32,UInt32}} = x * y + z
# Two halves of a number.
for (Hi, Lo, W) in ((:Int8, :UInt8, :Int16), (:UInt8, :UInt8, :UInt16), (:Int16, :UInt16, :Int32), (:UInt16, :UInt16, :UInt32),
        (:Int32, :UInt32, :Int64), (:UInt32, :UInt32, :UInt64))
    @eval @inline upsample(hi::$Hi, lo::$Lo) = (hi % $W) << (8sizeof($Lo)) | (lo % $W)
end
