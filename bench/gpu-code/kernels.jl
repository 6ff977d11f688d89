# The kernels whose machine code is counted and timed, in the style of CUDA.jl; `kernels.cu` has the same in CUDA C.
# `scripts/bench_gpu_code.py` counts instructions, `run.jl` times launches. Arrays that a kernel only reads are `Const`, where CUDA
# C says `const __restrict__`.
using CUDA
using CUDA: Const

# What a launch costs.
function launch!(y)
    @inbounds y[threadIdx().x] = 1f0
    return
end

function saxpy!(y, a, x)
    x = Const(x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        @inbounds y[i] = a * x[i] + y[i]
    end
    return
end

# With bounds checks.
function saxpy_checked!(y, a, x)
    x = Const(x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        y[i] = a * x[i] + y[i]
    end
    return
end

function stencil!(o, g)
    g = Const(g)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    if 1 < i < size(g, 1) && 1 < j < size(g, 2)
        @inbounds o[i, j] = 0.5f0 * g[i, j] + 0.125f0 * (g[i - 1, j] + g[i + 1, j] + g[i, j - 1] + g[i, j + 1])
    end
    return
end

function matmul!(c, a, b)
    a, b = Const(a), Const(b)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    if i <= size(c, 1) && j <= size(c, 2)
        s = 0f0
        for k in 1:size(a, 2)
            @inbounds s += a[i, k] * b[k, j]
        end
        @inbounds c[i, j] = s
    end
    return
end

const TILE = 16

# Sizes are multiples of the tile.
function matmul_tiled!(c, a, b)
    a, b = Const(a), Const(b)
    x, y = threadIdx().x, threadIdx().y
    i = (blockIdx().x - 1) * TILE + x
    j = (blockIdx().y - 1) * TILE + y
    ta = CuStaticSharedArray(Float32, (TILE, TILE))
    tb = CuStaticSharedArray(Float32, (TILE, TILE))
    s = 0f0
    for t in 0:(size(a, 2) ÷ TILE - 1)
        @inbounds ta[x, y] = a[i, t * TILE + y]
        @inbounds tb[x, y] = b[t * TILE + x, j]
        sync_threads()
        for k in 1:TILE
            @inbounds s += ta[x, k] * tb[k, y]
        end
        sync_threads()
    end
    @inbounds c[i, j] = s
    return
end

function warp_sum(v)
    offset = 16
    while offset > 0
        v += shfl_down_sync(0xffffffff, v, offset)
        offset >>= 1
    end
    return v
end

# Sums of blocks of 256 items.
function reduce!(out, x)
    x = Const(x)
    partial = CuStaticSharedArray(Float32, 8)
    t = threadIdx().x
    i = (blockIdx().x - 1) * blockDim().x + t
    v = i <= length(x) ? (@inbounds x[i]) : 0f0
    v = warp_sum(v)
    if (t - 1) & 31 == 0
        @inbounds partial[((t - 1) >> 5) + 1] = v
    end
    sync_threads()
    if t <= 32
        v = t <= 8 ? (@inbounds partial[t]) : 0f0
        v = warp_sum(v)
        if t == 1
            @inbounds out[blockIdx().x] = v
        end
    end
    return
end

# Counts of values from 0 to 255; each block counts in shared memory first.
function histogram!(counts, x)
    x = Const(x)
    bins = CuStaticSharedArray(Int32, 256)
    t = threadIdx().x
    @inbounds bins[t] = Int32(0)
    sync_threads()
    i = (blockIdx().x - 1) * blockDim().x + t
    stride = gridDim().x * blockDim().x
    while i <= length(x)
        @inbounds CUDA.@atomic bins[x[i] + 1] += Int32(1)
        i += stride
    end
    sync_threads()
    @inbounds CUDA.@atomic counts[t] += bins[t]
    return
end

# Accelerations by all bodies, each with its place and its mass in four floats.
function nbody!(acceleration, bodies)
    bodies = Const(bodies)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(bodies)
        @inbounds x, y, z, _ = bodies[i]
        ax = ay = az = 0f0
        for j in 1:length(bodies)
            @inbounds bx, by, bz, mass = bodies[j]
            dx, dy, dz = bx - x, by - y, bz - z
            r = dx * dx + dy * dy + dz * dz + 0.01f0
            inverse = 1f0 / sqrt(r)
            w = mass * inverse * inverse * inverse
            ax += dx * w
            ay += dy * w
            az += dz * w
        end
        @inbounds acceleration[i] = (ax, ay, az, 0f0)
    end
    return
end

function normal_distribution(d)
    k = 1f0 / (1f0 + 0.2316419f0 * abs(d))
    c = 0.3989423f0 * exp(-0.5f0 * d * d) *
        (k * (0.31938153f0 + k * (-0.35656378f0 + k * (1.7814779f0 + k * (-1.821256f0 + k * 1.3302745f0)))))
    return d > 0 ? 1f0 - c : c
end

function black_scholes!(call, put, spot, strike, years, rate, volatility)
    spot, strike, years = Const(spot), Const(strike), Const(years)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(call)
        @inbounds s, x, t = spot[i], strike[i], years[i]
        root = sqrt(t)
        d1 = (log(s / x) + (rate + 0.5f0 * volatility * volatility) * t) / (volatility * root)
        c1, c2 = normal_distribution(d1), normal_distribution(d1 - volatility * root)
        e = exp(-rate * t)
        @inbounds call[i] = s * c1 - x * e * c2
        @inbounds put[i] = x * e * (1f0 - c2) - s * (1f0 - c1)
    end
    return
end

# Tiles of 32 by 32 for blocks of 32 by 8; the padding keeps columns in different banks. Sizes are multiples of the tile.
function transpose!(o, x)
    x = Const(x)
    tile = CuStaticSharedArray(Float32, (33, 32))
    tx, ty = threadIdx().x, threadIdx().y
    i, j = (blockIdx().x - 1) * 32 + tx, (blockIdx().y - 1) * 32 + ty
    for k in 0:8:24
        @inbounds tile[tx, ty + k] = x[i, j + k]
    end
    sync_threads()
    i, j = (blockIdx().y - 1) * 32 + tx, (blockIdx().x - 1) * 32 + ty
    for k in 0:8:24
        @inbounds o[i, j + k] = tile[ty + k, tx]
    end
    return
end

# The same value for all 256 items of a block.
function block_reduce(op, scratch, v)
    t = threadIdx().x
    @inbounds scratch[t] = v
    sync_threads()
    d = 128
    while d > 0
        if t <= d
            @inbounds scratch[t] = op(scratch[t], scratch[t + d])
        end
        sync_threads()
        d >>= 1
    end
    v = @inbounds scratch[1]
    sync_threads()
    return v
end

# A block of 256 items computes the softmax of one column.
function softmax!(o, x)
    x = Const(x)
    scratch = CuStaticSharedArray(Float32, 256)
    t, column = threadIdx().x, blockIdx().x
    n = size(x, 1)
    largest = -Inf32
    i = t
    while i <= n
        v = @inbounds x[i, column]
        largest = v > largest ? v : largest
        i += 256
    end
    largest = block_reduce((a, b) -> a > b ? a : b, scratch, largest)
    total = 0f0
    i = t
    while i <= n
        @inbounds total += exp(x[i, column] - largest)
        i += 256
    end
    total = block_reduce(+, scratch, total)
    i = t
    while i <= n
        @inbounds o[i, column] = exp(x[i, column] - largest) / total
        i += 256
    end
    return
end

# A product of a sparse matrix by rows and a vector, a row for each item; positions count from 1.
function spmv!(y, starts, columns, values, x)
    starts, columns, values, x = Const(starts), Const(columns), Const(values), Const(x)
    row = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if row <= length(y)
        s = 0f0
        for k in (@inbounds starts[row]):(@inbounds starts[row + 1] - Int32(1))
            @inbounds s += values[k] * x[columns[k]]
        end
        @inbounds y[row] = s
    end
    return
end

function mandelbrot!(o, iterations)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    width, height = size(o)
    if i <= width && j <= height
        cx = -2f0 + 2.6f0 * Float32(i - 1) / Float32(width)
        cy = -1.3f0 + 2.6f0 * Float32(j - 1) / Float32(height)
        zx = zy = 0f0
        k = Int32(0)
        while k < iterations
            x2, y2 = zx * zx, zy * zy
            x2 + y2 > 4f0 && break
            zy = 2f0 * zx * zy + cy
            zx = x2 - y2 + cx
            k += Int32(1)
        end
        @inbounds o[i, j] = k
    end
    return
end
