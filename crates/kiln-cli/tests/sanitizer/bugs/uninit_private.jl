# Private memory is read before it is written.
using KernelAbstractions
@kernel function sum3!(y)
    i = @index(Global)
    p = @private Float32 (3,)
    p[1] = i
    p[2] = 2i
    y[i] = p[1] + p[2] + p[3] #: uninitialized-read
end
sum3!(CPU(), 4)(zeros(Float32, 8); ndrange = 8)
