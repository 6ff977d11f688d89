# KernelAbstractions: items of different groups add to one element.
using KernelAbstractions
@kernel function total!(out, x)
    i = @index(Global)
    out[1] += x[i] #: race
end
total!(CPU(), 8)(zeros(1), ones(32); ndrange = 32)
