# Kernels that launch kernels: what they launch has run when the launch of the first is over, on every device.
using CUDA, Test

function add!(y, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    i <= length(y) && (@inbounds y[i] += x)
    return
end
function fan_out(y, x)
    if threadIdx().x == 1
        @cuda dynamic=true threads=4 blocks=cld(length(y), 4) add!(y, x)
    end
    return
end

# Each item launches for its own row; sizes may be tuples, shared memory is the launch's.
function rows(out, n)
    i = threadIdx().x
    @cuda dynamic=true threads=(n, 1) shmem=sizeof(Int)*n row(out, i, n)
    return
end
function row(out, r, n)
    j = threadIdx().x
    shared = CuDynamicSharedArray(Int, n)
    shared[j] = 10r + j
    sync_threads()
    out[r, j] = shared[n + 1 - j]
    return
end

# A kernel that launches itself, with less to do.
function halves(count, n)
    CUDA.@atomic count[1] += 1
    if n > 1
        @cuda dynamic=true halves(count, n ÷ 2)
        @cuda dynamic=true halves(count, n - n ÷ 2)
    end
    return
end

# Closures, types and structs are arguments too.
struct Weights
    a::Float32
    b::Int16
end
scaled(y, f, T, w) = (i = threadIdx().x; y[i] = f(T(y[i])) * w.a + w.b; return)
function passing(y, k)
    f = x -> x + k
    w = Weights(2f0, 3)
    @cuda dynamic=true threads=length(y) scaled(y, f, Float32, w)
    return
end

# What is made first can be launched later, more than once, in a stream.
function made(y)
    kernel = dynamic_cufunction(add!, Tuple{typeof(y),Int})
    s = CuDeviceStream()
    kernel(y, 5; threads=length(y), stream=s)
    kernel(y, 7; threads=length(y), stream=s)
    CUDA.unsafe_destroy!(s)
    @cuda dynamic=true launch=false add!(y, 1)
    return
end

failing(y) = (y[threadIdx().x + 100] = 1; return)
parent_of_failing(y) = (@cuda dynamic=true threads=2 failing(y); return)
too_many(y) = (@cuda dynamic=true threads=5000 add!(y, 1); return)

@testset "kernels launch kernels" begin
    y = CUDA.zeros(Int, 10)
    @cuda threads=32 fan_out(y, 3)
    @cuda threads=32 fan_out(y, 4)
    @test Array(y) == fill(7, 10)

    out = CUDA.zeros(Int, 3, 4)
    @cuda threads=3 rows(out, 4)
    @test Array(out) == [10r + (5 - j) for r in 1:3, j in 1:4]

    count = CUDA.zeros(Int, 1)
    @cuda halves(count, 8)
    @test Array(count) == [15]

    z = CuArray(Float32[1, 2, 3])
    @cuda passing(z, 10f0)
    @test Array(z) == [(x + 10) * 2 + 3 for x in 1:3]

    w = CUDA.zeros(Int, 5)
    @cuda made(w)
    @test Array(w) == fill(12, 5)
end

@testset "what a launched kernel is told" begin
    y = CUDA.zeros(Int, 3)
    err = try @cuda(parent_of_failing(y)); CUDA.synchronize(); nothing catch e; e end
    @test err isa BoundsError || occursin("BoundsError", sprint(showerror, err))
    # The device says so itself, with an error of its own.
    err = try @cuda(too_many(y)); CUDA.synchronize(); "" catch e; sprint(showerror, e) end
    @test occursin("exceeds", err) || occursin("cudaErrorInvalidConfiguration", err)
    # The child that there is when the parent is launched.
    @eval add!(y, x) = (i = threadIdx().x; i <= length(y) && (y[i] = -x); return)
    Base.invokelatest() do
        @cuda fan_out(y, 9)
        @test Array(y) == [-9, -9, -9]
    end
    @test_throws "only kernels can call it" dynamic_cufunction(add!)
end
