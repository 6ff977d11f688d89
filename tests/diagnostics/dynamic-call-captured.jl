# `total` is captured and assigned again, and the closure is passed on: what it holds is not known to be of one type.
using CUDA
@noinline twice(f) = (f(); f())
function kernel!(a)
    total = 0
    add = () -> (total += a[1])
    twice(add)
    a[1] = total
    return
end
@cuda kernel!(CUDA.zeros(Int, 1))
