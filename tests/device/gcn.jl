# AMD GPUs. What GPUCompiler's test/gcn.jl asks of its GCN back end, asked of ours.

#: upstream: test/gcn.jl "kernel calling convention"
returns_one() = 1
nothing_to_do() = return
#: run gfx900 llvm 'returns_one()' --function
#: not: amdgpu_kernel
#: check: ret i64 1
#: run gfx900 llvm 'nothing_to_do()'
#: check: amdgpu_kernel void @_Z13nothing_to_do(

#: upstream: test/gcn.jl "bounds errors"
out_of_bounds() = (Base.throw_boundserror(1, 2); return)
#: run gfx900 llvm 'out_of_bounds()'
#: not: throw_boundserror
#: check: cmpxchg

#: upstream: test/gcn.jl "kernarg address space for byref parameters"
#: upstream: test/gcn.jl "byref attribute preserved on kernarg parameters"
#: upstream: test/gcn.jl "mixed byref and scalar kernel parameters"
struct Pair64
    x::Float64
    y::Float64
end
sums(s, out) = (unsafe_store!(out, s.x + s.y); return)
mixes(a, s, out) = (unsafe_store!(out, a + s.x + s.y); return)
#: run gfx900 llvm 'sums(Pair64, Ptr{Float64})'
#: check: amdgpu_kernel void @_Z4sums6Pair64P7Float64(ptr addrspace(4)
#: sameln: byref
#: run gfx900 llvm 'mixes(Float64, Pair64, Ptr{Float64})'
#: check: amdgpu_kernel void
#: sameln: double
#: sameln: ptr addrspace(4)
#: sameln: byref
#: sameln: ptr

#: upstream: test/gcn.jl "AMDGPU.jl#846"
first_of(t) = t[1]
#: run gfx900 typed 'first_of(Tuple{Tuple{Val{4}},Tuple{Float32}})' --always-inline
#: check: Tuple{Val{4}}

#: upstream: test/gcn.jl "s_load for kernarg struct access"
#: run gfx900 asm 'sums(Pair64, Ptr{Float64})'
#: not: flat_load
#: check: s_load_dwordx4

#: upstream: test/gcn.jl "no scratch spills for small struct kernarg"
#: run gfx900 asm 'sums(Pair64, Ptr{Float64})'
#: check: .private_segment_fixed_size: 0

#: upstream: test/gcn.jl "kernel functions"
@noinline helper(out, i) = (unsafe_store!(out, i); return)
entry(out, i) = (helper(out, i); return)
#: run gfx900 asm 'entry(Ptr{Int64}, Int64)'
#: check: .symbol:
#: sameln: _Z5entryP5Int64S_.kd
#: not: .symbol:

#: upstream: test/gcn.jl "indirect sysimg function use"
function divides(out)
    wid, lane = fldmod1(unsafe_load(out), Int32(32))
    unsafe_store!(out, wid)
    return
end
#: run gfx900 asm 'divides(Ptr{Int32})'
#: not: throw
#: check: s_endpgm

#: upstream: test/gcn.jl "LLVM intrinsics"
truncates(x, out) = (unsafe_store!(out, unsafe_trunc(Int, x)); return)
#: run gfx900 asm 'truncates(Float64, Ptr{Int64})'
#: check: v_cvt_i32_f64$()

#: upstream: test/gcn.jl "exception arguments", which is disabled there: the back end crashes
converts(a) = (unsafe_store!(a, trunc(Int, unsafe_load(a))); return)
#: run gfx900 asm 'converts(Ptr{Float64})'
#: check: $()cmpswap
#: run gfx1100 asm 'converts(Ptr{Float64})'
#: check: $()cmpswap_b32

#: upstream: test/gcn.jl "GC and TLS lowering", which is disabled there: an invalid addrspacecast
function keeps_in_registers(ptr, i)
    data = Ref{Int64}()
    data[] = 0
    if i > 1
        data[] = 1
    else
        data[] = 2
    end
    unsafe_store!(ptr, data[], i)
    return nothing
end
#: run gfx900 asm 'keeps_in_registers(Ptr{Int64}, Int64)'
#: not: alloc
#: check: s_endpgm

#: upstream: test/gcn.jl "float boxes"
checks(a, b) = (unsafe_store!(b, Int32(a)); return)
#: run gfx900 asm 'checks(Float32, Ptr{Float32})'
#: check: s_endpgm

# Code objects by version.
#: run gfx90a asm 'nothing_to_do()' --code-object 5
#: check: amdhsa_code_object_version 5
#: run gfx90a asm 'nothing_to_do()' --code-object 6
#: check: amdhsa_code_object_version 6

# What the launcher says of the launch does not change: it is read once, whatever the kernel writes in between.
function reads_sizes(out)
    unsafe_store!(out, Base.Device.local_size(1), 1)
    unsafe_store!(out, Base.Device.local_size(1), 2)
    return
end
#: run gfx1100 llvm 'reads_sizes(Ptr{Int64})'
#: check: load i16
#: sameln: !invariant.load
#: not: load i16

# Lanes of a whole wavefront, as AMDGPU.jl's kernels have them.
using AMDGPU
function sums(a)
    i = workitemIdx().x
    a[i] = AMDGPU.Device.wfred(+, a[i])
    return
end
votes(out) = (out[1] = AMDGPU.Device.ballot(out[1] > 3); return)
zeroed(a) = (t = @ROCStaticLocalArray(Float32, 64); a[workitemIdx().x] = t[65 - workitemIdx().x]; return)
#: run gfx1100 asm 'sums(ROCDeviceVector{Float32,1})'
#: check: ds_bpermute_b32
#: run gfx90a asm 'sums(ROCDeviceVector{Float32,1})'
#: check: ds_bpermute_b32
#: run gfx90a llvm 'votes(ROCDeviceVector{UInt64,1})'
#: check: llvm.amdgcn.ballot.i64
#: run gfx1100 asm 'zeroed(ROCDeviceVector{Float32,1})'
#: check: ds_store_b32
#: check: s_barrier
#: check: .group_segment_fixed_size: 256

# Fences of the scope that their name says.
using CUDA
fences(a) = (threadfence(); threadfence_block(); threadfence_system(); a[1] = 1; return)
#: run gfx1100 llvm 'fences(CuDeviceVector{Int32,1})'
#: check: fence syncscope("agent") seq_cst
#: check: fence syncscope("workgroup") seq_cst
#: check: fence seq_cst
