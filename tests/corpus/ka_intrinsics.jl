# Runs KernelAbstractions' own test/intrinsics.jl, unmodified, from the checkout in KILN_CORPUS.
using KernelAbstractions, Test
include(joinpath(ENV["KILN_CORPUS"], "KernelAbstractions.jl", "test", "intrinsics.jl"))
intrinsics_testsuite(CPU, Array)
