# A launch takes whole numbers of blocks; a kernel of KernelAbstractions takes a backend first.
using CUDA, KernelAbstractions, Test

raise!(y) = (y[1] += 1; return)
@kernel function double!(y)
    i = @index(Global)
    y[i] *= 2
end

@testset "launches that cannot be" begin
    y = CUDA.zeros(Float32, 4)
    @test_throws "whole numbers of blocks and threads, not 6.25" @cuda blocks = 100 / 16 raise!(y)
    @test_throws ArgumentError @cuda threads = (2.0, 2) raise!(y)
    @test_throws "`double!` is called with a backend" double!(zeros(4), ndrange = 4)
    @test_throws "the first argument of `double!` is a backend, not Vector{Float64}" double!(zeros(4))
    @test_throws "no ndrange: give it with the launch" double!(CPU())(zeros(4))
    a = ones(4)
    double!(get_backend(a))(a; ndrange = 4)
    @test a == fill(2.0, 4)
end
