# KernelAbstractions: a pointer to a `@Const` argument is written.
using KernelAbstractions
@kernel function scale!(@Const(x))
    i = @index(Global)
    unsafe_store!(pointer(x), 2.0, i) #: constant-write
end
scale!(CPU(), 8)(ones(8); ndrange = 8)
