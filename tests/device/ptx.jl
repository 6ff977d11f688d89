# PTX. What GPUCompiler's test/ptx.jl asks of its PTX back end, asked of ours.
using CUDA

#: upstream: test/ptx.jl "exceptions"
throws() = throw(DivideError())
#: run sm_70 llvm 'throws()'
#: not: jl_throw
#: check: cmpxchg

#: upstream: test/ptx.jl "global variable relocation"
which_name(name::Symbol, out) = (unsafe_store!(out, name === :var ? 1 : 2); return)
#: run sm_70 llvm 'which_name(Symbol, Ptr{Int64})'
#: check: icmp eq
#: check: select

#: upstream: test/ptx.jl "boxed Bool singleton relocation"
@noinline produce(cond::Bool, a::Int32) = cond ? a : true
function consume(cond::Bool, a::Int32)
    x = produce(cond, a)
    x isa Bool && x && return Int32(1)
    return Int32(0)
end
#: run sm_70 asm 'consume(Bool, Int32)' --function
#: not: jl_true
#: check: .func

#: upstream: test/ptx.jl "kernel argument attributes"
struct Aggregate
    x::Int
end
takes(x) = return
#: run sm_70 llvm 'takes(Aggregate)'
#: check: define ptx_kernel void @_Z5takes9Aggregate(

#: upstream: test/ptx.jl "calling convention"
returns_one() = 1
#: run sm_70 llvm 'returns_one()' --function
#: not: ptx_kernel
#: check: ret i64 1
nothing_to_do() = return
#: run sm_70 llvm 'nothing_to_do()'
#: check: ptx_kernel

#: upstream: test/ptx.jl "kernel state" (MISSION R4)
@noinline child1(ptr) = unsafe_load(ptr)
@noinline child2() = unsafe_load(reinterpret(Ptr{Int}, Core.Intrinsics.kiln_kernel_state()))
uses_state(ptr) = (unsafe_store!(ptr, child1(ptr) + child2()); return)
#: run sm_70 llvm 'nothing_to_do()'
#: check: @_Z13nothing_to_do()
#: run sm_70 llvm 'uses_state(Ptr{Int64})'
#: check: define ptx_kernel void @_Z10uses_stateP5Int64(ptr addrspace(1)
#: sameln: , ptr

#: upstream: test/ptx.jl "child functions"
#: upstream: test/ptx.jl "kernel functions"
@noinline child(out, i) = (unsafe_store!(out, i); return)
parent(out, i) = (child(out, i); return)
#: run sm_70 asm 'parent(Ptr{Int64}, Int64)'
#: check: .visible .entry _Z6parentP5Int64S_

#: upstream: test/ptx.jl "property_annotations"
#: run sm_70 asm 'parent(Ptr{Int64}, Int64)'
#: not: maxntid
#: check: .entry
#: run sm_70 asm 'parent(Ptr{Int64}, Int64)' --maxthreads 42
#: check: .maxntid 42, 1, 1
#: run sm_70 asm 'parent(Ptr{Int64}, Int64)' --minthreads 42
#: check: .reqntid 42, 1, 1
#: run sm_70 asm 'parent(Ptr{Int64}, Int64)' --blocks-per-sm 42
#: check: .minnctapersm 42
#: run sm_70 asm 'parent(Ptr{Int64}, Int64)' --maxregs 42
#: check: .maxnreg 42

#: upstream: test/ptx.jl "indirect sysimg function use"
function divides(out)
    wid, lane = fldmod1(unsafe_load(out), Int32(32))
    unsafe_store!(out, wid)
    return
end
#: run sm_70 asm 'divides(Ptr{Int32})'
#: not: throw
#: check: .entry _Z7dividesP5Int32

#: upstream: test/ptx.jl "LLVM intrinsics"
truncates(x, out) = (unsafe_store!(out, unsafe_trunc(Int, x)); return)
#: run sm_70 asm 'truncates(Float64, Ptr{Int64})'
#: check: cvt.rzi.s64.f64

#: upstream: test/ptx.jl "exception arguments"
converts(a) = (unsafe_store!(a, trunc(Int, unsafe_load(a))); return)
#: run sm_70 asm 'converts(Ptr{Float64})'
#: check: cvt.rzi.s64.f64
#: check: atom

#: upstream: test/ptx.jl "GC and TLS lowering"
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
#: run sm_70 asm 'keeps_in_registers(Ptr{Int64}, Int64)'
#: not: alloc
#: check: selp

#: upstream: test/ptx.jl "float boxes"
checks(a, b) = (unsafe_store!(b, Int32(a)); return)
#: run sm_70 asm 'checks(Float32, Ptr{Float32})'
#: check: .entry

#: upstream: test/ptx.jl "FMA contraction"
function contracts(x, out)
    for _ in 1:8
        x = 2.001f0 * x - x
    end
    unsafe_store!(out, x)
    return
end
#: run sm_70 asm 'contracts(Float32, Ptr{Float32})'
#: not: mul.rn.f32
#: not: sub.rn.f32
#: check: .f32

#: upstream: test/ptx.jl "fastmath"
root(x, out) = (unsafe_store!(out, sqrt(unsafe_load(x))); return)
#: run sm_70 llvm 'root(Ptr{Float32}, Ptr{Float32})'
#: not: unsafe-fp-math
#: check: llvm.sqrt.f32
#: run sm_70 llvm 'root(Ptr{Float32}, Ptr{Float32})' --fastmath
#: check: fast float @llvm.sqrt.f32
#: check: preserve-sign
#: run sm_70 asm 'root(Ptr{Float32}, Ptr{Float32})'
#: not: sqrt.approx
#: check: sqrt.rn.f32
#: run sm_70 asm 'root(Ptr{Float32}, Ptr{Float32})' --fastmath
#: check: sqrt.approx.ftz.f32

#: upstream: test/ptx.jl "fastmath fdiv/fsqrt"
quick_ratio(x, y) = @fastmath x / y
ratio(x, y) = x / y
quick_root(x) = @fastmath sqrt(x)
plain_root(x) = sqrt(x)
#: run sm_70 asm 'quick_ratio(Float32, Float32)' --function
#: check: div.approx.f32
#: run sm_70 asm 'ratio(Float32, Float32)' --function
#: not: div.approx
#: check: div.rn.f32
#: run sm_70 asm 'quick_ratio(Float64, Float64)' --function
#: check: rcp.approx.ftz.f64
#: run sm_70 asm 'ratio(Float64, Float64)' --function
#: not: rcp.approx
#: check: div.rn.f64
#: run sm_70 asm 'quick_root(Float32)' --function
#: check: sqrt.approx.f32
#: run sm_70 asm 'quick_root(Float64)' --function
#: check: rsqrt.approx.f64
#: check: rcp.approx.ftz.f64

#: upstream: test/ptx.jl "fastmath rsqrt"
quick_rsqrt(x::T) where {T} = @fastmath one(T) / sqrt(x)
#: run sm_70 asm 'quick_rsqrt(Float32)' --function
#: not: div.approx
#: check: rsqrt.approx.f32
#: run sm_70 asm 'quick_rsqrt(Float64)' --function
#: check: rsqrt.approx.f64

#: upstream: test/ptx.jl "feature_set"
#: run sm_90a asm 'nothing_to_do()'
#: check: .target sm_90a
#: run sm_100f asm 'nothing_to_do()'
#: check: .target sm_100f
#: run sm_100a asm 'nothing_to_do()'
#: check: .target sm_100a

# Lanes exchange values and vote by instructions, whatever the type; no shared memory is used.
exchanges(x, out) = (unsafe_store!(out, shfl_down_sync(FULL_MASK, x, 1)); return)
#: run sm_70 asm 'exchanges(Float32, Ptr{Float32})'
#: not: .shared
#: check: shfl.sync.down.b32
#: run sm_70 asm 'exchanges(ComplexF64, Ptr{ComplexF64})'
#: not: .shared
#: not: .local
#: check: shfl.sync.down.b32
#: check: shfl.sync.down.b32
#: check: shfl.sync.down.b32
#: check: shfl.sync.down.b32
votes(x, out) = (unsafe_store!(out, vote_ballot_sync(FULL_MASK, x > 0)); return)
#: run sm_70 asm 'votes(Int32, Ptr{UInt32})'
#: not: .shared
#: check: vote.sync.ballot.b32
lane(out) = (unsafe_store!(out, laneid()); return)
#: run sm_70 asm 'lane(Ptr{Int32})'
#: not: ntid
#: check: %laneid

# Lines of the source are directives: GPUCompiler leaves them out of PTX unless a target asks, as CUDA.jl does.
@noinline squared(x) = x * x
function has_lines(out, x)
    unsafe_store!(out, squared(x))
    return
end
#: run sm_90 asm 'has_lines(Ptr{Int64}, Int64)'
#: check: .target sm_90
#: not: debug
#: check: .loc
#: check: call.uni
#: check: .file
#: sameln: ptx.jl
#: run sm_90 asm 'has_lines(Ptr{Int64}, Int64)' -g0
#: not: .loc
#: check: call.uni
#: run sm_90 llvm 'has_lines(Ptr{Int64}, Int64)'
#: check: distinct !DISubprogram(name: "has_lines"
#: run sm_90 llvm 'has_lines(Ptr{Int64}, Int64)' --strip
#: not: !DI
#: check: call

# Orders of atomic operations: of loads and stores since sm_70, and before by fences.
handed_over(a) = (Base.Device.atomic_store!(pointer(a), Int32(1), :release); a[2] = Base.Device.atomic_load(pointer(a), :acquire); return)
#: run sm_70 asm 'handed_over(Base.Device.DeviceVector{Int32,1})'
#: check: st.release
#: check: ld.acquire
#: run sm_60 asm 'handed_over(Base.Device.DeviceVector{Int32,1})'
#: check: membar
#: check: st.volatile
#: check: ld.volatile
#: check: membar
least(a, x) = (Base.Device.atomic_modify!(pointer(a), min, x); return)
#: run sm_70 asm 'least(Base.Device.DeviceVector{Int32,1}, Int32)'
#: check: min.s32

# Fences of the scope that their name says.
fences(a) = (threadfence(); threadfence_block(); threadfence_system(); a[1] = 1; return)
#: run sm_70 asm 'fences(CuDeviceVector{Int32,1})'
#: check: fence.sc.gpu
#: check: fence.sc.cta
#: check: fence.sc.sys
#: run sm_60 asm 'fences(CuDeviceVector{Int32,1})'
#: check: membar.gl
#: check: membar.cta
#: check: membar.sys

# Roundings that are said.
rounded(a) = (a[1] = CUDA.fma_rz(a[1], a[2], a[3]); a[2] = CUDA.mul_rp(a[1], a[2]); return)
#: run sm_70 asm 'rounded(CuDeviceVector{Float32,1})'
#: check: fma.rz.f32
#: check: mul.rp.f32
#: fails spirv64 llvm 'rounded(CuDeviceVector{Float32,1})'
#: check: not to the nearest

# Loop hints. Twenty square roots, however dear the body is; three in an iteration where the number is not known.
using KernelAbstractions.Extras: @unroll
function unrolled!(y)
    s = 0.0f0
    @unroll for j in 1:20
        s = s * y[1] + sqrt(Float32(j) * y[2])
    end
    y[1] = s
    return
end
function unrolled_by_three!(y, n)
    s = 0.0f0
    @unroll 3 for j in 1:n
        s = s * y[1] + sqrt(Float32(j) * y[2])
    end
    y[1] = s
    return
end
#: run sm_70 asm 'unrolled!(CuDeviceVector{Float32,1})'
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: run sm_70 asm 'unrolled_by_three!(CuDeviceVector{Float32,1}, Int64)'
#: check: sqrt
#: check: sqrt
#: check: sqrt
#: not: sqrt

# A pause is an instruction.
pauses() = (nanosleep(UInt32(100)); return)
#: run sm_70 asm 'pauses()'
#: check: nanosleep.u32

# MISSION G: arrays that a kernel promises not to write are read past the coherent cache, also in vectors.
function reads_constant(out, x)
    i = threadIdx().x
    @inbounds out[i] = CUDA.Const(x)[i]
    return
end
#: run sm_70 asm 'reads_constant(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1})'
#: check: ld.global.nc.b32
#: run sm_70 asm 'reads_constant(CuDeviceVector{NTuple{4,VecElement{Float32}},1}, CuDeviceVector{NTuple{4,VecElement{Float32}},1})'
#: check: ld.global.nc.v4.b32
#: check: st.global.v4.b32

# Accesses have the alignment that the program promises.
copies_aligned(out, x) = (unsafe_store!(out, unsafe_load(x, 1, Val(16)), 1, Val(16)); return)
#: run sm_70 asm 'copies_aligned(Core.LLVMPtr{NTuple{4,Float32},1}, Core.LLVMPtr{NTuple{4,Float32},1})'
#: check: ld.global.v4.b32
#: check: st.global.v4.b32

# Conversions between floats and integers of 128 bits call no function.
function converts_wide(a, b, x, y)
    unsafe_store!(a, unsafe_trunc(Int128, x))
    unsafe_store!(b, Float64(y))
    return
end
#: run sm_70 asm 'converts_wide(Ptr{Int128}, Ptr{Float64}, Float64, Int128)'
#: not: call
#: check: cvt.rzi.u64.f64
#: check: clz.b64

# Read-modify-write operations keep their order: LLVM's back end emits them relaxed.
relaxed(p) = (Base.Device.atomic_modify!(p, +, Int32(1)); return)
#: run sm_80 asm 'relaxed(Ptr{Int32})'
#: not: fence
#: check: atom.
in_order(p) = (Base.Device.atomic_modify!(p, max, Int32(1), :acquire_release); return)
#: run sm_80 asm 'in_order(Ptr{Int32})'
#: check: fence.acq_rel.gpu
#: check: atom.
#: sameln: max.s32
#: check: fence.acq_rel.gpu
#: run sm_60 asm 'in_order(Ptr{Int32})'
#: check: membar.gl
#: check: atom.
#: check: membar.gl
released(p) = (Base.Device.atomic_exchange!(p, Int32(1), :release); return)
#: run sm_80 asm 'released(Ptr{Int32})'
#: check: fence.acq_rel.gpu
#: check: atom.
#: sameln: exch
#: not: fence
sequential(p) = (Base.Device.atomic_modify!(p, +, 1f0, :sequentially_consistent); return)
#: run sm_80 asm 'sequential(Ptr{Float32})'
#: check: fence.sc.gpu
#: check: atom.
#: sameln: add.f32
#: check: fence.acq_rel.gpu
