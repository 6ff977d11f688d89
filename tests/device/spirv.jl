# SPIR-V. What GPUCompiler's test/spirv.jl asks of its SPIR-V back end, asked of ours.

#: upstream: test/spirv.jl "calling convention"
returns_one() = 1
nothing_to_do() = return
#: run spirv64 llvm 'returns_one()' --function
#: not: spir_kernel
#: check: ret i64 1
#: run spirv64 llvm 'nothing_to_do()'
#: check: define spir_kernel void @_Z13nothing_to_do(

#: upstream: test/spirv.jl "byval workaround"
stores_first(x, out) = (unsafe_store!(out, x[1]); return)
#: run spirv64 llvm 'stores_first(Tuple{Int64,Int64}, Ptr{Int64})'
#: check: define spir_kernel void @_Z12stores_first$()
#: sameln: byval({

#: upstream: test/spirv.jl "byval bug"
@noinline not_inlined() = return
#: run spirv64 llvm 'not_inlined()'
#: check: define spir_kernel void @_Z11not_inlined(

#: upstream: test/spirv.jl "unsupported type detection"
doubles(ptr, val) = (unsafe_store!(ptr, val + val); return)
#: run spirv64 llvm 'doubles(Ptr{Float16}, Float16)'
#: check: fadd half
#: run spirv64 llvm 'doubles(Ptr{Float32}, Float32)'
#: check: fadd float
#: run spirv64 llvm 'doubles(Ptr{Float64}, Float64)'
#: check: fadd double
#: fails spirv64-nofp16 obj 'doubles(Ptr{Float16}, Float16)'
#: check: half
#: check: spirv.jl:
#: fails spirv64-nofp64 obj 'doubles(Ptr{Float64}, Float64)'
#: check: double
#: check: spirv.jl:

#: upstream: test/spirv.jl "trap removal"
fails_if(x) = (x && error(); return)
#: run spirv64 llvm 'fails_if(Bool)'
#: check: define spir_kernel void @_Z8fails_if4Bool
#: not: llvm.trap
#: not: unreachable
#: check: ret void
#: run spirv64 asm 'fails_if(Bool)'
#: check: OpEntryPoint Kernel
#: sameln: "_Z8fails_if4Bool"
#: not: OpUnreachable

#: upstream: test/spirv.jl "inlining of throwing callees"
@noinline guard(x) = (x || error(); return)
guarded(x) = (guard(x); return)
#: run spirv64 llvm 'guarded(Bool)'
#: check: define spir_kernel void @_Z7guarded4Bool
#: not: unreachable
#: check: ret void

# What a call returns that may fail goes on through a phi, which the back end has for scalars only.
@noinline kept(x) = x < 0 ? throw(DomainError(x)) : x
@noinline twice_kept(x, k) = kept(x) + kept(x - k)
stores_kept(out, x, k) = (unsafe_store!(out, twice_kept(x, k)); return)
#: run spirv64 llvm 'stores_kept(Ptr{Int64}, Int64, Int64)'
#: not: phi {
#: check: ret { i64, i32 }
#: run spirv64 obj 'stores_kept(Ptr{Int64}, Int64, Int64)' -g 2 -O 1

# Who is here, and the time: of the versions and the drivers that have them.
who_is_here(out) = (out[1] = Base.DeviceLanes.active_lanes(); return)
reads_clock(out) = (out[1] = Core.Intrinsics.kiln_clock(); return)
#: run spirv64-v1.3 asm 'who_is_here(Base.Device.DeviceVector{UInt32,1})'
#: check: OpCapability GroupNonUniformBallot
#: check: OpGroupNonUniformBallot
#: fails spirv64 obj 'who_is_here(Base.Device.DeviceVector{UInt32,1})'
#: check: GroupNonUniformBallot
#: check: spirv64-v1.3
#: check: spirv.jl:
#: run spirv64-clock asm 'reads_clock(Base.Device.DeviceVector{UInt64,1})'
#: check: SPV_KHR_shader_clock
#: check: OpReadClockKHR
#: fails spirv64 obj 'reads_clock(Base.Device.DeviceVector{UInt64,1})'
#: check: SPV_KHR_shader_clock
#: check: spirv64-clock
#: check: spirv.jl:

# The least and the greatest by one instruction; of less than 32 bits, by the word that has them.
greatest(a, x) = (Base.Device.atomic_modify!(pointer(a), max, x); return)
counts(a) = (Base.Device.atomic_modify!(pointer(a), +, 0x01); return)
#: run spirv64 asm 'greatest(Base.Device.DeviceVector{Int32,1}, Int32)'
#: check: OpAtomicSMax
#: run spirv64 asm 'greatest(Base.Device.DeviceVector{UInt64,1}, UInt64)'
#: check: OpAtomicUMax
#: run spirv64 asm 'counts(Base.Device.DeviceVector{UInt8,1})'
#: check: OpAtomicCompareExchange

# Fences of the scope that their name says, of all memory.
using CUDA
fences(a) = (threadfence(); threadfence_block(); threadfence_system(); a[1] = 1; return)
#: run spirv64 llvm 'fences(CuDeviceVector{Int32,1})'
#: check: __spirv_MemoryBarrierjj(i32 1, i32 784)
#: check: __spirv_MemoryBarrierjj(i32 2, i32 784)
#: check: __spirv_MemoryBarrierjj(i32 0, i32 784)
#: run spirv64 asm 'fences(CuDeviceVector{Int32,1})'
#: check: OpMemoryBarrier
#: check: OpMemoryBarrier
#: check: OpMemoryBarrier

# Forms that drivers know which run items as lanes: see record 66. Intel's functions of the least and the greatest differ from
# item to item, comparisons do not.
at_least(out, x) = (unsafe_store!(out, max(x, 0)); return)
#: run spirv64 llvm 'at_least(Ptr{Int64}, Int64)'
#: not: llvm.smax
#: check: icmp sgt i64
#: check: select
#: run sm_90 llvm 'at_least(Ptr{Int64}, Int64)'
#: check: llvm.smax

# Where there are barriers, loop counters are variables. Kernels have no hint not to run as vectors, also where items fail, except from
# a loop with atomic operations.
function waits(a, n)
    s = CuStaticSharedArray(Float32, 64)
    t = threadIdx().x
    for k in 1:n
        s[t] = a[t + k]
        sync_threads()
        a[t] += s[65 - t]
        sync_threads()
    end
    return
end
#: run spirv64 llvm 'waits(CuDeviceVector{Float32,1}, Int64)'
#: not: vec_type_hint
#: check: alloca i64
#: check: store i64
#: check: load i64
#: run spirv64 obj 'waits(CuDeviceVector{Float32,1}, Int64)' -g 2
#: run sm_90 llvm 'waits(CuDeviceVector{Float32,1}, Int64)'
#: not: alloca
#: check: phi i64

function tallies(a, x)
    s = CuStaticSharedArray(Int32, 64)
    t = threadIdx().x
    @inbounds s[t] = Int32(0)
    sync_threads()
    for k in t:64:length(x)
        CUDA.@atomic s[@inbounds x[k]] += Int32(1)
    end
    sync_threads()
    @inbounds a[t] = s[t]
    return
end
#: run spirv64 llvm 'tallies(CuDeviceVector{Int32,1}, CuDeviceVector{Int32,1})'
#: check: vec_type_hint

# What a failing item does is a loop.
stores_at(a, i) = (a[i] = 1f0; return)
#: run spirv64 llvm 'stores_at(CuDeviceVector{Float32,1}, Int64)'
#: check: _Z12get_work_dimv
#: run spirv64 llvm 'stores_at(CuDeviceVector{Float32,1}, Int64)' -g 0
#: check: _Z12get_work_dimv
#: run spirv64 obj 'stores_at(CuDeviceVector{Float32,1}, Int64)' -g 0
#: run spirv64 obj 'stores_at(CuDeviceVector{Float32,1}, Int64)' -g 2
#: run sm_90 llvm 'stores_at(CuDeviceVector{Float32,1}, Int64)'
#: not: get_work_dim
#: check: cmpxchg

# Mathematics is the driver's.
grows(out, x, y) = (unsafe_store!(out, exp(x) + log(y)); return)
#: run spirv64 asm 'grows(Ptr{Float32}, Float32, Float32)'
#: unordered: exp
#: unordered: log
#: check: OpFAdd
