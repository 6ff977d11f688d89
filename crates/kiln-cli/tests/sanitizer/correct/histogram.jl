# Bins in shared memory by atomic operations, then added to the bins of all.
using CUDA, KernelAbstractions, Atomix, Test
function histogram!(out, x)
    t = threadIdx().x
    s = CuStaticSharedArray(Int32, 16)
    t <= 16 && (s[t] = 0)
    sync_threads()
    i = (blockIdx().x - 1) * blockDim().x + t
    CUDA.@atomic s[x[i] % 16 + 1] += Int32(1)
    sync_threads()
    t <= 16 && CUDA.@atomic out[t] += s[t]
    return
end
out = CUDA.zeros(Int32, 16)
@cuda threads=64 blocks=8 histogram!(out, CuArray(Int32.(0:511)))
@test all(==(32), Array(out))

@kernel function bins!(out, x)
    i = @index(Global)
    l = @index(Local)
    s = @localmem Int32 (16,)
    l <= 16 && (s[l] = 0)
    @synchronize
    Atomix.@atomic s[x[i] % 16 + 1] += Int32(1)
    @synchronize
    l <= 16 && (Atomix.@atomic out[l] += s[l])
end
out = zeros(Int32, 16)
bins!(CPU(), 64)(out, Int32.(0:511); ndrange = 512)
@test all(==(32), out)
