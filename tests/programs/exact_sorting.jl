# Bitonic sort of groups in shared memory, of the whole array by launches, and of keys with values.
using CUDA, Test

function sort_groups!(x)
    tile = CuStaticSharedArray(Float32, 256)
    i = Int(threadIdx().x)
    at = (blockIdx().x - 1) * blockDim().x + i
    tile[i] = x[at]
    sync_threads()
    size = 2
    while size <= blockDim().x
        stride = size ÷ 2
        while stride > 0
            other = xor(i - 1, stride) + 1
            if other > i
                ascends = (i - 1) & size == 0
                a, b = tile[i], tile[other]
                if (a > b) == ascends
                    tile[i], tile[other] = b, a
                end
            end
            sync_threads()
            stride ÷= 2
        end
        size *= 2
    end
    x[at] = tile[i]
    return
end
x = Float32[(i * 7919 % 1009) / 8 - 60 for i in 1:2048]
for threads in (2, 32, 64, 256)
    y = CuArray(x)
    @cuda threads blocks=2048 ÷ threads sort_groups!(y)
    @test Array(y) == reduce(vcat, [sort(x[b:b + threads - 1]) for b in 1:threads:2048])
end
println("groups are sorted")

# Pairs of key and value are compared by key, then by value.
function sort_step!(keys, values, size, stride)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    other = xor(i - 1, stride) + 1
    other > i || return
    ascends = (i - 1) & size == 0
    a, b = (keys[i], values[i]), (keys[other], values[other])
    if isless(b, a) == ascends
        keys[i], values[i] = b
        keys[other], values[other] = a
    end
    return
end
keys, values = Int32[i * 37 % 64 for i in 1:1024], Int64[1024 - i for i in 1:1024]
k, v = CuArray(keys), CuArray(values)
let size = 2
    while size <= 1024
        stride = size ÷ 2
        while stride > 0
            @cuda threads=128 blocks=8 sort_step!(k, v, size, stride)
            stride ÷= 2
        end
        size *= 2
    end
end
@test collect(zip(Array(k), Array(v))) == sort!(collect(zip(keys, values)))
println("pairs are sorted")
