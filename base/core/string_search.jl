# Finding in strings: prefixes, characters, text within text, and bytes within bytes.

# Characters to look for, given one by one.
const Chars = Union{AbstractChar, Tuple{Vararg{AbstractChar}}, AbstractVector{<:AbstractChar}, AbstractSet{<:AbstractChar}}
char_test(c::AbstractChar) = ==(c)
char_test(cs) = c -> c in cs
char_test(f::Function) = f
# A set is searched by hashing, a long list too.
char_test(cs::AbstractVector{<:AbstractChar}) = length(cs) > 16 ? char_test(Set(cs)) : Fix2(in, cs)

function startswith(s::AbstractString, p::AbstractString)
    x, y = iterate(s), iterate(p)
    while y !== nothing
        x === nothing && return false
        x[1] == y[1] || return false
        x, y = iterate(s, x[2]), iterate(p, y[2])
    end
    true
end
function startswith(s::ByteString, p::ByteString)
    n = ncodeunits(p)
    Host.has_text(s, p, 1) || return false
    n == ncodeunits(s) || nextind(s, n) == n + 1
end
function endswith(s::AbstractString, p::AbstractString)
    i, j = ncodeunits(s) + 1, ncodeunits(p) + 1
    while j > 1
        i > 1 || return false
        i, j = prevind(s, i), prevind(p, j)
        s[i] == p[j] || return false
    end
    true
end
function endswith(s::ByteString, p::ByteString)
    n = ncodeunits(p)
    k = ncodeunits(s) - n
    Host.has_text(s, p, k + 1) || return false
    n == 0 || thisind(s, k + 1) == k + 1
end
startswith(s::ByteString, c::Char) = ncodeunits(s) > 0 && byte_iterate(s, 1)[1] === c
endswith(s::ByteString, c::Char) = ncodeunits(s) > 0 && byte_iterate(s, byte_thisind(s, ncodeunits(s)))[1] === c
startswith(s::AbstractString, cs::Chars) = !isempty(s) && char_test(cs)(first(s))::Bool
endswith(s::AbstractString, cs::Chars) = !isempty(s) && char_test(cs)(last(s))::Bool
startswith(io::IO, cs::Chars) = !eof(io) && char_test(cs)(peek(io, Char))
startswith(p) = Fix2(startswith, p)
endswith(p) = Fix2(endswith, p)

# The position of the first byte of `p` in `s` at or after `from`, or 0.
function find_text(s::ByteString, p::ByteString, from::Int)
    i = Host.find_text(s, p, from, false)
    i < 0 ? find_text(s, first(p), from) : i
end
find_text(s::AbstractString, p::AbstractChar, from::Int) = something(findnext(==(p), s, from), 0)
function find_text(s::AbstractString, p::AbstractString, from::Int)
    i = from
    while i <= ncodeunits(s)
        text_at(s, p, i) && return i
        i = nextind(s, i)
    end
    isempty(p) ? i : 0
end
function text_at(s, p, i)
    x, y = iterate(s, i), iterate(p)
    while y !== nothing
        x === nothing && return false
        x[1] == y[1] || return false
        x, y = iterate(s, x[2]), iterate(p, y[2])
    end
    true
end
occursin(p::AbstractString, s::AbstractString) = find_text(s, p, firstindex(s)) != 0
occursin(c::AbstractChar, s::AbstractString) = findfirst(==(c), s) !== nothing
occursin(s) = Fix2(occursin, s)
contains(s::AbstractString, p) = occursin(p, s)
contains(p) = Fix2(contains, p)
in(c::AbstractChar, s::AbstractString) = occursin(c, s)
in(p::AbstractString, s::AbstractString) = error("use occursin(needle, haystack) for string containment")

# Forwards.
findfirst(p::AbstractString, s::AbstractString) = findnext(p, s, firstindex(s))
findfirst(c::AbstractChar, s::AbstractString) = findnext(==(c), s, firstindex(s))
findfirst(f::Function, s::AbstractString) = findnext(f, s, firstindex(s))
findnext(p::AbstractString, s::AbstractString, from::Integer) = findnext(p, s, Int(from))
function findnext(p::AbstractString, s::AbstractString, from::Int)
    z = ncodeunits(s) + 1
    if isempty(p)
        1 <= from <= z || throw(BoundsError(s, from))
        return from:(from - 1)
    end
    1 <= from || throw(BoundsError(s, from))
    from > z + 1 && throw(BoundsError(s, from))
    from >= z && return nothing
    i = find_text(s, p, thisind_next(s, from))
    i == 0 ? nothing : (i:(i + lastindex(p) - 1))
end
# `from`, or where the next character begins if that is inside of one.
thisind_next(s, from) = isvalid(s, from) ? from : nextind(s, from)
findnext(c::AbstractChar, s::AbstractString, from::Integer) = findnext(==(c), s, from)
function findnext(f::Function, s::AbstractString, from::Integer)
    i = Int(from)
    z = ncodeunits(s) + 1
    1 <= i <= z || throw(BoundsError(s, i))
    i == z || isvalid(s, i) || throw_string_index(s, i)
    while i < z
        f(s[i])::Bool && return i
        i = nextind(s, i)
    end
    nothing
end

# The runtime looks for the bytes of a character, unless they may stand within another one (`-1`).
const CharTest = Fix2{<:Union{typeof(==), typeof(isequal)}, <:AbstractChar}
function findnext(test::CharTest, s::ByteString, from::Integer)
    i = Int(from)
    n = ncodeunits(s)
    1 <= i <= n + 1 || throw(BoundsError(s, i))
    i == n + 1 && return nothing
    isvalid(s, i) || throw_string_index(s, i)
    at = test.x isa Char ? Host.find_text(s, test.x, i, false) : -1
    at < 0 ? invoke(findnext, Tuple{Function, AbstractString, Int}, test, s, i) : at == 0 ? nothing : at
end
function count(test::CharTest, s::ByteString; init = 0)
    n = test.x isa Char ? Host.count_text(s, test.x) : -1
    n < 0 ? count_from(test, s, init) : init + n
end

# Backwards: what ends at or before `from`.
findlast(p::AbstractString, s::AbstractString) = findprev(p, s, lastindex(s))
findlast(c::AbstractChar, s::AbstractString) = findprev(==(c), s, lastindex(s))
findlast(f::Function, s::AbstractString) = findprev(f, s, lastindex(s))
findprev(c::AbstractChar, s::AbstractString, from::Integer) = findprev(==(c), s, from)
function findprev(f::Function, s::AbstractString, from::Integer)
    i = Int(from)
    i < 1 && return i == 0 ? nothing : throw(BoundsError(s, i))
    n = ncodeunits(s)
    i > n && return i == n + 1 ? nothing : throw(BoundsError(s, i))
    isvalid(s, i) || throw_string_index(s, i)
    while i >= 1
        f(s[i])::Bool && return i
        i = prevind(s, i)
    end
    nothing
end
function findprev(test::CharTest, s::ByteString, from::Integer)
    i = Int(from)
    n = ncodeunits(s)
    i < 1 && return i == 0 ? nothing : throw(BoundsError(s, i))
    i > n && return i == n + 1 ? nothing : throw(BoundsError(s, i))
    # From within a character the search begins with it.
    i = thisind(s, i)
    at = test.x isa Char ? Host.find_text(s, test.x, i, true) : -1
    at < 0 ? invoke(findprev, Tuple{Function, AbstractString, Int}, test, s, i) : at == 0 ? nothing : at
end
findprev(p::AbstractString, s::AbstractString, from::Integer) = findprev(p, s, Int(from))
function findprev(p::AbstractString, s::AbstractString, from::Int)
    n = ncodeunits(s)
    if isempty(p)
        0 <= from <= n + 1 || throw(BoundsError(s, from))
        at = from == 0 ? 1 : nextind_bounded(s, from)
        return at:(at - 1)
    end
    from < 0 && throw(BoundsError(s, from))
    stop = min(from, lastindex(s))
    stop == 0 && return nothing
    # The last character of `p` is no later than `stop`.
    start = stop - lastindex(p) + 1
    if p isa ByteString && s isa ByteString && !is_continuation(codeunit(p, 1))
        at = start < 1 ? 0 : Host.find_text(s, p, start, true)
        at < 0 || return at == 0 ? nothing : (at:(at + lastindex(p) - 1))
    end
    while start >= 1
        isvalid(s, start) && text_at(s, p, start) && start + lastindex(p) - 1 <= stop && return start:(start + lastindex(p) - 1)
        start -= 1
    end
    nothing
end
nextind_bounded(s, i) = i > ncodeunits(s) ? i : nextind(s, i)

# All of them.
findall(c::AbstractChar, s::AbstractString) = findall(==(c), s)
findall(f::Function, s::AbstractString) = Int[i for i in eachindex(s) if f(s[i])]
function findall(p::Union{AbstractString, AbstractVector{UInt8}}, s::Union{AbstractString, AbstractVector{UInt8}}; overlap::Bool = false)
    out = UnitRange{Int}[]
    i, e = firstindex(s), lastindex(s)
    while true
        r = findnext(p, s, i)
        r === nothing && break
        push!(out, r)
        j = overlap || isempty(r) ? first(r) : last(r)
        j > e && break
        i = nextind(s, j)
    end
    out
end
function count(p::AbstractString, s::AbstractString; overlap::Bool = false)
    n = !overlap && p isa ByteString && s isa ByteString ? Host.count_text(s, p) : -1
    n < 0 || return n
    n = 0
    i, e = firstindex(s), lastindex(s)
    while true
        r = findnext(p, s, i)
        r === nothing && break
        n += 1
        j = overlap || isempty(r) ? first(r) : last(r)
        j > e && break
        i = nextind(s, j)
    end
    n
end
count(c::AbstractChar, s::AbstractString; overlap::Bool = false) = count(==(c), s)

# Bytes within bytes.
const ByteVector = AbstractVector{<:Union{Int8, UInt8}}
const PlainBytes = Union{Vector{UInt8}, Memory{UInt8}}
const ByteTest = Fix2{<:Union{typeof(==), typeof(isequal)}, UInt8}
function findnext(test::ByteTest, v::PlainBytes, from::Integer)
    i = Host.find_text(v, test.x, max(Int(from), 1), false)
    i == 0 ? nothing : i
end
function findprev(test::ByteTest, v::PlainBytes, from::Integer)
    Int(from) > length(v) && throw_array_bounds(v, (Int(from),))
    i = Host.find_text(v, test.x, Int(from), true)
    i == 0 ? nothing : i
end
function findnext(p::ByteVector, v::ByteVector, from::Integer)
    n, start = length(p), Int(from) - firstindex(v) + 1
    start < 1 && throw(BoundsError(v, from))
    start > length(v) + 1 && throw(BoundsError(v, from))
    n == 0 && return Int(from):(Int(from) - 1)
    if v isa PlainBytes && p isa PlainBytes
        i = Host.find_text(v, p, start, false)
        return i == 0 ? nothing : (i:(i + n - 1))
    end
    for i in start:(length(v) - n + 1)
        bytes_at(v, p, i) && return (i + firstindex(v) - 1):(i + firstindex(v) + n - 2)
    end
    nothing
end
bytes_at(v, p, i) = all(j -> v[firstindex(v) + i + j - 2] == p[firstindex(p) + j - 1], 1:length(p))
function findprev(p::ByteVector, v::ByteVector, from::Integer)
    n, stop = length(p), min(Int(from) - firstindex(v) + 1, length(v))
    Int(from) < firstindex(v) - 1 && throw(BoundsError(v, from))
    n == 0 && return (Int(from) + 1):Int(from)
    for i in (stop - n + 1):-1:1
        bytes_at(v, p, i) && return (i + firstindex(v) - 1):(i + firstindex(v) + n - 2)
    end
    nothing
end
findfirst(p::ByteVector, v::ByteVector) = findnext(p, v, firstindex(v))
findlast(p::ByteVector, v::ByteVector) = findprev(p, v, lastindex(v))
