# Memory of a group, or of an item, has a size that is known when the kernel is compiled.
using CUDA, KernelAbstractions
function kernel!(out)
    tile = CuStaticSharedArray(Float32, length(out))
    tile[1] = out[1]
    out[2] = tile[1]
    return
end
@kernel function own!(out, n)
    i = @index(Local)
    own = @private Float32 (n,)
    own[1] = out[i]
    out[i] = own[1]
end
try
    @cuda kernel!(CUDA.zeros(Float32, 4))
catch error
    showerror(stderr, error)
    println(stderr)
end
own!(CPU(), 4)(zeros(Float32, 4), 4; ndrange = 4)
