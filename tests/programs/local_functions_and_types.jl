# Types whose fields have the names of their parameters, local functions of one name in several bodies, and methods with keywords of a
# type that the same block defines.
using Test

struct Factors{L, U, P}
    L::L
    U::U
    p::P
end
@testset "fields and parameters" begin
    f = Factors(1, 2.0, :a)
    @test f isa Factors{Int, Float64, Symbol} && (f.L, f.U, f.p) === (1, 2.0, :a)
    @test Factors{Float64, Int, Symbol}(1, 2, :a).L === 1.0
end

@testset "one name in several bodies" begin
    function first_maker(A::AbstractArray{T} = zeros(1), b::Number = 0) where {T}
        function f()
            (convert(T, 0), A, A[1] == b)
        end
        f
    end
    f = first_maker([1])
    @test f() == (0, [1], false)
    function second_maker(a)
        b = "whatever"
        f(c) = (a, b, c)
        b = 2
        f
    end
    f = second_maker(1)
    @test f(3) == (1, 2, 3)
    @test_throws MethodError f()
end

let
    struct Fresh end
    (::Fresh)(x; y = 1) = x + y
    (::Fresh)() = 7
    @test Fresh()(10) == 11 && Fresh()(10; y = 2) == 12 && Fresh()() == 7
end

@testset "calls of groups in patterns" begin
    r = r"(?(DEFINE)(?<word> [a-z]+ ))  # a (?&word) is letters
          ^(?&word)-(?&word)$"x
    @test match(r, "ab-cd").match == "ab-cd" && match(r, "ab-9") === nothing
    @test match(r"(?<d>\d+)\+(?&d)", "x12+34").captures == ["12"]
    @test match(r"(?P<d>(\d))(?P>d)", "12").captures == ["1", "1"]
    @test_throws ErrorException Regex("(?<p>\\((?&p)?\\))")
end
