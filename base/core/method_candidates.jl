# The methods that a failed call comes closest to: those that most arguments fit, at most three; what does not fit is marked.

# A signature's part beside what is given for it, and how many arguments it takes.
struct Candidate
    text::String
    fits::Int
    info::Any
end
function show_mismatch(io, text)
    get(io, :color, false)::Bool ? printstyled(io, "::", text; color = :light_red) : print(io, "!Matched::", text)
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
function candidate_of(io, name, info, types, keywords, world::UInt)
    params = Any[unwrap_unionall(info.sig).parameters...][2:end]
    given = copy(types)
    vars = signature_vars(info.sig)
    n, k = length(given), length(params)
    fits = 0
    buffer = IOBuffer()
    out = IOContext(buffer, io)
    print(out, "  ", name, "(")
    for i in 1:k
        i > 1 && print(out, ", ")
        rest = params[i] isa TypeofVararg
        if i > n
            # An empty rest is no reason why the call failed.
            rest && i == n + 1 && k == i && n > 0 ? print(out, "::", candidate_type_text(params[i], vars)) : show_mismatch(out, candidate_type_text(params[i], vars))
        elseif types_meet(params[1:i], given[1:(rest ? n : i)], info.sig)
            rest || (fits += 1)
            print(out, "::", candidate_type_text(params[i], vars))
        else
            show_mismatch(out, candidate_type_text(params[i], vars))
            # The next argument is compared as if this one fitted.
            given[i] = rest ? given[i] : widest(params[i], info.sig)
        end
    end
    if k > 0 && params[k] isa TypeofVararg
        T = rewrap_unionall(isdefined(params[k], :T) ? params[k].T : Any, info.sig)
        fits += count(i -> types[i] <: T, k:n)
    end
    fits > 0 || n < 2 || return nothing
    known = kwarg_decl(info)
    isempty(known) || print(out, "; ", join(known, ", "))
    print(out, ")", where_text(info.sig))
    show_unsupported_keywords(out, keywords, known)
    world < info.primary_world && print(out, " (method too new to be called from this world context.)")
    print(out, "\n   @ ", place_text(info))
    Candidate(takestring!(buffer), fits, info)
end
widest(T, sig) = T isa TypeVar ? T.ub : rewrap_unionall(T, sig)
function candidate_lines(io, f, name, types, keywords, world::UInt = get_world_counter())
    found = Candidate[]
    for m in Host.methods_list(f)
        c = candidate_of(io, name, Host.method_info(m), types, keywords, world)
        c === nothing || push!(found, c)
    end
    # Definitions of the program come before those of the library, then what fits best.
    sort!(found; by = c -> (from_library(c.info), -c.fits))
    String[c.text for c in found]
end
function show_candidate_lines(io, lines)
    isempty(lines) && return nothing
    print(io, "\n\nClosest candidates are:")
    for k in 1:min(3, length(lines))
        print(io, "\n", lines[k])
    end
    length(lines) > 3 && print(io, "\n  ...")
    nothing
end
function show_method_candidates(io::IO, e::MethodError, kwargs = [])
    types = e.args isa Tuple ? Any[typesof(e.args...).parameters...] : Any[e.args.parameters...]
    lines = candidate_lines(io, e.f, called_name(e.f), types, Symbol[k for (k, v) in kwargs], e.world)
    show_candidate_lines(io, lines)
    isempty(lines) || println(io)
    nothing
end
