# What kernels use of LLVM.jl (MISSION G): typed calls by name, assembly, assumptions.
using CUDA, LLVM, LLVM.Interop, Test

# A package that names its intrinsics by a macro of its own, as SPIRVIntrinsics does.
macro builtin_ccall(name, result, types, args...)
    esc(:(@typed_ccall($("llvm.$name"), llvmcall, $result, $types, $(args...))))
end
bits_of(x) = @builtin_ccall("ctpop.i64", Int64, (Int64,), x)
next(x) = @asmcall("leaq 1(\$1), \$0", "=r,r", Int64, Tuple{Int64}, x)
nothing_much() = @asmcall("nop", "", true)
function kernel!(y, x)
    i = threadIdx().x
    assume(i <= 3)
    nothing_much()
    @inbounds y[i] = 100bits_of(x[i]) + next(x[i])
    return
end
y, x = CuArray([0, 0, 0]), CuArray([1, 7, -1])
@cuda threads = 3 kernel!(y, x)
@test Array(y) == [102, 308, 6400]
@test LLVM.Interop.escaped("a\"\\\n") == "a\\22\\5c\\0a"
wrong!(y) = (y[1] = @asmcall("nonsense \$0", "=r", Int64); return)
@test_throws "nonsense" @cuda wrong!(y)
