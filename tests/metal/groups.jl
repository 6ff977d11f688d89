# Memory of the group and barriers.
using CUDA
include(joinpath(@__DIR__, "support", "launches.jl"))
launch(f, groups, items, args...; bytes = 0) =
    launched(f, groups, items, args...; convert = CuArray, bytes) do f, there...
        @cuda threads = items blocks = groups shmem = bytes f(there...)
        synchronize()
    end

function reduced!(out, x)
    s = CuStaticSharedArray(Float32, 64)
    i = threadIdx().x
    s[i] = x[(blockIdx().x - 1) * 64 + i]
    sync_threads()
    d = 32
    while d > 0
        i <= d && (s[i] += s[i + d])
        sync_threads()
        d >>= 1
    end
    i == 1 && (out[blockIdx().x] = s[1])
    return
end
launch(reduced!, 3, 64, zeros(Float32, 3), Float32.(1:192))

function reversed!(x)
    s = CuDynamicSharedArray(Int32, blockDim().x)
    i = threadIdx().x
    s[i] = x[i]
    sync_threads()
    x[i] = s[blockDim().x - i + 1]
    return
end
launch(reversed!, 1, 100, collect(Int32, 1:100); bytes = 400)

function scanned!(x)
    a = CuStaticSharedArray(Int64, 128)
    i = threadIdx().x
    a[i] = x[i]
    sync_threads()
    step = 1
    while step < 128
        v = i > step ? a[i - step] : 0
        sync_threads()
        a[i] += v
        sync_threads()
        step *= 2
    end
    x[i] = a[i]
    return
end
launch(scanned!, 1, 128, collect(Int64, 1:128))

function tiled!(c, a, b)
    ta, tb = CuStaticSharedArray(Float32, (8, 8)), CuStaticSharedArray(Float32, (8, 8))
    i, j = threadIdx().x, threadIdx().y
    row, col = (blockIdx().x - 1) * 8 + i, (blockIdx().y - 1) * 8 + j
    total = 0.0f0
    for t in 0:1
        ta[i, j] = a[row, t * 8 + j]
        tb[i, j] = b[t * 8 + i, col]
        sync_threads()
        for k in 1:8
            total += ta[i, k] * tb[k, j]
        end
        sync_threads()
    end
    c[row, col] = total
    return
end
launch(tiled!, (2, 2), (8, 8), zeros(Float32, 16, 16), Float32.(reshape(1:256, 16, 16)), Float32.(reshape(256:-1:1, 16, 16)))

# Lanes.
function lanes!(out, x)
    i = threadIdx().x
    v = x[i]
    out[i, 1] = shfl_sync(FULL_MASK, v, 4)
    out[i, 2] = shfl_down_sync(FULL_MASK, v, 3)
    out[i, 3] = shfl_up_sync(FULL_MASK, v, 1)
    out[i, 4] = shfl_xor_sync(FULL_MASK, v, 5)
    out[i, 5] = vote_ballot_sync(FULL_MASK, v % 3 == 0) % Int32
    out[i, 6] = laneid()
    return
end
launch(lanes!, 2, 64, zeros(Int32, 64, 6), collect(Int32, 1:64))

function sum_of_lanes!(out, x)
    v = x[threadIdx().x]
    d = 16
    while d > 0
        v += shfl_down_sync(FULL_MASK, v, d)
        d >>= 1
    end
    laneid() == 1 && (out[(threadIdx().x - 1) ÷ 32 + 1] = v)
    return
end
launch(sum_of_lanes!, 1, 96, zeros(Float32, 3), Float32.(1:96))
