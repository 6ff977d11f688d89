# Named tuples: fields by name or number, merging, and what keyword arguments are made of.

(::Type{NamedTuple{names, T}})(args::Tuple) where {names, T <: Tuple} =
    args isa T ? (Core.@splatnew NamedTuple{names, T} args) : (Core.@splatnew NamedTuple{names, T} convert(T, args))
(::Type{NamedTuple{names, T}})(args::Tuple) where {names, T <: NTuple{N, Any}} where {N} =
    length(args) == N ? (args isa T ? (Core.@splatnew NamedTuple{names, T} args) : (Core.@splatnew NamedTuple{names, T} convert(T, args))) :
    throw_wrong_count(N, length(args))
@noinline throw_wrong_count(n, k) = throw(ArgumentError(string("Wrong number of arguments to named tuple constructor. Expected ", n, ", got ", k, ".")))
(::Type{NamedTuple})() = NamedTuple{()}(())
(::Type{NamedTuple{()}})() = NamedTuple{()}(())
# The fields of these names, of the types they have.
(::Type{NamedTuple{names}})(nt::NamedTuple) where {names} = fields_of_names(Val(names), nt)::NamedTuple
@generated function fields_of_names(::Val{names}, nt::NamedTuple) where {names}
    types = Any[hasfield(nt, n) ? fieldtype(nt, n) : Any for n in names]
    picks = Any[:(getfield(nt, $(QuoteNode(n)))) for n in names]
    :(NamedTuple{$names, Tuple{$(types...)}}(($(picks...),)))
end
(::Type{NamedTuple{names, T}})(nt::NamedTuple) where {names, T <: Tuple} =
    NamedTuple{names, T}(map(Fix1(getfield, nt), names))
(::Type{NamedTuple{names}})(itr) where {names} = NamedTuple{names}(Tuple(itr))
(::Type{NamedTuple{names, T}})(itr) where {names, T <: Tuple} = NamedTuple{names, T}(T(itr))
(::Type{NamedTuple})(itr) = merge(NamedTuple(), itr)
(::Type{NamedTuple})(nt::NamedTuple) = nt
Core.kwcall(kw::NamedTuple, ::Type{NamedTuple}) = kw

length(t::NamedTuple) = nfields(t)
iterate(t::NamedTuple, i = 1) = i > nfields(t) ? nothing : (getfield(t, i), i + 1)
firstindex(t::NamedTuple) = 1
lastindex(t::NamedTuple) = nfields(t)
getindex(t::NamedTuple, i::Int) = getfield(t, i)
getindex(t::NamedTuple, i::Integer) = getfield(t, convert(Int, i))
getindex(t::NamedTuple, i::Symbol) = getfield(t, i)
getindex(t::NamedTuple, ::Colon) = t
@inline getindex(t::NamedTuple, names::Tuple{Vararg{Symbol}}) = NamedTuple{names}(t)
getindex(t::NamedTuple, names::AbstractVector{Symbol}) = NamedTuple{Tuple(names)}(t)
isempty(t::NamedTuple) = nfields(t) === 0
isempty(::NamedTuple{()}) = true
empty(::NamedTuple) = NamedTuple()
copy(t::NamedTuple) = t
prevind(::NamedTuple, i::Integer) = Int(i) - 1
nextind(::NamedTuple, i::Integer) = Int(i) + 1
first(t::NamedTuple) = getfield(t, 1)
last(t::NamedTuple) = getfield(t, nfields(t))
front(t::NamedTuple{names}) where {names} = NamedTuple{front(names)}(t)
tail(t::NamedTuple{names}) where {names} = NamedTuple{tail(names)}(t)
eltype(::Type{NamedTuple{names, T}}) where {names, T} = eltype(T)

@inline namedtuple_values(t::NamedTuple) = ntuple(Fix1(getfield, t), Val(nfields(t)))
@inline values(t::NamedTuple) = namedtuple_values(t)
keys(t::NamedTuple{names}) where {names} = names
propertynames(t::NamedTuple{names}) where {names} = names
haskey(t::NamedTuple, key::Symbol) = isdefined(t, key)
haskey(t::NamedTuple, key::Integer) = 0 < key <= nfields(t)
get(t::NamedTuple, key::Union{Integer, Symbol}, default) = haskey(t, key) ? getfield(t, key) : default
get(f::Callable, t::NamedTuple, key::Union{Integer, Symbol}) = haskey(t, key) ? getfield(t, key) : f()
hasproperty(x, s::Symbol) = s in propertynames(x)
propertynames(x) = fieldnames(typeof(x))
propertynames(x, private::Bool) = propertynames(x)
propertynames(x::Module) = Host.module_names(x)
propertynames(x::Tuple) = ntuple(identity, length(x))

==(a::NamedTuple{n}, b::NamedTuple{n}) where {n} = Tuple(a) == Tuple(b)
==(a::NamedTuple, b::NamedTuple) = false
isequal(a::NamedTuple{n}, b::NamedTuple{n}) where {n} = isequal(Tuple(a), Tuple(b))::Bool
isequal(a::NamedTuple, b::NamedTuple) = false
isless(a::NamedTuple{n}, b::NamedTuple{n}) where {n} = isless(Tuple(a), Tuple(b))
<(a::NamedTuple{n}, b::NamedTuple{n}) where {n} = Tuple(a) < Tuple(b)
convert(::Type{NamedTuple{names, T}}, nt::NamedTuple{names, T}) where {names, T <: Tuple} = nt
convert(::Type{NamedTuple{names, T}}, t::Tuple) where {names, T <: Tuple} = NamedTuple{names, T}(t)
convert(::Type{NamedTuple{names, T}}, nt::NamedTuple{names}) where {names, T <: Tuple} = NamedTuple{names, T}(T(Tuple(nt)))
# Types that are open are taken to be their bounds.
convert(::Type{NT}, nt::NT) where {names, NT <: NamedTuple{names}} = nt
function convert(::Type{NT}, nt::NamedTuple{names}) where {names, NT <: NamedTuple{names}}
    T = Tuple{ntuple(i -> fieldtype(NT, i), length(names))...}
    NamedTuple{names, T}(convert(T, Tuple(nt)))
end
convert(::Type{NT}, t::Tuple) where {NT <: NamedTuple} = NT(t)
map(f, nt::NamedTuple{names}) where {names} = NamedTuple{names}(map(f, Tuple(nt)))
map(f, nt::NamedTuple{names}, nts::NamedTuple{names}...) where {names} =
    NamedTuple{names}(map(f, Tuple(nt), map(Tuple, nts)...))
map(f, nt::NamedTuple, nts::NamedTuple...) = throw(ArgumentError("Named tuple names do not match."))
findlast(p::Function, nt::NamedTuple) = (i = findlast(p, Tuple(nt)); i === nothing ? nothing : keys(nt)[i])
delete(nt::NamedTuple, name::Symbol) = structdiff(nt, NamedTuple{(name,)})
merge_names(an::Tuple, bn::Tuple) = merged_names(an, bn)
filter(f, nt::NamedTuple) = NamedTuple{filter(k -> f(nt[k]), keys(nt))}(nt)
reverse(nt::NamedTuple) = NamedTuple{reverse(keys(nt))}(reverse(Tuple(nt)))

# Names of both, the first's in front; values of the last that has the name.
@assume_effects :foldable merge(a::NamedTuple{an}, b::NamedTuple{bn}) where {an, bn} = merged_fields(a, b)::NamedTuple
@generated function merged_fields(a::NamedTuple{an}, b::NamedTuple{bn}) where {an, bn}
    names = merged_names(an, bn)
    picks = Any[name_in(n, bn) ? :(getfield(b, $(QuoteNode(n)))) : :(getfield(a, $(QuoteNode(n)))) for n in names]
    types = Any[fieldtype(name_in(n, bn) ? b : a, n) for n in names]
    :(NamedTuple{$names, Tuple{$(types...)}}(($(picks...),)))
end
sym_in(n::Symbol, names::Tuple{Vararg{Symbol}}) = name_in(n, names)
name_in(n::Symbol, names::Tuple) = find_symbol(names, n) != 0
merged_names(an::Tuple, bn::Tuple) = (an..., filter(n -> !name_in(n, an), bn)...)
merge(a::NamedTuple) = a
merge(a::NamedTuple, b::NamedTuple, cs::NamedTuple...) = merge(merge(a, b), cs...)
merge(a::NamedTuple, b::Pairs{<:Any, <:Any, <:Any, <:NamedTuple{names}}) where {names} =
    getfield(b, :itr) === names || getfield(b, :itr) === nothing ? merge(a, getfield(b, :data)) : merge(a, NamedTuple{Tuple(getfield(b, :itr))}(getfield(b, :data)))
function merge(a::NamedTuple, itr)
    names = Symbol[]
    vals = Any[]
    for pair in itr
        key = pair[1]::Symbol
        value = pair[2]
        at = find_symbol(names, key)
        if at == 0
            push!(names, key)
            push!(vals, value)
        else
            vals[at] = value
        end
    end
    merge(a, NamedTuple{(names...,)}((vals...,)))
end
function find_symbol(names, key)
    for i in 1:length(names)
        names[i] === key && return i
    end
    0
end

# Without the names of the second.
@assume_effects :foldable structdiff(a::NamedTuple{an}, b::Union{NamedTuple{bn}, Type{NamedTuple{bn}}}) where {an, bn} =
    (names = diff_names(an, bn); names === () ? NamedTuple() : fields_of_names(Val(names), a)::NamedTuple)
@assume_effects :foldable function diff_names(an::Tuple, bn::Tuple)
    names = ()
    for n in an
        find_symbol(bn, n) == 0 && (names = (names..., n))
    end
    names
end

@noinline kwerr(kw, args...) = throw(MethodError(kwcall, (kw, args...), tls_world_age()))
"""
    @NamedTuple{k::T, ...}
    @NamedTuple begin k::T; ... end

The type of named tuples with these names and types.
"""
macro NamedTuple(ex)
    isa(ex, Expr) && (ex.head === :braces || ex.head === :block) ||
        throw(ArgumentError("@NamedTuple expects {...} or begin...end"))
    decls = filter(e -> !(e isa LineNumberNode), ex.args)
    vars = Any[QuoteNode(e isa Symbol ? e : e.args[1]) for e in decls]
    types = Any[esc(e isa Symbol ? :Any : e.args[2]) for e in decls]
    :(NamedTuple{($(vars...),), Tuple{$(types...)}})
end

"""
    @Kwargs{k::T, ...}

The type that the rest of a function's keywords has, with these names and types.
"""
macro Kwargs(ex)
    quote
        let NT = $(esc(Expr(:macrocall, GlobalRef(Base, Symbol("@NamedTuple")), __source__, ex)))
            Pairs{Symbol, eltype(NT), Nothing, NT}
        end
    end
end
export @Kwargs
