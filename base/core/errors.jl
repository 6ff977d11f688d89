# Exceptions of Base, and what they say.

struct DimensionMismatch <: Exception
    msg::AbstractString
end
DimensionMismatch() = DimensionMismatch("")
struct CapturedException <: Exception
    ex::Any
    processed_bt::Any
end
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
showerror(io::IO, e::CapturedException) = showerror(io, e.ex)
function showerror(io::IO, e::DomainError)
    print(io, "DomainError with ")
    show(io, e.val)
    e.msg == "" || print(io, ":\n", e.msg)
    show_error_hints(io, e)
end
function showerror(io::IO, e::UndefVarError)
    print(io, "UndefVarError: `", e.var, "` not defined")
    isdefined(e, :scope) && (e.scope isa Module ? print(io, " in `", e.scope, "`") : e.scope === :local ? print(io, " in local scope") : e.scope === :static_parameter ? print(io, " in static parameter matching") : nothing)
    nothing
end
function showerror(io::IO, e::FieldError)
    print(io, "FieldError: type ", nameof(e.type), " has no field `", e.field, "`")
    show_error_hints(io, e)
end
function showerror(io::IO, e::BoundsError)
    print(io, "BoundsError")
    if isdefined(e, :a)
        print(io, ": attempt to access ")
        a = e.a
        a isa AbstractArray ? print(io, summary(a)) : a isa Union{Tuple, AbstractString} ? show_bounds_subject(io, a) : print(io, a isa Type ? a : typeof(a))
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
        print(io, "TypeError: ", e.func === :if ? "non-boolean (" : "")
        if e.func === :if
            print(io, typeof(e.got), ") used in boolean context")
            return nothing
        end
        print(io, "in ", e.func, ", ", e.context == "" ? "" : string("in ", e.context, ", "), "expected ", e.expected)
    end
    print(io, ", got ", e.got isa Type ? string("Type{", e.got, "}") : string("a value of type ", typeof(e.got)))
end
function showerror(io::IO, e::InitError)
    print(io, "InitError: ")
    showerror(io, e.error)
    print(io, "\nduring initialization of module ", e.mod)
end
showerror(io::IO, e::Core.TypeNameError) = e.a isa Union ?
    print(io, "TypeNameError: typename of union ", e.a, " is not unique") :
    print(io, "TypeNameError: ", e.a, " (of type ", typeof(e.a), ") is not a type with a name")
function showerror(io::IO, e::MethodError)
    f, args = e.f, e.args
    if f === kwcall && length(args) >= 2
        f, kws, args = args[2], args[1], args[3:end]
        return show_method_error(io, f, args, kws, e.world)
    end
    show_method_error(io, f, args, NamedTuple(), e.world)
end
called_name(f) = f isa Type ? string(f) : f isa Function && !isgensym(nameof(f)) ? sprint(show_function, f) : string("(::", typeof(f), ")")
function show_method_error(io, f, args, kws, world::UInt)
    name = called_name(f)
    types = args isa Tuple ? map(x -> string("::", argument_type_text(x)), args) : map(T -> string("::", T), (unwrap_unionall(args).parameters...,))
    known = !isempty(Host.methods_list(f))
    if !known && !(f isa Function) && !(f isa Type)
        print(io, "MethodError: objects of type ", typeof(f), " are not callable")
        return nothing
    end
    if args isa Tuple && isempty(kws) && applies_ambiguously(f, args)
        return show_ambiguity(io, f, name, args, types)
    end
    if f === convert && args isa Tuple && length(args) == 2 && args[1] isa Type
        print(io, "MethodError: Cannot `convert` an object of type ", argument_type_text(args[2]), " to an object of type ", args[1])
    else
        print(io, "MethodError: no method matching ", name, "(", join(types, ", "))
        isempty(kws) || print(io, "; ", join(map((k, v) -> string(k, "::", typeof(v)), keys(kws), Tuple(kws)), ", "))
        print(io, ")")
    end
    if !isempty(kws) && args isa Tuple && !(f isa Builtin) && Host.hasmethod(f, typesof(args...))
        print(io, "\nThis method does not support all of the given keyword arguments (and may not support any).")
    elseif isempty(kws) && is_too_new(f, args, world)
        print(io, "\nThe applicable method may be too new: running in world age ", world, ", while current world is ", get_world_counter(), ".")
    elseif f isa Type
        print(io, "\nThe type `", f, "` exists, but no method is defined for this combination of argument types when trying to construct it.")
    else
        print(io, "\nThe ", f isa Function ? "function" : "object of type", " `", f isa Function ? short_name(f, name) : typeof(f), "` exists, but no method is defined for this combination of argument types.")
    end
    args isa Tuple && isempty(kws) && show_overlays(io, f, name, args)
    types = args isa Tuple ? Any[typesof(args...).parameters...] : Any[args.parameters...]
    show_error_hints(io, MethodError(f, args), types, collect(pairs(kws)))
    args isa Tuple && show_candidate_lines(io, candidate_lines(io, f, name, types, keys(kws), world))
    nothing
end
# Whether the newest world has a method for the call, and the one where it failed has not.
function is_too_new(f, args, world::UInt)
    f isa Builtin && return false
    types = args isa Tuple ? typesof(args...) : args
    world < get_world_counter() && Host.hasmethod(f, types, get_world_counter()) && !Host.hasmethod(f, types, world)
end
# Methods that would have been called in a kernel.
function show_overlays(io, f, name, args)
    found = Host.methods_list(f, typesof(args...), true)
    isempty(found) && return nothing
    print(io, "\nKernels see a method for it that host code does not: call `", name, "` in a kernel, or define a method for the host.")
    for m in found
        print(io, "\n   @ ", place_text(Host.method_info(m)))
    end
    nothing
end
# A call that has no method although some cover it: none of those is the most specific.
function applies_ambiguously(f, args)
    f isa Builtin && return false
    sigs = map(m -> m.sig, covering_methods(f, args))
    !isempty(sigs) && !any(s -> all(t -> s <: t, sigs), sigs)
end
function covering_methods(f, args)
    T = Ref{Any}(typesof(f, args...))
    filter(m -> T[] <: m.sig, methods_including_ambiguous(f, typesof(args...)).ms)
end
function show_ambiguity(io, f, name, args, types)
    print(io, "MethodError: ", name, "(", join(types, ", "), ") is ambiguous.\n\nCandidates:")
    candidates = covering_methods(f, args)
    for m in candidates
        print(io, "\n  ", method_text(m), "\n    @ ", place_text(m))
    end
    meet = foldl(typeintersect, map(m -> m.sig, candidates))
    wanted = unwrap_unionall(meet)
    if wanted isa DataType && all(m -> morespecific(meet, m.sig), candidates)
        types = map(t -> string("::", candidate_type_text(t, signature_vars(meet))), wanted.parameters[2:end])
        print(io, "\n\nPossible fix, define\n  ", name, "(", join(types, ", "), ")", where_text(meet))
        println(io)
    else
        print(io, "\n\nTo resolve the ambiguity, try making one of the methods more specific, or adding a new method more specific than any of the existing applicable methods.")
    end
    nothing
end
# A closure's own name is the first part of its type's.
short_name(f, name) = (s = string(nameof(f)); startswith(s, "#") && count("#", s) > 1 ? s[1:prevind(s, findnext('#', s, 2))] : name)
argument_type_text(x) = x isa Type ? string("Type{", x, "}") : string(typeof(x))

function show_unsupported_keywords(io, given, known)
    any(k -> endswith(string(k), "..."), known) && return nothing
    others = filter(k -> !(k in known), collect(Symbol, given))
    isempty(others) && return nothing
    print(io, " got unsupported keyword argument", length(others) > 1 ? "s" : "", " \"", join(others, "\", \""), "\"")
end
# The keywords of a method are those that the method of `kwcall` for the same signature takes out of the named tuple.
function kwarg_decl(m)
    sig = m.sig
    params = unwrap_unionall(sig).parameters
    wanted = Ref{Any}(rewrap_unionall(Tuple{typeof(kwcall), NamedTuple, params...}, sig))
    sorters = Host.methods_list(kwcall, rewrap_unionall(Tuple{NamedTuple, params...}, sig))
    k = findfirst(s -> s.sig == wanted[], sorters)
    k === nothing ? Symbol[] : collect(Symbol, Host.method_info(sorters[k]).keywords)
end
from_library(info) = startswith(string(info.file), "@kiln/") || moduleroot(info.module) !== Main
# Methods that a macro or `@eval` made have no place.
place_text(info) = info.line == 0 ? string(info.module) : string(info.module, " ", info.file, ":", info.line)
