# The end of an array is promised not to be written, as a view of it, and is, by another argument.
using KernelAbstractions
@kernel function k!(y, @Const(x))
    i = @index(Global)
    y[i] = 1f0 #: constant-write
end
a = zeros(Float32, 8192)
k!(CPU(), 64)(a, view(a, 8177:8192); ndrange = 8192)
