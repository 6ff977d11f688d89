# Arrays that a kernel declares constant.
using CUDA, KernelAbstractions

@kernel function reads(y, @Const(x))
    i = @index(Global)
    f = j -> x[j] + length(x)
    @inbounds y[i] = f(i)
end
#: run sm_90 asm 'reads(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1})'
#: check: ld.global
#: check: st.global

@kernel function writes(y, @Const(x))
    i = @index(Global)
    x[i] = y[i]
end
#: fails sm_90 asm 'writes(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1})'
#: check: a store to an array that the kernel has declared constant
#: check: constants.jl:15

function stores(y, x)
    x = CUDA.Const(x)
    x[threadIdx().x] = 1f0
    return
end
#: fails spirv64 asm 'stores(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1})'
#: check: a store to an array that the kernel has declared constant
