# Runs KernelAbstractions' own test/private.jl, unmodified, from the checkout in KILN_CORPUS.
include(joinpath(ENV["KILN_CORPUS"], "KernelAbstractions.jl", "test", "private.jl"))
private_testsuite(CPU, Array)
