# An atomic sum is one instruction where the GPU has one; bytes are summed by compare-and-swap of the word that they are in.
using CUDA
add!(y, x) = (@inbounds CUDA.@atomic y[1] += x; return)

#: native sm_90 'add!(CuDeviceVector{Int32,1}, Int32)'
#: not: .cas.
#: check: atom.global.add.u32
#: native sm_90 'add!(CuDeviceVector{Float32,1}, Float32)'
#: not: .cas.
#: check: atom.global.add.f32
#: native sm_90 'add!(CuDeviceVector{Int8,1}, Int8)'
#: check: and.b64
#: check: atom.relaxed.gpu.global.cas.b32
#: check: bra
