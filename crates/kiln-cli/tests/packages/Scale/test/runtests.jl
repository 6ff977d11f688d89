using Scale, CUDA, Test

# The tests' own folder is the current one.
include("more.jl")

@testset "Scale" begin
    y = CUDA.ones(Float32, 1000)
    @test all(Array(scale!(y, 2f0)) .== 2f0)
    @test_throws "exceeds device limit (2048 > 1024)" scale!(y, 2f0; threads = 2048)
    @test expected(ARGS)
end

# All items write to one element, different values: no test sees that.
every!(y) = (y[1] = threadIdx().x; return)
"race" in ARGS && @cuda threads=64 every!(CUDA.zeros(Float32, 1))
