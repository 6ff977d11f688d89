# Streams of files. One buffer holds bytes that were read ahead, or, while the stream is `dirty`, bytes that wait to be written; the
# place of the system's descriptor is behind the bytes that were read, and before those that wait.
"""
    IOStream

The type of streams of files.
"""
mutable struct IOStream <: IO
    path::String
    # The number of the system's stream; -1 where the whole content is in the buffer.
    stream::Int
    readable::Bool
    writable::Bool
    append::Bool
    buffer::IOBuffer
    dirty::Bool
    open::Bool
    mark::Int
    # What is written goes to the system at once, and there are no places: an end of a pipe.
    at_once::Bool
    IOStream(path, stream, readable, writable, append, buffer, dirty, open, mark) =
        new(path, stream, readable, writable, append, buffer, dirty, open, mark, false)
end
"""
    SystemError(text, errno)

The exception for a call of the operating system that failed.
"""
struct SystemError <: Exception
    prefix::AbstractString
    errnum::Int32
    extrainfo::Any
    SystemError(prefix::AbstractString, errnum::Integer = 0, extrainfo = nothing) = new(prefix, Int32(errnum), extrainfo)
end
# The system gives no reason for a file that could not be read or written as a whole: its status tells.
@noinline function throw_unopened(path)
    facts = Host.file_status(path, true)
    number = facts isa Int ? facts : facts[3] & 0xf000 == 0x4000 ? 21 : 13
    throw(SystemError(string("opening file ", repr(path)), number))
end
const STREAM_BLOCK = 65536
const OPEN_MODES = Dict("r" => (true, false, false, false, false), "r+" => (true, true, false, false, false),
    "w" => (false, true, true, true, false), "w+" => (true, true, true, true, false),
    "a" => (false, true, true, false, true), "a+" => (true, true, true, false, true))
function open(path::AbstractString, mode::AbstractString; lock = true)
    haskey(OPEN_MODES, mode) || throw(ArgumentError("invalid open mode: $mode"))
    r, w, c, t, a = OPEN_MODES[mode]
    open_file(String(path), r, w, c, t, a)
end
function open(path::AbstractString; lock = true, read = nothing, write = nothing, create = nothing, truncate = nothing, append = nothing)
    flags = open_flags(; read, write, create, truncate, append)
    open_file(String(path), flags.read, flags.write, flags.create, flags.truncate, flags.append)
end
function open_file(path, r, w, c, t, a)
    checked_name(path)
    r || w || throw(SystemError(string("opening file ", repr(path)), 22))
    isdir(path) && throw(SystemError(string("opening file ", repr(path)), 21))
    stream = Host.file_stream(:open, path, 1r | 2w | 4c | 8t | 16a)
    if stream < 0
        # Files of the library are no files of the system.
        text = w ? nothing : Host.read_file(path)
        text === nothing && throw(SystemError(string("opening file ", repr(path)), -stream))
        return IOStream(path, -1, true, false, false, stream_buffer(text), false, true, -1)
    end
    a && Host.file_stream(:seek, stream, 0, 2)
    io = IOStream(path, stream, r, w, a, stream_buffer(""), false, true, -1)
    # What waits at the end of the program is written then.
    w ? finalizer(close, io) : io
end
function open(f::Function, args...; kws...)
    io = open(args...; kws...)
    try
        f(io)
    finally
        close(io)
    end
end
stream_buffer(text) = (b = IOBuffer(text); b.writable = true; b)
show(io::IO, s::IOStream) = print(io, "IOStream(<file ", s.path, ">)")

# A number of the system's, or its error.
@noinline throw_failed(what, number) = throw(SystemError(what, -number))
system_done(what, n::Int) = n < 0 ? throw_failed(what, n) : n
@noinline throw_closed_stream() = throw(IOError("stream is closed or unusable", 0))
check_open(io::IOStream) = io.open || throw_closed_stream()

# The buffer's two uses.
function empty_buffer!(b)
    b.ptr, b.size, b.offset, b.mark = 1, 0, 0, -1
    length(b.data) > 16 * STREAM_BLOCK && (b.data = new_memory(0))
    nothing
end
function begin_reading!(io::IOStream)
    check_open(io)
    io.readable || throw(ArgumentError("read failed, IOStream is not readable"))
    io.dirty && write_waiting!(io)
    nothing
end
function begin_writing!(io::IOStream)
    io.open && io.writable || throw(ArgumentError("write failed, IOStream is not writeable"))
    unread = bytesavailable(io.buffer)
    unread > 0 && system_done("seek", Host.file_stream(:seek, io.stream, -unread, 1))
    empty_buffer!(io.buffer)
    io.dirty = true
    nothing
end
# The end of a pipe does not wait: other tasks run until it takes bytes, or has some.
const WOULD_WAIT = -11
function write_all(io, bytes, at, n)
    done, pause = 0, 0.0001
    while done < n
        k = Host.file_stream(:write, io.stream, bytes, at + done, n - done)
        if k == WOULD_WAIT
            sleep(pause)
            pause = min(2pause, 0.01)
        elseif k < 0
            return k
        else
            done += k
        end
    end
    done
end
function read_block(io, data, n)
    pause = 0.0001
    while true
        k = Host.file_stream(:read, io.stream, data, 0, n)
        k == WOULD_WAIT || return k
        sleep(pause)
        pause = min(2pause, 0.01)
    end
end
function write_waiting!(io::IOStream)
    b = io.buffer
    data, size = b.data, b.size
    # Another task may write while this one waits.
    io.at_once && (b.data = new_memory(0))
    empty_buffer!(b)
    io.dirty = false
    n = write_all(io, data, 0, size)
    system_done("write", n)
    nothing
end
# Reads the next block once all has been taken. Whether there was one.
function read_ahead!(io::IOStream)
    begin_reading!(io)
    b = io.buffer
    b.ptr <= b.size && return true
    io.stream < 0 && return false
    empty_buffer!(b)
    length(b.data) < STREAM_BLOCK && (b.data = new_memory(STREAM_BLOCK))
    b.size = system_done("read", read_block(io, b.data, STREAM_BLOCK))
    b.size > 0
end
at_end(io::IOStream) = !read_ahead!(io)

# Writing.
function write_block(io::IOStream, bytes, at, n)
    io.dirty && write_waiting!(io)
    begin_writing!(io)
    io.dirty = false
    system_done("write", write_all(io, bytes, at, n))
end
keeps_waiting(io::IOStream) = io.buffer.size < STREAM_BLOCK && !io.at_once
function write_buffered(io::IOStream, x)
    io.dirty || begin_writing!(io)
    n = write(io.buffer, x)
    keeps_waiting(io) || write_waiting!(io)
    n
end
write(io::IOStream, s::String) = ncodeunits(s) < STREAM_BLOCK ? write_buffered(io, s) : write_block(io, s, 0, ncodeunits(s))
write(io::IOStream, s::SubString{String}) = ncodeunits(s) < STREAM_BLOCK ? write_buffered(io, s) : write_block(io, s, 0, ncodeunits(s))
write(io::IOStream, c::Char) = write_buffered(io, c)
write(io::IOStream, b::UInt8) = write_buffered(io, b)
function unsafe_write(io::IOStream, p::Ptr{UInt8}, n::UInt)
    n < STREAM_BLOCK || return write_block(io, p, 0, Int(n))
    io.dirty || begin_writing!(io)
    unsafe_write(io.buffer, p, n)
    keeps_waiting(io) || write_waiting!(io)
    Int(n)
end
function print_known(io::IOStream, xs...)
    io.dirty || begin_writing!(io)
    n = Host.put_text(io.buffer, xs...)
    keeps_waiting(io) || write_waiting!(io)
    n
end
flush(io::IOStream) = (io.open && io.dirty && write_waiting!(io); nothing)
function close(io::IOStream)
    io.open || return nothing
    try
        flush(io)
    finally
        io.open = false
        io.stream < 0 || Host.file_stream(:close, io.stream)
        io.writable && finalize(io)
    end
    nothing
end

# Reading.
eof(io::IOStream) = io.open ? at_end(io) : throw_closed_stream()
bytesavailable(io::IOStream) = io.dirty ? 0 : bytesavailable(io.buffer)
read(io::IOStream, T::Type{UInt8}) = (at_end(io); read(io.buffer, T))
peek(io::IOStream, T::Type{UInt8}) = (at_end(io); peek(io.buffer, T))
readavailable(io::IOStream) = at_end(io) ? UInt8[] : read(io.buffer)
function unsafe_read(io::IOStream, p::Ptr{UInt8}, n::UInt)
    done = 0
    while done < n
        at_end(io) && throw_eof()
        k = min(Int(n) - done, bytesavailable(io.buffer))
        unsafe_read(io.buffer, p + done, UInt(k))
        done += k
    end
    nothing
end
# At most `n` bytes. The size of the file says how much memory they take.
function read_at_most(io::IOStream, n::Int)
    at_end(io) && return UInt8[]
    here = bytesavailable(io.buffer)
    rest = io.stream < 0 || io.at_once ? here : max(filesize(io) - position(io), here)
    out = Vector{UInt8}(undef, min(n, rest + 1))
    resize!(out, read_into!(io, out, n))
end
# Reads on until there are `n` bytes or the stream ends; the vector grows.
function read_into!(io, out::Vector{UInt8}, n::Int)
    done = 0
    while done < n && !at_end(io)
        k = min(n - done, bytesavailable(io.buffer))
        done + k > length(out) && resize!(out, min(n, max(done + k, 2 * length(out))))
        unsafe_read(io.buffer, pointer(out, done + 1), UInt(k))
        done += k
    end
    done
end
read(io::IOStream) = read_at_most(io, typemax(Int))
read(io::IOStream, n::Integer; all::Bool = true) =
    all ? read_at_most(io, Int(clamp(n, 0, typemax(Int)))) : n <= 0 || at_end(io) ? UInt8[] : read(io.buffer, n)
function readbytes!(io::IOStream, v::Vector{UInt8}, count = length(v); all::Bool = true)
    n = Int(clamp(count, 0, typemax(Int)))
    all || (n = at_end(io) ? 0 : min(n, bytesavailable(io.buffer)))
    before = length(v)
    done = read_into!(io, v, n)
    length(v) > max(done, before) && resize!(v, max(done, before))
    done
end
readbytes!(io::IOStream, v::AbstractVector{UInt8}, count = length(v); all::Bool = true) =
    invoke(readbytes!, Tuple{IO, AbstractVector{UInt8}, Any}, io, v, all ? count : min(count, at_end(io) ? 0 : bytesavailable(io)))
# A line that ends within the buffer is taken at once.
function next_line(io::IOStream, keep)
    line = io.dirty ? nothing : Host.take_line(io.buffer, keep, true)
    line === nothing ? String(line_bytes(io, keep)) : line
end
readline(io::IOStream; keep::Bool = false) = next_line(io, keep)
function line_bytes(io::IOStream, keep)
    out = IOBuffer()
    found = copy_until!(out, io, 0x0a, keep)
    v = take!(out)
    found && !keep && !isempty(v) && v[end] == 0x0d && pop!(v)
    v
end
# Whether the delimiter was there.
function copy_until!(out, io::IOStream, delim::UInt8, keep)
    while !at_end(io)
        b = io.buffer
        from, stop, found = take_until!(b, delim, keep)
        stop >= from && unsafe_write(out, pointer(b.data, from), UInt(stop - from + 1))
        found && return true
    end
    false
end
copyuntil(out::IO, io::IOStream, delim::UInt8; keep::Bool = false) = (copy_until!(out, io, delim, keep); out)
function iterate(e::EachLine{IOStream}, s = nothing)
    io = e.io
    line = io.dirty ? nothing : Host.take_line(io.buffer, e.keep, true)
    line === nothing || return (line, nothing)
    eof(io) && (e.ondone(); return nothing)
    (String(line_bytes(io, e.keep)), nothing)
end
function countlines(io::IOStream; eol::AbstractChar = '\n')
    isascii(eol) || throw(ArgumentError("only ASCII line terminators are supported"))
    n, started = 0, false
    while !at_end(io)
        block = read(io.buffer)
        n += Host.count_text(block, UInt8(eol))
        started = block[end] != UInt8(eol)
    end
    n + started
end

# Places.
function position(io::IOStream)
    check_open(io)
    io.stream < 0 && return position(io.buffer)
    # Bytes that wait to be appended have no place yet.
    io.dirty && io.append && write_waiting!(io)
    at = system_done("position", Host.file_stream(:seek, io.stream, 0, 1))
    io.dirty ? at + io.buffer.size : at - bytesavailable(io.buffer)
end
function seek(io::IOStream, n::Integer)
    n < 0 && throw(SystemError("seek", 22))
    check_open(io)
    io.stream < 0 && return (seek(io.buffer, n); io)
    seek_stream!(io, Int(n), 0, "seek")
end
function seek_stream!(io, n, from, what)
    io.dirty && write_waiting!(io)
    empty_buffer!(io.buffer)
    system_done(what, Host.file_stream(:seek, io.stream, n, from))
    io
end
seekstart(io::IOStream) = seek(io, 0)
seekend(io::IOStream) = (check_open(io); io.stream < 0 ? seekend(io.buffer) : seek_stream!(io, 0, 2, "seekend"); io)
function skip(io::IOStream, n::Integer)
    check_open(io)
    if !io.dirty && -(io.buffer.ptr - 1) <= n <= bytesavailable(io.buffer)
        io.buffer.ptr += Int(n)
        return io
    end
    at = position(io) + Int(n)
    at < 0 && throw(SystemError("skip", 22))
    seek(io, at)
end
function truncate(io::IOStream, n::Integer)
    check_open(io)
    io.writable || throw(SystemError("truncate", 22))
    at = position(io)
    io.dirty ? write_waiting!(io) : seek_stream!(io, at, 0, "truncate")
    system_done("truncate", Host.file_stream(:resize, io.stream, Int(n)))
    io
end
function filesize(io::IOStream)
    check_open(io)
    io.stream < 0 && return filesize(io.buffer)
    io.dirty && write_waiting!(io)
    here = system_done("filesize", Host.file_stream(:seek, io.stream, 0, 1))
    n = system_done("filesize", Host.file_stream(:seek, io.stream, 0, 2))
    system_done("filesize", Host.file_stream(:seek, io.stream, here, 0))
    n
end
isopen(io::IOStream) = io.open
isreadable(io::IOStream) = io.open && io.readable
iswritable(io::IOStream) = io.open && io.writable

# Whole files.
function read(path::AbstractString, ::Type{String})
    text = Host.read_file(String(path))
    text === nothing ? throw_unopened(path) : text
end
read(path::AbstractString) = Vector{UInt8}(read(path, String))
read(path::AbstractString, args...) = open(io -> read(io, args...), path)
read!(path::AbstractString, a) = open(io -> read!(io, a), path)
function write(path::AbstractString, x, xs...)
    s = written(x, xs...)
    Host.write_file(String(path), s) || throw_unopened(path)
    sizeof(s)
end
written(s::String) = s
written(v::Vector{UInt8}) = String(copy(v))
function written(xs...)
    io = IOBuffer()
    for x in xs
        write(io, x)
    end
    takestring!(io)
end
export IOStream, readchomp, readbytes!, read!, unsafe_read, unsafe_write, copyuntil, copyline, readeach, countlines, skipchars, PipeBuffer, printstyled
