# Values that hold for what a call does, and for the tasks that it starts: a scope is a field of the task.
module ScopedValues
    using ..Base: Base, IdDict, Some, esc, isexpr, something
    export ScopedValue, with, @with

    # Where no scope gives it a value, it has its default, if there is one.
    mutable struct ScopedValue{T}
        const has_default::Bool
        const default::T
        ScopedValue{T}() where {T} = new(false)
        ScopedValue{T}(x) where {T} = new{T}(true, x)
        ScopedValue(x::T) where {T} = new{T}(true, x)
    end
    Base.eltype(::Type{ScopedValue{T}}) where {T} = T
    Base.eltype(v::ScopedValue) = eltype(typeof(v))

    # The values that hold; one is never changed.
    struct Scope
        values::IdDict{ScopedValue, Any}
    end
    function Scope(outer::Union{Nothing, Scope}, pairs::Tuple)
        values = outer === nothing ? IdDict{ScopedValue, Any}() : copy(outer.values)
        foreach(p -> give!(values, p), pairs)
        Scope(values)
    end
    give!(values, p::Pair{<:ScopedValue{T}}) where {T} = (values[p.first] = convert(T, p.second); nothing)

    # The value, or `nothing` where there is none.
    function get(v::ScopedValue{T}) where {T}
        scope = Core.current_scope()::Union{Nothing, Scope}
        scope !== nothing && haskey(scope.values, v) && return Some{T}(scope.values[v])
        v.has_default ? Some{T}(v.default) : nothing
    end
    function Base.getindex(v::ScopedValue{T}) where {T}
        found = get(v)
        found === nothing ? throw(KeyError(v)) : something(found)::T
    end
    Base.isassigned(v::ScopedValue) = get(v) !== nothing

    function Base.show(io::IO, v::ScopedValue)
        print(io, typeof(v), "(")
        found = get(v)
        found === nothing ? print(io, "undefined") : show(IOContext(io, :typeinfo => eltype(v)), something(found))
        print(io, ")")
    end
    function Base.show(io::IO, scope::Scope)
        print(io, Scope, "(")
        for (k, (v, value)) in enumerate(scope.values)
            k > 1 && print(io, ", ")
            print(io, typeof(v), "@")
            show(io, Base.objectid(v))
            print(io, " => ")
            show(IOContext(io, :typeinfo => eltype(v)), value)
        end
        print(io, ")")
    end

    with(f) = f()
    with(f, pairs::Pair{<:ScopedValue}...) = Base.in_scope(f, Scope(Core.current_scope(), pairs))
    # The body stands in the function around it: it may return from it, and what it assigns to are variables around it.
    macro with(args...)
        isempty(args) && error("@with: an expression is needed")
        pairs, body = args[1:end-1], args[end]
        isempty(pairs) && return esc(body)
        quote
            local outer = Base.enter_scope(Scope(Core.current_scope(), ($(map(esc, pairs)...),)))
            $(Expr(:tryfinally, esc(body), :(Base.leave_scope(outer))))
        end
    end
end
Core.eval(Core, :(current_scope() = getfield(Base.current_task(), :scope)))
# Makes a scope that of the running task; gives the one before.
function enter_scope(scope)
    task = current_task()
    outer = getfield(task, :scope)
    task.scope = scope
    outer
end
leave_scope(outer) = (current_task().scope = outer; nothing)
function in_scope(f, scope)
    outer = enter_scope(scope)
    try
        return f()
    finally
        leave_scope(outer)
    end
end
