# Runs CUDA.jl's own test/core/device/intrinsics/cooperative_groups.jl, unmodified, from the checkout in KILN_CORPUS.
using CUDA, Test
using CUDA: i32

include("support/cuda_runner.jl")
include(joinpath(ENV["KILN_CORPUS"], "CUDA.jl", "test", "core", "device", "intrinsics", "cooperative_groups.jl"))
