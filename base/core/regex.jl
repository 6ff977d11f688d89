# Regular expressions: patterns of PCRE, matched by the host.

# The numbers of PCRE that programs name: options of patterns and of matches, and codes of errors.
module PCRE
const ALT_BSUX = 0x00000002
const CASELESS = 0x00000008
const DOTALL = 0x00000020
const EXTENDED = 0x00000080
const MULTILINE = 0x00000400
const UCP = 0x00020000
const UTF = 0x00080000
const MATCH_INVALID_UTF = 0x04000000
const NO_UTF_CHECK = 0x40000000
const ENDANCHORED = 0x20000000
const ANCHORED = 0x80000000
# The letters of options, and all that one of a pattern may have.
const LETTERS = ('i' => CASELESS, 'm' => MULTILINE, 's' => DOTALL, 'x' => EXTENDED)
const FLAGS = CASELESS | MULTILINE | DOTALL | EXTENDED
const COMPILE_MASK = FLAGS | ALT_BSUX | UCP | UTF | MATCH_INVALID_UTF | NO_UTF_CHECK | ENDANCHORED | ANCHORED
const MATCH_MASK = NO_UTF_CHECK | ENDANCHORED | ANCHORED
const ERROR_NOMATCH = Int32(-1)
const ERROR_PARTIAL = Int32(-2)
const ERROR_UTF8_ERR6 = Int32(-8)
const ERROR_NOMEMORY = Int32(-48)
const ERROR_NOSUBSTRING = Int32(-49)
err_message(code::Integer) = code == ERROR_NOMATCH ? "no match" : code == ERROR_PARTIAL ? "partial match" :
    code == ERROR_UTF8_ERR6 ? "UTF-8 error: byte 2 top bits not 0x80" : code == ERROR_NOMEMORY ? "no more memory" :
    code == ERROR_NOSUBSTRING ? "unknown substring" : string("error ", code)
end
const DEFAULT_COMPILER_OPTS = PCRE.UTF | PCRE.MATCH_INVALID_UTF | PCRE.ALT_BSUX | PCRE.UCP
const DEFAULT_MATCH_OPTS = PCRE.NO_UTF_CHECK
# Without these a pattern means bytes and ASCII.
const unicode_opts = PCRE.UTF | PCRE.MATCH_INVALID_UTF | PCRE.UCP

abstract type AbstractPattern end
"""
    Regex(pattern, flags = "")

A compiled regular expression; `r"..."` writes it.
"""
mutable struct Regex <: AbstractPattern
    pattern::String
    compile_options::UInt32
    match_options::UInt32
    # The flags as the host reads them.
    letters::String
    names::Vector{Any}
    function Regex(pattern::AbstractString, compile_options::Integer, match_options::Integer)
        compile, matching = UInt32(compile_options), UInt32(match_options)
        (compile & ~PCRE.COMPILE_MASK) == 0 || throw(ArgumentError(string("invalid regex compile options: ", compile)))
        (matching & ~PCRE.MATCH_MASK) == 0 || throw(ArgumentError(string("invalid regex match options: ", matching)))
        text = String(pattern)
        letters = flag_letters(compile)
        new(text, compile, matching, letters, Host.regex_names(text, letters))
    end
end
flag_letters(options) = String([letter for (letter, flag) in PCRE.LETTERS if options & flag != 0])
function Regex(pattern::AbstractString, flags::AbstractString)
    compile, matching = DEFAULT_COMPILER_OPTS, DEFAULT_MATCH_OPTS
    for letter in flags
        if letter == 'a'
            compile &= ~unicode_opts
            matching &= ~PCRE.NO_UTF_CHECK
        else
            at = findfirst(it -> it[1] == letter, PCRE.LETTERS)
            at === nothing && throw(ArgumentError(string("unknown regex flag: ", letter)))
            compile |= PCRE.LETTERS[at][2]
        end
    end
    Regex(pattern, compile, matching)
end
Regex(pattern::AbstractString) = Regex(pattern, DEFAULT_COMPILER_OPTS, DEFAULT_MATCH_OPTS)
with_pattern(r::Regex, pattern) = Regex(pattern, r.compile_options, r.match_options)
"""
    r"pattern"flags

A `Regex`. The flags `i`, `m`, `s` and `x` are those of PCRE.
"""
macro r_str(pattern, options...)
    @keep_expansions
    Expr(:call, GlobalRef(Base, :Regex), pattern, options...)
end
function show(io::IO, r::Regex)
    ascii = r.compile_options & unicode_opts == 0
    plain = (r.compile_options & ~PCRE.FLAGS, r.match_options)
    if plain == (DEFAULT_COMPILER_OPTS, DEFAULT_MATCH_OPTS) ||
            plain == (DEFAULT_COMPILER_OPTS & ~unicode_opts, DEFAULT_MATCH_OPTS & ~PCRE.NO_UTF_CHECK)
        print(io, "r\"")
        escape_raw(io, r.pattern)
        print(io, "\"", flag_letters(r.compile_options), ascii ? "a" : "")
    else
        print(io, "Regex(")
        show(io, r.pattern)
        print(io, ", ", repr(r.compile_options), ", ", repr(r.match_options), ")")
    end
end
escape_raw(io, s) = escape_raw_string(io, s)
==(a::Regex, b::Regex) = a.pattern == b.pattern && a.compile_options == b.compile_options && a.match_options == b.match_options
hash(r::Regex, h::UInt) = hash(r.pattern, hash(r.compile_options, hash(r.match_options, h)))
broadcastable(r::Regex) = Ref(r)
# Flags that all patterns have are the product's; others stay with their part. Texts match themselves.
*(r::Regex) = r
*(a::Regex, b::Union{Regex, AbstractString, AbstractChar}, rest::Union{Regex, AbstractString, AbstractChar}...) = regex_product(a, b, rest...)
*(a::Union{AbstractString, AbstractChar}, b::Regex, rest::Union{Regex, AbstractString, AbstractChar}...) = regex_product(a, b, rest...)
*(a::Union{AbstractString, AbstractChar}, b::Union{AbstractString, AbstractChar}, c::Regex, rest::Union{Regex, AbstractString, AbstractChar}...) =
    regex_product(a, b, c, rest...)
function regex_product(parts...)
    patterns = Regex[part for part in parts if part isa Regex]
    plain = patterns[1].compile_options & ~PCRE.FLAGS
    all(r -> r.compile_options & ~PCRE.FLAGS == plain && r.match_options == patterns[1].match_options, patterns) ||
        throw(ArgumentError("cannot multiply regexes: incompatible options"))
    shared = mapreduce(r -> r.compile_options & PCRE.FLAGS, &, patterns)
    Regex(string(map(part -> regex_factor(part, shared), parts)...), plain | shared, patterns[1].match_options)
end
regex_factor(r::Regex, shared) = string("(?", flag_letters(r.compile_options & ~shared), ":", r.pattern, ")")
regex_factor(text, shared) = string("\\Q", replace(string(text), "\\E" => "\\E\\\\E\\Q"), "\\E")
^(r::Regex, n::Integer) = with_pattern(r, string("(?:", r.pattern, "){", n, "}"))

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
function regex_offsets(r::Regex, s::String, from::Int)
    r.compile_options & unicode_opts == 0 && throw_ascii_pattern()
    Host.regex_match(r.pattern, r.letters, s, from - 1)
end
@noinline throw_ascii_pattern() = throw(UnsupportedError(:Regex, "the option `a` of regular expressions is not written yet"))
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
startswith(s::AbstractString, r::Regex) = (at = regex_offsets(with_pattern(r, string("\\A(?:", r.pattern, ")")), String(s), 1); at !== nothing)
endswith(s::AbstractString, r::Regex) = (at = regex_offsets(with_pattern(r, string("(?:", r.pattern, ")\\z")), String(s), 1); at !== nothing)
chopprefix(s::AbstractString, r::Regex) = (m = match(with_pattern(r, string("\\A(?:", r.pattern, ")")), s); m === nothing ? SubString(s) : SubString(s, 1 + ncodeunits(m.match)))
chopsuffix(s::AbstractString, r::Regex) = (m = match(with_pattern(r, string("(?:", r.pattern, ")\\z")), s); m === nothing || isempty(m.match) ? SubString(s) : SubString(s, 1, prevind(s, m.offset)))
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
    @keep_expansions
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
    haskey(m, group) || error(group isa Int ? "PCRE error: unknown substring" : string("Bad replacement string: Group ", group,
        " not found in regex ", m.regex))
    text = m[group]
    text === nothing || print(io, text)
    nothing
end
