# Numbers in front of the arrays of a concatenation are as wide as these in the dimensions after that of the concatenation; ranges of
# places are copied to ranges of places.
using Test, LinearAlgebra

m = reshape(collect(1.0:6.0), 2, 3)
@test vcat(7.0, m) == [7 7 7; 1 3 5; 2 4 6]
@test vcat(7.0, 8.0, m) == [7 7 7; 8 8 8; 1 3 5; 2 4 6]
@test vcat(7, m) isa Matrix{Float64}
@test size(vcat(1, reshape(1:12, 2, 3, 2))) == (3, 3, 2)
@test_throws DimensionMismatch vcat(m, 7.0)
@test_throws DimensionMismatch hcat(7.0, [1.0, 2.0])
@test hcat(7.0, [1.0 2.0]) == [7.0 1.0 2.0]
@test hcat(5, reshape(1:4, 1, 2, 2)) == cat([5;;; 5], reshape(1:4, 1, 2, 2); dims = 2)
@test_throws DimensionMismatch vcat(m, [1.0 2.0])

x, y = zeros(Float32, 5), Float32[1, 2, 3, 4]
@test copyto!(x, 1:2, y, 3:4) === x
@test x == [3, 4, 0, 0, 0]
@test copyto!(x, 5:-2:1, y, 1:3) == [3, 4, 2, 0, 1]
@test_throws ArgumentError("range out of bounds for dest, of length 5") copyto!(x, 4:6, y, 1:3)
@test_throws ArgumentError("range out of bounds for src, of length 4") copyto!(x, 1:3, y, 3:5)
@test_throws ArgumentError("ranges must be of the same length") copyto!(x, 1:3, y, 1:2)
