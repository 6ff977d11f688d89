# Streams for secrets are overwritten; streams between tasks wait.
using Test
using Base: SecretBuffer, SecretBuffer!, shred!, isshredded

bytes = UInt8[0x73, 0x65]
secret = SecretBuffer!(bytes)
@test bytes == [0x00, 0x00]
@test secret == SecretBuffer("se")
@test secret != SecretBuffer("si")
@test sprint(show, secret) == "SecretBuffer(\"*******\")"
@test peek(secret) == 0x73
@test read(secret, String) == "se" && eof(secret)
before = secret.data
write(secret, "cret" ^ 20)
@test all(iszero, before)
@test read(seekstart(secret), String) == "se" * "cret" ^ 20
other = copy(secret)
@test shred!(secret) === secret && isshredded(secret) && isempty(secret)
@test !isshredded(other)
@test shred!(it -> read(seekstart(it), 2), other) == b"se"
@test isshredded(other)
@test_throws ArgumentError Base.unsafe_SecretBuffer!(Ptr{UInt8}(C_NULL))
@test_throws ArgumentError Base.cconvert(Cstring, SecretBuffer!([0x00]))

stream = Base.BufferStream()
got = String[]
reader = @async for line in eachline(stream)
    push!(got, line)
end
write(stream, "first\nsec")
yield()
@test got == ["first"]
write(stream, "ond\n")
yield()
@test got == ["first", "second"]
@test sprint(show, stream) == "BufferStream(bytes waiting=0, isopen=true)"
closewrite(stream)
wait(reader)
@test eof(stream) && !isopen(stream)
@test_throws Base.IOError write(stream, "x")

stream = Base.BufferStream()
@async (write(stream, UInt8[1, 2]); write(stream, UInt8[3, 4, 5]); close(stream))
@test read(stream, 4) == [1, 2, 3, 4]
@test read(stream) == [5]
