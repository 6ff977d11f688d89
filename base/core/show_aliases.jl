# Names that modules give to types with parameters and to unions: a type shows by such a name, with the parameters that are left.

# A name, what it is bound to, the parameters with which that is the type in question, and the type so made.
struct TypeAlias
    mod::Module
    name::Symbol
    parameters::Core.SimpleVector
    applied::Any
end
definitions_in(@nospecialize(T)) = Any[U.name for U in (unwrap_unionall(p) for p in uniontypes(unwrap_unionall(T))) if U isa DataType]
# Types under names of a module that may serve, for each definition that is one of their members: no definitions under their own
# name, no tuples, no types with open variables. They are looked for again when the world has moved; those of Base stay.
const AliasTable = IdDict{Any, Vector{Pair{Symbol, Any}}}
const ALIAS_TABLES = IdDict{Module, Tuple{UInt, AliasTable}}()
function alias_table(m::Module)
    known = get(ALIAS_TABLES, m, nothing)
    world = m === Base ? UInt(0) : get_world_counter()
    known !== nothing && known[1] == world && return known[2]
    table = AliasTable()
    for name in names(m)
        isdefined(m, name) && isconst(m, name) || continue
        T = getglobal(m, name)
        T isa Type && !is_wrapper(T) && !(T === Union{}) && !has_free_typevars(T) && !(T <: Tuple) || continue
        for d in unique(definitions_in(T))
            push!(get!(() -> Pair{Symbol, Any}[], table, d), name => T)
        end
    end
    ALIAS_TABLES[m] = (world, table)
    table
end
# The names that share a definition with the type.
function alias_candidates(m::Module, definitions)
    table = alias_table(m)
    found = Pair{Symbol, Any}[]
    for d in definitions, c in get(table, d, ())
        any(known -> known.first === c.first, found) || push!(found, c)
    end
    found
end
# Modules whose types have their names elsewhere, each with a function that tells where.
const NAMING_MODULES = IdDict{Module, Function}(Core => () -> Base)
naming_module(m::Module) = (f = get(NAMING_MODULES, m, nothing); f === nothing ? m : f()::Module)
# The modules where a name of a type may stand: those of its definition, of all members of a union.
function alias_modules(@nospecialize(T), found = Module[])
    U = unwrap_unionall(T)
    U isa Union && return alias_modules(U.b, alias_modules(U.a, found))
    U isa TypeVar && return alias_modules(U.ub, found)
    m = U isa DataType ? naming_module(U.name.module) : Base
    m in found || push!(found, m)
    found
end
# An alias with the parameters that the type says, or nothing.
function matched_alias(m, name, @nospecialize(alias), @nospecialize(T), around)
    alias isa UnionAll || return TypeAlias(m, name, Core.svec(), alias)
    meet, parameters = Host.typeintersect(T, alias, :env)
    meet === Union{} && return nothing
    applied = try
        alias{parameters...}
    catch e
        e isa TypeError || rethrow()
        return nothing
    end
    for u in around
        applied = rewrap_unionall(applied, u)
    end
    has_free_typevars(applied) ? nothing : TypeAlias(m, name, parameters, applied)
end
unionalls_of(@nospecialize(T)) = Any[filter(p -> p isa UnionAll, uniontypes(unwrap_unionall(T)))..., (T isa UnionAll ? (T,) : ())...]
# The one alias that is the type; none if there are several.
function make_typealias(@nospecialize(T::Type))
    (T === Any || T <: Tuple || has_free_typevars(T)) && return nothing
    around, definitions = unionalls_of(T), definitions_in(T)
    found = nothing
    for m in alias_modules(T), (name, alias) in alias_candidates(m, definitions)
        T <: alias || continue
        it = matched_alias(m, name, alias, T, around)
        it === nothing || it.applied !== T && continue
        it === nothing && continue
        found === nothing || return nothing
        found = it
    end
    found === nothing ? nothing : (GlobalRef(found.mod, found.name), found.parameters)
end
# Aliases that together cover members of a union, the widest first, and the union of what they cover.
function make_typealiases(@nospecialize(T::Type))
    found = TypeAlias[]
    (T === Any || T <: Tuple || has_free_typevars(T)) && return found, Union{}
    around, definitions = unionalls_of(T), definitions_in(T)
    members = Any[rewrap_unionall(p, T) for p in uniontypes(unwrap_unionall(T))]
    # Any type could be what a bare variable stands for.
    fixed = rewrap_unionall(Union{filter(p -> !(p isa TypeVar), uniontypes(unwrap_unionall(T)))...}, T)
    for m in alias_modules(T), (name, alias) in alias_candidates(m, definitions)
        m in alias_modules(alias) || continue
        it = matched_alias(m, name, alias, T, around)
        it === nothing && continue
        it.applied <: fixed && any(p -> p <: it.applied, members) && push!(found, it)
    end
    sort!(found; by = it -> (length(uniontypes(unwrap_unionall(it.applied))), -length(it.parameters)), rev = true)
    kept, covered = TypeAlias[], Union{}
    for it in found
        it.applied <: covered && continue
        covered = Union{covered, it.applied}
        push!(kept, it)
    end
    kept, covered
end

# Variables that the parameters brought with them, which a `where` must name.
function alias_variables(parameters, @nospecialize(T), bound)
    vars = TypeVar[]
    while T isa UnionAll
        push!(vars, T.var)
        T = T.body
    end
    for k in length(parameters):-1:1
        p = parameters[k]
        p isa TypeVar && !any(v -> v === p, vars) && !any(v -> v === p, bound) && pushfirst!(vars, p)
    end
    vars
end
function show_alias(io, m, name, parameters, @nospecialize(T), bound)
    wheres = alias_variables(parameters, T, bound)
    inside = (reverse(wheres)..., bound...)
    print_prefix(io, m, name)
    print(io, name)
    declared = TypeVar[]
    U = getglobal(m, name)
    while U isa UnionAll
        push!(declared, U.var)
        U = U.body
    end
    isempty(parameters) || show_type_parameters(io, Any[parameters...], declared, wheres, inside)
    show_wheres(io, wheres, inside)
end
# Whether the type was shown by a name.
function show_typealias(io, @nospecialize(T), bound)
    isempty(bound) && get(io, :compact, true)::Bool || return false
    # Base's own names of arrays are known without looking.
    unwrap_unionall(T) isa DataType && all(m -> m === Base, alias_modules(T)) && return false
    alias = make_typealias(T)
    alias === nothing && return false
    show_alias(io, alias[1].mod, alias[1].name, alias[2], T, bound)
    true
end
function show_unionaliases(io, @nospecialize(T::Union), bound)
    get(io, :compact, true)::Bool || return false
    closed = T
    for v in bound
        closed = UnionAll(v, closed)
    end
    aliases, covered = make_typealiases(closed)
    isempty(aliases) && return false
    close_over(p) = (q = p; for v in bound; q = UnionAll(v, q); end; q)
    members = uniontypes(T)
    rest = filter(p -> !(p isa TypeVar) && !(close_over(p) <: covered), members)
    open = filter(p -> p isa TypeVar, members)
    if isempty(rest) && isempty(open) && length(aliases) == 1
        it = only(aliases)
        show_alias(io, it.mod, it.name, it.parameters, T, bound)
        return true
    end
    print(io, "Union{")
    first = true
    for p in rest
        first || print(io, ", ")
        first = false
        show_type(io, p, bound)
    end
    for it in aliases
        first || print(io, ", ")
        first = false
        show_alias(io, it.mod, it.name, it.parameters, T, bound)
    end
    for p in open
        print(io, ", ")
        show_type(io, p, bound)
    end
    print(io, "}")
    true
end
