# An array that was freed is written.
using CUDA
function store!(x)
    t = threadIdx().x
    @inbounds x[t] = t #: use-after-free
    return
end
x = CUDA.ones(32)
CUDA.unsafe_free!(x)
@cuda threads=32 store!(x)
