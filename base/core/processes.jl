# Processes: commands that run, pipes between them, and streams to and from them. The system starts and ends them
# (`Host.process`); a session without processes refuses.

# What goes into a command or comes out of it: a file, a stream, a buffer, `devnull`.
struct CmdRedirect <: AbstractCmd
    cmd::AbstractCmd
    handle::Any
    # 0 standard input, 1 output, 2 errors.
    stream_no::Int
    readable::Bool
end
# A file that is written, perhaps at its end.
struct FileRedirect
    filename::String
    append::Bool
end
struct OrCmds <: AbstractCmd
    a::AbstractCmd
    b::AbstractCmd
end
struct ErrOrCmds <: AbstractCmd
    a::AbstractCmd
    b::AbstractCmd
end
struct AndCmds <: AbstractCmd
    a::AbstractCmd
    b::AbstractCmd
end
(&)(a::AbstractCmd, b::AbstractCmd) = AndCmds(a, b)
for T in (:AndCmds, :OrCmds, :ErrOrCmds)
    @eval ==(x::$T, y::$T) = x.a == y.a && x.b == y.b
end
ignorestatus(c::AndCmds) = AndCmds(ignorestatus(c.a), ignorestatus(c.b))
ignorestatus(c::Union{OrCmds, ErrOrCmds}) = typeof(c)(ignorestatus(c.a), ignorestatus(c.b))
ignorestatus(c::CmdRedirect) = CmdRedirect(ignorestatus(c.cmd), c.handle, c.stream_no, c.readable)
function pipeline(c::AbstractCmd; stdin = nothing, stdout = nothing, stderr = nothing, append::Bool = false)
    append && stdout === nothing && stderr === nothing && throw(ArgumentError("append set to true, but no output redirections specified"))
    stdin === nothing || (c = CmdRedirect(c, stdin, 0, true))
    stdout === nothing || (c = CmdRedirect(c, written_to(stdout, append), 1, false))
    stderr === nothing || (c = CmdRedirect(c, written_to(stderr, append), 2, false))
    c
end
written_to(path::AbstractString, append) = FileRedirect(path, append)
written_to(io, append) = io
pipeline(a::AbstractCmd, b::AbstractCmd) = OrCmds(a, b)
pipeline(a::AbstractCmd, to) = CmdRedirect(a, written_to(to, false), 1, false)
pipeline(from, b::AbstractCmd) = CmdRedirect(b, from, 0, true)
pipeline(a, b, c, d...; kws...) = pipeline(pipeline(a, b), c, d...; kws...)
pipeline(a, b; kws...) = pipeline(pipeline(a, b); kws...)
function show(io::IO, c::Union{OrCmds, ErrOrCmds})
    print(io, "pipeline(")
    show(io, c.a)
    print(io, ", ", c isa ErrOrCmds ? "stderr=" : "")
    show(io, c.b)
    print(io, ")")
end
function show(io::IO, c::AndCmds)
    show(io, c.a)
    print(io, " & ")
    show(io, c.b)
end
function show(io::IO, c::CmdRedirect)
    print(io, "pipeline(")
    show(io, c.cmd)
    print(io, ", ", get(("stdin", "stdout", "stderr"), c.stream_no + 1, c.stream_no), c.readable ? "<" : ">")
    show(io, c.handle)
    print(io, ")")
end

"""
    Process

A process that was started. Reading and writing are of its standard output and input where `open` made pipes to them.
"""
mutable struct Process <: AbstractPipe
    cmd::Cmd
    handle::Int
    in::IO
    out::IO
    err::IO
    exitcode::Int64
    termsignal::Int32
    # Copies what went into files in place of buffers.
    finish::Vector{Any}
end
mutable struct ProcessChain <: AbstractPipe
    processes::Vector{Process}
    in::IO
    out::IO
    err::IO
end
"""
    ProcessFailedException(procs)

The exception for processes that ended with an error.
"""
struct ProcessFailedException <: Exception
    procs::Vector{Process}
end
ProcessFailedException(p::Process) = ProcessFailedException([p])
pipe_reader(p::Union{Process, ProcessChain}) = p.out
pipe_writer(p::Union{Process, ProcessChain}) = p.in
process_running(p::Process) = (look_at!(p, false); p.exitcode == typemin(Int64))
process_exited(p::Process) = !process_running(p)
process_running(c::ProcessChain) = any(process_running, c.processes)
process_exited(c::ProcessChain) = all(process_exited, c.processes)
process_signaled(p::Process) = (look_at!(p, false); p.termsignal > 0)
process_signaled(c::ProcessChain) = any(process_signaled, c.processes)
Libc.getpid(p::Process) = process_running(p) ? Int32(p.handle) : throw(IOError("getpid: no such process (ESRCH)", -3))
function process_status(p::Process)
    process_running(p) ? "ProcessRunning" : p.termsignal > 0 ? string("ProcessSignaled(", p.termsignal, ")") :
        string("ProcessExited(", p.exitcode, ")")
end
show(io::IO, p::Process) = print(io, "Process(", p.cmd, ", ", process_status(p), ")")
function showerror(io::IO, e::ProcessFailedException)
    if length(e.procs) == 1
        p = e.procs[1]
        print(io, "failed process: ", p, " [", p.termsignal > 0 ? string("signal ", p.termsignal) : p.exitcode, "]")
    else
        print(io, "failed processes:")
        for p in e.procs
            print(io, "\n  ", p, " [", p.termsignal > 0 ? string("signal ", p.termsignal) : p.exitcode, "]")
        end
    end
end
# Notes the end of a process, if it has ended.
function look_at!(p::Process, wait::Bool)
    p.exitcode == typemin(Int64) || return nothing
    n = Host.process(:wait, p.handle, wait)
    n == typemax(Int) && return nothing
    n < 0 && throw(system_io_error("wait", n))
    p.exitcode, p.termsignal = n & 0xffffffff, Int32(n >> 32)
    for f in p.finish
        f()
    end
    empty!(p.finish)
    nothing
end
system_io_error(what, n) = _UVError(what, n)
# Other tasks run while one waits for a process.
function wait(p::Process, syncd::Bool = true)
    pause = 0.0002
    while true
        look_at!(p, false)
        p.exitcode == typemin(Int64) || return nothing
        sleep(pause)
        pause = min(2pause, 0.01)
    end
end
wait(c::ProcessChain, syncd::Bool = true) = foreach(wait, c.processes)
function kill(p::Process, signal::Integer = SIGTERM)
    n = process_running(p) ? Host.process(:signal, p.handle, Int(signal)) : 0
    n < 0 && n != -3 && throw(system_io_error("kill", n))
    nothing
end
kill(c::ProcessChain, signal::Integer = SIGTERM) = foreach(p -> kill(p, signal), c.processes)
const SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGPIPE, SIGTERM = 1, 2, 3, 9, 13, 15

# Where a standard stream of a process goes: a number of the system's, and what is to close or to do afterwards.
const INHERITED, NO_STREAM, OUR_ERRORS = -1, -2, -3
mutable struct Plan
    close_after::Vector{Int}
    finish::Vector{Any}
end
Plan() = Plan(Int[], Any[])
function opened_file(plan, path, number, append)
    bits = number == 0 ? 1 : 2 | 4 | (append ? 16 : 8)
    stream = Host.file_stream(:open, String(path), bits)
    stream < 0 && throw(SystemError(string("opening file ", repr(path)), -stream))
    push!(plan.close_after, stream)
    stream
end
# A file without a name, for the bytes of a buffer.
function nameless_file(plan)
    path = tempname()
    stream = Host.file_stream(:open, path, 1 | 2 | 4 | 8)
    stream < 0 && throw(SystemError(string("opening file ", repr(path)), -stream))
    rm(path)
    stream
end
system_stream(plan, n::Int, number) = n
system_stream(plan, path::AbstractString, number) = opened_file(plan, path, number, false)
system_stream(plan, file::FileRedirect, number) = opened_file(plan, file.filename, number, file.append)
system_stream(plan, ::DevNull, number) = NO_STREAM
system_stream(plan, io::IOStream, number) =
    (number == 0 ? (io.dirty || io.at_once || seek(io, position(io))) : flush(io); io.stream)
system_stream(plan, io::IOContext, number) = system_stream(plan, io.io, number)
system_stream(plan, p::Union{Process, ProcessChain}, number) = system_stream(plan, number == 0 ? p.out : p.in, number)
function system_stream(plan, io::FileHandle, number)
    to = REDIRECTED[io.fd + 1]
    to === nothing || return system_stream(plan, to, number)
    flush(io)
    io.fd == number ? INHERITED : io.fd == 2 ? OUR_ERRORS : INHERITED
end
# Any other stream: what it has is copied into a file first, what is written for it is copied out of one at the end.
function system_stream(plan, io::IO, number)
    stream = nameless_file(plan)
    if number == 0
        bytes = read(io)
        system_done("write", Host.file_stream(:write, stream, bytes, 0, length(bytes)))
        system_done("seek", Host.file_stream(:seek, stream, 0, 0))
        push!(plan.close_after, stream)
    else
        push!(plan.finish, () -> begin
            copy = IOStream("<output>", stream, true, false, false, stream_buffer(""), false, true, -1)
            seekstart(copy)
            write(io, read(copy))
            close(copy)
        end)
    end
    stream
end

# Starts the commands of a tree with these standard streams; the processes are added to the list.
function spawn_tree(c::Cmd, streams, plan, out)
    isempty(c.exec) && throw(ArgumentError("cannot spawn empty command"))
    flush(stdout)
    environment = c.env === nothing ? byteenv(ENV) : c.env
    handle = Host.process(:spawn, c.exec, environment, c.dir, streams[1], streams[2], streams[3], c.flags & 0x8 != 0)
    if handle < 0
        foreach(n -> Host.file_stream(:close, n), plan.close_after)
        throw(system_io_error(string("could not spawn ", repr(c)), handle))
    end
    push!(out, Process(c, handle, devnull, devnull, devnull, typemin(Int64), Int32(0), Any[]))
end
function spawn_tree(c::CmdRedirect, streams, plan, out)
    n = system_stream(plan, c.handle, c.stream_no)
    spawn_tree(c.cmd, ntuple(k -> k == c.stream_no + 1 ? n : streams[k], 3), plan, out)
end
spawn_tree(c::AndCmds, streams, plan, out) = (spawn_tree(c.a, streams, plan, out); spawn_tree(c.b, streams, plan, out))
function spawn_tree(c::Union{OrCmds, ErrOrCmds}, streams, plan, out)
    reads, writes = new_pipe()
    try
        spawn_tree(c.a, c isa OrCmds ? (streams[1], writes, streams[3]) : (streams[1], streams[2], writes), plan, out)
        Host.file_stream(:close, writes)
        writes = -1
        spawn_tree(c.b, (reads, streams[2], streams[3]), plan, out)
    finally
        Host.file_stream(:close, reads)
        writes == -1 || Host.file_stream(:close, writes)
    end
end
function new_pipe()
    n = Host.process(:pipe)
    n < 0 && throw(system_io_error("pipe", n))
    (n & 0xffffffff, n >> 32)
end
# A pipe's end as a stream; what is written goes to the process at once.
function pipe_end(stream, reads)
    Host.file_stream(:never_wait, stream)
    io = IOStream("<pipe>", stream, reads, !reads, false, stream_buffer(""), false, true, -1)
    io.at_once = true
    io
end

# Starts a command. A standard stream of `:pipe` becomes a stream here.
function spawn(c::AbstractCmd, stdios::Vararg{Any, 3})
    plan = Plan()
    ours = Any[devnull, devnull, devnull]
    numbers = [INHERITED, INHERITED, INHERITED]
    for k in 1:3
        if stdios[k] === :pipe
            reads, writes = new_pipe()
            numbers[k] = k == 1 ? reads : writes
            push!(plan.close_after, numbers[k])
            ours[k] = pipe_end(k == 1 ? writes : reads, k != 1)
        else
            numbers[k] = system_stream(plan, stdios[k], k - 1)
        end
    end
    processes = Process[]
    spawn_tree(c, (numbers...,), plan, processes)
    foreach(n -> Host.file_stream(:close, n), plan.close_after)
    append!(last(processes).finish, plan.finish)
    if length(processes) == 1
        p = processes[1]
        p.in, p.out, p.err = ours
        return p
    end
    ProcessChain(processes, ours...)
end
process_list(p::Process) = Process[p]
process_list(c::ProcessChain) = c.processes
# What a process inherits by default: this program's streams.
standard_streams() = (stdin, stdout, stderr)

"""
    run(command, args...; wait = true)

Runs a command and waits for its end; throws a `ProcessFailedException` if it fails.
"""
function run(c::AbstractCmd, args...; wait::Bool = true)
    streams = (length(args) >= 1 ? args[1] : wait ? stdin : devnull, length(args) >= 2 ? args[2] : wait ? stdout : devnull,
        length(args) >= 3 ? args[3] : stderr)
    p = spawn(c, streams...)
    wait && checked_end(p)
    p
end
failed(p::Process) = !p.cmd.ignorestatus && (p.exitcode != 0 || p.termsignal > 0)
function checked_end(p)
    wait(p)
    bad = filter(failed, process_list(p))
    isempty(bad) || throw(ProcessFailedException(bad))
    nothing
end
"""
    success(command)
    success(process)

Whether a command, or a process when it has ended, had exit code 0.
"""
success(p::Union{Process, ProcessChain}) = (wait(p); all(q -> q.exitcode == 0 && q.termsignal == 0, process_list(p)))
success(c::AbstractCmd) = success(run(c, devnull, devnull, devnull; wait = false))

open(c::AbstractCmd, mode::AbstractString, stdio = devnull) =
    mode == "r" ? open(c, stdio; read = true) : mode == "w" ? open(c, stdio; write = true) :
    mode == "r+" ? open(c, stdio; read = true, write = true) : throw(ArgumentError("mode must be \"r\" or \"w\", not \"$mode\""))
function open(c::AbstractCmd, stdio::Union{IO, AbstractString, Nothing} = devnull; write::Bool = false, read::Bool = !write)
    stdio = stdio === nothing ? devnull : stdio
    write && read && return spawn(c, :pipe, :pipe, stderr)
    write ? spawn(c, :pipe, stdio, stderr) : spawn(c, stdio, :pipe, stderr)
end
function open(f::Function, c::AbstractCmd, args...; kws...)
    p = open(c, args...; kws...)
    value = try
        f(p)
    catch
        kill(p)
        close(p)
        rethrow()
    end
    close(p.in)
    # A reader that stops early is no failure of the process: what is left is read.
    p.out isa DevNull || read(p.out)
    close(p)
    checked_end(p)
    value
end
close(p::Union{Process, ProcessChain}) = (close(p.in); close(p.out); nothing)
closewrite(p::Union{Process, ProcessChain}) = close(p.in)
isopen(p::Union{Process, ProcessChain}) = isopen(p.in) || isopen(p.out)
unsafe_read(p::Union{Process, ProcessChain}, to::Ptr{UInt8}, n::UInt) = unsafe_read(p.out, to, n)
function read(c::AbstractCmd)
    p = open(c, "r")
    bytes = read(p.out)
    close(p)
    checked_end(p)
    bytes
end
read(c::AbstractCmd, ::Type{String}) = String(read(c))
readline(c::AbstractCmd; keep::Bool = false) = open(io -> readline(io; keep), c)
function eachline(c::AbstractCmd; keep::Bool = false)
    p = open(c, "r")
    EachLine(p.out, () -> (close(p); checked_end(p)), keep)
end
readlines(c::AbstractCmd; keep::Bool = false) = collect(eachline(c; keep))
export ProcessFailedException, pipeline, process_exited, process_running, success, kill
