# Output and input: the standard streams, buffers in memory, files as a whole, printing.

struct FileHandle <: IO
    fd::Int
end
const stdin = FileHandle(0)
const stdout = FileHandle(1)
const stderr = FileHandle(2)
# Where a standard stream goes instead, by its descriptor.
const REDIRECTED = Any[nothing, nothing, nothing]
struct DevNull <: IO end
const devnull = DevNull()

mutable struct GenericIOBuffer{V} <: IO
    data::Vector{UInt8}
    ptr::Int
    mark::Int
    append::Bool
end
const IOBuffer = GenericIOBuffer{Memory{UInt8}}
IOBuffer() = IOBuffer(UInt8[], 1, 0, false)
IOBuffer(s::AbstractString) = IOBuffer(Vector{UInt8}(codeunits(s)), 1, 0, false)
IOBuffer(v::Vector{UInt8}; read = true, write = false, append = false, kws...) = IOBuffer(v, append ? length(v) + 1 : 1, 0, append)
GenericIOBuffer{V}(; kws...) where {V} = GenericIOBuffer{V}(UInt8[], 1, 0, false)
const PipeBuffer = IOBuffer

struct IOContext{I <: IO} <: AbstractPipe
    io::I
    dict::Any
end
IOContext(io::IO, ps::Pair...) = IOContext{typeof(unwrap_context(io))}(unwrap_context(io), extend_context(io, ps))
IOContext(io::IO, from::IO) = IOContext{typeof(unwrap_context(io))}(unwrap_context(io), context_pairs(from))
IOContext(io::IO) = IOContext(io, io)
unwrap_context(io::IO) = io
unwrap_context(io::IOContext) = io.io
context_pairs(io::IO) = ()
context_pairs(io::IOContext) = io.dict
# What is said again replaces what was said: a context does not grow with the depth of what is shown.
function extend_context(io, ps)
    kept = ps
    for p in context_pairs(io)
        any(q -> q.first === p.first, ps) || (kept = (kept..., p))
    end
    kept
end
function get(io::IO, key, default)
    for p in context_pairs(io)
        p.first === key && return p.second
    end
    default
end
haskey(io::IO, key) = any(p -> p.first === key, context_pairs(io))
displaysize(io::IO = stdout) = get(io, :displaysize, (24, 80))
in(p::Pair{Symbol}, io::IO) = haskey(io, p.first) && get(io, p.first, nothing) === p.second

# Writing bytes: every stream answers `write(io, ::String)` and `write(io, ::UInt8)`.
write(io::FileHandle, s::String) = (to = REDIRECTED[io.fd + 1]; to === nothing ? Host.write_bytes(io.fd, s) : write(to, s))
write(io::FileHandle, b::UInt8) = write(io, Host.string_from_memory(one_byte(b), 0, 1))
function one_byte(b::UInt8)
    m = Memory{UInt8}(undef, 1)
    m[1] = b
    m
end
write(io::DevNull, s::String) = sizeof(s)
write(io::DevNull, b::UInt8) = 1
write(io::IOContext, s::String) = write(io.io, s)
write(io::IOContext, b::UInt8) = write(io.io, b)
function write(io::GenericIOBuffer, s::String)
    n = sizeof(s)
    k = io.ptr
    k + n - 1 > length(io.data) && resize!(io.data, k + n - 1)
    p = pointer(s)
    i = 0
    while i < n
        io.data[k + i] = pointerref(p, i + 1, 1)
        i += 1
    end
    io.ptr = k + n
    n
end
function write(io::GenericIOBuffer, b::UInt8)
    io.ptr > length(io.data) && resize!(io.data, io.ptr)
    io.data[io.ptr] = b
    io.ptr += 1
    1
end
write(io::IO, s::AbstractString) = write(io, String(s))
write(io::IO, c::Char) = write(io, string_of_char(c))
write(io::IO, x, ys...) = (n = write(io, x); for y in ys; n += write(io, y); end; n)
write(io::IO, v::AbstractVector{UInt8}) = (for b in v; write(io, b); end; length(v))
write(io::IO, x::Union{BitInteger, IEEEFloat, Bool}) = write_bits(io, x isa IEEEFloat ? reinterpret(Unsigned, x) : x isa Bool ? UInt8(x) : unsigned(x), sizeof(x))
write(io::IO, x::UInt8) = throw(MethodError(write, (io, x)))
write(io::IO, a::AbstractArray) = (n = 0; for x in a; n += write(io, x); end; n)
write_bits(io, u, n) = (for i in 0:(n - 1); write(io, (u >> (8i)) % UInt8); end; n)
function string_of_char(c::Char)
    u = bitcast(UInt32, c)
    n = write_length(u)
    m = Memory{UInt8}(undef, n)
    for i in 1:n
        m[i] = ((u >> (32 - 8i)) & 0xff) % UInt8
    end
    Host.string_from_memory(m, 0, n)
end

# Reading back from a buffer.
position(io::GenericIOBuffer) = io.ptr - 1
seek(io::GenericIOBuffer, n::Integer) = (io.ptr = Int(n) + 1; io)
seekstart(io::GenericIOBuffer) = seek(io, 0)
seekend(io::GenericIOBuffer) = seek(io, length(io.data))
skip(io::GenericIOBuffer, n::Integer) = (io.ptr += Int(n); io)
eof(io::GenericIOBuffer) = io.ptr > length(io.data)
bytesavailable(io::GenericIOBuffer) = length(io.data) - io.ptr + 1
truncate(io::GenericIOBuffer, n::Integer) = (resize!(io.data, n); io.ptr = min(io.ptr, Int(n) + 1); io)
isopen(io::IO) = true
isreadable(io::IO) = true
iswritable(io::IO) = true
close(io::IO) = nothing
flush(io::IO) = nothing
function take!(io::GenericIOBuffer)
    v = io.data
    io.data = UInt8[]
    io.ptr = 1
    v
end
takestring!(io::GenericIOBuffer) = String(take!(io))
unsafe_takestring!(io::GenericIOBuffer) = takestring!(io)
struct EOFError <: Exception end
read(io::GenericIOBuffer, ::Type{UInt8}) = eof(io) ? throw(EOFError()) : (b = io.data[io.ptr]; io.ptr += 1; b)
peek(io::GenericIOBuffer, ::Type{UInt8} = UInt8) = eof(io) ? throw(EOFError()) : io.data[io.ptr]
function read(io::IO, ::Type{Char})
    b = read(io, UInt8)
    u = UInt32(b) << 24
    for k in 1:(char_width(b) - 1)
        u |= UInt32(read(io, UInt8)) << (24 - 8k)
    end
    bitcast(Char, u)
end
function read(io::IO, ::Type{T}) where {T <: Union{BitInteger, IEEEFloat}}
    U = T <: IEEEFloat ? uinttype(T) : unsigned(T)
    u = zero(U)
    for i in 0:(sizeof(T) - 1)
        u |= U(read(io, UInt8)) << (8i)
    end
    reinterpret(T, u)
end
read(io::GenericIOBuffer) = (v = io.data[io.ptr:end]; io.ptr = length(io.data) + 1; v)
read(io::IO, ::Type{String}) = String(read(io))
function read(io::FileHandle)
    out = UInt8[]
    while true
        line = read_next_line(io)
        line === nothing && return out
        append!(out, codeunits(line))
    end
end
function readline(io::GenericIOBuffer; keep::Bool = false)
    out = UInt8[]
    while !eof(io)
        b = read(io, UInt8)
        if b == 0x0a
            keep && push!(out, b)
            break
        end
        push!(out, b)
    end
    !keep && !isempty(out) && out[end] == 0x0d && pop!(out)
    String(out)
end
function readline(io::FileHandle; keep::Bool = false)
    line = read_next_line(io)
    line === nothing ? "" : keep ? line : String(chomp(line))
end
readline(; keep::Bool = false) = readline(stdin; keep = keep)
readline(path::AbstractString; keep::Bool = false) = open(io -> readline(io; keep = keep), path)
# A line of standard input that `eof` had to read.
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
struct EachLine{I}
    io::I
    keep::Bool
end
eachline(io::IO; keep::Bool = false) = EachLine(io, keep)
eachline(path::AbstractString; keep::Bool = false) = EachLine(IOBuffer(read(path, String)), keep)
iterate(e::EachLine, s = nothing) = eof(e.io) ? nothing : (readline(e.io; keep = e.keep), nothing)
iterate(e::EachLine{FileHandle}, s = nothing) =
    (line = read_next_line(e.io); line === nothing ? nothing : (e.keep ? line : String(chomp(line)), nothing))
IteratorSize(::Type{<:EachLine}) = SizeUnknown()
eltype(::Type{<:EachLine}) = String
readlines(io; keep::Bool = false) = collect(eachline(io; keep = keep))
readuntil(io::IO, delim) = (out = UInt8[]; while !eof(io); b = read(io, UInt8); b == UInt8(delim) && break; push!(out, b); end; String(out))

# Files are read whole when they are opened and written whole when they are closed.
mutable struct FileStream <: IO
    path::String
    buffer::IOBuffer
    dirty::Bool
    open::Bool
end
@noinline throw_system(what, path) = throw(SystemError(string(what, " ", repr(path)), 2))
struct SystemError <: Exception
    prefix::AbstractString
    errnum::Int
    extrainfo::Any
    SystemError(prefix::AbstractString, errnum::Integer = 0, extrainfo = nothing) = new(prefix, Int(errnum), extrainfo)
end
function open(path::AbstractString, mode::AbstractString = "r"; read = nothing, write = nothing, append = nothing, kws...)
    m = write === true ? "w" : append === true ? "a" : mode
    if m == "w" || m == "w+"
        return FileStream(String(path), IOBuffer(), true, true)
    end
    text = Host.read_file(String(path))
    text === nothing && (m == "r" || m == "r+") && throw_system("opening file", path)
    io = FileStream(String(path), IOBuffer(text === nothing ? "" : text), m != "r", true)
    startswith(m, "a") && seekend(io.buffer)
    io
end
function open(f::Function, args...; kws...)
    io = open(args...; kws...)
    try
        f(io)
    finally
        close(io)
    end
end
write(io::FileStream, s::String) = (io.dirty = true; write(io.buffer, s))
write(io::FileStream, b::UInt8) = (io.dirty = true; write(io.buffer, b))
read(io::FileStream, T::Type{UInt8}) = read(io.buffer, T)
read(io::FileStream) = read(io.buffer)
eof(io::FileStream) = eof(io.buffer)
readline(io::FileStream; keep::Bool = false) = readline(io.buffer; keep = keep)
position(io::FileStream) = position(io.buffer)
seek(io::FileStream, n::Integer) = (seek(io.buffer, n); io)
seekstart(io::FileStream) = seek(io, 0)
isopen(io::FileStream) = io.open
function flush(io::FileStream)
    io.dirty && (Host.write_file(io.path, String(copy(io.buffer.data))) || throw_system("writing file", io.path))
    io.dirty = false
    nothing
end
close(io::FileStream) = (io.open && flush(io); io.open = false; nothing)
function read(path::AbstractString, ::Type{String})
    text = Host.read_file(String(path))
    text === nothing ? throw_system("opening file", path) : text
end
read(path::AbstractString) = Vector{UInt8}(codeunits(read(path, String)))
function write(path::AbstractString, xs...)
    s = written(xs...)
    Host.write_file(String(path), s) || throw_system("opening file", path)
    sizeof(s)
end
written(s::String) = s
written(v::Vector{UInt8}) = String(copy(v))
function written(xs...)
    io = IOBuffer()
    for x in xs
        write(io, x)
    end
    String(take!(io))
end

# Redirection: a stream stands in for a standard one.
redirect_stdout(io::IO) = redirect(stdout, io)
redirect_stderr(io::IO) = redirect(stderr, io)
redirect_stdout(f::Function, io::IO) = with_redirected(f, stdout, io)
redirect_stderr(f::Function, io::IO) = with_redirected(f, stderr, io)
redirect(from::FileHandle, to::IO) = (REDIRECTED[from.fd + 1] = to === from ? nothing : to; to)
function with_redirected(f, from, to)
    old = REDIRECTED[from.fd + 1]
    redirect(from, to)
    try
        return f()
    finally
        REDIRECTED[from.fd + 1] = old
    end
end
function captured_stderr(f)
    io = IOBuffer()
    value = redirect_stderr(f, io)
    (value, takestring!(io))
end

# Printing.
print(io::IO, x) = (show(io, x); nothing)
print(io::IO, s::AbstractString) = (write(io, s); nothing)
print(io::IO, c::AbstractChar) = (write(io, c); nothing)
print(io::IO, s::Symbol) = (write(io, Host.symbol_name(s)); nothing)
print(io::IO, x, ys...) = (print(io, x); for y in ys; print(io, y); end; nothing)
print(xs...) = print(stdout, xs...)
print(io::IO) = nothing
println(io::IO, xs...) = (print(io, xs..., '\n'); nothing)
println(xs...) = println(stdout, xs...)
println(io::IO, s::String) = (write(io, s); write(io, "\n"); nothing)
println(s::String) = println(stdout, s)
sprint(f::Function, args...; context = nothing, sizehint::Integer = 0) = sprint_with(f, context, args...)
function sprint_with(f, context, args...)
    io = IOBuffer()
    f(context === nothing ? io : context isa Tuple ? IOContext(io, context...) : IOContext(io, context), args...)
    takestring!(io)
end
string() = ""
string(s::String) = s
string(s::AbstractString) = String(s)
string(c::Char) = string_of_char(c)
string(s::Symbol) = Host.symbol_name(s)
string(xs...) = string_all(xs)
function string_all(xs)
    io = IOBuffer()
    for x in xs
        print(io, x)
    end
    takestring!(io)
end
repr(x; context = nothing) = sprint_with(show, context, x)
print_to_string(xs...) = string(xs...)
struct MIME{mime} end
MIME(s) = MIME{Symbol(s)}()
macro MIME_str(s)
    :(MIME{$(QuoteNode(Symbol(s)))})
end
showable(::MIME, x) = true
show(x) = show(stdout, x)
printstyled(io::IO, xs...; bold = false, color = :normal, kws...) = print(io, xs...)
printstyled(xs...; kws...) = printstyled(stdout, xs...; kws...)
