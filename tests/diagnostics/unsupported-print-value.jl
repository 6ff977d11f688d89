# A string that is only known when the kernel runs does not leave it.
using CUDA
function kernel!(a)
    i = threadIdx().x
    parity = isodd(i) ? "odd" : "even"
    @cuprintln(i, " is ", parity)
    return
end
@cuda threads=2 kernel!(CUDA.zeros(Int, 2))
