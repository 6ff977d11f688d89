# Items that write the same value to one place: a flag that is raised by any of them.
using CUDA, Test
function any!(found, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    x[i] > 0 && (found[1] = true)
    return
end
found = CuArray([false])
@cuda threads=32 blocks=2 any!(found, CUDA.ones(64))
@test Array(found) == [true]
