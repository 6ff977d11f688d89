# A guarded element of a product and a sum: one comparison, one fused multiply-add, no call and no local memory.
using CUDA
function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        @inbounds y[i] = muladd(a, x[i], y[i])
    end
    return
end

#: native sm_90 'saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})'
#: not: .local
#: not: call
#: check: .visible .entry
#: check: ld.global
#: check: fma.rn.f32
#: check: st.global
