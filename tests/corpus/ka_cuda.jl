# Runs KernelAbstractions' own test suite, unmodified, from the checkout in KILN_CORPUS, with the back end of CUDA.jl: one file,
# named as `ka_cuda.jl localmem`, and the function in it that has its tests.
using CUDA, KernelAbstractions, Test

macro conditional_testset(name, skip_tests, expr)
    return esc(:(@testset $name $expr))
end

module Testsuite
    using ..KernelAbstractions, ..Test
    import ..KernelAbstractions.KernelIntrinsics as KI
    using ..Main: @conditional_testset
    include(joinpath(ENV["KILN_CORPUS"], "KernelAbstractions.jl", "test", ARGS[1] * ".jl"))
end

const SUITES = Dict(
    "test" => () -> Testsuite.unittest_testsuite(CUDABackend, "CUDA", CUDA, CuDeviceArray),
    "specialfunctions" => () -> Testsuite.specialfunctions_testsuite(CUDABackend),
    "intrinsics" => () -> Testsuite.intrinsics_testsuite(CUDABackend, CuArray),
    "localmem" => () -> Testsuite.localmem_testsuite(CUDABackend, CuArray),
    "private" => () -> Testsuite.private_testsuite(CUDABackend, CuArray),
    "unroll" => () -> Testsuite.unroll_testsuite(CUDABackend, CuArray),
    "nditeration" => () -> Testsuite.nditeration_testsuite(),
    "copyto" => () -> Testsuite.copyto_testsuite(CUDABackend, CuArray),
    "devices" => () -> Testsuite.devices_testsuite(CUDABackend),
    "print_test" => () -> Testsuite.printing_testsuite(CUDABackend),
    "reflection" => () -> Testsuite.reflection_testsuite(CUDABackend, "CUDA", CuArray),
    "convert" => () -> Testsuite.convert_testsuite(CUDABackend, CuArray),
)
@testset "$(ARGS[1])" begin
    SUITES[ARGS[1]]()
end
