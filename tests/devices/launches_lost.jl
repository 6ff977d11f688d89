# More launches by items than a launch has room for.
using CUDA
child(y) = (CUDA.@atomic y[1] += 1; return)
parent(y) = (@cuda dynamic=true child(y); return)
y = CUDA.zeros(Int, 1)
@cuda threads=256 blocks=64 parent(y)
println(Array(y)[1])
