# Runs KernelAbstractions' own test/print_test.jl, unmodified, from the checkout in KILN_CORPUS.
using KernelAbstractions, Test
include(joinpath(ENV["KILN_CORPUS"], "KernelAbstractions.jl", "test", "print_test.jl"))
printing_testsuite(CPU)
