# A 2-d stencil, with bounds checks or without: what `@inbounds` gives. `stencil.jl <launches> [checked]`.
using CUDA

function checked!(out, a)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    if 1 < i < size(a, 1) && 1 < j < size(a, 2)
        out[i, j] = 0.2f0 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    end
    return
end

function unchecked!(out, a)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    if 1 < i < size(a, 1) && 1 < j < size(a, 2)
        @inbounds out[i, j] = 0.2f0 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    end
    return
end

function launches(kernel, n, out, a)
    for _ in 1:n
        @cuda threads=(256, 1) blocks=(4, 1024) kernel(out, a)
    end
end

const N = 1024
a, out = CUDA.rand(Float32, N, N), CUDA.zeros(Float32, N, N)
kernel = get(ARGS, 2, "") == "checked" ? checked! : unchecked!
launches(kernel, parse(Int, get(ARGS, 1, "20")), out, a)
