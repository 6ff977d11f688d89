# Macros that write loops and tuples over a number of dimensions: module Cartesian.

module Cartesian

export @nloops, @nref, @ncall, @ncallkw, @nexprs, @nextract, @nall, @nany, @ntuple, @nif

using ..Base: mapany, esc, gensym

# The expression with `i` in place of the loop variable: as a value, and in names such as `x_i`.
inline_expr(ex, i, var) = ex
inline_expr(ex::QuoteNode, i, var) = QuoteNode(inline_expr(ex.value, i, var))
function inline_expr(ex::Symbol, i, var::Symbol)
    ex === var && return i
    parts = split(string(ex), '_')
    length(parts) > 1 || return ex
    name = string(var)
    Symbol(join([k > 1 && parts[k] == name ? string(i) : parts[k] for k in 1:length(parts)], '_'))
end
function inline_expr(ex::Expr, i, var)
    args = mapany(a -> inline_expr(a, i, var), ex.args)
    if ex.head === :call && length(args) == 3 && args[1] isa Symbol && args[2] isa Integer && args[3] isa Integer
        v = fold_constant(args[1], args[2], args[3])
        v === nothing || return v
    elseif ex.head === :if && args[1] isa Bool
        return args[1] ? args[2] : length(args) == 3 ? args[3] : nothing
    elseif ex.head === :curly && length(args) == 2 && args[1] isa Symbol && args[2] isa Integer && endswith(string(args[1]), "_")
        return Symbol(string(args[1], args[2]))
    end
    if ex.head === :call && args[1] isa Symbol && endswith(string(args[1]), "_") && length(args) == 2 && args[2] isa Integer
        return Symbol(string(args[1], args[2]))
    end
    Expr(ex.head, args...)
end
fold_constant(op, a, b) = op === :+ ? a + b : op === :- ? a - b : op === :* ? a * b : op === :(==) ? a == b :
    op === :(!=) ? a != b : op === :< ? a < b : op === :> ? a > b : op === :(<=) ? a <= b : op === :(>=) ? a >= b : nothing
# An expression with what its constants decide worked out, and one with a number in place of a variable.
exprresolve(x) = x
function exprresolve(ex::Expr)
    ex = inline_expr(ex, 0, gensym())
    is_element = ex isa Expr && ex.head === :ref && ex.args[1] isa AbstractArray && all(i -> i isa Real, ex.args[2:end])
    is_element ? ex.args[1][ex.args[2:end]...] : ex
end
struct LReplace{S <: AbstractString}
    pat_sym::Symbol
    pat_str::S
    val::Int
end
LReplace(sym::Symbol, val::Integer) = LReplace(sym, string(sym), Int(val))
lreplace(ex, sym::Symbol, val) = inline_expr(ex, val, sym)
lreplace!(ex, r::LReplace) = inline_expr(ex, r.val, r.pat_sym)
lreplace!(name::AbstractString, r::LReplace) = string(inline_expr(Symbol(name), r.val, r.pat_sym))

# `ex` for the number `i`: a function of the number, a name that gets the number, or a template.
function at_number(ex, i::Integer)
    if ex isa Expr && ex.head === :->
        body = ex.args[2]
        inner = inline_expr(body, i, ex.args[1]::Symbol)
        return inner
    end
    ex isa Symbol ? Symbol(string(ex, "_", i)) : ex
end
macro nexprs(N, ex)
    n = N isa Integer ? N : Core.eval(__module__, N)
    esc(Expr(:block, (at_number(ex, i) for i in 1:n)...))
end
macro ntuple(N, ex)
    n = N isa Integer ? N : Core.eval(__module__, N)
    esc(Expr(:tuple, (at_number(ex, i) for i in 1:n)...))
end
macro nref(N, A, ex)
    Base.@keep_expansions
    esc(Expr(:ref, A, (at_number(ex, i) for i in 1:N)...))
end
macro ncall(N, f, args...)
    Base.@keep_expansions
    esc(Expr(:call, f, args[1:(end - 1)]..., (at_number(args[end], i) for i in 1:N)...))
end
macro ncallkw(N, f, kw, args...)
    Base.@keep_expansions
    esc(Expr(:call, f, Expr(:parameters, Expr(:..., kw)), args[1:(end - 1)]..., (at_number(args[end], i) for i in 1:N)...))
end
macro nall(N, ex)
    Base.@keep_expansions
    cond = true
    for i in N:-1:1
        cond = cond === true ? at_number(ex, i) : Expr(:&&, at_number(ex, i), cond)
    end
    esc(cond)
end
macro nany(N, ex)
    Base.@keep_expansions
    cond = false
    for i in N:-1:1
        cond = cond === false ? at_number(ex, i) : Expr(:||, at_number(ex, i), cond)
    end
    esc(cond)
end
macro nextract(N, name, source)
    Base.@keep_expansions
    esc(Expr(:block, (Expr(:(=), Symbol(string(name, "_", i)),
        source isa Symbol ? Expr(:ref, source, i) : at_number(source, i)) for i in 1:N)...))
end
macro nif(N, cond, ops...)
    Base.@keep_expansions
    ex = at_number(ops[end], N)
    for i in (N - 1):-1:1
        ex = Expr(:if, at_number(cond, i), at_number(ops[1], i), ex)
    end
    esc(ex)
end
macro nloops(N, itersym, range, args...)
    Base.@keep_expansions
    body = args[end]
    pre = length(args) > 1 ? args[1] : nothing
    post = length(args) > 2 ? args[2] : nothing
    ex = body
    for i in 1:N
        v = Symbol(string(itersym, "_", i))
        r = range isa Symbol ? Expr(:call, GlobalRef(Base, :axes), range, i) : at_number(range, i)
        inner = Expr(:block, pre === nothing ? nothing : at_number(pre, i), ex, post === nothing ? nothing : at_number(post, i))
        ex = Expr(:for, Expr(:(=), v, r), inner)
    end
    esc(ex)
end

end

using .Cartesian: @nloops, @nref, @ncall, @ncallkw, @nexprs, @nextract, @nall, @nany, @ntuple, @nif

@generated ntuple_generated(f, ::Val{N}) where {N} = Expr(:tuple, Any[:(f($i)) for i in 1:N]...)
