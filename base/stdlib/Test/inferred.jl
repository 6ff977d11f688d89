# What inference says of a call, beside what it gave. A call that gives the type `T` is expected to be inferred as `Type{T}`.
macro inferred(ex)
    inferred_expr(Union{}, ex)
end
macro inferred(allow, ex)
    inferred_expr(esc(allow), ex)
end
function inferred_expr(allow, ex)
    ex isa Expr && ex.head === :ref && (ex = Expr(:call, GlobalRef(Base, :getindex), ex.args...))
    ex isa Expr && ex.head in (:call, :.) || error("@inferred requires a call expression")
    dotted = ex.args[1] isa Symbol && startswith(string(ex.args[1]), ".") && ex.args[1] !== :..
    if ex.head === :. || dotted
        operator = dotted ? Symbol(string(ex.args[1])[2:end]) : ex.args[1]
        operands = dotted ? ex.args[2:end] : ex.args[2].args
        ex = Expr(:call, GlobalRef(Test, :broadcast_result), operator, operands...)
    end
    named = Any[]
    plain = Any[]
    for a in ex.args[2:end]
        if a isa Expr && a.head === :parameters
            append!(named, mapany_escaped(a.args))
        else
            push!(a isa Expr && a.head === :kw ? named : plain, escaped_argument(a))
        end
    end
    call = Expr(:call, inferred_call)
    isempty(named) || push!(call.args, Expr(:parameters, named...))
    push!(call.args, allow, esc(ex.args[1]))
    append!(call.args, plain)
    call
end
mapany_escaped(args) = Any[escaped_argument(a) for a in args]
escaped_argument(a) = a isa Expr && a.head === :kw ? Expr(:kw, a.args[1], esc(a.args[2])) :
    a isa Expr && a.head === :... ? Expr(:..., esc(a.args[1])) : esc(a)
broadcast_result(f, args...) = Base.materialize(Base.broadcasted(f, args...))
function inferred_call(allow, f, args...; kws...)
    allow isa Type || throw(ArgumentError("@inferred requires a type as second argument"))
    result = f(args...; kws...)
    # A builtin has no methods to infer: a function that calls it has one.
    f isa Core.Builtin && return inferred_call(allow, (xs...) -> f(xs...), args...)
    inferred = isempty(kws) ? Base.infer_return_type(f, Base.typesof(args...)) :
        Base.infer_return_type(Core.kwcall, Base.typesof(values(kws), f, args...))
    given = Core.Typeof(result)
    given <: allow || given == without_members(inferred, allow) ||
        error("return type ", given, " does not match inferred return type ", inferred)
    result
end
# A union without the members that are subtypes of `allow`.
without_members(T, allow) = T isa Union ? Union{without_members(T.a, allow), without_members(T.b, allow)} : T <: allow ? Union{} : T
