# Printing to a stream from a kernel is refused where it stands, once, and the help says what a kernel can print with.
using CUDA
function kernel!(a)
    i = threadIdx().x
    println("item ", i)
    a[i] = i
    return
end
@cuda threads=2 kernel!(CUDA.zeros(Int, 2))
