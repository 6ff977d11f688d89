# The methods that a failed call comes closest to: those that most arguments fit, at most three; what does not fit is marked.

# A signature's part beside what is given for it, and how many arguments it takes.
struct Candidate
    text::String
    fits::Int
    of_library::Bool
end
function show_mismatch(io, text)
    get(io, :color, false)::Bool ? printstyled(io, "::", text; color = error_color()) : print(io, "!Matched::", text)
end
candidate_type_text(T, vars) = T isa TypeofVararg ? string(type_text(isdefined(T, :T) ? T.T : Any, vars), "...") : type_text(T, vars)
# Whether arguments of these types may meet the first parameters of a signature.
function types_meet(params, types, sig)
    try
        return typeintersect(rewrap_unionall(Tuple{params...}, sig), Tuple{types...}) !== Union{}
    catch
        return false
    end
end
# The text of a method of `f` as a candidate. With `only_first` it is none where its first argument does not fit.
function candidate_of(io, f, m, types, keywords, world, only_first)
    all = Any[unwrap_unionall(m.sig).parameters...]
    f isa rewrap_unionall(all[1], m.sig) || return nothing
    params = all[2:end]
    given = copy(types)
    vars = signature_vars(m.sig)
    n, k = length(given), length(params)
    fits = 0
    buffer = IOBuffer()
    out = IOContext(buffer, io)
    print(out, plain_text_mark(io), "  ", candidate_callee(all[1], vars), "(")
    for i in 1:k
        i > 1 && print(out, ", ")
        rest = params[i] isa TypeofVararg
        if i > n
            # An empty rest is no reason why the call failed.
            rest && i == n + 1 ? print(out, "::", candidate_type_text(params[i], vars)) : show_mismatch(out, candidate_type_text(params[i], vars))
        elseif types_meet(params[1:i], given[1:(rest ? n : i)], m.sig)
            rest && i < n || (fits += 1)
            print(out, "::", candidate_type_text(params[i], vars))
        elseif only_first && i == 1
            return nothing
        else
            show_mismatch(out, candidate_type_text(params[i], vars))
            # The next argument is compared as if this one fitted.
            given[i] = rest ? given[i] : widest(params[i], m.sig)
        end
    end
    only_first && fits == 0 && return nothing
    if 0 < k < n && params[k] isa TypeofVararg
        T = rewrap_unionall(isdefined(params[k], :T) ? params[k].T : Any, m.sig)
        fits += count(i -> types[i] <: T, k:n)
    end
    known = kwarg_decl(m)
    isempty(known) || print(out, "; ", join(known, ", "))
    print(out, ")", where_text(m.sig))
    show_unsupported_keywords(out, keywords, known)
    world < m.primary_world && print(out, " (method too new to be called from this world context.)")
    println(out)
    print(out, plain_text_mark(io))
    owner = outermost_module(m.module)
    print_module_path_file(out, owner, m.line == 0 ? "" : string(m.file), m.line; modulecolor = module_color(owner), digit_align_width = 3)
    Candidate(takestring!(buffer), fits, moduleroot(owner) !== Main)
end
# Lines begin in the terminal's own style, whatever stood before them.
plain_text_mark(io) = get(io, :color, false)::Bool ? text_colors[:normal] : ""
candidate_callee(T, vars) =
    T isa DataType && T.name === Type.body.name && T.parameters[1] isa TypeVar ? string("(::", type_text(T, vars), ")") : callee_text(T, Symbol("#self#"), vars)
widest(T, sig) = T isa TypeVar ? T.ub : rewrap_unionall(T, sig)
function show_method_candidates(io::IO, e::MethodError, kwargs = [])
    f = e.f
    f isa Builtin && return nothing
    types, _ = argument_types(e.args)
    only_first = f === convert || f === getindex || f === setindex!
    calls = Any[(f, types)]
    # A failed conversion may be meant as a construction.
    if f === convert && !isempty(types) && isType(types[1]) && types[1].parameters[1] isa Type
        push!(calls, (types[1].parameters[1], types[2:end]))
    end
    keywords = Symbol[k for (k, v) in kwargs]
    found = Candidate[]
    for (callee, given) in calls, m in Host.methods_list(callee)
        c = candidate_of(io, callee, m, given, keywords, e.world, only_first)
        c === nothing || push!(found, c)
    end
    isempty(found) && return nothing
    # Of equally good ones, those of the program come first.
    sort!(found; by = c -> (-c.fits, c.of_library))
    print(io, "\n\n", plain_text_mark(io), "Closest candidates are:")
    foreach(c -> print(io, "\n", c.text), found[1:min(3, end)])
    length(found) > 3 && print(io, "\n  ...")
    println(io)
end
