# Pairs: with an arrow where the types are those of the values or known already, as a constructor otherwise.

isdelimited(io::IO, x) = true
isdelimited(io::IO, f::Function) = !isoperator(nameof(f))
isdelimited(io::IO, p::Pair) = !(typeof(p) === Pair{typeof(p.first), typeof(p.second)} || get(io, :typeinfo, Any) == typeof(p))
pair_typeinfo(io, p, i) = (info = get(io, :typeinfo, Any); p isa info && info <: Pair ? fieldtype(info, i) : Any)
function show(io::IO, p::Pair)
    if isdelimited(io, p)
        show(io, typeof(p))
        return show(io, (p.first, p.second))
    end
    show_side(io, p, 1)
    print(io, get(io, :compact, false)::Bool ? "=>" : " => ")
    show_side(io, p, 2)
end
function show_side(io, p, i)
    side = IOContext(io, :typeinfo => pair_typeinfo(io, p, i))
    plain = isdelimited(side, p[i])
    plain || print(io, "(")
    show(side, p[i])
    plain || print(io, ")")
    nothing
end

# The long form of a string is elided in the middle where space is limited.
function show(io::IO, ::MIME"text/plain", s::AbstractString; limit::Union{Int, Nothing} = nothing)
    if limit === nothing
        get(io, :limit, false)::Bool || return show(io, s)
        # In a collection a string has one line, alone it has seven.
        limit = max(20, displaysize(io)[2]) * (get(io, :typeinfo, nothing) === nothing ? 7 : 1)
    end
    room = max(0, limit - 2)
    textwidth(s) <= room && return show(io, s)
    note(n) = string(" ⋯ ", n, codeunit(s) == UInt8 ? " bytes" : " code units", " ⋯ ")
    head, tail = fitting_ends(s, room - textwidth(note(100 * ncodeunits(s))))
    middle = SubString(s, nextind(s, head), prevind(s, tail))
    text = note(ncodeunits(middle))
    n, t = ncodeunits(middle), ncodeunits(text)
    4t <= n || t <= n && t <= textwidth(middle) || return show(io, s)
    show(io, SubString(s, 1, head))
    printstyled(io, text; color = :light_yellow, bold = true)
    show(io, SubString(s, tail))
end
# The last index of a beginning and the first of an end that together are of this width, as even as whole characters allow;
# the beginning has the first turn, and the first character that does not fit ends both.
function fitting_ends(s, room)
    left, right = firstindex(s), lastindex(s)
    used_left = used_right = 0
    from_left = true
    while true
        width = textwidth(s[from_left ? left : right])
        (room -= width) >= 0 || break
        if from_left
            used_left += width
            left = nextind(s, left)
        else
            used_right += width
            right = prevind(s, right)
        end
        from_left = used_left == used_right ? !from_left : used_left < used_right
    end
    (prevind(s, left), nextind(s, right))
end
