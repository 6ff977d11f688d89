# MISSION L: functions of a scope at top level come into being in order; those of a function are there when it is called.
using Test

let
    f() = 1
    @test f() == 1
    f() = 2
    @test f() == 2
end

function redefines()
    f() = 1
    first = f()
    f() = 2
    return first, f()
end
@test redefines() == (2, 2)

let seen = Int[]
    for i in 1:2
        h() = i
        push!(seen, h())
        h() = 10i
        push!(seen, h())
    end
    @test seen == [1, 10, 2, 20]
end

# One counts for all of the scope: what it captures is shared.
let count = 0
    bump() = (count += 1)
    bump(by) = (count += by)
    bump()
    bump(5)
    bump() = (count += 100)
    bump()
    @test count == 106
end

# A signature may name what the scope has.
let T = Int32
    f(x::T) = 1
    f(x) = 2
    @test (f(Int32(2)), f(3)) == (1, 2)
    g(x::S) where {S <: T} = 5
    @test g(Int32(1)) == 5
    @test_throws MethodError g(1)
end

struct Wrapper{T}
    val::T
end
let
    Alias{T <: Integer} = Wrapper{T}
    Alias(x::Alias) = x
    a = Alias(Wrapper(3))
    @test Alias(a) === a
    @test_throws TypeError Alias{Float32}
end
@test !isdefined(@__MODULE__, :Alias)

# What is evaluated is there for what follows, at top level.
let
    @eval struct Made{T}
        x::Int
    end
    @test Made{Int}(1).x == 1
    @test (@eval made() = 4)() == 4
    @test made() == 4
end

using CUDA
@testset "a kernel defined again" begin
    y = CUDA.zeros(Int, 1)
    kernel(y) = (y[1] = 1; return)
    @cuda kernel(y)
    @test Array(y) == [1]
    kernel(y) = (y[1] = 2; return)
    @cuda kernel(y)
    @test Array(y) == [2]
end
