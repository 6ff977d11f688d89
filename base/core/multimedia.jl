# Displays: where values show in their long form.

"""
    AbstractDisplay

The supertype of displays, on which `display` shows values.
"""
abstract type AbstractDisplay end
"""
    TextDisplay(io)

A display that prints values to a stream.
"""
struct TextDisplay <: AbstractDisplay
    io::IO
end
display(d::TextDisplay, m::MIME"text/plain", @nospecialize(x)) = (show(d.io, m, x); println(d.io))
display(d::TextDisplay, @nospecialize(x)) = display(d, MIME("text/plain"), x)
display(d::TextDisplay, m::MIME, @nospecialize(x)) =
    istextmime(m) ? (show(d.io, m, x); println(d.io)) : throw(MethodError(display, (d, m, x)))
display(d::AbstractDisplay, m::AbstractString, @nospecialize(x)) = display(d, MIME(m), x)
display(m::AbstractString, @nospecialize(x)) = display(MIME(m), x)
displayable(d::TextDisplay, m::MIME) = istextmime(m)
displayable(d::AbstractDisplay, m::MIME) = hasmethod(display, Tuple{typeof(d), typeof(m), Any})
displayable(d::AbstractDisplay, m::AbstractString) = displayable(d, MIME(m))
displayable(m::MIME) = any(d -> displayable(d, m), displays)
displayable(m::AbstractString) = displayable(MIME(m))
show(io::IO, m::MIME{mime}) where {mime} = print(io, "MIME type ", mime)
print(io::IO, ::MIME{mime}) where {mime} = print(io, mime)

# The latest display that can show a value does.
const displays = AbstractDisplay[TextDisplay(stdout)]
pushdisplay(d::AbstractDisplay) = push!(displays, d)
popdisplay() = length(displays) > 1 ? pop!(displays) : throw(KeyError("no more displays"))
function popdisplay(d::AbstractDisplay)
    i = findlast(==(d), displays)
    i === nothing && throw(KeyError(d))
    deleteat!(displays, i)
    d
end
function display_on_any(args...)
    for d in reverse(displays)
        try
            return display(d, args...)
        catch e
            e isa MethodError && e.f === display || rethrow()
        end
    end
    throw(MethodError(display, args))
end
display(@nospecialize(x)) = display_on_any(x)
display(m::MIME, @nospecialize(x)) = display_on_any(m, x)
redisplay(x) = display(x)
redisplay(d::AbstractDisplay, x) = display(d, x)

# Which MIME types are text.
istextmime(m::Union{MIME, AbstractString}) = is_text_type(string(m isa MIME ? typeof(m).parameters[1] : m))
is_text_type(name) = startswith(name, "text/") || name in ("application/atom+xml", "application/ecmascript", "application/javascript",
    "application/julia", "application/json", "application/postscript", "application/rdf+xml", "application/rss+xml", "application/x-latex",
    "application/xhtml+xml", "application/xml", "application/xml-dtd", "image/svg+xml", "model/vrml", "model/x3d+vrml", "model/x3d+xml")
module Multimedia
    import ..Base: AbstractDisplay, display, pushdisplay, popdisplay, displayable, redisplay, MIME, @MIME_str, istextmime, showable, TextDisplay
    export AbstractDisplay, display, pushdisplay, popdisplay, displayable, redisplay, MIME, @MIME_str, istextmime, showable, TextDisplay
end
export AbstractDisplay, display, pushdisplay, popdisplay, displayable, redisplay, istextmime, showable, TextDisplay

# The colours of a terminal by number.
for i in 0:255
    text_colors[i] = string("\e[38;5;", i, "m")
end
