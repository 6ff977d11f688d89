# What a whole launch costs a program that launches in a loop: the conversion of the arguments, the look-up of the compiled
# kernel and the launch, not the launch alone. Prints nanoseconds a launch.
using CUDA

function empty!(y, a, x)
    return
end

function launches(n, y, a, x)
    for _ in 1:n
        @cuda threads=16 blocks=2 empty!(y, a, x)
    end
end

x, y = CUDA.ones(Float32, 16), CUDA.zeros(Float32, 16)
for _ in 1:3
    launches(3000, y, 2.0f0, x)
end
start = time_ns()
launches(3000, y, 2.0f0, x)
println(round(Int, (time_ns() - start) / 3000))
