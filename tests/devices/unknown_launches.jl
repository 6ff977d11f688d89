# Compiled host code that calls what it does not know, which launches: arrays that it does not look at stay on the device.
using CUDA

bump!(y) = (i = threadIdx().x; i <= length(y) && (y[i] += 1f0); return)

# Touches elements of an array of the host after each call.
function timed(f, n, calls)
    for i in 1:n
        f()
        calls[1 + i % length(calls)] += 1
    end
    return sum(calls)
end

large = CUDA.zeros(Float32, 1 << 20)
launches = Any[() -> (@cuda threads=64 bump!(large)), () -> nothing]
counts = Base.zeros(Int, 8)
for round in 1:40
    timed(launches[1], 50, counts)
    timed(launches[2], 50, counts)
end
println(sum(counts))
seen = Array(large)
println(seen[1], " ", seen[64], " ", seen[65])
