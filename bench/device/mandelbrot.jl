# The Mandelbrot set, in the dialect of KernelAbstractions.
using KernelAbstractions

@kernel function mandelbrot!(out, w, h, iterations)
    i, j = @index(Global, NTuple)
    cx = -2.2f0 + 3.2f0 / w * (i - 1)
    cy = -1.2f0 + 2.4f0 / h * (j - 1)
    x = y = 0.0f0
    n = Int32(0)
    while n < iterations && x * x + y * y <= 4.0f0
        x, y = x * x - y * y + cx, 2.0f0 * x * y + cy
        n += Int32(1)
    end
    @inbounds out[i, j] = n
end
