# A call that no method takes: what it was, why it may have failed, and what comes close.

# The types of the arguments, and whether they were given as types, to `invoke`.
function argument_types(args)
    args isa Tuple && return Any[typesof(args...).parameters...], false
    T = args
    Any[rewrap_unionall(p, T) for p in unwrap_unionall(T).parameters], true
end
function showerror(io::IO, e::MethodError)
    f, args = e.f, e.args
    if f === kwcall && args isa Tuple && length(args) >= 2 && args[1] isa NamedTuple
        return show_method_error(io, MethodError(args[2], args[3:end], e.world), args[1])
    end
    show_method_error(io, e, NamedTuple())
end
called_text(f) = callee_text(Core.Typeof(f), Symbol("#self#"), ())
called_name(f) = f isa Type ? string(f) : f isa Function && (f isa Builtin || invokelatest(is_named, f)) ? sprint(show_function, f) : string("(::", typeof(f), ")")
function show_method_error(io, e, kws)
    f, args = e.f, e.args
    types, is_invoke = argument_types(args)
    tied = isempty(kws) ? tied_methods(f, is_invoke ? args : typesof(args...)) : Any[]
    if !isempty(tied)
        vars = is_invoke ? signature_vars(args) : ()
        shown = is_invoke ? unwrap_unionall(args).parameters : types
        given = string("(", join(map(T -> string("::", candidate_type_text(T, vars)), shown), ", "), ")", is_invoke ? where_text(args) : "")
        return show_ambiguity(io, called_text(f), given, tied)
    end
    print(io, "MethodError: ")
    show_failed_call(io, f, args, types, is_invoke, kws)
    show_broadcast_advice(io, f, types)
    f isa AbstractArray && print(io, "\nUse square brackets [] for indexing an Array.")
    show_shadowed(io, f, args)
    show_reason(io, e, kws)
    is_invoke || show_row_advice(io, f, args, kws)
    !is_invoke && isempty(kws) && show_overlays(io, f, called_text(f), args)
    given = Any[(k, typeof(v)) for (k, v) in pairs(kws)]
    show_error_hints(io, e, types, given)
    show_method_candidates(io, e, given)
end
function show_failed_call(io, f, args, types, is_invoke, kws)
    known = !isempty(Host.methods_list(f))
    if f === convert && length(types) == 2 && !is_invoke
        return show_failed_conversion(io, args[1], types[2])
    elseif !known && f isa DataType && isabstracttype(f)
        return print(io, "no constructors have been defined for ", f)
    elseif !known && !(f isa Function) && !(f isa Type)
        return print(io, "objects of type ", typeof(f), " are not callable")
    end
    text = sprint(; context = io) do out
        print(out, called_text(f), "(")
        vars = is_invoke ? signature_vars(args) : ()
        shown = is_invoke ? unwrap_unionall(args).parameters : types
        for (k, T) in enumerate(shown)
            print(out, k > 1 ? ", ::" : "::", candidate_type_text(T, vars))
        end
        isempty(kws) || print(out, "; ")
        for (k, (name, value)) in enumerate(pairs(kws))
            print(out, k > 1 ? ", " : "", name, "::", typeof(value))
        end
        print(out, ")", is_invoke ? where_text(args) : "")
    end
    print(io, "no method matching ", is_invoke ? "invoke " : "", types_within_limit(io, text))
end
# Types of one name differ in their parameters: those stand below each other, what differs coloured.
function show_failed_conversion(io, target, from)
    target isa Type || return print(io, "First argument to `convert` must be a Type, got ", target)
    gap = target isa DataType && from isa DataType && target.name !== from.name ? "" : "\n  "
    print(io, "Cannot `convert` an object of type ", gap)
    show_compared(io, from, target, :light_green)
    print(io, " to an object of type ", gap)
    show_compared(io, target, from, :light_red)
end
function show_compared(io, a, b, color)
    if !(a isa DataType && b isa DataType && a.name === b.name)
        return a === b ? print(io, a) : printstyled(io, a; color)
    end
    print(io, a.name.wrapper isa UnionAll ? nameof(a) : a)
    isempty(a.parameters) && return nothing
    for k in eachindex(a.parameters)
        print(io, k == 1 ? "{" : ",")
        k <= length(b.parameters) ? show_compared(io, a.parameters[k], b.parameters[k], color) : printstyled(io, a.parameters[k]; color)
    end
    print(io, "}")
end
function show_broadcast_advice(io, f, types)
    (f === (+) || f === (-)) && length(types) == 2 || return nothing
    any(T -> T <: AbstractArray{<:Number}, types) && any(T -> T <: Number, types) || return nothing
    a, b = types[1] <: Number ? ("scalar", "array") : ("array", "scalar")
    print(io, "\nFor element-wise ", f === (+) ? "addition" : "subtraction", ", use broadcasting with dot syntax: ", a, " .", f === (+) ? '+' : '-', " ", b)
end
# A function of the program's own that has the name of one of Base's, which would take these arguments.
function show_shadowed(io, f, args)
    f isa Function && is_named(f) && isdefined(Base, nameof(f)) || return nothing
    of_base = getglobal(Base, nameof(f))
    T = args isa Tuple ? typesof(args...) : args
    of_base !== f && (of_base isa Function || of_base isa Type) && hasmethod(of_base, T) || return nothing
    print(io, "\nYou may have intended to import ")
    show_unquoted(io, Expr(:., :Base, QuoteNode(nameof(f))))
end
# Whether there is a method after all: in the world of the call, or in a later one.
function show_reason(io, e, kws)
    f, T = e.f, e.args isa Tuple ? typesof(e.args...) : e.args
    by_hand = e.world == typemax(UInt)
    exists(world) = !(f isa Builtin) && Host.hasmethod(f, T, world)
    if by_hand || exists(e.world)
        isempty(kws) || print(io, "\nThis method does not support all of the given keyword arguments (and may not support any).")
        (by_hand || isempty(kws)) && print(io, "\nThis error has been manually thrown, explicitly, so the method may exist but be intentionally marked as unimplemented.")
    elseif exists(get_world_counter())
        print(io, "\nThe applicable method may be too new: running in world age ", e.world, ", while current world is ", get_world_counter(), ".")
    elseif f isa Type
        print(io, "\nThe type `", f, "` exists, but no method is defined for this combination of argument types when trying to construct it.")
    elseif f isa Function
        print(io, "\nThe function `", short_name(f, called_name(f)), "` exists, but no method is defined for this combination of argument types.")
    else
        print(io, "\nThe object of type `", typeof(f), "` exists, but no method is defined for this combination of argument types when trying to treat it as a callable object.")
    end
end
function show_row_advice(io, f, args, kws)
    is_row(x) = x isa Matrix && size(x, 1) == 1
    any(is_row, args) && isempty(kws) && applicable(f, map(x -> is_row(x) ? vec(x) : x, args)...) || return nothing
    print(io, "\n\nYou might have used a 2d row vector where a 1d column vector was required.",
        "\nNote the difference between 1d column vector [1,2,3] and 2d row vector [1 2 3].",
        "\nYou can convert to a column vector with the vec() function.")
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
# The methods that a call without one ties for, as Julia tells it: several are listed.
function tied_methods(f, T)
    f isa Builtin && return Any[]
    found = methods_including_ambiguous(f, T).ms
    length(found) > 1 ? found : Any[]
end
function show_ambiguity(io, name, given, candidates)
    print(io, "MethodError: ", name, given, " is ambiguous.\n\nCandidates:")
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
    k === nothing && return Symbol[]
    names = collect(Symbol, Host.method_info(sorters[k]).keywords)
    # A method for default values takes keywords that only the method that it calls names.
    isempty(names) ? Symbol[Symbol("...")] : names
end
# Methods that a macro or `@eval` made have no place.
place_text(info) = info.line == 0 ? string(info.module) : string(info.module, " ", info.file, ":", info.line)
