# Streams of processes: errors into another command, one buffer for two streams, order, redirection, descriptors.
using Test

# Errors, or output, go into another command.
@test read(pipeline(`sh -c 'echo out; echo err >&2'`; stderr = `tr a-z A-Z`), String) in ("out\nERR\n", "ERR\nout\n")
@test read(pipeline(`sh -c 'echo err >&2'`; stdout = devnull, stderr = `sed s/^/2/`), String) == "2err\n"
@test read(pipeline(`echo b`; stdout = `cat`), String) == "b\n" && read(pipeline(`cat`; stdin = `echo c`), String) == "c\n"
commands = pipeline(`sh -c 'exit 1'`; stderr = `cat`)
@test commands isa Base.ErrOrCmds && commands == pipeline(`sh -c 'exit 1'`; stderr = `cat`)
@test repr(commands) == "pipeline(`sh -c 'exit 1'`, stderr=`cat`)" && repr(pipeline(`a`, `b`)) == "pipeline(`a`, stdout=`b`)"
failure = try run(commands); catch problem; problem end
@test failure isa ProcessFailedException && length(failure.procs) == 1 && length(run(ignorestatus(commands)).processes) == 2

# The same buffer as output and errors: in the order in which they were written.
both = IOBuffer()
run(pipeline(`sh -c 'echo 1 >&2; echo 2; echo 3 >&2; echo 4'`; stdout = both, stderr = both))
@test String(take!(both)) == "1\n2\n3\n4\n"
# What a process writes is there while it runs.
process = run(pipeline(`sh -c 'echo early; exec sleep 30'`; stdout = both); wait = false)
for _ in 1:500
    both.size > 0 && break
    sleep(0.01)
end
@test String(take!(both)) == "early\n" && process_running(process)
kill(process)
wait(process)
# Much input and output, by tasks; input that is not read is no error.
much = "0123456789abcde\n"^20_000
run(pipeline(`cat`; stdin = IOBuffer(much), stdout = both))
@test String(take!(both)) == much
@test success(run(pipeline(`true`; stdin = IOBuffer(much)))) && read(pipeline(IOBuffer(much), `head -n 1`), String) == "0123456789abcde\n"

# Standard output in place of standard error, and where they have been redirected.
path = tempname()
open(path, "w") do io
    redirect_stdout(io) do
        println("1")
        run(`echo 2`)
        print("3\n")
        run(pipeline(`sh -c 'echo 4 >&2'`; stderr = stdout))
        redirect_stderr(stdout) do
            println(stderr, "5")
            run(`sh -c 'echo 6 >&2; echo 7'`)
        end
        println("8")
        run(`sh -c 'echo 9' ` & `sh -c 'sleep 0.1; echo 10'`)
    end
end
@test readlines(path) == string.(1:10)
rm(path)
redirect_stdout(both) do
    println("1")
    run(`echo 2`)
    println("3")
end
@test String(take!(both)) == "1\n2\n3\n"
reader, writer = redirect_stdout()
print("printed ")
run(`echo and written`)
run(`seq 1 20000`, devnull, stdout; wait = false)
redirect_stdout(stdout)
close(writer)
@test readline(reader) == "printed and written" && parse.(Int, readlines(reader)) == 1:20000 && !isopen(reader)
reads_some = open(path, "w+")
write(reads_some, "a\nb\n")
seekstart(reads_some)
@test readline(reads_some) == "a" && read(pipeline(reads_some, `cat`), String) == "b\n"
close(reads_some)
rm(path)

# Writing to a process that has ended.
ended = open(`true`, "w")
wait(ended)
@test_throws Base.IOError write(ended, "x")
@test_throws "broken pipe (EPIPE)" println(ended, "x")
close(ended)
@test_throws Base.IOError write(ended, "x")
# A closed stream is none that a process can have.
file = open(tempname(), "w")
close(file)
other = tempname()
open(other, "w") do io
    @test_throws Base.IOError run(pipeline(`echo lost`; stdout = file))
    @test_throws Base.IOError run(pipeline(`cat`; stdin = file))
end
@test filesize(other) == 0

# No descriptors are left: of processes that end, of those that do not start, of streams that are read to their end.
# Pipes and the files of this program that are open, without what the runtime opens for itself.
function descriptors()
    targets = (try readlink(path) catch; "" end for path in readdir("/proc/self/fd"; join = true))
    count(path -> startswith(path, "pipe:") || startswith(path, joinpath(tempdir(), "jl_")), targets)
end
before = descriptors()
for _ in 1:20
    @test read(`echo x`) == b"x\n"
    @test readlines(pipeline(`echo x`, `cat`)) == ["x"]
    run(pipeline(`cat`; stdin = IOBuffer("x"), stdout = both, stderr = devnull))
    run(pipeline(`echo x`; stdout = other, append = true))
    reads = open(`cat`, "r+")
    close(reads.in)
    @test eof(reads)
end
@test descriptors() <= before
missing_command = `kiln-has-no-such-program`
failing = (() -> run(missing_command), () -> read(missing_command), () -> open(missing_command, "r+"),
    () -> run(pipeline(`true`, missing_command, `cat`)), () -> run(pipeline(missing_command; stderr = `cat`)),
    () -> run(pipeline(missing_command; stdin = IOBuffer("x"), stdout = both, stderr = other)),
    () -> run(pipeline(`true`; stdout = "/nonexistent/file")), () -> run(pipeline(`true`; stdin = file)))
for k in 1:200
    @test_throws Base.IOError failing[mod1(k, 8)]()
end
@test_throws ArgumentError run(pipeline(``; stdout = other))
@test descriptors() <= before
for _ in 1:50
    open(`true`)
end
GC.gc()
@test descriptors() <= before
rm(other)
