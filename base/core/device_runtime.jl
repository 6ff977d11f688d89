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

@inline word(record, offset) = bitcast(Ptr{Int64}, record + offset)

# Level 0: that an item failed, and where.
@noinline function signal_exception(site::UInt32)
    record = kiln_kernel_state()
    record === Ptr{UInt8}(0) && return nothing
    claim(record, site)
    return nothing
end

# From level 1 on: also who. What the site keeps goes to the address that is returned, if it is not null: others failed
# before.
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

@inline claim(record, site) =
    atomic_pointerreplace(bitcast(Ptr{UInt32}, record), 0x00000000, site, :monotonic, :monotonic).success

# Reports (what kernels print): records of a site's number, their length and the values that the site keeps, one after
# the other in the room that follows the launch record. What finds no room is counted and lost.
const ROOM = 512
const USED = 520
const LOST = 528
const FIRST = 576
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

end
