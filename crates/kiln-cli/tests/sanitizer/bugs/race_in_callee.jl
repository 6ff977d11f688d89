# The racing write is in a function that is not inlined.
using CUDA
@noinline function store!(x, i, v)
    x[i] = v #: race
    return nothing
end
function all!(x)
    store!(x, 1, threadIdx().x)
    return
end
@cuda threads=8 all!(CUDA.zeros(4))
