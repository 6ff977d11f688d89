# The source and the target are overlapping views of one array.
using KernelAbstractions

@kernel function shift!(y, x)
    i = @index(Global, Linear)
    y[i] = x[i] + 1f0 #: race
end

a = rand(Float32, 64)
shift!(CPU(), 16)(view(a, 2:64), view(a, 1:63); ndrange = 63)
KernelAbstractions.synchronize(CPU())
