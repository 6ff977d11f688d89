# The long form: `display`, and `show` for text/plain, with summaries, aligned columns and one entry a line.

show(io::IO, ::MIME"text/plain", x) = show(io, x)
show(io::IO, m::AbstractString, x) = show(io, MIME(m), x)
function show(io::IO, ::MIME"text/plain", c::AbstractChar)
    show(io, c)
    get(io, :compact, false)::Bool && return nothing
    if ismalformed(c)
        print(io, ": Malformed UTF-8")
    else
        print(io, ": ", isoverlong(c) ? "[overlong] " : "", isascii(c) ? "ASCII/" : "", "Unicode U+",
            uppercase(string(isoverlong(c) ? decode_overlong(c) : UInt32(c), base = 16, pad = 4)))
    end
    print(io, " (category ", category_abbrev(c), ": ", category_string(c), ")")
end
# Text and bytes are their own representation.
repr(m::MIME, x; context = nothing) = istextmime(m) ? text_of(m, x, context) : bytes_of(m, x, context)
text_of(m, x, context) = x isa AbstractString && !(m isa MIME"text/plain") ? String(x) : sprint_with(show, context, m, x)
bytes_of(m, x, context) = x isa Vector{UInt8} ? x : Vector{UInt8}(codeunits(sprint_with(show, context, m, x)))
repr(m::AbstractString, x; context = nothing) = repr(MIME(m), x; context = context)

# Which forms there are of a value.
showable(::MIME{mime}, @nospecialize(x)) where {mime} = hasmethod(show, Tuple{IO, MIME{mime}, typeof(x)})
showable(m::AbstractString, @nospecialize(x)) = showable(MIME(m), x)
