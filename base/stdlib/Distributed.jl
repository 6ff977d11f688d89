# Work on several processes, of which a session has one, number 1: what asks for others is an error.
module Distributed

using Random: AbstractRNG
export @spawn, @spawnat, @fetch, @fetchfrom, @everywhere, @distributed, AbstractWorkerPool, WorkerPool, CachingPool, ClusterManager,
    RemoteChannel, RemoteException, ProcessExitedException, Future, addprocs, rmprocs, nprocs, nworkers, procs, workers, myid,
    remote, remotecall, remotecall_fetch, remotecall_wait, remote_do, pmap, default_worker_pool, clear!, interrupt, channel_from_id

myid() = 1
nprocs() = 1
nworkers() = 1
procs() = [1]
workers() = [1]
procs(pid::Integer) = (check_process(pid); [1])
check_process(pid) = pid == 1 ? nothing : throw(Base.UnsupportedError(:Distributed, string("a session is one process; there is no number ", pid)))
rmprocs(pids...; waitfor = typemax(Int)) = (foreach(check_process, Iterators.flatten(pids)); nothing)
interrupt(pids...) = nothing

abstract type ClusterManager end
abstract type AbstractWorkerPool end
struct WorkerPool <: AbstractWorkerPool end
struct CachingPool <: AbstractWorkerPool end
WorkerPool(pids) = (foreach(check_process, pids); WorkerPool())
CachingPool(pids) = (foreach(check_process, pids); CachingPool())
default_worker_pool() = WorkerPool()
clear!(pool::CachingPool) = pool
Base.@lacked addprocs init_worker start_worker launch manage kill channel_from_id

# What a task of this process made, or the exception with which it ended.
struct RemoteException <: Exception
    pid::Int
    captured::Any
end
Base.showerror(io::IO, e::RemoteException) = (print(io, "On worker ", e.pid, ":\n"); showerror(io, e.captured))
struct ProcessExitedException <: Exception
    worker_id::Int
end
abstract type AbstractRemoteRef end
struct Future <: AbstractRemoteRef
    where::Int
    task::Task
    # What `put!` fills, where no call makes the value.
    slot::Union{Nothing, Channel{Any}}
end
Future(pid::Int, task::Task) = Future(pid, task, nothing)
function Future(pid::Integer = 1)
    check_process(pid)
    slot = Channel{Any}(1)
    Future(1, @async(fetch(slot)), slot)
end
function Base.put!(f::Future, x)
    f.slot === nothing || isready(f.slot) ? error("Future can be set only once") : put!(f.slot, x)
    f
end
function Base.fetch(f::Future)
    try
        fetch(f.task)
    catch e
        throw(RemoteException(f.where, e isa TaskFailedException ? e.task.exception : e))
    end
end
Base.wait(f::Future) = (fetch(f); f)
Base.isready(f::Future) = istaskdone(f.task) || f.slot !== nothing && isready(f.slot)

"""
    remotecall(f, pid, args...; kws...)

Calls `f` in a task of this process, whose number is 1.
"""
remotecall(f, pid::Integer, args...; kws...) = (check_process(pid); Future(1, @async f(args...; kws...)))
remotecall(f, ::AbstractWorkerPool, args...; kws...) = remotecall(f, 1, args...; kws...)
remotecall_fetch(f, pid::Integer, args...; kws...) = (check_process(pid); called(f, args, kws))
remotecall_fetch(f, ::AbstractWorkerPool, args...; kws...) = called(f, args, kws)
function called(f, args, kws)
    try
        f(args...; kws...)
    catch e
        throw(RemoteException(1, e))
    end
end
remotecall_wait(f, pid, args...; kws...) = wait(remotecall(f, pid, args...; kws...))
remote_do(f, pid, args...; kws...) = (remotecall(f, pid, args...; kws...); nothing)
remote(f) = (args...; kws...) -> remotecall_fetch(f, 1, args...; kws...)

# A channel of this process.
struct RemoteChannel{T <: AbstractChannel} <: AbstractRemoteRef
    where::Int
    channel::T
end
RemoteChannel(pid::Integer = 1) = RemoteChannel(() -> Channel{Any}(1), pid)
RemoteChannel(f::Function, pid::Integer = 1) = (check_process(pid); (channel = f(); RemoteChannel{typeof(channel)}(1, channel)))
for f in (:take!, :fetch, :isready, :isopen, :close, :wait, :isempty)
    @eval Base.$f(c::RemoteChannel) = Base.$f(c.channel)
end
Base.put!(c::RemoteChannel, x) = (put!(c.channel, x); c)
Base.iterate(c::RemoteChannel, state...) = iterate(c.channel, state...)
Base.IteratorSize(::Type{<:RemoteChannel}) = Base.SizeUnknown()

"""
    pmap(f, [pool], collections...; on_error, retry_delays, kws...)

`map`, on the processes there are: this one.
"""
pmap(f, pool::AbstractWorkerPool, c, cs...; kws...) = pmap(f, c, cs...; kws...)
function pmap(f, c, cs...; distributed = true, batch_size = 1, on_error = nothing, retry_delays = (), retry_check = nothing)
    isempty(retry_delays) || (f = Base.retry(f; delays = retry_delays, check = something(retry_check, (s, e) -> true)))
    asyncmap(c, cs...; ntasks = 1) do args...
        on_error === nothing && return f(args...)
        try
            f(args...)
        catch e
            on_error(e)
        end
    end
end

macro spawn(ex)
    :(remotecall(() -> $(esc(ex)), 1))
end
macro spawnat(pid, ex)
    :(spawnat($(esc(pid)), () -> $(esc(ex))))
end
spawnat(pid, f) = remotecall(f, pid === :any ? 1 : pid)
macro fetch(ex)
    :(remotecall_fetch(() -> $(esc(ex)), 1))
end
macro fetchfrom(pid, ex)
    :(remotecall_fetch(() -> $(esc(ex)), $(esc(pid))))
end
macro everywhere(ex)
    :(Core.eval(Main, $(Expr(:quote, ex))); nothing)
end
macro everywhere(pids, ex)
    :(foreach(check_process, $(esc(pids))); Core.eval(Main, $(Expr(:quote, ex))); nothing)
end
"""
    @distributed [reducer] for x in xs ... end

The loop on the processes there are: this one. With a reducer its value is that of all turns, without one a task.
"""
macro distributed(args...)
    loop = args[end]
    Meta.isexpr(loop, :for) && length(args) in (1, 2) || throw(ArgumentError("malformed @distributed loop"))
    at, body = loop.args
    Meta.isexpr(at, :(=)) || throw(ArgumentError("malformed @distributed loop"))
    turn = :($(esc(at.args[1])) -> $(esc(body)))
    length(args) == 2 ? :(mapreduce($turn, $(esc(args[1])), $(esc(at.args[2])))) :
        :(let turn = $turn, over = $(esc(at.args[2]))
            @async foreach(turn, over)
        end)
end

end
