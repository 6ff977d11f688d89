# KernelAbstractions: a tile that the items at the edge do not fill.
using KernelAbstractions
@kernel function shifted!(y, x)
    i = @index(Global)
    l = @index(Local)
    s = @localmem Float32 (17,)
    @inbounds s[l] = x[i]
    @synchronize
    @inbounds y[i] = s[l + 1] #: uninitialized-read
end
shifted!(CPU(), 16)(zeros(Float32, 16), ones(Float32, 16); ndrange = 16)
