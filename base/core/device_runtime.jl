# What compiled code of a device calls of its own: functions like any other, compiled when one is needed, and replaced by
# overlay tables. They fail for no reason: what would report it?
module DeviceRuntime

import Base.Device: local_id, group_id
import Core.Intrinsics: kiln_kernel_state, atomic_pointerreplace, atomic_pointermodify, bitcast, pointerref, pointerset

# The launch record, as the host made it: the number of the first site that failed, who failed there, and the values that
# the site keeps. Offsets in bytes.
const GROUP_ID = 8
const LOCAL_ID = 32
const OPERANDS = 56
const FRAME_COUNT = 512
const FRAMES = 15

@inline word(record, offset) = bitcast(Ptr{Int64}, record + offset)

# Level 0: that an item failed, and where.
@noinline function signal_exception(site::UInt32)
    record = kiln_kernel_state()
    record === Ptr{UInt8}(0) && return nothing
    claim(record, site)
    return nothing
end

# Level 1: also who. What the site keeps goes to the address that is returned, if it is not null: others failed before.
@noinline function report_exception(site::UInt32)
    record = kiln_kernel_state()
    record === Ptr{UInt8}(0) && return record
    claim(record, site) || return Ptr{UInt8}(0)
    pointerset(word(record, GROUP_ID), group_id(1), 1, 0)
    pointerset(word(record, GROUP_ID), group_id(2), 2, 0)
    pointerset(word(record, GROUP_ID), group_id(3), 3, 0)
    pointerset(word(record, LOCAL_ID), local_id(1), 1, 0)
    pointerset(word(record, LOCAL_ID), local_id(2), 2, 0)
    pointerset(word(record, LOCAL_ID), local_id(3), 3, 0)
    return record + OPERANDS
end

# Level 2: the same, and then a call of `report_exception_frame` for each call that the item was in, innermost first. A
# site's number says more than a name: what is thrown, where, and through which calls that were inlined.
@noinline report_exception_name(site::UInt32) = report_exception(site)

@noinline function report_exception_frame(site::UInt32)
    record = kiln_kernel_state()
    record === Ptr{UInt8}(0) && return nothing
    is_of_this_item(record) || return nothing
    count = bitcast(Ptr{UInt32}, record + FRAME_COUNT)
    used = pointerref(count, 1, 0)
    used < FRAMES || return nothing
    pointerset(count, used + 0x00000001, 1, 0)
    pointerset(count, site, Int(used) + 2, 0)
    return nothing
end

# Until an item has failed the record has numbers in it that no item has.
@inline function is_of_this_item(record)
    group, item = word(record, GROUP_ID), word(record, LOCAL_ID)
    return (pointerref(group, 1, 0) === group_id(1)) & (pointerref(group, 2, 0) === group_id(2)) &
           (pointerref(group, 3, 0) === group_id(3)) & (pointerref(item, 1, 0) === local_id(1)) &
           (pointerref(item, 2, 0) === local_id(2)) & (pointerref(item, 3, 0) === local_id(3))
end

@inline claim(record, site) =
    atomic_pointerreplace(bitcast(Ptr{UInt32}, record), 0x00000000, site, :monotonic, :monotonic).success

# Reports (what kernels print): records of a site's number, their length and the values that the site keeps, one after
# the other in the room that follows the launch record. What finds no room is counted and lost.
const ROOM = 576
const USED = 584
const LOST = 592
const FIRST = 640
const HEADER = 16

@noinline function reserve_report(site::UInt32, bytes::UInt32)
    state = kiln_kernel_state()
    state === Ptr{UInt8}(0) && return state
    size = HEADER + ((Int64(bytes) + 7) & -8)
    at = atomic_pointermodify(word(state, USED), +, size, :monotonic).first
    if at + size > pointerref(word(state, ROOM), 1, 0)
        atomic_pointermodify(word(state, LOST), +, 1, :monotonic)
        return Ptr{UInt8}(0)
    end
    record = state + (FIRST + at)
    pointerset(bitcast(Ptr{UInt32}, record), site, 1, 0)
    pointerset(bitcast(Ptr{UInt32}, record), bytes, 2, 0)
    return record + HEADER
end

# Objects that an item makes and that others may see. Each is a piece of the memory that the launch gave, taken from its start
# on; nothing is given back before the launch is over. A null pointer says that there is no room: then the item fails with an
# OutOfMemoryError, whose site says where, and the host says how much.
const HEAP = 600
const HEAP_BYTES = 608
const HEAP_USED = 616

@noinline function gc_pool_alloc(bytes::UInt64)
    object = malloc(bytes)
    object === Ptr{UInt8}(0) && report_oom(bytes)
    return object
end

# `bytes` is a multiple of 16, to which what is returned is aligned.
@noinline function malloc(bytes::UInt64)
    state = kiln_kernel_state()
    state === Ptr{UInt8}(0) && return state
    size = bitcast(Int64, bytes)
    at = atomic_pointermodify(word(state, HEAP_USED), +, size, :monotonic).first
    at + size <= pointerref(word(state, HEAP_BYTES), 1, 0) || return Ptr{UInt8}(0)
    return pointerref(bitcast(Ptr{Ptr{UInt8}}, state + HEAP), 1, 0) + at
end

# Values of which a program says less than their type: each in an object of its own, behind a word, the tag, that says what it
# is. These are of plain numbers; boxes of other values are made in place, of memory that `gc_pool_alloc` gives.
@inline function box(x, tag::UInt64)
    object = gc_pool_alloc(0x0000000000000010)
    object === Ptr{UInt8}(0) && return object
    pointerset(bitcast(Ptr{UInt64}, object), tag, 1, 0)
    pointerset(bitcast(Ptr{typeof(x)}, object + 8), x, 1, 0)
    return object + 8
end
@inline unbox(::Type{T}, object) where {T} = pointerref(bitcast(Ptr{T}, object), 1, 0)
for T in (:Int8, :Int16, :Int32, :Int64, :UInt8, :UInt16, :UInt32, :UInt64, :Bool, :Float32, :Float64)
    @eval $(Symbol(:box_, T))(x::$T, tag::UInt64) = box(x, tag)
    @eval $(Symbol(:unbox_, T))(object::Ptr{UInt8}) = unbox($T, object)
end

# For overlays: the failure that follows says it to the host.
@noinline report_oom(bytes::UInt64) = nothing

end
