# Kernels with barriers: what lives across them, loops around them, and items that leave early, fail or wait elsewhere.
using CUDA, Test

# Inclusive scan of a group; the loop is left by all items at once.
function scan!(out, x)
    tile = CuStaticSharedArray(Int, 96)
    i = threadIdx().x
    at = (blockIdx().x - 1) * blockDim().x + i
    tile[i] = x[at]
    sync_threads()
    step = 1
    while step < blockDim().x
        other = i > step ? tile[i - step] : 0
        sync_threads()
        tile[i] += other
        sync_threads()
        step *= 2
    end
    out[at] = tile[i]
    return
end

# A complex sum, a tuple and a maybe-nothing live across; each item has its own number of turns.
function turns!(out, counts)
    i = threadIdx().x + (threadIdx().y - 1) * blockDim().x
    sum, last, pair = 0.0 + 0.0im, nothing, (i, Int32(-i))
    for turn in 1:counts[i]
        sum += turn + im * i
        sync_threads()
        last = isodd(turn) ? turn : nothing
        pair = (pair[1] + turn, pair[2])
    end
    out[i] = (real(sum) + imag(sum), last === nothing ? 0 : last, pair[1] + pair[2])
    return
end

# Odd items leave; those behind a limit meet twice.
function apart!(out)
    tile = CuStaticSharedArray(Int, 64)
    i = threadIdx().x
    tile[i] = i
    isodd(i) && return
    sync_threads()
    mine = tile[i - 1] + tile[i]
    if i > 32
        sync_threads()
        mine += 1000
    end
    out[i] = mine
    return
end

function failing!(out, limit)
    i = threadIdx().x
    out[i] = 1
    sync_threads()
    i > limit && throw(DomainError(i))
    out[i] = 2
    return
end

# A plane of a box; shared memory of three dimensions, bounds that are no multiple of a group.
function planes!(out, x)
    tile = CuStaticSharedArray(Float32, (4, 3, 2))
    i, j, k = threadIdx()
    at = (blockIdx().x - 1) * 4 + i
    inside = at <= size(x, 1)
    tile[i, j, k] = inside ? x[at, j, k] : 0.0f0
    sync_threads()
    inside || return
    out[at, j, k] = tile[i, 4 - j, 3 - k]
    return
end

@testset "regions" begin
    x = [i * i % 17 for i in 1:960]
    out = CUDA.zeros(Int, 960)
    @cuda threads=96 blocks=10 scan!(out, CuArray(x))
    @test Array(out) == vec(cumsum(reshape(x, 96, 10); dims = 1))

    for counts in (fill(5, 60), [i % 7 for i in 1:60], [i > 30 ? 0 : 3 for i in 1:60])
        out = CuArray(fill((0.0, 0, 0), 60))
        @cuda threads=(12, 5) turns!(out, CuArray(counts))
        want = [(sum(1:n; init = 0) + n * i + 0.0, isodd(n) ? n : 0, sum(1:n; init = 0)) for (i, n) in enumerate(counts)]
        @test Array(out) == want
    end

    out = CUDA.zeros(Int, 64)
    @cuda threads=64 apart!(out)
    @test Array(out) == [isodd(i) ? 0 : 2i - 1 + (i > 32 ? 1000 : 0) for i in 1:64]

    out = CUDA.zeros(Int, 64)
    @test_throws Exception begin
        @cuda threads=64 failing!(out, 40)
        synchronize()
    end
    @test Array(out) == [i > 40 ? 1 : 2 for i in 1:64]

    x = reshape(Float32.(1:60), 10, 3, 2)
    out = CUDA.zeros(Float32, 10, 3, 2)
    @cuda threads=(4, 3, 2) blocks=3 planes!(out, CuArray(x))
    @test Array(out) == x[:, 3:-1:1, 2:-1:1]
end
