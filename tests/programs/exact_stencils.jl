# A 2-d convolution with a halo in shared memory, and a transpose by padded tiles.
using CUDA, Test

const TILE, RADIUS = 16, 2

function convolved!(out, x, weights)
    tile = CuStaticSharedArray(Float32, (TILE + 2RADIUS, TILE + 2RADIUS))
    i, j = threadIdx().x, threadIdx().y
    first, second = (blockIdx().x - 1) * TILE, (blockIdx().y - 1) * TILE
    # Each item loads up to four elements of tile and halo; outside of the array there are zeros.
    q = j
    while q <= TILE + 2RADIUS
        p = i
        while p <= TILE + 2RADIUS
            a, b = first + p - RADIUS, second + q - RADIUS
            inside = 1 <= a <= size(x, 1) && 1 <= b <= size(x, 2)
            tile[p, q] = inside ? x[a, b] : 0.0f0
            p += TILE
        end
        q += TILE
    end
    sync_threads()
    a, b = first + i, second + j
    if a <= size(x, 1) && b <= size(x, 2)
        sum = 0.0f0
        for q in 0:2RADIUS, p in 0:2RADIUS
            sum += weights[p + 1, q + 1] * tile[i + p, j + q]
        end
        out[a, b] = sum
    end
    return
end
function host_convolved(x, weights)
    m, n = size(x)
    at(a, b) = 1 <= a <= m && 1 <= b <= n ? x[a, b] : 0.0f0
    out = similar(x)
    for b in 1:n, a in 1:m
        sum = 0.0f0
        for q in 0:2RADIUS, p in 0:2RADIUS
            sum += weights[p + 1, q + 1] * at(a + p - RADIUS, b + q - RADIUS)
        end
        out[a, b] = sum
    end
    return out
end
weights = Float32[1 / (1 + p * p + 2q) for p in -2:2, q in 0:4]
for (m, n) in ((64, 32), (50, 37), (3, 5))
    x = Float32[sin(3a) * cos(b) for a in 1:m, b in 1:n]
    out = CUDA.zeros(Float32, m, n)
    @cuda threads=(TILE, TILE) blocks=(cld(m, TILE), cld(n, TILE)) convolved!(out, CuArray(x), CuArray(weights))
    @test Array(out) == host_convolved(x, weights)
end
println("convolutions agree exactly")

# A tile of 32 by 32, moved by 32 by 8 items. The padding keeps columns in different banks.
function transposed!(out, x)
    tile = CuStaticSharedArray(Float32, (33, 32))
    i, j = threadIdx().x, threadIdx().y
    a, b = (blockIdx().x - 1) * 32 + i, (blockIdx().y - 1) * 32
    k = j
    while k <= 32
        a <= size(x, 1) && b + k <= size(x, 2) && (tile[i, k] = x[a, b + k])
        k += 8
    end
    sync_threads()
    a, b = (blockIdx().x - 1) * 32, (blockIdx().y - 1) * 32 + i
    k = j
    while k <= 32
        a + k <= size(x, 1) && b <= size(x, 2) && (out[b, a + k] = tile[k, i])
        k += 8
    end
    return
end
for (m, n) in ((64, 64), (96, 33), (31, 50), (1, 40))
    x = Float32[100a + b for a in 1:m, b in 1:n]
    out = CUDA.zeros(Float32, n, m)
    @cuda threads=(32, 8) blocks=(cld(m, 32), cld(n, 32)) transposed!(out, CuArray(x))
    @test Array(out) == permutedims(x)
end
println("transposes agree exactly")
