# The long form: `display`, and `show` for text/plain, with summaries, aligned columns and one entry a line.

show(io::IO, ::MIME"text/plain", x) = show(io, x)
show(io::IO, m::AbstractString, x) = show(io, MIME(m), x)
function show(io::IO, ::MIME"text/plain", f::Function)
    n = length(Host.methods_list(f))
    show_function(io, f)
    f isa Builtin && return print(io, " (built-in function)")
    print(io, " (generic function with ", n, n == 1 ? " method)" : " methods)")
end
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
# The parts of an object, down to a depth.
function dump(io::IO, x; maxdepth::Integer = 8)
    dump_indented(io, x, maxdepth, "")
    println(io)
end
dump(x; kws...) = dump(stdout, x; kws...)
function dump_indented(io, x, depth, indent)
    T = typeof(x)
    if x isa Union{Number, AbstractString, Symbol, Nothing, Char} && !(x isa Complex)
        print(io, T, " ")
        show(io, x)
    elseif x isa AbstractArray
        print(io, T, "(", size(x), ") ")
        show(io, x)
    elseif x isa Function || x isa Module || x isa Type
        print(io, x isa Type ? string(x, " <: ", supertype(x)) : string(x, " (function of type ", T, ")"))
    else
        print(io, T, nfields(x) == 0 ? "()" : " ")
        depth > 0 || return nothing
        for i in 1:nfields(x)
            print(io, "\n", indent, "  ", fieldname(T, i), ": ")
            isdefined(x, i) ? dump_indented(io, getfield(x, i), depth - 1, string(indent, "  ")) : print(io, "#undef")
        end
    end
    nothing
end

repr(m::MIME, x; context = nothing) = sprint_with(show, context, m, x)
repr(m::AbstractString, x; context = nothing) = repr(MIME(m), x; context = context)

# Which forms there are of a value.
showable(::MIME{mime}, @nospecialize(x)) where {mime} = hasmethod(show, Tuple{IO, MIME{mime}, typeof(x)})
showable(m::AbstractString, @nospecialize(x)) = showable(MIME(m), x)
