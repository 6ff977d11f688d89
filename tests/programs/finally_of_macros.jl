# `tryfinally`, which macros make: what follows is done on every way out, and neither part has a scope of its own.
using Test

const LOG = Symbol[]
macro ending(body, last)
    return Expr(:tryfinally, esc(body), esc(last))
end
@ending(assigned = 3, push!(LOG, :top))
function sum_to(limit)
    total = 0
    for i in 1:10
        @ending(begin
            i > limit && return total
            iseven(i) && continue
            last = i
            total += last
        end, push!(LOG, :step))
        @assert last == i
    end
    return -1
end
@testset "tryfinally" begin
    @test assigned == 3 && LOG == [:top]
    empty!(LOG)
    @test sum_to(5) == 9 && LOG == fill(:step, 6)
    @test (@ending(7, nothing)) == 7
    @test_throws "inner" @ending(error("inner"), push!(LOG, :thrown))
    @test LOG[end] === :thrown
    @test_throws "goto from a try/finally" Core.eval(Main, :(@ending(@goto(out), nothing)))
end
