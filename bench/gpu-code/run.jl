# Times the kernels of `kernels.jl`: prints a line for each, its name and the milliseconds of a launch among many, and writes
# samples of its output to the folder that the first argument names. `run.cu` does the same in CUDA C.
include("kernels.jl")

const SAMPLES = 4096

# A number in [0, 1) for position i, counted from 0, of the input of that number.
function uniform(seed, i)
    h = (i % UInt32) * 0x9e3779b1 + (seed % UInt32) * 0x7f4a7c15
    h = (h ⊻ (h >> 15)) * 0x85ebca6b
    h = (h ⊻ (h >> 13)) * 0xc2b2ae35
    return (h ⊻ (h >> 16)) >> 8
end

function fill_floats!(x, seed, least, range)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(x)
        @inbounds x[i] = least + range * (Float32(uniform(seed, i - 1)) * Float32(0x1p-24))
    end
    return
end

function fill_integers!(x, seed, bound, first)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(x)
        @inbounds x[i] = (uniform(seed, i - 1) % bound + first) % Int32
    end
    return
end

# Functions that launch nothing: the host touches arrays in them alone, because code that launches asks at each element whether a
# device has it.
@noinline blank(T, size...) = CUDA.zeros(T, size...)
@noinline function keep_samples(name, output)
    all = Array(output)
    stride = max(1, length(all) ÷ SAMPLES)
    open(io -> write(io, all[1:stride:end]), joinpath(ARGS[1], name), "w")
    return
end

function floats(seed, size...; least = 0f0, range = 1f0)
    x = CuArray{Float32}(undef, size...)
    @cuda threads=256 blocks=cld(length(x), 256) fill_floats!(x, seed, least, range)
    return x
end

function integers(seed, n, bound, first)
    x = CuArray{Int32}(undef, n)
    @cuda threads=256 blocks=cld(n, 256) fill_integers!(x, seed, UInt32(bound), UInt32(first))
    return x
end

# A function that touches no array: nothing is copied to the host between launches.
@noinline function repeat_launch(launch, launches)
    for _ in 1:launches
        launch()
    end
end
launched(launch, launches) = (repeat_launch(launch, launches); synchronize())

function measured(launch, name, output)
    launched(launch, 1)
    keep_samples(name, output)
    launched(launch, 1)
    started = time_ns()
    launched(launch, 1)
    launches = clamp(round(Int, 1e8 / (time_ns() - started)), 3, 1000)
    best = Inf
    for _ in 1:5
        started = time_ns()
        launched(launch, launches)
        best = min(best, (time_ns() - started) / launches / 1e6)
    end
    println(name, " ", round(best; digits = 5))
end

function run_saxpy(name, kernel, n)
    x, y = floats(1, n), floats(2, n)
    measured(() -> (@cuda threads=256 blocks=cld(n, 256) kernel(y, 0.5f0, x)), name, y)
end

function run_dense(n, m)
    g, o = floats(1, n, n), blank(Float32, n, n)
    measured(() -> (@cuda threads=(64, 4) blocks=(n ÷ 64, n ÷ 4) stencil!(o, g)), "stencil", o)
    measured(() -> (@cuda threads=(32, 8) blocks=(n ÷ 32, n ÷ 32) transpose!(o, g)), "transpose", o)
    measured(() -> (@cuda threads=256 blocks=n softmax!(o, g)), "softmax", o)
    a, b, c = floats(1, m, m), floats(2, m, m), blank(Float32, m, m)
    measured(() -> (@cuda threads=(16, 16) blocks=(m ÷ 16, m ÷ 16) matmul!(c, a, b)), "matmul", c)
    measured(() -> (@cuda threads=(16, 16) blocks=(m ÷ 16, m ÷ 16) matmul_tiled!(c, a, b)), "matmul_tiled", c)
    pixels = blank(Int32, n, n)
    measured("mandelbrot", pixels) do
        @cuda threads=(32, 8) blocks=(n ÷ 32, n ÷ 8) mandelbrot!(pixels, Int32(200))
    end
end

function run_vectors(n)
    x, sums = floats(1, n), blank(Float32, n ÷ 256)
    measured(() -> (@cuda threads=256 blocks=n ÷ 256 reduce!(sums, x)), "reduce", sums)
    bytes, counts = integers(3, n, 256, 0), blank(Int32, 256)
    measured(() -> (@cuda threads=256 blocks=1024 histogram!(counts, bytes)), "histogram", counts)
    s = floats(1, n; least = 5f0, range = 25f0)
    k = floats(2, n; least = 1f0, range = 99f0)
    t = floats(3, n; least = 0.25f0, range = 9.75f0)
    call, put = blank(Float32, n), blank(Float32, n)
    measured("black_scholes", call) do
        @cuda threads=256 blocks=cld(n, 256) black_scholes!(call, put, s, k, t, 0.02f0, 0.3f0)
    end
end

function run_bodies(n)
    bodies = reinterpret(NTuple{4, Float32}, floats(1, 4n))
    acceleration = CuArray{NTuple{4, Float32}}(undef, n)
    measured(() -> (@cuda threads=256 blocks=n ÷ 256 nbody!(acceleration, bodies)), "nbody", acceleration)
end

function run_sparse(n)
    starts = CuArray(Int32[1 + 32 * i for i in 0:n])
    columns, values = integers(4, 32n, n, 1), floats(5, 32n)
    x, y = floats(6, n), blank(Float32, n)
    measured(() -> (@cuda threads=256 blocks=cld(n, 256) spmv!(y, starts, columns, values, x)), "spmv", y)
end

# The second argument divides the sizes, for a look on a small device.
const PART = length(ARGS) > 1 ? parse(Int, ARGS[2]) : 1

one = blank(Float32, 32)
measured(() -> (@cuda threads=32 launch!(one)), "launch", one)
run_saxpy("saxpy", saxpy!, 2^26 ÷ PART)
run_saxpy("saxpy_checked", saxpy_checked!, 2^26 ÷ PART)
run_dense(max(8192 ÷ PART, 64), max(2048 ÷ PART, 64))
run_vectors(2^25 ÷ PART)
run_bodies(max(65536 ÷ PART, 256))
run_sparse(2^20 ÷ PART)
