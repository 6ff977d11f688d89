# Streams and events. A launch is over when it returns, so what is put in streams happens in the order in which the program
# puts it there, and an event is the time at which it is recorded.

const STREAM_DEFAULT = 0x00000000
const STREAM_NON_BLOCKING = 0x00000001

mutable struct CuStream
    id::UInt64
    priority::Int
    valid::Bool
end
const STREAM_COUNT = Ref(UInt64(2))
const DEFAULT_STREAM = CuStream(0, 0, true)
const LEGACY_STREAM = CuStream(1, 0, true)
const PER_THREAD_STREAM = CuStream(2, 0, true)
function CuStream(; flags = STREAM_DEFAULT, priority::Union{Nothing,Integer} = nothing)
    priority === nothing || priority in priority_range() || throw(ArgumentError("Priority is out of range"))
    STREAM_COUNT[] += 1
    return CuStream(STREAM_COUNT[], priority === nothing ? 0 : Int(priority), true)
end
default_stream() = DEFAULT_STREAM
legacy_stream() = LEGACY_STREAM
per_thread_stream() = PER_THREAD_STREAM
priority_range() = 0:-1:0
priority(s::CuStream) = s.priority
unique_id(s::CuStream) = s.id
isvalid(s::CuStream) = s.valid
unsafe_destroy!(s::CuStream) = (s.valid = false; nothing)
Base.show(io::IO, s::CuStream) = print(io, "CuStream(", s.id, ")")

# The stream of this program's thread, and another for the time of a call.
const CURRENT_STREAM = Ref(DEFAULT_STREAM)
stream() = CURRENT_STREAM[]
stream!(s::CuStream) = (CURRENT_STREAM[] = s; s)
function stream!(f, s::CuStream)
    before = stream()
    stream!(s)
    try
        return f()
    finally
        stream!(before)
    end
end

mutable struct CuEvent
    # In nanoseconds; 0 if it has not been recorded.
    time::UInt64
end
const EVENT_DEFAULT = 0x00000000
const EVENT_BLOCKING_SYNC = 0x00000001
const EVENT_DISABLE_TIMING = 0x00000002
CuEvent(flags::UInt32 = EVENT_DEFAULT) = CuEvent(UInt64(0))
function record(e::CuEvent, s::CuStream = stream())
    Device.synchronize()
    e.time = time_ns()
    return nothing
end
function elapsed(start::CuEvent, stop::CuEvent)
    (start.time == 0 || stop.time == 0) && throw(ArgumentError("an event that has not been recorded has no time"))
    return Float32((stop.time % Int64 - start.time % Int64) / 1.0e6) / 1000
end
unsafe_destroy!(::CuEvent) = nothing

# All that was put in a stream has happened.
isdone(::Union{CuStream,CuEvent}) = true
query(x::Union{CuStream,CuEvent}) = isdone(x)
wait(::CuEvent, ::CuStream = stream()) = nothing
synchronize(args...; kwargs...) = Device.synchronize()
device_synchronize() = Device.synchronize()

# Seconds between events before and after.
macro elapsed(ex...)
    return quote
        local start, stop = CuEvent(), CuEvent()
        record(start)
        $(esc(ex[end]))
        record(stop)
        synchronize(stop)
        elapsed(start, stop)
    end
end
