# Methods that are in each other's way, and methods with variables that no call determines.

function in_modules(m::Module, recursive::Bool, mods)
    while !(m in mods)
        p = parentmodule(m)
        recursive && p !== m || return false
        m = p
    end
    true
end
own_methods(mods, recursive) = filter(m -> in_modules(parentmodule(m), recursive, mods), Base.Host.methods_list())

function detect_ambiguities(mods::Module...; recursive::Bool = false, ambiguous_bottom::Bool = false,
    allowed_undefineds = nothing)
    found = Tuple{Method, Method}[]
    for m in own_methods(mods, recursive)
        _, _, _, ambiguous = match = Base.Host.match_methods(m.sig, Base.get_world_counter(), -1, true, nothing)
        ambiguous || continue
        for other in match[1]
            m2 = other[3]
            m === m2 || Base.morespecific(m2.sig, m.sig) && continue
            m !== m2 && Base.isambiguous(m, m2; ambiguous_bottom) || continue
            pair = (m.file, m.line) <= (m2.file, m2.line) ? (m, m2) : (m2, m)
            pair in found || push!(found, pair)
        end
    end
    found
end

function detect_unbound_args(mods::Module...; recursive::Bool = false, allowed_undefineds = nothing)
    filter(own_methods(mods, recursive)) do m
        Base.has_unbound_vars(m.sig) || return false
        T = Base.unwrap_unionall(m.sig)
        isempty(T.parameters) || !(T.parameters[end] isa Core.TypeofVararg) && return true
        # With an empty rest another method may be called.
        short = Base.rewrap_unionall(Tuple{T.parameters[1:end-1]...}, m.sig)
        other = Base.find_invoked(short, nothing, Base.get_world_counter())
        !(other !== nothing && other !== m && other.sig <: short)
    end
end
