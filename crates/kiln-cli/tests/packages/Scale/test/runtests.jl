using Scale, CUDA, Test

# The tests' own folder is the current one.
include("more.jl")

@testset "Scale" begin
    y = CUDA.ones(Float32, 1000)
    @test all(Array(scale!(y, 2f0)) .== 2f0)
    @test_throws "exceeds device limit (2048 > 1024)" scale!(y, 2f0; threads = 2048)
    @test expected(ARGS)
end
