# Tasks run in turn, each until it waits: results, failures, `@sync`, channels, locks, and threads of which there is one.
using Test
t = Task(() -> 1 + 1)
@test !istaskstarted(t) && fetch(schedule(t)) == 2 && istaskdone(t)
@test fetch(@async 3) == 3 && fetch(Threads.@spawn 4) == 4 && fetch(Threads.@spawn :interactive 5) == 5
failed = @async error("inside")
@test !istaskstarted(failed)
@test_throws TaskFailedException fetch(failed)
@test istaskfailed(failed)
@test_throws "nested task error: inside" wait(failed)
total = Ref(0)
@test (@sync begin
    for i in 1:3
        @async total[] += i
    end
    :value
end) === :value && total[] == 6
@test_throws CompositeException @sync @async error("one")
@test [fetch(@async $i + 1) for i in 1:3] == [2, 3, 4]
Threads.@threads for i in 1:4
    total[] += i
end
Threads.@threads :static for i in 1:1
    total[] += i
end
@test total[] == 17 && Threads.nthreads() == 1 && Threads.threadid() == 1
c = Channel{Int}(2)
@test put!(c, 1) == 1 && put!(c, 2) == 2 && isready(c) && take!(c) == 1 && fetch(c) == 2
put!(c, 3)
@test_throws "every task waits for another" put!(c, 4)
close(c)
@test collect(c) == [2, 3] && !isopen(c)
@test_throws InvalidStateException take!(c)
@test collect(Channel(c -> foreach(i -> put!(c, i^2), 1:3))) == [1, 4, 9]
l = ReentrantLock()
@test lock(() -> 7, l) == 7 && (@lock l 8) == 8
a = Threads.Atomic{Int}(1)
@test Threads.atomic_add!(a, 2) == 1 && a[] == 3

# The next task to run: the first that is ready.
log = Int[]
@sync begin
    @async (push!(log, 1); yield(); push!(log, 3))
    @async push!(log, 2)
end
@test log == [1, 2, 3]
# A channel without room hands over.
plain = Channel{Int}(0)
producer = @async foreach(i -> put!(plain, i), 1:3)
@test [take!(plain) for _ in 1:3] == [1, 2, 3]
wait(producer)
# An exception of a channel's task comes out where something is taken.
broken = Channel(_ -> error("in the producer"))
@test_throws TaskFailedException take!(broken)
@test !isopen(broken)
# Conditions, events, semaphores and timers.
c = Condition()
waiter = @async wait(c)
yield()
@test notify(c, :value) == 1 && fetch(waiter) === :value
e = Base.Event()
late = @async (wait(e); :late)
yield()
@test !istaskdone(late)
notify(e)
@test fetch(late) === :late
s = Base.Semaphore(1)
Base.acquire(s)
blocked = @async Base.acquire(() -> :entered, s)
yield()
@test !istaskdone(blocked)
Base.release(s)
@test fetch(blocked) === :entered
@test timedwait(() -> false, 0.01; pollint = 0.001) === :timed_out
@test (t = Timer(0.001); wait(t); !isopen(t))
# A task that another waits for with a lock in its hands.
l = ReentrantLock()
order = Int[]
@sync for i in 1:3
    @async @lock l (yield(); push!(order, i))
end
@test order == [1, 2, 3] && !islocked(l)
@test task_local_storage(() -> task_local_storage(:name), :name, 5) == 5
# Handlers belong to their task.
outer = try
    error("outer")
catch
    fetch(@async length(current_exceptions())), length(current_exceptions())
end
@test outer == (0, 1)
