# Look-up of methods by signature, their order, and ambiguities.

has_bottom_parameter(T::DataType) = any(has_bottom_parameter, T.parameters)
has_bottom_parameter(::Core.TypeofBottom) = true
has_bottom_parameter(T::UnionAll) = has_bottom_parameter(unwrap_unionall(T))
has_bottom_parameter(T::Union) = has_bottom_parameter(T.a) & has_bottom_parameter(T.b)
has_bottom_parameter(v::TypeVar) = has_bottom_parameter(v.ub)
has_bottom_parameter(x) = false

morespecific(a::Type, b::Type) = Host.morespecific(a, b)
morespecific(a::Method, b::Method) = Host.morespecific(a, b)

signature_type(f, T) = rewrap_unionall(Tuple{Core.Typeof(f), unwrap_unionall(tuple_type(T)).parameters...}, tuple_type(T))

# All methods that calls with signature `sig` may go to, the most specific first, as `Core.MethodMatch`es; `nothing` if
# there are more than `lim`. With `ambig` also those of which no call is decided.
_methods_by_ftype(sig, lim::Int, world::UInt) = _methods_by_ftype(sig, nothing, lim, world)
function _methods_by_ftype(sig, table, lim::Int, world::UInt)
    found = Host.match_methods(sig, world, lim, false, table)
    found === nothing ? nothing : method_matches(getfield(found, 1))
end
function _methods_by_ftype(sig, table, lim::Int, world::UInt, ambig::Bool, min::Ref{UInt}, max::Ref{UInt}, has_ambig)
    found = Host.match_methods(sig, world, lim, ambig, table)
    found === nothing && return nothing
    min[], max[] = getfield(found, 2), getfield(found, 3)
    has_ambig isa Ref && (has_ambig[] = Int32(getfield(found, 4)))
    method_matches(getfield(found, 1))
end
method_matches(found) = Any[Core.MethodMatch(m[1], m[2], m[3], m[4]) for m in found]

function methods_including_ambiguous(f, T)
    found = Host.match_methods(signature_type(f, T), get_world_counter(), -1, true, nothing)
    MethodList(Any[m[3] for m in getfield(found, 1)], f)
end

# Whether some call meets both methods and neither is the one to take, nor is there a third. Where only a parameter that is
# `Union{}` makes them meet, that counts with `ambiguous_bottom` alone.
function isambiguous(m1::Method, m2::Method; ambiguous_bottom::Bool = false)
    m1 === m2 && return false
    meet = typeintersect(m1.sig, m2.sig)
    meet === Union{} && return false
    if !(meet <: m1.sig && meet <: m2.sig)
        # The other order sometimes says more. Of an overestimate nothing can be said.
        meet = typeintersect(m2.sig, m1.sig)
        meet <: m1.sig && meet <: m2.sig || return false
    end
    is_ambiguous_over(meet, m1, m2, ambiguous_bottom)
end
function is_ambiguous_over(meet, m1, m2, ambiguous_bottom)
    meet === Union{} && return false
    !ambiguous_bottom && has_bottom_parameter(meet) && return false
    found = Host.match_methods(meet, get_world_counter(), -1, true, nothing)
    getfield(found, 4) || return false
    matches = method_matches(getfield(found, 1))
    ambiguous_bottom || filter!(m -> !has_bottom_parameter(m.spec_types), matches)
    any(m -> m.method === m1, matches) && any(m -> m.method === m2, matches) || return false
    ambiguous_bottom && return true
    # Without what was left out, one method may decide after all.
    best = nothing
    for m in matches
        m.fully_covers && (best === nothing || morespecific(m.method, best)) && (best = m.method)
    end
    (best === nothing || best === m1 || best === m2) && return true
    any(matches) do m
        m.method !== best && !morespecific(best, m.method) && (m.fully_covers || !morespecific(m.method, best))
    end
end

# Whether a value of type `T` says what the variable is. Inside tuples alone (`covariant`) bounds count too; `Type{v}` only
# if `type_constrains`.
constrains_param(v::TypeVar, T, covariant::Bool, type_constrains::Bool = false) = T === v
function constrains_param(v::TypeVar, T::UnionAll, covariant::Bool, type_constrains::Bool = false)
    covariant && constrains_param(v, T.var.ub, covariant, type_constrains) && return true
    constrains_param(v, T.body, covariant, type_constrains)
end
constrains_param(v::TypeVar, T::Union, covariant::Bool, type_constrains::Bool = false) =
    constrains_param(v, T.a, covariant, type_constrains) && constrains_param(v, T.b, covariant, type_constrains)
function constrains_param(v::TypeVar, T::DataType, covariant::Bool, type_constrains::Bool = false)
    if T.name === Tuple.name
        # A rest may be empty: of it only the length is certain.
        return any(p -> p isa Core.TypeofVararg ? isdefined(p, :N) && p.N === v :
            constrains_param(v, p, covariant, type_constrains), T.parameters)
    elseif T.name === Type.body.name && T.parameters[1] isa TypeVar
        return type_constrains && T.parameters[1] === v
    end
    any(p -> constrains_param(v, p, false, type_constrains), T.parameters)
end
function has_unbound_vars(sig)
    while sig isa UnionAll
        constrains_param(sig.var, sig.body, true, true) || return true
        sig = sig.body
    end
    false
end

# The entry that the cache of the method tables holds for a call, as long as the call goes there: one that was found in `world`.
struct CacheEntry
    sig::Any
    method::Method
    world::UInt
end
function cache_entry(sig, world::UInt)
    found = Host.match_methods(sig, world, -1, false, nothing)
    found === nothing || isempty(getfield(found, 1)) ? nothing : CacheEntry(sig, getfield(found, 1)[1][3], world)
end
function getproperty(e::CacheEntry, name::Symbol)
    name === :min_world || name === :max_world || return getfield(e, name)
    found = Host.match_methods(getfield(e, :sig), getfield(e, :world), -1, false, nothing)
    name === :min_world ? getfield(found, 2) : getfield(found, 3)
end
Core.eval(Core, :(const TypeMapEntry = Base.CacheEntry))
Core.eval(Core, :(struct MethodCache end))
# The table of all methods of the session, and its cache, as far as programs name them.
Core.eval(Core, :(const methodtable = (; cache = MethodCache())))

# The function that hears of each method that is added, if one was registered.
global method_tracer = nothing
trace_method(p::Ptr{Cvoid}, m::Method) = ccall(p, Cvoid, (Ptr{Cvoid},), reinterpret(Ptr{Cvoid}, address_of_object(m)))

# Functions of Julia's runtime and of C libraries that `ccall` may name, by what they do here.
runtime_function(name::Symbol) =
    name === :jl_type_morespecific ? ((a, b) -> Host.morespecific(a, b)) :
    name === :jl_method_morespecific ? ((a, b) -> Host.morespecific(a, b)) :
    name === :jl_type_morespecific_no_subtype ? ((a, b) -> Host.morespecific(a, b, true)) :
    name === :jl_intersect_types ? ((a, b) -> Host.typeintersect(a, b, :walk)) :
    name === :jl_type_intersection ? ((a, b) -> Host.typeintersect(a, b)) :
    name === :jl_type_intersection_with_env ? ((a, b) -> Host.typeintersect(a, b, :env)) :
    name === :jl_has_empty_intersection ? ((a, b) -> Host.typeintersect(a, b) === Union{}) :
    name === :jl_subtype ? ((a, b) -> a <: b) :
    name === :jl_types_equal ? ((a, b) -> a == b) :
    name === :jl_has_free_typevars ? has_free_typevars :
    name === :jl_isa ? ((x, T) -> isa(x, T)) :
    name === :jl_gf_invoke_lookup ? find_invoked :
    function_of_library(CRuntime, name, function_of_library(CLibraries, name, nothing))
# What a module of functions itself defines under a name.
function_of_library(m::Module, name::Symbol, default) =
    isdefinedglobal(m, name) && binding_module(m, name) === m ? getglobal(m, name) : default
call_runtime_function(f, R, args...) = convert(R, f(args...))
# `Ref{T}` as the type of a result is an object of type `T`.
call_runtime_function(f, ::Type{Ref{T}}, args...) where {T} = f(args...)::T
function find_invoked(sig, table, world::UInt)
    found = Host.match_methods(sig, world, -1, false, table)
    best = found === nothing ? () : filter(m -> m[4], getfield(found, 1))
    isempty(best) ? nothing : best[end][3]
end
