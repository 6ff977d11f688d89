# Warps in kernels compiled for PTX: lanes exchange values by instructions, not through memory.

Base.Experimental.@MethodTable(ptx_method_table)

Base.Experimental.@overlay ptx_method_table @inline lane_index() =
    Int(ccall("llvm.nvvm.read.ptx.sreg.laneid", llvmcall, UInt32, ()))

# A value of any plain bits, word by word. The words of a value that is in registers stay there.
Base.Experimental.@overlay ptx_method_table @inline function exchange(mask::UInt32, value::T, source::Int) where {T}
    Device.@static_assert isbitstype(T) "lanes exchange plain bits only"
    count = cld(sizeof(T), 4)
    count == 0 && return value
    words = Device.as_ptr(Device.alloca(UInt32, Val(count)))
    slot = reinterpret(Ptr{T}, words)
    unsafe_store!(slot, value)
    for k in 1:count
        word = unsafe_load(words, k)
        given = ccall("llvm.nvvm.shfl.sync.idx.i32", llvmcall, UInt32, (UInt32, UInt32, UInt32, UInt32),
            mask, word, source % UInt32, 0x0000001f)
        unsafe_store!(words, given, k)
    end
    # Nobody defines what a lane gives that is not among those who meet.
    present = (mask >> source) & 0x00000001 != 0x00000000
    return present ? unsafe_load(slot) : value
end

Base.Experimental.@overlay ptx_method_table @inline function ballot(mask::UInt32, predicate::Bool)
    return (vote(mask, predicate), vote(mask, true))
end
@inline vote(mask::UInt32, predicate::Bool) = Base.llvmcall(("""
    declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
    define i32 @vote(i32 %mask, i8 %predicate) {
        %holds = trunc i8 %predicate to i1
        %yes = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %holds)
        ret i32 %yes
    }""", "vote"), UInt32, Tuple{UInt32,Bool}, mask, predicate)
