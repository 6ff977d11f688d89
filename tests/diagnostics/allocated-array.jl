# An array made in a kernel is one error a use of the library, at the program's own line; what follows from it is none.
using CUDA
function kernel!(out, x, y)
    i = threadIdx().x
    zeroed = zeros(Float32, 4)
    zeroed[1] = i
    literal = [x, y]
    counted = collect(1:4)
    wide = ntuple(j -> 2j, 80)
    grown = Float32[]
    push!(grown, x)
    part = out[1:2]
    names = join(["a", "b"])
    out[2] = grown[1] + part[2] + length(names)
    out[i] = zeroed[1] + sum(literal) + counted[2] + wide[3]
    return
end
@cuda kernel!(CUDA.zeros(Float32, 4), 1f0, 2f0)
