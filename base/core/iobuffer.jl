# Streams in memory. Bytes lie in `data` behind `offset`, up to `size`; the next to be read or written is at `ptr`. A buffer that
# appends writes behind the last byte and reads at `ptr`; one that cannot seek forgets what has been read.
mutable struct GenericIOBuffer{T <: AbstractVector{UInt8}} <: IO
    data::T
    readable::Bool
    writable::Bool
    seekable::Bool
    append::Bool
    size::Int
    maxsize::Int
    ptr::Int
    offset::Int
    mark::Int
    # The memory may be shared: it must be copied before it grows into another.
    function GenericIOBuffer{T}(data::T, readable::Bool, writable::Bool, seekable::Bool, append::Bool, maxsize::Integer, truncate::Bool) where {T <: AbstractVector{UInt8}}
        maxsize < 0 && throw(ArgumentError("negative maxsize"))
        length(data) > maxsize && throw(ArgumentError("data exceeds maxsize"))
        new{T}(data, readable, writable, seekable, append, truncate ? 0 : length(data), Int(min(maxsize, typemax(Int))), 1, 0, -1)
    end
    GenericIOBuffer{T}(data::T, size::Int) where {T <: AbstractVector{UInt8}} = new{T}(data, true, true, true, false, size, typemax(Int), 1, 0, -1)
end
"""
    IOBuffer(data = UInt8[]; read, write, append, truncate, maxsize)

A stream in memory. `take!` returns what was written.
"""
const IOBuffer = GenericIOBuffer{Memory{UInt8}}
GenericIOBuffer(data::T, readable::Bool, writable::Bool, seekable::Bool, append::Bool, maxsize::Integer, truncate::Bool) where {T <: AbstractVector{UInt8}} =
    GenericIOBuffer{T}(data, readable, writable, seekable, append, maxsize, truncate)
function GenericIOBuffer(v::Vector{UInt8}, readable::Bool, writable::Bool, seekable::Bool, append::Bool, maxsize::Integer, truncate::Bool)
    length(v) > maxsize && throw(ArgumentError("data exceeds maxsize"))
    memory, skipped = v.ref.mem, memoryrefoffset(v.ref) - 1
    io = GenericIOBuffer{Memory{UInt8}}(Memory{UInt8}(undef, 0), readable, writable, seekable, append, maxsize, truncate)
    io.data, io.offset, io.ptr = memory, skipped, skipped + 1
    io.size = truncate ? skipped : skipped + length(v)
    io
end
new_memory(n) = Memory{UInt8}(undef, Int(n))
GenericIOBuffer{Memory{UInt8}}() = GenericIOBuffer{Memory{UInt8}}(Memory{UInt8}(undef, 32), 0)
function Core.kwcall(kw::NamedTuple, ::Type{GenericIOBuffer{Memory{UInt8}}})
    io = blank_buffer(; kw...)
    io
end
function blank_buffer(; read::Union{Bool, Nothing} = true, write::Union{Bool, Nothing} = true, append::Union{Bool, Nothing} = nothing,
        truncate::Union{Bool, Nothing} = true, maxsize::Integer = typemax(Int), sizehint::Union{Integer, Nothing} = nothing)
    maxsize < 0 && throw(ArgumentError("negative maxsize"))
    room = sizehint === nothing ? min(maxsize, 32) : min(maxsize, max(Int(sizehint), 0))
    flags = open_flags(; read, write, append, truncate)
    io = GenericIOBuffer{Memory{UInt8}}(new_memory(room), 0)
    io.readable, io.writable, io.append, io.maxsize = flags.read, flags.write, flags.append, min(maxsize, typemax(Int))
    io
end
function open_flags(; read = nothing, write = nothing, create = nothing, truncate = nothing, append = nothing)
    if write === true && read !== true && append !== true
        create === nothing && (create = true)
        truncate === nothing && (truncate = true)
    end
    if truncate === true || append === true
        write === nothing && (write = true)
        create === nothing && (create = true)
    end
    write === nothing && (write = false)
    read === nothing && (read = !write)
    (read = read, write = write, create = something(create, false), truncate = something(truncate, false), append = something(append, false))
end
function buffer_of(data; read = nothing, write = nothing, append = nothing, truncate = nothing, maxsize::Integer = typemax(Int), sizehint = nothing)
    maxsize < 0 && throw(ArgumentError("negative maxsize"))
    flags = open_flags(; read, write, append, truncate)
    data isa Vector && sizehint !== nothing && Base.sizehint!(data, sizehint)
    GenericIOBuffer(data, flags.read, flags.write, true, flags.append, maxsize, flags.truncate)
end
GenericIOBuffer{Memory{UInt8}}(v::AbstractVector{UInt8}; kws...) = buffer_of(v; kws...)
GenericIOBuffer{Memory{UInt8}}(v::Memory{UInt8}; kws...) = buffer_of(v; kws...)
function GenericIOBuffer{Memory{UInt8}}(s::AbstractString)
    str = String(s)
    n = sizeof(str)
    m = new_memory(n)
    Host.copy_bytes(m, 0, str, 0, n)
    io = GenericIOBuffer{Memory{UInt8}}(m, n)
    io.writable = false
    io
end
PipeBuffer(v::AbstractVector{UInt8} = new_memory(0); maxsize::Integer = typemax(Int)) = GenericIOBuffer(v, true, true, false, true, maxsize, false)
PipeBuffer(s::AbstractString; maxsize::Integer = typemax(Int)) = PipeBuffer(Vector{UInt8}(s); maxsize)
function copy(io::GenericIOBuffer)
    other = GenericIOBuffer(copy(io.data), io.readable, io.writable, io.seekable, io.append, io.maxsize, false)
    other.size, other.ptr, other.offset, other.mark = io.size, io.ptr, io.offset, io.mark
    other
end
function show(io::IO, b::GenericIOBuffer)
    print(io, "IOBuffer(data=UInt8[...], readable=", b.readable, ", writable=", b.writable, ", seekable=", b.seekable,
        ", append=", b.append, ", size=", b.size - b.offset, ", maxsize=", b.maxsize == typemax(Int) ? "Inf" : b.maxsize,
        ", ptr=", b.ptr - b.offset, ", mark=", b.mark, ")")
end
@noinline throw_unreadable() = throw(ArgumentError("read failed, IOBuffer is not readable"))
@noinline throw_unwritable() = throw(ArgumentError("write failed, IOBuffer is not writeable"))
check_readable(io) = io.readable || throw_unreadable()
check_writable(io) = io.writable || throw_unwritable()

# Room for `n` bytes behind where writing goes on; how many of them fit.
function make_room!(io::GenericIOBuffer, n::Int)
    check_writable(io)
    at = io.append ? io.size : io.ptr - 1
    # Bytes that were read of a pipe can go.
    if !io.seekable && io.ptr > 1 && at + n > length(io.data)
        drop_read!(io)
        at = io.append ? io.size : io.ptr - 1
    end
    want = at + n
    limit = io.maxsize == typemax(Int) ? typemax(Int) : io.maxsize + max(io.offset, 0)
    want > limit && (want = limit)
    want > length(io.data) && grow!(io, want)
    max(want - at, 0)
end
# Bytes that were read leave the memory. A negative offset says how many bytes left: positions and the mark count them.
function drop_read!(io)
    first_kept = (ismarked(io) ? io.mark + io.offset : io.ptr - 1)
    first_kept <= 0 && return nothing
    n = io.size - first_kept
    n > 0 && copyto!(io.data, firstindex(io.data), io.data, first_kept + 1, n)
    io.ptr -= first_kept
    io.size = n
    io.offset -= first_kept
    nothing
end
function grow!(io::GenericIOBuffer{Memory{UInt8}}, want::Int)
    room = max(want, min(2 * length(io.data), io.maxsize == typemax(Int) ? typemax(Int) : io.maxsize + max(io.offset, 0)), 16)
    io.maxsize == typemax(Int) || (room = max(want, min(room, io.maxsize + max(io.offset, 0))))
    fresh = Memory{UInt8}(undef, room)
    io.size > 0 && unsafe_copyto!(memoryrefnew(fresh), memoryrefnew(io.data), io.size)
    io.data = fresh
    nothing
end
grow!(io::GenericIOBuffer, want::Int) = (resize!(io.data, want); nothing)
function advance!(io, at, n)
    last_byte = at + n
    io.append || (io.ptr = last_byte + 1)
    last_byte > io.size && (io.size = last_byte)
    nothing
end
# Bytes between the end and where writing begins are zero.
function zero_gap!(io)
    i = io.size + 1
    while i < io.ptr
        i <= length(io.data) && (io.data[i] = 0x00)
        i += 1
    end
    nothing
end
# The runtime writes text to buffers without conditions: `-1` says that there are some.
write(io::GenericIOBuffer, s::String) = write_text(io, s)
write(io::GenericIOBuffer, s::SubString{String}) = write_text(io, s)
write_text(io, s) = Host.put_text(io, s) === 1 ? ncodeunits(s) :
    isempty(s) ? (check_writable(io); 0) : Int(unsafe_write(io, pointer(s), UInt(ncodeunits(s))))
write(io::GenericIOBuffer, c::Char) = Host.put_text(io, c) === 1 ? write_length(bitcast(UInt32, c)) : write(io, string_of_char(c))
print_known(io::GenericIOBuffer, xs...) = Host.put_text(io, xs...)
function unsafe_write(io::GenericIOBuffer, p::Ptr{UInt8}, count::UInt)
    n = Int(count)
    from = io.ptr
    if has_room(io, from, n)
        put_bytes!(io.data, from, p, n)
        io.ptr = next = from + n
        next > io.size && (io.size = next - 1)
        return n
    end
    n = make_room!(io, n)
    io.append || io.ptr <= io.size + 1 || zero_gap!(io)
    at = io.append ? io.size : io.ptr - 1
    put_bytes!(io.data, at + 1, p, n)
    advance!(io, at, n)
    n
end
# Bytes between a memory and an address.
function put_bytes!(data, at, p, n)
    data isa Memory{UInt8} && return Host.copy_bytes(data, at - 1, p, 0, n)
    i = 1
    while i <= n
        data[at + i - 1] = pointerref(p, i, 1)
        i += 1
    end
end
function get_bytes!(p, data, at, n)
    data isa Memory{UInt8} && return Host.copy_bytes(p, 0, data, at - 1, n)
    i = 1
    while i <= n
        pointerset(p, data[at + i - 1], i, 1)
        i += 1
    end
end
# `n` bytes from `at` on as a vector.
function bytes_from(data, at, n)
    out = new_memory(n)
    if data isa Memory{UInt8}
        n > 0 && Host.copy_bytes(out, 0, data, at - 1, n)
    else
        for i in 1:n
            out[i] = data[at + i - 1]
        end
    end
    bytes_vector(out, n)
end
# Where the byte stands from `at` on, or 0.
function find_byte(data, b::UInt8, at, last)
    data isa Memory{UInt8} && return Host.find_text(data, b, at, false, last)
    i = at
    while i <= last
        data[i] == b && return i
        i += 1
    end
    0
end
# The bytes up to the delimiter, taken from the stream.
function take_until!(io::GenericIOBuffer, delim::UInt8, keep)
    check_readable(io)
    from = io.ptr
    found = find_byte(io.data, delim, from, io.size)
    stop = found == 0 ? io.size : found
    io.ptr = max(stop + 1, from)
    (from, found != 0 && !keep ? stop - 1 : stop, found != 0)
end
function line_bytes(io::GenericIOBuffer, keep)
    from, stop, ended = take_until!(io, 0x0a, keep)
    ended && !keep && stop >= from && io.data[stop] == 0x0d && (stop -= 1)
    bytes_from(io.data, from, max(stop - from + 1, 0))
end
readline(io::IOBuffer; keep::Bool = false) = next_line(io, keep)
next_line(io::IOBuffer, keep) = (line = Host.take_line(io, keep, false); line === nothing ? String(line_bytes(io, keep)) : line)
function copyuntil(out::IO, io::GenericIOBuffer, delim::UInt8; keep::Bool = false)
    from, stop, _ = take_until!(io, delim, keep)
    write(out, bytes_from(io.data, from, max(stop - from + 1, 0)))
    out
end
# The plain case: writing goes on where there is memory, and leaves no gap.
@inline has_room(io, from::Int, n::Int) = io.writable & !io.append & (io.maxsize == typemax(Int)) & (from <= io.size + 1) & (n <= length(io.data) - from + 1)
function write(io::GenericIOBuffer, b::UInt8)
    from = io.ptr
    if has_room(io, from, 1)
        io.data[from] = b
        io.ptr = from + 1
        from > io.size && (io.size = from)
        return 1
    end
    make_room!(io, 1) == 0 && return 0
    io.append || io.ptr <= io.size + 1 || zero_gap!(io)
    at = io.append ? io.size : io.ptr - 1
    io.data[at + 1] = b
    advance!(io, at, 1)
    1
end
function write(to::IO, from::GenericIOBuffer)
    to === from && throw_same_stream()
    check_readable(from)
    # Bits that do not fit are lost.
    write(to, read(from))
end

# Places. `position` counts from 0; a mark is a position.
bytesavailable(io::GenericIOBuffer) = max(io.size - io.ptr + 1, 0)
eof(io::GenericIOBuffer) = io.ptr > io.size
"""
    filesize(path...)

The size of a file in bytes.
"""
filesize(io::GenericIOBuffer) = io.seekable ? io.size - io.offset : bytesavailable(io)
position(io::GenericIOBuffer) = io.ptr - io.offset - 1
isreadable(io::GenericIOBuffer) = io.readable
iswritable(io::GenericIOBuffer) = io.writable
isopen(io::GenericIOBuffer) = io.readable || io.writable || bytesavailable(io) > 0
closewrite(io::GenericIOBuffer) = (io.writable = false; nothing)
function close(io::GenericIOBuffer)
    io.writable && truncate_data!(io)
    io.readable = io.writable = io.seekable = false
    io.size = io.offset = 0
    io.maxsize = 0
    io.ptr = 1
    io.mark = -1
    nothing
end
truncate_data!(io::GenericIOBuffer{Memory{UInt8}}) = (io.data = new_memory(0); nothing)
truncate_data!(io::GenericIOBuffer) = nothing
function seek(io::GenericIOBuffer, n::Integer)
    io.seekable || (ismarked(io) && n == io.mark) || throw(ArgumentError("seek failed, IOBuffer is not seekable and is not marked"))
    io.ptr = Int(clamp(n, 0, io.size - io.offset)) + io.offset + 1
    io
end
seekend(io::GenericIOBuffer) = (io.ptr = io.size + 1; io)
function skip(io::GenericIOBuffer, n::Integer)
    n < 0 && return seek(io, max(position(io) + max(n, -position(io)), 0))
    io.ptr += Int(min(n, bytesavailable(io)))
    io
end
function truncate(io::GenericIOBuffer, n::Integer)
    io.writable || throw(ArgumentError("truncate failed, IOBuffer is not writeable"))
    io.seekable || throw(ArgumentError("truncate failed, IOBuffer is not seekable"))
    n < 0 && throw(ArgumentError("truncate failed, new size must be nonnegative"))
    n > io.maxsize && throw(ArgumentError("truncate failed, new size exceeds the buffer's maximum"))
    want = Int(n) + io.offset
    want > length(io.data) && grow!(io, want)
    for i in (io.size + 1):want
        io.data[i] = 0x00
    end
    io.size = want
    io.ptr = min(io.ptr, want + 1)
    ismarked(io) && io.mark >= n && (io.mark = -1)
    io
end

# Taking what was written.
bytes_vector(m::Memory{UInt8}, n::Int) = Core.@new Array{UInt8, 1} memoryrefnew(m) (n,)
function taken_bytes(io)
    from, n = io.seekable ? (io.offset, io.size - io.offset) : (io.ptr - 1, bytesavailable(io))
    bytes_from(io.data, from + 1, n)
end
function take!(io::GenericIOBuffer{Memory{UInt8}})
    v = io.writable && io.seekable && io.offset == 0 && length(io.data) > 0 ? bytes_vector(io.data, io.size) : taken_bytes(io)
    reset_taken!(io)
    v
end
function take!(io::GenericIOBuffer)
    v = taken_bytes(io)
    reset_taken!(io)
    v
end
function reset_taken!(io)
    io.mark = -1
    if io.writable
        io.data isa Memory && (io.data = new_memory(0))
        io.ptr = 1
        io.size = 0
        io.offset = 0
    elseif !io.seekable
        io.ptr = io.size + 1
    end
    nothing
end
function takestring!(io::GenericIOBuffer)
    (io.data isa Memory && io.seekable) || return String(take!(io))
    s = Host.string_from_memory(io.data, io.offset, io.size - io.offset)
    reset_taken!(io)
    s
end
unsafe_takestring!(io::GenericIOBuffer) = takestring!(io)

# Reading.
function read(io::GenericIOBuffer, ::Type{UInt8})
    check_readable(io)
    io.ptr > io.size && throw_eof()
    b = io.data[io.ptr]
    io.ptr += 1
    b
end
function peek(io::GenericIOBuffer, ::Type{UInt8})
    check_readable(io)
    io.ptr > io.size && throw_eof()
    io.data[io.ptr]
end
function read(io::GenericIOBuffer)
    check_readable(io)
    n = bytesavailable(io)
    at = io.ptr
    io.ptr += n
    bytes_from(io.data, at, n)
end
function read(io::GenericIOBuffer, n::Integer)
    check_readable(io)
    k = Int(min(n, bytesavailable(io)))
    at = io.ptr
    io.ptr += max(k, 0)
    bytes_from(io.data, at, max(k, 0))
end
readavailable(io::GenericIOBuffer) = read(io)
function unsafe_read(io::GenericIOBuffer, p::Ptr{UInt8}, n::UInt)
    check_readable(io)
    k = min(Int(n), bytesavailable(io))
    get_bytes!(p, io.data, io.ptr, k)
    io.ptr += k
    k < n && throw_eof()
    nothing
end
occursin(b::UInt8, io::GenericIOBuffer) = find_byte(io.data, b, io.ptr, io.size) != 0
