# On the processor neighbouring items are lanes of a vector: the loop over the items of a group loads, multiplies and stores
# vectors, and has no call.
using CUDA
function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        @inbounds y[i] = muladd(a, x[i], y[i])
    end
    return
end

#: llvm x86-64-v4 'saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})'
#: check: define void @entry
#: check: call <16 x float> @llvm.masked.load
#: check: <16 x float>
#: check: call void @llvm.masked.store
#: llvm x86-64-v3 'saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})'
#: check: define void @entry
#: check: load <8 x float>
#: check: store <8 x float>
