# A kernel of four elements: what a process costs that has next to nothing to do.
using CUDA

function add1!(y)
    i = threadIdx().x
    y[i] = y[i] + 1.0f0
    return
end

y = CUDA.zeros(Float32, 4)
@cuda threads=4 add1!(y)
println(Array(y))
