# What a launch wrote before it was suspected is undone, in each of the pieces that an array is saved in, also where as many sites read
# as the screen has slots.
using CUDA, Test

function k!(y, x, z, flag, n)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    a = 0f0
    y[i] += 1f0
    Base.Cartesian.@nexprs 63 k -> (a += x[i + k - 1])
    z[i] = a + y[i + n]
    if i > n - 2
        flag[1] = Int32(1) # equal writes are no finding, and suspected
    end
    return
end
n = 32768
y, z, x, flag = CUDA.zeros(Float32, 2n), CUDA.zeros(Float32, n), CUDA.ones(Float32, n + 90), CUDA.zeros(Int32, 1)
@cuda threads=64 blocks=n÷64 k!(y, x, z, flag, n)
@test Array(y) == [ones(Float32, n); zeros(Float32, n)]
