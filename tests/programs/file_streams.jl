# Streams of files: one buffer between blocks of the file, positions while reading and writing, appending, lines across blocks.
using Test
path = tempname()
open(path, "w") do io
    write(io, "hello\n"); print(io, 1, " ", 2.5, '\n')
    @test position(io) == 12
    write(io, 0x41); write(io, 'é'); seek(io, 0); write(io, "J")
    @test_throws ArgumentError read(io, UInt8)
end
@test read(path, String) == "Jello\n1 2.5\nAé"
open(path, "r+") do io
    @test readline(io) == "Jello"
    @test position(io) == 6
    write(io, "X")
    @test position(io) == 7
    @test readline(io) == " 2.5"
    @test read(io, String) == "Aé" && eof(io)
    seekstart(io); @test read(io, 3) == b"Jel"; skip(io, -2); @test read(io, Char) == 'e'
    mark(io); @test read(io, UInt8) == UInt8('l'); reset(io); @test position(io) == 2
    truncate(io, 5); seekend(io); @test position(io) == 5 && filesize(io) == 5
end
open(path, "a+") do io
    @test position(io) == 5
    write(io, " world"); @test position(io) == 11
    seekstart(io); @test read(io, String) == "Jello world"
    seekstart(io); write(io, "!"); seekstart(io); @test read(io, String) == "Jello world!"
end
big = repeat("0123456789abcde\n", 10_000)
write(path, big)
@test read(path, String) == big
io = open(path)
@test countlines(io) == 10000
seekstart(io); @test sum(length, eachline(io)) == 150000; close(io); close(io)
@test !isopen(io)
@test_throws Base.IOError eof(io)
@test readlines(path; keep = true)[end] == "0123456789abcde\n"
open(path, "w") do io; for l in eachline(IOBuffer(big)); println(io, l); end; end
@test read(path, String) == big
@test_throws SystemError open("/nonexistent/x")
@test_throws ArgumentError write(open(path), "x")
r = open(path); w = open(path, "a"); seekend(r); @test eof(r); write(w, "new\n"); flush(w); @test !eof(r) && readline(r) == "new"; close(r); close(w)
v = UInt8[]; io = open(path); @test readbytes!(io, v, 20) == 20 && length(v) == 20; a = zeros(UInt16, 3); read!(io, a); @test position(io) == 26; close(io)
write(path, Float64[1, 2, 3]); @test read!(path, zeros(3)) == [1, 2, 3]
@test open(io -> readuntil(io, 'x'), path, "r") isa String
@test open(path) isa IOStream && sprint(show, open(path)) == "IOStream(<file $path>)"
# A line longer than a block, with both kinds of ends, and none at the end of the file.
long = "x"^200_000
write(path, long, "\r\n", long, "\n\r\n", "end")
@test readlines(path) == [long, long, "", "end"] && open(eof, path) == false
@test open(io -> (readuntil(io, '\r'); read(io, Char)), path) == '\n'
rm(path)
