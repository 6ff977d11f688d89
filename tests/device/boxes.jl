# Values of which a kernel knows less than their type: an address behind whose tag the type is. What makes and reads boxes of
# plain numbers are functions of the runtime.
using CUDA

@noinline maybe(x) = Base.compilerbarrier(:type, x)
mutable struct Slot
    x
end
@noinline slot(x, flag) = flag ? Slot(x) : Slot(nothing)

# A number, an object of another type, and a comparison of tags. What is boxed is 16 bytes, as is the slot.
function asks(out, n, flag)
    s = slot(n, flag)
    x = s.x
    unsafe_store!(out, x isa Float32 ? x : -1.0f0)
    return
end
#: run sm_70 llvm 'asks(Ptr{Float32}, Float32, Bool)'
#: check: load i64
#: check: icmp eq i64
#: check: store i64
#: check: store float
#: check: atomicrmw add
#: run sm_70 asm 'asks(Ptr{Float32}, Float32, Bool)'
#: check: atom
#: run gfx906 asm 'asks(Ptr{Float32}, Float32, Bool)'
#: check: global_atomic_add_x2
#: run spirv64 asm 'asks(Ptr{Float32}, Float32, Bool)'
#: check: OpAtomicIAdd
#: run x86-64-v3 llvm 'asks(Ptr{Float32}, Float32, Bool)'
#: check: atomicrmw add
#: fails bpf asm 'asks(Ptr{Float32}, Float32, Bool)'
#: check: target-limit

# What is not needed is not boxed: inference sees through objects that do not escape.
elided(out, n) = (s = Slot(n); x = s.x; unsafe_store!(out, x isa Float32 ? x : 0.0f0); return)
#: run sm_70 llvm 'elided(Ptr{Float32}, Float32)'
#: not: atomicrmw
#: check: store float

# Questions that tags do not answer, and calls whose method nothing says.
counts(out, n, flag) = (unsafe_store!(out, slot(n, flag).x isa Integer); return)
#: fails sm_70 llvm 'counts(Ptr{Bool}, Int64, Bool)'
#: check: error[boxed-value]: a kernel cannot tell whether a value of which only `Any` is known is a `Integer`
#: check: ask for the types there are, one by one
alike(out, n, flag) = (unsafe_store!(out, slot(n, flag).x === slot(n, true).x); return)
#: fails sm_70 llvm 'alike(Ptr{Bool}, Int64, Bool)'
#: check: error[boxed-value]: a kernel cannot tell whether two values of which only `Any` is known are identical
adds(out, n, flag) = (unsafe_store!(out, slot(n, flag).x + 1); return)
#: fails sm_70 llvm 'adds(Ptr{Int64}, Int64, Bool)'
#: check: error[dynamic-call]

# An item that finds no room for a box fails, as one that finds none for an object.
#: run sm_70 llvm 'asks(Ptr{Float32}, Float32, Bool)' -g 1
#: check: cmpxchg
