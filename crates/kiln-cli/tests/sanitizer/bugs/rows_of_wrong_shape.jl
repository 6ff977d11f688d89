# Rows and columns are exchanged in one of two places, under @inbounds.
using KernelAbstractions

@kernel function scale!(y, @Const(x))
    i, j = @index(Global, NTuple)
    @inbounds y[i, j] = 2f0 * x[j, i] #: BoundsError
end

x, y = rand(Float32, 8, 12), zeros(Float32, 8, 12)
scale!(CPU(), (8, 4))(y, x; ndrange = size(y))
KernelAbstractions.synchronize(CPU())
