# Changing text: case, padding, stripping, cutting, splitting, replacing, bytes as hexadecimal digits.

uppercase(s::AbstractString) = map(uppercase, s)
lowercase(s::AbstractString) = map(lowercase, s)
uppercase(s::ByteString) = (t = Host.ascii_case(s, true); t === nothing ? map(uppercase, s) : t)
lowercase(s::ByteString) = (t = Host.ascii_case(s, false); t === nothing ? map(lowercase, s) : t)
uppercasefirst(s::AbstractString) = change_first(titlecase, s)
lowercasefirst(s::AbstractString) = change_first(lowercase, s)
function change_first(f, s::AbstractString)
    isempty(s) && return ""
    c = first(s)
    d = f(c)
    c == d ? convert(String, s) : string(d, SubString(s, nextind(s, 1)))
end
function titlecase(s::AbstractString; wordsep::Function = !isletter, strict::Bool = true)
    io = IOBuffer()
    start = true
    before = '\0'
    state = GraphemeState()
    for c in s
        # A mark that belongs to the letter before it begins no word.
        joined = before != '\0' && !is_grapheme_break(state, break_class(before), break_class(c))
        see_grapheme!(state, break_class(c))
        before = c
        if joined && !start
            write(io, c)
        elseif wordsep(c)
            write(io, c)
            start = true
        else
            write(io, start ? titlecase(c) : strict ? lowercase(c) : c)
            start = false
        end
    end
    takestring!(io)
end

# A string of `n` bytes of any content.
const LONGEST_STRING = 0x7fff_ffff
_string_n(n::Integer) = n > LONGEST_STRING ? throw(OutOfMemoryError()) : Host.string_from_memory(Memory{UInt8}(undef, Int(n)), 0, Int(n))

# Padding to a width on the terminal.
@noinline throw_no_width(p) = throw(ArgumentError(string(repr(p), " has zero textwidth",
    ncodeunits(p) == 1 ? "; maybe you want to pad by bytes, with a power of it" : "")))
function padding(p, k::Int)
    w = textwidth(p)
    w == 0 && throw_no_width(p)
    q, r = divrem(k, w)
    r == 0 ? repeat(p, q) : string(repeat(p, q), first(p isa AbstractChar ? string(p) : p, r))
end
function lpad(s, n::Integer, p::Union{AbstractChar, AbstractString} = ' ')
    str = pad_text(s)
    k = Int(n) - textwidth(str)
    k <= 0 ? string(str) : string(padding(p, k), str)
end
function rpad(s, n::Integer, p::Union{AbstractChar, AbstractString} = ' ')
    str = pad_text(s)
    k = Int(n) - textwidth(str)
    k <= 0 ? string(str) : string(str, padding(p, k))
end
pad_text(s) = string(s)
pad_text(s::Union{AbstractChar, AbstractString}) = s

# Text shortened to a width, with a mark where something was left out.
function rtruncate(s::AbstractString, width::Integer, mark::Union{AbstractString, AbstractChar} = '…')
    textwidth(s) <= width && return string(s)
    room = width - textwidth(mark)
    room < 0 && return string(mark)
    string(SubString(s, 1, fitting_prefix(s, room)), mark)
end
function ltruncate(s::AbstractString, width::Integer, mark::Union{AbstractString, AbstractChar} = '…')
    textwidth(s) <= width && return string(s)
    room = width - textwidth(mark)
    room < 0 && return string(mark)
    string(mark, SubString(s, fitting_suffix(s, room)))
end
function ctruncate(s::AbstractString, width::Integer, mark::Union{AbstractString, AbstractChar} = '…'; prefer_left::Bool = true)
    textwidth(s) <= width && return string(s)
    room = width - textwidth(mark)
    room < 0 && return string(mark)
    left = prefer_left ? cld(room, 2) : fld(room, 2)
    head = SubString(s, 1, fitting_prefix(s, left))
    string(head, mark, SubString(s, fitting_suffix(s, room - (prefer_left ? textwidth(head) : left))))
end
function fitting_prefix(s, room)
    last_fit, w = 0, 0
    for i in eachindex(s)
        w += textwidth(s[i])
        w > room && break
        last_fit = i
    end
    last_fit
end
function fitting_suffix(s, room)
    first_fit, w = ncodeunits(s) + 1, 0
    i = lastindex(s)
    while i >= 1
        w += textwidth(s[i])
        w > room && break
        first_fit = i
        i = prevind(s, i)
    end
    first_fit
end

# Stripping.
lstrip(s::AbstractString) = lstrip(isspace, s)
rstrip(s::AbstractString) = rstrip(isspace, s)
strip(s::AbstractString) = strip(isspace, s)
lstrip(s::ByteString) = Host.strip_text(s, true, false)::SubString{String}
rstrip(s::ByteString) = Host.strip_text(s, false, true)::SubString{String}
strip(s::ByteString) = Host.strip_text(s, true, true)::SubString{String}
lstrip(s::AbstractString, chars::Chars) = lstrip(char_test(chars), s)
rstrip(s::AbstractString, chars::Chars) = rstrip(char_test(chars), s)
strip(s::AbstractString, chars::Chars) = strip(char_test(chars), s)
const STRIP_STRINGS = "Both arguments are strings. The second argument should be a `Char` or collection of `Char`s"
lstrip(::AbstractString, ::AbstractString) = throw(ArgumentError(STRIP_STRINGS))
rstrip(::AbstractString, ::AbstractString) = throw(ArgumentError(STRIP_STRINGS))
strip(::AbstractString, ::AbstractString) = throw(ArgumentError(STRIP_STRINGS))
strip(f, s::AbstractString) = lstrip(f, rstrip(f, s))
function lstrip(f, s::AbstractString)
    for i in eachindex(s)
        f(s[i]) || return SubString(s, i, lastindex(s))
    end
    SubString(s, lastindex(s) + 1, lastindex(s))
end
function rstrip(f, s::AbstractString)
    i = lastindex(s)
    while i >= 1
        f(s[i]) || return SubString(s, 1, i)
        i = prevind(s, i)
    end
    SubString(s, 1, 0)
end
function chomp(s::AbstractString)
    i = lastindex(s)
    (i < 1 || s[i] != '\n') && return SubString(s, 1, i)
    j = prevind(s, i)
    SubString(s, 1, j >= 1 && s[j] == '\r' ? prevind(s, j) : j)
end
function chomp(s::ByteString)
    n = ncodeunits(s)
    if n > 0 && codeunit(s, n) === 0x0a
        n -= 1
        n > 0 && codeunit(s, n) === 0x0d && (n -= 1)
    end
    byte_part(s, 0, n)
end
function chop(s::AbstractString; head::Integer = 0, tail::Integer = 1)
    head < 0 && throw(ArgumentError(string("n cannot be negative: ", head)))
    tail < 0 && throw(ArgumentError(string("n cannot be negative: ", tail)))
    isempty(s) && return SubString(s)
    n = length(s)
    head + tail >= n && return SubString(s, 1, 0)
    SubString(s, nextind(s, firstindex(s), head), prevind(s, ncodeunits(s) + 1, tail + 1))
end
chopprefix(s::AbstractString, p::AbstractString) = startswith(s, p) ? SubString(s, nextind(s, 0, length(p) + 1), lastindex(s)) : SubString(s)
chopprefix(s::ByteString, p::ByteString) = startswith(s, p) ? SubString(s, 1 + ncodeunits(p)) : SubString(s)
chopsuffix(s::AbstractString, p::AbstractString) =
    !isempty(p) && endswith(s, p) ? SubString(s, 1, prevind(s, ncodeunits(s) + 1, length(p) + 1)) : SubString(s)
chopprefix(s::AbstractString, c::AbstractChar) = startswith(s, c) ? SubString(s, nextind(s, 1)) : SubString(s)
chopsuffix(s::AbstractString, c::AbstractChar) = endswith(s, c) ? SubString(s, 1, prevind(s, lastindex(s))) : SubString(s)

# Splitting. A delimiter is text, a pattern, a character, a list of them or a test of one.
splitter(d::Chars) = char_test(d)
splitter(d) = d
as_range(r::AbstractUnitRange) = r
as_range(i::Integer) = i:i
as_range(::Nothing) = nothing
struct SplitIterator{S <: AbstractString, F}
    str::S
    splitter::F
    limit::Int
    keepempty::Bool
end
IteratorSize(::Type{<:SplitIterator}) = SizeUnknown()
eltype(::Type{<:SplitIterator{T}}) where {T} = SubString{T}
eltype(::Type{<:SplitIterator{<:SubString{T}}}) where {T} = SubString{T}
eachsplit(s::AbstractString, d; limit::Integer = 0, keepempty::Bool = true) = SplitIterator(s, splitter(d), Int(limit), keepempty)
eachsplit(s::AbstractString; limit::Integer = 0, keepempty::Bool = false) = eachsplit(s, isspace; limit, keepempty)
# The state: where the piece begins, where to look for the next delimiter, how many pieces there were.
iterate(it::SplitIterator) = iterate(it, (1, 1, 0))
function iterate(it::SplitIterator, state::Tuple{Int, Int, Int})
    s = it.str
    from, search, n = state[1], state[2], state[3]
    stop = ncodeunits(s)
    from - 1 > stop && return nothing
    while n != it.limit - 1 && search <= stop + 1
        j, k = next_delimiter(it.splitter, s, search)
        j > stop && break
        search = k <= j ? nextind(s, j) : k
        if from < k
            start = from
            from = k
            (it.keepempty || start < j) && return (text_between(s, start, j), (k, search, n + 1))
        end
    end
    it.keepempty || from <= stop || return nothing
    (SubString(s, from), (stop + 2, search, n + 1))
end
text_between(s::ByteString, from, to) = byte_part(s, from - 1, to - from)
text_between(s, from, to) = SubString(s, from, prevind(s, to))
# Where the next delimiter begins, and where it has ended; behind the text if there is none. The runtime finds text.
function next_delimiter(d, s, from)
    r = as_range(findnext(d, s, from))
    r === nothing ? (ncodeunits(s) + 1, 0) : (first(r), isempty(r) ? first(r) : nextind(s, last(r)))
end
next_delimiter(d::CharTest, s::ByteString, from) = next_text(d, d.x, s, from)
next_delimiter(d::ByteString, s::ByteString, from) = next_text(d, d, s, from)
function next_text(d, text, s, from)
    in_bulk = text isa Char || text isa ByteString && !isempty(text)
    j = in_bulk ? Host.find_text(s, text, from, false) : -1
    j < 0 ? invoke(next_delimiter, Tuple{Any, Any, Any}, d, s, from) : j == 0 ? (ncodeunits(s) + 1, 0) : (j, j + ncodeunits(text))
end
function split(s::AbstractString, d; limit::Integer = 0, keepempty::Bool = true)
    if s isa ByteString && d isa Union{Char, ByteString, typeof(isspace)}
        pieces = Host.split_text(s, d isa Function ? nothing : d, Int(limit), keepempty)
        if pieces !== nothing
            parts = pieces::Memory{SubString{String}}
            return Core.@new Array{SubString{String}, 1} memoryrefnew(parts) (length(parts),)
        end
    end
    collect_pieces(eachsplit(s, d; limit, keepempty))
end
split(s::AbstractString; limit::Integer = 0, keepempty::Bool = false) = split(s, isspace; limit, keepempty)
function collect_pieces(it)
    out = Vector{eltype(typeof(it))}()
    for x in it
        push!(out, x)
    end
    out
end
# The pieces from the last to the first.
struct RSplitIterator{S <: AbstractString, F}
    str::S
    splitter::F
    limit::Int
    keepempty::Bool
end
IteratorSize(::Type{<:RSplitIterator}) = SizeUnknown()
eltype(::Type{<:RSplitIterator{T}}) where {T} = SubString{T}
eltype(::Type{<:RSplitIterator{<:SubString{T}}}) where {T} = SubString{T}
eachrsplit(s::AbstractString, d; limit::Integer = 0, keepempty::Bool = true) = RSplitIterator(s, splitter(d), Int(limit), keepempty)
eachrsplit(s::AbstractString; limit::Integer = 0, keepempty::Bool = false) = eachrsplit(s, isspace; limit, keepempty)
function iterate(it::RSplitIterator, (stop, n) = (lastindex(it.str), 0))
    stop < 0 && return nothing
    s = it.str
    search = stop
    while n != it.limit - 1 && search >= 1
        r = as_range(findprev(it.splitter, s, search))
        r === nothing && break
        if isempty(r)
            first(r) > 1 || break
            j = first(r)
            j > stop && (search = prevind(s, search); continue)
            return (SubString(s, j, stop), (prevind(s, j), n + 1))
        end
        from = nextind(s, last(r))
        before = prevind(s, first(r))
        piece = SubString(s, from, stop)
        stop = search = before
        (it.keepempty || !isempty(piece)) && return (piece, (before == 0 ? 0 : before, n + 1))
        stop == 0 && return it.keepempty ? (SubString(s, 1, 0), (-1, n + 1)) : nothing
    end
    it.keepempty || stop >= 1 || return nothing
    (SubString(s, 1, stop), (-1, n + 1))
end
rsplit(s::AbstractString, d; limit::Integer = 0, keepempty::Bool = true) = reverse!(collect_pieces(eachrsplit(s, d; limit, keepempty)))
rsplit(s::AbstractString; limit::Integer = 0, keepempty::Bool = false) = rsplit(s, isspace; limit, keepempty)
lines_of(s) = split(s, '\n')

# Replacing. Of the matches at a place the first pattern's counts; text that has been put in is not looked at again.
struct Replacer{P, F}
    pattern::P
    found::F
end
write_replacement(io, with, str, r, p) = (print(io, with); nothing)
write_replacement(io, with::Function, str, r, p) = (print(io, with(SubString(str, first(r), last(r)))); nothing)
write_replacement(io, with::Function, str, r, p::Replacer) = (print(io, with(str[first(r)])); nothing)
write_replacement(io, with, str, r, p::Replacer) = (print(io, with); nothing)
replace_pattern(p) = p
replace_pattern(p::Chars) = Replacer(p, char_test(p))
replace_pattern(p::Function) = Replacer(p, p)
find_replaced(p, s, from) = as_range(findnext(p, s, from))
find_replaced(p::Replacer, s, from) = as_range(findnext(p.found, s, from))
free_pattern(p) = nothing
replace(s::AbstractString, ps::Pair...; count::Integer = typemax(Int)) = replace_text(String(s), ps, count)
replace(s::SubString, ps::Pair...; count::Integer = typemax(Int)) = replace_text(s, ps, count)
function replace_text(s, ps, count)
    count < 0 && throw(DomainError(count, "`count` must be non-negative."))
    (count == 0 || isempty(ps)) && return String(s)
    if s isa ByteString
        text = Host.replace_text(s, Int(min(count, typemax(Int))), whats_and_withs(ps...)...)
        text === nothing || return text
    end
    io = IOBuffer()
    replace_into(io, s, ps, count) ? takestring!(io) : String(s)
end
whats_and_withs() = ()
whats_and_withs(p, ps...) = (p.first, p.second, whats_and_withs(ps...)...)
function replace(io::IO, s::AbstractString, ps::Pair...; count::Integer = typemax(Int))
    count < 0 && throw(DomainError(count, "`count` must be non-negative."))
    if count == 0 || isempty(ps)
        write(io, s)
    else
        replace_into(io, s, ps, count) || write(io, s)
    end
    io
end
# Whether anything was replaced; if not, nothing was written.
function replace_into(io, s, ps, count)
    patterns = map(p -> replace_pattern(p.first), ps)
    found = Any[find_replaced(p, s, 1) for p in patterns]
    stop = ncodeunits(s) + 1
    k = earliest(found)
    k == 0 && return false
    from, at, n = 1, 1, 1
    while k != 0
        r = found[k]
        j, e = first(r), last(r)
        if from == 1 && n == 1 || from <= e || j > e
            j > from && write(io, SubString(s, from, prevind(s, j)))
            write_replacement(io, ps[k].second, s, r, patterns[k])
        end
        if e < j
            from = j
            j == stop && break
            at = nextind(s, j)
        else
            from = at = nextind(s, e)
        end
        n == count && break
        at > stop && break
        for i in 1:length(found)
            found[i] !== nothing && first(found[i]) < at && (found[i] = find_replaced(patterns[i], s, at))
        end
        # An empty match right behind a match is none.
        k = earliest(found)
        while k != 0 && isempty(found[k]) && first(found[k]) == from && e >= j
            first(found[k]) >= stop ? (found[k] = nothing) : (found[k] = find_replaced(patterns[k], s, nextind(s, first(found[k]))))
            k = earliest(found)
        end
        n += 1
    end
    from < stop && write(io, SubString(s, from))
    true
end
function earliest(found)
    best = 0
    for k in 1:length(found)
        r = found[k]
        r === nothing && continue
        (best == 0 || first(r) < first(found[best])) && (best = k)
    end
    best
end

# Bytes as hexadecimal digits.
function bytes2hex end
hex_bytes(itr) = (eltype(itr) === UInt8 || throw(ArgumentError("eltype of iterator not UInt8")); itr)
bytes2hex(itr) = sprint(bytes2hex, itr)
bytes2hex(io::IO, itr) = (for b in hex_bytes(itr); print(io, string(b; base = 16, pad = 2)); end; nothing)
@noinline throw_odd_hex(n) = throw(ArgumentError(string("length of iterable must be even, got ", n)))
@noinline throw_hex_digit(b) = throw(ArgumentError(string("byte is not an ASCII hexadecimal digit: ", b)))
hex_value(c::AbstractChar) = isascii(c) ? hex_value(UInt8(c)) : throw_hex_digit(c)
hex_value(b::UInt8) = 0x30 <= b <= 0x39 ? b - 0x30 : 0x41 <= b <= 0x46 ? b - 0x37 : 0x61 <= b <= 0x66 ? b - 0x57 : throw_hex_digit(b)
hex_source(s::AbstractString) = codeunits(String(s))
hex_source(itr) = itr
function hex2bytes(itr)
    src = hex_source(itr)
    isodd(length(src)) && throw_odd_hex(length(src))
    hex2bytes!(Vector{UInt8}(undef, length(src) ÷ 2), src)
end
function hex2bytes!(dest::AbstractVector{UInt8}, itr)
    src = hex_source(itr)
    isodd(length(src)) && throw_odd_hex(length(src))
    2 * length(dest) == length(src) || throw(ArgumentError("length of output array must be half of the length of input array"))
    y = iterate(src)
    i = firstindex(dest)
    while y !== nothing
        high, state = y
        low, state = iterate(src, state)
        dest[i] = hex_value(high) << 4 | hex_value(low)
        i += 1
        y = iterate(src, state)
    end
    dest
end
export eachrsplit, hex2bytes!, ltruncate, rtruncate, ctruncate, reverseind
