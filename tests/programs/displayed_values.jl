# The long form of values, as `display` prints it.
using Test
long(x) = repr(MIME("text/plain"), x)
@testset "arrays" begin
    @test long([1, 20, 3]) == "3-element Vector{Int64}:\n  1\n 20\n  3"
    @test long([1.5 2; 10 3.25]) == "2×2 Matrix{Float64}:\n  1.5  2.0\n 10.0  3.25"
    @test long(["a", "bb"]) == "2-element Vector{String}:\n \"a\"\n \"bb\"" && long(Int[]) == "Int64[]"
    @test long(Float32[1, 2.5]) == "2-element Vector{Float32}:\n 1.0\n 2.5" && long([true false]) == "1×2 Matrix{Bool}:\n 1  0"
    @test long(zeros(1, 1, 2)) == "1×1×2 Array{Float64, 3}:\n[:, :, 1] =\n 0.0\n\n[:, :, 2] =\n 0.0"
    @test long([1, 2]') == "1×2 adjoint(::Vector{Int64}) with eltype Int64:\n 1  2" && long(1:3) == "1:3"
    @test long(view([1, 2, 3], 1:2)) == "2-element view(::Vector{Int64}, 1:2) with eltype Int64:\n 1\n 2"
    @test long([1 + 2im, -10 - 1im]) == "2-element Vector{Complex{Int64}}:\n   1 + 2im\n -10 - 1im"
end
@testset "others" begin
    @test long(Dict(:a => 1)) == "Dict{Symbol, Int64} with 1 entry:\n  :a => 1" && long(Set([1])) == "Set{Int64} with 1 element:\n  1"
    @test long("x") == "\"x\"" && long(1.5) == "1.5" && long('a') == "'a': ASCII/Unicode U+0061 (category Ll: Letter, lowercase)"
    @test long((1, 2)) == "(1, 2)" && long(nothing) == "nothing" && long(1 => 2) == "1 => 2"
    f(x) = x
    @test startswith(long(f), "(::var\"#f#") && endswith(long(f), ") (generic function with 1 method)")
    @test summary([1 2]) == "1×2 Matrix{Int64}" && summary(1) == "Int64" && summary("ab") == "2-codeunit String"
    @test sprint(show, 1.23456789; context = :compact => true) == "1.23457"
end
