# Strings: UTF-8 bytes read as characters. A position is the index of the first byte of a character.

ncodeunits(s::String) = Core.sizeof(s)
sizeof(s::String) = Core.sizeof(s)
sizeof(s::AbstractString) = ncodeunits(s)::Int * sizeof(codeunit(s)::Type{<:Union{UInt8, UInt16, UInt32}})
pointer(s::String) = bitcast(Ptr{UInt8}, Host.string_pointer(s))
pointer(s::String, i::Integer) = pointer(s) + (i - 1)
pointer(s::SubString{String}) = pointer(s.string) + s.offset
pointer(s::SubString{String}, i::Integer) = pointer(s.string) + s.offset + (i - 1)
codeunit(s::String) = UInt8
@inline @assume_effects :consistent :effect_free :terminates_globally :noub_if_noinbounds function codeunit(s::String, i::Integer)
    @boundscheck 1 <= i <= ncodeunits(s) || throw(BoundsError(s, i))
    pointerref(pointer(s), Int(i), 1)
end

# Making strings.
String(s::String) = s
String(s::SubString{String}) = Host.text_of(s)::String
String(s::AbstractString) = sprint_chars(s)
function String(v::Vector{UInt8})
    s = Host.string_from_memory(v.ref.mem, memoryrefoffset(v.ref) - 1, length(v))
    empty!(v)
    s
end
String(m::Memory{UInt8}) = Host.string_from_memory(m, 0, length(m))
String(v::AbstractVector{UInt8}) = String(Vector{UInt8}(v))
String(cs::AbstractVector{<:AbstractChar}) = sprint_chars(cs)
AbstractString(s::AbstractString) = s
function sprint_chars(itr)
    io = IOBuffer()
    for c in itr
        write(io, c)
    end
    takestring!(io)
end
function Vector{UInt8}(s::ByteString)
    n = ncodeunits(s)
    m = Memory{UInt8}(undef, n)
    Host.copy_bytes(m, 0, s, 0, n)
    bytes_vector(m, n)
end
Vector{UInt8}(s::AbstractString) = Vector{UInt8}(String(s))
Array{UInt8}(s::AbstractString) = Vector{UInt8}(s)
unsafe_wrap(::Type{Vector{UInt8}}, s::String) = Vector{UInt8}(s)
const StringMemory = Memory{UInt8}
(::Type{Memory{T}})() where {T} = Memory{T}(undef, 0)
Memory{UInt8}(n::Integer) = Memory{UInt8}(undef, Int(n))
StringVector(n::Integer) = Vector{UInt8}(undef, n)
rest(s::AbstractString, i...) = SubString(s, i...)
Iterators.partition(s::AbstractString, n::Integer) = n < 1 ? throw(ArgumentError("cannot create partitions of length $n")) : StringPartition(s, Int(n))
struct StringPartition{S <: AbstractString}
    str::S
    n::Int
end
IteratorSize(::Type{<:StringPartition}) = HasLength()
length(p::StringPartition) = cld(length(p.str), p.n)
eltype(::Type{StringPartition{S}}) where {S} = SubString{S}
eltype(::Type{StringPartition{SubString{S}}}) where {S} = SubString{S}
function iterate(p::StringPartition, i = firstindex(p.str))
    i > ncodeunits(p.str) && return nothing
    j = min(nextind(p.str, i, p.n - 1), lastindex(p.str))
    (SubString(p.str, i, j), nextind(p.str, j))
end
Vector{Char}(s::AbstractString) = Char[c for c in s]
Vector{T}(s::AbstractString) where {T <: AbstractChar} = T[c for c in s]
Symbol(s::SubString{String}) = Symbol(String(s))
convert(::Type{String}, s::String) = s
convert(::Type{String}, s::AbstractString) = String(s)::String
convert(::Type{AbstractString}, s::AbstractString) = s
convert(::Type{T}, s::T) where {T <: AbstractString} = s
convert(::Type{T}, s::AbstractString) where {T <: AbstractString} = T(s)::T
@noinline throw_null_string() = throw(ArgumentError("cannot convert NULL to string"))
function unsafe_string(p::Union{Ptr{UInt8}, Ptr{Int8}}, n::Integer)
    p == C_NULL && throw_null_string()
    m = Memory{UInt8}(undef, Int(n))
    put_bytes!(m, 1, Ptr{UInt8}(p), Int(n))
    String(m)
end
function unsafe_string(p::Union{Ptr{UInt8}, Ptr{Int8}})
    p == C_NULL && throw_null_string()
    n = 0
    while unsafe_load(Ptr{UInt8}(p), n + 1) != 0x00
        n += 1
    end
    unsafe_string(p, n)
end
unsafe_string(p::Ptr, n...) = unsafe_string(Ptr{UInt8}(p), n...)
typemin(::Type{String}) = ""
typemin(::String) = typemin(String)

# Functions of every string, by `ncodeunits`, `isvalid`, `codeunit` and `iterate` of its own.
firstindex(s::AbstractString) = 1
lastindex(s::AbstractString) = thisind(s, ncodeunits(s)::Int)
isvalid(s::AbstractString) = all(isvalid, s)
isempty(s::AbstractString) = iterate(s) === nothing
isempty(s::ByteString) = ncodeunits(s) == 0
eltype(::Type{<:AbstractString}) = Char
IteratorSize(::Type{<:AbstractString}) = HasLength()
# A type that has no method for an `Int` has none at all.
isvalid(s::AbstractString, i::Integer) = i isa Int ? throw(MethodError(isvalid, (s, i))) : isvalid(s, Int(i))
codeunit(s::AbstractString, i::Integer) = i isa Int ? throw(MethodError(codeunit, (s, i))) : codeunit(s, Int(i))
iterate(s::AbstractString, i::Integer) = i isa Int ? throw(MethodError(iterate, (s, i))) : iterate(s, Int(i))
iterate(s::AbstractString) = iterate(s, firstindex(s))
"""
    StringIndexError(s, i)

The exception for an index inside a character of a string.
"""
struct StringIndexError <: Exception
    string::AbstractString
    index::Integer
end
@noinline throw_string_index(s, i) = throw(StringIndexError(s, Int(i)))
@noinline throw_negative_count(n) = throw(ArgumentError(string("n cannot be negative: ", n)))
thisind(s::AbstractString, i::Integer) = thisind(s, Int(i))
function thisind(s::AbstractString, i::Int)
    z = ncodeunits(s)::Int + 1
    i == z && return i
    0 <= i <= z || throw(BoundsError(s, i))
    while 1 < i && !(isvalid(s, i)::Bool)
        i -= 1
    end
    i
end
nextind(s::AbstractString, i::Integer, n::Integer) = nextind(s, Int(i), Int(n))
nextind(s::AbstractString, i::Integer) = nextind(s, Int(i))
nextind(s::AbstractString, i::Int) = nextind(s, i, 1)
function nextind(s::AbstractString, i::Int, n::Int)
    n < 0 && throw_negative_count(n)
    z = ncodeunits(s)::Int
    0 <= i <= z || throw(BoundsError(s, i))
    n == 0 && return thisind(s, i) == i ? i : throw_string_index(s, i)
    while n > 0 && i < z
        i += 1
        n -= isvalid(s, i)::Bool
    end
    i + n
end
prevind(s::AbstractString, i::Integer, n::Integer) = prevind(s, Int(i), Int(n))
prevind(s::AbstractString, i::Integer) = prevind(s, Int(i))
prevind(s::AbstractString, i::Int) = prevind(s, i, 1)
function prevind(s::AbstractString, i::Int, n::Int)
    n < 0 && throw_negative_count(n)
    z = ncodeunits(s)::Int + 1
    0 < i <= z || throw(BoundsError(s, i))
    n == 0 && return thisind(s, i) == i ? i : throw_string_index(s, i)
    while n > 0 && 1 < i
        i -= 1
        n -= isvalid(s, i)::Bool
    end
    i - n
end
function length(s::AbstractString)
    n = 0
    y = iterate(s)
    while y !== nothing
        n += 1
        y = iterate(s, y[2])
    end
    n
end
length(s::AbstractString, i::Integer, j::Integer) = length(s, Int(i), Int(j))
function length(s::AbstractString, i::Int, j::Int)
    z = ncodeunits(s)::Int
    1 <= i <= z + 1 || throw(BoundsError(s, i))
    0 <= j <= z || throw(BoundsError(s, j))
    n = 0
    for k in i:j
        n += isvalid(s, k)::Bool
    end
    n
end
reverseind(s::AbstractString, i::Integer) = thisind(s, ncodeunits(s) - i + 1)

# The same for text in UTF-8, by its bytes.
is_continuation(b::UInt8) = b & 0xc0 == 0x80
char_width(b::UInt8) = b < 0xc0 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : b < 0xf8 ? 4 : 1
isvalid(s::String, i::Int) = 1 <= i <= ncodeunits(s) && byte_thisind(s, i) == i
function thisind(s::ByteString, i::Int)
    n = ncodeunits(s)
    (i == 0 || i == n + 1) && return i
    1 <= i <= n || throw(BoundsError(s, i))
    byte_thisind(s, i)
end
# Where the character begins that the byte at `i` belongs to: the byte itself unless a lead byte before it reaches so far.
function byte_thisind(s, i::Int)
    is_continuation(codeunit(s, i)) || return i
    k = 1
    while k <= 3 && i - k >= 1
        b = codeunit(s, i - k)
        is_continuation(b) || return char_width(b) > k ? i - k : i
        k += 1
    end
    i
end
function nextind(s::ByteString, i::Int)
    i == 0 && return 1
    n = ncodeunits(s)
    1 <= i <= n || throw(BoundsError(s, i))
    b = codeunit(s, i)
    b < 0x80 && return i + 1
    is_continuation(b) && (i = byte_thisind(s, i))
    byte_nextind(s, i, n)
end
nextind_one(s, i) = nextind(s, Int(i))
function byte_nextind(s, i::Int, n::Int)
    w = char_width(codeunit(s, i))
    k = 1
    while k < w && i + k <= n && is_continuation(codeunit(s, i + k))
        k += 1
    end
    i + k
end
@assume_effects :total length(s::String) = Host.text_fact(:chars, s)
length(s::ByteString) = Host.text_fact(:chars, s)
@inline iterate(s::String, i::Int = 1) = i > ncodeunits(s) || i < 1 ? nothing : byte_iterate(s, i)
@inline function iterate(s::SubString{String}, i::Int = 1)
    i == ncodeunits(s) + 1 && return nothing
    @boundscheck checkbounds(s, i)
    byte_iterate(s, i)
end
# The byte at `i` is there.
function byte_iterate(s, i::Int)
    p = pointer(s)
    b = pointerref(p, i, 1)
    u = shl_int(zext_int(UInt32, b), 24)
    b < 0x80 && return (bitcast(Char, u), i + 1)
    w = min(char_width(b), ncodeunits(s) - i + 1)
    k = 1
    while k < w
        c = pointerref(p, i + k, 1)
        is_continuation(c) || break
        u |= shl_int(zext_int(UInt32, c), 24 - 8k)
        k += 1
    end
    (bitcast(Char, u), i + k)
end
getindex(s::ByteString, i::Int) = (checkbounds(s, i); byte_thisind(s, i) == i || throw_string_index(s, i); byte_iterate(s, i)[1])

# Whether bytes are UTF-8: no byte astray, nothing longer than it need be, no surrogates, nothing past 0x10ffff.
isvalid(s::ByteString) = Host.text_fact(:valid, s) === 1
isvalid(::Type{T}, s::T) where {T <: AbstractString} = isvalid(s)
isvalid(::Type{String}, v::AbstractVector{UInt8}) = Host.text_fact(:valid, Vector{UInt8}(v)) === 1
isvalid(::Type{String}, v::Union{Vector{UInt8}, Memory{UInt8}}) = Host.text_fact(:valid, v) === 1
isvalid(::Type{String}, s::AbstractString) = isvalid(String(s))
# Indexing and bounds.
checkbounds(::Type{Bool}, s::AbstractString, i::Integer) = 1 <= i <= ncodeunits(s)::Int
checkbounds(::Type{Bool}, s::AbstractString, r::AbstractRange{<:Integer}) = isempty(r) || (1 <= minimum(r) && maximum(r) <= ncodeunits(s)::Int)
checkbounds(::Type{Bool}, s::AbstractString, I::AbstractArray{<:Real}) = all(i -> checkbounds(Bool, s, i), I)
checkbounds(::Type{Bool}, s::AbstractString, I::AbstractArray{<:Integer}) = all(i -> checkbounds(Bool, s, i), I)
checkbounds(::Type{Bool}, s::AbstractString, I::AbstractArray) = all(i -> checkbounds(Bool, s, i), I)
checkbounds(s::AbstractString, I::Union{Integer, AbstractArray}) = checkbounds(Bool, s, I) ? nothing : throw(BoundsError(s, I))
getindex(s::AbstractString, i::Integer) = getindex(s, Int(i))
function getindex(s::AbstractString, i::Int)
    checkbounds(s, i)
    isvalid(s, i) || throw_string_index(s, i)
    (iterate(s, i)::NTuple{2, Any})[1]
end
getindex(s::AbstractString, r::AbstractUnitRange{<:Integer}) = SubString(s, r)
getindex(s::String, r::AbstractUnitRange{<:Integer}) = String(SubString(s, Int(first(r)), Int(last(r))))
getindex(s::AbstractString, v::AbstractVector{<:Integer}) = sprint_chars(s[i] for i in v)
getindex(s::AbstractString, v::AbstractVector{Bool}) = throw(ArgumentError("logical indexing not supported for strings"))
getindex(s::AbstractString, ::Colon) = s
get(s::AbstractString, i::Integer, default) = checkbounds(Bool, s, i) ? s[i] : default
get(f::Callable, s::AbstractString, i::Integer) = checkbounds(Bool, s, i) ? s[i] : f()
keys(s::AbstractString) = EachStringIndex(s)
eachindex(s::AbstractString) = EachStringIndex(s)
struct EachStringIndex{S <: AbstractString}
    s::S
end
length(e::EachStringIndex) = length(e.s)
eltype(::Type{<:EachStringIndex}) = Int
iterate(e::EachStringIndex, i::Int = firstindex(e.s)) = i > ncodeunits(e.s)::Int ? nothing : (i, nextind(e.s, i))
iterate(r::Iterators.Reverse{<:EachStringIndex}, i::Int = ncodeunits(r.itr.s)::Int + 1) =
    i <= firstindex(r.itr.s) ? nothing : (j = prevind(r.itr.s, i); (j, j))
first(e::EachStringIndex) = firstindex(e.s)
last(e::EachStringIndex) = lastindex(e.s)
first(s::AbstractString) = s[firstindex(s)]
last(s::AbstractString) = s[lastindex(s)]
first(s::AbstractString, n::Integer) = s[1:min(lastindex(s), nextind(s, 0, n))]
last(s::AbstractString, n::Integer) = s[max(1, prevind(s, ncodeunits(s) + 1, n)):lastindex(s)]

# Parts of a string that share its bytes.
function SubString{T}(s::T, i::Int, j::Int) where {T <: AbstractString}
    i <= j || return SubString{T}(s, i - 1, 0, Val(:unchecked))
    checkbounds(s, i:j)
    isvalid(s, i) || throw_string_index(s, i)
    isvalid(s, j) || throw_string_index(s, j)
    SubString{T}(s, i - 1, nextind(s, j) - i, Val(:unchecked))
end
function SubString{String}(s::String, i::Int, j::Int)
    i <= j || return SubString{String}(s, i - 1, 0, Val(:unchecked))
    n = ncodeunits(s)
    1 <= i && j <= n || throw(BoundsError(s, i:j))
    byte_thisind(s, i) == i || throw_string_index(s, i)
    byte_thisind(s, j) == j || throw_string_index(s, j)
    SubString{String}(s, i - 1, byte_nextind(s, j, n) - i, Val(:unchecked))
end
# `n` bytes of a string behind the first `offset`, which end where characters do.
byte_part(s::String, offset::Int, n::Int) = SubString{String}(s, offset, n, Val(:unchecked))
byte_part(s::SubString{String}, offset::Int, n::Int) = SubString{String}(s.string, s.offset + offset, n, Val(:unchecked))
# Here `offset` and `n` count bytes, and must end where characters do.
function SubString{T}(s::T, offset::Int, n::Int, ::Val{:noshift}) where {T <: AbstractString}
    if !(offset == 0 && n == 0)
        first_at, last_at = offset + 1, prevind(s, offset + n + 1)
        checkbounds(s, first_at:last_at)
        isvalid(s, first_at) || throw_string_index(s, first_at)
        isvalid(s, last_at) || throw_string_index(s, last_at)
    end
    SubString{T}(s, offset, n, Val(:unchecked))
end
SubString(s::T, offset::Int, n::Int, v::Val{:noshift}) where {T <: AbstractString} = SubString{T}(s, offset, n, v)
SubString(s::T, i::Int, j::Int) where {T <: AbstractString} = SubString{T}(s, i, j)
SubString(s::T, i::Integer, j::Integer = lastindex(s)) where {T <: AbstractString} = SubString{T}(s, Int(i), Int(j))
SubString(s::String, i::Int, j::Int) = SubString{String}(s, i, j)
function SubString(s::String, i::Int)
    n = ncodeunits(s)
    i > n && return SubString{String}(s, i, lastindex(s))
    i >= 1 || throw(BoundsError(s, i:lastindex(s)))
    byte_thisind(s, i) == i || throw_string_index(s, i)
    byte_part(s, i - 1, n - i + 1)
end
SubString(s::AbstractString, r::AbstractUnitRange{<:Integer}) = SubString(s, Int(first(r)), Int(last(r)))
SubString(s::AbstractString) = SubString(s, 1, lastindex(s)::Int)
SubString(s::SubString) = s
function SubString(s::SubString, i::Int, j::Int)
    i <= j && checkbounds(s, i:j)
    SubString(s.string, s.offset + i, s.offset + j)
end
SubString(s::SubString, i::Integer, j::Integer = lastindex(s)) = SubString(s, Int(i), Int(j))
SubString{String}(s::String) = SubString(s)
SubString{S}(s::AbstractString) where {S <: AbstractString} = SubString(convert(S, s)::S)
SubString{S}(s::SubString{S}) where {S <: AbstractString} = s
convert(::Type{SubString{S}}, s::AbstractString) where {S <: AbstractString} = SubString(convert(S, s)::S)
convert(::Type{T}, s::T) where {T <: SubString} = s
view(s::AbstractString, r::AbstractUnitRange{<:Integer}) = SubString(s, r)
maybeview(s::AbstractString, r::AbstractUnitRange{<:Integer}) = view(s, r)
maybeview(s::AbstractString, is...) = getindex(s, is...)
parent(s::SubString) = s.string
parentindices(s::SubString) = ((s.offset + 1):thisind(s.string, s.offset + s.ncodeunits),)
ncodeunits(s::SubString) = s.ncodeunits
codeunit(s::SubString) = codeunit(s.string)::Type{<:Union{UInt8, UInt16, UInt32}}
codeunit(s::SubString, i::Int) = (checkbounds(s, i); codeunit(s.string, s.offset + i))
codeunit(s::SubString, i::Integer) = codeunit(s, Int(i))
isvalid(s::SubString, i::Int) = 1 <= i <= s.ncodeunits && isvalid(s.string, s.offset + i)::Bool
function iterate(s::SubString, i::Int = firstindex(s))
    i == ncodeunits(s) + 1 && return nothing
    @boundscheck checkbounds(s, i)
    y = iterate(s.string, s.offset + i)
    y === nothing ? nothing : (y[1], y[2] - s.offset)
end

# The bytes of a string as a vector.
struct CodeUnits{T, S <: AbstractString} <: DenseVector{T}
    s::S
    CodeUnits(s::S) where {S <: AbstractString} = new{codeunit(s), S}(s)
end
codeunits(s::AbstractString) = CodeUnits(s)
size(c::CodeUnits) = (ncodeunits(c.s),)
length(c::CodeUnits) = ncodeunits(c.s)
elsize(::Type{<:CodeUnits{T}}) where {T} = sizeof(T)
elsize(c::CodeUnits) = elsize(typeof(c))
strides(c::CodeUnits) = (1,)
sizeof(c::CodeUnits{T}) where {T} = ncodeunits(c.s) * sizeof(T)
similar(::Type{<:CodeUnits{T}}, dims::Dims) where {T} = Array{T}(undef, dims)
IndexStyle(::Type{<:CodeUnits}) = IndexLinear()
@inline function getindex(c::CodeUnits, i::Int)
    @boundscheck checkbounds(c, i)
    codeunit(c.s, i)
end
iterate(c::CodeUnits, i::Int = 1) = i > ncodeunits(c.s) ? nothing : (codeunit(c.s, i), i + 1)
==(a::CodeUnits{<:Any, <:ByteString}, b::CodeUnits{<:Any, <:ByteString}) = a.s == b.s
pointer(c::CodeUnits{UInt8}) = pointer(c.s)
pointer(c::CodeUnits{UInt8}, i::Integer) = pointer(c.s, i)
cconvert(::Type{<:Ptr}, c::CodeUnits) = c.s
unsafe_convert(::Type{Ptr{UInt8}}, c::CodeUnits{UInt8, String}) = pointer(c.s)
String(c::CodeUnits{UInt8}) = String(c.s)
write(io::IO, c::CodeUnits{UInt8, <:ByteString}) = write(io, c.s)
Vector{UInt8}(c::CodeUnits{UInt8, <:ByteString}) = Vector{UInt8}(c.s)

# Comparison.
function cmp(a::AbstractString, b::AbstractString)
    a === b && return 0
    x, y = iterate(a), iterate(b)
    while x !== nothing && y !== nothing
        c, d = x[1], y[1]
        c == d || return isless(c, d) ? -1 : 1
        x, y = iterate(a, x[2]), iterate(b, y[2])
    end
    x === nothing ? (y === nothing ? 0 : -1) : 1
end
@assume_effects :total cmp(a::String, b::String) = compare_bytes(a, b)
cmp(a::ByteString, b::ByteString) = compare_bytes(a, b)
compare_bytes(a, b) = Host.compare_text(a, b)
==(a::AbstractString, b::AbstractString) = cmp(a, b) == 0
==(a::ByteString, b::ByteString) = Host.compare_text(a, b) === 0
==(a::String, b::String) = a === b
isequal(a::AbstractString, b::AbstractString) = (a == b)::Bool
isless(a::AbstractString, b::AbstractString) = cmp(a, b) < 0
cmp(a::Symbol, b::Symbol) = cmp(String(a), String(b))
isless(a::Symbol, b::Symbol) = cmp(a, b) < 0

# Joining, repeating, mapping.
*(a::Union{AbstractString, AbstractChar}, bs::Union{AbstractString, AbstractChar}...) = joined_text(a, bs...)
*(a::T, bs::T...) where {T <: Union{String, SubString{String}}} = string(a, bs...)
^(s::Union{AbstractString, AbstractChar}, n::Integer) = repeat(s, n)
one(::Union{T, Type{T}}) where {T <: AbstractString} = convert(T, "")
oneunit(::Union{T, Type{T}}) where {T <: AbstractString} = convert(T, "")
@noinline throw_repeat(n) = throw(ArgumentError(string("can't repeat a string ", n, " times")))
@noinline throw_repeat_char(n) = throw(ArgumentError(string("can't repeat a character ", n, " times")))
# Text of machine integers' making depends on nothing else.
@assume_effects :foldable repeat(c::Char, n::BitInteger) = repeat_bytes(string(c), n, throw_repeat_char)
@assume_effects :foldable repeat(s::String, n::BitInteger) = repeat_bytes(s, n, throw_repeat)
repeat(c::AbstractChar, n::Integer) = repeat_bytes(string(c), n, throw_repeat_char)
repeat(s::AbstractString, n::Integer) = repeat_bytes(String(s), n, throw_repeat)
function repeat_bytes(str::String, n::Integer, fail)
    n < 0 && fail(n)
    k = sizeof(str)
    (n == 0 || k == 0) && return ""
    n > typemax(Int) ÷ (2k) && throw(OutOfMemoryError())
    total = k * Int(n)
    m = Memory{UInt8}(undef, total)
    Host.copy_bytes(m, 0, str, 0, k)
    # The bytes that are there are copied behind themselves.
    while k < total
        more = min(k, total - k)
        unsafe_copyto!(memoryref(m, k + 1), memoryrefnew(m), more)
        k += more
    end
    String(m)
end
reverse(s::AbstractString) = sprint_chars(Iterators.reverse(s))
function iterate(r::Iterators.Reverse{<:AbstractString}, i::Int = ncodeunits(r.itr) + 1)
    i <= 1 && return nothing
    j = prevind(r.itr, i)
    (r.itr[j], j)
end
function join(io::IO, itr, delim, last_delim)
    y = iterate(itr)
    y === nothing && return nothing
    print(io, y[1])
    y = iterate(itr, y[2])
    while y !== nothing
        x = y[1]
        y = iterate(itr, y[2])
        print(io, y === nothing ? last_delim : delim)
        print(io, x)
    end
    nothing
end
join(io::IO, itr, delim = "") = join(io, itr, delim, delim)
function join(itr, delim = "", last_delim = delim)
    text = itr isa Union{Array, Tuple} ? Host.join_text(itr, delim, last_delim) : nothing
    text === nothing ? sprint(io -> join(io, itr, delim, last_delim)) : text
end
@noinline throw_not_ascii(s) = throw(ArgumentError(string("invalid ASCII at index ", findfirst(!isascii, s), " in ", repr(s))))
ascii(s::AbstractString) = ascii(String(s))
ascii(s::String) = isascii(s) ? s : throw_not_ascii(s)
isascii(s::AbstractString) = all(isascii, s)
isascii(s::ByteString) = Host.text_fact(:ascii, s) === 1
isascii(v::AbstractVector{<:Union{Int8, UInt8}}) = all(b -> 0 <= b < 0x80, v)
isascii(cs::AbstractVector{<:AbstractChar}) = all(isascii, cs)
textwidth(s::AbstractString) = (n = 0; for c in s; n += textwidth(c); end; n)
@noinline throw_map_char() = throw(ArgumentError("map(f, s::AbstractString) requires f to return AbstractChar; try map(f, collect(s)) or a comprehension instead"))
function map(f, s::AbstractString)
    io = IOBuffer()
    for c in s
        d = f(c)
        d isa AbstractChar || throw_map_char()
        write(io, d::AbstractChar)
    end
    takestring!(io)
end
function filter(f, s::AbstractString)
    io = IOBuffer()
    for c in s
        f(c) && write(io, c)
    end
    takestring!(io)
end
