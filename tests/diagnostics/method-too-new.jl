# A launch sees what the function sees that launches: a method defined while that runs is none for its kernels.
using CUDA
twice(x::String) = 2
kernel!(o) = (o[1] = twice(o[1]); return)
function launch(o)
    @eval twice(x) = 2x
    @cuda kernel!(o)
end
launch(CUDA.zeros(1))
