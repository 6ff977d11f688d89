# Two buffers that are meant to take turns, but both steps use the first.
using KernelAbstractions

@kernel function steps!(y, @Const(x))
    l = @index(Local, Linear)
    i = @index(Global, Linear)
    s = @localmem Float32 (32, 2)
    s[l, 1] = x[i]
    @synchronize
    for step in 1:3
        from = 1
        v = s[mod1(l + step, 32), from] #: race
        s[l, from] = v + 1f0 #: race
        @synchronize
    end
    y[i] = s[l, 1]
end

x, y = rand(Float32, 64), zeros(Float32, 64)
steps!(CPU(), 32)(y, x; ndrange = 64)
KernelAbstractions.synchronize(CPU())
