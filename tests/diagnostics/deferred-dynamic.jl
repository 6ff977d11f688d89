using CUDA # MISSION D5
using Base.Device: deferred, deferred_call
struct Big{N} end
area(::Big{N}) where {N} = N
make(n) = Big{n}()
function kernel!(a)
    shape = make(a[1])
    pointer = deferred(area, shape)
    a[1] = deferred_call(pointer, Int, shape)
    return
end
@cuda kernel!(CUDA.zeros(Int, 1))
