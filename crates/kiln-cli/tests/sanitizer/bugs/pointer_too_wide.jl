# The last element as a wider type.
using CUDA
function load!(y, x)
    t = threadIdx().x
    p = reinterpret(Core.LLVMPtr{Float64,1}, pointer(x))
    y[t] = unsafe_load(p + 4 * (t - 1)) #: out-of-bounds
    return
end
@cuda threads=16 load!(CUDA.zeros(Float64, 16), CUDA.ones(16))
