# Runs KernelAbstractions' own test/unroll.jl, unmodified, from the checkout in KILN_CORPUS.
using KernelAbstractions, Test
include(joinpath(ENV["KILN_CORPUS"], "KernelAbstractions.jl", "test", "unroll.jl"))
unroll_testsuite(CPU, Array)
