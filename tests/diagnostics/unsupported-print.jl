# Printing from a kernel is refused where it stands.
using CUDA
function kernel!(a)
    i = threadIdx().x
    @cuprintln("item ", i)
    a[i] = i
    return
end
@cuda threads=2 kernel!(CUDA.zeros(Int, 2))
