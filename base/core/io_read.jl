# Reading: what every stream has by `read(io, UInt8)` and `eof`.

read(io::IO, ::Type{UInt8}) = throw(MethodError(read, (io, UInt8)))
read(io::IO, ::Type{Int8}) = reinterpret(Int8, read(io, UInt8))
read(io::IO, ::Type{Bool}) = (b = read(io, UInt8); b <= 0x01 ? b == 0x01 : throw(InexactError(:Bool, Bool, b)))
peek(io::IO) = peek(io, UInt8)
function peek(io::IO, ::Type{T}) where {T}
    mark(io)
    try
        return read(io, T)::T
    finally
        reset(io)
    end
end
function read(io::IO, ::Type{Char})
    b = read(io, UInt8)
    w = char_width(b)
    u = UInt32(b) << 24
    k = 1
    while k < w
        eof(io) && break
        c = peek(io, UInt8)
        is_continuation(c) || break
        read(io, UInt8)
        u |= UInt32(c) << (24 - 8k)
        k += 1
    end
    bitcast(Char, u)
end
function read(io::IO, ::Type{T}) where {T <: Union{BitInteger, IEEEFloat}}
    one_element = Memory{T}(undef, 1)
    unsafe_read(io, Ptr{UInt8}(pointer(one_element)), UInt(sizeof(T)))
    one_element[1]
end
read(io::IO, ::Type{Ptr{T}}) where {T} = Ptr{T}(read(io, UInt))
read(io::IO, ::Type{Complex{T}}) where {T} = (re = read(io, T); Complex{T}(re, read(io, T)))
read(io::IO, ::Type{Rational{T}}) where {T} = (num = read(io, T); Rational{T}(num, read(io, T)))
read(io::IO, ::Type{String}) = String(read(io))
function read(io::IO, n::Integer)
    out = UInt8[]
    while length(out) < n && !eof(io)
        push!(out, read(io, UInt8))
    end
    out
end
function read(io::IO)
    out = UInt8[]
    while !eof(io)
        push!(out, read(io, UInt8))
    end
    out
end
readavailable(io::IO) = read(io)
# At most `count` bytes; a vector that is too short grows to hold them.
function readbytes!(io::IO, v::AbstractVector{UInt8}, count = length(v))
    room, n = length(v), 0
    before = room
    while n < count && !eof(io)
        if n == room
            room = Int(min(count, max(2room, 64)))
            resize!(v, room)
        end
        n += 1
        v[n] = read(io, UInt8)
    end
    room > before && n < room && resize!(v, max(n, before))
    n
end
function unsafe_read(io::IO, p::Ptr{UInt8}, n::UInt)
    for i in 1:Int(n)
        unsafe_store!(p, read(io, UInt8)::UInt8, i)
    end
    nothing
end
unsafe_read(io::IO, p::Ptr, n::Integer) = unsafe_read(io, Ptr{UInt8}(p), UInt(n))
function read!(io::IO, a::AbstractArray{T}) where {T}
    one_element = isbitstype(T) ? Vector{T}(undef, 1) : nothing
    for i in eachindex(a)
        a[i] = one_element === nothing ? read(io, T) : read!(io, one_element)[1]
    end
    a
end
function read!(io::IO, a::Array{T}) where {T}
    isbitstype(T) || return invoke(read!, Tuple{IO, AbstractArray{T}}, io, a)
    isempty(a) || unsafe_read(io, Ptr{UInt8}(pointer(a)), UInt(elsize(a) * length(a)))
    a
end
function read!(io::IO, r::Ref{T}) where {T}
    r isa Ptr && error("read! cannot copy into a Ptr")
    r[] = read(io, T)
    r
end

seekstart(io::IO) = seek(io, 0)

# Marks.
mark(io::IO) = io.mark = position(io)
function unmark(io::IO)
    ismarked(io) || return false
    io.mark = -1
    true
end
function reset(io::IO)
    ismarked(io) || throw(ArgumentError(string(typeof(io), " not marked")))
    m = io.mark
    seek(io, m)
    io.mark = -1
    m
end
ismarked(io::IO) = io.mark >= 0
reseteof(io::IO) = nothing

# Up to a delimiter, and lines.
function copyuntil(out::IO, io::IO, delim::UInt8; keep::Bool = false)
    while !eof(io)
        b = read(io, UInt8)
        if b == delim
            keep && write(out, b)
            break
        end
        write(out, b)
    end
    out
end
function copyuntil(out::IO, io::IO, delim::AbstractChar; keep::Bool = false)
    delim <= '\x7f' && return copyuntil(out, io, UInt8(delim); keep)
    while !eof(io)
        c = read(io, Char)
        if c == delim
            keep && write(out, c)
            break
        end
        write(out, c)
    end
    out
end
copyuntil(out::IO, io::IO, delim::T; keep::Bool = false) where {T} = (write(out, readuntil(io, delim; keep)); out)
copyuntil(out::IO, io::IO, delim::AbstractString; keep::Bool = false) = 
    (write(out, elements_until(UInt8, io, codeunits(String(delim)), keep)); out)
# The values of `T` up to a sequence of them.
function elements_until(::Type{T}, io, delim, keep) where {T}
    got = T[]
    n = length(delim)
    while !eof(io)
        push!(got, read(io, T))
        k = length(got)
        if k >= n && all(i -> got[k - n + i] == delim[i], 1:n)
            keep || resize!(got, k - n)
            break
        end
    end
    got
end
readuntil(io::IO, delim::UInt8; keep::Bool = false) = take!(copyuntil(IOBuffer(), io, delim; keep))
readuntil(io::IO, delim::AbstractChar; keep::Bool = false) = takestring!(copyuntil(IOBuffer(), io, delim; keep))
readuntil(io::IO, delim::AbstractString; keep::Bool = false) = takestring!(copyuntil(IOBuffer(), io, delim; keep))
readuntil(io::IO, delim::AbstractVector{UInt8}; keep::Bool = false) =
    isempty(delim) ? UInt8[] : elements_until(UInt8, io, delim, keep)
readuntil(io::IO, delim::AbstractVector{T}; keep::Bool = false) where {T} = elements_until(T, io, delim, keep)
function readuntil(io::IO, delim::T; keep::Bool = false) where {T}
    got = T[]
    while !eof(io)
        x = read(io, T)
        if isequal(x, delim)
            keep && push!(got, x)
            break
        end
        push!(got, x)
    end
    got
end
readuntil(path::AbstractString, args...; kws...) = open(io -> readuntil(io, args...; kws...), path)
function line_bytes(io, keep)
    out = UInt8[]
    while !eof(io)
        b = read(io, UInt8)
        if b == 0x0a
            if keep
                push!(out, b)
            elseif !isempty(out) && out[end] == 0x0d
                pop!(out)
            end
            break
        end
        push!(out, b)
    end
    out
end
copyline(out::IO, io::IO; keep::Bool = false) = (write(out, line_bytes(io, keep)); out)
copyline(out::IO, path::AbstractString; keep::Bool = false) = open(io -> copyline(out, io; keep), path)
copyuntil(out::IO, path::AbstractString, delim; keep::Bool = false) = open(io -> copyuntil(out, io, delim; keep), path)
readline(io::IO; keep::Bool = false) = String(line_bytes(io, keep))
readline(; keep::Bool = false) = readline(stdin; keep = keep)
readline(path::AbstractString; keep::Bool = false) = open(io -> readline(io; keep = keep), path)
struct EachLine{I}
    io::I
    ondone::Any
    keep::Bool
end
EachLine(io::IO = stdin; ondone = () -> nothing, keep::Bool = false) = EachLine(io, ondone, keep)
eachline(io::IO = stdin; keep::Bool = false) = EachLine(io; keep)
eachline(path::AbstractString; keep::Bool = false) = (io = open(path); EachLine(io, () -> close(io), keep))
function iterate(e::EachLine, s = nothing)
    eof(e.io) && (e.ondone(); return nothing)
    (next_line(e.io, e.keep)::String, nothing)
end
next_line(io::IO, keep) = readline(io; keep)
iterate(e::EachLine{FileHandle}, s = nothing) =
    (line = read_next_line(e.io); line === nothing ? nothing : (e.keep ? line : String(chomp(line)), nothing))
IteratorSize(::Type{<:EachLine}) = SizeUnknown()
eltype(::Type{<:EachLine}) = String
isdone(e::EachLine, s...) = eof(e.io)
# Lines from the last to the first that has not been read. The bytes up to the one in the state are left.
function iterate(r::Iterators.Reverse{<:EachLine}, state = (read(r.itr.io), -1))
    bytes, stop = state
    stop == -1 && (stop = length(bytes))
    if stop == 0
        r.itr.ondone()
        return nothing
    end
    last_byte = bytes[stop] == 0x0a ? stop - 1 : stop
    before = something(findprev(==(0x0a), bytes, last_byte), 0)
    stop != last_byte && last_byte > before && bytes[last_byte] == 0x0d && (last_byte -= 1)
    (String(bytes[(before + 1):(r.itr.keep ? stop : last_byte)]), (bytes, before))
end
isdone(r::Iterators.Reverse{<:EachLine}) = eof(r.itr.io)
isdone(r::Iterators.Reverse{<:EachLine}, state) = state[2] == 0
function last(e::EachLine)
    y = iterate(Iterators.reverse(e))
    y === nothing ? throw(ArgumentError("collection must be non-empty")) : y[1]
end
last(e::EachLine, n::Integer) = reverse!(collect(Iterators.take(Iterators.reverse(e), n)))
readlines(io = stdin; keep::Bool = false) = collect(eachline(io; keep = keep))
struct ReadEachIterator{T, I <: IO}
    io::I
end
readeach(io::IO, ::Type{T}) where {T} = ReadEachIterator{T, typeof(io)}(io)
iterate(e::ReadEachIterator{T}, _ = nothing) where {T} = eof(e.io) ? nothing : (read(e.io, T), nothing)
isdone(e::ReadEachIterator, state...) = eof(e.io)
eltype(::Type{<:ReadEachIterator{T}}) where {T} = T
IteratorSize(::Type{<:ReadEachIterator}) = SizeUnknown()
function countlines(io::IO; eol::AbstractChar = '\n')
    isascii(eol) || throw(ArgumentError("only ASCII line terminators are supported"))
    n, started = 0, false
    while !eof(io)
        b = read(io, UInt8)
        b == UInt8(eol) ? (n += 1; started = false) : (started = true)
    end
    n + started
end
readchomp(x) = chomp(read(x, String))
countlines(path::AbstractString; eol::AbstractChar = '\n') = open(io -> countlines(io; eol), path)
function skipchars(f, io::IO; linecomment::Union{Char, Nothing} = nothing)
    while !eof(io)
        c = peek_char(io)
        if c === linecomment
            readline(io)
        elseif f(c)
            read(io, Char)
        else
            break
        end
    end
    io
end
peek_char(io) = peek(io, Char)
function startswith(io::IO, prefix::Base.AbstractString)
    mark(io)
    s = read(io, ncodeunits(prefix))
    reset(io)
    s == codeunits(String(prefix))
end

# Standard input, line by line.
const READ_AHEAD = Any[nothing]
function read_next_line(io::FileHandle)
    line = READ_AHEAD[1]
    (line === nothing || io.fd != 0) && return Host.read_line(io.fd)
    READ_AHEAD[1] = nothing
    line
end
function eof(io::FileHandle)
    io.fd == 0 || return false
    line = read_next_line(io)
    READ_AHEAD[1] = line
    line === nothing
end
function read(io::FileHandle)
    out = UInt8[]
    while true
        line = read_next_line(io)
        line === nothing && return out
        append!(out, codeunits(line))
    end
end
function read(io::FileHandle, ::Type{UInt8})
    line = read_next_line(io)
    line === nothing && throw_eof()
    READ_AHEAD[1] = ncodeunits(line) > 1 ? String(codeunits(line)[2:end]) : nothing
    codeunit(line, 1)
end
function readline(io::FileHandle; keep::Bool = false)
    line = read_next_line(io)
    line === nothing ? "" : keep ? line : String(chomp(line))
end

# Asks for a line; the default stands for an empty one. At the end of the input there is no answer.
function prompt(input::IO, output::IO, message::AbstractString; default::AbstractString = "")
    print(output, message, isempty(default) ? ": " : string(" [", default, "]: "))
    flush(output)
    line = readline(input; keep = true)
    isempty(line) && return nothing
    answer = chomp(line)
    isempty(answer) ? default : answer
end
prompt(message::AbstractString; default::AbstractString = "") = prompt(stdin, stdout, message; default)
