# Objects that a kernel makes, what a failing item says of itself, and the functions of the runtime that do both.
using CUDA

#: upstream: test/ptx.jl "GC and TLS lowering"
#: upstream: test/gcn.jl "GC and TLS lowering"
#: upstream: test/native.jl "GC and TLS lowering"
mutable struct PleaseAllocate
    y::Csize_t
end
@noinline inner(x) = (unsafe_store!(reinterpret(Ptr{Csize_t}, 8 * x.y), x.y); nothing)
escapes(y) = (inner(PleaseAllocate(y)); return)
#: run sm_70 llvm 'escapes(UInt64)'
#: not: gcframe
#: check: tail call ptr
#: sameln: i64 16
#: check: icmp eq ptr
#: check: store i64
#: check: atomicrmw add
#: run gfx906 llvm 'escapes(UInt64)'
#: check: tail call ptr
#: check: atomicrmw add
#: run gfx906 asm 'escapes(UInt64)'
#: check: global_atomic_add_x2
#: run spirv64 asm 'escapes(UInt64)'
#: check: OpAtomicIAdd
#: run x86-64-v3 llvm 'escapes(UInt64)'
#: check: atomicrmw add
#: fails bpf asm 'escapes(UInt64)'
#: check: target-limit
#: check: a `PleaseAllocate`, that others may see: bpf has no memory for any

# An object that does not escape is its fields.
elided(out, y) = (r = Ref(y); r[] += 1; unsafe_store!(out, r[]); return)
#: run sm_70 llvm 'elided(Ptr{Int64}, Int64)'
#: not: atomicrmw
#: check: add i64
#: run gfx906 llvm 'elided(Ptr{Int64}, Int64)'
#: not: atomicrmw
#: check: add i64

# Arrays are no objects that a kernel can make.
arrays(out, y) = (a = [y, 2y]; unsafe_store!(out, a[1]); return)
#: fails sm_70 llvm 'arrays(Ptr{Int64}, Int64)'
#: check: error[allocation]: a kernel cannot allocate an array of `Int64`
#: check: a kernel makes no arrays

# At each level: who tells whom, before the item returns. Reports stay in front of what ends the item, optimized or not.
@noinline checked(x) = x > 0 ? x : throw(DomainError(x, "not positive"))
fails(out, x) = (unsafe_store!(out, checked(x)); return)
#: run sm_70 llvm 'fails(Ptr{Int64}, Int64)' -g 0
#: check: cmpxchg
#: not: nvvm.read.ptx.sreg
#: run sm_70 llvm 'fails(Ptr{Int64}, Int64)' -g 1
#: check: cmpxchg
#: check: nvvm.read.ptx.sreg.ctaid.x
#: check: nvvm.read.ptx.sreg.tid.z
#: not: i64 512
#: run sm_70 llvm 'fails(Ptr{Int64}, Int64)' -g 2
#: check: i64 512
#: run sm_70 llvm 'fails(Ptr{Int64}, Int64)' -g 2 -O 0
#: check: i64 512
#: run gfx1100 llvm 'fails(Ptr{Int64}, Int64)' -g 2
#: check: i64 512
#: run spirv64 asm 'fails(Ptr{Int64}, Int64)' -g 2
#: check: OpAtomicCompareExchange
