# The backend was forgotten: this calls the maker of kernels, which takes none of a launch's keywords.
using KernelAbstractions
@kernel function double!(a)
    i = @index(Global)
    a[i] = 2a[i]
end
double!(zeros(4), ndrange = 4)
