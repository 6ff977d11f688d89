# Items write elements that consist of several words, two items each.
using CUDA
struct Pair2
    a::Float32
    b::Float64
end
function fill2!(x)
    i = threadIdx().x
    x[cld(i, 2)] = Pair2(i, i) #: race
    return
end
@cuda threads=8 fill2!(CuArray([Pair2(0, 0) for _ in 1:4]))
