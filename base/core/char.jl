# Characters: a `Char` holds the bytes of its UTF-8 encoding, first byte on top.

@noinline throw_code_point(u) = throw(ArgumentError(string("invalid code point: ", u)))
Char(c::Char) = c
function Char(u::UInt32)
    u < 0x80 && return bitcast(Char, u << 24)
    u < 0x00200000 || throw_code_point(u)
    c = ((u << 0) & 0x0000003f) | ((u << 2) & 0x00003f00) | ((u << 4) & 0x003f0000) | ((u << 6) & 0x3f000000)
    c = u < 0x00000800 ? (c << 16) | 0xc0800000 :
        u < 0x00010000 ? (c << 8) | 0xe0808000 : c | 0xf0808080
    bitcast(Char, c)
end
Char(x::Number) = Char(UInt32(x))
function UInt32(c::Char)
    u = bitcast(UInt32, c)
    u < 0x80000000 && return u >> 24
    l1 = leading_ones(u)
    t0 = trailing_zeros(u) & 56
    (l1 == 1) | (8 * l1 + t0 > 32) | ((((u & 0x00c0c0c0) ⊻ 0x00808080) >> t0) != 0) && throw_invalid_char(c)
    u &= 0xffffffff >> l1
    u >>= t0
    ((u & 0x0000007f) >> 0) | ((u & 0x00007f00) >> 2) | ((u & 0x007f0000) >> 4) | ((u & 0x7f000000) >> 6)
end
@noinline throw_invalid_char(c) = throw(ErrorException("invalid character"))
(::Type{T})(c::Char) where {T <: Union{Int8, Int16, Int32, Int64, Int128, UInt8, UInt16, UInt64, UInt128}} = T(UInt32(c))
(::Type{AbstractChar})(x::Number) = Char(x)
(::Type{AbstractChar})(x::AbstractChar) = x
codepoint(c::Char) = UInt32(c)
convert(::Type{AbstractChar}, x::Number) = Char(x)
convert(::Type{T}, x::Number) where {T <: AbstractChar} = T(x)::T
convert(::Type{T}, x::AbstractChar) where {T <: Number} = T(x)::T
convert(::Type{T}, c::AbstractChar) where {T <: AbstractChar} = T(c)::T
convert(::Type{T}, c::T) where {T <: AbstractChar} = c
rem(c::Char, ::Type{T}) where {T <: Number} = rem(UInt32(c), T)
typemax(::Type{Char}) = bitcast(Char, typemax(UInt32))
typemin(::Type{Char}) = bitcast(Char, typemin(UInt32))
isvalid(c::Char) = !ismalformed(c) && (u = UInt32(c); u <= 0x10ffff && !(0xd800 <= u <= 0xdfff))
isvalid(::Type{Char}, u::Integer) = u <= 0x10ffff && !(0xd800 <= u <= 0xdfff)
function ismalformed(c::Char)
    u = bitcast(UInt32, c)
    l1 = leading_ones(u) << 3
    t0 = trailing_zeros(u) & 56
    (l1 == 8) | (l1 + t0 > 32) | ((((u & 0x00c0c0c0) ⊻ 0x00808080) >> t0) != 0)
end
ncodeunits(c::Char) = write_length(bitcast(UInt32, c))
write_length(u::UInt32) = (u & 0x00ffffff) == 0 ? 1 : (u & 0x0000ffff) == 0 ? 2 : (u & 0x000000ff) == 0 ? 3 : 4

==(x::Char, y::Char) = eq_int(x, y)
isless(x::Char, y::Char) = ult_int(x, y)
isless(x::AbstractChar, y::AbstractChar) = isless(Char(x), Char(y))
<(x::Char, y::Char) = ult_int(x, y)
-(x::AbstractChar, y::AbstractChar) = Int(x) - Int(y)
+(x::T, y::Integer) where {T <: AbstractChar} = T(Int32(x) + Int32(y))
+(x::Integer, y::T) where {T <: AbstractChar} = y + x
-(x::T, y::Integer) where {T <: AbstractChar} = T(Int32(x) - Int32(y))
size(c::AbstractChar) = ()
ndims(c::AbstractChar) = 0
ndims(::Type{<:AbstractChar}) = 0
length(c::AbstractChar) = 1
iterate(c::AbstractChar) = (c, nothing)
iterate(c::AbstractChar, ::Any) = nothing
eltype(::Type{T}) where {T <: AbstractChar} = T
getindex(c::AbstractChar) = c
getindex(c::AbstractChar, i::Integer) = i == 1 ? c : throw(BoundsError(c, i))
first(c::AbstractChar) = c
last(c::AbstractChar) = c
in(x::AbstractChar, y::AbstractChar) = x == y
one(::Type{<:AbstractChar}) = ""
zero_char() = '\0'

isascii(c::Char) = bitcast(UInt32, c) >> 24 < 0x80
isascii(c::AbstractChar) = UInt32(c) < 0x80
isdigit(c::AbstractChar) = '0' <= c <= '9'
isxdigit(c::AbstractChar) = '0' <= c <= '9' || 'a' <= c <= 'f' || 'A' <= c <= 'F'
isspace(c::AbstractChar) = c == ' ' || '\t' <= c <= '\r' || c == '\u85' || c == '\ua0' ||
    c == '\u2028' || c == '\u2029' || c == '\u3000' || '\u2000' <= c <= '\u200a'
iscntrl(c::AbstractChar) = c <= '\x1f' || '\x7f' <= c <= '\u9f'
isprint(c::AbstractChar) = !iscntrl(c)
ispunct(c::AbstractChar) = isascii(c) && isprint(c) && c != ' ' && !isletter(c) && !isdigit(c) && !(c in ('$', '+', '<', '=', '>', '^', '`', '|', '~'))
isletter(c::AbstractChar) = isuppercase(c) || islowercase(c) || (UInt32(c) > 0x24f && !isspace(c))
isnumeric(c::AbstractChar) = isdigit(c)
isuppercase(c::AbstractChar) = 'A' <= c <= 'Z' || ('À' <= c <= 'Þ' && c != '×') || 'Α' <= c <= 'Ω' || 'А' <= c <= 'Я'
islowercase(c::AbstractChar) = 'a' <= c <= 'z' || ('ß' <= c <= 'ÿ' && c != '÷') || 'α' <= c <= 'ω' || 'а' <= c <= 'я'
uppercase(c::T) where {T <: AbstractChar} =
    'a' <= c <= 'z' ? c - 32 : ('à' <= c <= 'þ' && c != '÷') || ('α' <= c <= 'ω' && c != 'ς') || 'а' <= c <= 'я' ? c - 32 : c
lowercase(c::T) where {T <: AbstractChar} =
    'A' <= c <= 'Z' ? c + 32 : ('À' <= c <= 'Þ' && c != '×') || 'Α' <= c <= 'Ω' || 'А' <= c <= 'Я' ? c + 32 : c
titlecase(c::AbstractChar) = uppercase(c)
textwidth(c::AbstractChar) = iscntrl(c) ? 0 : '\u1100' <= c <= '\u115f' || '\u2e80' <= c <= '\uffdc' ? 2 : 1
