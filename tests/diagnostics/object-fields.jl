# An object that a kernel cannot make: where it is made, which field is why, and where that is set.
using CUDA
mutable struct Sum
    total::Float32
end
mutable struct Node
    best::Union{Nothing,Sum}
    visits::Int
end
@noinline function visit!(node, x)
    node.visits += 1
    node.best = Sum(x)
    return
end
function kernel!(out)
    i = threadIdx().x
    node = Node(nothing, 0)
    visit!(node, out[i])
    out[i] = node.best === nothing ? 0f0 : node.best.total
    return
end
@cuda kernel!(CUDA.zeros(Float32, 4))
