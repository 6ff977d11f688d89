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
    # A stream of the system's with this number is closed at the latest when nothing reaches the object.
    function IOStream(path, stream; readable = false, writable = false, append = false, at_once = false, content = "")
        io = new(path, stream, readable, writable, append, stream_buffer(content), false, true, -1, at_once)
        stream < 0 || finalizer(close, io)
        io
    end
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
    number = facts isa Int ? facts : isdir(path) ? -UV_EISDIR : -UV_EACCES
    throw(SystemError(string("opening file ", repr(path)), number))
end
const STREAM_BLOCK = 65536
# The bits that say how a file is opened, and the places that an offset counts from (`host/streams.rs`).
const MODE_READ, MODE_WRITE, MODE_CREATE, MODE_TRUNCATE, MODE_APPEND = 1, 2, 4, 8, 16
const FROM_START, FROM_HERE, FROM_END = 0, 1, 2
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
    r || w || throw(SystemError(string("opening file ", repr(path)), -UV_EINVAL))
    isdir(path) && throw(SystemError(string("opening file ", repr(path)), -UV_EISDIR))
    stream = Host.file_stream(:open, path, MODE_READ * r | MODE_WRITE * w | MODE_CREATE * c | MODE_TRUNCATE * t | MODE_APPEND * a)
    if stream < 0
        # Files of the library are no files of the system.
        text = w ? nothing : Host.read_file(path)
        text === nothing && throw(SystemError(string("opening file ", repr(path)), -stream))
        return IOStream(path, -1; readable = true, content = text)
    end
    a && Host.file_stream(:seek, stream, 0, FROM_END)
    IOStream(path, stream; readable = r, writable = w, append = a)
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
# A result of the system's for a stream: errors of a pipe are of input and output, as those of processes.
stream_done(io, what, n::Int) = n >= 0 ? n : io.at_once ? throw(_UVError(what, n)) : throw_failed(what, n)
@noinline throw_bad_descriptor(what) = throw(SystemError(what, -UV_EBADF))
check_places(io::IOStream, what) = io.open || throw_bad_descriptor(what)

# The buffer's two uses.
function empty_buffer!(b)
    b.ptr, b.size, b.offset, b.mark = 1, 0, 0, -1
    length(b.data) > 16 * STREAM_BLOCK && (b.data = new_memory(0))
    nothing
end
# The system's place becomes that of the stream: behind what was read here, and behind what was written.
function settle!(io::IOStream)
    io.dirty && return write_waiting!(io)
    unread = bytesavailable(io.buffer)
    unread > 0 && system_done("seek", Host.file_stream(:seek, io.stream, -unread, FROM_HERE))
    empty_buffer!(io.buffer)
end
function begin_writing!(io::IOStream)
    io.open || !io.at_once || throw_closed_stream()
    io.open && io.writable || throw(ArgumentError("write failed, IOStream is not writeable"))
    settle!(io)
    io.dirty = true
    nothing
end
# Other tasks run for a while that grows; the next one.
const FIRST_PAUSE, LONGEST_PAUSE = 0.0001, 0.01
rest_for(pause) = (sleep(pause); min(2pause, LONGEST_PAUSE))
# The end of a pipe does not wait: other tasks run until it takes bytes, or has some.
function write_all(io, bytes, at, n)
    done, pause = 0, FIRST_PAUSE
    while done < n
        k = Host.file_stream(:write, io.stream, bytes, at + done, n - done)
        if k == UV_EAGAIN
            pause = rest_for(pause)
        elseif k < 0
            return k
        else
            done += k
        end
    end
    done
end
function read_block(io, data, n)
    pause = FIRST_PAUSE
    while true
        k = Host.file_stream(:read, io.stream, data, 0, n)
        k == UV_EAGAIN || return k
        pause = rest_for(pause)
        # Another task may have closed it.
        io.open || return 0
    end
end
function write_waiting!(io::IOStream)
    b = io.buffer
    data, size = b.data, b.size
    # Another task may write while this one waits.
    io.at_once && (b.data = new_memory(0))
    empty_buffer!(b)
    io.dirty = false
    stream_done(io, "write", write_all(io, data, 0, size))
    nothing
end
# Reads the next block once all has been taken. Whether there was one: a stream that is closed or only written has none.
function read_ahead!(io::IOStream)
    io.dirty && write_waiting!(io)
    b = io.buffer
    b.ptr <= b.size && return true
    io.readable && io.stream >= 0 || return false
    empty_buffer!(b)
    length(b.data) < STREAM_BLOCK && (b.data = new_memory(STREAM_BLOCK))
    b.size = stream_done(io, "read", read_block(io, b.data, STREAM_BLOCK))
    # Nothing follows the end of a pipe.
    b.size == 0 && io.at_once && close(io)
    b.size > 0
end
at_end(io::IOStream) = !read_ahead!(io)

# Writing.
function write_block(io::IOStream, bytes, at, n)
    io.dirty && write_waiting!(io)
    begin_writing!(io)
    io.dirty = false
    stream_done(io, "write", write_all(io, bytes, at, n))
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
        stream = io.stream
        io.open, io.dirty, io.stream = false, false, -1
        empty_buffer!(io.buffer)
        io.buffer.data = new_memory(0)
        if stream >= 0
            Host.file_stream(:close, stream)
            finalize(io)
        end
    end
    nothing
end

# Reading.
eof(io::IOStream) = at_end(io)
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
# At most `n` bytes. The size of the file says how much memory they may take, if it has one.
function read_at_most(io::IOStream, n::Int)
    at_end(io) && return UInt8[]
    out = Vector{UInt8}(undef, min(n, bytesavailable(io.buffer) + max(bytes_ahead(io), 0) + 1))
    resize!(out, read_into!(io, out, n))
end
# Bytes behind the system's place in a file; an error where there are no places, or no end.
function bytes_ahead(io)
    io.stream < 0 || io.at_once && return 0
    here = Host.file_stream(:seek, io.stream, 0, FROM_HERE)
    size = here < 0 ? here : size_of_stream(io, here)
    size < 0 ? size : size - here
end
function size_of_stream(io, here)
    size = Host.file_stream(:seek, io.stream, 0, FROM_END)
    back = Host.file_stream(:seek, io.stream, here, FROM_START)
    size < 0 ? size : min(size, back < 0 ? back : size)
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
waiting_line(io, keep) = io.dirty ? nothing : Host.take_line(io.buffer, keep, true)
function next_line(io::IOStream, keep)
    line = waiting_line(io, keep)
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
    line = waiting_line(io, e.keep)
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
    check_places(io, "position")
    io.stream < 0 && return position(io.buffer)
    # Bytes that wait to be appended have no place yet.
    io.dirty && io.append && write_waiting!(io)
    at = system_done("position", Host.file_stream(:seek, io.stream, 0, FROM_HERE))
    io.dirty ? at + io.buffer.size : at - bytesavailable(io.buffer)
end
function seek(io::IOStream, n::Integer)
    n < 0 && throw(SystemError("seek", -UV_EINVAL))
    check_places(io, "seek")
    io.stream < 0 && return (seek(io.buffer, n); io)
    seek_stream!(io, Int(n), FROM_START, "seek")
end
function seek_stream!(io, n, from, what)
    io.dirty && write_waiting!(io)
    empty_buffer!(io.buffer)
    system_done(what, Host.file_stream(:seek, io.stream, n, from))
    io
end
seekstart(io::IOStream) = seek(io, 0)
seekend(io::IOStream) = (check_places(io, "seekend"); io.stream < 0 ? seekend(io.buffer) : seek_stream!(io, 0, FROM_END, "seekend"); io)
function skip(io::IOStream, n::Integer)
    check_places(io, "skip")
    if !io.dirty && -(io.buffer.ptr - 1) <= n <= bytesavailable(io.buffer)
        io.buffer.ptr += Int(n)
        return io
    end
    at = position(io) + Int(n)
    at < 0 && throw(SystemError("skip", -UV_EINVAL))
    seek(io, at)
end
function truncate(io::IOStream, n::Integer)
    bytes = Int(UInt(n))
    check_places(io, "truncate")
    io.writable || throw(SystemError("truncate", -UV_EINVAL))
    settle!(io)
    system_done("truncate", Host.file_stream(:resize, io.stream, bytes))
    io
end
function filesize(io::IOStream)
    check_open(io)
    io.stream < 0 && return filesize(io.buffer)
    io.dirty && write_waiting!(io)
    here = Host.file_stream(:seek, io.stream, 0, FROM_HERE)
    size = here < 0 ? here : size_of_stream(io, here)
    # Files without places have the size that their status says.
    size < 0 ? filesize(io.path) : size
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
