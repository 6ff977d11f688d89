# Streams: what every stream has by reading and writing bytes, standard streams, contexts, printing.

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
"""
    EOFError()

The exception for reading past the end of a stream.
"""
struct EOFError <: Exception end
@noinline throw_eof() = throw(EOFError())

# A context: a stream with properties of how to print. The latest value of a property counts.
const ContextDict = ImmutableDict{Symbol, Any}
"""
    IOContext(io, :key => value, ...)

A stream with properties that printing asks for, such as `:compact` and `:limit`.
"""
struct IOContext{I <: IO} <: AbstractPipe
    io::I
    dict::ContextDict
    IOContext{I}(io::I, dict::ContextDict) where {I <: IO} = new{I}(io, dict)
end
IOContext(io::IO, dict::ContextDict) = IOContext{typeof(unwrap_context(io))}(unwrap_context(io), dict)
IOContext(io::IO, p::Pair) = IOContext{typeof(io)}(io, ContextDict(ContextDict(), p.first, p.second))
IOContext(io::IOContext, p::Pair) = typeof(io)(io.io, ContextDict(io.dict, p.first, p.second))
IOContext(io::IO, p::Pair, ps::Pair...) = IOContext(io, extend_context(context_dict(io), p, ps...))
IOContext(io::IO, from::IO) = IOContext(io, context_dict(from))
IOContext(io::IO) = IOContext(io, io)
unwrap_context(io::IO) = io
unwrap_context(io::IOContext) = io.io
context_dict(io::IO) = ContextDict()
context_dict(io::IOContext) = io.dict
extend_context(d::ContextDict) = d
extend_context(d::ContextDict, p::Pair, ps::Pair...) = extend_context(ContextDict(d, p.first, p.second), ps...)
get(io::IO, key, default) = default
# Keys are symbols: looked for here, since printing asks for several properties of each value.
function get(io::IOContext, key, default)
    d = io.dict
    while isdefined(d, :parent)
        d.key === key && return d.value
        d = d.parent
    end
    default
end
getindex(io::IO, key) = throw(KeyError(key))
getindex(io::IOContext, key) = io.dict[key]
haskey(io::IO, key) = false
function haskey(io::IOContext, key)
    d = io.dict
    while isdefined(d, :parent)
        d.key === key && return true
        d = d.parent
    end
    false
end
keys(io::IO) = keys(context_dict(io))
keys(io::IOContext) = keys(io.dict)
displaysize(io::IO = stdout) = get(io, :displaysize, (24, 80))
in(p::Pair{Symbol}, io::IO) = haskey(io, p.first) && get(io, p.first, nothing) === p.second

# Streams made of two others.
pipe_reader(io::AbstractPipe) = io.out::IO
pipe_writer(io::AbstractPipe) = io.in::IO
pipe_reader(io::IOContext) = io.io
pipe_writer(io::IOContext) = io.io
eof(io::AbstractPipe) = eof(pipe_reader(io))::Bool
for f in (:bytesavailable, :readavailable, :mark, :unmark, :reset, :ismarked, :position, :seekstart, :seekend, :isreadable)
    @eval $f(io::AbstractPipe) = $f(pipe_reader(io))
end
seek(io::AbstractPipe, n::Integer) = (seek(pipe_reader(io), n); io)
skip(io::AbstractPipe, n::Integer) = (skip(pipe_reader(io), n); io)
for f in (:iswritable, :flush, :closewrite)
    @eval $f(io::AbstractPipe) = $f(pipe_writer(io))
end
isopen(io::AbstractPipe) = isopen(pipe_writer(io)) || isopen(pipe_reader(io))
close(io::AbstractPipe) = (close(pipe_writer(io)); close(pipe_reader(io)))
read(io::AbstractPipe, ::Type{UInt8}) = read(pipe_reader(io), UInt8)::UInt8
read(io::AbstractPipe) = read(pipe_reader(io))
peek(io::AbstractPipe, ::Type{UInt8}) = peek(pipe_reader(io), UInt8)::UInt8
readline(io::AbstractPipe; keep::Bool = false) = readline(pipe_reader(io); keep)
write(io::AbstractPipe, s::String) = write(pipe_writer(io), s)::Int
write(io::AbstractPipe, b::UInt8) = write(pipe_writer(io), b)
unsafe_write(io::AbstractPipe, p::Ptr{UInt8}, n::UInt) = unsafe_write(pipe_writer(io), p, n)::Union{Int, UInt}
take!(io::IOContext) = take!(io.io)
truncate(io::IOContext, n::Integer) = (truncate(io.io, n); io)

# Writing: every stream answers `write(io, ::UInt8)`.
isopen(io::IO) = true
"""
    isreadable(path)
    isreadable(io)

Whether the user may read a file, or whether a stream can be read.
"""
isreadable(io::IO) = isopen(io)
"""
    iswritable(path)
    iswritable(io)

Whether the user may write a file, or whether a stream can be written.
"""
iswritable(io::IO) = isopen(io)
isreadonly(io::IO) = isreadable(io) && !iswritable(io)
close(io::IO) = nothing
closewrite(io::IO) = nothing
flush(io::IO) = nothing
wait_readnb(io::IO, n) = nothing
write(io::FileHandle, s::String) = (to = REDIRECTED[io.fd + 1]; to === nothing ? Host.write_bytes(io.fd, s)::Int : write(to, s)::Int)
write(io::FileHandle, b::UInt8) = unsafe_write(io, pointer(fill!(new_memory(1), b)), UInt(1))
flush(io::FileHandle) = (to = REDIRECTED[io.fd + 1]; to === nothing ? (Host.file_stream(:flush); nothing) : flush(to))
function unsafe_write(io::FileHandle, p::Ptr{UInt8}, n::UInt)
    to = REDIRECTED[io.fd + 1]
    to === nothing ? Host.write_bytes(io.fd, p, Int(n))::Int : Int(unsafe_write(to, p, n)::Union{Int, UInt})::Int
end
write(io::DevNull, s::String) = sizeof(s)
write(io::DevNull, b::UInt8) = 1
read(io::DevNull, ::Type{UInt8}) = throw_eof()
peek(io::DevNull, ::Type{UInt8}) = throw_eof()
eof(io::DevNull) = true
bytesavailable(io::DevNull) = 0
unsafe_write(io::DevNull, p::Ptr{UInt8}, n::UInt) = Int(n)
isreadable(io::DevNull) = false
iswritable(io::DevNull) = true
show(io::IO, ::DevNull) = print(io, "Base.DevNull()")
unsafe_write(io::IO, p::Ptr, n::Integer) = unsafe_write(io, Ptr{UInt8}(p), UInt(n))
function unsafe_write(io::IO, p::Ptr{UInt8}, n::UInt)
    written = 0
    for i in 1:Int(n)
        written += write(io, unsafe_load(p, i))::Int
    end
    written
end
write(io::IO, s::String) = Int(unsafe_write(io, pointer(s), UInt(sizeof(s)))::Union{Int, UInt})::Int
write(io::IO, s::SubString{String}) = write(io, String(s))::Int
function write(io::IO, s::AbstractString)
    n = 0
    for c in s
        n += write(io, c)::Int
    end
    n
end
write(io::IO, c::Char) = write(io, string_of_char(c))
write(io::IO, s::Symbol) = write(io, String(s))
write(io::IO, x, y, zs...) = (n = write(io, x) + write(io, y); for z in zs; n += write(io, z); end; n)
write(io::IO, x::Union{BitInteger, IEEEFloat, Bool}) = write_bits(io, x isa IEEEFloat ? reinterpret(Unsigned, x) : x isa Bool ? UInt8(x) : unsigned(x), sizeof(x))
write(io::IO, x::UInt8) = throw(MethodError(write, (io, x)))
write(io::IO, x::Ptr) = write(io, UInt(x))
write(io::IO, x::Ref) = x isa Ptr ? error("write cannot copy from a Ptr") : write(io, x[])
# Arrays are written as they lie in memory, elements that lie apart one by one.
check_writable_elements(a) = isbitstype(eltype(a)) || error("`write` is not supported on non-isbits arrays")
function write(io::IO, a::AbstractArray)
    check_writable_elements(a)
    one_element = Vector{eltype(a)}(undef, 1)
    n = 0
    for x in a
        one_element[1] = x
        n += write(io, one_element)
    end
    n
end
function write(io::IO, a::Union{Array, Memory, FastContiguousSubArray{T, N, <:Union{Array, Memory}} where {T, N}})
    check_writable_elements(a)
    isempty(a) ? 0 : unsafe_write(io, Ptr{UInt8}(pointer(a)), UInt(elsize(a) * length(a)))
end
write(io::IO, a::Vector{UInt8}) = isempty(a) ? 0 : unsafe_write(io, pointer(a), UInt(length(a)))
write(io::IO, x::Complex) = write(io, real(x)) + write(io, imag(x))
write(io::IO, x::Rational) = write(io, numerator(x)) + write(io, denominator(x))
@noinline throw_same_stream() = throw(ArgumentError("a stream cannot be written to itself"))
write(to::IO, from::IO) = to === from ? throw_same_stream() : write(to, read(from))
function write_bits(io, u::T, n) where {T}
    one_element = Memory{T}(undef, 1)
    one_element[1] = u
    Int(unsafe_write(io, Ptr{UInt8}(pointer(one_element)), UInt(n)))
end
string_of_char(c::Char) = Host.text_of(c)::String

# Redirection: a stream stands in for a standard one.
redirect_stdout(io::IO) = redirect(stdout, io)
redirect_stderr(io::IO) = redirect(stderr, io)
redirect_stdout() = redirect_to_pipe(stdout)
redirect_stderr() = redirect_to_pipe(stderr)
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
print(io::IO, c::Char) = (write(io, c); nothing)
print(io::IO, c::AbstractChar) = print(io, Char(c))
print(io::IO, s::Symbol) = (write(io, Host.symbol_name(s)); nothing)
function print(io::IO, x, ys...)
    n = io isa GenericIOBuffer ? Host.put_text(io, x, ys...) : print_known(io, x, ys...)
    n > length(ys) && return nothing
    n > 0 || print(io, x)
    for k in max(n, 1):length(ys)
        print(io, ys[k])
    end
    nothing
end
# How many of the values were written at once: strings, characters, numbers and the like, up to another value, or one that the
# program prints by a method of its own.
print_known(io::IO, xs...) = 0
function print_known(io::FileHandle, xs...)
    to = REDIRECTED[io.fd + 1]
    to === nothing || return print_known(to::IO, xs...)
    text = Host.text_of(xs...)
    text === nothing && return 0
    Host.write_bytes(io.fd, text)
    length(xs)
end
print(xs...) = print(stdout, xs...)
print(io::IO) = nothing
println(io::IO, xs...) = (print(io, xs..., "\n"); nothing)
println(xs...) = println(stdout, xs...)
println(io::IO, s::String) = print(io, s, "\n")
println(s::String) = println(stdout, s)
sprint(f::Function, args...; context = nothing, sizehint::Integer = 0) = sprint_with(f, context, args...)
function sprint_with(f, context, args...)
    io = IOBuffer()
    f(context === nothing ? io : context isa Tuple ? IOContext(io, context...) : IOContext(io, context), args...)
    takestring!(io)
end
string() = ""
string(s::String) = s
string(s::AbstractString) = s
string(s::SubString{String}) = String(s)
string(c::Char) = string_of_char(c)
string(s::Symbol) = Host.symbol_name(s)
string(xs...) = string_all(xs)
@assume_effects :total string(xs::Union{String, Symbol, Char}...) = string_all(xs)
function string_all(xs)
    text = Host.text_of(xs...)
    text === nothing ? string_each(xs) : text
end
function string_each(xs)
    io = IOBuffer()
    for x in xs
        print(io, x)
    end
    takestring!(io)
end
repr(x; context = nothing) = sprint_with(show, context, x)
print_to_string(xs...) = string(xs...)
"""
    MIME(type)

A MIME type as an object, by which `show` chooses a format.
"""
struct MIME{mime} end
MIME(s) = MIME{Symbol(s)}()
"""
    MIME"type"

The type of a MIME type's object, for signatures of methods of `show`.
"""
macro MIME_str(s)
    :(MIME{$(QuoteNode(Symbol(s)))})
end
show(x) = show(stdout, x)

# Colours and styles, where a context says that the terminal shows them.
const text_colors = Dict{Union{Symbol, Int}, String}(
    :black => "\e[30m", :red => "\e[31m", :green => "\e[32m", :yellow => "\e[33m", :blue => "\e[34m", :magenta => "\e[35m",
    :cyan => "\e[36m", :white => "\e[37m", :light_black => "\e[90m", :light_red => "\e[91m", :light_green => "\e[92m",
    :light_yellow => "\e[93m", :light_blue => "\e[94m", :light_magenta => "\e[95m", :light_cyan => "\e[96m",
    :light_white => "\e[97m", :gray => "\e[90m", :grey => "\e[90m", :normal => "\e[0m", :default => "\e[39m", :bold => "\e[1m",
    :italic => "\e[3m", :underline => "\e[4m", :blink => "\e[5m", :reverse => "\e[7m", :hidden => "\e[8m", :nothing => "")
const disable_text_style = Dict{Symbol, String}(:bold => "\e[22m", :italic => "\e[23m", :underline => "\e[24m",
    :blink => "\e[25m", :reverse => "\e[27m", :hidden => "\e[28m", :normal => "", :default => "", :nothing => "")
const available_text_colors = Symbol[:black, :red, :green, :yellow, :blue, :magenta, :cyan, :white, :light_black, :light_red,
    :light_green, :light_yellow, :light_blue, :light_magenta, :light_cyan, :light_white, :gray, :grey, :normal, :default,
    :bold, :italic, :underline, :blink, :reverse, :hidden, :nothing]
color_code(color) = color isa Integer && 0 <= color <= 255 ? string("\e[38;5;", color, "m") : get(text_colors, color, text_colors[:default])
function with_output_color(f::Function, color::Union{Int, Symbol}, io::IO, args...; bold::Bool = false, italic::Bool = false,
        underline::Bool = false, blink::Bool = false, reverse::Bool = false, hidden::Bool = false)
    buf = IOBuffer()
    f(IOContext(buf, io), args...)
    text = takestring!(buf)
    get(io, :color, false)::Bool || return print(io, text)
    styles = Symbol[s for (s, on) in ((:bold, bold), (:italic, italic), (:underline, underline), (:blink, blink), (:reverse, reverse), (:hidden, hidden)) if on && s !== color]
    opening = string(color_code(color), (text_colors[s] for s in styles)...)
    # The colour ends last; bold ends before italic.
    closed = Iterators.reverse(sort(styles; by = s -> s !== :italic))
    closing = string((disable_text_style[s] for s in closed)...,
        color isa Symbol ? get(disable_text_style, color, text_colors[:default]) : text_colors[:default])
    started = false
    for line in eachsplit(text, '\n')
        started && print(io, '\n')
        started = true
        isempty(line) || print(io, opening, line, closing)
    end
end
printstyled(io::IO, xs...; bold::Bool = false, italic::Bool = false, underline::Bool = false, blink::Bool = false,
    reverse::Bool = false, hidden::Bool = false, color::Union{Int, Symbol} = :normal) =
    with_output_color(print, color, io, xs...; bold, italic, underline, blink, reverse, hidden)
printstyled(xs...; kws...) = printstyled(stdout, xs...; kws...)
export mark, unmark, reset, ismarked, readavailable, closewrite, isreadonly
