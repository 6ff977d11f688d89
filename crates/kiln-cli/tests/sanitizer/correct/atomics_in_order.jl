# Counts by atomic operations of every order, then read behind a barrier.
using KernelAbstractions, Atomix, Test
@kernel function counted!(y, n)
    i = @index(Global)
    l = @index(Local)
    s = @localmem Int (1,)
    l == 1 && (s[1] = 0)
    @synchronize
    for _ in 1:n
        Atomix.@atomic s[1] += 1
    end
    @synchronize
    y[i] = s[1]
end
y = zeros(Int, 256)
counted!(CPU(), 64)(y, 50; ndrange = 256)
@test all(==(3200), y)
