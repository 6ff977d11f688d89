# The kernels whose compile times are measured, in one program, so that one process compiles them all.
using CUDA

include("warm_up.jl")
include("saxpy.jl")
include("matmul.jl")
include("reduction.jl")
include("nbody.jl")
include("mandelbrot.jl")
