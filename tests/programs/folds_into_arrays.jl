# Folds into an array that is given, and folds of slices whose elements are of several types.
using Test

A = reshape(collect(1:24), 4, 3, 2)
@test maximum!(zeros(Int, 4), A) == [21, 22, 23, 24]
@test minimum!(zeros(Int, 1, 3), A[:, :, 1]) == [1 5 9]
@test sum!(zeros(Int, 1, 1, 2), A) == reshape([78, 222], 1, 1, 2)
@test prod!(ones(Int, 2), [1 2; 3 4]; init = false) == [2, 12]
@test sum!(zeros(2), view([1.0 2 3; 4 5 6; 7 8 9], [1, 3], :)) == [6, 24]
@test sum(Real[1 2; 3.5 4], dims = 2) == reshape([3, 7.5], 2, 1)
@test isequal(maximum([1 missing; 3 2], dims = 1), [3 missing])
@test hypot(1, 2, 2) === 3.0 && hypot(1, 2.0f0, 2) === 3.0f0
@test hypot(Inf, NaN, 1) === Inf && isnan(hypot(1.0, NaN, 2.0)) && hypot(0, 0, 0) === 0.0
@test hypot(1e300, 1e300, 1e300) ≈ sqrt(3) * 1e300
@test promote(1, 2, 3, 4) === (1, 2, 3, 4) && promote(1, 2.0, 3, 4) === (1.0, 2.0, 3.0, 4.0)
