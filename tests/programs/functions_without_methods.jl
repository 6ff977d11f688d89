# Calls of functions of which only some have methods: intrinsics and builtins have none.
using Test

function sum_of(fs, args...)
    n = 0.0
    for f in fs
        for _ in 1:2
            n += f(args...)
        end
    end
    return n
end

first_of(fs, x) = [f(x, 1) for f in fs]

called(f, args...) = f(args...)

function chosen(n)
    f = n == 1 ? getfield : n == 2 ? getindex : Core.Intrinsics.add_int
    return n == 3 ? f(20, 1) : f((7, 8), 1)
end

@testset "functions without methods" begin
    @test sum_of((fma, Base.fma_emulated, Base.fma_float), 2.0, 3.0, 1.0) == 42.0
    @test sum_of((Base.fma_float, fma), 2.0, 3.0, 1.0) == 28.0
    @test sum_of((Core.Intrinsics.add_float, +, Core.Intrinsics.mul_float), 2.0, 3.0) == 32.0
    @test first_of((getfield, getindex), (7, 8)) == [7, 7]
    @test first_of((getfield, Core.getfield), (7, 8)) == [7, 7]
    @test called(Base.fma_float, 2.0, 3.0, 1.0) == 7.0
    @test map(chosen, 1:3) == [7, 7, 21]
    for f in (fma, Base.fma_emulated, Base.fma_float)
        @test f(2.0, 3.0, 1.0) === 7.0
        @test f(2f0, 3f0, 1f0) === 7f0
        for x in 1.0:200.0
            @test f(x, 2.0, 1.0) == 2x + 1
        end
    end
end
