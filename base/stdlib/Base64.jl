# Bytes as text of 64 characters, by RFC 4648.
module Base64

export Base64EncodePipe, base64encode, Base64DecodePipe, base64decode, stringmime

const ALPHABET = collect(UInt8, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
const VALUES = let values = fill(0xff, 256)
    for (k, c) in enumerate(ALPHABET)
        values[c + 1] = k - 1
    end
    values
end

# The text of bytes; groups of three are four characters, and `=` fills the last.
function encoded(bytes)
    out = UInt8[]
    for at in 1:3:length(bytes)
        n = min(3, length(bytes) - at + 1)
        word = UInt32(bytes[at]) << 16 | (n > 1 ? UInt32(bytes[at + 1]) << 8 : 0x0) | (n > 2 ? UInt32(bytes[at + 2]) : 0x0)
        for k in 0:3
            push!(out, k <= n ? ALPHABET[(word >> (18 - 6k)) & 0x3f + 1] : UInt8('='))
        end
    end
    out
end
@noinline invalid() = throw(ArgumentError("malformed base64 sequence"))
# What is no character of the alphabet is passed over, up to the first `=`.
function decoded(text)
    out, word, bits = UInt8[], UInt32(0), 0
    for c in text
        c == UInt8('=') && break
        VALUES[c + 1] == 0xff && continue
        word = (word << 6) | VALUES[c + 1]
        bits += 6
        if bits >= 8
            bits -= 8
            push!(out, (word >> bits) & 0xff)
        end
    end
    bits == 6 ? invalid() : out
end

"""
    base64encode(writefunc, args...)
    base64encode(args...)

What is written, as text of 64 characters.
"""
base64encode(f::Function, args...; context = nothing) = String(encoded(written(f, args, context)))
base64encode(args...; context = nothing) = base64encode(write, args...; context = context)
function written(f, args, context)
    buffer = IOBuffer()
    f(context === nothing ? buffer : IOContext(buffer, context), args...)
    take!(buffer)
end
"""
    base64decode(text)

The bytes that a text of 64 characters stands for.
"""
base64decode(s) = decoded(codeunits(String(s)))

# Streams that encode or decode what goes through another. The end of the text is written when the stream is closed.
struct Base64EncodePipe <: IO
    io::IO
    rest::Vector{UInt8}
    Base64EncodePipe(io::IO) = new(io, UInt8[])
end
function Base.write(p::Base64EncodePipe, byte::UInt8)
    push!(p.rest, byte)
    length(p.rest) == 3 && (write(p.io, encoded(p.rest)); empty!(p.rest))
    1
end
Base.unsafe_write(p::Base64EncodePipe, from::Ptr{UInt8}, n::UInt) = (foreach(k -> write(p, unsafe_load(from, k)), 1:Int(n)); Int(n))
Base.close(p::Base64EncodePipe) = (isempty(p.rest) || write(p.io, encoded(p.rest)); empty!(p.rest); nothing)
Base.isopen(p::Base64EncodePipe) = isopen(p.io)
struct Base64DecodePipe <: IO
    io::IO
    bytes::IOBuffer
    Base64DecodePipe(io::IO) = new(io, IOBuffer())
end
filled(p::Base64DecodePipe) = (eof(p.bytes) && !eof(p.io) && write_back(p, decoded(read(p.io))); p.bytes)
write_back(p, bytes) = (write(p.bytes, bytes); seek(p.bytes, position(p.bytes) - length(bytes)))
Base.eof(p::Base64DecodePipe) = eof(filled(p))
Base.read(p::Base64DecodePipe, ::Type{UInt8}) = read(filled(p), UInt8)
Base.isopen(p::Base64DecodePipe) = isopen(p.io)
Base.close(::Base64DecodePipe) = nothing

"""
    stringmime(mime, x)

How `x` is shown in a form, as text; forms that are no text are encoded.
"""
stringmime(m::MIME, x; context = nothing) = istextmime(m) ? Base.repr(m, x; context = context) : base64encode(show, m, x)
stringmime(m::AbstractString, x; context = nothing) = stringmime(MIME(m), x; context = context)

end
