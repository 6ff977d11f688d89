# A kernel with barriers that runs for long is compiled for the size of its groups; launches with other sizes are right, too.
using CUDA, Test

function sums!(out, x)
    l, g = threadIdx().x, blockIdx().x
    n = blockDim().x
    tile = CuDynamicSharedArray(Float32, n)
    i = (g - 1) * n + l
    tile[l] = i <= length(x) ? x[i] : 0f0
    sync_threads()
    d = n ÷ 2
    while d > 0
        if l <= d
            tile[l] += tile[l + d]
        end
        sync_threads()
        d ÷= 2
    end
    l == 1 && (out[g] = tile[1])
    return
end

# Items that fail, and items that leave, in groups of a known size.
function leaving!(out, limit, at)
    l = threadIdx().x + (threadIdx().y - 1) * blockDim().x
    out[l] = 1
    l > limit && return
    sync_threads()
    out[l] += 1
    sync_threads()
    l == at && throw(DomainError(l))
    out[l] += blockDim().y
    return
end

function sums(x, n)
    groups = cld(length(x), n)
    out = CUDA.zeros(Float32, groups)
    @cuda threads=n blocks=groups shmem=n * 4 sums!(out, x)
    Array(out)
end

x = cu(Float32.(1:100_000) .% 7f0)
expected(n) = [sum(Float32.((i + 1):min(i + n, 100_000)) .% 7f0) for i in 0:n:99_999]

@testset "one size, often" begin
    for _ in 1:40
        @test sums(x, 128) == expected(128)
    end
end

@testset "others between" begin
    for n in (256, 64, 128, 1, 32, 512, 128)
        @test sums(x, n) == expected(n)
    end
end

@testset "items that leave and fail" begin
    for turn in 1:60, (threads, limit) in (((16, 4), 40), ((8, 8), 64), ((16, 4), 64))
        turn < 50 && threads != (16, 4) && continue
        out = CUDA.zeros(Int, 64)
        @cuda threads=threads leaving!(out, limit, 0)
        @test Array(out) == [i > limit ? 1 : 2 + threads[2] for i in 1:64]
    end
    out = CUDA.zeros(Int, 64)
    message = try
        @cuda threads=(16, 4) leaving!(out, 64, 17)
        synchronize()
        ""
    catch err
        sprint(showerror, err)
    end
    @test occursin("DomainError", message)
    @test Array(out) == [i == 17 ? 2 : 6 for i in 1:64]
end
