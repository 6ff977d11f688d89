# How launches are written: tuples, integers and shorthands, launch=false, dynamic shared memory, views and reshapes.
using CUDA, Test

function fill_index!(a)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    if i <= size(a, 1) && j <= size(a, 2)
        a[i, j] = 10i + j
    end
    return
end
expected = [10i + j for i in 1:5, j in 1:3]
a = CUDA.zeros(Int, 5, 3)
@cuda threads=(4, 2) blocks=(2, 2) fill_index!(a)
@test Array(a) == expected
threads, blocks = (8, 4), 1
b = CUDA.zeros(Int, 5, 3)
@cuda threads blocks fill_index!(b)
@test Array(b) == expected

kernel = @cuda launch=false fill_index!(b)
config = launch_configuration(kernel.fun)
@test config.threads >= 1
CUDA.fill!(b, 0)
CUDA.@sync kernel(b; threads = (5, 3), blocks = 1)
@test Array(b) == expected

function reverse!(x)
    shared = @cuDynamicSharedMem(Float32, blockDim().x)
    other = CuDynamicSharedArray(Int32, blockDim().x, 4 * blockDim().x)
    i = threadIdx().x
    shared[i] = x[i]
    other[i] = i
    sync_threads()
    x[i] = shared[blockDim().x - other[i] + 1]
    return
end
x = CuArray(Float32.(1:32))
@cuda threads=32 shmem=32 * 8 reverse!(x)
@test Array(x) == Float32.(32:-1:1)
@cuda threads=32 shmem=(n -> 8n) reverse!(x)
@test Array(x) == Float32.(1:32)

# Two shared arrays of one shape are two arrays.
function swap!(x)
    one = CuStaticSharedArray(Float32, 32)
    two = CuStaticSharedArray(Float32, 32)
    i = threadIdx().x
    one[i] = x[i]
    two[i] = -x[i]
    sync_threads()
    x[i] = one[33 - i] + 2 * two[33 - i]
    return
end
@cuda threads=32 swap!(x)
@test Array(x) == -Float32.(32:-1:1)

# Arrays of the device on the host.
y = CuArray(reshape(collect(1.0:6.0), 2, 3))
@test Array(y .* 2 .+ 1) == reshape(collect(1.0:6.0), 2, 3) .* 2 .+ 1
@test sum(y) == 21.0 && maximum(y) == 6.0
@test Array(reshape(y, 3, 2)) == reshape(collect(1.0:6.0), 3, 2)
@test size(similar(y)) == (2, 3) && eltype(similar(y, Int)) == Int
@test Array(CUDA.fill(3, 4)) == [3, 3, 3, 3]

# Options that mean nothing on a processor are accepted; unknown ones are not.
c = CUDA.zeros(Int, 5, 3)
@cuda threads=(5, 3) maxregs=32 minthreads=(5, 3) blocks_per_sm=2 fastmath=true always_inline=true kernel=true stream=nothing cooperative=true fill_index!(c)
@test Array(c) == expected
message(f) = try
    f()
    "no error"
catch e
    sprint(showerror, e isa LoadError ? e.error : e)
end
@test occursin("Unsupported keyword argument 'thread'", message(() -> @eval @cuda thread=2 fill_index!(c)))
@test occursin("Invalid keyword argument '3'", message(() -> @eval @cuda 3 fill_index!(c)))
@test occursin("should be a function call", message(() -> @eval @cuda threads=2))
@test occursin("should be a constant value", message(() -> @eval @cuda launch=(1 > 2) fill_index!(c)))
@test occursin("launch=false does not support", message(() -> @eval @cuda launch=false threads=2 fill_index!(c)))

# Launches that a GPU would refuse.
@test message(() -> @cuda threads=1025 fill_index!(c)) == "Number of threads in x-dimension exceeds device limit (1025 > 1024)."
@test message(() -> @cuda threads=(1, 1, 65) fill_index!(c)) == "Number of threads in z-dimension exceeds device limit (65 > 64)."
@test message(() -> @cuda threads=(64, 32) fill_index!(c)) == "Number of threads per block exceeds kernel limit (2048 > 1024)."
@test message(() -> @cuda threads=2 maxthreads=1 fill_index!(c)) == "Number of threads per block exceeds kernel limit (2 > 1)."
@test occursin("not positive", message(() -> @cuda blocks=0 fill_index!(c)))
@test occursin("clusters", message(() -> @cuda blocks=2 clustersize=2 fill_index!(c)))
limited = @cuda launch=false maxthreads=64 fill_index!(c)
@test CUDA.maxthreads(limited) == 64
@test occursin("exceeds kernel limit (65 > 64)", message(() -> limited(c; threads=65)))


# Scalars are spread over arrays of the device.
let o = CUDA.zeros(Float32, 4)
    o .= 3
    @test Array(o) == Float32[3, 3, 3, 3]
    o .= Ref(2.0f0)
    @test Array(o) == Float32[2, 2, 2, 2]
    o .= sin.(0.0f0)
    @test all(iszero, Array(o))
end
