# The first of four private sums is not set before it is added to.
using KernelAbstractions

@kernel function sums!(y, @Const(x))
    i = @index(Global, Linear)
    acc = @private Float32 (4,)
    for k in 2:4
        acc[k] = 0f0
    end
    for k in 1:4
        acc[k] += x[i] * k #: uninitialized-read
    end
    y[i] = acc[1] + acc[2] + acc[3] + acc[4]
end

x, y = rand(Float32, 32), zeros(Float32, 32)
sums!(CPU(), 32)(y, x; ndrange = 32)
KernelAbstractions.synchronize(CPU())
