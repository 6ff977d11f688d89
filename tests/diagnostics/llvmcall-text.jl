# LLVM says what is wrong with the text of a kernel.
using CUDA
twice(x) = Base.llvmcall("%2 = add i64 %0, %1\nret i64 %2", Int64, Tuple{Int64}, x)
function kernel!(a)
    a[1] = twice(a[1])
    return
end
@cuda kernel!(CuArray([1]))
