# Types as programs make them: the order of the members of unions, lengths of `Vararg`, constructors that bounds decide,
# and joins of types that share the names of their variables.
using Test

module Zoo
struct Apple
    weight::Float64
end
struct Int64
    value::UInt8
end
end
struct Pear
    weight::Float64
end

@testset "members of a union" begin
    @test Base.uniontypes(Union{Zoo.Int64, Int64}) == Any[Int64, Zoo.Int64]
    @test Base.uniontypes(Union{Int64, Zoo.Int64}) == Any[Int64, Zoo.Int64]
    # The module comes before the name, and what is one value before what has bits.
    @test Base.uniontypes(Union{Zoo.Apple, Pear}) == Any[Pear, Zoo.Apple]
    @test Base.uniontypes(Union{Int8, Tuple{Nothing}}) == Any[Tuple{Nothing}, Int8]
    @test Union{Tuple{}, Tuple{Int, Vararg{Int}}} === Tuple{Vararg{Int}}
    @test Union{Tuple{String}, Tuple{String, Int}, Tuple{String, Int, Int, Vararg{Int}}} === Tuple{String, Vararg{Int}}
    Maybe{T} = Union{T, Nothing}
    @test_throws TypeError Maybe{3}
end

@testset "lengths" begin
    e = try NTuple{Int, 1} catch e; e end
    @test (e.func, string(e.context), e.expected, e.got) == (:Vararg, "count", Int, Int)
    e = try NTuple{0x02, Int} catch e; e end
    @test (e.func, e.got) == (:Vararg, 0x02)
    @test_throws ErrorException("Vararg length is negative: -3") NTuple{-3, Int}
    @test_throws ErrorException("Tuple field type cannot be Union{}") Tuple{Int, Vararg{Union{}, 2}}
    @test Tuple{Vararg{Union{}, 0}} === Tuple{}
    @test Some{Tuple{Char, Vararg{Int, N}} where N} === Some{Tuple{Char, Vararg{Int}}}
    @test Some{Tuple{Vararg{Union{}, N}} where N} !== Some{Tuple{Vararg{Union{}}}}
end

struct Rows{T, N, A <: AbstractArray{T, N}}
    a::A
end
struct Tagged{T, U}
    x::U
end
@testset "constructors" begin
    @test Rows([1 2]) isa Rows{Int, 2, Matrix{Int}}
    @test_throws MethodError Tagged(1)
    @test Tagged{String}  isa UnionAll
end

struct Held{N, S <: NTuple{N, Any}}
    t::S
end
@testset "joins" begin
    @test typejoin(Held{2, Tuple{Int, Int}}, Held{2, Tuple{Char, Int}}) == (Held{2, S} where S <: NTuple{2, Any})
    @test typejoin(Tuple{T, T} where T, Tuple{T, Vector{T}} where T) == Tuple{Any, Any}
    @test typejoin(1, 2) === Any
    @test typejoin(Int, Char, 3) === Any
end

@testset "layouts and fields" begin
    @test (Some{T} where T).body.hash == 0
    @test Some{Int}.hash != 0
    @test fieldtype(DataType, :types) === Core.SimpleVector
    @test Base.padding(Tuple{Int8, Int32}) == [Base.Padding(1, 3)]
    @test !Base.datatype_haspadding(Tuple{Some{Any}, Int})
    @test_throws ArgumentError fieldcount(Union{Complex, Pair})
    @test fieldcount(Union{Complex{Int8}, Complex{Int16}}) == 2
    @test_throws Core.TypeNameError Base.typename(Union{Int, Char})
    @test isempty(Tagged.body.body.name.cache)
    Tagged{Int8, Int8}
    @test collect(Tagged.body.body.name.cache) == [Tagged{Int8, Int8}]
end

@testset "what is refused, and what is no plain bits" begin
    @test_throws "duplicate field name" NamedTuple{(:a, :a)}
    @test_throws "Vararg length is negative" Vararg{Any, -2}
    @test !isbitstype(BigInt) && !isbitstype(BigFloat) && !isbits(big(1))
end

@testset "bytes of values" begin
    @test reinterpret(Tuple{Int8, Int32}, (Int32(1), Int8(2))) === (Int8(1), Int32(2) << 24)
    @test_throws ArgumentError reinterpret(Tuple{Int8, Int32}, (Int32(1), Int32(2)))
    @test collect(Ref('a')) == fill('a')
end
