# A Gaussian blur through tiles in local memory, rows and then columns, written as a PNG.
#     kiln run examples/blur.jl [FILE.png]
using CUDA, KernelAbstractions, Test
include("png.jl")

const TILE = 16
const RADIUS = 6

# One dimension of the blur; the result is transposed, so that a second launch does the other one.
@kernel function blur!(out, @Const(image), @Const(weights))
    i, j = @index(Local, NTuple)
    group = @index(Group, NTuple)
    tile = @localmem Float32 (TILE + 2RADIUS, TILE)
    row, column = (group[1] - 1) * TILE, (group[2] - 1) * TILE + j
    width, height = size(image)
    k = i
    while k <= TILE + 2RADIUS
        x, y = clamp(row + k - RADIUS, 1, width), min(column, height)
        @inbounds tile[k, j] = image[x, y]
        k += TILE
    end
    @synchronize
    s = 0.0f0
    for d in 1:2RADIUS+1
        @inbounds s += weights[d] * tile[i+d-1, j]
    end
    x, y = row + i, column
    if x <= width && y <= height
        @inbounds out[y, x] = s
    end
end

function blur(image, weights)
    width, height = size(image)
    half, out = similar(image, height, width), similar(image)
    kernel = blur!(get_backend(image), (TILE, TILE))
    padded(x) = cld(x, TILE) * TILE
    kernel(half, image, weights; ndrange = padded.((width, height)))
    kernel(out, half, weights; ndrange = padded.((height, width)))
    return out
end

gauss(sigma) = (w = exp.(-(-RADIUS:RADIUS) .^ 2 ./ (2sigma^2)); Float32.(w ./ sum(w)))

# A board with a disc on it.
width, height = 300, 200
board(x, y) = (x - 150)^2 + (y - 100)^2 < 60^2 ? 1.0f0 : isodd(x ÷ 20 + y ÷ 20) ? 0.75f0 : 0.25f0
image = CuArray([board(x, y) for x in 1:width, y in 1:height])
blurred = blur(image, CuArray(gauss(2.5)))

# The same at some points, in plain loops.
host, w = Array(image), gauss(2.5)
plain(x, y) = sum(w[i+RADIUS+1] * w[j+RADIUS+1] * host[clamp(x + i, 1, width), clamp(y + j, 1, height)]
                  for i in -RADIUS:RADIUS, j in -RADIUS:RADIUS)
result = Array(blurred)
@test all(isapprox(result[x, y], plain(x, y); rtol = 1e-5) for (x, y) in ((1, 1), (300, 200), (91, 100), (150, 41), (17, 33)))
@test result[150, 100] ≈ 1
pixels = Array(round.(UInt8, 255 .* clamp.(blurred, 0, 1)))
path = isempty(ARGS) ? "blur.png" : ARGS[1]
write(path, grey_png(pixels))
println("blur: mean ", sum(blurred) / length(blurred), ", edge ", result[91, 100], ", written to ", path)
