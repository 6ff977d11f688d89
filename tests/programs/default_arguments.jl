# A default sees the arguments before it; its own name and those of later arguments mean what they mean outside.
using Test

alpha(x) = 10x
blend(c, alpha = alpha(c)) = (c, alpha)
@test blend(2) == (2, 20) && blend(2, 3) == (2, 3)
later = :outside
early(a, b = later, later = b) = (a, b, later)
@test early(1) == (1, :outside, :outside) && early(1, 2) == (1, 2, 2) && early(1, 2, 3) == (1, 2, 3)
chained(a, b = a + 1, c = 2b) = (a, b, c)
@test chained(1) == (1, 2, 4) && chained(1, 5) == (1, 5, 10)
rest(a, b = later, later...) = (a, b, later)
@test rest(1) == (1, :outside, ()) && rest(1, 2, 3) == (1, 2, (3,))
@test blend.([1, 2]) == [(1, 10), (2, 20)]

# Arrays by their semicolons, of truth values as well, which are no argument of how they are put together.
@test [true;;] == fill(true, 1, 1) && [true;;;] == fill(true, 1, 1, 1) && [false;; true] == [false true]
# Arrays become those of another element type, and dictionaries and sets grow by what an iterator gives.
@test convert(AbstractVector{Any}, [1, 2])::Vector{Any} == [1, 2] && convert(AbstractArray{Float64, 1}, 1:2)::Vector{Float64} == [1.0, 2.0]
@test Base.grow_to!(Dict{Union{}, Union{}}(), (k => k for k in Any[1, "a"])) == Dict(1 => 1, "a" => "a")
@test Base.grow_to!(Set{Union{}}(), (x for x in Any[1, "a"])) == Set([1, "a"])
@test Base._tablesz(3) == 16 && Base._tablesz(17) == 32 && Base._tablesz(64) == 64
let make = (K, V) -> Dict{K, V}
    @test Base.dict_with_eltype(make, [1 => 2], Pair{Int, Int})::Dict{Int, Int} == Dict(1 => 2)
    @test Base.dict_with_eltype(make, Any[1 => 2, "a" => 3], Any)::Dict{Any, Int} == Dict(1 => 2, "a" => 3)
    @test_throws ArgumentError Base.dict_with_eltype(make, [1, 2], Int)
    @test_throws ArgumentError Base.dict_with_eltype(make, :a, Any)
end
let a = Any[1, 2], b = [1, 2]
    Base._unsetindex!(a, 1)
    @test !isassigned(a, 1) && a[2] == 2 && Base._unsetindex!(b, 1) == [1, 2]
    @test_throws BoundsError Base._unsetindex!(a, 3)
end
# Numbers at random of types of one's own.
struct Angle
    x::Float64
end
Base.randn(rng::Base.AbstractRNG, ::Type{Angle}) = Angle(randn(rng))
@test randn(Angle) isa Angle && randn(Angle, 2)::Vector{Angle} isa Vector && 0 <= rand(BigFloat) < 1
using StaticArrays, StaticArraysCore
@test StaticArraysCore.SArray === StaticArrays.SArray && StaticArraysCore.tuple_prod(Tuple{2, 3}) == 6
