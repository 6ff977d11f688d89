# What errors say.
using Test
said(f) = try
    f()
    "nothing"
catch e
    first(split(sprint(showerror, e), "\n\nClosest"))
end
struct Record
    x::Int
end
one_method(x::Int) = x
@testset "messages" begin
    @test said(() -> [1, 2, 3][4]) == "BoundsError: attempt to access 3-element Vector{Int64} at index [4]"
    @test said(() -> zeros(2, 2)[3, 1]) == "BoundsError: attempt to access 2×2 Matrix{Float64} at index [3, 1]"
    @test said(() -> (1, 2)[3]) == "BoundsError: attempt to access Tuple{Int64, Int64} at index [3]"
    @test said(() -> Int32(3.5)) == "InexactError: Int32(3.5)" && said(() -> Int8(300)) == "InexactError: trunc(Int8, 300)"
    @test said(() -> Dict(:a => 1)[:b]) == "KeyError: key :b not found" && said(() -> div(1, 0)) == "DivideError: integer division error"
    @test said(() -> error("boom")) == "boom" && said(() -> throw(ArgumentError("bad"))) == "ArgumentError: bad"
    @test said(() -> not_there) == "UndefVarError: `not_there` not defined in `Main`"
    @test said(() -> [1, 2] + [1, 2, 3]) == "DimensionMismatch: dimensions must match: a has dims (Base.OneTo(2),), b has dims (Base.OneTo(3),), mismatch at 1"
    @test said(() -> (x = 1; x::String)) == "TypeError: in typeassert, expected String, got a value of type Int64"
    @test said(() -> (@assert 1 == 2)) == "AssertionError: 1 == 2" && said(() -> Record(1).z) == "FieldError: type Record has no field `z`, available fields: `x`"
    @test said(() -> parse(Int, "x")) == "ArgumentError: invalid base 10 digit 'x' in \"x\""
    @test startswith(said(() -> sqrt(-1.0)), "DomainError with -1.0:\nsqrt was called with a negative real argument")
end
@testset "calls that fit no method" begin
    @test said(() -> one_method("a")) == "MethodError: no method matching one_method(::String)\nThe function `one_method` exists, but no method is defined for this combination of argument types."
    @test startswith(said(() -> Record()), "MethodError: no method matching Record()\nThe type `Record` exists")
    @test startswith(said(() -> convert(Int, "a")), "MethodError: Cannot `convert` an object of type String to an object of type Int64")
    @test startswith(said(() -> one_method(1, 2)), "MethodError: no method matching one_method(::Int64, ::Int64)")
end
