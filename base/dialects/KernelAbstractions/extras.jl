# Extras: loop hints.
module Extras
export @unroll

# `@unroll for ...`: the loop is unrolled whole, if the number of its iterations is known when the kernel is compiled;
# `@unroll N for ...` has the body `N` times in an iteration.
macro unroll(ex)
    Base.@keep_expansions
    return marked(ex, Symbol("llvm.loop.unroll.full"))
end
macro unroll(n, ex)
    Base.@keep_expansions
    n isa Integer && 1 <= n <= typemax(Int32) || throw(ArgumentError("@unroll takes a positive number of iterations, not `$n`"))
    return marked(ex, Expr(:tuple, "llvm.loop.unroll.count" |> Symbol |> QuoteNode, Int(n)))
end
function marked(ex, mark)
    ex isa Expr && ex.head === :for || throw(ArgumentError("@unroll takes a `for` loop"))
    return esc(Expr(:for, ex.args[1], Expr(:block, ex.args[2], Expr(:loopinfo, mark))))
end

end
using .Extras: @unroll
