# The overlays of kernels for Apple GPUs over methods of Base, of lanes and of the runtime: functions of AIR. Doubles and integers of 128 bits are not there, and atomic operations are on 32 bits.
module DeviceMetal

import Base: Experimental
import Base.Device
import Base.DeviceLanes
import Base.DeviceRuntime
import Base.DeviceTables: metal, define_math, define_narrow_atomics
import Core.Intrinsics: kiln_kernel_state, atomic_pointermodify, atomic_pointerref, atomic_pointerreplace, bitcast, pointerref,
    pointerset

# A function of AIR of floats, `air.sin.f32`.
air_call(f, args...) = :(ccall($(string("extern air.", f, ".f32")), llvmcall, Float32, $(Expr(:tuple, map(a -> :Float32, args)...)),
    $(args...)))

# Those that AIR lacks are of `DeviceMath`.
define_math(:metal, Float32) do f, args...
    f === :sincos && return :((sin(x), cos(x)))
    f in (:expm1, :log1p, :cbrt, :hypot) && return :($(GlobalRef(Base.DeviceMath, f))($(args...)))
    return air_call(f, args...)
end
define_narrow_atomics(:metal)

# Lanes are the items of a SIMD-group.
@inline simd_ballot(predicate::Bool) = ccall("extern air.simd_ballot.i64", llvmcall, UInt64, (Bool,), predicate) % UInt32
@inline simd_shuffle(word::UInt32, lane) =
    ccall("extern air.simd_shuffle.u.i32", llvmcall, UInt32, (UInt32, UInt16), word, lane % UInt16)

Experimental.@overlay metal @inline DeviceLanes.lane_index() =
    Int(ccall("extern julia.air.thread_index_in_simdgroup.i32", llvmcall, UInt32, ()))
Experimental.@overlay metal @inline function DeviceLanes.exchange(mask::UInt32, value::T, source::Int) where {T}
    met = simd_ballot(true) & mask
    given = DeviceLanes.by_words(word -> simd_shuffle(word, source), value)
    return DeviceLanes.has_lane(met, source) ? given : value
end
Experimental.@overlay metal @inline DeviceLanes.exchange_by(mask::UInt32, value, distance::Int, is_wanted::Bool) =
    DeviceLanes.exchange_from(mask, value, distance, is_wanted)
Experimental.@overlay metal @inline DeviceLanes.votes(mask::UInt32, predicate::Bool) = simd_ballot(predicate) & mask
Experimental.@overlay metal @inline DeviceLanes.ballot(mask::UInt32, predicate::Bool) =
    (simd_ballot(predicate) & mask, simd_ballot(true) & mask)
Experimental.@overlay metal @inline DeviceLanes.wave_size() = DeviceLanes.LANES
Experimental.@overlay metal @inline DeviceLanes.wave_lane() = DeviceLanes.lane_index() % UInt32
Experimental.@overlay metal @inline DeviceLanes.wave_ballot(predicate::Bool) = UInt64(simd_ballot(predicate))
Experimental.@overlay metal @inline DeviceLanes.wave_exchange(value, lane::UInt32) =
    DeviceLanes.exchange(DeviceLanes.active_lanes(), value, lane % Int)

# Room of a launch, which items take piece by piece: its counters have 64 bits, of which the lower half is enough. Where it is, or a
# negative number if there is no room.
@inline function take_room(state, counter::Int, capacity::Int64, size::Int64)
    used = bitcast(Ptr{UInt32}, state + counter)
    seen = atomic_pointerref(used, :monotonic)
    while Int64(seen) + size <= capacity
        both = atomic_pointerreplace(used, seen, seen + (size % UInt32), :monotonic, :monotonic)
        both.success && return Int64(seen)
        seen = both.old
    end
    return -1
end
Experimental.@overlay metal @noinline function DeviceRuntime.reserve_report(site::UInt32, bytes::UInt32)
    state = kiln_kernel_state()
    state === Ptr{UInt8}(0) && return state
    size = DeviceRuntime.HEADER + ((Int64(bytes) + 7) & -8)
    at = take_room(state, DeviceRuntime.USED, pointerref(DeviceRuntime.word(state, DeviceRuntime.ROOM), 1, 0), size)
    if at < 0
        atomic_pointermodify(bitcast(Ptr{UInt32}, state + DeviceRuntime.LOST), +, 0x00000001, :monotonic)
        return Ptr{UInt8}(0)
    end
    record = state + (DeviceRuntime.FIRST + at)
    pointerset(bitcast(Ptr{UInt32}, record), site, 1, 0)
    pointerset(bitcast(Ptr{UInt32}, record), bytes, 2, 0)
    return record + DeviceRuntime.HEADER
end
Experimental.@overlay metal @noinline function DeviceRuntime.malloc(bytes::UInt64)
    state = kiln_kernel_state()
    state === Ptr{UInt8}(0) && return state
    capacity = pointerref(DeviceRuntime.word(state, DeviceRuntime.HEAP_BYTES), 1, 0)
    at = take_room(state, DeviceRuntime.HEAP_USED, capacity, bitcast(Int64, bytes))
    at < 0 && return Ptr{UInt8}(0)
    return pointerref(bitcast(Ptr{Ptr{UInt8}}, state + DeviceRuntime.HEAP), 1, 0) + at
end

end
