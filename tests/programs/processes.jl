# Commands: what they print, how they end, pipes between them, streams to and from them, files and buffers in place of streams.
using Test

@test read(`echo hello`, String) == "hello\n" && read(`printf 'a b'`) == b"a b" && readchomp(`echo x`) == "x"
@test readlines(`printf 'a\nb\r\nc'`) == ["a", "b", "c"] && collect(eachline(`printf '1\n2\n'`; keep = true)) == ["1\n", "2\n"]
words = ["two words", "\$x", "'"]
@test read(`printf '%s|' $words`, String) == "two words|\$x|'|"
@test success(`true`) && !success(`false`) && success(pipeline(`true`, `true`)) && !success(pipeline(`false`, `true`))

p = run(`sh -c 'exit 3'`; wait = false)
@test p isa Base.Process && (wait(p); process_exited(p)) && !process_running(p) && p.exitcode == 3 && p.termsignal == 0
failure = try run(`sh -c 'exit 3'`); catch problem; problem end
@test failure isa ProcessFailedException && length(failure.procs) == 1
@test sprint(showerror, failure) == "failed process: Process(`sh -c 'exit 3'`, ProcessExited(3)) [3]\n"
@test run(ignorestatus(`false`)).exitcode == 1
@test_throws ProcessFailedException read(`false`)
@test_throws ProcessFailedException run(pipeline(`false`, `true`))
@test_throws Base.IOError run(`kiln-has-no-such-program`)
@test_throws ArgumentError run(``)
killed = run(`sleep 30`; wait = false)
@test process_running(killed) && kill(killed, 0) === nothing && process_running(killed)
kill(killed)
wait(killed)
kill(killed, 0)
@test_throws Base.IOError kill(run(`sleep 0.2`; wait = false), typemax(Cint))
@test killed.termsignal == 15 && !success(killed) && sprint(show, killed) == "Process(`sleep 30`, ProcessSignaled(15))"

# Pipes of several stages; much data, more than a pipe holds.
@test read(pipeline(`printf 'b\na\nc\n'`, `sort`, `head -n 2`), String) == "a\nb\n"
@test length(read(pipeline(`head -c 1000000 /dev/zero`, `cat`))) == 1_000_000
@test_throws ProcessFailedException run(pipeline(`yes`, `head`, devnull))
@test sort(split(read(`echo a` & `echo b`, String))) == ["a", "b"]

# Files, buffers and nothing in place of the standard streams.
path = tempname()
run(pipeline(`echo one`, path))
run(pipeline(`echo two`; stdout = path, append = true))
@test read(path, String) == "one\ntwo\n" && read(pipeline(path, `wc -l`), String) |> strip == "2"
@test read(pipeline(`cat`; stdin = IOBuffer("from a buffer")), String) == "from a buffer"
output, errors = IOBuffer(), IOBuffer()
run(pipeline(`sh -c 'echo out; echo err >&2'`; stdout = output, stderr = errors))
@test String(take!(output)) == "out\n" && String(take!(errors)) == "err\n"
run(pipeline(`echo unseen`; stdout = devnull))
open(path, "w") do io
    println(io, "first")
    run(pipeline(`echo second`; stdout = io))
    println(io, "third")
end
@test read(path, String) == "first\nsecond\nthird\n"
rm(path)

# Streams to and from a command.
@test open(io -> read(io, String), `echo read`) == "read\n"
# The output must have been read: what is left ends the process, and is an error.
@test_throws Base.IOError open(readline, `printf '1\n2\n3\n'`)
@test_throws "open(do): broken pipe (EPIPE)" open(readline, `yes`)
@test_throws ErrorException open(io -> error("within"), `yes`)
@test open(io -> (readline(io), read(io, String)), `printf '1\n2\n'`) == ("1", "2\n")
path = tempname()
open(pipeline(`tr a-z A-Z`, path), "w") do io
    write(io, "written\n")
    print(io, "in ", 2, " parts\n")
end
@test read(path, String) == "WRITTEN\nIN 2 PARTS\n"
rm(path)
both = open(`cat`, "r+")
println(both, "there and back")
@test readline(both) == "there and back"
close(both.in)
@test eof(both) && (wait(both); both.exitcode == 0)
@test_throws ProcessFailedException open(io -> read(io), `sh -c 'echo x; exit 1'`)

# The environment and the directory.
@test read(setenv(`sh -c 'echo $KILN_WORD'`, "KILN_WORD" => "set", "PATH" => ENV["PATH"]), String) == "set\n"
@test withenv(() -> read(`sh -c 'echo $KILN_WORD'`, String), "KILN_WORD" => "inherited") == "inherited\n"
@test read(addenv(`sh -c 'echo $KILN_WORD'`, "KILN_WORD" => "added"), String) == "added\n"
@test strip(read(Cmd(`pwd`; dir = "/"), String)) == "/"
# Other tasks run while one waits.
order = String[]
@sync begin
    @async (run(`sleep 0.1`); push!(order, "slept"))
    @async push!(order, "ran")
end
@test order == ["ran", "slept"]
# A task writes more than a pipe holds while another reads.
much = "0123456789abcde\n"^20_000
echoed = open(`cat`, "r+")
@async (write(echoed, much); close(echoed.in))
@test read(echoed, String) == much
