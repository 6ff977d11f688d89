# Runs one file of CUDA.jl's own tests, unmodified, from the checkout in KILN_CORPUS: `cuda_file.jl core/device/array.jl`.
# Its top-level expressions are evaluated one by one, so that one that needs a package kiln lacks ends no other.
using CUDA, CUDACore, GPUArraysCore, Adapt, Test, LinearAlgebra, Random
using CUDA: i32

include("support/cuda_runner.jl")
include("support/cuda_helpers.jl")

let file = joinpath(ENV["KILN_CORPUS"], "CUDA.jl", "test", ARGS[1])
    program = Meta.parseall(read(file, String); filename = file)
    @testset "$(ARGS[1])" begin
        line = 0
        for expression in program.args
            if expression isa LineNumberNode
                line = expression.line
                continue
            end
            try
                Core.eval(Main, Expr(:toplevel, LineNumberNode(line, Symbol(file)), expression))
            catch error
                println("line ", line, ": ", sprint(showerror, error))
                @test "the expression of line $line" == "evaluated"
            end
        end
    end
end
