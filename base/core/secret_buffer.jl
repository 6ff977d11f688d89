# Streams in memory for secrets: what they held is overwritten with zeros when it moves, when it is shredded, and at the latest by a
# finalizer.

"""
    Base.SecretBuffer(; sizehint = 128)
    Base.SecretBuffer(text)

A stream in memory whose bytes `Base.shred!` overwrites; its finalizer warns if that was forgotten. `Base.SecretBuffer!` takes
the bytes of an array and overwrites them there.
"""
mutable struct SecretBuffer <: IO
    data::Memory{UInt8}
    size::Int
    ptr::Int
    function SecretBuffer(; sizehint::Integer = 128)
        secret = new(Memory{UInt8}(undef, Int(sizehint)), 0, 1)
        finalizer(shred_late!, secret)
        secret
    end
end
function SecretBuffer(text::AbstractString)
    bytes = codeunits(String(text))
    secret_of(i -> bytes[i], length(bytes))
end
convert(::Type{SecretBuffer}, text::AbstractString) = SecretBuffer(text)
function secret_of(byte, n)
    secret = SecretBuffer(sizehint = n)
    for i in 1:n
        write(secret, byte(i)::UInt8)
    end
    seek(secret, 0)
end
function SecretBuffer!(bytes::AbstractVector{UInt8})
    secret = secret_of(i -> bytes[firstindex(bytes) + i - 1], length(bytes))
    securezero!(bytes)
    secret
end
function unsafe_SecretBuffer!(s::Cstring)
    p = Ptr{UInt8}(s)
    unsafe_SecretBuffer!(p, p == C_NULL ? 0 : ncodeunits(unsafe_string(p)))
end
function unsafe_SecretBuffer!(p::Ptr{UInt8}, n = 1)
    p == C_NULL && throw(ArgumentError("cannot convert NULL to SecretBuffer"))
    secret = secret_of(i -> unsafe_load(p, i), n)
    unsafe_securezero!(p, n)
    secret
end

"""
    Base.shred!(secret)
    Base.shred!(f, secret)

Overwrites a `SecretBuffer` and empties it; with `f`, after `f(secret)`, whose value it returns.
"""
function shred!(secret::SecretBuffer)
    securezero!(secret.data)
    secret.ptr = 1
    secret.size = 0
    secret
end
function shred!(f::Function, secret)
    try
        f(secret)
    finally
        shred!(secret)
    end
end
isshredded(secret::SecretBuffer) = all(iszero, secret.data)
function shred_late!(secret::SecretBuffer)
    # A finalizer may not wait for a stream, as a message does.
    isshredded(secret) ||
        @async @warn "a SecretBuffer was `shred!`ed by the GC; use `shred!` manually after use to minimize exposure."
    shred!(secret)
end

show(io::IO, ::SecretBuffer) = print(io, "SecretBuffer(\"*******\")")
# The time that a comparison takes says nothing of where secrets differ, and a hash nothing of what they are.
function ==(a::SecretBuffer, b::SecretBuffer)
    a.ptr == b.ptr && a.size == b.size || return false
    different = 0x00
    for i in 1:a.size
        different |= xor(a.data[i], b.data[i])
    end
    different == 0x00
end
hash(::SecretBuffer, h::UInt) = hash(SecretBuffer, h)
copy(secret::SecretBuffer) = copy!(SecretBuffer(sizehint = length(secret.data)), secret)
function copy!(to::SecretBuffer, from::SecretBuffer)
    if length(to.data) == length(from.data)
        copyto!(to.data, from.data)
    else
        securezero!(to.data)
        to.data = copy(from.data)
    end
    to.size, to.ptr = from.size, from.ptr
    to
end

function write(io::SecretBuffer, b::UInt8)
    if io.ptr > length(io.data)
        larger = Memory{UInt8}(undef, 2 * (io.size + 16))
        copyto!(larger, io.data)
        securezero!(io.data)
        io.data = larger
    end
    io.data[io.ptr] = b
    io.size = max(io.size, io.ptr)
    io.ptr += 1
    1
end
function write(io::IO, secret::SecretBuffer)
    n = 0
    for i in 1:secret.size
        n += write(io, secret.data[i])
    end
    n
end
# A byte of zero behind the text, which does not count.
function cconvert(::Type{Cstring}, secret::SecretBuffer)
    any(i -> secret.data[i] == 0x00, 1:secret.size) &&
        throw(ArgumentError("`SecretBuffers` containing nul bytes cannot be converted to C strings"))
    at = secret.ptr
    seekend(secret)
    write(secret, 0x00)
    secret.ptr = at
    secret.size -= 1
    secret.data
end

position(io::SecretBuffer) = io.ptr - 1
seek(io::SecretBuffer, n::Integer) = (io.ptr = Int(clamp(n, 0, io.size)) + 1; io)
seekend(io::SecretBuffer) = seek(io, io.size)
skip(io::SecretBuffer, n::Integer) = seek(io, position(io) + n)
bytesavailable(io::SecretBuffer) = io.size - io.ptr + 1
eof(io::SecretBuffer) = io.ptr > io.size
isempty(io::SecretBuffer) = io.size == 0
peek(io::SecretBuffer, ::Type{UInt8}) = eof(io) ? throw_eof() : io.data[io.ptr]
function read(io::SecretBuffer, ::Type{UInt8})
    b = peek(io, UInt8)
    io.ptr += 1
    b
end
