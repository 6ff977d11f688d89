# Strings: UTF-8 bytes read as characters; searching, cutting and changing text.

ncodeunits(s::String) = Core.sizeof(s)
sizeof(s::String) = Core.sizeof(s)
sizeof(s::AbstractString) = ncodeunits(s) * sizeof(codeunit(s))
pointer(s::String) = bitcast(Ptr{UInt8}, Host.string_pointer(s))
pointer(s::String, i::Integer) = pointer(s) + (i - 1)
codeunit(s::AbstractString) = UInt8
@inline function codeunit(s::String, i::Integer)
    @boundscheck 1 <= i <= ncodeunits(s) || throw(BoundsError(s, i))
    pointerref(pointer(s), Int(i), 1)
end
codeunit(s::SubString, i::Integer) = codeunit(s.string, s.offset + i)
ncodeunits(s::SubString) = s.ncodeunits

struct CodeUnits{T, S <: AbstractString} <: DenseArray{T, 1}
    s::S
end
codeunits(s::AbstractString) = CodeUnits{UInt8, typeof(s)}(s)
size(c::CodeUnits) = (ncodeunits(c.s),)
IndexStyle(::Type{<:CodeUnits}) = IndexLinear()
getindex(c::CodeUnits, i::Int) = codeunit(c.s, i)

# Making strings.
String(s::String) = s
String(s::SubString{String}) = string_of_bytes(s.string, s.offset, s.ncodeunits)
String(s::AbstractString) = string(s...)
String(c::CodeUnits) = String(c.s)
function String(v::Vector{UInt8})
    s = Host.string_from_memory(v.ref.mem, memoryrefoffset(v.ref) - 1, length(v))
    empty!(v)
    s
end
String(m::Memory{UInt8}) = Host.string_from_memory(m, 0, length(m))
String(v::AbstractVector{UInt8}) = String(Vector{UInt8}(v))
String(cs::AbstractVector{<:AbstractChar}) = string(cs...)
AbstractString(s::AbstractString) = s
Vector{UInt8}(s::AbstractString) = UInt8[codeunit(s, i) for i in 1:ncodeunits(s)]
convert(::Type{String}, s::String) = s
convert(::Type{String}, s::AbstractString) = String(s)
convert(::Type{AbstractString}, s::AbstractString) = s
convert(::Type{T}, s::T) where {T <: AbstractString} = s
convert(::Type{T}, s::AbstractString) where {T <: AbstractString} = T(s)::T
function string_of_bytes(s::String, offset::Int, n::Int)
    m = Memory{UInt8}(undef, n)
    p = pointer(s)
    i = 1
    while i <= n
        m[i] = pointerref(p, offset + i, 1)
        i += 1
    end
    Host.string_from_memory(m, 0, n)
end
unsafe_string(p::Ptr, n::Integer) = (m = Memory{UInt8}(undef, Int(n)); for i in 1:n; m[i] = unsafe_load(Ptr{UInt8}(p), i); end; String(m))
function unsafe_string(p::Ptr)
    n = 0
    while unsafe_load(Ptr{UInt8}(p), n + 1) != 0x00
        n += 1
    end
    unsafe_string(p, n)
end

# Characters by position. A position is the index of the first byte of a character.
is_continuation(b::UInt8) = b & 0xc0 == 0x80
firstindex(s::AbstractString) = 1
lastindex(s::AbstractString) = thisind(s, ncodeunits(s))
isvalid(s::AbstractString, i::Integer) = 1 <= i <= ncodeunits(s) && thisind(s, i) == i
isvalid(s::AbstractString) = all(isvalid, s)
isempty(s::AbstractString) = ncodeunits(s) == 0
eltype(::Type{<:AbstractString}) = Char
IteratorSize(::Type{<:AbstractString}) = HasLength()
function thisind(s::AbstractString, i::Integer)
    n = ncodeunits(s)
    i == 0 && return 0
    i == n + 1 && return n + 1
    1 <= i <= n || throw(BoundsError(s, i))
    j = Int(i)
    low = max(1, j - 3)
    while j > low && is_continuation(codeunit(s, j))
        j -= 1
    end
    is_continuation(codeunit(s, j)) || j == i || j + char_width(codeunit(s, j)) > i ? (is_continuation(codeunit(s, j)) ? Int(i) : j) : Int(i)
end
char_width(b::UInt8) = b < 0x80 ? 1 : b < 0xc0 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : b < 0xf8 ? 4 : 1
nextind(s::AbstractString, i::Int) = nextind_one(s, i)
function nextind_one(s, i)
    i == 0 && return 1
    n = ncodeunits(s)
    1 <= i <= n || throw(BoundsError(s, i))
    j = thisind(s, i)
    w = char_width(codeunit(s, j))
    k = 1
    while k < w && j + k <= n && is_continuation(codeunit(s, j + k))
        k += 1
    end
    j + k
end
nextind(s::AbstractString, i::Integer, n::Integer = 1) = (j = Int(i); for _ in 1:n; j = nextind_one(s, j); end; n == 0 ? thisind(s, j) : j)
function prevind(s::AbstractString, i::Integer, n::Integer = 1)
    j = Int(i)
    for _ in 1:n
        1 < j <= ncodeunits(s) + 1 || (j == 1 ? (return 0) : throw(BoundsError(s, j)))
        j = thisind(s, j - 1)
    end
    j
end
function length(s::AbstractString)
    n = 0
    i = 1
    stop = ncodeunits(s)
    while i <= stop
        i = nextind_one(s, i)
        n += 1
    end
    n
end
length(s::AbstractString, i::Integer, j::Integer) = count(k -> isvalid(s, k), Int(i):Int(j))
function iterate(s::AbstractString, i::Int = 1)
    n = ncodeunits(s)
    i > n && return nothing
    b = codeunit(s, i)
    b < 0x80 && return (bitcast(Char, UInt32(b) << 24), i + 1)
    w = char_width(b)
    u = UInt32(b) << 24
    k = 1
    while k < w && i + k <= n
        c = codeunit(s, i + k)
        is_continuation(c) || break
        u |= UInt32(c) << (24 - 8k)
        k += 1
    end
    (bitcast(Char, u), i + k)
end
@noinline throw_string_index(s, i) = throw(StringIndexError(s, i))
struct StringIndexError <: Exception
    string::AbstractString
    index::Integer
end
function getindex(s::AbstractString, i::Integer)
    1 <= i <= ncodeunits(s) || throw(BoundsError(s, i))
    thisind(s, i) == i || throw_string_index(s, i)
    iterate(s, Int(i))[1]
end
getindex(s::AbstractString, r::AbstractUnitRange{<:Integer}) = substring_copy(s, Int(first(r)), Int(last(r)))
getindex(s::AbstractString, v::AbstractVector{<:Integer}) = string((s[i] for i in v)...)
getindex(s::AbstractString, ::Colon) = s
function substring_copy(s, i::Int, j::Int)
    i > j && return ""
    checkbounds_string(s, i, j)
    from = SubString(s, i, j)
    String(from)
end
function checkbounds_string(s, i, j)
    1 <= i && j <= ncodeunits(s) || throw(BoundsError(s, i:j))
    thisind(s, i) == i || throw_string_index(s, i)
    thisind(s, j) == j || throw_string_index(s, j)
    nothing
end
checkbounds(s::AbstractString, i::Integer) = 1 <= i <= ncodeunits(s) || throw(BoundsError(s, i))
function SubString(s::AbstractString, i::Integer = 1, j::Integer = lastindex(s))
    i <= j || return SubString{typeof(s)}(s, Int(i) - 1, 0, Val(:unchecked))
    checkbounds_string(s, i, j)
    SubString{typeof(s)}(s, Int(i) - 1, nextind(s, Int(j)) - Int(i), Val(:unchecked))
end
SubString(s::SubString{T}, i::Integer = 1, j::Integer = lastindex(s)) where {T} =
    (p = SubString(s.string, s.offset + Int(i), s.offset + Int(j)); p)
SubString(s::AbstractString, r::AbstractUnitRange{<:Integer}) = SubString(s, first(r), last(r))
SubString{String}(s::String) = SubString(s)
view(s::AbstractString, r::AbstractUnitRange{<:Integer}) = SubString(s, first(r), last(r))
keys(s::AbstractString) = EachStringIndex(s)
eachindex(s::AbstractString) = EachStringIndex(s)
struct EachStringIndex{S}
    s::S
end
length(e::EachStringIndex) = length(e.s)
eltype(::Type{<:EachStringIndex}) = Int
iterate(e::EachStringIndex, i::Int = 1) = i > ncodeunits(e.s) ? nothing : (i, nextind_one(e.s, i))
first(e::EachStringIndex) = 1
last(e::EachStringIndex) = lastindex(e.s)
first(s::AbstractString) = s[1]
last(s::AbstractString) = s[end]
first(s::AbstractString, n::Integer) = s[1:min(lastindex(s), nextind(s, 0, min(n, length(s))))]
last(s::AbstractString, n::Integer) = n >= length(s) ? String(s) : s[nextind(s, 0, length(s) - n + 1):end]
pairs(s::AbstractString) = Generator(i -> i => s[i], eachindex(s))

# Comparison and joining.
function ==(a::AbstractString, b::AbstractString)
    ncodeunits(a) == ncodeunits(b) || return false
    for i in 1:ncodeunits(a)
        codeunit(a, i) == codeunit(b, i) || return false
    end
    true
end
==(a::String, b::String) = a === b
isequal(a::AbstractString, b::AbstractString) = a == b
function cmp(a::AbstractString, b::AbstractString)
    for i in 1:min(ncodeunits(a), ncodeunits(b))
        x, y = codeunit(a, i), codeunit(b, i)
        x == y || return x < y ? -1 : 1
    end
    cmp(ncodeunits(a), ncodeunits(b))
end
isless(a::AbstractString, b::AbstractString) = cmp(a, b) < 0
*(a::Union{AbstractString, AbstractChar}, bs::Union{AbstractString, AbstractChar}...) = string(a, bs...)
^(s::Union{AbstractString, AbstractChar}, n::Integer) = repeat(s, n)
one(::Union{T, Type{T}}) where {T <: AbstractString} = ""
repeat(c::AbstractChar, n::Integer) = repeat(string(c), n)
function repeat(s::AbstractString, n::Integer)
    n < 0 && throw(ArgumentError(string("can't repeat a string ", n, " times")))
    str = String(s)
    k = sizeof(str)
    m = Memory{UInt8}(undef, k * Int(n))
    for i in 1:(k * Int(n))
        m[i] = codeunit(str, mod1(i, k))
    end
    String(m)
end
reverse(s::AbstractString) = string(reverse(collect(s))...)
function join(io::IO, itr, delim = "", last_delim = delim)
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
join(itr, delim = "", last_delim = delim) = sprint(io -> join(io, itr, delim, last_delim))
ascii(s::AbstractString) = isascii(s) ? String(s) : throw(ArgumentError("invalid ASCII"))
isascii(s::AbstractString) = all(i -> codeunit(s, i) < 0x80, 1:ncodeunits(s))
textwidth(s::AbstractString) = (n = 0; for c in s; n += textwidth(c); end; n)

# Case and padding.
uppercase(s::AbstractString) = map(uppercase, s)
lowercase(s::AbstractString) = map(lowercase, s)
uppercasefirst(s::AbstractString) = isempty(s) ? "" : string(uppercase(s[1]), s[nextind(s, 1):end])
lowercasefirst(s::AbstractString) = isempty(s) ? "" : string(lowercase(s[1]), s[nextind(s, 1):end])
titlecase(s::AbstractString) = join(map(uppercasefirst, split(lowercase(s), ' ')), " ")
map(f, s::AbstractString) = sprint(io -> (for c in s; print(io, f(c)); end))
filter(f, s::AbstractString) = sprint(io -> (for c in s; f(c) && print(io, c); end))
function lpad(s, n::Integer, p::Union{AbstractChar, AbstractString} = ' ')
    str = string(s)
    k = Int(n) - textwidth(str)
    k <= 0 ? str : string(padding(p, k), str)
end
function rpad(s, n::Integer, p::Union{AbstractChar, AbstractString} = ' ')
    str = string(s)
    k = Int(n) - textwidth(str)
    k <= 0 ? str : string(str, padding(p, k))
end
padding(p::AbstractChar, k) = repeat(p, k)
padding(p::AbstractString, k) = first(repeat(p, cld(k, max(textwidth(p), 1))), k)

# Stripping.
lstrip(s::AbstractString) = lstrip(isspace, s)
rstrip(s::AbstractString) = rstrip(isspace, s)
strip(s::AbstractString) = strip(isspace, s)
char_test(c::AbstractChar) = ==(c)
char_test(cs) = c -> c in cs
lstrip(s::AbstractString, chars::Union{AbstractChar, Tuple, AbstractVector, AbstractSet, AbstractString}) = lstrip(char_test(chars), s)
rstrip(s::AbstractString, chars::Union{AbstractChar, Tuple, AbstractVector, AbstractSet, AbstractString}) = rstrip(char_test(chars), s)
strip(s::AbstractString, chars::Union{AbstractChar, Tuple, AbstractVector, AbstractSet, AbstractString}) = strip(char_test(chars), s)
strip(f, s::AbstractString) = lstrip(f, rstrip(f, s))
function lstrip(f, s::AbstractString)
    for i in eachindex(s)
        f(s[i]) || return SubString(s, i, lastindex(s))
    end
    SubString(s, 1, 0)
end
function rstrip(f, s::AbstractString)
    i = lastindex(s)
    while i >= 1
        f(s[i]) || return SubString(s, 1, i)
        i = prevind(s, i)
    end
    SubString(s, 1, 0)
end
chomp(s::AbstractString) = endswith(s, "\r\n") ? SubString(s, 1, prevind(s, lastindex(s), 2)) :
    endswith(s, '\n') ? SubString(s, 1, prevind(s, lastindex(s))) : SubString(s)
chop(s::AbstractString; head::Integer = 0, tail::Integer = 1) =
    head + tail >= length(s) ? SubString(s, 1, 0) : SubString(s, nextind(s, 1, head), prevind(s, ncodeunits(s) + 1, tail + 1))
chopprefix(s::AbstractString, p::AbstractString) = startswith(s, p) ? SubString(s, 1 + ncodeunits(p)) : SubString(s)
chopsuffix(s::AbstractString, p::AbstractString) =
    !isempty(p) && endswith(s, p) ? SubString(s, 1, thisind(s, ncodeunits(s) - ncodeunits(p))) : SubString(s)

# Finding.
function startswith(s::AbstractString, p::AbstractString)
    n = ncodeunits(p)
    n <= ncodeunits(s) || return false
    for i in 1:n
        codeunit(s, i) == codeunit(p, i) || return false
    end
    true
end
function endswith(s::AbstractString, p::AbstractString)
    n = ncodeunits(p)
    k = ncodeunits(s) - n
    k >= 0 || return false
    for i in 1:n
        codeunit(s, k + i) == codeunit(p, i) || return false
    end
    true
end
startswith(s::AbstractString, c::AbstractChar) = !isempty(s) && s[1] == c
endswith(s::AbstractString, c::AbstractChar) = !isempty(s) && s[end] == c
startswith(s::AbstractString, cs::Union{Tuple, AbstractVector, AbstractSet}) = !isempty(s) && s[1] in cs
startswith(p) = Fix2(startswith, p)
endswith(p) = Fix2(endswith, p)
function find_bytes(s, p, from::Int)
    n = ncodeunits(p)
    for i in from:(ncodeunits(s) - n + 1)
        j = 1
        while j <= n && codeunit(s, i + j - 1) == codeunit(p, j)
            j += 1
        end
        j > n && return i
    end
    0
end
occursin(p::AbstractString, s::AbstractString) = find_bytes(s, p, 1) != 0
occursin(c::AbstractChar, s::AbstractString) = any(x -> x == c, s)
occursin(s) = Fix2(occursin, s)
contains(s::AbstractString, p) = occursin(p, s)
contains(p) = Fix2(contains, p)
in(c::AbstractChar, s::AbstractString) = occursin(c, s)
in(p::AbstractString, s::AbstractString) = error("use occursin(needle, haystack) for string containment")
findfirst(p::AbstractString, s::AbstractString) = findnext(p, s, 1)
findfirst(c::AbstractChar, s::AbstractString) = findnext(==(c), s, 1)
findfirst(f::Function, s::AbstractString) = findnext(f, s, 1)
function findnext(p::AbstractString, s::AbstractString, from::Integer)
    i = find_bytes(s, p, Int(from))
    i == 0 ? nothing : isempty(p) ? (i:(i - 1)) : (i:thisind(s, i + ncodeunits(p) - 1))
end
findnext(c::AbstractChar, s::AbstractString, from::Integer) = findnext(==(c), s, from)
function findnext(f::Function, s::AbstractString, from::Integer)
    i = Int(from)
    while i <= ncodeunits(s)
        f(s[i]) && return i
        i = nextind(s, i)
    end
    nothing
end
findlast(c::AbstractChar, s::AbstractString) = findlast(==(c), s)
function findlast(f::Function, s::AbstractString)
    i = lastindex(s)
    while i >= 1
        f(s[i]) && return i
        i = prevind(s, i)
    end
    nothing
end
function findlast(p::AbstractString, s::AbstractString)
    best = nothing
    r = findfirst(p, s)
    while r !== nothing
        best = r
        r = findnext(p, s, nextind(s, first(r)))
    end
    best
end
findprev(f::Function, s::AbstractString, from::Integer) = (i = Int(from); while i >= 1; f(s[i]) && return i; i = prevind(s, i); end; nothing)
findall(c::AbstractChar, s::AbstractString) = [i for i in eachindex(s) if s[i] == c]
findall(f::Function, s::AbstractString) = [i for i in eachindex(s) if f(s[i])]
function findall(p::AbstractString, s::AbstractString)
    out = UnitRange{Int}[]
    r = findfirst(p, s)
    while r !== nothing
        push!(out, r)
        r = findnext(p, s, last(r) + 1)
    end
    out
end
count(p::AbstractString, s::AbstractString) = length(findall(p, s))
count(c::AbstractChar, s::AbstractString) = count(==(c), s)

# Splitting and replacing.
# The first match at or after `from`, as the positions of its first byte and of the byte after it.
match_from(p::AbstractString, s, from) = (i = find_bytes(s, p, from); i == 0 ? nothing : (i, i + ncodeunits(p)))
match_from(c::AbstractChar, s, from) = match_from(==(c), s, from)
match_from(cs::Union{Tuple, AbstractVector, AbstractSet}, s, from) = match_from(c -> c in cs, s, from)
match_from(f::Function, s, from) = (i = findnext(f, s, from); i === nothing ? nothing : (i, nextind(s, i)))
split(s::AbstractString; limit::Integer = 0, keepempty::Bool = false) = split(s, isspace; limit = limit, keepempty = keepempty)
function split(s::AbstractString, delim; limit::Integer = 0, keepempty::Bool = true)
    out = SubString{String}[]
    str = String(s)
    if delim isa AbstractString && isempty(delim)
        return [SubString(str, i, i) for i in eachindex(str)]
    end
    from = 1
    search = 1
    while limit <= 0 || length(out) < limit - 1
        m = match_from(delim, str, search)
        m === nothing && break
        i, j = m
        (keepempty || i > from) && push!(out, SubString(str, from, prevind(str, i)))
        from = search = j
    end
    rest_piece = SubString(str, from, lastindex(str))
    (keepempty || !isempty(rest_piece)) && push!(out, rest_piece)
    out
end
eachsplit(s::AbstractString, args...; kws...) = split(s, args...; kws...)
function rsplit(s::AbstractString, delim; limit::Integer = 0, keepempty::Bool = true)
    parts = split(s, delim; keepempty = keepempty)
    (limit <= 0 || length(parts) <= limit) && return parts
    k = length(parts) - limit + 1
    str = String(s)
    stop = parts[k].offset + parts[k].ncodeunits
    vcat([SubString(str, 1, thisind(str, max(stop, 1)))], parts[(k + 1):end])
end
rsplit(s::AbstractString; kws...) = rsplit(s, isspace; keepempty = false, kws...)
function replace(s::AbstractString, ps::Pair...; count::Integer = typemax(Int))
    str = String(s)
    sprint() do io
        from = 1
        done = 0
        while done < count
            best = nothing
            with = nothing
            pattern = nothing
            for p in ps
                m = match_from(p.first, str, from)
                if m !== nothing && (best === nothing || m[1] < best[1])
                    best = m
                    with = p.second
                    pattern = p.first
                end
            end
            best === nothing && break
            i, j = best
            i > from && write(io, SubString(str, from, prevind(str, i)))
            print(io, replacement_text(with, pattern, str, i, j))
            done += 1
            if j == i
                i <= ncodeunits(str) && print(io, str[i])
                from = i <= ncodeunits(str) ? nextind(str, i) : i + 1
                from > ncodeunits(str) + 1 && break
            else
                from = j
            end
        end
        from <= ncodeunits(str) && write(io, SubString(str, from, lastindex(str)))
    end
end
lines_of(s) = split(s, '\n')
escape_string(s::AbstractString) = sprint(io -> escape_string(io, s))
function escape_string(io::IO, s::AbstractString, esc = "")
    for c in s
        if c == '\\' || c in esc
            print(io, '\\', c)
        elseif c == '\n'
            print(io, "\\n")
        elseif c == '\t'
            print(io, "\\t")
        elseif c == '\r'
            print(io, "\\r")
        elseif c == '\0'
            print(io, "\\0")
        elseif c == '\e'
            print(io, "\\e")
        elseif c == '\a'
            print(io, "\\a")
        elseif c == '\b'
            print(io, "\\b")
        elseif c == '\v'
            print(io, "\\v")
        elseif c == '\f'
            print(io, "\\f")
        elseif iscntrl(c)
            print(io, UInt32(c) < 0x80 ? "\\x" : "\\u", string(UInt32(c), base = 16, pad = UInt32(c) < 0x80 ? 2 : 4))
        else
            print(io, c)
        end
    end
end
bytes2hex(v) = join(string(b, base = 16, pad = 2) for b in v)
hex2bytes(s::AbstractString) = [parse(UInt8, s[i:(i + 1)], base = 16) for i in 1:2:length(s)]
function unescape_string(s::AbstractString)
    sprint() do io
        i = 1
        while i <= ncodeunits(s)
            c = s[i]
            i = nextind(s, i)
            if c == '\\' && i <= ncodeunits(s)
                c = s[i]
                i = nextind(s, i)
                at = findfirst(c, "ntr0eabvf")
                print(io, at === nothing ? c : "\n\t\r\0\e\a\b\v\f"[at])
            else
                print(io, c)
            end
        end
    end
end
