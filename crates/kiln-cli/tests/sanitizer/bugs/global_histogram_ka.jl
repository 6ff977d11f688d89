# A histogram in global memory without atomic operations.
using KernelAbstractions

@kernel function count!(bins, @Const(x))
    i = @index(Global, Linear)
    bins[x[i]] += 1 #: race
end

x, bins = [mod1(3i, 7) for i in 1:200], zeros(Int, 7)
count!(CPU(), 64)(bins, x; ndrange = 200)
KernelAbstractions.synchronize(CPU())
