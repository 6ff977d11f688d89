# Runs KernelAbstractions' own test/localmem.jl, unmodified, from the checkout in KILN_CORPUS.
include(joinpath(ENV["KILN_CORPUS"], "KernelAbstractions.jl", "test", "localmem.jl"))
localmem_testsuite(CPU, Array)
