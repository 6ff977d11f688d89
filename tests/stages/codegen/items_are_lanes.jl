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

#: llvm 'saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})'
#: check: define void @entry
#: regex: lanes=<[0-9]+ x float>
#: regex: load=load $lanes|call $lanes @llvm.masked.load
#: check: $load
#: check: $lanes
#: regex: store=store $lanes|@llvm.masked.store
#: check: $store
