# A kernel with barriers starts on fibers, and goes on in its better form after 20 ms. An item that fails before that ends no other: all
# groups run, those of the better form too, and the exception is that of the item.
using CUDA, Test

function reversed!(o)
    tile = CuStaticSharedArray(Float32, 256)
    l, b = threadIdx().x, blockIdx().x
    s = 0.0f0
    for k in 1:8
        tile[l] = l + k
        sync_threads()
        s += tile[257 - l]
        sync_threads()
    end
    b == 2 && l == 7 && throw(DomainError(l))
    @inbounds o[(b - 1) * 256 + l] = s
    return
end

groups = 2000
o = CUDA.zeros(Float32, 256 * groups)
caught = try
    @cuda threads = 256 blocks = groups reversed!(o)
    synchronize()
catch e
    e
end
@test caught isa DomainError
wanted = Float32[sum(257 - l + k for k in 1:8) for l in 1:256, b in 1:groups]
wanted[7, 2] = 0
@test Array(o) == vec(wanted)
