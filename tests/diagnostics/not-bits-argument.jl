# A struct that holds an array on the host is not converted unless it says how.
using CUDA
struct Grid
    spacing::Float64
    cells::Vector{Float64}
end
function kernel!(a, g)
    a[1] = g.spacing
    return
end
@cuda kernel!(CUDA.zeros(Float64, 1), Grid(0.1, [1.0]))
