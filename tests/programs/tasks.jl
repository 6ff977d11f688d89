# Tasks run one after the other: results, failures, `@sync`, channels, and threads of which there is one.
using Test
t = Task(() -> 1 + 1)
@test !istaskstarted(t) && fetch(schedule(t)) == 2 && istaskdone(t)
@test fetch(@async 3) == 3 && fetch(Threads.@spawn 4) == 4 && fetch(Threads.@spawn :interactive 5) == 5
failed = @async error("inside")
@test istaskfailed(failed)
@test_throws TaskFailedException fetch(failed)
@test_throws "nested task error: \ninside" wait(failed)
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
@test_throws "would wait forever" put!(c, 4)
close(c)
@test collect(c) == [2, 3] && !isopen(c)
@test_throws InvalidStateException take!(c)
@test collect(Channel(c -> foreach(i -> put!(c, i^2), 1:3))) == [1, 4, 9]
l = ReentrantLock()
@test lock(() -> 7, l) == 7 && (@lock l 8) == 8
a = Threads.Atomic{Int}(1)
@test Threads.atomic_add!(a, 2) == 1 && a[] == 3
