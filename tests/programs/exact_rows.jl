# Rows of a group that run several at once between barriers: those that are left, groups of few rows, several planes, and sums that
# wait for each other in each row. Results have the bits of the same sums on the host.
using CUDA, Test

const K = 12

function products!(c, a, b)
    x, y, z = threadIdx().x, threadIdx().y, threadIdx().z
    s = CuStaticSharedArray(Float32, (32, K))
    t = CuStaticSharedArray(Float32, (K, 32))
    row = y + (z - 1) * blockDim().y
    total = 0f0
    for tile in 1:2
        if row <= K
            @inbounds s[x, row] = a[x, row, tile]
        end
        if x <= K
            @inbounds t[x, row] = b[x, row, tile]
        end
        sync_threads()
        for k in 1:K
            @inbounds total += s[x, k] * t[k, row]
        end
        sync_threads()
    end
    @inbounds c[x, row, blockIdx().x] = total
    return
end

function on_host(a, b, x, row)
    total = 0f0
    for tile in 1:2, k in 1:K
        total += a[x, k, tile] * b[k, row, tile]
    end
    return total
end

value(i) = Float32((i * 7919) % 1009) / 257f0

@testset "$nx x $ny x $nz" for (nx, ny, nz) in ((16, 16, 1), (16, 13, 1), (24, 15, 1), (13, 14, 1), (32, 4, 3), (12, 5, 3), (12, 3, 4), (12, 1, 12))
    rows = ny * nz
    a = reshape(Float32[value(i) for i in 1:nx*K*2], nx, K, 2)
    b = reshape(Float32[value(3i + 1) for i in 1:K*rows*2], K, rows, 2)
    c = CUDA.zeros(Float32, nx, rows, 3)
    @cuda threads=(nx, ny, nz) blocks=3 products!(c, CuArray(a), CuArray(b))
    wanted = Float32[on_host(a, b, x, row) for x in 1:nx, row in 1:rows]
    for block in 1:3
        @test Array(c)[:, :, block] == wanted
    end
end
