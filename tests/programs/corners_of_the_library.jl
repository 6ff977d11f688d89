# Empty generators, samplers of programs, numbers from text, exact elimination, and columns of unsigned numbers.
using InteractiveUtils, LinearAlgebra, Random, Test
using CUDA

@testset "empty generators" begin
    @test sum(x for x in [1, 3] if iseven(x)) === 0 && sum(x for x in Float64[]) === 0.0 && prod(x for x in Int[]) === 1
    @test_throws ArgumentError sum(x^2 for x in Int[])
    @test_throws ArgumentError maximum(x for x in Int[])
end

struct Coin end
struct Die
    sides::Int
end
Random.rand(rng::AbstractRNG, ::Random.SamplerType{Coin}) = rand(rng, Bool) ? :heads : :tails
Random.rand(rng::AbstractRNG, die::Random.SamplerTrivial{Die}) = rand(rng, 1:die[].sides)
@testset "samplers" begin
    @test rand(Coin) in (:heads, :tails) && rand(Die(6)) in 1:6
    @test_throws ArgumentError rand(Die)
    @test MersenneTwister !== Xoshiro && rand(MersenneTwister(1)) == rand(MersenneTwister(1))
    @test rand(MersenneTwister(1), 1:10, 3) isa Vector{Int} && randn(MersenneTwister(1)) isa Float64
end

@testset "numbers" begin
    @test parse(ComplexF64, "1+2im") === 1.0 + 2.0im && parse(Complex{Int}, " -3-4i ") === -3 - 4im
    @test parse(ComplexF64, "2j") === 2.0im && parse(ComplexF64, "1e-3-2.5e+3im") === 1e-3 - 2.5e3im
    @test tryparse(ComplexF64, "1+x") === nothing && parse(ComplexF64, "-7") === -7.0 + 0.0im
    @test ∛27 == 3.0 && ∜16 == 2.0 && hton(0x0102) === 0x0201
    power(x, n) = x^n
    @test occursin("2.0^-1 or 2^-1.0 instead of 2^-1", sprint(showerror, try power(2, -1) catch e e end))
end

@testset "exact elimination" begin
    @test det([1//2 1; 1 3]) === 1//2 && [1//2 1; 1 3] \ [1, 2] == [2, 0] && inv([1//2 1; 1 3]) == [6 -2; -2 1]
    @test det(big.([0 1 2; 1 0 3; 4 5 6])) == 16 && det(big.([1 2; 2 4])) == 0
    @test LowerTriangular([1 2; 3 4]) \ [1, 2] == [1.0, -0.25]
    @test [1.0 2; 3 4; 5 6] \ [1, 2, 3] ≈ [0, 0.5] atol = 1e-12
    @test_throws Base.UnsupportedError [1 2 3; 4 5 6] \ [1, 2]
end

@testset "shown" begin
    shown(x) = sprint(show, MIME"text/plain"(), x)
    @test shown([0x01, 0xff]) == "2-element Vector{UInt8}:\n 0x01\n 0xff"
    @test shown(Vector) == "Vector (alias for Array{T, 1} where T)"
    @test shown(Vector{<:Real}) == "Vector{<:Real} (alias for Array{<:Real, 1})"
    @test shown(ComplexF64) == "ComplexF64 (alias for Complex{Float64})" && shown(Array) == "Array"
    @test repr(Array{T, 3} where T) == "Array{T, 3} where T" && repr(Dict{<:Real, <:Integer}) == "Dict{<:Real, <:Integer}"
    @test issubset([Bool, Signed, Unsigned], subtypes(Integer))
end

third!(y, t, i) = (y[1] = t[i]; nothing)
@testset "a tuple in a kernel" begin
    y = CUDA.zeros(Int, 1)
    thrown = try (@cuda third!(y, (1, 2), 3); synchronize()) catch e e end
    @test sprint(showerror, thrown) == "BoundsError: attempt to access Tuple{Int64, Int64} at index [3]"
end
