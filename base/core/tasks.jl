# Tasks: code that runs beside other code, one at a time, until it waits. Each remembers the world that made it.

"""
    Task(f)

A call of `f` that runs by turns with other tasks.
"""
mutable struct Task
    const code::Any
    const world::UInt
    number::Int             # of its stack; 0 before it begins, -1 for the code that is there already
    state::Symbol           # :runnable, :done, :failed
    queued::Bool
    started::Bool
    result::Any
    exceptions::Vector{Any} # those that ended it, the cause first, each with its stack trace
    storage::Any            # what `task_local_storage` keeps
    donenotify::Any         # who waits for its end
    wakeup::Any             # what `wait` returns, or throws where `wakes_with_error`
    wakes_with_error::Bool
    sticky::Bool
    reserved_stack::Int
    scope::Any              # the scoped values that hold in it
    pool::Symbol            # of threads; they take turns on one
    const stream::Xoshiro   # of its random numbers
    Task(@nospecialize(code), reserved_stack::Int = 0) =
        new(code, tls_world_age(), 0, :runnable, false, false, nothing, Any[], nothing, nothing, nothing, false, true, reserved_stack,
            getfield(SCHEDULER.running, :scope), SCHEDULER.running.pool, split_stream!(SCHEDULER.running.stream))
    Task(::Nothing, number::Int) =
        new(nothing, UInt(1), number, :runnable, false, true, nothing, Any[], nothing, nothing, nothing, false, true, 0, nothing, :interactive,
            Xoshiro(0, 0, 0, 0))
end
function getproperty(t::Task, name::Symbol)
    name === :exception && return getfield(t, :state) === :failed ? getfield(t, :result) : nothing
    name === :scope && error("Querying a Task's `scope` field is disallowed.\nThe private `Core.current_scope()` function is better, though still an implementation detail.")
    getfield(t, name)
end
"""
    TaskFailedException(task)

The exception for waiting for a task that failed.
"""
struct TaskFailedException <: Exception
    task::Task
end
function showerror(io::IO, e::TaskFailedException, bt = nothing; backtrace = true)
    print(io, "TaskFailedException")
    bt === nothing || !backtrace || show_backtrace(io, bt)
    println(io)
    printstyled(io, "\n    nested task error: "; color = error_color())
    show_task_exception(io, e.task)
end
function show_task_exception(io::IO, t::Task; indent = true)
    stack = current_exceptions(t)
    text = isempty(stack) ? sprint(showerror, t.result; context = io) : sprint(show_exception_stack, stack; context = io)
    print(io, indent ? replace(text, "\n" => "\n    ") : text)
end
show(io::IO, t::Task) = print(io, "Task (", t.state, ")")

# The scheduler's state: the task that runs, those that may run next, and those that wake up at a time. A session has so many
# stacks; a task that has not begun waits for one in `held`.
mutable struct Scheduler
    running::Task
    ready::Vector{Task}
    held::Vector{Task}      # those that may run and have not begun: all stacks are taken
    sleeping::Vector{Any}   # pairs of a time and what to call, the earliest first
end
const ROOT_TASK = Task(nothing, -1)
const SCHEDULER = Scheduler(ROOT_TASK, Task[], Task[], Any[])
current_task() = SCHEDULER.running
istaskdone(t::Task) = t.state !== :runnable
istaskstarted(t::Task) = t.started
istaskfailed(t::Task) = t.state === :failed
task_result(t::Task) = t.result

# Changes of the queues: a finalizer, which may schedule tasks, comes before or after.
function change_queue(f, args...)
    GC.STATE.finalizers_inhibited += 1
    result = f(args...)
    GC.STATE.finalizers_inhibited -= 1
    result
end
enqueue_ready(t::Task) = (t.queued = true; change_queue(push!, SCHEDULER.ready, t); t)
function unqueue(t::Task)
    t.queued || return nothing
    change_queue(filter!, it -> it !== t, SCHEDULER.ready)
    change_queue(filter!, it -> it !== t, SCHEDULER.held)
    t.queued = false
    nothing
end
function schedule(t::Task)
    (t.state === :runnable && !t.queued) || error("schedule: Task not runnable")
    enqueue_ready(t)
end
function schedule(t::Task, @nospecialize(value); error::Bool = false)
    t.state === :runnable || Base.error("schedule: Task not runnable")
    if error && t.number == 0
        unqueue(t)
        t.started = true
        t.result = value
        t.exceptions = Any[(exception = value, backtrace = backtrace())]
        finish(t, :failed)
        return t
    end
    t.wakeup = value
    t.wakes_with_error = error
    t.queued || enqueue_ready(t)
    t
end
enq_work(t::Task) = schedule(t)

# The next task to run, which has begun; sleeps while only a time is waited for. `nothing` if no task can go on. With
# `has_stack` the caller gives its own stack to a task that has none.
function next_task(has_stack::Bool = false)
    has_stack && !isempty(SCHEDULER.held) && return dequeued(change_queue(popfirst!, SCHEDULER.held))
    while true
        wake_sleepers()
        while !isempty(SCHEDULER.ready)
            t = change_queue(popfirst!, SCHEDULER.ready)
            t.state === :runnable || (t.queued = false; continue)
            has_stack || begin_task(t) || (change_queue(push!, SCHEDULER.held, t); continue)
            return dequeued(t)
        end
        isempty(SCHEDULER.sleeping) && return nothing
        due = SCHEDULER.sleeping[1][1]
        now = time_ns()
        due > now && Host.sleep_ns(Int(due - now))
    end
end
dequeued(t::Task) = (t.queued = false; t)
function wake_sleepers()
    while !isempty(SCHEDULER.sleeping) && SCHEDULER.sleeping[1][1] <= time_ns()
        change_queue(popfirst!, SCHEDULER.sleeping)[2]()
    end
end
function call_at(time::UInt64, f)
    entry = Any[time, f]
    at, stop = 1, length(SCHEDULER.sleeping) + 1    # after those of the same time
    while at < stop
        middle = (at + stop) >> 1
        SCHEDULER.sleeping[middle][1] <= time ? (at = middle + 1) : (stop = middle)
    end
    change_queue(insert!, SCHEDULER.sleeping, at, entry)
    entry
end
cancel_call(entry) = change_queue(filter!, it -> it !== entry, SCHEDULER.sleeping)

no_next() = ErrorException(isempty(SCHEDULER.held) ? "deadlock: every task waits for another: none can go on" :
    "every task that has begun waits for another, and so many have begun that no further one can: use fewer tasks at a time")
# Suspends the running task until it is scheduled again.
function wait()
    Host.generating() && error("task switch not allowed from inside staged nor pure functions")
    t = next_task()
    if t === nothing
        own = SCHEDULER.running
        own === ROOT_TASK && throw(no_next())
        ROOT_TASK.wakeup = no_next()
        ROOT_TASK.wakes_with_error = true
        t = ROOT_TASK
    end
    switch_to(t)
    woken()
end
function switch_to(t::Task)
    t === SCHEDULER.running && return nothing
    SCHEDULER.running = t
    Host.task_switch(t === ROOT_TASK ? 0 : t.number)
    nothing
end
# Gives a task a stack; false if all are taken.
function begin_task(t::Task)
    t.number == 0 || return true
    number = Host.task_start(() -> run_tasks(t))
    number == 0 && return false
    t.number = number
    t.started = true
    true
end
begin_now(t::Task) = begin_task(t) || error("a task could not begin: so many have begun that no further one can")
# The value that the task was given when it was scheduled again.
function woken()
    own = SCHEDULER.running
    value, is_error = own.wakeup, own.wakes_with_error
    own.wakeup, own.wakes_with_error = nothing, false
    is_error && throw(value)
    value
end
# The body of a stack: the code of one task after another, each in the world that made it. Returns the number of the task to go
# on with.
function run_tasks(t::Task)
    while true
        number = t.number
        finish(t, run_task(t))
        next = next_task(true)
        if next === nothing
            ROOT_TASK.wakeup = no_next()
            ROOT_TASK.wakes_with_error = true
            next = ROOT_TASK
        end
        SCHEDULER.running = next
        next === ROOT_TASK && return 0
        next.number == 0 || return next.number
        next.number = number
        next.started = true
        t = next
    end
end
# The state in which a task ends.
function run_task(t::Task)
    try
        woken()
        t.result = Host.call_in_world(t.world, t.code)
        :done
    catch err
        t.result = err
        t.exceptions = exceptions_handled()
        :failed
    end
end
function finish(t::Task, state::Symbol)
    t.state = state
    waiting = t.donenotify
    t.donenotify = nothing
    waiting === nothing || notify_all(waiting, t)
    nothing
end

function yield()
    Host.generating() && error("task switch not allowed from inside staged nor pure functions")
    wake_sleepers()
    isempty(SCHEDULER.ready) && return nothing
    enqueue_ready(SCHEDULER.running)
    wait()
end
function yield(t::Task, @nospecialize(x = nothing))
    t === SCHEDULER.running && throw(ConcurrencyViolationError("Cannot yield to currently running task!"))
    t.state === :runnable || throw(ConcurrencyViolationError("schedule: Task not runnable"))
    begin_now(t)
    enqueue_ready(SCHEDULER.running)
    yieldto(t, x)
end
function yieldto(t::Task, @nospecialize(x = nothing))
    t.state === :runnable || return t.state === :failed ? throw(t.result) : t.result
    unqueue(t)
    begin_now(t)
    t.wakeup = x
    switch_to(t)
    woken()
end
function throwto(t::Task, @nospecialize(exception))
    t.state === :runnable || error("schedule: Task not runnable")
    t.number == 0 && (schedule(t, exception; error = true); return yield())
    unqueue(t)
    t.wakeup, t.wakes_with_error = exception, true
    switch_to(t)
    woken()
end

# Waiting for a condition: the tasks that wait are in a vector, the one that came first at the front.
abstract type AbstractLock end
struct AlwaysLockedST <: AbstractLock
    owner::Int
end
AlwaysLockedST() = AlwaysLockedST(1)
lock(::AlwaysLockedST) = nothing
unlock(::AlwaysLockedST) = nothing
trylock(::AlwaysLockedST) = true
islocked(::AlwaysLockedST) = true
assert_havelock(::AlwaysLockedST) = nothing
unlockall(::AlwaysLockedST) = nothing
relockall(::AlwaysLockedST, ::Nothing) = nothing
struct ConcurrencyFailure <: Exception
    msg::String
end
concurrency_violation() = throw(Core.ConcurrencyViolationError("lock must be held"))

mutable struct GenericCondition{L <: AbstractLock}
    const waitq::Vector{Any}
    const lock::L
    GenericCondition{L}() where {L <: AbstractLock} = new{L}(Any[], L())
    GenericCondition{L}(l::L) where {L <: AbstractLock} = new{L}(Any[], l)
    GenericCondition(l::AbstractLock) = new{typeof(l)}(Any[], l)
end
const Condition = GenericCondition{AlwaysLockedST}
show(io::IO, c::GenericCondition) = (print(io, GenericCondition, "("); show(io, c.lock); print(io, ")"))
show(io::IO, ::Condition) = print(io, "Condition()")
assert_havelock(c::GenericCondition) = assert_havelock(c.lock)
lock(c::GenericCondition) = lock(c.lock)
unlock(c::GenericCondition) = unlock(c.lock)
trylock(c::GenericCondition) = trylock(c.lock)
islocked(c::GenericCondition) = islocked(c.lock)
lock(f, c::GenericCondition) = lock(f, c.lock)
unlock(f, c::GenericCondition) = unlock(f, c.lock)
function wait(c::GenericCondition; first::Bool = false)
    assert_havelock(c)
    own = SCHEDULER.running
    first ? pushfirst!(c.waitq, own) : push!(c.waitq, own)
    held = unlockall(c.lock)
    try
        return wait()
    catch
        filter!(it -> it !== own, c.waitq)
        rethrow()
    finally
        relockall(c.lock, held)
    end
end
notify(c::GenericCondition, @nospecialize(arg = nothing); all::Bool = true, error::Bool = false) = notify(c, arg, all, error)
function notify(c::GenericCondition, @nospecialize(arg), all::Bool, error::Bool)
    assert_havelock(c)
    woken = 0
    while !isempty(c.waitq)
        schedule(popfirst!(c.waitq), arg; error)
        woken += 1
        all || break
    end
    woken
end
# `:timed_out` if nothing is notified in so many seconds.
function wait_with_timeout(c::GenericCondition; first::Bool = false, timeout::Real = 0.0)
    timeout == 0 && return wait(c; first)
    own = SCHEDULER.running
    entry = call_at(time_ns() + ceil(UInt64, timeout * 1e9), () -> time_out(c, own))
    try
        return wait(c; first)
    finally
        cancel_call(entry)
    end
end
function time_out(c, t)
    k = findfirst(w -> w === t, c.waitq)
    k === nothing && return nothing
    deleteat!(c.waitq, k)
    schedule(t, :timed_out)
end
notify_error(c::GenericCondition, err) = notify(c, err, true, true)
n_waiters(c::GenericCondition) = length(c.waitq)
isempty(c::GenericCondition) = isempty(c.waitq)

# The tasks that wait for the end of one.
function notify_all(waiting, t)
    for w in waiting
        w isa Task ? schedule(w, t) : w()
    end
end
at_end(t::Task, waiter) = (t.donenotify === nothing && (t.donenotify = Any[]); push!(t.donenotify, waiter); nothing)
function await_end(t::Task)
    t === SCHEDULER.running && throw(ConcurrencyViolationError("deadlock detected: cannot wait on current task"))
    while t.state === :runnable
        own = SCHEDULER.running
        at_end(t, own)
        try
            wait()
        catch
            t.donenotify === nothing || filter!(it -> it !== own, t.donenotify)
            rethrow()
        end
    end
end
_wait(t::Task) = await_end(t)
function wait(t::Task; throw::Bool = true)
    await_end(t)
    throw && t.state === :failed && Core.throw(TaskFailedException(t))
    nothing
end
fetch(t::Task) = (wait(t); t.result)
fetch(x) = x
function waitany(tasks; throw::Bool = true)
    wait_for_some(tasks, 1, throw)
end
waitall(tasks; failfast::Bool = true, throw::Bool = true) = wait_for_some(tasks, typemax(Int), throw, failfast)
function wait_for_some(tasks, count, throws, failfast = true)
    all = Task[t for t in tasks]
    isempty(all) && return all, all
    enough() = (n = Base.count(istaskdone, all); n >= min(count, length(all)) || failfast && count > 1 && any(istaskfailed, all))
    while !enough()
        own = SCHEDULER.running
        pending = filter(!istaskdone, all)
        foreach(t -> at_end(t, own), pending)
        wait()
        foreach(t -> t.donenotify === nothing || filter!(it -> it !== own, t.donenotify), pending)
    end
    done = filter(istaskdone, all)
    failed = filter(istaskfailed, done)
    throws && !isempty(failed) && throw(CompositeException(Any[TaskFailedException(t) for t in failed]))
    done, filter(!istaskdone, all)
end
function errormonitor(t::Task)
    report() = istaskfailed(t) && (print(stderr, "Unhandled Task ERROR: "); showerror(stderr, t.result); println(stderr))
    istaskdone(t) ? report() : at_end(t, report)
    t
end

"""
    CompositeException(exceptions)

Exceptions of several tasks together.
"""
struct CompositeException <: Exception
    exceptions::Vector{Any}
    CompositeException() = new(Any[])
    CompositeException(exceptions) = new(exceptions)
end
length(e::CompositeException) = length(e.exceptions)
push!(e::CompositeException, err) = push!(e.exceptions, err)
pushfirst!(e::CompositeException, err) = pushfirst!(e.exceptions, err)
isempty(e::CompositeException) = isempty(e.exceptions)
iterate(e::CompositeException, s...) = iterate(e.exceptions, s...)
eltype(::Type{CompositeException}) = Any
==(a::CompositeException, b::CompositeException) = a.exceptions == b.exceptions
function showerror(io::IO, e::CompositeException)
    isempty(e) && return print(io, "CompositeException()\n")
    showerror(io, e.exceptions[1])
    length(e) > 1 && print(io, "\n\n...and ", length(e) - 1, " more exception", length(e) > 2 ? "s" : "", ".\n")
    nothing
end

# A task that came to a list of `@sync` after it had been waited for.
struct ScheduledAfterSyncException <: Exception
    values::Vector{Any}
end
function showerror(io::IO, e::ScheduledAfterSyncException)
    isempty(e.values) && return print(io, "ScheduledAfterSyncException()")
    print(io, "ScheduledAfterSyncException: ")
    show(io, e.values[1])
    n = length(e.values)
    n == 2 && print(io, " and one more ", nameof(typeof(e.values[2])))
    n > 2 && print(io, " and ", n - 1, " more objects")
    print(io, n == 1 ? " is" : " are", " registered after the end of a `@sync` block")
end
# `@sync` waits for the tasks that `@async` and the like begin in its text: they find its variable by name.
const SYNC_VARIABLE = Symbol("#tasks of @sync")
function await_all(tasks)
    failed = CompositeException()
    at = 1
    while at <= length(tasks)
        t = tasks[at]
        at += 1
        try
            wait(t)
        catch err
            push!(failed, err)
        end
    end
    isempty(failed) || throw(failed)
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
function scheduled_task(ex, pool = nothing)
    tasks = esc(SYNC_VARIABLE)
    task = :(Task($(task_code(ex))))
    pool === nothing || (task = :(Threads.in_pool($task, $pool)))
    :(let task = $task
        $(Expr(:isdefined, tasks)) && push!($tasks, task)
        schedule(task)
    end)
end
"""
    @async expression

Makes a task that evaluates the expression, schedules it on this thread, and returns it. `\$x` takes the value that `x`
has now.
"""
macro async(ex)
    @keep_expansions
    scheduled_task(ex)
end
"""
    @task expression

Makes a task that evaluates the expression when it is scheduled.
"""
macro task(ex)
    @keep_expansions
    :(Task(() -> $(esc(ex))))
end
"""
    @sync expression

Waits for all tasks that `@async` and `@spawn` make in the expression. Their exceptions come together in a
`CompositeException`.
"""
macro sync(ex)
    @keep_expansions
    tasks = esc(SYNC_VARIABLE)
    :(let $tasks = Any[]
        value = $(esc(ex))
        await_all($tasks)
        value
    end)
end

# Values of a task by name.
task_local_storage() = (t = SCHEDULER.running; t.storage === nothing && (t.storage = IdDict()); t.storage)
task_local_storage(key) = task_local_storage()[key]
task_local_storage(key, value) = (task_local_storage()[key] = value)
function task_local_storage(body::Function, key, value)
    storage = task_local_storage()
    had = haskey(storage, key)
    old = had ? storage[key] : nothing
    storage[key] = value
    try
        return body()
    finally
        had ? (storage[key] = old) : delete!(storage, key)
    end
end

"""
    ReentrantLock()

A lock that the task that holds it may take again.
"""
mutable struct ReentrantLock <: AbstractLock
    locked_by::Union{Task, Nothing}
    reentrancy_cnt::UInt32
    const waitq::Vector{Any}
    ReentrantLock() = new(nothing, 0x00000000, Any[])
end
show(io::IO, ::ReentrantLock) = print(io, ReentrantLock, "()")
function show(io::IO, ::MIME"text/plain", l::ReentrantLock)
    show(io, l)
    owner = l.locked_by
    owner === nothing && return print(io, " (unlocked)")
    print(io, owner === SCHEDULER.running ? " (locked by current " : " (locked by ")
    show(io, owner)
    print(io, ")")
end
islocked(l::ReentrantLock) = l.locked_by !== nothing
# No finalizer runs while a lock is held: it might want the lock.
function trylock(l::ReentrantLock)
    own = SCHEDULER.running
    if l.locked_by === own
        GC.disable_finalizers()
        l.reentrancy_cnt += 0x00000001
        return true
    end
    l.locked_by === nothing || return false
    GC.disable_finalizers()
    l.locked_by, l.reentrancy_cnt = own, 0x00000001
    true
end
function lock(l::ReentrantLock)
    while !trylock(l)
        change_queue(push!, l.waitq, SCHEDULER.running)
        wait()
    end
    nothing
end
function unlock(l::ReentrantLock)
    l.locked_by === SCHEDULER.running || error(l.locked_by === nothing ? "unlock count must match lock count" : "unlock from wrong thread")
    l.reentrancy_cnt -= 0x00000001
    l.reentrancy_cnt == 0 && release(l)
    GC.enable_finalizers()
    nothing
end
function release(l::ReentrantLock)
    l.locked_by = nothing
    isempty(l.waitq) || schedule(popfirst!(l.waitq))
    nothing
end
assert_havelock(l::ReentrantLock) = l.locked_by === SCHEDULER.running ? nothing : concurrency_violation()
function unlockall(l::ReentrantLock)
    assert_havelock(l)
    n = l.reentrancy_cnt
    l.reentrancy_cnt = 0x00000000
    release(l)
    foreach(_ -> GC.enable_finalizers(), 1:Int(n))
    n
end
function relockall(l::ReentrantLock, n::UInt32)
    lock(l)
    l.reentrancy_cnt = n
    foreach(_ -> GC.disable_finalizers(), 2:Int(n))
end
function lock(f, l)
    lock(l)
    try
        return f()
    finally
        unlock(l)
    end
end
function trylock(f, l)
    trylock(l) || return false
    try
        return f()
    finally
        unlock(l)
    end
end
"""
    @lock lock expression

Evaluates an expression while holding a lock.
"""
macro lock(l, ex)
    @keep_expansions
    :(let l = $(esc(l))
        lock(l)
        try
            $(esc(ex))
        finally
            unlock(l)
        end
    end)
end
macro lock_nofail(l, ex)
    @keep_expansions
    :(let l = $(esc(l))
        lock(l)
        value = $(esc(ex))
        unlock(l)
        value
    end)
end

mutable struct Semaphore
    const sem_size::Int
    curr_cnt::Int
    const cond_wait::GenericCondition{ReentrantLock}
    Semaphore(n) = n > 0 ? new(Int(n), 0, GenericCondition(ReentrantLock())) : throw(ArgumentError("Semaphore size must be > 0"))
end
function acquire(s::Semaphore)
    lock(s.cond_wait) do
        while s.curr_cnt >= s.sem_size
            wait(s.cond_wait)
        end
        s.curr_cnt += 1
    end
    nothing
end
function release(s::Semaphore)
    lock(s.cond_wait) do
        s.curr_cnt > 0 || error("release count must match acquire count")
        s.curr_cnt -= 1
        notify(s.cond_wait; all = false)
    end
    nothing
end
function acquire(f, s::Semaphore)
    acquire(s)
    try
        return f()
    finally
        release(s)
    end
end
macro acquire(s, ex)
    @keep_expansions
    :(let s = $(esc(s))
        acquire(s)
        try
            $(esc(ex))
        finally
            release(s)
        end
    end)
end

# Once set, everybody goes on; with `autoreset`, the first that waited, and it is to be set again.
mutable struct Event
    const notify::GenericCondition{ReentrantLock}
    const autoreset::Bool
    set::Bool
    Event(autoreset::Bool = false) = new(GenericCondition(ReentrantLock()), autoreset, false)
end
function wait(e::Event)
    e.set && (e.autoreset && (e.set = false); return nothing)
    lock(e.notify) do
        while !e.set
            wait(e.notify)
        end
        e.autoreset && (e.set = false)
    end
    nothing
end
function notify(e::Event)
    lock(e.notify) do
        e.set && return nothing
        e.set = true
        notify(e.notify; all = !e.autoreset)
    end
    nothing
end
reset(e::Event) = (e.set = false; nothing)

"""
    Timer(delay; interval = 0)
    Timer(f, delay; interval = 0)

An event after some seconds, and then at intervals: tasks wait for it, or `f` is called.
"""
mutable struct Timer
    const callback::Any
    const timeout::Float64      # in seconds
    const interval::Float64
    const cond::GenericCondition{ReentrantLock}
    isopen::Bool
    set::Bool
    entry::Any
    function Timer(callback, timeout::Real; interval::Real = 0.0, spawn = nothing)
        timeout < 0 && throw(ArgumentError("timer cannot have negative timeout of $timeout seconds"))
        interval < 0 && throw(ArgumentError("timer cannot have negative repeat interval of $interval seconds"))
        t = new(callback, timeout, interval, GenericCondition(ReentrantLock()), true, false, nothing)
        t.entry = call_at(time_ns() + ceil(UInt64, timeout * 1e9), () -> ring(t))
        t
    end
end
Timer(timeout::Real; interval::Real = 0.0) = Timer(nothing, timeout; interval)
isopen(t::Timer) = t.isopen
function ring(t::Timer)
    t.isopen || return nothing
    t.set = true
    if t.interval > 0
        t.entry = call_at(time_ns() + ceil(UInt64, t.interval * 1e9), () -> ring(t))
    else
        t.isopen = false
    end
    wake_waiters(t, nothing, false)
    t.callback === nothing || schedule(Task(() -> t.callback(t)))
    nothing
end
function wake_waiters(t::Timer, value, is_error)
    while !isempty(t.cond.waitq)
        schedule(popfirst!(t.cond.waitq), value; error = is_error)
    end
end
function wait(t::Timer)
    if t.set
        t.interval > 0 && (t.set = false)
        return nothing
    end
    t.isopen || throw(EOFError())
    lock(t.cond) do
        wait(t.cond)
    end
    t.interval > 0 && (t.set = false)
    nothing
end
function close(t::Timer)
    t.isopen || return nothing
    t.isopen = false
    cancel_call(t.entry)
    wake_waiters(t, EOFError(), true)
end
function sleep(seconds::Real)
    seconds < 0 && throw(ArgumentError("cannot sleep for $seconds seconds"))
    own = SCHEDULER.running
    call_at(time_ns() + ceil(UInt64, seconds * 1e9), () -> schedule(own))
    wait()
    nothing
end
# Asks until `test()` is true or time has run out; once at least after a pause.
function timedwait(test, timeout::Real; pollint::Real = 0.1)
    pollint >= 1e-3 || throw(ArgumentError("pollint must be ≥ 1 millisecond"))
    stop = time_ns() + round(UInt64, max(timeout, 0) * 1e9)
    test() && return :ok
    while true
        sleep(pollint)
        test() && return :ok
        time_ns() >= stop && return :timed_out
    end
end

export Condition, Timer, current_task, yieldto, task_local_storage, islocked, timedwait, waitany, waitall

"""
    Lockable(value, lock = ReentrantLock())

A value with the lock that guards it. `x[]` reads it while the lock is held.
"""
struct Lockable{T, L <: AbstractLock}
    value::T
    lock::L
end
Lockable(value) = Lockable(value, ReentrantLock())
getindex(l::Lockable) = (assert_havelock(l.lock); l.value)
lock(l::Lockable) = lock(l.lock)
trylock(l::Lockable) = trylock(l.lock)
unlock(l::Lockable) = unlock(l.lock)
lock(f, l::Lockable) = lock(() -> f(l.value), l.lock)
export Lockable
