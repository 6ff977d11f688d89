# Without notes of the calls on the way, those are told that are the only ones of what they call.
using CUDA
@noinline checked(x) = x < 1 ? throw(DomainError(x)) : x
@noinline function lowered(x)
    y = x - 2
    return checked(y) + 1
end
function kernel!(a)
    a[threadIdx().x] = lowered(a[threadIdx().x])
    return
end
@cuda kernel!(CUDA.zeros(Int, 1))
