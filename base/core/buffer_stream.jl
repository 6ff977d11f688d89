# Streams between tasks: who reads waits until another task has written enough, or has closed the stream.

"""
    Base.BufferStream()

A stream in memory that one task writes and another reads. A reader waits for bytes that are not there yet; `close` and
`closewrite` end that.
"""
mutable struct BufferStream <: IO
    buffer::IOBuffer
    cond::GenericCondition{ReentrantLock}
    # Readers are told of bytes by `flush` only.
    buffer_writes::Bool
    isopen::Bool
    BufferStream() = new(PipeBuffer(), GenericCondition(ReentrantLock()), false, true)
end
show(io::IO, s::BufferStream) = print(io, "BufferStream(bytes waiting=", bytesavailable(s), ", isopen=", isopen(s), ")")
isopen(s::BufferStream) = s.isopen
isreadable(s::BufferStream) = isopen(s) || bytesavailable(s) > 0
iswritable(s::BufferStream) = isopen(s)
bytesavailable(s::BufferStream) = bytesavailable(s.buffer)
function close(s::BufferStream)
    lock(s.cond) do
        s.isopen = false
        notify(s.cond)
    end
    nothing
end
closewrite(s::BufferStream) = close(s)
reseteof(s::BufferStream) = (s.isopen = true; nothing)
buffer_writes(io::IO, n = 0) = io
buffer_writes(s::BufferStream, n = 0) = (s.buffer_writes = true; s)
check_open(s::BufferStream) = isopen(s) || throw_closed_stream()
function flush(s::BufferStream)
    lock(s.cond) do
        check_open(s)
        notify(s.cond)
    end
    nothing
end
function unsafe_write(s::BufferStream, p::Ptr{UInt8}, n::UInt)
    lock(s.cond) do
        check_open(s)
        written = unsafe_write(s.buffer, p, n)
        s.buffer_writes || notify(s.cond)
        written
    end
end
write(s::BufferStream, b::UInt8) = write(s, [b])

# What `take` takes of the bytes when there is enough, or when no more will come.
function when_ready(take, s::BufferStream, enough)
    lock(s.cond) do
        while isopen(s) && !enough(s.buffer)
            wait(s.cond)
        end
        take(s.buffer)
    end
end
has_bytes(n) = buffer -> bytesavailable(buffer) >= n
wait_readnb(s::BufferStream, n::Integer) = when_ready(buffer -> nothing, s, has_bytes(n))
wait_close(s::BufferStream) = when_ready(buffer -> nothing, s, Returns(false))
eof(s::BufferStream) = when_ready(eof, s, has_bytes(1))
read(s::BufferStream, ::Type{UInt8}) = when_ready(buffer -> read(buffer, UInt8), s, has_bytes(1))
peek(s::BufferStream, ::Type{UInt8}) = when_ready(buffer -> peek(buffer, UInt8), s, has_bytes(1))
unsafe_read(s::BufferStream, p::Ptr{UInt8}, n::UInt) = when_ready(buffer -> unsafe_read(buffer, p, n), s, has_bytes(n))
read(s::BufferStream, n::Integer) = when_ready(buffer -> read(buffer, n), s, has_bytes(n))
read(s::BufferStream) = when_ready(take!, s, Returns(false))
readavailable(s::BufferStream) = when_ready(take!, s, has_bytes(1))
readbytes!(s::BufferStream, v::Vector{UInt8}, n = length(v)) = when_ready(buffer -> readbytes!(buffer, v, n), s, has_bytes(n))
readuntil(s::BufferStream, b::UInt8; keep::Bool = false) =
    when_ready(buffer -> readuntil(buffer, b; keep), s, buffer -> occursin(b, buffer))
skip(s::BufferStream, n) = when_ready(buffer -> skip(buffer, n), s, has_bytes(max(n, 0)))
