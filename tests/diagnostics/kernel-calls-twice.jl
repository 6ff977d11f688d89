# Which of two calls it was is not guessed; how to be told is said.
using CUDA
@noinline checked(x) = x < 1 ? throw(DomainError(x)) : x
function kernel!(a)
    a[1] = checked(a[1] + 1) + checked(a[1] + 0)
    return
end
@cuda kernel!(CUDA.zeros(Int, 1))
