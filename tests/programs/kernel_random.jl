# Random numbers in kernels: a sequence for each item, which `Random.seed!` on the host settles.
using CUDA, Random, Test

function draws(out)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    out[1, i] = rand()
    out[2, i] = rand(Float32)
    out[3, i] = randn()
    out[4, i] = rand(1:6)
    out[5, i] = randexp(Float32)
    out[6, i] = rand(Bool) + 2 * rand((3, 5))
    out[7, i] = rand()
    return
end
function drawn(groups, items)
    out = CuArray(zeros(7, groups * items))
    @cuda blocks = groups threads = items draws(out)
    return Array(out)
end

# MISSION G: numbers of items, of launches and of one item differ; equal seeds give equal numbers.
@testset "sequences" begin
    Random.seed!(42)
    a, b = drawn(8, 128), drawn(8, 128)
    Random.seed!(42)
    @test drawn(8, 128) == a && drawn(8, 128) == b
    Random.seed!(43)
    @test drawn(8, 128) != a
    uniform = vcat(a[1, :], a[7, :], b[1, :], b[7, :])
    @test length(Set(uniform)) == length(uniform)
    @test all(x -> 0 <= x < 1, uniform) && all(x -> 0 <= x < 1, a[2, :])
    @test abs(sum(uniform) / length(uniform) - 0.5) < 0.02 && abs(sum(a[3, :]) / 1024) < 0.12 && abs(sum(abs2, a[3, :]) / 1024 - 1) < 0.2
    @test Set(a[4, :]) == Set(1.0:6.0) && Set(a[6, :]) == Set([6.0, 7.0, 10.0, 11.0]) && all(>(0), a[5, :])
    @test abs(sum(a[5, :]) / 1024 - 1) < 0.15
end

# An item may begin a sequence of its own.
function seeded(out, seed)
    i = threadIdx().x
    Random.seed!(seed)
    out[i, 1] = rand()
    out[i, 2] = rand()
    return
end
@testset "seeds in kernels" begin
    a, b, c = (CuArray(zeros(64, 2)) for _ in 1:3)
    @cuda threads = 64 seeded(a, 7)
    @cuda threads = 64 seeded(b, 7)
    @cuda threads = 64 seeded(c, 8)
    @test Array(a) == Array(b) && Array(a) != Array(c) && length(Set(Array(a))) == 128
end

# Kernels that draw nothing take nothing from the host's numbers.
function plain(out)
    out[1] = 1
    return
end
@testset "the host's numbers" begin
    Random.seed!(1)
    x = rand()
    Random.seed!(1)
    @cuda plain(CuArray([0.0]))
    @test rand() == x
end
