# What device code has for itself on every device: static assertions and memory of an item.
import Base.Device: alloca, @static_assert

#: upstream: test/native.jl "static assertions"
function proven(out)
    @static_assert sizeof(Int32) == 4 "an Int32 has four bytes"
    unsafe_store!(out, 1)
    return
end
#: run sm_90 llvm 'proven(Ptr{Int64})'
#: not: static_assertion
#: check: store i64 1
#: run sm_90 llvm 'proven(Ptr{Int64})' -O 0
#: not: static_assertion
#: check: store i64 1
#: run gfx90a llvm 'proven(Ptr{Int64})'
#: not: static_assertion
#: check: store i64 1

# What is false is said with its message and place, and all of a kernel's at once.
function refuted_twice(out, n)
    @static_assert sizeof(Int32) == 8 "an Int32 has eight bytes"
    @static_assert n isa Float32 "the count is a float"
    unsafe_store!(out, 1)
    return
end
#: fails sm_90 llvm 'refuted_twice(Ptr{Int64}, Int64)'
#: check: error[static-assertion]: static assertion failed: an Int32 has eight bytes
#: check: utilities.jl:22
#: check: static_assert sizeof(Int32) == 8
#: check: error[static-assertion]: static assertion failed: the count is a float
#: check: utilities.jl:23
#: fails gfx90a llvm 'refuted_twice(Ptr{Int64}, Int64)'
#: check: static assertion failed: an Int32 has eight bytes
#: check: static assertion failed: the count is a float
#: fails spirv64 llvm 'refuted_twice(Ptr{Int64}, Int64)'
#: check: static assertion failed: an Int32 has eight bytes
#: check: static assertion failed: the count is a float

# What LLVM's passes prove is proven, and without them it is not.
function needs_passes(out, x::UInt32)
    if x < 10
        @static_assert x < 20 "what is less than ten is less than twenty"
        unsafe_store!(out, x)
    end
    return
end
#: run sm_90 llvm 'needs_passes(Ptr{UInt32}, UInt32)'
#: not: static_assertion
#: check: store i32
#: fails sm_90 llvm 'needs_passes(Ptr{UInt32}, UInt32)' -O 0
#: check: static assertion failed: what is less than ten is less than twenty

# A place that is not reached asserts nothing, also without optimization.
function exempt(out, x::T) where {T}
    if T === Float32
        @static_assert false "this is never reached"
    end
    unsafe_store!(out, 2)
    return
end
#: run sm_90 llvm 'exempt(Ptr{Int64}, Int64)' -O 0
#: not: static_assertion
#: check: store i64 2
#: fails sm_90 llvm 'exempt(Ptr{Int64}, Float32)' -O 0
#: check: static assertion failed: this is never reached

# In a function of its own, and in one that was inlined.
@noinline function depends(out, n)
    @static_assert n > 0 "the count is positive"
    unsafe_store!(out, n)
    return
end
function calls(out, n)
    depends(out, n)
    @static_assert n != 7 "the count is not seven"
    return
end
#: fails sm_90 llvm 'calls(Ptr{Int64}, Int64)'
#: check: static assertion failed: the count is not seven
#: check: static assertion failed: the count is positive

#: upstream: test/native.jl "stack allocation intrinsic" (MISSION R7)
function slots(out, i, x)
    block = Base.Device.device_array(Int32, Val(5), bitcast_of(alloca(Int32, Val(8), Val(5))), (8,))
    @inbounds block[i] = x
    @inbounds unsafe_store!(out, block[9 - i])
    return
end
@inline bitcast_of(p::Core.LLVMPtr{T}) where {T} = Base.Device.as_ptr(p)
#: run sm_90 llvm 'slots(Ptr{Int32}, Int64, Int32)' -O 0
#: check: alloca [32 x i8], align 4
#: run gfx90a llvm 'slots(Ptr{Int32}, Int64, Int32)' -O 0
#: check: alloca [32 x i8], align 4, addrspace(5)

function passes_through(out, x)
    p = bitcast_of(alloca(Int32, Val(1)))
    unsafe_store!(p, x)
    unsafe_store!(out, unsafe_load(p))
    return
end
#: run sm_90 llvm 'passes_through(Ptr{Int32}, Int32)'
#: not: alloca
#: check: store i32
#: run gfx90a asm 'passes_through(Ptr{Int32}, Int32)'
#: check: .private_segment_fixed_size: 0

empty_block(out) = (unsafe_store!(out, UInt(bitcast_of(alloca(Int32, Val(0))))); return)
#: run sm_90 llvm 'empty_block(Ptr{UInt64})'
#: not: alloca
#: check: store i64 0

of_references(out) = (unsafe_store!(out, UInt(bitcast_of(alloca(Any, Val(1))))); return)
#: fails sm_90 llvm 'of_references(Ptr{UInt64})'
#: check: static assertion failed: memory of an item is for plain bits only
fewer_than_none(out) = (unsafe_store!(out, UInt(bitcast_of(alloca(Int32, Val(-1))))); return)
#: fails sm_90 llvm 'fewer_than_none(Ptr{UInt64})'
#: check: static assertion failed: memory of an item has a constant number of elements, 0 or more
