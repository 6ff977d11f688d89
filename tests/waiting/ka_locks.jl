# Locks and look-back as KernelAbstractions and Atomix have them.
using KernelAbstractions, Atomix, Test

@kernel function counted!(count, lock)
    done = false
    while !done
        if (Atomix.@atomicreplace lock[1] Int32(0) => Int32(1)).success
            count[1] += 1
            Atomix.@atomic lock[1] = Int32(0)
            done = true
        end
    end
end

@kernel function served!(order, next, serving)
    ticket = (Atomix.@atomic next[1] += Int32(1)) - Int32(1)
    while (Atomix.@atomic serving[1]) != ticket
    end
    order[ticket + 1] = ticket
    Atomix.@atomic serving[1] += Int32(1)
end

# The items of a group sum, the group waits for the one before it.
@kernel function chained!(sums, x, flags)
    i = @index(Local, Linear)
    b = @index(Group, Linear)
    tile = @localmem Int 32
    tile[i] = x[@index(Global, Linear)]
    @synchronize
    if i == 1
        total = 0
        for k in 1:32
            total += tile[k]
        end
        if b > 1
            while (Atomix.@atomic flags[b - 1]) == Int32(0)
            end
            total += sums[b - 1]
        end
        sums[b] = total
        Atomix.@atomic flags[b] = Int32(1)
    end
end

backend = CPU()
count, lock = zeros(Int, 1), zeros(Int32, 1)
counted!(backend, 64)(count, lock; ndrange = 1000)
order, next, serving = zeros(Int32, 1000), zeros(Int32, 1), zeros(Int32, 1)
served!(backend, 32)(order, next, serving; ndrange = 1000)
x = [i * i % 13 for i in 1:32_000]
sums, flags = zeros(Int, 1000), zeros(Int32, 1000)
chained!(backend, 32)(sums, x, flags; ndrange = 32_000)
KernelAbstractions.synchronize(backend)
@test count == [1000] && lock == [0]
@test order == 0:999 && serving == [1000]
@test sums == cumsum(x)[32:32:end]
