# Streams and events. On the processor a launch is over when it returns; on other devices it goes to the current stream, and
# is waited for on demand. An event waits for what was put in its stream before it: it is the time after that.

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

# Streams by their numbers for launches: the three that are always there are one.
stream_number(s::CuStream) = s.id <= 2 ? 0 : Int(s.id)

# The stream of this program's thread, and another for the time of a call.
const CURRENT_STREAM = Ref(DEFAULT_STREAM)
stream() = CURRENT_STREAM[]
stream!(s::CuStream) = (CURRENT_STREAM[] = s; Core.Host.kernel_stream(:use, stream_number(s), 0); s)
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
    # Its number; 0 if it has not been recorded.
    number::Int
end
const EVENT_DEFAULT = 0x00000000
const EVENT_BLOCKING_SYNC = 0x00000001
const EVENT_DISABLE_TIMING = 0x00000002
CuEvent(flags::UInt32 = EVENT_DEFAULT) = CuEvent(0)
function record(e::CuEvent, s::CuStream = stream())
    e.number = Core.Host.kernel_stream(:record, stream_number(s), e.number)
    return nothing
end
function elapsed(start::CuEvent, stop::CuEvent)
    (start.number == 0 || stop.number == 0) && throw(ArgumentError("an event that has not been recorded has no time"))
    before, after = Core.Host.kernel_stream(:time, start.number, 0), Core.Host.kernel_stream(:time, stop.number, 0)
    return Float32((after - before) / 1.0e6) / 1000
end
unsafe_destroy!(::CuEvent) = nothing

# What was put in a stream before an event has happened when that is recorded.
isdone(s::CuStream) = Core.Host.kernel_stream(:query, stream_number(s), 0) == 1
isdone(::CuEvent) = true
query(x::Union{CuStream,CuEvent}) = isdone(x)
wait(::CuEvent, ::CuStream = stream()) = nothing
synchronize(s::CuStream = stream(); kwargs...) = (Core.Host.kernel_stream(:synchronize, stream_number(s), 0); nothing)
synchronize(e::CuEvent; kwargs...) = (e.number == 0 || Core.Host.kernel_stream(:wait, e.number, 0); nothing)
synchronize(::Any; kwargs...) = Device.synchronize()
device_synchronize() = Device.synchronize()

# Seconds between events before and after.
macro elapsed(ex...)
    Base.@keep_expansions
    return quote
        local start, stop = CuEvent(), CuEvent()
        record(start)
        $(esc(ex[end]))
        record(stop)
        synchronize(stop)
        elapsed(start, stop)
    end
end
