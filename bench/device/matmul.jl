# A product of matrices through tiles in shared memory, with sizes that are no multiple of the tile.
using CUDA

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
