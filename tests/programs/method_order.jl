# Which method a call goes to, which calls none does, and what the library says of both.
using Test

abstract type Shape end
struct Dot <: Shape end
struct Line{T} <: Shape end
meets(::Shape, ::Any) = 1
meets(::Any, ::Shape) = 2
meets(::Dot, ::Dot) = 3

@testset "ambiguous calls" begin
    @test meets(Dot(), 1) == 1 && meets(1, Dot()) == 2 && meets(Dot(), Dot()) == 3
    @test_throws MethodError meets(Line{1}(), Dot())
    @test isempty(methods(meets, (Line{1}, Dot)))
    @test length(Base.methods_including_ambiguous(meets, (Line{1}, Dot))) == 2
    a, b = which(meets, (Dot, Int)), which(meets, (Int, Dot))
    @test Base.isambiguous(a, b) && !Base.isambiguous(a, which(meets, (Dot, Dot)))
    message = sprint(showerror, try meets(Line{1}(), Dot()) catch e e end)
    @test occursin("is ambiguous", message) && occursin("meets(::Shape, ::Shape)", message)
    invoked = sprint(showerror, try invoke(meets, Tuple{Line{1}, Line{1}}, Line{1}(), Line{1}()) catch e e end)
    @test startswith(invoked, "MethodError: meets(::Line{1}, ::Line{1}) is ambiguous.\n\nCandidates:\n  meets(::Shape, ::Any)")
    @test endswith(invoked, "Possible fix, define\n  meets(::Shape, ::Shape)\n")
    none = sprint(showerror, try invoke(meets, Tuple{Int, Int}, 1, 1) catch e e end)
    @test startswith(none, "MethodError: no method matching invoke meets(::Int64, ::Int64)\n")
end

module Overlapping
pick(::Integer, x) = 1
pick(x, ::Integer) = 2
end
module Settled
pick(::Integer, x) = 1
pick(x, ::Integer) = 2
pick(::Integer, ::Integer) = 3
end
module Loose
count_of(xs::T...) where {T} = length(xs)
end
@testset "detection" begin
    @test length(detect_ambiguities(Overlapping)) == 1 && isempty(detect_ambiguities(Settled))
    @test length(detect_unbound_args(Loose)) == 1
end

@testset "specificity" begin
    more(A, B) = Base.morespecific(A, B) && !Base.morespecific(B, A)
    @test more(Tuple{Vector{T}, T} where T, Tuple{AbstractVector, Any})
    @test more(Tuple{Type{Union{}}, Any}, Tuple{Type{<:Shape}, Int})
    @test more(Tuple{Array{T, N}, Vararg{Int, N}} where {T, N}, Tuple{AbstractArray, Vararg{Int}})
    @test !Base.morespecific(Tuple{Int, Any}, Tuple{Any, Int})
    # Classes that no one method wins: a union against another that overlaps it.
    f(::Union{Char, Integer}) = 1
    f(::Union{AbstractChar, Int}) = 2
    @test f(0x01) == 1 && f('a' isa AbstractChar ? 0x02 : 0) == 1
    @test_throws MethodError f(1)
    @test_throws MethodError f('a')
end

@testset "matches" begin
    world = Base.get_world_counter()
    found = Base._methods_by_ftype(Tuple{typeof(meets), Shape, Any}, -1, world)
    # A method that ties with another wherever it applies is listed only on request.
    @test length(found) == 2 && found[1] isa Core.MethodMatch && found[end].fully_covers
    @test Base._methods_by_ftype(Tuple{typeof(meets), Any, Any}, 1, world) === nothing
end

@testset "invoke" begin
    g(x::Real) = :real
    g(x::Int) = :int
    @test invoke(g, Tuple{Real}, 1) === :real
    @test_throws TypeError invoke(g, Tuple{Int}, 1.0)
    @test_throws MethodError invoke(meets, Tuple{Shape, Shape}, Dot(), Dot())
end

@testset "what takes no methods" begin
    @test_throws ErrorException @eval (::Any)() = 1
    @test_throws ErrorException @eval (::Function)(::Dot) = 1
end

# A variable without bounds does not make a signature more specific than one that names its bound; with them it does.
struct Bounded{T<:Integer} <: Real
    a::T
end
same(x::Bounded{T}, y::Bounded{T}) where {T} = 1
same(x::Bounded, y::Union{Bounded, Integer}) = 2
bounded(x::Bounded{T}, y::Bounded{T}) where {T<:Integer} = 1
bounded(x::Bounded, y::Union{Bounded, Integer}) = 2
@test bounded(Bounded(1), Bounded(2)) == 1 && bounded(Bounded(1), Bounded(Int8(2))) == 2 && bounded(Bounded(1), 3) == 2
@test same(Bounded(1), Bounded(Int8(2))) == 2 && same(Bounded(1), 3) == 2
