# Source and target are views of one array that do not overlap.
using KernelAbstractions, Test

@kernel function double!(y, @Const(x))
    i = @index(Global, Linear)
    y[i] = 2f0 * x[i]
end

a = collect(Float32, 1:64)
double!(CPU(), 16)(view(a, 33:64), view(a, 1:32); ndrange = 32)
KernelAbstractions.synchronize(CPU())
@test a[33:64] == 2 .* a[1:32]
