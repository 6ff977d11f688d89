# Matrix multiplication through tiles in shared memory, with sizes that are no multiple of the tile.
using CUDA, Test

const TILE = 16

function matmul!(c, a, b)
    ta = CuStaticSharedArray(Float32, (TILE, TILE))
    tb = CuStaticSharedArray(Float32, (TILE, TILE))
    tx, ty = threadIdx().x, threadIdx().y
    row = (blockIdx().x - 1) * TILE + tx
    col = (blockIdx().y - 1) * TILE + ty
    sum = 0.0f0
    for t in 0:cld(size(a, 2), TILE)-1
        k = t * TILE
        @inbounds ta[tx, ty] = row <= size(a, 1) && k + ty <= size(a, 2) ? a[row, k + ty] : 0.0f0
        @inbounds tb[tx, ty] = k + tx <= size(b, 1) && col <= size(b, 2) ? b[k + tx, col] : 0.0f0
        sync_threads()
        for i in 1:TILE
            @inbounds sum += ta[tx, i] * tb[i, ty]
        end
        sync_threads()
    end
    if row <= size(c, 1) && col <= size(c, 2)
        @inbounds c[row, col] = sum
    end
    return
end

m, n, k = 100, 75, 50
a = Float32[sin(0.1f0 * (i + 2j)) for i in 1:m, j in 1:k]
b = Float32[cos(0.1f0 * (2i - j)) for i in 1:k, j in 1:n]
c = CUDA.zeros(Float32, m, n)
@cuda threads=(TILE, TILE) blocks=(cld(m, TILE), cld(n, TILE)) matmul!(c, CuArray(a), CuArray(b))
@test isapprox(Array(c), a * b)
println("matmul: ", m, "x", k, " times ", k, "x", n, " agrees with the host")
