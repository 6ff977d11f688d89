# The same array as a `@Const` argument and as another.
using KernelAbstractions
@kernel function scale!(y, @Const(x))
    i = @index(Global)
    y[i] = 2 * x[i] #: constant-write
end
x = ones(8)
scale!(CPU(), 8)(x, x; ndrange = 8)
