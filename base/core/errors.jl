# Exceptions of Base, and what they say.

"""
    DimensionMismatch(text)

The exception for arrays whose shapes do not fit.
"""
struct DimensionMismatch <: Exception
    msg::AbstractString
end
DimensionMismatch() = DimensionMismatch("")
struct CapturedException <: Exception
    ex::Any
    processed_bt::Vector{Any}
    CapturedException(ex, trace::Vector) = new(ex, process_backtrace(trace, 100))
    CapturedException(ex, processed::Tuple) = new(ex, processed[1])
end
"""
    MissingException(text)

The exception for `missing` where a value is needed.
"""
struct MissingException <: Exception
    msg::AbstractString
end
showerror(io::IO, e) = show(io, e)
showerror(io::IO, e::ErrorException) = print(io, e.msg)
showerror(io::IO, e::ArgumentError) = print(io, "ArgumentError: ", e.msg)
showerror(io::IO, e::AssertionError) = print(io, "AssertionError: ", e.msg)
showerror(io::IO, e::DimensionMismatch) = print(io, "DimensionMismatch", isempty(e.msg) ? "" : ": ", e.msg)
showerror(io::IO, e::OverflowError) = print(io, "OverflowError: ", e.msg)
showerror(io::IO, e::DivideError) = print(io, "DivideError: integer division error")
showerror(io::IO, e::StackOverflowError) = print(io, "StackOverflowError:")
showerror(io::IO, e::OutOfMemoryError) = print(io, "OutOfMemoryError()")
showerror(io::IO, e::InterruptException) = print(io, "InterruptException:")
showerror(io::IO, e::UndefRefError) = print(io, "UndefRefError: access to undefined reference")
showerror(io::IO, e::KeyError) = (print(io, "KeyError: key "); show(io, e.key); print(io, " not found"))
showerror(io::IO, e::EOFError) = print(io, "EOFError: read end of file")
showerror(io::IO, e::MissingException) = print(io, "MissingException: ", e.msg)
showerror(io::IO, e::UndefKeywordError) = print(io, "UndefKeywordError: keyword argument `", e.var, "` not assigned")
showerror(io::IO, e::CanonicalIndexError) = print(io, "CanonicalIndexError: ", e.func, " not defined for ", e.type)
function showerror(io::IO, e::StringIndexError)
    s, n = e.string, ncodeunits(e.string)
    if !(1 <= e.index <= n)
        return print(io, "StringIndexError: invalid index [", e.index, "]")
    end
    i = thisind(s, e.index)
    j = nextind(s, i)
    print(io, "StringIndexError: invalid index [", e.index, "], valid nearby ", j <= n ? "indices" : "index", " [", i, "]=>", repr(s[i]))
    j <= n && print(io, ", [", j, "]=>", repr(s[j]))
    nothing
end
showerror(io::IO, e::LoadError) = (print(io, "LoadError: "); showerror(io, e.error); print(io, "\nin expression starting at ", e.file, ":", e.line))
showerror(io::IO, e::CapturedException) = showerror(io, e.ex, e.processed_bt; backtrace = true)
function showerror(io::IO, e::DomainError)
    print(io, "DomainError with ")
    show(io, e.val)
    e.msg == "" || print(io, ":\n", e.msg)
    show_error_hints(io, e)
end
function showerror(io::IO, e::UndefVarError)
    print(io, "UndefVarError: `", e.var, "` not defined")
    if isdefined(e, :scope)
        e.scope isa Module ? print(io, " in `", e.scope, "`") :
            print(io, e.scope === :static_parameter ? " in static parameter matching" : string(" in ", e.scope, " scope"))
    end
    show_error_hints(io, e)
end
function showerror(io::IO, e::FieldError)
    print(io, "FieldError: type ", e.type.name.wrapper, " has no field `", e.field, "`")
    show_error_hints(io, e)
end
function showerror(io::IO, e::BoundsError)
    print(io, "BoundsError")
    if isdefined(e, :a)
        print(io, ": attempt to access ")
        a = e.a
        a isa Union{Tuple, AbstractString} ? show_bounds_subject(io, a) : summary(io, a)
        if isdefined(e, :i)
            print(io, " at index [")
            is = e.i isa Tuple ? e.i : (e.i,)
            for (k, i) in enumerate(is)
                k > 1 && print(io, ", ")
                show_bounds_index(io, i)
            end
            print(io, "]")
        end
    end
    nothing
end
show_bounds_index(io, i) = show(io, i)
show_bounds_index(io, ::Colon) = print(io, ":")
show_bounds_index(io, s::Slice) = show(io, first(s):last(s))
show_bounds_index(io, r::AbstractRange) = show(io, r)
show_bounds_index(io, L::LogicalIndex) = print(io, summary(L.mask))
show_bounds_index(io, a::AbstractArray) = print(io, summary(a))
show_bounds_subject(io, a::Tuple) = print(io, typeof(a))
show_bounds_subject(io, s) = print(io, ncodeunits(s), "-codeunit ", typeof(s))
function showerror(io::IO, e::InexactError)
    args = e.args
    if length(args) >= 2
        print(io, "InexactError: ", e.func, "(")
        args[1] === Symbol(e.func) || string(args[1]) == string(e.func) || print(io, args[1], ", ")
        show(io, args[2])
        print(io, ")")
    else
        print(io, "InexactError: ", e.func, args)
    end
    nothing
end
function showerror(io::IO, e::TypeError)
    if e.func === :var"keyword argument"
        print(io, "TypeError: in keyword argument ", e.context, ", expected ", e.expected)
    else
        if e.expected === Bool
            return print(io, "TypeError: non-boolean (", typeof(e.got), ") used in boolean context")
        end
        print(io, "TypeError: in ", e.func, ", ", e.context == "" ? "" : string("in ", e.context, ", "), "expected ", e.expected)
    end
    print(io, ", got ", e.got isa Type ? string("Type{", e.got, "}") : e.got isa TypeofVararg ? e.got : string("a value of type ", typeof(e.got)))
end
function showerror(io::IO, e::InitError)
    print(io, "InitError: ")
    showerror(io, e.error)
    print(io, "\nduring initialization of module ", e.mod)
end
showerror(io::IO, e::Core.TypeNameError) = e.a isa Union ?
    print(io, "TypeNameError: typename of union ", e.a, " is not unique") :
    print(io, "TypeNameError: ", e.a, " (of type ", typeof(e.a), ") is not a type with a name")
