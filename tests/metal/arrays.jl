# Arrays, numbers and loops; what is beyond the end of an array is told.
using CUDA
include(joinpath(@__DIR__, "support", "launches.jl"))
launch(f, groups, items, args...; bytes = 0) =
    launched(f, groups, items, args...; convert = CuArray, bytes) do f, there...
        @cuda threads = items blocks = groups shmem = bytes f(there...)
        synchronize()
    end

function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        y[i] = a * x[i] + y[i]
    end
    return
end
launch(saxpy!, 4, 64, Float32.(1:200), 2.0f0, Float32.(1:200) ./ 4)

function sums!(out, x)
    i = threadIdx().x
    total = zero(eltype(out))
    for j in 1:size(x, 2)
        total += x[i, j]
    end
    out[i] = total
    return
end
launch(sums!, 1, 16, zeros(Int64, 16), reshape(collect(Int64, 1:16*5), 16, 5))
launch(sums!, 1, 17, zeros(Int32, 17), reshape(collect(Int32, 1:16*5), 16, 5))

function beyond!(x, at)
    x[at] = 1.0f0
    return
end
launch(beyond!, 1, 1, zeros(Float32, 4), 3)
launch(beyond!, 1, 1, zeros(Float32, 4), 9)

transposed!(b, a) = (i = threadIdx().x; j = threadIdx().y; b[j, i] = a[i, j]; return)
launch(transposed!, 1, (4, 8), zeros(Int16, 8, 4), reshape(collect(Int16, 1:32), 4, 8))

positions!(out) = begin
    i = threadIdx().x + (threadIdx().y - 1) * blockDim().x + (threadIdx().z - 1) * blockDim().x * blockDim().y
    b = blockIdx().x + (blockIdx().y - 1) * gridDim().x + (blockIdx().z - 1) * gridDim().x * gridDim().y
    out[i, b] = 100000 * blockIdx().z + 10000 * blockIdx().y + 1000 * blockIdx().x + 100 * threadIdx().z + 10 * threadIdx().y +
        threadIdx().x
    return
end
launch(positions!, (2, 3, 2), (4, 2, 3), zeros(Int32, 24, 12))
