# A pointer past private memory.
using KernelAbstractions
@kernel function fill4!(y)
    i = @index(Global)
    p = @private Float32 (4,)
    for k in 1:5
        unsafe_store!(pointer(p), Float32(k), k) #: out-of-bounds
    end
    y[i] = p[4]
end
fill4!(CPU(), 4)(zeros(Float32, 4); ndrange = 4)
