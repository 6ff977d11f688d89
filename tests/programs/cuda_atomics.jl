# Atomics are atomic, across groups that run on different threads.
using CUDA, Test

function histogram!(bins, data)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(data)
        CUDA.@atomic bins[data[i]] += 1
    end
    return
end
n = 20_000
data = CuArray([mod1(7i, 10) for i in 1:n])
bins = CUDA.zeros(Int, 10)
@cuda threads=128 blocks=cld(n, 128) histogram!(bins, data)
@test Array(bins) == fill(n ÷ 10, 10)

function extremes!(out, data)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    CUDA.atomic_max!(pointer(out, 1), data[i])
    CUDA.atomic_min!(pointer(out, 2), data[i])
    CUDA.atomic_add!(pointer(out, 3), data[i])
    return
end
values = [(37i) % 1009 for i in 1:1024]
out = CuArray([typemin(Int), typemax(Int), 0])
@cuda threads=64 blocks=16 extremes!(out, CuArray(values))
@test Array(out) == [maximum(values), minimum(values), sum(values)]
