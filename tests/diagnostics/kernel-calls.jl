# At debug level 2 a failure tells of every call on the way to it: inlined, not inlined, and which of two.
using CUDA
@noinline checked(x) = x < 0 ? throw(DomainError(x, "must not be negative")) : x
halved(x) = checked(x) ÷ 2
@noinline function scaled(x, k)
    low = halved(x)
    high = halved(x - 2k)
    return low + high
end
function kernel!(a, k)
    i = threadIdx().x
    a[i] = scaled(8 - i, k)
    return
end
@cuda threads=4 debug_level=2 kernel!(CUDA.zeros(Int, 4), 3)
