# A function that no library defines.
using CUDA
function kernel!(a)
    a[1] = ccall("extern __nv_sinf", llvmcall, Float32, (Float32,), a[1])
    return
end
@cuda kernel!(CuArray([1.0f0]))
