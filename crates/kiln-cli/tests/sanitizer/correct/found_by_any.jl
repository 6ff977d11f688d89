# Any item that finds something raises the flag: all write the same.
using CUDA, Test

function find!(found, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(x) && x[i] == 7
        found[1] = true
    end
    return
end

x, found = CuArray(Int32[mod(i, 10) for i in 1:1000]), CUDA.zeros(Bool, 1)
@cuda threads=256 blocks=4 find!(found, x)
@test Array(found) == [true]
