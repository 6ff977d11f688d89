# AIR for Apple GPUs. What GPUCompiler's test/metal.jl asks of its Metal back end, asked of ours.

#: upstream: test/metal.jl "byref aggregates"
first_of(x) = (x[1] > 1 && error(); return)
#: run metal llvm 'first_of(Tuple{Int64,Int64})'
#: check: define void @_Z8first_of$()
#: sameln: ptr addrspace(1)
#: sameln: dereferenceable(16)
#: not: byval
takes_pair(x) = x[1] + x[2]
#: run metal llvm 'takes_pair(Tuple{Int64,Int64})' --function
#: check: define
#: sameln: ([2 x i64] %0)

#: upstream: test/metal.jl "byref primitives"
stores(out, x) = (unsafe_store!(out, x); return)
#: run metal llvm 'stores(Ptr{Int64}, Int64)'
#: check: define void @_Z6stores$()
#: sameln: (ptr addrspace(1) %0, ptr addrspace(1) noalias readonly align 8 captures(none) dereferenceable(8) %1)
#: check: load i64, ptr addrspace(1) %1
#: check: store i64 %3, ptr addrspace(1) %0
twice(x) = 2x
#: run metal llvm 'twice(Int64)' --function
#: check: (i64 %0)
#: run metal llvm 'stores(Ptr{Bool}, Bool)'
#: check: dereferenceable(1)

#: upstream: test/metal.jl "versioned triple"
#: run metal asm 'stores(Ptr{Int64}, Int64)' --macos 14
#: check: target triple = "air64_v26-apple-macosx14.0.0"
#: run metal asm 'stores(Ptr{Int64}, Int64)'
#: check: target triple = "air64_v27-apple-macosx15.0.0"
#: run metal asm 'stores(Ptr{Int64}, Int64)' --macos 26
#: check: target triple = "air64_v28-apple-macosx26.0.0"
#: run metal asm 'stores(Ptr{Int64}, Int64)' --macos 26 --air 2.7 --metal 3.2
#: check: target triple = "air64_v27-apple-macosx26.0.0"
#: check: i32 2, i32 7, i32 0
#: check: !"Metal", i32 3, i32 2, i32 0

#: upstream: test/metal.jl "module metadata"
#: run metal asm 'stores(Ptr{Int64}, Int64)' --macos 26
#: check: !air.version = !
#: check: !air.language_version = !
#: check: !air.kernel = !
#: check: "air.max_device_buffers"
#: check: i32 2, i32 8, i32 0
#: check: !"Metal", i32 4, i32 0, i32 0

#: upstream: test/metal.jl "compile options"
#: run metal asm 'stores(Ptr{Int64}, Int64)'
#: check: !air.compile_options
#: check: air.compile.denorms_disable
#: check: air.compile.fast_math_disable
#: check: air.compile.framebuffer_fetch_enable
#: run metal asm 'stores(Ptr{Int64}, Int64)' --fastmath
#: check: air.compile.fast_math_enable

#: upstream: test/metal.jl "argument metadata"
#: run metal asm 'stores(Ptr{Int64}, Int64)'
#: check: i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1
#: check: i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 8, !"air.arg_type_align_size", i32 8

#: upstream: test/metal.jl "input arguments"
position() = ccall("extern julia.air.thread_position_in_threadgroup.i32", llvmcall, UInt32, ())
keeps_position(out) = (unsafe_store!(out, position()); return)
#: run metal asm 'keeps_position(Ptr{UInt32})'
#: check: define void @_Z14keeps_position$()
#: sameln: (ptr addrspace(1) %0, i32 %1)
#: not: julia.air
#: check: i32 1, !"air.thread_position_in_threadgroup", !"air.arg_type_name", !"uint"
@noinline callee_position(x) = position() + x
keeps_callees(out) = (unsafe_store!(out, callee_position(0x00000001)); return)
#: run metal asm 'keeps_callees(Ptr{UInt32})'
#: check: i32 1, !"air.thread_position_in_threadgroup"
# One question has one parameter, whatever the types in which it is asked.
keeps_both(out) = (unsafe_store!(out, position() + Base.Device.local_id(2) % UInt32); return)
#: run metal asm 'keeps_both(Ptr{UInt32})'
#: check: (ptr addrspace(1) %0, <3 x i32> %1)
unknown_position(out) = (unsafe_store!(out, ccall("extern julia.air.thread_color.i32", llvmcall, UInt32, ())); return)
#: fails metal obj 'unknown_position(Ptr{UInt32})'
#: check: AIR has no answer to `julia.air.thread_color.i32`
#: check: metal.jl:

#: upstream: test/metal.jl "byte GEP coalescing"
chained(p, a, b) = (unsafe_store!(p + a + b + 1, 0x01); return)
#: run metal llvm 'chained(Ptr{UInt8}, Int64, Int64)'
#: check: getelementptr
#: not: getelementptr
#: check: store i8 1

#: upstream: test/metal.jl "GC runtime input arguments"
mutable struct Box
    value::Int64
end
@noinline set!(b, v) = (b.value = v; b)
@noinline made(v) = set!(Box(0), v)
boxed(out) = (unsafe_store!(out, made(unsafe_load(out)).value); return)
#: run metal asm 'boxed(Ptr{Int64})'
#: check: air.threadgroup_position_in_grid
#: not: gc_pool_alloc
elided(out) = (b = Box(3); unsafe_store!(out, b.value); return)
#: run metal asm 'elided(Ptr{Int64})'
#: check: store i64 3
#: not: cmpxchg

#: upstream: test/metal.jl "vector intrinsics"
const V2 = NTuple{2,VecElement{Int64}}
largest(x, y) = ccall("llvm.smax.v2i64", llvmcall, V2, (V2, V2), x, y)
vectors(out, x, y) = (unsafe_store!(out, largest(x, y)); return)
#: run metal asm 'vectors(Ptr{NTuple{2,VecElement{Int64}}}, NTuple{2,VecElement{Int64}}, NTuple{2,VecElement{Int64}})'
#: check: air.max.s.v2i64
#: not: llvm.smax

#: upstream: test/metal.jl "sincos intrinsics"
function both!(out, x)
    cosine = Base.Device.as_ptr(Base.Device.alloca(Float32, Val(1)))
    sine = ccall("extern air.sincos.f32", llvmcall, Float32, (Float32, Ptr{Float32}), x, cosine)
    unsafe_store!(out, sine, 1)
    unsafe_store!(out, unsafe_load(cosine), 2)
    return
end
#: run metal asm 'both!(Ptr{Float32}, Float32)'
#: check: call float @air.sincos.f32(float

#: upstream: test/metal.jl "unsupported type detection"
doubles(out, x) = (unsafe_store!(out, x + x); return)
#: run metal obj 'doubles(Ptr{Float32}, Float32)'
#: run metal obj 'doubles(Ptr{Float16}, Float16)'
#: fails metal obj 'doubles(Ptr{Float64}, Float64)'
#: check: use of double value: metal does not compute with Float64
#: check: metal.jl:
#: fails metal obj 'doubles(Ptr{Int128}, Int128)'
#: check: metal does not compute with Int128
#: check: metal.jl:

#: upstream: test/metal.jl "constant globals"
const TABLE = (2, 7, 1, 8, 2, 8)
indexed(out, i) = (unsafe_store!(out, TABLE[i]); return)
#: run metal asm 'indexed(Ptr{Int64}, Int64)'
#: check: internal addrspace(2) constant [48 x i8]
#: check: load i64, ptr addrspace(2)

#: upstream: test/metal.jl "dynamic constant global access"
picked(out, i) = (unsafe_store!(out, @inbounds (1.5f0, 2.5f0, 3.5f0, 4.5f0)[i]); return)
#: run metal asm 'picked(Ptr{Float32}, Int64)'
#: check: addrspace(2) constant
#: not: addrspacecast
#: check: load float, ptr addrspace(2)

#: upstream: test/metal.jl "boxed Bool singleton relocation"
@noinline either(x) = x > 0 ? true : missing
is_true(out, x) = (y = either(x); unsafe_store!(out, y === true ? 0x01 : 0x00); return)
#: run metal obj 'is_true(Ptr{UInt8}, Int64)'

#: upstream: test/metal.jl "argument address-space narrowing"
struct Holder
    address::Ptr{Float32}
    count::Int64
end
held(h) = (unsafe_store!(h.address, 1.0f0, h.count); return)
#: run metal asm 'held(Holder)'
#: check: load ptr addrspace(1), ptr addrspace(1) %0
#: check: store float 1.000000e+00, ptr addrspace(1)
by_number(n) = (unsafe_store!(Ptr{Float32}(n), 1.0f0); return)
#: run metal asm 'by_number(UInt64)'
#: check: inttoptr i64
#: sameln: to ptr addrspace(1)
@noinline through(p, x) = unsafe_store!(p, x)
of_callee(p, x) = (through(p, x); through(p + 4, x); return)
#: run metal asm 'of_callee(Ptr{Float32}, Float32)'
#: not: addrspacecast
#: check: store float
#: check: store float
chain(p) = (unsafe_store!(unsafe_load(unsafe_load(p)), Int32(1)); return)
#: run metal asm 'chain(Ptr{Ptr{Ptr{Int32}}})'
#: check: store i32 1, ptr addrspace(1)
# What may point to memory of the item, or to that of the device, has no instruction.
function mixed(p, q, c)
    mine = Base.Device.as_ptr(Base.Device.alloca(Float32, Val(4)))
    for i in 1:4
        unsafe_store!(mine, unsafe_load(q, i), i)
    end
    at = c > 0 ? mine : p
    unsafe_store!(at, 1.0f0, c)
    unsafe_store!(q, unsafe_load(mine, c))
    return
end
#: fails metal obj 'mixed(Ptr{Float32}, Ptr{Float32}, Int64)'
#: check: it is not known whether it is the device's, the group's or the item's
#: check: metal.jl:

#: upstream: test/metal.jl "vector min/max scalarization"
const V4 = NTuple{4,VecElement{Float32}}
least(x, y) = ccall("llvm.minnum.v4f32", llvmcall, V4, (V4, V4), x, y)
leasts(out, x, y) = (unsafe_store!(out, least(x, y)); return)
#: run metal asm 'leasts(Ptr{NTuple{4,VecElement{Float32}}}, NTuple{4,VecElement{Float32}}, NTuple{4,VecElement{Float32}})'
#: check: call float @air.fmin.f32
#: check: call float @air.fmin.f32
#: check: call float @air.fmin.f32
#: check: call float @air.fmin.f32
#: not: llvm.minnum

#: upstream: test/metal.jl "math intrinsic lowering"
rounds(out, x) = (unsafe_store!(out, sqrt(abs(x)) + floor(x) + ceil(x) + trunc(x) + round(x) + fma(x, x, x)); return)
#: run metal asm 'rounds(Ptr{Float32}, Float32)'
#: unordered: air.sqrt.f32
#: unordered: air.floor.f32
#: unordered: air.ceil.f32
#: unordered: air.trunc.f32
#: unordered: air.rint.f32
#: unordered: air.fma.f32
#: not: @llvm.
#: run metal asm 'rounds(Ptr{Float32}, Float32)' --fastmath
#: unordered: air.fast_sqrt.f32
#: unordered: air.fast_floor.f32
#: unordered: air.fma.f32
# Base computes `Float16` by `Float32`.
#: run metal asm 'rounds(Ptr{Float16}, Float16)'
#: check: air.sqrt.f32
#: check: fptrunc float
curved(out, x) = (unsafe_store!(out, sin(x) + exp(x)); return)
#: run metal asm 'curved(Ptr{Float32}, Float32)'
#: check: air.sin.f32
#: check: air.exp.f32

#: upstream: test/metal.jl "integer intrinsic lowering"
counts(out, x) = (unsafe_store!(out, leading_zeros(x) + trailing_zeros(x) + count_ones(x) + bitreverse(x)); return)
#: run metal asm 'counts(Ptr{Int32}, Int32)'
#: unordered: air.clz.i32
#: unordered: air.ctz.i32
#: unordered: air.popcount.i32
#: unordered: air.reverse_bits.i32
#: not: @llvm.

#: upstream: test/metal.jl "bfloat intrinsic promotion"
using Core: BFloat16
magnitude(out, x) = (unsafe_store!(out, abs(x)); return)
#: run metal asm 'magnitude(Ptr{BFloat16}, BFloat16)'
#: not: llvm.fabs

#: upstream: test/metal.jl "aggregate load splitting"
pairs(out, p) = (x = unsafe_load(p); unsafe_store!(out, x[1] + x[2], 1); unsafe_store!(out, x[1] * x[2], 2); return)
#: run metal asm 'pairs(Ptr{Int64}, Ptr{Tuple{Int64,Int64}})'
#: not: load {
#: not: load [

# Atomic operations are on 32 bits, and relaxed; orders are fences, which macOS 14 does not have.
adds(a, x) = (Base.Device.atomic_modify!(pointer(a), +, x); return)
#: run metal asm 'adds(Base.Device.DeviceVector{Int32,1}, Int32)'
#: check: air.atomic.global.add.u.i32
#: sameln: i32 0, i32 2, i1 true
#: run metal asm 'adds(Base.Device.DeviceVector{Int32,3}, Int32)'
#: check: air.atomic.local.add.u.i32
#: sameln: i32 0, i32 1, i1 true
#: fails metal obj 'adds(Base.Device.DeviceVector{Int64,1}, Int64)'
#: check: an atomic operation on Int64: metal has them for 32 bits and fewer
#: check: metal.jl:
ordered(a) = (Base.Device.atomic_store!(pointer(a), Int32(1), :release); return)
#: run metal asm 'ordered(Base.Device.DeviceVector{Int32,1})'
#: check: air.atomic.fence(i32 3, i32 3, i32 2)
#: check: air.atomic.global.store.i32
#: fails metal obj 'ordered(Base.Device.DeviceVector{Int32,1})' --macos 14
#: check: AIR 2.6 orders no accesses, which macOS 15 does
#: check: metal.jl:

# Functions that Apple's compiler is not known to have are refused.
gamma(out, x) = (unsafe_store!(out, ccall("llvm.canonicalize.f32", llvmcall, Float32, (Float32,), x)); return)
#: fails metal obj 'gamma(Ptr{Float32}, Float32)'
#: check: AIR has no function `llvm.canonicalize.f32`
#: check: metal.jl:
external(out, x) = (unsafe_store!(out, ccall("extern lgammaf", llvmcall, Float32, (Float32,), x)); return)
#: fails metal obj 'external(Ptr{Float32}, Float32)'
#: check: lgammaf
#: check: metal.jl:
reads_clock(out) = (unsafe_store!(out, Core.Intrinsics.kiln_clock()); return)
#: fails metal obj 'reads_clock(Ptr{UInt64})'
#: check: clock
too_much(out) = (s = Base.Device.shared_array(Float32, Val((9000,))); s[1] = 1.0f0; unsafe_store!(out, s[1]); return)
#: fails metal obj 'too_much(Ptr{Float32})'
#: check: 36000 bytes of static shared memory, where a group has 32768

# Items that fail return; nothing traps.
fails_if(x) = (x && error(); return)
#: run metal asm 'fails_if(Bool)'
#: not: llvm.trap
#: not: unreachable
#: check: ret void

# Bounds of groups.
#: run metal asm 'fails_if(Bool)' --maxthreads 256
#: check: air.max_work_group_size", i32 256

# Kernels of KernelAbstractions, and limits of the entry.
using KernelAbstractions
@kernel function doubled!(out, @Const(a))
    i = @index(Global, Linear)
    @inbounds out[i] = 2 * a[i]
end
#: run metal asm 'doubled!(Base.Device.DeviceVector{Float32,1}, Base.Device.DeviceVector{Float32,1})'
#: check: !air.kernel
#: check: air.threadgroup_position_in_grid
#: run metal asm 'doubled!(Base.Device.DeviceVector{Float32,1}, Base.Device.DeviceVector{Float32,1})' --groupsize 64
#: check: !air.kernel
takes_many(out, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30) =
    (unsafe_store!(out, a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19 + a20 + a21 + a22 + a23 + a24 + a25 + a26 + a27 + a28 + a29 + a30); return)
#: fails metal obj 'takes_many(Ptr{Int64}, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64)'
#: check: more than 31 arguments
of_group(p, x) = (unsafe_store!(p, x); return)
#: run metal asm 'of_group(Core.LLVMPtr{Float32,3}, Float32)'
#: check: ptr addrspace(3) %0
#: check: !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 3
