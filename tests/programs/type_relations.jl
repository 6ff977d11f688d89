# Subtyping, intersection and the checks of type parameters.
using Test

struct Cell{T} end
abstract type Whole{T <: Integer} end
struct Part{T} <: Whole{T}
    x::T
end

@testset "subtypes" begin
    # A variable that occurs once, in a tuple alone, says nothing.
    @test Cell{Tuple{T} where T} === Cell{Tuple{Any}}
    @test !(Cell{Vector{Tuple{K}} where K} <: (Cell{<:Vector{K}} where K))
    @test (Tuple{Q, Int8} where {Q <: Int8}) <: (Tuple{T, T} where T)
    @test !(Tuple{Type{Int8}, Int8} <: (Tuple{Type{Union{Int8, T}}, T} where {T <: Union{Int16, Int32}}))
    many = Union{Cell{1}, Cell{2}, Cell{3}, Cell{4}, Cell{5}, Cell{6}}
    @test NTuple{10, many} <: (Tuple{A, B, C, D, E, F, G, H, I, J} where {A, B, C, D, E, F, G, H, I, J})
    @test Tuple{Cell{Cell{Int}}, Cell{Cell{Int}}} <: (Tuple{Cell{V}, Cell{K}} where {K, V <: Union{K, Cell{K}}})
end

@testset "intersections" begin
    meet(A, B) = (I = typeintersect(A, B); J = typeintersect(B, A); @test I == J; I)
    @test meet(Tuple{Cell{T}, T} where T, Tuple{Any, Int}) == (Tuple{Cell{T}, Int} where T)
    @test meet(Tuple{Type{T}, Cell{T}} where {T <: Integer}, Tuple{Type{S}, Cell{S}} where {S >: Int8}) ==
        (Tuple{Type{T}, Cell{T}} where {Int8 <: T <: Integer})
    @test_throws TypeError typeintersect(1, Int)
end

@testset "parameters are checked" begin
    @test_throws TypeError Part{Float64}
    @test Part{Int8}(3).x === Int8(3)
    M = Part{T} where T
    @test_throws TypeError M{String}
    @test_throws ErrorException NamedTuple{(:a, :a)}
    @test_throws TypeError NamedTuple{(:a, 1)}
    @test_throws ErrorException NamedTuple{(:a, :b), Tuple{Int}}
    @test_throws ErrorException Vararg{Any, -2}
    @test_throws ErrorException Tuple{Vararg{Int, -1}}
end

g(x::Union{T, Complex{T}}) where {T <: Real} = T
@testset "static parameters" begin
    @test g(1.0) === Float64 && g(1im) === Int
end

@testset "promotion of unions" begin
    @test promote_type(Union{Float64, Missing}, Union{Int, Missing}) == Union{Float64, Missing}
    @test promote_type(Union{Int8, Nothing}, Union{Int16, Missing}) == Union{Int16, Nothing, Missing}
    @test promote_type(Any, Int) === Any
    @test [[1], [missing]] isa Vector{Vector} && [[1], [1.0]] isa Vector{Vector{Float64}}
end

struct Packed
    a::Int8
    v::NTuple{4, VecElement{Float32}}
end
@testset "layout of vectors" begin
    @test sizeof(Packed) == 32 && fieldoffset(Packed, 2) == 16
    @test sizeof(NTuple{3, VecElement{Float32}}) == 16 && sizeof(NTuple{4, VecElement{Int8}}) == 4
    v = (VecElement(1f0), VecElement(2f0), VecElement(3f0), VecElement(4f0))
    p = [Packed(Int8(i), v) for i in 1:3]
    @test p[2].a === Int8(2) && p[3].v[4].value === 4f0
    s = sum(q -> q.v[2].value, p)
    @test s === 6f0
end
