# KernelAbstractions: a condition of the item around `@synchronize`.
using KernelAbstractions
@kernel function divergent!(x)
    i = @index(Local)
    if i > 3
        @synchronize #: divergent-barrier
    end
end
divergent!(CPU(), 8)(zeros(8); ndrange = 8)
