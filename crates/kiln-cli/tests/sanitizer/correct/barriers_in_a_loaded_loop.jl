# The number of rounds is loaded, the same for all items, and each round has two barriers.
using KernelAbstractions, Test

@kernel function rotate!(y, @Const(x), @Const(rounds))
    l = @index(Local, Linear)
    i = @index(Global, Linear)
    s = @localmem Int (16,)
    s[l] = x[i]
    @synchronize
    for _ in 1:rounds[1]
        v = s[mod1(l + 1, 16)]
        @synchronize
        s[l] = v
        @synchronize
    end
    y[i] = s[l]
end

x, y = collect(1:64), zeros(Int, 64)
rotate!(CPU(), 16)(y, x, [5]; ndrange = 64)
KernelAbstractions.synchronize(CPU())
@test y == [16 * div(i - 1, 16) + mod1(mod1(i, 16) + 5, 16) for i in 1:64]
