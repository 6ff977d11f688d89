# What interactive sessions use and scripts sometimes name; the macros that show compiled code run nothing.
module InteractiveUtils

export versioninfo, methodswith, subtypes, supertypes, @which, @code_lowered, @code_typed, @code_warntype, @code_llvm,
    @code_native, @functionloc, @less, @edit, varinfo, clipboard

versioninfo(io::IO = stdout; kws...) = println(io, "Julia Version ", VERSION, " (kiln)")
methodswith(args...; kws...) = Any[]
# The types that the loaded modules have names for.
function subtypes(T::Type)
    found = Any[]
    seen = Any[]
    for m in (Core, Base, Main)
        collect_subtypes!(found, seen, m, T)
    end
    sort!(found; by = string)
end
function collect_subtypes!(found, seen, m, T)
    m in seen && return nothing
    push!(seen, m)
    for name in names(m; all = true)
        isdefinedglobal(m, name) || continue
        x = getglobal(m, name)
        if x isa Module
            parentmodule(x) === m && collect_subtypes!(found, seen, x, T)
        elseif x isa Type && !(x isa Union) && x !== Union{} && x !== T && supertype(x) == T
            x in found || push!(found, x)
        end
    end
    nothing
end
supertypes(T) = T === Any ? (Any,) : (T, supertypes(supertype(T))...)
varinfo(args...; kws...) = nothing
macro which(ex)
    ex isa Expr && ex.head === :call || error("expression is not a function call")
    :(which($(esc(ex.args[1])), Base.typesof($(map(esc, ex.args[2:end])...))))
end
for name in (:code_lowered, :code_typed, :code_warntype, :code_llvm, :code_native, :functionloc, :less, :edit)
    @eval macro $name(args...)
        nothing
    end
end

end
