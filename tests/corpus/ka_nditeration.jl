# Runs KernelAbstractions' own test/nditeration.jl, unmodified, from the checkout in KILN_CORPUS.
using KernelAbstractions, Test
include(joinpath(ENV["KILN_CORPUS"], "KernelAbstractions.jl", "test", "nditeration.jl"))
nditeration_testsuite()
