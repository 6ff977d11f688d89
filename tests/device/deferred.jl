# Deferred code: functions that are looked up, and kernels that launch kernels, on every target.
using CUDA
using Base.Device: deferred, deferred_call

# Called where it is looked up, it is called directly, and no pointer is left.
@noinline cube(x) = x * x * x
function direct(y)
    p = deferred(cube, unsafe_load(y))
    unsafe_store!(y, deferred_call(p, Int64, unsafe_load(y)))
    return
end
#: run sm_90 llvm 'direct(Ptr{Int64})'
#: not: adapter
#: not: deferred
#: check: call i64 @julia_cube_1(
#: run gfx1100 llvm 'direct(Ptr{Int64})'
#: not: adapter
#: check: call i64 @julia_cube_1(
#: run spirv64 asm 'direct(Ptr{Int64})'
#: not: adapter
#: check: OpFunctionCall
#: run bpf asm 'direct(Ptr{Int64})'
#: not: callx
#: check: call julia_cube_1
#: not: callx

# A pointer that goes elsewhere is a constant of the device's code, and one definition is there for two look-ups.
@noinline apply(p, x) = deferred_call(p, Int64, x)
@noinline twice(x) = 2x
@noinline within(x) = apply(deferred(twice, x), x) + 1
function nested(y)
    x = unsafe_load(y)
    unsafe_store!(y, apply(deferred(within, x), x) + apply(deferred(twice, x), x))
    return
end
#: run sm_90 asm 'nested(Ptr{Int64})'
#: check: .visible .entry _Z6nestedP5Int64
#: check: mov.b64
#: sameln: p0_adapter0
#: run sm_90 bin 'nested(Ptr{Int64})'
#: run sm_90 llvm 'nested(Ptr{Int64})'
#: not: gpuc
#: check: @p0_adapter0
#: run gfx90a asm 'nested(Ptr{Int64})'
#: check: s_swappc_b64
#: check: p0_adapter0@rel32@lo
#: run gfx90a bin 'nested(Ptr{Int64})'

# Without pointers to functions it is refused, where it is looked up or called.
#: fails spirv64 asm 'nested(Ptr{Int64})'
#: check: error[target-limit]
#: check: a pointer to a function: spirv64 calls functions by name only
#: check: deferred.jl:28
#: fails bpf asm 'nested(Ptr{Int64})'
#: check: error[target-limit]
#: check: a pointer to a function: bpf calls functions by name only
#: check: deferred.jl:28

# What never goes on past a check says so through the runtime's function.
fails_through(y) = (apply_wrong(deferred(twice, 1), y); return)
@noinline apply_wrong(p, y) = (unsafe_store!(y, deferred_call(p, Float64, 1.0)); nothing)
#: run sm_90 llvm 'fails_through(Ptr{Float64})' --debug-level 0
#: check: cmpxchg

# Kernels that launch kernels: by functions of NVIDIA's library for devices, which the linker brings.
function child(y, n)
    i = threadIdx().x
    i <= n && (@inbounds y[i] += 1f0)
    return
end
function parent(y, n)
    if threadIdx().x == 1
        @cuda dynamic=true threads=(32, 2) blocks=3 shmem=64 child(y, n)
    end
    return
end
#: run sm_90 asm 'parent(CuDeviceVector{Float32,1}, Int64)'
#: check: .extern .func
#: sameln: cudaLaunchDeviceV2
#: check: .extern .func
#: sameln: cudaGetParameterBufferV2
#: check: .visible .entry _Z6parent11DeviceArrayI7Float32Li1ELi1EE5Int64
#: check: call.uni
#: sameln: cudaGetParameterBufferV2
#: check: call.uni
#: sameln: cudaLaunchDeviceV2
#: check: .entry p0_kernel0
#: run sm_70 bin 'parent(CuDeviceVector{Float32,1}, Int64)'
