# The parts of an object, one a line, down to a depth.

const DUMP_DEPTH = 8
function dump(io::IO, @nospecialize(x); maxdepth::Integer = DUMP_DEPTH)
    dump_part(IOContext(io), x, Int(maxdepth), "")
    println(io)
end
dump(@nospecialize(x); maxdepth::Integer = DUMP_DEPTH) = dump(IOContext(stdout, :limit => true), x; maxdepth)

function dump_part(io, @nospecialize(x), depth, indent)
    T = typeof(x)
    if x isa Function
        return print(io, x, " (function of type ", T, ")")
    elseif nfields(x) == 0 || x isa Number && isbitstype(T) && isprimitivetype(T)
        print(io, T)
        return isprimitivetype(T) || x isa Number ? (print(io, " "); show(io, x)) : print(io, isdefined(T, :instance) ? " " : "", isdefined(T, :instance) ? repr(x) : "")
    end
    print(io, T)
    depth > 0 && !show_circular(io, x) && dump_fields(within(io, x), x, depth, indent)
    nothing
end
function dump_fields(io, @nospecialize(x), depth, indent)
    for i in 1:nfields(x)
        print(io, "\n", indent, "  ", fieldname(typeof(x), i), ": ")
        isdefined(x, i) ? dump_part(io, getfield(x, i), depth - 1, string(indent, "  ")) : print(io, "#undef")
    end
end
dump_part(io, s::AbstractString, depth, indent) = (print(io, typeof(s), " "); show(io, s))
dump_part(io, s::Symbol, depth, indent) = print(io, typeof(s), " ", s)
dump_part(io, m::Module, depth, indent) = print(io, "Module ", m)
dump_part(io, p::Ptr, depth, indent) = print(io, p)
dump_part(io, T::Union, depth, indent) = print(io, T)
dump_part(io, T::UnionAll, depth, indent) = (print(io, "UnionAll"); dump_fields(io, T, depth, indent))
function dump_part(io, v::SimpleVector, depth, indent)
    isempty(v) && return print(io, "empty SimpleVector")
    print(io, "SimpleVector")
    depth > 0 || return nothing
    for i in 1:length(v)
        print(io, "\n", indent, "  ", i, ": ")
        dump_part(io, v[i], depth - 1, string(indent, "  "))
    end
end
function dump_part(io, a::Array, depth, indent)
    print(io, "Array{", eltype(a), "}(", size(a), ")")
    eltype(a) <: Number && return (print(io, " "); show(io, a))
    depth > 0 && !isempty(a) && !show_circular(io, a) || return nothing
    inner = within(io, a)
    n = length(a)
    gap = n > 10 && get(io, :limit, false)::Bool
    for i in 1:n
        gap && 5 < i <= n - 5 && (i == 6 && print(io, "\n", indent, "  ..."); continue)
        print(io, "\n", indent, "  ", i, ": ")
        isassigned(a, i) ? dump_part(inner, a[i], depth - 1, string(indent, "  ")) : print(io, "#undef")
    end
end
# A type: its declaration, with the types of the fields.
function dump_part(io, T::DataType, depth, indent)
    record = isstructtype(T) && !(T <: Tuple)
    print(io, record && ismutabletype(T) ? "mutable " : "", record ? "struct " : isprimitivetype(T) ? "primitive type " :
        isabstracttype(T) ? "abstract type " : "", T)
    T === Any || print(io, " <: ", supertype(T))
    depth > 0 && !(T <: Tuple) && !isabstracttype(T) || return nothing
    for i in 1:something(definite_fieldcount(T), 0)
        F = fieldtype(T, i)
        print(io, "\n", indent, ismutabletype(T) && isconst(T, i) ? "  const " : "  ", fieldname(T, i), "::", F isa TypeVar ? F.name : F)
    end
end
dump_part(io, T::Core.TypeofBottom, depth, indent) = print(io, T)
