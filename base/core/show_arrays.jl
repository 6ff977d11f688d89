# How collections show: tuples, pairs, arrays, dictionaries and sets, as text that reads back where Julia's does.

# What a reader knows of the elements' type without being told.
function typeinfo_implicit(T)
    (T === Float64 || T === Int || T === Char || T === String || T === Symbol || issingleton(T)) && return true
    isconcretetype(T) || return false
    T <: Array && return typeinfo_implicit(eltype(T))
    (T <: Tuple || T <: NamedTuple || T <: Pair) && return all(typeinfo_implicit, fieldtypes(T))
    T <: AbstractDict && typeinfo_implicit(keytype(T)) && typeinfo_implicit(valtype(T))
end
issingleton(T) = T isa DataType && isconcretetype(T) && isbitstype(T) && sizeof(T) == 0 && !(T <: Tuple)
function typeinfo_eltype(T)
    T <: Union{AbstractArray, AbstractDict, AbstractSet} && T !== Union{} || return nothing
    # Of a type with variables the elements' type may be open.
    T isa DataType || T <: AbstractArray && T <: AbstractArray{eltype(T)} ? eltype(T) : nothing
end
# The text or the type before the bracket, and whether the elements still say their own type.
function typeinfo_prefix(io, x)
    info = get(io, :typeinfo, Any)
    x isa info || (info = Any)
    known = typeinfo_eltype(info)
    T = eltype(x)
    if x isa AbstractDict
        known !== nothing && T == known && return (string(nameof(typeof(x))), false)
        !isempty(x) && typeinfo_implicit(keytype(x)) && typeinfo_implicit(valtype(x)) && return (string(nameof(typeof(x))), true)
        return (typeof(x), false)
    end
    known !== nothing && T == known && return ("", false)
    !isempty(x) && typeinfo_implicit(T) && return ("", true)
    (T, false)
end
show_typeinfo(io, text::String) = (isempty(text) || print(io, text); nothing)
show_typeinfo(io, T) = show(io, T)
# The context in which element `i` of something like a tuple shows.
function element_context(io, x, i)
    info = get(io, :typeinfo, Any)
    info === Any && return io
    info isa DataType && (info <: Tuple || info <: NamedTuple || info <: Pair) && isconcretetype(info) && x isa info ?
        IOContext(io, :typeinfo => fieldtype(info, i)) : IOContext(io, :typeinfo => Any)
end

function show(io::IO, t::Tuple)
    print(io, "(")
    for i in 1:length(t)
        i > 1 && print(io, ", ")
        show(element_context(io, t, i), t[i])
    end
    length(t) == 1 && print(io, ",")
    print(io, ")")
end
function show(io::IO, t::NamedTuple)
    isempty(t) && return print(io, "NamedTuple()")
    # The values do not tell the types of fields that are wider.
    if !(Tuple{map(typeof, Tuple(t))...} === typeof(t).parameters[2] || get(io, :typeinfo, Any) === typeof(t))
        show(io, typeof(t))
        print(io, "(")
        show(io, Tuple(t))
        return print(io, ")")
    end
    print(io, "(")
    for (i, k) in enumerate(keys(t))
        i > 1 && print(io, ", ")
        show_field_name(io, k)
        print(io, " = ")
        show(element_context(io, t, i), t[i])
    end
    length(t) == 1 && print(io, ",")
    print(io, ")")
end
show_field_name(io, k::Symbol) = print(io, isidentifier(k) ? string(k) : isoperator(k) ? string("(", k, ")") : string("var", repr(string(k))))
# Containers that are being shown, the innermost first: one that contains itself is not shown for ever.
struct ShownSet
    value::Any
    outer::Any
end
within(io, @nospecialize(x)) = IOContext(io, :SHOWN_SET => ShownSet(x, get(io, :SHOWN_SET, nothing)))
function show_circular(io, @nospecialize(x))
    shown = get(io, :SHOWN_SET, nothing)
    d = 1
    while shown !== nothing
        if shown.value === x
            printstyled(io, "#= circular reference @-", d, " =#"; color = :yellow)
            return true
        end
        shown = shown.outer
        d += 1
    end
    false
end

function show_vector(io, v, open = "[", close = "]")
    print(io, open)
    show_circular(io, v) || show_list_items(within(io, v), v)
    print(io, close)
end
function show_list_items(io, v)
    limited = get(io, :limit, false)::Bool && known_length(v) && length(v) > 20
    for (k, x) in enumerate(v)
        limited && 10 < k <= length(v) - 10 && (k == 11 && print(io, "  …  "); continue)
        k > 1 && !(limited && k == length(v) - 9) && print(io, ", ")
        show(io, x)
    end
end
# An array may have elements that were never set.
is_set(a::AbstractArray, I...) = true
is_set(a::Array, I...) = isbitstype(eltype(a)) || isassigned(a, length(I) == 1 ? I[1] : LinearIndices(a)[I...])
function show_element(io, a, I...)
    if is_set(a, I...)
        show(io, a[I...])
    else
        print(io, "#undef")
    end
end
function show(io::IO, d::AbstractDict)
    prefix, implicit = typeinfo_prefix(io, d)
    show_typeinfo(io, prefix)
    implicit || (io = IOContext(io, :typeinfo => eltype(d)))
    show_vector(io, d, "(", ")")
end
function show(io::IO, s::AbstractSet)
    if isempty(s)
        # Where the type is known, the name alone says it.
        get(io, :typeinfo, Any) == typeof(s) ? print(io, nameof(typeof(s))) : show(io, typeof(s))
        return print(io, "()")
    end
    print(io, nameof(typeof(s)), "(")
    prefix, implicit = typeinfo_prefix(io, s)
    show_typeinfo(io, prefix)
    show_vector(implicit ? io : IOContext(io, :typeinfo => eltype(s)), s)
    print(io, ")")
end
show(io::IO, s::Union{KeySet, ValueIterator}) = show(io, collect(s))

# One line that says what something is.
summary(x) = sprint(summary, x)
summary(io::IO, x) = print(io, typeof(x))
summary(io::IO, d::AbstractDict) = (print(io, typeof(d)); known_length(d) && print(io, " with ", length(d), length(d) == 1 ? " entry" : " entries"); nothing)
summary(io::IO, k::Union{KeySet, ValueIterator}) = (print(io, nameof(typeof(k)), " for a "); summary(io, k.dict))
summary(io::IO, s::AbstractSet) = print(io, typeof(s), " with ", length(s), length(s) == 1 ? " element" : " elements")
summary(io::IO, s::AbstractString) = isempty(s) ? print(io, "empty ", typeof(s)) : print(io, ncodeunits(s), "-codeunit ", typeof(s))
summary(io::IO, f::Function) = show(io, MIME("text/plain"), f)
# Indices are shown by their axes.
simplify_axis(r::OneTo) = r.stop
simplify_axis(r) = r
show(io::IO, c::CartesianIndices) = (print(io, "CartesianIndices("); show(io, map(simplify_axis, c.indices)); print(io, ")"))
show(io::IO, ::MIME"text/plain", c::CartesianIndices) = show(io, c)

# At most `limit` items from `first_item` on, between brackets; `delim_one` is for a single item, too.
function show_delim_array(io::IO, itr, open, delim, close, delim_one, first_item = 1, limit = typemax(Int))
    print(io, open)
    shown = 0
    if !show_circular(io, itr)
        inner = within(io, itr)
        for (k, x) in enumerate(itr)
            k < first_item && continue
            shown += 1
            shown > 1 && print(io, delim, " ")
            show(inner, x)
            shown >= limit && break
        end
    end
    print(io, delim_one && shown == 1 ? delim : "", close)
    nothing
end

show(io::IO, e::Iterators.Enumerate) = (print(io, "enumerate("); show(io, e.itr); print(io, ")"))
show(io::IO, z::Iterators.Zip) = show_delim_array(io, z.is, "zip(", ",", ")", false)
