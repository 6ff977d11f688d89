# KernelAbstractions: a tile without `@synchronize`.
using KernelAbstractions
@kernel function reverse!(y, x)
    i = @index(Local)
    s = @localmem Float32 (16,)
    @inbounds s[i] = x[i] #: race
    @inbounds y[i] = s[17 - i] #: race, uninitialized-read
end
reverse!(CPU(), 16)(zeros(Float32, 16), ones(Float32, 16); ndrange = 16)
