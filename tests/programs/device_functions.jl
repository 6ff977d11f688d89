# Functions of kernels, called by host code: an error that names them and says what to do (MISSION O6), interpreted or
# compiled.
using Test, CUDA

message(f) = try
    f()
    "no error"
catch e
    sprint(showerror, e)
end
device_only(name) =
    "`$name` is a device function: only kernels can call it, and this is host code. Call it in a function that is launched."

# Those of the program, in all forms of definitions.
CUDA.@device_function plain(x) = 3x
CUDA.@device_function (typed(x::T)::T) where {T} = x
CUDA.@device_function @inline function keywords(x; k = 1)
    return x + k
end
CUDA.@device_function Base.length(x::Nothing) = 3
@test message(() -> plain(1)) == device_only("plain")
@test message(() -> typed(1)) == device_only("typed")
@test message(() -> keywords(1; k = 3)) == device_only("keywords")
@test message(() -> length(nothing)) == device_only("Base.length")

# Those of the dialect.
@test message(threadIdx) == device_only("threadIdx")
@test message(() -> blockIdx().x * blockDim().x) == device_only("blockIdx")
@test message(gridDim) == device_only("gridDim")
@test message(sync_threads) == device_only("sync_threads")
@test message(sync_warp) == device_only("sync_warp")
@test message(laneid) == device_only("laneid")
@test message(() -> CuStaticSharedArray(Float32, 3)) == device_only("CuStaticSharedArray")
@test message(() -> CuDynamicSharedArray(Float32, (3, 3))) == device_only("CuDynamicSharedArray")

# An overlay is no method of the host: the error says that kernels have one, and where.
nowhere() = nothing
function overlaid end
CUDA.@device_override overlaid(x::Integer) = 4
partly(x::Float64) = 1
CUDA.@device_override partly(x::Int) = 2
hint(name) = "Kernels see a method for it that host code does not: call `$name` in a kernel, or define a method for the host."
@test_throws MethodError overlaid(1)
@test occursin(hint("overlaid") * "\n   @ Main", message(() -> overlaid(1)))
@test occursin("device_functions.jl:39", message(() -> overlaid(1)))
@test !occursin("Kernels see", message(() -> overlaid("x")))
@test occursin(hint("partly"), message(() -> partly(1))) && occursin("Closest candidates", message(() -> partly(1)))
@test !occursin("Kernels see", message(() -> nowhere(1)))

# The same where the host's code is compiled because it runs often.
late(f, n) = (s = 0; for i in 1:n; s += i == n ? f(i) : 1; end; s)
@test message(() -> late(plain, 100_000)) == device_only("plain")
@test message(() -> late(_ -> threadIdx().x, 100_000)) == device_only("threadIdx")
@test message(() -> late(d -> Base.Device.local_id(d), 100_000)) == "`kiln_local_id` can only be called in a kernel"
@test occursin(hint("overlaid"), message(() -> late(overlaid, 100_000)))

# Kernels call them.
function kernel(a)
    shared = CuStaticSharedArray(Int, 2)
    shared[threadIdx().x] = keywords(plain(typed(2)); k = 4) + length(nothing)
    sync_threads()
    a[threadIdx().x] = shared[3 - threadIdx().x] + overlaid(1) + partly(1) + laneid()
    return
end
a = CUDA.zeros(Int, 2)
@cuda threads=2 kernel(a)
@test Array(a) == [20, 21]
