# Documentation of functions about tasks, what they wait for, and the running process.
# The texts stand apart from the methods because they describe a function as a whole.

"""
    addenv(cmd, pairs...; inherit = true)

A command with additional environment variables.
"""
addenv

"""
    asyncmap(f, c...; ntasks = 0, batch_size)

Calls `f` for each element in several tasks and collects the results in order.
"""
asyncmap

"""
    asyncmap!(f, results, c...; ntasks = 0, batch_size)

Stores the results of `asyncmap` in `results`.
"""
asyncmap!

"""
    atexit(f)

Calls `f` when the program ends; the function given last is called first.
"""
atexit

"""
    bind(channel, task)

Closes a channel when a task ends, with the task's exception if it fails.
"""
bind

"""
    current_task()

The task that runs.
"""
current_task

"""
    detach(cmd)

A command that outlives its parent process.
"""
detach

"""
    errormonitor(task)

Prints an error if a task fails, and returns the task.
"""
errormonitor

"""
    exit(code = 0)

Ends the program.
"""
exit

"""
    fetch(x)

The result of a task, or the next value of a channel, which stays in it.
"""
fetch

"""
    gethostname()

The name of this machine.
"""
gethostname

"""
    ignorestatus(cmd)

A command whose exit status is no error.
"""
ignorestatus

"""
    isfull(channel)

Whether a channel has no room for another value.
"""
isfull

"""
    islocked(lock)

Whether a task holds a lock.
"""
islocked

"""
    isready(x)

Whether a channel has a value, or a task has ended.
"""
isready

"""
    istaskdone(task)

Whether a task has ended.
"""
istaskdone

"""
    istaskfailed(task)

Whether a task ended with an exception.
"""
istaskfailed

"""
    istaskstarted(task)

Whether a task has begun.
"""
istaskstarted

"""
    lock(l)
    lock(f, l)

Waits for a lock and takes it, or holds it while `f` runs.
"""
lock

"""
    notify(condition, value = nothing; all = true, error = false)

Wakes the tasks that wait for a condition.
"""
notify

"""
    put!(channel, value)

Adds a value to a channel; waits while it is full.
"""
put!

"""
    retry(f; delays = ExponentialBackOff(), check)

A function that calls `f` again when it throws.
"""
retry

"""
    run(cmd)

Runs a command. kiln runs none: packages give this function methods.
"""
run

"""
    schedule(task, [value]; error = false)

Lets a task run when its turn comes.
"""
schedule

"""
    setcpuaffinity(cmd, cpus)

A command that runs on some processors only.
"""
setcpuaffinity

"""
    setenv(cmd, env; dir)

A command with another environment.
"""
setenv

"""
    sleep(seconds)

Lets other tasks run for some time.
"""
sleep

"""
    task_local_storage(key, [value])
    task_local_storage(f, key, value)

The value that a task has for a key, set for good or while `f` runs.
"""
task_local_storage

"""
    time()

The seconds since 1970.
"""
time

"""
    time_ns()

A count of nanoseconds that only goes forward, for measuring times.
"""
time_ns

"""
    timedwait(test, timeout; pollint = 0.1)

Waits until a function returns true: `:ok`, or `:timed_out` after the seconds given.
"""
timedwait

"""
    trylock(lock)

Takes a lock if no other task holds it, and returns whether it did.
"""
trylock

"""
    unlock(l)

Gives a lock back.
"""
unlock

"""
    wait(x)

Waits for a task to end, a condition to be notified or a channel to have a value.
"""
wait

"""
    waitall(tasks; failfast = true, throw = true)

Waits for several tasks and returns those that ended and those that did not.
"""
waitall

"""
    waitany(tasks; throw = true)

Waits for one of several tasks and returns those that ended and those that did not.
"""
waitany

"""
    withenv(f, pairs...)

Calls `f` with other values of environment variables.
"""
withenv

"""
    yield([task])

Lets other tasks run.
"""
yield

"""
    yieldto(task, arg = nothing)

Lets a task run now, and only it.
"""
yieldto
