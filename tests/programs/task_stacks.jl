# Many tasks that wait within compiled code: each has a native stack that leaves room for those of the others.
using Test

@noinline deep(c, n) = n == 0 ? take!(c) : deep(c, n - 1) + 1
@testset "tasks that wait in compiled code" begin
    # Compiled, once it is called often.
    c = Channel{Int}(Inf)
    for i in 1:3000
        put!(c, i)
        deep(c, 30)
    end
    gate = Channel{Int}(0)
    tasks = [@async deep(gate, 30) for i in 1:600]
    for i in 1:600
        put!(gate, i)
    end
    @test sum(fetch, tasks) == sum(1:600) + 30 * 600
end
