# The kernels of `forms.jl`, for `launches.c` and `crates/kiln/examples/launch_path.rs`.
using CUDA
function empty!(y, a, x)
    return
end
function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    @inbounds y[i] = a * x[i] + y[i]
    return
end
