# A structure is one parameter of the kernel, and its fields are loaded from there: there is no copy in local memory.
using CUDA
struct Params
    a::Float32
    n::Int32
    b::Float64
end
uses!(y, p) = (@inbounds y[1] = p.a + p.b; return)

#: native sm_90 'uses!(CuDeviceVector{Float64,1}, Params)'
#: check: _param_1[16]
#: not: .local
#: check: ld.param.b32
#: sameln: _param_1]
#: check: ld.param.b64
#: sameln: _param_1+8]
