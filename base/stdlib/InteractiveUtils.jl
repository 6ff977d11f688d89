# What interactive sessions use and scripts sometimes name; the macros that show compiled code run nothing.
module InteractiveUtils

export versioninfo, methodswith, subtypes, supertypes, @which, @code_lowered, @code_typed, @code_warntype, @code_llvm,
    @code_native, code_warntype, code_llvm, code_native, @functionloc, @less, @edit, varinfo, clipboard

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
        elseif x isa Type && Base.unwrap_unionall(x) isa DataType && x !== T && supertype(x) == T
            x in found || push!(found, x)
        end
    end
    nothing
end
supertypes(T) = T === Any ? (Any,) : (T, supertypes(supertype(T))...)
varinfo(args...; kws...) = nothing
# The call that an expression makes, as the function and the types of the arguments.
function called(name, ex)
    ex isa Expr && ex.head === :do && (ex = Expr(:call, ex.args[1].args[1], ex.args[2], ex.args[1].args[2:end]...))
    Base.isexpr(ex, :(=)) && Base.isexpr(ex.args[1], :ref) && return types_of(:setindex!, Any[ex.args[1].args[1], ex.args[2], ex.args[1].args[2:end]...])
    Base.isexpr(ex, :(=)) && Base.isexpr(ex.args[1], :.) && return types_of(:setproperty!, Any[ex.args[1].args..., ex.args[2]])
    Base.isexpr(ex, :ref) && return types_of(:getindex, ex.args)
    Base.isexpr(ex, :.) && length(ex.args) == 2 && ex.args[2] isa QuoteNode && return types_of(:getproperty, ex.args)
    Base.isexpr(ex, :vect) && return types_of(:vect, ex.args)
    Base.isexpr(ex, Symbol("'")) && return types_of(:adjoint, ex.args)
    Base.isexpr(ex, :comparison) && length(ex.args) == 3 && return (esc(ex.args[2]), typed(ex.args[1:2:3]))
    Base.isexpr(ex, :call) || error(string("@", name, ": expression is not a function call"))
    args = filter(a -> !Base.isexpr(a, :parameters), ex.args[2:end])
    keywords = Any[a for a in args if Base.isexpr(a, :kw)]
    filter!(a -> !Base.isexpr(a, :kw), args)
    for it in ex.args
        Base.isexpr(it, :parameters) && append!(keywords, it.args)
    end
    isempty(keywords) && return (esc(ex.args[1]), typed(args))
    named = esc(Expr(:tuple, Expr(:parameters, keywords...)))
    (GlobalRef(Core, :kwcall), :(Base.typesof($named, $(esc(ex.args[1])), $(map(esc, args)...))))
end
types_of(name, args) = (GlobalRef(Base, name), typed(args))
typed(args) = :(Base.typesof($(map(esc, args)...)))
# `f(function, types; options...)` for `@f options... call`.
function reflected(name, f, args)
    options = Any[]
    for it in args[1:end-1]
        Base.isexpr(it, :(=)) || error(string("@", name, ": `", it, "` is no option"))
        push!(options, Expr(:kw, it.args[1], esc(it.args[2])))
    end
    callee, types = called(name, args[end])
    Expr(:call, f, Expr(:parameters, options...), callee, types)
end
# The same for macros of other modules, whose function is a name there.
gen_call_with_extracted_types_and_kwargs(mod::Module, f::Symbol, args) = reflected(string(f), esc(f), args)
only_one(found) = length(found) == 1 ? found[1] : found
code_llvm(io::IO, f, types = Base.default_tt(f); optimize::Bool = true, kws...) = Base.print_stage(io, optimize ? :llvm : :emitted, f, types)
code_native(io::IO, f, types = Base.default_tt(f); kws...) = Base.print_stage(io, :native, f, types)
code_warntype(io::IO, f, types = Base.default_tt(f); kws...) = Base.print_stage(io, :warntype, f, types)
code_llvm(f, types = Base.default_tt(f); kws...) = code_llvm(stdout, f, types; kws...)
code_native(f, types = Base.default_tt(f); kws...) = code_native(stdout, f, types; kws...)
code_warntype(f, types = Base.default_tt(f); kws...) = code_warntype(stdout, f, types; kws...)
for name in (:code_warntype, :code_llvm, :code_native, :functionloc)
    @eval macro $name(args...)
        reflected($(string(name)), $name, args)
    end
end
for name in (:code_lowered, :code_typed)
    @eval macro $name(args...)
        :(only_one($(reflected($(string(name)), $name, args))))
    end
end
macro which(args...)
    args[end] isa Symbol && return :(which($__module__, $(QuoteNode(args[end]))))
    reflected("which", which, args)
end
# An editor or pager is no part of a program.
for name in (:less, :edit)
    @eval macro $name(args...)
        error(string("@", $(string(name)), ": kiln opens no editor or pager"))
    end
end

end
