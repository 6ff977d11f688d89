# Element types where a builtin is broadcast, products and conditions of `Bool`, and outputs that are their own inputs.
using CUDA, LinearAlgebra, Test

@test Base.promote_op(===, Int, Int) === Bool
@test Base.promote_op(tuple, Int, Float64) === Tuple{Int,Float64}
@test (Int[] .=== 1) isa BitVector && tuple.(Int[], 1) isa Vector{Tuple{Int,Int}} && isa.([1], Int) == [true]
@test prod([true]) === true && prod(Bool[]) === true && prod([true, false]) === false && sum([true, true]) === 2
@test prod(Int8[2, 3]) === 6 && prod(Int8[]) === 1 && prod(UInt8[2]) === UInt(2)
@test cumprod([true, false]) isa Vector{Bool}
a = [1.0 2; 3 4]
@test_throws ArgumentError mul!(a, a, a)
@test a == [1.0 2; 3 4]
@test_throws TypeError any([1, 0])

for by_kernels in (false, true)
    CUDA.GPUArraysCore.BY_KERNELS[] = by_kernels
    c = CuArray([1, 2])
    @test Array(c .=== 1) == [true, false] && eltype(c .=== 1) === Bool
    @test Array(tuple.(c, 2)) == [(1, 2), (2, 2)] && Array(isa.(c, Int)) == [true, true]
    @test prod(CuArray([true, false])) === false
    @test any(CuArray([true, false])) && !all(CuArray([true, false])) && !any(CuArray(Bool[])) && all(x -> x > 0, c)
    @test_throws TypeError any(CuArray([1, 0]))
    @test_throws TypeError all(x -> x, CuArray([1, 0]))
    @test any(x -> x > 1 ? missing : x == 1, c)
end
