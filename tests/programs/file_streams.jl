# Streams of files: one buffer between blocks of the file, positions while reading and writing, appending, lines across blocks.
using Test
path = tempname()
open(path, "w") do io
    write(io, "hello\n"); print(io, 1, " ", 2.5, '\n')
    @test position(io) == 12
    write(io, 0x41); write(io, 'é'); seek(io, 0); write(io, "J")
    # There is nothing to read in a stream that is only written.
    @test_throws EOFError read(io, UInt8)
    @test eof(io) && isempty(readline(io))
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
@test !isopen(io) && eof(io)
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

# A stream that is closed has nothing to read, and no places.
write(path, "one\ntwo\n")
io = open(path, "r+")
@test readline(io) == "one"
@test_throws InexactError truncate(io, -1)
@test filesize(io) == 8 && readline(io) == "two"
close(io)
@test readline(io) == "" && bytesavailable(io) == 0 && read(io) == UInt8[] && read(io, String) == "" && isempty(collect(eachline(io)))
@test_throws EOFError read(io, UInt8)
@test_throws EOFError peek(io)
@test_throws SystemError position(io)
@test_throws SystemError seek(io, 0)
@test_throws SystemError truncate(io, 0)
@test_throws Base.IOError filesize(io)
@test_throws ArgumentError write(io, "x")
@test_throws Base.IOError run(pipeline(`echo lost`; stdout = io))
@test read(path, String) == "one\ntwo\n"
rm(path)

# Files whose size says nothing: what the system makes up, and what others write while it is read.
@test length(read(open("/proc/self/status"))) > 100 && length(read("/proc/self/status", String)) > 100
@test startswith(read(open("/proc/self/status"), String), "Name:") && length(open(io -> read(io, 10), "/proc/self/status")) == 10
@test filesize(open("/proc/self/status")) == 0
run(`mkfifo $path`)
writer = run(`sh -c "(echo first; sleep 0.1; echo second) > $path"`; wait = false)
@test open(io -> (readline(io), read(io, String)), path) == ("first", "second\n") && success(writer)
writer = run(`sh -c "head -c 200000 /dev/zero > $path"`; wait = false)
@test length(read(path)) == 200_000 && success(writer)
rm(path)

# Streams that nothing reaches are closed.
# What of the system's is open, without what the runtime opens for itself.
function descriptors()
    targets = (try readlink(path) catch; "" end for path in readdir("/proc/self/fd"; join = true))
    count(path -> startswith(path, "pipe:") || startswith(path, tempdir()), targets)
end
write(path, "text\n"^1000)
before = descriptors()
for k in 1:200
    readline(open(path))
    isodd(k) && first(eachline(path))
end
GC.gc()
@test descriptors() <= before
open(path, "a") do io
    for _ in 1:200
        @test_throws ArgumentError open(io -> write(io, "x"), path)
    end
end
@test descriptors() <= before
rm(path)
