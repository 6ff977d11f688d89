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
    @test said(() -> not_there) == "UndefVarError: `not_there` not defined in `Main`\nSuggestion: check for spelling errors or missing imports."
    @test said(() -> [1, 2] + [1, 2, 3]) == "DimensionMismatch: a has axes (Base.OneTo(2),), b has axes (Base.OneTo(3),), mismatch at dim 1"
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
plain(x) = x
with_keyword(x...; size = 1) = size
with_any(x; rest...) = x
struct Backendless
    run::Int
end
@testset "keywords that no method takes" begin
    both(f) = try
        f()
    catch e
        sprint(showerror, e)
    end
    support = "This method does not support all of the given keyword arguments (and may not support any)."
    @test startswith(both(() -> plain(1, a = 2)), "MethodError: no method matching plain(::Int64; a::Int64)\n$support\n\nClosest candidates are:\n  plain(::Any) got unsupported keyword argument \"a\"\n   @ Main")
    @test startswith(both(() -> with_keyword(1, 2; a = 2, b = 3)), "MethodError: no method matching with_keyword(::Int64, ::Int64; a::Int64, b::Int64)\n$support")
    @test contains(both(() -> with_keyword(1, 2; a = 2, b = 3)), "with_keyword(::Any...; size) got unsupported keyword arguments \"a\", \"b\"")
    @test contains(both(() -> with_any("a", 2; b = 3)), "with_any(::Any; rest...)\n")
    @test startswith(both(() -> sort([1, 2]; foo = 1)), "MethodError: no method matching sort!(::Vector{Int64}; foo::Int64)\n$support")
    @test startswith(both(() -> println(1; foo = 1)), "MethodError: no method matching println(::Int64; foo::Int64)\n$support")
    @test contains(both(() -> Backendless(1; ndrange = 4)), "Backendless(::Any) got unsupported keyword argument \"ndrange\"")
end
@testset "files have whole paths" begin
    @test isabspath(@__FILE__) && basename(@__FILE__) == "error_messages.jl" && @__DIR__() == dirname(@__FILE__)
end
