# Sums, products and rows of elements whose types are abstract or are blocks.
using Test, LinearAlgebra

@test cumsum(Real[1, 2.5])::Vector{Real} == [1, 3.5]
@test cumprod(Real[2, 2.5])::Vector{Real} == [2, 5]
@test hcat(Array[ones(2), ones(1, 1)], Array[ones(3), ones(1, 2)]) isa Matrix{Array{Float64}}
@test hcat(Array[ones(2), ones(1)], Array[ones(3), ones(1)]) isa Matrix{Vector{Float64}}
@test hcat(Any[1, 2], Any[3, 4])::Matrix{Int} == [1 3; 2 4]
@test hcat(Int[], Int[])::Matrix{Int} == zeros(Int, 0, 2)
@test_throws DimensionMismatch hcat(Any[1], Any[])

blocks = [Float64[i + j i; j i - j] for i in 1:2, j in 1:2]
product = blocks * blocks
@test product[2, 1] == blocks[2, 1] * blocks[1, 1] + blocks[2, 2] * blocks[2, 1]
@test blocks * blocks[:, 1] == product[:, 1]
@test issymmetric(blocks'blocks) && ishermitian(blocks'blocks)
@test ishermitian([[1 2im; -2im 1] for _ in 1:1, _ in 1:1])
@test_throws OverflowError first(typemin(Int):typemax(Int), 10)
@test first(0x01:0x09, 3) == 0x01:0x03 && last([1, 2, 3], 5) == [1, 2, 3]
r = CartesianIndices(map(Base.IdentityUnitRange, (2:5, 3:5)))
@test @inferred(convert(Tuple{Vararg{UnitRange}}, r)) === (2:5, 3:5)

# What inference knows to be empty has the type of the keys.
d = Dict{Any, Any}(7 => 2)
@test findall(x -> false, d)::Vector{Any} == []
@test findall(x -> true, d)::Vector{Int} == [7]
@test isequal(Some(missing), Some(missing)) && !isequal(Some(nothing), nothing)
@test reinterpret(Int, fill(nothing, 3, 5)) == fill(17, 0, 5)
x = sizehint!([1, 2, 3], 1000)
@test length(sizehint!(x, 4; shrink = false).ref.mem) == 1000
@test length(sizehint!(x, 4).ref.mem) == 4 && x == [1, 2, 3]

# Tuples are indexed from 1, converted to elements of vectors, and texts are searched from within a character.
struct OffRange <: AbstractUnitRange{Int} end
Base.first(::OffRange) = 0
Base.last(::OffRange) = 1
Base.axes(::OffRange) = (0:1,)
@test_throws ArgumentError (1, 2)[OffRange()]
@test (1, 2, 3)[2:3] === (2, 3) && (1, 2, 3)[Base.OneTo(2)] === (1, 2) && (1, 2, 3)[[3, 1]] === (3, 1)
@test convert(NTuple{2, VecElement{Float32}}, (1, 2)) === (VecElement(1.0f0), VecElement(2.0f0))
@test findprev(isequal('∃'), "∃ δ", 3) == 1 && findprev(==('\xa6'), "æa", 2) === nothing
