# The Mandelbrot set, computed by a KernelAbstractions kernel and written as a PNG.
#     kiln run examples/mandelbrot.jl [FILE.png]
using KernelAbstractions, Test
include("png.jl")

@kernel function mandelbrot!(out, x0, y0, dx, dy, iterations)
    i, j = @index(Global, NTuple)
    cx, cy = x0 + dx * (i - 1), y0 + dy * (j - 1)
    x = y = 0.0f0
    n = 0
    while n < iterations && x * x + y * y <= 4.0f0
        x, y = x * x - y * y + cx, 2.0f0 * x * y + cy
        n += 1
    end
    @inbounds out[i, j] = n
end

width, height, iterations = 320, 240, 200
backend = CPU()
out = KernelAbstractions.zeros(backend, Int32, width, height)
mandelbrot!(backend, 64)(out, -2.2f0, -1.2f0, 3.2f0 / width, 2.4f0 / height, iterations; ndrange = (width, height))
KernelAbstractions.synchronize(backend)

inside = count(==(iterations), out)
@test out[220, 121] == iterations       # c = 0 never escapes
@test out[1, 1] < 5                     # a far corner escapes at once
@test abs(inside * (3.2 * 2.4) / (width * height) - 1.506) < 0.03   # the known area of the set
path = isempty(ARGS) ? "mandelbrot.png" : ARGS[1]
shade = [n == iterations ? 0x00 : UInt8(255 - min(8 * n, 255)) for n in out]
write(path, grey_png(shade))
println("mandelbrot: ", inside, " of ", width * height, " points inside, written to ", path)
