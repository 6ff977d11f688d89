# A call that no method takes ends the functions it is in: they are told of, though none of them was compiled.
using CUDA
inner(x) = x * "2"
middle(x) = inner(x) + 1
function kernel!(a)
    a[threadIdx().x] = middle(a[threadIdx().x])
    return
end
@cuda kernel!(CUDA.zeros(Int32, 4))
