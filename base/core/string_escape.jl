# Text with marks for the characters that cannot stand for themselves, and back.

const ESCAPE_LETTERS = "abtnvfr"
full_hex(c) = c !== nothing && isxdigit(c)
escape_nul(c) = c !== nothing && '0' <= c <= '7' ? "\\x00" : "\\0"
function print_malformed(io, c)
    u = bitcast(UInt32, c)
    while true
        print(io, "\\x", string(u >> 24; base = 16, pad = 2))
        (u <<= 8) == 0 && break
    end
end
function escape_string(io::IO, s::AbstractString, esc = ""; keep = (), ascii::Bool = false, fullhex::Bool = false)
    y = iterate(s)
    while y !== nothing
        c = y[1]
        y = iterate(s, y[2])
        following = y === nothing ? nothing : y[1]
        if c in esc
            print(io, '\\', c)
        elseif c in keep
            print(io, c)
        elseif isascii(c)
            c == '\0' ? print(io, escape_nul(following)) :
            c == '\e' ? print(io, "\\e") :
            c == '\\' ? print(io, "\\\\") :
            '\a' <= c <= '\r' ? print(io, '\\', ESCAPE_LETTERS[Int(c) - 6]) :
            isprint(c) ? print(io, c) : print(io, "\\x", string(UInt32(c); base = 16, pad = 2))
        elseif !isoverlong(c) && !ismalformed(c)
            u = UInt32(c)
            !ascii && isprint(c) ? print(io, c) :
            u <= 0xffff ? print(io, "\\u", string(u; base = 16, pad = fullhex || full_hex(following) ? 4 : 2)) :
            print(io, "\\U", string(u; base = 16, pad = fullhex || full_hex(following) ? 8 : 4))
        else
            print_malformed(io, c)
        end
    end
end
escape_string(s::AbstractString, esc = ('"',); keep = (), ascii::Bool = false, fullhex::Bool = false) =
    sprint((io, s) -> escape_string(io, s, esc; keep, ascii, fullhex), s)
print_quoted(io, s::AbstractString) = (print(io, '"'); escape_string(io, s, ('"', '$')); print(io, '"'); nothing)

@noinline throw_escape(what, s) = throw(ArgumentError(string("invalid ", what, repr(s))))
function unescape_string(io::IO, s::AbstractString, keep = ())
    chars = Iterators.Stateful(s)
    while !isempty(chars)
        c = popfirst!(chars)
        if c != '\\'
            print(io, c)
            continue
        end
        isempty(chars) && throw(ArgumentError("invalid escape sequence: trailing backslash"))
        c = popfirst!(chars)
        if c in keep
            print(io, '\\', c)
        elseif c == 'x' || c == 'u' || c == 'U'
            unescape_hex(io, chars, c)
        elseif '0' <= c <= '7'
            n, k = c - '0', 1
            while k < 3 && !isempty(chars) && '0' <= peek(chars) <= '7'
                n = 8n + (popfirst!(chars) - '0')
                k += 1
            end
            n > 255 && throw(ArgumentError("octal escape sequence out of range"))
            write(io, UInt8(n))
        else
            at = findfirst(c, "abtnvfre\\\"'`")
            at === nothing && throw(ArgumentError(string("invalid escape sequence \\", c)))
            print(io, "\a\b\t\n\v\f\r\e\\\"'`"[at])
        end
    end
end
function unescape_hex(io, chars, c)
    most = c == 'x' ? 2 : c == 'u' ? 4 : 8
    n, k = 0, 0
    while k < most && !isempty(chars) && isxdigit(peek(chars))
        n = 16n + Int(hex_value(popfirst!(chars)))
        k += 1
    end
    k == 0 && throw(ArgumentError(string("invalid ", c == 'x' ? "hex (\\x)" : string("unicode (\\", c, ")"), " escape sequence")))
    if c == 'x'
        write(io, UInt8(n))
    else
        n > 0x10ffff && throw(ArgumentError(string("invalid unicode (\\", c, ") escape sequence")))
        print(io, Char(n))
    end
end
unescape_string(s::AbstractString, keep = ()) = sprint(unescape_string, s, keep)

# Raw strings: only quotes, and backslashes before them, need a mark.
function escape_raw_string(io::IO, s::AbstractString, delim::Char = '"')
    slashes = 0
    for c in s
        if c == '\\'
            slashes += 1
        else
            if c == delim
                slashes = 2slashes + 1
            end
            print(io, "\\"^slashes)
            slashes = 0
            print(io, c)
        end
    end
    print(io, "\\"^(2slashes))
end
escape_raw_string(s::AbstractString, delim::Char = '"') = sprint(escape_raw_string, s, delim)

# Text without the indentation that all its lines share.
function indentation(s::AbstractString; tabwidth = 8)
    count = 0
    for c in s
        c == ' ' ? (count += 1) : c == '\t' ? (count = div(count + tabwidth, tabwidth) * tabwidth) : return (count, false)
    end
    (count, true)
end
function unindent(s::AbstractString, indent::Int; tabwidth = 8)
    indent == 0 && return s
    io = IOBuffer()
    cut, col = true, 0
    for c in s
        if c == '\n'
            cut, col = true, 0
            print(io, c)
        elseif c == '\t'
            # A tab stands for spaces up to the next stop; those within the indentation go.
            stop = div(col + tabwidth, tabwidth) * tabwidth
            print(io, ' '^(stop - (cut ? max(col, min(indent, stop)) : col)))
            col = stop
        else
            if c != ' '
                cut = false
            end
            cut && col < indent || print(io, c)
            col += 1
        end
    end
    takestring!(io)
end

"""
    LazyString(parts...)

A string whose parts are printed when it is first read.
"""
mutable struct LazyString <: AbstractString
    const parts::Tuple
    str::Union{String, Nothing}
    LazyString(parts...) = new(parts, nothing)
end
function String(l::LazyString)
    s = l.str
    s === nothing || return s
    l.str = s = string(l.parts...)
    s
end
"""
    lazy"text"

A string whose interpolations are printed when it is first read.
"""
macro lazy_str(text)
    parts = Any[]
    at = 1
    found = findfirst('$', text)
    while found !== nothing
        found > at && push!(parts, unescape_string(SubString(text, at, prevind(text, found))))
        ex, at = Meta.parse(text, nextind(text, found); greedy = false)
        if ex isa Expr && ex.head === :incomplete
            error("invalid interpolation in lazy string")
        end
        push!(parts, esc(ex))
        found = at <= ncodeunits(text) ? findnext('$', text, at) : nothing
    end
    at <= ncodeunits(text) && push!(parts, unescape_string(SubString(text, at)))
    Expr(:call, :LazyString, parts...)
end
hash(l::LazyString, h::UInt) = hash(String(l), h)
lastindex(l::LazyString) = lastindex(String(l))
iterate(l::LazyString) = iterate(String(l))
iterate(l::LazyString, i::Int) = iterate(String(l), i)
ncodeunits(l::LazyString) = ncodeunits(String(l))
codeunit(l::LazyString) = UInt8
codeunit(l::LazyString, i::Int) = codeunit(String(l), i)
isvalid(l::LazyString, i::Int) = isvalid(String(l), i)
==(a::LazyString, b::LazyString) = String(a) == String(b)
export LazyString, @lazy_str
