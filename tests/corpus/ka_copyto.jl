# Runs KernelAbstractions' own test/copyto.jl, unmodified, from the checkout in KILN_CORPUS.
include(joinpath(ENV["KILN_CORPUS"], "KernelAbstractions.jl", "test", "copyto.jl"))
copyto_testsuite(CPU, Array)
