# The result of `pick` may be of two types: what is done with it would be decided when the kernel runs. MISSION V2
using CUDA
struct Big{N} end
area(::Big{N}) where {N} = N
make(n) = Big{n}()
function kernel!(a, n)
    shape = make(n)
    a[1] = area(shape)
    return
end
@cuda kernel!(CUDA.zeros(Int, 1), 3)
