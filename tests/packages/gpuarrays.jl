# GPUArrays' own suite, which it has for packages of arrays: ARGS[1] is the folder of the package, ARGS[2] a type of arrays, ARGS[3] a group of tests;
# without one the names of the groups are printed. `sites.jl` runs this file. Arrays of dialects compute by kernels; single elements
# are refused. The group that needs JLD2 is left out.
using Adapt, GPUArrays, LinearAlgebra, Random, SparseArrays, Test
const FOLDER, ARRAY, GROUP = ARGS[1], Symbol(ARGS[2]), get(ARGS, 3, "")
const HOMES = (CuArray = :CUDA, ROCArray = :AMDGPU, MtlArray = :Metal, oneArray = :oneAPI, CLArray = :OpenCL, JLArray = :JLArrays)
@eval import $(HOMES[ARRAY]): $ARRAY
ARRAY === :JLArray && @eval(using JLArrays)
GPUArrays.GPUArraysCore.BY_KERNELS[] = true
GPUArrays.allowscalar(false)
without_jld2(ex) = ex
without_jld2(ex::Expr) = ex.head === :using && ex.args == [Expr(:., :JLD2)] ? nothing :
    ex.head === :call && ex.args[1] === :include && endswith(ex.args[2], "jld2ext.jl") ? nothing : Expr(ex.head, map(without_jld2, ex.args)...)
Base.include(without_jld2, Main, joinpath(FOLDER, "test", "testsuite.jl"))
if ARRAY === :JLArray
    TestSuite.sparse_types(::Type{<:JLArray}) = (JLSparseVector, JLSparseMatrixCSC, JLSparseMatrixCSR)
    TestSuite.supported_eltypes(::Type{<:JLArray}) = setdiff(TestSuite.supported_eltypes(), [Float16, ComplexF16])
elseif ARRAY === :MtlArray
    # As Metal.jl runs it: its devices have no doubles.
    TestSuite.supported_eltypes(::Type{<:MtlArray}) = filter(T -> !(real(T) in (Float64,)), TestSuite.supported_eltypes())
end
if GROUP == ""
    foreach(println, sort(collect(keys(TestSuite.tests))))
else
    TestSuite.tests[GROUP](getglobal(Main, ARRAY))
    Sites.event("done", GROUP)
end
