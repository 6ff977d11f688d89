# Regular expressions: patterns of PCRE, matched by the host.

abstract type AbstractPattern end
"""
    Regex(pattern, flags = "")

A compiled regular expression; `r"..."` writes it.
"""
mutable struct Regex <: AbstractPattern
    pattern::String
    options::String
    names::Vector{Any}
    function Regex(pattern::AbstractString, options::AbstractString = "")
        p, o = String(pattern), String(options)
        new(p, o, Host.regex_names(p, o))
    end
end
"""
    r"pattern"flags

A `Regex`. The flags `i`, `m`, `s` and `x` are those of PCRE.
"""
macro r_str(pattern, options...)
    Expr(:call, GlobalRef(Base, :Regex), pattern, options...)
end
function show(io::IO, r::Regex)
    print(io, "r\"")
    escape_raw(io, r.pattern)
    print(io, "\"", r.options)
end
escape_raw(io, s) = escape_raw_string(io, s)
==(a::Regex, b::Regex) = a.pattern == b.pattern && a.options == b.options
hash(r::Regex, h::UInt) = hash(r.pattern, hash(r.options, h))
broadcastable(r::Regex) = Ref(r)
*(a::Regex, b::Regex) = Regex(string("(?:", a.pattern, ")(?:", b.pattern, ")"), a.options)
^(r::Regex, n::Integer) = Regex(string("(?:", r.pattern, "){", n, "}"), r.options)

"""
    SubstitutionString(text)

A text with references to the groups of a match, for `replace`; `s"..."` writes it.
"""
struct SubstitutionString{T <: AbstractString} <: AbstractString
    string::T
end

# A match: what was found, the groups, and where they begin (0 for a group that took no part).
abstract type AbstractMatch end
"""
    RegexMatch

A match of a regular expression: the text, its place and its groups.
"""
struct RegexMatch{S <: AbstractString} <: AbstractMatch
    match::SubString{S}
    captures::Vector{Union{Nothing, SubString{S}}}
    offset::Int
    offsets::Vector{Int}
    regex::Regex
end
# Positions of the match and its groups in bytes from 0, or `nothing`.
regex_offsets(r::Regex, s::String, from::Int) = Host.regex_match(r.pattern, r.options, s, from - 1)
piece(s::String, from, to) = SubString(s, from + 1, to == from ? from : thisind(s, to))
function match(r::Regex, s::Union{String, SubString{String}}, from::Integer = 1)
    str = String(s)
    at = regex_offsets(r, str, Int(from))
    at === nothing && return nothing
    n = length(at) ÷ 2 - 1
    captures = Vector{Union{Nothing, SubString{String}}}(undef, n)
    offsets = Vector{Int}(undef, n)
    for k in 1:n
        from_k, to_k = at[2k + 1], at[2k + 2]
        captures[k] = from_k < 0 ? nothing : piece(str, from_k, to_k)
        offsets[k] = from_k + 1
    end
    RegexMatch{String}(piece(str, at[1], at[2]), captures, at[1] + 1, offsets, r)
end
match(r::Regex, s::Union{SubstitutionString, LazyString}, from::Integer = 1) = match(r, String(s), from)
match(r::Regex, s::AbstractString, from::Integer = 1) = throw_regex_string()
@noinline throw_regex_string() = throw(ArgumentError("regex matching is only available for the String and SubString{String} types; use String(s) to convert to UTF-8"))
group_index(m::RegexMatch, i::Integer) = Int(i)
function group_index(m::RegexMatch, name::Union{AbstractString, Symbol})
    i = findfirst(n -> n == string(name), m.regex.names)
    i === nothing ? throw(ErrorException(string("no capture group named ", name, " found in regex"))) : i
end
getindex(m::RegexMatch, i::Union{Integer, AbstractString, Symbol}) = m.captures[group_index(m, i)]
haskey(m::RegexMatch, i::Integer) = 1 <= i <= length(m.captures)
haskey(m::RegexMatch, name::Union{AbstractString, Symbol}) = any(n -> n == string(name), m.regex.names)
keys(m::RegexMatch) = [something(m.regex.names[k], k) for k in 1:length(m.captures)]
values(m::RegexMatch) = m.captures
length(m::RegexMatch) = length(m.captures)
pairs(m::RegexMatch) = [k => v for (k, v) in zip(keys(m), m.captures)]
Dict(m::RegexMatch) = Dict(pairs(m))
(::Type{NamedTuple})(m::RegexMatch) = NamedTuple{Tuple(Symbol(k) for k in keys(m))}(Tuple(m.captures))
iterate(m::RegexMatch, k...) = iterate(m.captures, k...)
eltype(::Type{RegexMatch{S}}) where {S} = Union{Nothing, SubString{S}}
getindex(m::RegexMatch, is::AbstractVector) = [m[i] for i in is]
function show(io::IO, m::RegexMatch)
    print(io, "RegexMatch(")
    show(io, m.match)
    for k in 1:length(m.captures)
        print(io, ", ", something(m.regex.names[k], k), "=")
        show(io, m.captures[k])
    end
    print(io, ")")
end

struct RegexMatchIterator{S}
    regex::Regex
    string::S
    overlap::Bool
end
eachmatch(r::Regex, s::AbstractString; overlap::Bool = false) = RegexMatchIterator(r, String(s), overlap)
IteratorSize(::Type{<:RegexMatchIterator}) = SizeUnknown()
eltype(::Type{<:RegexMatchIterator}) = RegexMatch{String}
function iterate(it::RegexMatchIterator, from::Int = 1)
    from > ncodeunits(it.string) + 1 && return nothing
    m = match(it.regex, it.string, from)
    m === nothing && return nothing
    stop = m.offset + ncodeunits(m.match)
    following = m.offset > ncodeunits(it.string) ? m.offset + 1 : nextind(it.string, m.offset)
    (m, it.overlap || stop == m.offset ? following : stop)
end

# What strings do with a pattern.
occursin(r::Regex, s::AbstractString; offset::Integer = 0) = regex_offsets(r, String(s), Int(offset) + 1) !== nothing
startswith(s::AbstractString, r::Regex) = (at = regex_offsets(Regex(string("\\A(?:", r.pattern, ")"), r.options), String(s), 1); at !== nothing)
endswith(s::AbstractString, r::Regex) = (at = regex_offsets(Regex(string("(?:", r.pattern, ")\\z"), r.options), String(s), 1); at !== nothing)
chopprefix(s::AbstractString, r::Regex) = (m = match(Regex(string("\\A(?:", r.pattern, ")"), r.options), s); m === nothing ? SubString(s) : SubString(s, 1 + ncodeunits(m.match)))
chopsuffix(s::AbstractString, r::Regex) = (m = match(Regex(string("(?:", r.pattern, ")\\z"), r.options), s); m === nothing || isempty(m.match) ? SubString(s) : SubString(s, 1, prevind(s, m.offset)))
function match_from(r::Regex, s, from)
    at = regex_offsets(r, s, Int(from))
    at === nothing ? nothing : (at[1] + 1, at[2] + 1)
end
findnext(r::Regex, s::AbstractString, from::Integer) = throw_regex_string()
function findnext(r::Regex, s::ByteString, from::Integer)
    from > ncodeunits(s) + 1 && throw(BoundsError(s, from))
    m = match_from(r, String(s), from)
    m === nothing ? nothing : m[1] == m[2] ? (m[1]:(m[1] - 1)) : (m[1]:thisind(s, m[2] - 1))
end
findfirst(r::Regex, s::AbstractString) = findnext(r, s, 1)
function findall(r::Regex, s::AbstractString; overlap::Bool = false)
    out = UnitRange{Int}[]
    for m in eachmatch(r, s; overlap = overlap)
        n = ncodeunits(m.match)
        push!(out, m.offset:(n == 0 ? m.offset - 1 : thisind(s, m.offset + n - 1)))
    end
    out
end
count(r::Regex, s::AbstractString; overlap::Bool = false) = length(findall(r, s; overlap = overlap))

ncodeunits(s::SubstitutionString) = ncodeunits(s.string)
codeunit(s::SubstitutionString, i::Integer) = codeunit(s.string, i)
codeunit(s::SubstitutionString) = UInt8
isvalid(s::SubstitutionString, i::Integer) = isvalid(s.string, i)
iterate(s::SubstitutionString, i::Integer...) = iterate(s.string, i...)::Union{Nothing, Tuple{AbstractChar, Int}}
String(s::SubstitutionString) = String(s.string)
show(io::IO, s::SubstitutionString) = (print(io, "s\""); escape_raw(io, s.string); print(io, "\""))
"""
    s"text"

A text to substitute for a match of a `Regex`, in which `\\1` and `\\g<name>` are its groups.
"""
macro s_str(s)
    SubstitutionString(s)
end
# The text is kept as it was written, and its escapes are read when something is replaced; those that name groups stay.
replacement_of(s::SubstitutionString) = unescape_string(s.string, ['\\', 'g', '0':'9'...])
# The replacement of a match: `\1`, `\g<1>` and `\g<name>` are groups of the match, `\g<0>` all of it, `\\` a backslash.
@noinline bad_replacement(template) = error("Bad replacement string: ", template)
write_replacement(io, with::SubstitutionString, str, r, p) = write_template(io, replacement_of(with), SubString(str, first(r), last(r)), nothing)
write_replacement(io, with::SubstitutionString, str, r, p::Replacer) = invoke(write_replacement, Tuple{Any, SubstitutionString, Any, Any, Any}, io, with, str, r, p)
write_replacement(io, with::SubstitutionString, str, r, p::Regex) =
    (m = match(p, String(str), first(r)); write_template(io, replacement_of(with), m.match, m))
function write_template(io, template, whole, m)
    k = 1
    while k <= ncodeunits(template)
        c = template[k]
        k = nextind(template, k)
        if c != '\\'
            print(io, c)
            continue
        end
        k > ncodeunits(template) && bad_replacement(template)
        c = template[k]
        k = nextind(template, k)
        if isdigit(c)
            stop = k
            while stop <= ncodeunits(template) && isdigit(template[stop])
                stop += 1
            end
            print_group(io, whole, m, parse(Int, template[(k - 1):(stop - 1)]))
            k = stop
        elseif c == 'g' && k <= ncodeunits(template) && template[k] == '<'
            close = findnext('>', template, k)
            close === nothing && bad_replacement(template)
            name = template[(k + 1):prevind(template, close)]
            print_group(io, whole, m, all(isdigit, name) ? parse(Int, name) : name)
            k = close + 1
        elseif c == '\\'
            print(io, c)
        else
            bad_replacement(template)
        end
    end
    nothing
end
function print_group(io, whole, m, group)
    group === 0 && return print(io, whole)
    m === nothing && error("Bad replacement string: pattern is not a Regex")
    group isa Int && !haskey(m, group) && error("PCRE error: unknown substring")
    text = m[group]
    text === nothing || print(io, text)
    nothing
end
