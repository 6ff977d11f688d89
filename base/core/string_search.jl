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
    n <= ncodeunits(s) || return false
    for i in 1:n
        codeunit(s, i) == codeunit(p, i) || return false
    end
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
    k >= 0 || return false
    for i in 1:n
        codeunit(s, k + i) == codeunit(p, i) || return false
    end
    n == 0 || thisind(s, k + 1) == k + 1
end
startswith(s::AbstractString, cs::Chars) = !isempty(s) && char_test(cs)(first(s))::Bool
endswith(s::AbstractString, cs::Chars) = !isempty(s) && char_test(cs)(last(s))::Bool
startswith(io::IO, cs::Chars) = !eof(io) && char_test(cs)(peek(io, Char))
startswith(p) = Fix2(startswith, p)
endswith(p) = Fix2(endswith, p)

# The position of the first byte of `p` in `s` at or after `from`, or 0.
function find_bytes(s, p, from::Int)
    n = ncodeunits(p)
    n == 0 && return from
    b = codeunit(p, 1)
    for i in max(from, 1):(ncodeunits(s) - n + 1)
        codeunit(s, i) == b && has_units(s, p, n, i) && return i
    end
    0
end
# Whether the `n` code units of `p` stand in `s` from `i` on.
@inline function has_units(s, p, n::Int, i::Int)
    j = 1
    while j <= n && codeunit(s, i + j - 1) == codeunit(p, j)
        j += 1
    end
    j > n
end
# The last place at or before `from`.
function find_bytes_before(s, p, from::Int)
    n = ncodeunits(p)
    for i in min(from, ncodeunits(s) - n + 1):-1:1
        has_units(s, p, n, i) && return i
    end
    0
end
find_text(s::ByteString, p::ByteString, from::Int) = find_bytes(s, p, from)
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
occursin(c::AbstractChar, s::AbstractString) = any(x -> x == c, s)
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
function findnext(p::ByteVector, v::ByteVector, from::Integer)
    n, start = length(p), Int(from) - firstindex(v) + 1
    start < 1 && throw(BoundsError(v, from))
    start > length(v) + 1 && throw(BoundsError(v, from))
    n == 0 && return Int(from):(Int(from) - 1)
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
