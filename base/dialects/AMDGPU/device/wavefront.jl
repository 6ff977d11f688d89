# Wavefronts: items that run in step. On an AMD GPU they are its own, of 32 or 64; elsewhere items of a group in linear
# order, as `Base.DeviceLanes` has them. An operation is one of the lanes that come to it together.

@only_in_kernels @inline wavefrontsize() = DeviceLanes.wave_size() % UInt32
@only_in_kernels @inline activelane() = DeviceLanes.wave_lane()
@only_in_kernels @inline ballot(predicate::Bool) = DeviceLanes.wave_ballot(predicate)
@inline activemask() = ballot(true)
# What lane `source` gives, from 0: any plain bits, or one's own if the lane is not here.
@inline from_lane(value, source::UInt32) = DeviceLanes.wave_exchange(value, source)

Experimental.@overlay gcn_method_table @inline wavefrontsize() = ccall("llvm.amdgcn.wavefrontsize", llvmcall, UInt32, ())

# Lanes are four bytes apart, and counted round.
@inline bpermute(address::Int32, value::Int32) = from_lane(value, ((address % UInt32) >> 2) & (wavefrontsize() - 0x00000001))
# The other way round: a value goes to a lane. Of several that go to one the last has it; who gets none, gets 0.
@inline function permute(address::Integer, value::Int32)
    target, result = ((address % UInt32) >> 2) & (wavefrontsize() - 0x00000001), Int32(0)
    for lane in 0x00000000:wavefrontsize()-0x00000001
        there = from_lane(target, lane) == activelane()
        given = from_lane(value, lane)
        there & ((activemask() >> lane) & 0x0000000000000001 != 0x0000000000000000) && (result = given)
    end
    return result
end
record(:gcn, "ds_permute_b32", "`AMDGPU.Device.permute`", "permute(address::Integer, value::Int32)")
Experimental.@overlay gcn_method_table @inline permute(address::Integer, value::Int32) =
    ccall("llvm.amdgcn.ds.permute", llvmcall, Int32, (Int32, Int32), address % Int32, value)
@inline readfirstlane(value) = from_lane(value, trailing_zeros(activemask()) % UInt32)

# Shuffles within segments of `width` lanes. A source outside of one's segment gives one's own value, except that `shfl` counts
# round and `shfl_xor` may read from a segment before.
@inline segment(width) = activelane() & ~(width % UInt32 - 0x00000001)
@inline shfl(value, lane, width = wavefrontsize()) = from_lane(value, segment(width) + (lane % UInt32 & (width % UInt32 - 0x00000001)))
@inline function shfl_up(value, delta, width = wavefrontsize())
    source = activelane() % Int32 - delta % Int32
    return from_lane(value, source < segment(width) % Int32 ? activelane() : source % UInt32)
end
@inline function shfl_down(value, delta, width = wavefrontsize())
    source = activelane() + delta % UInt32
    return from_lane(value, source >= segment(width) + width % UInt32 ? activelane() : source)
end
@inline function shfl_xor(value, bits, width = wavefrontsize())
    source = activelane() ⊻ (bits % UInt32)
    return from_lane(value, source >= segment(width) + width % UInt32 ? activelane() : source)
end

# Masks say who comes: those who do are here already.
@inline ballot_sync(mask::UInt64, predicate::Bool) = ballot(predicate) & mask
@inline any_sync(mask::UInt64, predicate::Bool) = ballot_sync(mask, predicate) != 0x0000000000000000
@inline all_sync(mask::UInt64, predicate::Bool) = ballot_sync(mask, predicate) == mask
for f in (:shfl, :shfl_up, :shfl_down, :shfl_xor)
    @eval @inline $(Symbol(f, :_sync))(mask::UInt64, value, lane, width = wavefrontsize()) = $f(value, lane, width)
end

@inline wfany(predicate::Int32) = ballot(predicate != Int32(0)) != 0x0000000000000000
@inline wfall(predicate::Int32) = ballot(predicate != Int32(0)) == activemask()
@inline wfsame(predicate::Int32) = (yes = ballot(predicate != Int32(0)); (yes == 0x0000000000000000) | (yes == activemask()))
@inline wfbcast(value, lane::Integer) = from_lane(value, lane % UInt32)

@inline lane_is_in(mask::UInt64, lane::UInt32) =
    (lane < wavefrontsize()) & ((mask >> lane) & 0x0000000000000001 != 0x0000000000000000)
# Of all lanes that are here, in the order of a tree: step by step each takes in what is as many lanes after it as it has.
@inline function wfred(op::F, value::T) where {F,T}
    mask, lane, step, result = activemask(), activelane(), 0x00000001, value
    while step < wavefrontsize()
        source = lane + step
        other = from_lane(result, source & (wavefrontsize() - 0x00000001))
        lane_is_in(mask, source) && (result = op(result, other)::T)
        step <<= 1
    end
    return readfirstlane(result)
end
for (op, T, kind) in ((:+, :Int32, "add"), (:+, :UInt32, "add"), (:min, :Int32, "min"), (:min, :UInt32, "umin"), (:max, :Int32, "max"),
    (:max, :UInt32, "umax"), (:&, :Int32, "and"), (:&, :UInt32, "and"), (:|, :Int32, "or"), (:|, :UInt32, "or"),
    (:xor, :Int32, "xor"), (:xor, :UInt32, "xor"))

    record(:gcn, "a reduction of a wave: $kind", "`AMDGPU.Device.wfred`", "wfred(::typeof($op), x::$T)")
    @eval Experimental.@overlay gcn_method_table @inline wfred(::typeof($op), x::$T) =
        ccall($("llvm.amdgcn.wave.reduce.$kind.i32"), llvmcall, $T, ($T, Int32), x, Int32(0))
end
# Of this lane and all before it, or only of those before it; the first has nothing before it and gets zero, or what is neutral.
@inline function wfscan(op::F, value::T, inclusive::Bool) where {F,T}
    mask, lane, step, result = activemask(), activelane(), 0x00000001, value
    while step < wavefrontsize()
        other = from_lane(result, (lane - step) & (wavefrontsize() - 0x00000001))
        (step <= lane) && lane_is_in(mask, lane - step) && (result = op(other, result)::T)
        step <<= 1
    end
    inclusive && return result
    before = from_lane(result, (lane - 0x00000001) & (wavefrontsize() - 0x00000001))
    return lane == 0x00000000 ? neutral(op, T) : before
end
@inline neutral(::Union{typeof(+),typeof(|),typeof(xor)}, ::Type{T}) where {T} = zero(T)
@inline neutral(::typeof(&), ::Type{T}) where {T} = ~zero(T)
@inline neutral(::typeof(max), ::Type{T}) where {T} = typemin(T)
@inline neutral(::typeof(min), ::Type{T}) where {T} = typemax(T)
for (name, op) in ((:add, :+), (:max, :max), (:min, :min), (:and, :&), (:or, :|), (:xor, :xor))
    @eval @inline $(Symbol(:wfred_, name))(x) = wfred($op, x)
    @eval @inline $(Symbol(:wfscan_, name))(x, inclusive::Bool) = wfscan($op, x, inclusive)
end
