# Channels: what one task puts, another takes, first in, first out. One without room hands over from task to task.

"""
    AbstractChannel{T}

The supertype of channels.
"""
abstract type AbstractChannel{T} end
mutable struct Channel{T} <: AbstractChannel{T}
    const cond_take::GenericCondition{ReentrantLock}    # waits for something to take
    const cond_wait::GenericCondition{ReentrantLock}    # waits for something to be there
    const cond_put::GenericCondition{ReentrantLock}     # waits for room
    state::Symbol
    excp::Union{Exception, Nothing}
    const data::Vector{T}
    n_avail_items::Int
    const sz_max::Int
    function Channel{T}(size::Integer = 0) where {T}
        size < 0 && throw(ArgumentError("Channel size must be either 0, a positive integer or Inf"))
        l = ReentrantLock()
        new{T}(GenericCondition(l), GenericCondition(l), GenericCondition(l), :open, nothing, T[], 0, size)
    end
end
Channel{T}(size::Float64) where {T} = Channel{T}(size == Inf ? typemax(Int) : Int(size))
Channel(size = 0) = Channel{Any}(size)
Channel(f::Function, size; kws...) = Channel{Any}(f, size; kws...)
# The form that names the type and the size, in which the keywords say both.
Channel(f::Function; ctype::Type = Any, csize = 0, kws...) = Channel{ctype}(f, csize; kws...)
function Channel{T}(f::Function, size = 0; taskref = nothing, spawn::Bool = false, threadpool = nothing) where {T}
    threadpool in (nothing, :default, :interactive) ||
        throw(ArgumentError(LazyString("the thread pool of a channel's task is :default or :interactive, not ", repr(threadpool))))
    spawn |= threadpool !== nothing
    c = Channel{T}(size)
    t = Task(() -> f(c))
    t.sticky = !spawn
    spawn && (t.pool = threadpool === nothing ? :default : threadpool)
    bind(c, t)
    taskref === nothing || (taskref[] = t)
    spawn ? schedule(t) : yield(t)
    c
end
Channel{T}(f::Function, size, spawn::Bool) where {T} = Channel{T}(f, size; spawn)

struct InvalidStateException <: Exception
    msg::String
    state::Symbol
end
showerror(io::IO, e::InvalidStateException) = print(io, "InvalidStateException: ", e.msg)
closed_exception() = InvalidStateException("Channel is closed.", :closed)
isbuffered(c::Channel) = c.sz_max != 0
function check_channel_state(c::Channel)
    isopen(c) && return nothing
    throw(c.excp === nothing ? closed_exception() : c.excp)
end
isopen(c::Channel) = c.state === :open
isreadable(c::Channel) = isopen(c) || isready(c)
iswritable(c::Channel) = isopen(c)
close(c::Channel) = close(c, closed_exception())
function close(c::Channel, excp::Exception)
    lock(c) do
        c.state, c.excp = :closed, excp
        notify_error(c.cond_take, excp)
        notify_error(c.cond_wait, excp)
        notify_error(c.cond_put, excp)
    end
    nothing
end

# The channel closes when the task ends, and with what it throws.
function bind(c::Channel, t::Task)
    at_end(t, () -> close_with(c, t))
    istaskdone(t) && close_with(c, t)
    c
end
function close_with(c::Channel, t::Task)
    isopen(c) || return nothing
    istaskfailed(t) ? close(c, TaskFailedException(t)) : close(c)
end
# Tasks that run functions of as many channels, and close them when they end.
function channeled_tasks(n::Int, funcs...; ctypes = fill(Any, n), csizes = fill(0, n))
    length(csizes) == n || throw(AssertionError("length(csizes) == n"))
    length(ctypes) == n || throw(AssertionError("length(ctypes) == n"))
    chnls = map(i -> Channel{ctypes[i]}(csizes[i]), 1:n)
    tasks = Task[Task(() -> f(chnls...)) for f in funcs]
    foreach(t -> foreach(c -> bind(c, t), chnls), tasks)
    foreach(schedule, tasks)
    yield()
    chnls, tasks
end

lock(c::Channel) = lock(c.cond_take)
lock(f, c::Channel) = lock(f, c.cond_take)
unlock(c::Channel) = unlock(c.cond_take)
trylock(c::Channel) = trylock(c.cond_take)
islocked(c::Channel) = islocked(c.cond_take)

function put!(c::Channel{T}, v) where {T}
    check_channel_state(c)
    x = convert(T, v)
    # Nothing waits and there is room: no task can come between.
    if length(c.data) < c.sz_max && is_quiet(c)
        push!(c.data, x)
        c.n_avail_items += 1
        return x
    end
    isbuffered(c) || return put_unbuffered(c, x)
    lock(c)
    try
        return put_buffered(c, x)
    finally
        unlock(c)
    end
end
function put_buffered(c::Channel, v)
    c.n_avail_items += 1
    added = false
    try
        while length(c.data) == c.sz_max
            check_channel_state(c)
            wait(c.cond_put)
        end
        check_channel_state(c)
        push!(c.data, v)
        added = true
        notify(c.cond_take, nothing, true, false)
        notify(c.cond_wait, nothing, true, false)
    finally
        added || (c.n_avail_items -= 1)
    end
    v
end
# The taker runs at once: it needs the lock.
function put_unbuffered(c::Channel, v)
    lock(c)
    c.n_avail_items += 1
    taker = try
        while isempty(c.cond_take.waitq)
            check_channel_state(c)
            notify(c.cond_wait)
            wait(c.cond_put)
        end
        check_channel_state(c)
        popfirst!(c.cond_take.waitq)
    finally
        c.n_avail_items -= 1
        unlock(c)
    end
    schedule(taker, v)
    yield()
    v
end

is_quiet(c::Channel) = c.cond_take.lock.locked_by === nothing && isempty(c.cond_take.waitq) && isempty(c.cond_wait.waitq) &&
    isempty(c.cond_put.waitq)
function take!(c::Channel)
    if !isempty(c.data) && is_quiet(c)
        c.n_avail_items -= 1
        return popfirst!(c.data)
    end
    lock(c)
    try
        return isbuffered(c) ? take_buffered(c) : take_unbuffered(c)
    finally
        unlock(c)
    end
end
function take_buffered(c::Channel)
    while isempty(c.data)
        check_channel_state(c)
        wait(c.cond_take)
    end
    v = popfirst!(c.data)
    c.n_avail_items -= 1
    notify(c.cond_put, nothing, false, false)
    v
end
function take_unbuffered(c::Channel{T}) where {T}
    check_channel_state(c)
    notify(c.cond_put, nothing, false, false)
    wait(c.cond_take)::T
end
popfirst!(c::Channel) = take!(c)
push!(c::Channel, v) = (put!(c, v); c)

function fetch(c::Channel)
    isbuffered(c) || error("`fetch` is not supported on an unbuffered Channel.")
    lock(c) do
        while isempty(c.data)
            check_channel_state(c)
            wait(c.cond_take)
        end
        c.data[1]
    end
end
isready(c::Channel) = n_avail(c) > 0
isempty(c::Channel) = n_avail(c) == 0
n_avail(c::Channel) = max(isbuffered(c) ? length(c.data) : 0, c.n_avail_items, 0)
isfull(c::Channel) = n_avail(c) >= c.sz_max
length(c::Channel) = length(c.data)
function wait(c::Channel)
    isready(c) && return nothing
    lock(c) do
        while !isready(c)
            check_channel_state(c)
            wait(c.cond_wait)
        end
    end
    nothing
end
eltype(::Type{Channel{T}}) where {T} = T
IteratorSize(::Type{<:Channel}) = SizeUnknown()
function iterate(c::Channel, state = nothing)
    if isopen(c) || isready(c)
        try
            return (take!(c), nothing)
        catch err
            err isa InvalidStateException && err.state === :closed && return nothing
            rethrow()
        end
    end
    c.excp === nothing || c.excp isa InvalidStateException && c.excp.state === :closed || throw(c.excp)
    nothing
end
function empty!(c::Channel)
    lock(c) do
        c.n_avail_items -= length(c.data)
        empty!(c.data)
        notify(c.cond_put)
    end
    c
end
show(io::IO, c::Channel) = print(io, typeof(c), "(", c.sz_max, ")")
function show(io::IO, ::MIME"text/plain", c::Channel)
    show(io, c)
    get(io, :compact, false) && return nothing
    n = n_avail(c)
    print(io, !isopen(c) ? " (closed)" : n == 0 ? " (empty)" : string(" (", n, " item", n == 1 ? "" : "s", " available)"))
end

export bind, isfull
