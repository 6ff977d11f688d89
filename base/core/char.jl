# Characters: a `Char` holds the bytes of its UTF-8 encoding, first byte on top. What Unicode says of them is in unicode.jl.

struct InvalidCharError{T <: AbstractChar} <: Exception
    char::T
end
struct CodePointError{T <: Integer} <: Exception
    code::T
end
@noinline throw_invalid_char(c::AbstractChar) = throw(InvalidCharError(c))
@noinline throw_code_point_err(u::Integer) = throw(CodePointError(u))

Char(c::Char) = c
function Char(u::UInt32)
    u < 0x80 && return bitcast(Char, u << 24)
    u < 0x00200000 || throw_code_point_err(u)
    c = ((u << 0) & 0x0000003f) | ((u << 2) & 0x00003f00) | ((u << 4) & 0x003f0000) | ((u << 6) & 0x3f000000)
    c = u < 0x00000800 ? (c << 16) | 0xc0800000 :
        u < 0x00010000 ? (c << 8) | 0xe0808000 : c | 0xf0808080
    bitcast(Char, c)
end
Char(b::Union{Bool, Int8, UInt8}) = 0 <= b <= 0x7f ? bitcast(Char, (b % UInt32) << 24) : Char(UInt32(b))
(::Type{T})(x::Number) where {T <: AbstractChar} = T(UInt32(x)::UInt32)
(::Type{AbstractChar})(x::Number) = Char(x)
(::Type{AbstractChar})(x::AbstractChar) = x
function UInt32(c::Char)
    u = bitcast(UInt32, c)
    u < 0x80000000 && return u >> 24
    l1 = leading_ones(u)
    t0 = trailing_zeros(u) & 56
    (l1 == 1) | (8 * l1 + t0 > 32) | ((((u & 0x00c0c0c0) ⊻ 0x00808080) >> t0) != 0) | is_overlong_enc(u) && throw_invalid_char(c)
    u &= 0xffffffff >> l1
    u >>= t0
    ((u & 0x0000007f) >> 0) | ((u & 0x00007f00) >> 2) | ((u & 0x007f0000) >> 4) | ((u & 0x7f000000) >> 6)
end
codepoint(c::Char) = UInt32(c)
(::Type{T})(c::AbstractChar) where {T <: Union{Number, AbstractChar}} = T(codepoint(c))::T
(::Type{T})(c::T) where {T <: AbstractChar} = c
# The number a character would have if its encoding were the shortest.
decode_overlong(c::Char) = (u = bitcast(UInt32, c); l1 = leading_ones(u); t0 = trailing_zeros(u) & 56; u &= 0xffffffff >> l1; u >>= t0;
    ((u & 0x0000007f) >> 0) | ((u & 0x00007f00) >> 2) | ((u & 0x007f0000) >> 4) | ((u & 0x7f000000) >> 6))
convert(::Type{AbstractChar}, x::Number) = Char(x)
convert(::Type{T}, x::Number) where {T <: AbstractChar} = T(x)::T
convert(::Type{T}, x::AbstractChar) where {T <: Number} = T(x)::T
convert(::Type{T}, c::AbstractChar) where {T <: AbstractChar} = T(c)::T
convert(::Type{T}, c::T) where {T <: AbstractChar} = c
rem(c::AbstractChar, ::Type{T}) where {T <: Number} = rem(codepoint(c), T)
typemax(::Type{Char}) = bitcast(Char, typemax(UInt32))
typemin(::Type{Char}) = bitcast(Char, typemin(UInt32))
widen(::Type{T}) where {T <: AbstractChar} = T
promote_rule(::Type{Char}, ::Type{T}) where {T <: AbstractChar} = Char

function ismalformed(c::Char)
    u = bitcast(UInt32, c)
    l1 = leading_ones(u) << 3
    t0 = trailing_zeros(u) & 56
    (l1 == 8) | (l1 + t0 > 32) | ((((u & 0x00c0c0c0) ⊻ 0x00808080) >> t0) != 0)
end
ismalformed(c::AbstractChar) = false
# Lead bytes c0 and c1, and e0 or f0 before bytes that a shorter encoding could have held.
is_overlong_enc(u::UInt32) = (u >> 24 == 0xc0) | (u >> 24 == 0xc1) | (u >> 21 == 0x0704) | (u >> 20 == 0x0f08)
isoverlong(c::Char) = is_overlong_enc(bitcast(UInt32, c))
isoverlong(c::AbstractChar) = false
isvalid_codepoint(u) = (u <= 0xd7ff) | ((0xe000 <= u) & (u <= 0x10ffff))
isvalid(c::Char) = !ismalformed(c) && !isoverlong(c) && isvalid_codepoint(UInt32(c))
isvalid(c::AbstractChar) = isvalid_codepoint(codepoint(c))
isvalid(::Type{T}, c::T) where {T <: AbstractChar} = isvalid(c)
isvalid(::Type{T}, u::Integer) where {T <: AbstractChar} = 0 <= u && isvalid_codepoint(u)
isvalid(::Type{T}, c::AbstractChar) where {T <: AbstractChar} = isvalid(c)
ncodeunits(c::Char) = write_length(bitcast(UInt32, c))
codeunit(c::Char, i::Integer) = ((bitcast(UInt32, c) >> (32 - 8 * Int(i))) & 0xff) % UInt8
write_length(u::UInt32) = (u & 0x00ffffff) === 0x00000000 ? 1 : (u & 0x0000ffff) === 0x00000000 ? 2 : (u & 0x000000ff) === 0x00000000 ? 3 : 4

==(x::Char, y::Char) = eq_int(x, y)
isless(x::Char, y::Char) = ult_int(x, y)
<(x::Char, y::Char) = ult_int(x, y)
==(x::AbstractChar, y::AbstractChar) = Char(x) == Char(y)
isless(x::AbstractChar, y::AbstractChar) = isless(Char(x), Char(y))
hash(c::AbstractChar, h::UInt) = hash(Char(c), h)
-(x::AbstractChar, y::AbstractChar) = Int(x) - Int(y)
+(x::T, y::Integer) where {T <: AbstractChar} = T(Int32(x) + Int32(y))
+(x::Integer, y::T) where {T <: AbstractChar} = y + x
-(x::T, y::Integer) where {T <: AbstractChar} = T(Int32(x) - Int32(y))

# A character is a container of itself, without dimensions.
size(c::AbstractChar) = ()
size(c::AbstractChar, d::Integer) = d < 1 ? throw(BoundsError()) : 1
axes(c::AbstractChar) = ()
axes(c::AbstractChar, d::Integer) = OneTo(size(c, d))
ndims(c::AbstractChar) = 0
ndims(::Type{<:AbstractChar}) = 0
length(c::AbstractChar) = 1
isempty(c::AbstractChar) = false
IteratorSize(::Type{Char}) = HasShape{0}()
firstindex(c::AbstractChar) = 1
lastindex(c::AbstractChar) = 1
iterate(c::AbstractChar, done = false) = done ? nothing : (c, true)
eltype(::Type{T}) where {T <: AbstractChar} = T
getindex(c::AbstractChar) = c
getindex(c::AbstractChar, i::Integer) = i == 1 ? c : throw(BoundsError())
getindex(c::AbstractChar, is::Integer...) = all(i -> i == 1, is) ? c : throw(BoundsError())
getindex(c::AbstractChar, i::CartesianIndex{0}) = c
keys(c::AbstractChar) = OneTo(1)
first(c::AbstractChar) = c
last(c::AbstractChar) = c
in(x::AbstractChar, y::AbstractChar) = x == y
one(::Type{<:AbstractChar}) = ""
zero_char() = '\0'

isascii(c::Char) = bitcast(UInt32, c) >> 24 < 0x80
isascii(c::AbstractChar) = UInt32(c) < 0x80
isascii(c::Integer) = 0 <= c < 0x80
isdigit(c::AbstractChar) = '0' <= c <= '9'
isxdigit(c::AbstractChar) = '0' <= c <= '9' || 'a' <= c <= 'f' || 'A' <= c <= 'F'
isspace(c::AbstractChar) = c == ' ' || '\t' <= c <= '\r' || c == '\u85' || ('\ua0' <= c && category_code(c) == 23) ||
    c == '\u2028' || c == '\u2029'
iscntrl(c::AbstractChar) = c <= '\x1f' || '\x7f' <= c <= '\u9f'
