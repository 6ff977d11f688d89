# saxpy on 10^6 floats: once and checked, or, with an argument, that many times over, timed by `--timings`.
using CUDA, Test

function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        @inbounds y[i] = y[i] + a * x[i]
    end
    return
end

n = 1_000_000
x, y = CUDA.ones(Float32, n), CUDA.fill(2.0f0, n)
reps = isempty(ARGS) ? 1 : parse(Int, ARGS[1])
a = isempty(ARGS) ? 3.0f0 : 0.0f0
for _ in 1:reps
    @cuda threads=1024 blocks=cld(n, 1024) saxpy!(y, a, x)
end
isempty(ARGS) && @test all(Array(y) .== 5.0f0)
