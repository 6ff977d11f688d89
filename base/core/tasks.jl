# Tasks and channels for one thread: a task runs to its end when it is scheduled.

mutable struct Task
    code::Any
    state::Symbol       # :runnable, :done, :failed
    result::Any
    Task(f) = new(f, :runnable, nothing)
end
struct TaskFailedException <: Exception
    task::Task
end
function showerror(io::IO, e::TaskFailedException)
    println(io, "TaskFailedException\n\n    nested task error: ")
    showerror(io, e.task.result)
end
function schedule(t::Task)
    t.state === :runnable || error("schedule: Task not runnable")
    try
        t.result = t.code()
        t.state = :done
    catch err
        t.result = err
        t.state = :failed
    end
    t
end
function wait(t::Task)
    t.state === :runnable && schedule(t)
    t.state === :failed && throw(TaskFailedException(t))
    nothing
end
fetch(t::Task) = (wait(t); t.result)
fetch(x) = x
istaskdone(t::Task) = t.state !== :runnable
istaskstarted(t::Task) = t.state !== :runnable
istaskfailed(t::Task) = t.state === :failed
errormonitor(t::Task) = (istaskfailed(t) && (print(stderr, "Unhandled Task "); showerror(stderr, TaskFailedException(t)); println(stderr)); t)
yield() = nothing
show(io::IO, t::Task) = print(io, "Task (", t.state, ")")

# What went wrong in the tasks of a `@sync` block.
struct CompositeException <: Exception
    exceptions::Vector{Any}
end
length(e::CompositeException) = length(e.exceptions)
iterate(e::CompositeException, s...) = iterate(e.exceptions, s...)
function showerror(io::IO, e::CompositeException)
    showerror(io, e.exceptions[1])
    length(e) > 1 && print(io, "\n\n...and ", length(e) - 1, " more exception", length(e) > 2 ? "s" : "", ".")
    nothing
end
# The tasks that the `@sync` blocks around started, the innermost block last.
const SYNCED = Vector{Any}[]
started(t::Task) = (isempty(SYNCED) || push!(SYNCED[end], t); t)
function sync_begin()
    push!(SYNCED, Any[])
    length(SYNCED)
end
function sync_end(depth)
    tasks = SYNCED[depth]
    resize!(SYNCED, depth - 1)
    failed = Any[TaskFailedException(t) for t in tasks if istaskfailed(t)]
    isempty(failed) || throw(CompositeException(failed))
    nothing
end
# `\$x` in the code of a task is the value at its start.
function task_code(ex)
    bindings = Any[]
    body = interpolated!(bindings, ex)
    thunk = esc(Expr(:->, Expr(:tuple), body))
    isempty(bindings) ? thunk : Expr(:let, Expr(:block, (Expr(:(=), esc(n), esc(v)) for (n, v) in bindings)...), thunk)
end
interpolated!(bindings, x) = x
function interpolated!(bindings, x::Expr)
    x.head === :quote && return x
    if x.head === :$
        name = gensym("value")
        push!(bindings, (name, x.args[1]))
        return name
    end
    Expr(x.head, mapany(a -> interpolated!(bindings, a), x.args)...)
end
macro async(ex)
    :(started(schedule(Task($(task_code(ex))))))
end
macro task(ex)
    :(Task($(task_code(ex))))
end
macro sync(ex)
    quote
        local depth = sync_begin()
        local value
        try
            value = $(esc(ex))
        catch
            resize!(SYNCED, depth - 1)
            rethrow()
        end
        sync_end(depth)
        value
    end
end

# A channel holds what was put until it is taken; as nothing runs beside the program, waiting for more is an error.
abstract type AbstractChannel{T} end
mutable struct Channel{T} <: AbstractChannel{T}
    items::Vector{T}
    size::Int
    open::Bool
    failure::Any
end
Channel{T}(size::Real = 0) where {T} = Channel{T}(T[], size == Inf ? typemax(Int) : Int(size), true, nothing)
Channel(size::Real = 0) = Channel{Any}(size)
function Channel{T}(f::Function, size::Real = 0; kws...) where {T}
    c = Channel{T}(Inf)
    try
        f(c)
    catch err
        c.failure = err
    end
    close(c)
    c
end
Channel(f::Function, size::Real = 0; kws...) = Channel{Any}(f, size; kws...)
struct InvalidStateException <: Exception
    msg::String
    state::Symbol
end
showerror(io::IO, e::InvalidStateException) = print(io, "InvalidStateException: ", e.msg)
function put!(c::Channel{T}, x) where {T}
    c.open || throw(InvalidStateException("Channel is closed.", :closed))
    max(c.size, 1) > length(c.items) || error("put! on a full channel would wait forever: kiln runs tasks one after the other")
    push!(c.items, convert(T, x))
    x
end
no_more(c::Channel) = c.failure !== nothing ? throw(c.failure) : c.open ?
    error("take! of an empty channel would wait forever: kiln runs tasks one after the other") :
    throw(InvalidStateException("Channel is closed.", :closed))
take!(c::Channel) = isempty(c.items) ? no_more(c) : popfirst!(c.items)
fetch(c::Channel) = isempty(c.items) ? no_more(c) : c.items[1]
wait(c::Channel) = isempty(c.items) ? no_more(c) : nothing
isready(c::Channel) = !isempty(c.items)
isopen(c::Channel) = c.open
isempty(c::Channel) = isempty(c.items)
close(c::Channel) = (c.open = false; nothing)
length(c::Channel) = length(c.items)
eltype(::Type{Channel{T}}) where {T} = T
IteratorSize(::Type{<:Channel}) = SizeUnknown()
iterate(c::Channel, s = nothing) = isempty(c.items) ? (c.failure === nothing && !c.open ? nothing : no_more(c)) : (popfirst!(c.items), nothing)
show(io::IO, c::Channel{T}) where {T} = print(io, "Channel{", T, "}(", c.size, ")")
