# Items write where a permutation says, each somewhere else.
using KernelAbstractions, Test

@kernel function scatter!(y, @Const(x), @Const(p))
    i = @index(Global, Linear)
    y[p[i]] = x[i]
end

n = 257
p = [mod(i * 100, n) + 1 for i in 0:(n - 1)]
x, y = collect(1:n), zeros(Int, n)
scatter!(CPU(), 64)(y, x, p; ndrange = n)
KernelAbstractions.synchronize(CPU())
@test y[p] == x
