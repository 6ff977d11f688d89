# Scopes of keyword defaults, variables read before they are assigned, array literals of many dimensions.
using Test
norm(x) = 2x
with_default(x; norm = norm) = norm(x)
@test with_default(3) == 6 && with_default(3; norm = abs) == 3
in_order(; a = 1, b = a + 1, rest...) = (a, b, length(rest))
@test in_order() == (1, 2, 0) && in_order(a = 5) == (5, 6, 0) && in_order(b = 7, c = 8) == (1, 7, 1)
c = 10
later(; a = c, c = 3) = (a, c)
@test later() == (10, 3) && later(c = 4) == (10, 4)
function early()
    local y
    read = () -> y
    first = try read() catch e; e end
    y = 2
    (first, read())
end
@test early()[1] isa UndefVarError && early()[1].var === :y && early()[2] == 2
@test [1 2;;; 3 4] == reshape(1:4, 1, 2, 2)
@test size([1; 2;; 3; 4;;; 5; 6;; 7; 8]) == (2, 2, 2) && [1; 2;; 3; 4;;; 5; 6;; 7; 8] == reshape(1:8, 2, 2, 2)
@test size([1;;;;2]) == (1, 1, 1, 2) && size([;;;]) == (0, 0, 0) && eltype(Float32[1 2;;; 3 4]) == Float32
ambiguous(x::Int, y) = 1
ambiguous(x, y::Int) = 2
@test_throws "MethodError: ambiguous(::Int64, ::Int64) is ambiguous.\n\nCandidates:\n  ambiguous(x::Int64, y)" ambiguous(1, 2)
@test_throws "Possible fix, define\n  ambiguous(::Int64, ::Int64)" ambiguous(1, 2)
@test string(Base.OneTo{Int}) == "Base.OneTo{Int64}" && string(Complex{Float64}) == "ComplexF64" && string(BitVector) == "BitVector"
@test sprint(show, which(ambiguous, (Int, String))) |> startswith("ambiguous(x::Int64, y) @ Main ")

# An argument's value is the one of its turn, whatever later arguments assign.
@testset "arguments that end in a variable" begin
    both(a, b) = (a, b)
    blocks() = (x = 1; both((x = 5; x), (x = 2; x)))
    @test blocks() == (5, 2)
    inbounds(v) = both((@inbounds v[1]), (@inbounds v[2]))
    @test inbounds([1, 2]) == (1, 2)
end
