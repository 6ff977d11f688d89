# The long form of dictionaries and sets: one entry a line, as many as the screen holds.

# Lines and columns for entries, or nothing if not even one fits.
function entry_room(io)
    get(io, :limit, false)::Bool || return (typemax(Int), typemax(Int))
    rows, columns = displaysize(io)
    rows < 5 && return nothing
    (rows - 4, max(columns, 4))
end

# The text up to a width, cut at the first line's end, with a mark where something is missing. With `colored`, escape sequences take
# no room, and the colour ends where the text is cut.
function truncated_text(colored::Bool, s::AbstractString, width::Int; pad::Bool = false)
    width <= 0 && return ""
    used, kept, stop = 0, 0, 0
    open_color = false
    i = firstindex(s)
    complete = true
    while i <= lastindex(s)
        e = colored ? escape_end(s, i) : 0
        if e > 0
            kept == 0 && (open_color = SubString(s, i, e) != "\e[0m")
            stop = e
            i = nextind(s, e)
            continue
        end
        c = s[i]
        # Only escape sequences may follow once the width is used up.
        if c == '\r' || c == '\n' || used >= width
            complete = false
            break
        end
        used += textwidth(c)
        used > width - 1 && kept == 0 && (kept = stop + 1)
        if used > width
            complete = false
            break
        end
        stop = nextind(s, i) - 1
        i = nextind(s, i)
    end
    closing = open_color ? "\e[0m" : ""
    complete && return string(s, closing, pad ? " "^max(0, width - used) : "")
    cut = kept == 0 ? stop : kept - 1
    text = cut == 0 ? "" : SubString(s, 1, thisind(s, cut))
    string(text, closing, "…", pad ? " "^max(0, width - min(used, width)) : "")
end
# Where the escape sequence that begins at `i` ends, or 0.
function escape_end(s, i)
    s[i] == '\e' && i < lastindex(s) && s[nextind(s, i)] == '[' || return 0
    k = nextind(s, nextind(s, i))
    while k <= lastindex(s) && (isdigit(s[k]) || s[k] == ';')
        k = nextind(s, k)
    end
    k <= lastindex(s) && s[k] == 'm' ? k : 0
end

function show(io::IO, mime::MIME"text/plain", d::AbstractDict)
    isempty(d) && return show(io, d)
    summary(io, d)
    print(io, ":")
    show_circular(io, d) && return nothing
    room = entry_room(io)
    room === nothing && return print(io, " …")
    inner = within(haskey(io, :compact) ? io : IOContext(io, :compact => true), d)
    key_io, value_io = IOContext(inner, :typeinfo => keytype(d)), IOContext(inner, :typeinfo => valtype(d))
    get(io, :limit, false)::Bool ? show_limited_entries(io, d, room, key_io, value_io) : show_entries(io, d, key_io, value_io)
    nothing
end
function show_entries(io, d, key_io, value_io)
    for (k, v) in d
        print(io, "\n  ", sprint_with(show, key_io, k), " => ")
        show(value_io, v)
    end
end
function show_limited_entries(io, d, (rows, columns), key_io, value_io)
    keys, values = String[], String[]
    key_width = value_width = 0
    # The two columns share what indentation and arrow leave.
    columns = max(columns, 12) - 6
    left_out = false
    for (k, v) in d
        left_out = length(keys) == rows
        left_out && break
        push!(keys, sprint_with(show, key_io, k))
        push!(values, sprint_with(show, value_io, v))
        key_width = clamp(visible_width(io, keys[end]), key_width, columns)
        value_width = clamp(visible_width(io, values[end]), value_width, columns)
    end
    key_width > max(div(columns, 2), columns - value_width) && (key_width = max(cld(columns, 3), columns - value_width))
    colored = get(io, :color, false)::Bool
    for i in eachindex(keys)
        i == rows && left_out && return print(io, "\n  ", rpad("⋮", key_width), " => ⋮")
        print(io, "\n  ", truncated_text(colored, keys[i], key_width; pad = true), " => ")
        print(io, truncated_text(colored, values[i], columns - key_width))
    end
end
function visible_width(io, s)
    get(io, :color, false)::Bool || return textwidth(s)
    n = 0
    i = firstindex(s)
    while i <= lastindex(s)
        e = escape_end(s, i)
        e > 0 ? (i = nextind(s, e)) : (n += textwidth(s[i]); i = nextind(s, i))
    end
    n
end

# Keys, values and sets: one column.
function show_column(io, itr, show_item, dots = "⋮")
    room = entry_room(io)
    room === nothing && return print(io, " …")
    rows, columns = room
    limited = get(io, :limit, false)::Bool
    for (i, x) in enumerate(itr)
        print(io, "\n  ")
        i == rows < length(itr) && return print(io, dots)
        limited ? print(io, truncated_text(get(io, :color, false)::Bool, sprint_with(show, show_item, x), columns - 2)) : show(show_item, x)
    end
end
function show(io::IO, mime::MIME"text/plain", k::Union{KeySet, ValueIterator})
    isempty(k) && get(io, :compact, false)::Bool && return show(io, k)
    summary(io, k)
    isempty(k) && return nothing
    print(io, ". ", k isa KeySet ? "Keys" : "Values", ":")
    show_column(io, k, io)
    nothing
end
function show(io::IO, mime::MIME"text/plain", s::AbstractSet)
    isempty(s) && return show(io, s)
    summary(io, s)
    print(io, ":")
    show_circular(io, s) && return nothing
    show_column(io, s, within(IOContext(io, :typeinfo => eltype(s)), s), "⋮ ")
    nothing
end
