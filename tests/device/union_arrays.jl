# Arrays of unions of plain bits: a selector decides which type of element is loaded, on every target.
using CUDA

function halves!(out, x)
    i = threadIdx().x
    v = @inbounds x[i]
    @inbounds out[i] = v === missing ? missing : v / 2
    return
end
#: run sm_70 asm 'halves!(CuDeviceVector{Union{Missing,Float32},1}, CuDeviceVector{Union{Missing,Float32},1})'
#: check: ld.global.b8
#: check: ld.global.b32
#: check: st.global.b32
#: check: st.global.b8
#: not: .local
#: run gfx1100 asm 'halves!(CuDeviceVector{Union{Missing,Float32},1}, CuDeviceVector{Union{Missing,Float32},1})'
#: check: global_load_d16_u8
#: check: global_load_b32
#: check: global_store_b32
#: not: scratch_
#: run spirv64 asm 'halves!(CuDeviceVector{Union{Missing,Float32},1}, CuDeviceVector{Union{Missing,Float32},1})'
#: check: OpLoad
#: check: Aligned 1
#: check: OpBranchConditional
#: check: Aligned 4
#: check: OpStore
#: run x86-64-v3 llvm 'halves!(CuDeviceVector{Union{Missing,Float32},1}, CuDeviceVector{Union{Missing,Float32},1})'
#: check: load i8
#: check: load float
#: check: store float

# What lives on the host is refused, as ever.
first_of!(out, x) = (out[1] = x[1] === nothing; return)
#: fails sm_70 asm 'first_of!(CuDeviceVector{Bool,1}, CuDeviceVector{Union{Nothing,String},1})'
#: check: memory that holds references to values of Union{Nothing, String}
