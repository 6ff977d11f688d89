# A kernel that is inbounds as a whole.
using KernelAbstractions
@kernel inbounds = true function next!(y, x)
    i = @index(Global)
    y[i] = x[i + 1] #: BoundsError
end
next!(CPU(), 8)(zeros(8), ones(8); ndrange = 8)
