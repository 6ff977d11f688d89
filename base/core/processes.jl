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
    stdin === nothing || (c = input_from(c, stdin))
    stdout === nothing || (c = output_to(c, stdout, 1, append))
    stderr === nothing || (c = output_to(c, stderr, 2, append))
    c
end
input_from(c, io) = CmdRedirect(c, io, 0, true)
input_from(c, path::AbstractString) = CmdRedirect(c, FileRedirect(path, false), 0, true)
input_from(c, from::AbstractCmd) = OrCmds(from, c)
output_to(c, io, number, append) = CmdRedirect(c, io, number, false)
output_to(c, path::AbstractString, number, append) = CmdRedirect(c, FileRedirect(path, append), number, false)
output_to(c, to::AbstractCmd, number, append) = number == 1 ? OrCmds(c, to) : ErrOrCmds(c, to)
pipeline(a::AbstractCmd, b::AbstractCmd) = OrCmds(a, b)
pipeline(a::AbstractCmd, to) = output_to(a, to, 1, false)
pipeline(from, b::AbstractCmd) = input_from(b, from)
pipeline(a, b, c, d...; kws...) = pipeline(pipeline(a, b), c, d...; kws...)
pipeline(a, b; kws...) = pipeline(pipeline(a, b); kws...)
function show(io::IO, c::Union{OrCmds, ErrOrCmds})
    print(io, "pipeline(")
    show(io, c.a)
    print(io, ", ", c isa ErrOrCmds ? "stderr=" : "stdout=")
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
    # Tasks that copy between buffers here and its standard streams.
    syncd::Vector{Task}
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
process_running(p::Process) = (look_at!(p); p.exitcode == typemin(Int64))
process_exited(p::Process) = !process_running(p)
process_running(c::ProcessChain) = any(process_running, c.processes)
process_exited(c::ProcessChain) = all(process_exited, c.processes)
process_signaled(p::Process) = (look_at!(p); p.termsignal > 0)
process_signaled(c::ProcessChain) = any(process_signaled, c.processes)
Libc.getpid(p::Process) = process_running(p) ? Int32(p.handle) : throw(_UVError("getpid", UV_ESRCH))
function process_status(p::Process)
    process_running(p) ? "ProcessRunning" : p.termsignal > 0 ? string("ProcessSignaled(", p.termsignal, ")") :
        string("ProcessExited(", p.exitcode, ")")
end
show(io::IO, p::Process) = print(io, "Process(", p.cmd, ", ", process_status(p), ")")
function showerror(io::IO, e::ProcessFailedException)
    one = length(e.procs) == 1
    one || println(io, "failed processes:")
    for p in e.procs
        println(io, one ? "failed process: " : "  ", p, " [", p.exitcode, "]")
    end
end
# Notes the end of a process, if it has ended.
function look_at!(p::Process)
    p.exitcode == typemin(Int64) || return nothing
    n = Host.process(:end, p.handle)
    n == typemax(Int) && return nothing
    n < 0 && throw(_UVError("wait", n))
    p.exitcode, p.termsignal = n & 0xffffffff, Int32(n >> 32)
    nothing
end
# Other tasks run while one waits for a process, and for the tasks that copy for it.
function wait(p::Process, syncd::Bool = true)
    pause = FIRST_PAUSE
    while process_running(p)
        pause = rest_for(pause)
    end
    syncd && foreach(wait, p.syncd)
    nothing
end
wait(c::ProcessChain, syncd::Bool = true) = foreach(p -> wait(p, syncd), c.processes)
function kill(p::Process, signal::Integer = SIGTERM)
    n = process_running(p) ? Host.process(:signal, p.handle, Int(signal)) : 0
    n < 0 && n != UV_ESRCH && throw(_UVError("kill", n))
    nothing
end
kill(c::ProcessChain, signal::Integer = SIGTERM) = foreach(p -> kill(p, signal), c.processes)
const SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGPIPE, SIGTERM = 1, 2, 3, 9, 13, 15

# Where a standard stream of a process goes: a number of the system's, those of this program's streams included, or nowhere.
const NO_STREAM = -1
# What starting processes takes, besides the commands.
struct Plan
    # Streams of the system's that only the processes need.
    lent::Vector{Int}
    # Our ends of pipes.
    ours::Vector{IOStream}
    # Streams here and the pipes that stand for them: what is to be copied.
    copies::Vector{Pair{IO, IO}}
    # The end of a pipe that stands for a stream that is written.
    written::IdDict{IO, Int}
end
Plan() = Plan(Int[], IOStream[], Pair{IO, IO}[], IdDict{IO, Int}())
function opened_file(plan, path, number, append)
    bits = number == 0 ? MODE_READ : MODE_WRITE | MODE_CREATE | (append ? MODE_APPEND : MODE_TRUNCATE)
    stream = Host.file_stream(:open, String(path), bits)
    stream < 0 && throw(_UVError(string("open(", repr(path), ")"), stream))
    push!(plan.lent, stream)
    stream
end
system_stream(plan, path::AbstractString, number) = opened_file(plan, path, number, false)
system_stream(plan, file::FileRedirect, number) = opened_file(plan, file.filename, number, file.append)
system_stream(plan, ::DevNull, number) = NO_STREAM
function system_stream(plan, io::IOStream, number)
    check_open(io)
    # A file of the library is none of the system's.
    io.stream < 0 && return copied_stream(plan, io, number)
    io.at_once || settle!(io)
    io.stream
end
system_stream(plan, io::IOContext, number) = system_stream(plan, io.io, number)
system_stream(plan, p::Union{Process, ProcessChain}, number) = system_stream(plan, number == 0 ? p.out : p.in, number)
function system_stream(plan, io::FileHandle, number)
    to = REDIRECTED[io.fd + 1]
    to === nothing || return system_stream(plan, to, number)
    flush(io)
    io.fd
end
# Any other stream: a task copies what it has into a pipe, or what comes out of one. A stream that is written as output and
# errors has one pipe for both, so that the order stays.
system_stream(plan, io::IO, number) = number == 0 ? copied_stream(plan, io, number) :
    get!(() -> copied_stream(plan, io, number), plan.written, io)
function copied_stream(plan, io, number)
    theirs, ours = piped_stream(plan, number)
    push!(plan.copies, number == 0 ? io => ours : ours => io)
    theirs
end
# A pipe to or from a standard stream: the number of the process's end, and our end as a stream, where other tasks run while one
# waits; what is written goes to the process at once.
function piped_stream(plan, number)
    reads, writes = new_pipe()
    theirs, mine = number == 0 ? (reads, writes) : (writes, reads)
    push!(plan.lent, theirs)
    ours = IOStream("<pipe>", mine; readable = number != 0, writable = number == 0, at_once = true)
    push!(plan.ours, ours)
    system_done("pipe", Host.file_stream(:never_wait, mine))
    (theirs, ours)
end
function new_pipe()
    n = Host.process(:pipe)
    n < 0 && throw(_UVError("pipe", n))
    (n & 0xffffffff, n >> 32)
end
# The ends of a pipe, of which one stands in for a standard stream.
function redirect_to_pipe(from)
    reads, writes = new_pipe()
    foreach(n -> system_done("pipe", Host.file_stream(:never_wait, n)), (reads, writes))
    reader = IOStream("<pipe>", reads; readable = true, at_once = true)
    writer = IOStream("<pipe>", writes; writable = true, at_once = true)
    redirect(from, writer)
    (reader, writer)
end
function copy_stream(from, to, is_input)
    try
        while !eof(from)
            write(to, readavailable(from))
        end
    catch problem
        # A process need not read all of its input.
        is_input && problem isa IOError && problem.code == UV_EPIPE || rethrow()
    finally
        close(is_input ? to : from)
    end
end

# Starts the commands of a tree with these standard streams; the processes are added to the list.
function spawn_tree(c::Cmd, streams, plan, out)
    isempty(c.exec) && throw(ArgumentError("cannot spawn empty command"))
    environment = c.env === nothing ? env_entries() : c.env
    handle = Host.process(:spawn, c.exec, environment, c.dir, streams..., c.flags & UV_PROCESS_DETACHED != 0)
    handle < 0 && throw(_UVError(string("could not spawn ", repr(c)), handle))
    push!(out, Process(c, handle, devnull, devnull, devnull, typemin(Int64), Int32(0), Task[]))
end
function spawn_tree(c::CmdRedirect, streams, plan, out)
    n = system_stream(plan, c.handle, c.stream_no)
    spawn_tree(c.cmd, with_stream(streams, c.stream_no, n), plan, out)
end
with_stream(streams, number, n) = ntuple(k -> k == number + 1 ? n : streams[k], 3)
spawn_tree(c::AndCmds, streams, plan, out) = (spawn_tree(c.a, streams, plan, out); spawn_tree(c.b, streams, plan, out))
function spawn_tree(c::Union{OrCmds, ErrOrCmds}, streams, plan, out)
    reads, writes = new_pipe()
    try
        spawn_tree(c.a, with_stream(streams, c isa OrCmds ? 1 : 2, writes), plan, out)
        spawn_tree(c.b, with_stream(streams, 0, reads), plan, out)
    finally
        Host.file_stream(:close, writes)
        Host.file_stream(:close, reads)
    end
end

# Starts a command. A standard stream of `:pipe` becomes a stream here.
function spawn(c::AbstractCmd, stdios::Vararg{Any, 3})
    plan = Plan()
    ends = IO[devnull, devnull, devnull]
    processes = Process[]
    try
        streams = ntuple(3) do k
            stdios[k] === :pipe || return system_stream(plan, stdios[k], k - 1)
            theirs, ends[k] = piped_stream(plan, k - 1)
            theirs
        end
        spawn_tree(c, streams, plan, processes)
    catch
        foreach(close, plan.ours)
        rethrow()
    finally
        foreach(n -> Host.file_stream(:close, n), plan.lent)
    end
    for (from, to) in plan.copies
        copying = @async copy_stream(from, to, to in plan.ours)
        foreach(p -> push!(p.syncd, copying), processes)
    end
    length(processes) == 1 || return ProcessChain(processes, ends...)
    p = processes[1]
    p.in, p.out, p.err = ends
    p
end
process_list(p::Process) = Process[p]
process_list(c::ProcessChain) = c.processes

"""
    run(command, args...; wait = true)

Runs a command and waits for its end; throws a `ProcessFailedException` if it fails.
"""
function run(c::AbstractCmd, args...; wait::Bool = true)
    defaults = wait ? (stdin, stdout, stderr) : (devnull, devnull, devnull)
    p = spawn(c, ntuple(k -> k <= length(args) ? args[k] : defaults[k], 3)...)
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

function open(c::AbstractCmd, mode::AbstractString, stdio = devnull)
    mode in ("r", "w", "r+", "w+") || throw(ArgumentError("mode must be \"r\", \"w\", \"r+\", or \"w+\", not $(repr(mode))"))
    open(c, stdio; read = mode != "w", write = mode != "r")
end
@noinline throw_stdio(mode) = throw(ArgumentError("no stream can be specified for `stdio` in $mode mode"))
function open(c::AbstractCmd, stdio = devnull; write::Bool = false, read::Bool = !write)
    read == write && stdio !== devnull && throw_stdio(read ? "read-write" : "no-access")
    spawn(c, write ? :pipe : stdio, read ? :pipe : stdio, stderr)
end
function open(f::Function, c::AbstractCmd, args...; kws...)
    p = open(c, args...; kws...)
    value = try
        f(p)
    catch
        end_early(p)
        rethrow()
    end
    close(p.in)
    # All of the output must have been read.
    if !eof(p.out)
        end_early(p)
        throw(_UVError("open(do)", UV_EPIPE))
    end
    checked_end(p)
    value
end
# Ends a process by closing its streams, and asks it to end if that does not do within two seconds.
function end_early(p)
    close(p)
    stop = time() + 2
    pause = FIRST_PAUSE
    while process_running(p) && time() < stop
        pause = rest_for(pause)
    end
    kill(p)
    wait(p, false)
end
close(p::Union{Process, ProcessChain}) = (close(p.in); close(p.out); nothing)
closewrite(p::Union{Process, ProcessChain}) = close(p.in)
isopen(p::Union{Process, ProcessChain}) = isopen(p.in) || isopen(p.out)
unsafe_read(p::Union{Process, ProcessChain}, to::Ptr{UInt8}, n::UInt) = unsafe_read(p.out, to, n)
function read(c::AbstractCmd)
    p = open(c, "r")
    bytes = read(p.out)
    checked_end(p)
    bytes
end
read(c::AbstractCmd, ::Type{String}) = String(read(c))
function eachline(c::AbstractCmd; keep::Bool = false)
    p = open(c, "r")
    EachLine(p.out, () -> checked_end(p), keep)
end
readlines(c::AbstractCmd; keep::Bool = false) = collect(eachline(c; keep))
export ProcessFailedException, pipeline, process_exited, process_running, success, kill
