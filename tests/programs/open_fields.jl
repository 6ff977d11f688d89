# Fields of tuples and named tuples whose type leaves open what fields there are.
using Test

struct Initial end
folded(init, ::Colon) = 1
folded(::Initial, dims) = 2.0
folded(init, dims) = 0x3
inner(a; dims = :) = folded(Initial(), dims)
outer(a; options...) = inner(a; options...)
by_name(t::NamedTuple) = t.a
third(t::Tuple{T,Vararg{Any}} where {T}) = t[3]

@testset "keywords that are handed on" begin
    @test outer(1; dims = 1) === 2.0
    @test only(Base.return_types(a -> outer(a; dims = 1), Tuple{Int})) === Float64
    @test_throws MethodError outer(1)
end
@testset "fields of open types" begin
    @test by_name((a = 1,)) == 1
    @test only(Base.return_types(by_name, Tuple{NamedTuple})) === Any
    @test only(Base.return_types(by_name, Tuple{@NamedTuple{b::Int}})) === Union{}
    @test third((1, 2, 3)) == 3
    @test only(Base.return_types(third, Tuple{Tuple{T,Vararg{Any}} where {T}})) === Any
    @test only(Base.return_types(t -> t[2], Tuple{NTuple{N,Int} where {N}})) === Int
end
