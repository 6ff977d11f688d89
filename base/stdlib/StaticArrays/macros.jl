# `@SVector` and its like: literals, comprehensions and the functions that fill arrays.

# `A` is the kind (`SArray` or `MArray`); `dims_count` is 0 where any rank will do.
function static_expr(A, ex, mod, dims_count)
    ex isa Expr || error("Bad input for a static array: $ex")
    head = ex.head
    if head === :vect
        return from_items(A, (length(ex.args),), nothing, ex.args)
    elseif head === :ref
        return from_items(A, (length(ex.args) - 1,), ex.args[1], ex.args[2:end])
    elseif head === :hcat
        return from_items(A, (1, length(ex.args)), nothing, ex.args)
    elseif head === :typed_hcat
        return from_items(A, (1, length(ex.args) - 1), ex.args[1], ex.args[2:end])
    elseif head === :vcat || head === :typed_vcat
        T = head === :vcat ? nothing : ex.args[1]
        return from_rows(A, T, head === :vcat ? ex.args : ex.args[2:end])
    elseif head === :comprehension
        return from_generator(A, nothing, ex.args[1], mod)
    elseif head === :typed_comprehension
        return from_generator(A, ex.args[1], ex.args[2], mod)
    elseif head === :call
        return from_call(A, ex, dims_count)
    end
    error("Bad input for a static array: $ex")
end
function from_items(A, dims, T, items)
    S = Expr(:curly, :Tuple, dims...)
    elements = Expr(:tuple, map(esc, items)...)
    T === nothing ? :($A{$S}($elements)) : :($A{$S, $(esc(T))}($elements))
end
function from_rows(A, T, rows)
    all(r -> r isa Expr && r.head === :row, rows) || return from_items(A, (length(rows),), T, rows)
    m = length(rows)
    n = length(rows[1].args)
    from_items(A, (m, n), T, Any[rows[i].args[j] for j in 1:n for i in 1:m])
end
# The ranges are evaluated when the macro is expanded, for the size must be known.
function from_generator(A, T, gen, mod)
    body = gen.args[1]
    specs = gen.args[2:end]
    ranges = Any[Core.eval(mod, s.args[2]) for s in specs]
    f = esc(Expr(:->, Expr(:tuple, Any[s.args[1] for s in specs]...), body))
    calls = Any[]
    for index in Iterators.product(ranges...)
        push!(calls, Expr(:call, :f, index...))
    end
    S = Expr(:curly, :Tuple, map(length, ranges)...)
    made = T === nothing ? :($A{$S}($(Expr(:tuple, calls...)))) : :($A{$S, $(esc(T))}($(Expr(:tuple, calls...))))
    :(let f = $f
        $made
    end)
end
function from_call(A, ex, dims_count)
    f = ex.args[1]
    args = ex.args[2:end]
    if f in (:zeros, :ones, :rand, :randn, :randexp)
        typed = dims_count > 0 ? length(args) > dims_count : !isempty(args) && is_type_name(args[1])
        T = typed ? esc(args[1]) : :Float64
        dims = map(esc, typed ? args[2:end] : args)
        if f === :rand && !typed && !isempty(args) && !(args[1] isa Union{Integer, Symbol})
            S = Expr(:curly, :Tuple, map(esc, args[2:end])...)
            return :(fill_from($A, $S, () -> rand($(esc(args[1])))))
        end
        return :($(f)($A{$(Expr(:curly, :Tuple, dims...)), $T}))
    elseif f === :fill
        return :(filled($A, $(Expr(:curly, :Tuple, map(esc, args[2:end])...)), typeof($(esc(args[1]))), $(esc(args[1]))))
    end
    error("Bad input for a static array: $ex")
end
# `zeros(T, 3)` and `zeros(N, 3)` look alike: a type is named by a capital and more, or is `T`.
is_type_name(x) = x isa Symbol ? x === :T || (length(string(x)) > 1 && isuppercase(string(x)[1])) : x isa Expr
fill_from(A, ::Type{S}, f) where {S} = A{S}(ntuple(i -> f(), Val(count_of(S))))

macro SVector(ex)
    static_expr(SArray, ex, __module__, 1)
end
macro SMatrix(ex)
    static_expr(SArray, ex, __module__, 2)
end
macro SArray(ex)
    static_expr(SArray, ex, __module__, 0)
end
macro MVector(ex)
    static_expr(MArray, ex, __module__, 1)
end
macro MMatrix(ex)
    static_expr(MArray, ex, __module__, 2)
end
macro MArray(ex)
    static_expr(MArray, ex, __module__, 0)
end
