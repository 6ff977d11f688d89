# What `print`, `show` and `repr` make of values: the text is Julia's.
using Test
struct Shown
    a::Int
    b::Float32
end
struct Parametric{T}
    x::T
end
@testset "numbers" begin
    @test repr(1) == "1" && repr(0x0a) == "0x0a" && string(0x0a) == "10" && repr(true) == "true" && repr(1.0) == "1.0"
    @test repr(1.0f0) == "1.0f0" && string(1.0f0) == "1.0" && repr(Float16(0.5)) == "Float16(0.5)" && repr(1e100) == "1.0e100"
    @test repr(1e-7) == "1.0e-7" && repr(123456.0) == "123456.0" && repr(1e6) == "1.0e6" && repr(Inf) == "Inf" && repr(NaN32) == "NaN32"
    @test repr(1 // 2) == "1//2" && repr(pi) == "π" && repr(-0.0) == "-0.0" && repr(1.0f-3) == "0.001f0"
end
@testset "text" begin
    @test repr("a\"b\$c\n") == "\"a\\\"b\\\$c\\n\"" && repr('a') == "'a'" && repr('\n') == "'\\n'" && repr('\'') == "'\\''"
    @test repr(:x) == ":x" && repr(Symbol("a b")) == "Symbol(\"a b\")" && repr(:+) == ":+" && string(:x) == "x"
    @test repr(nothing) == "nothing" && repr(missing) == "missing" && "$(1 + 1) $([1, 2]) $(:a)" == "2 [1, 2] a"
end
@testset "collections" begin
    @test repr([1, 2]) == "[1, 2]" && repr(Float32[1, 2]) == "Float32[1.0, 2.0]" && repr([1 2; 3 4]) == "[1 2; 3 4]"
    @test repr(Any[1, "a", :b]) == "Any[1, \"a\", :b]" && repr([[1], [2]]) == "[[1], [2]]" && repr(Int[]) == "Int64[]"
    @test repr([[1.0f0]]) == "Vector{Float32}[[1.0]]" && repr([true, false]) == "Bool[1, 0]" && repr(["a", "b"]) == "[\"a\", \"b\"]"
    @test repr((1, 2.0f0)) == "(1, 2.0f0)" && repr((1,)) == "(1,)" && repr(()) == "()" && repr((a = 1, b = "x")) == "(a = 1, b = \"x\")"
    @test repr(1 => 2) == "1 => 2" && repr(Dict(:a => 1)) == "Dict(:a => 1)" && repr(Dict{Any, Any}(1 => 2)) == "Dict{Any, Any}(1 => 2)"
    @test repr(Set([1])) == "Set([1])" && repr(1:3) == "1:3" && repr(1:2:5) == "1:2:5" && repr(0.0:0.5:1.0) == "0.0:0.5:1.0"
    @test repr([nothing, 1]) == "Union{Nothing, Int64}[nothing, 1]" && repr(zeros(0, 2)) == "Matrix{Float64}(undef, 0, 2)"
    @test repr(reshape([1, 2, 3, 4], 1, 2, 2)) == "[1 2;;; 3 4]"
end
@testset "types and objects" begin
    @test repr(Int) == "Int64" && repr(Vector{Int}) == "Vector{Int64}" && repr(Union{Int, Nothing}) == "Union{Nothing, Int64}"
    @test repr(Shown(1, 2)) == "Shown(1, 2.0f0)" && repr(Parametric(1)) == "Parametric{Int64}(1)" && repr(sin) == "sin"
    @test repr(Some(1)) == "Some(1)" && repr(Base) == "Base" && repr(CartesianIndex(1, 2)) == "CartesianIndex(1, 2)"
    @test repr(ErrorException("x")) == "ErrorException(\"x\")" && repr(Val(1)) == "Val{1}()"
end
@testset "expressions" begin
    @test repr(:(a + b * c)) == ":(a + b * c)" && repr(:((a + b) * c)) == ":((a + b) * c)" && repr(:(f(x, y))) == ":(f(x, y))"
    @test repr(:(a[1])) == ":(a[1])" && repr(:(x.y)) == ":(x.y)" && repr(:(a = 1)) == ":(a = 1)" && string(:(a && b)) == "a && b"
    @test string(:(a < b <= c)) == "a < b <= c" && string(:(-x)) == "-x" && string(:(x^2)) == "x ^ 2" && string(:(f(; k = 1))) == "f(; k = 1)"
    @test string(:(x::Int)) == "x::Int" && string(:([1, 2])) == "[1, 2]" && string(:(a ? b : c)) == "if a\n    b\nelse\n    c\nend"
end
