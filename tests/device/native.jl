# Processors at named levels: one object of an entry and all that it calls.
using CUDA

function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        @inbounds y[i] += a * x[i]
    end
    return
end
#: run x86-64-v3 asm 'saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})'
#: check: _Z6saxpy_11DeviceArrayI7Float32Li1ELi1EES0_S1_:
#: check: vmulps
#: run x86-64 asm 'saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})'
#: not: vmulps
#: check: mulps

#: upstream: test/native.jl "child functions"
@noinline child(x) = 3 * x
parent(x) = child(x) + 1
#: run x86-64-v3 llvm 'parent(Int64)' --function
#: check: define i32 @_Z6parent5Int64(

#: upstream: test/native.jl "invalid LLVM IR"
prints(i) = (println(i); return)
#: fails x86-64-v3 obj 'prints(Int64)'
#: check: native.jl:

#: upstream: test/native.jl "delayed bindings"
undefined() = undefined_name + 1
#: fails x86-64-v3 obj 'undefined()'
#: check: undefined_name

#: upstream: test/native.jl "dynamic call (invoke)"
@noinline open_child(@nospecialize(i)) = i
function calls_it(a, i)
    unsafe_store!(a, open_child(i))
    return
end
#: run x86-64-v3 obj 'calls_it(Ptr{Int64}, Int64)'
