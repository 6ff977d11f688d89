# What the dialects launch themselves.
using CUDA, Test
x, y = CUDA.rand(1000), CUDA.ones(1000)
z = x .* 2 .+ y
@test sum(z) ≈ 2 * sum(x) + 1000
@test maximum(z) <= 3 && all(Array(z) .>= 1)
w = CUDA.zeros(10, 100)
w .= reshape(x, 10, 100) .+ CuArray(1:10)
@test size(sum(w; dims = 1)) == (1, 100)
CUDA.unsafe_free!(z)
@test length(x) == 1000
