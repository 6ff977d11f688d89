# A product of matrices by tiles, in both languages.
using CUDA, KernelAbstractions, Test
const TILE = 8
function multiply!(c, a, b)
    tx, ty = threadIdx().x, threadIdx().y
    i, j = (blockIdx().x - 1) * TILE + tx, (blockIdx().y - 1) * TILE + ty
    s, u = CuStaticSharedArray(Float32, (TILE, TILE)), CuStaticSharedArray(Float32, (TILE, TILE))
    total = 0f0
    for tile in 0:size(a, 2) ÷ TILE - 1
        s[tx, ty] = a[i, tile * TILE + ty]
        u[tx, ty] = b[tile * TILE + tx, j]
        sync_threads()
        for k in 1:TILE
            @inbounds total += s[tx, k] * u[k, ty]
        end
        sync_threads()
    end
    c[i, j] = total
    return
end
a, b = rand(Float32, 24, 24), rand(Float32, 24, 24)
c = CUDA.zeros(24, 24)
@cuda threads=(TILE, TILE) blocks=(3, 3) multiply!(c, CuArray(a), CuArray(b))
@test Array(c) ≈ a * b

@kernel function product!(c, @Const(a), @Const(b))
    i, j = @index(Global, NTuple)
    l, m = @index(Local, NTuple)
    s = @localmem Float32 (TILE, TILE)
    u = @localmem Float32 (TILE, TILE)
    total = @private Float32 (1,)
    @inbounds total[1] = 0
    for tile in 0:size(a, 2) ÷ TILE - 1
        @inbounds s[l, m] = a[i, tile * TILE + m]
        @inbounds u[l, m] = b[tile * TILE + l, j]
        @synchronize
        for k in 1:TILE
            @inbounds total[1] += s[l, k] * u[k, m]
        end
        @synchronize
    end
    @inbounds c[i, j] = total[1]
end
d = zeros(Float32, 24, 24)
product!(CPU(), (TILE, TILE))(d, a, b; ndrange = (24, 24))
@test d ≈ a * b
