# Private memory with an index that is not known: what is stored before a barrier is there after it.
using CUDA, KernelAbstractions, Test

@kernel function mixed!(out, places, x)
    i = @index(Global, Linear)
    p = @private Int32 (4,)
    p[1], p[2], p[3], p[4] = Int32(1), Int32(2), Int32(3), Int32(4)
    v = x[i]
    @inbounds p[places[i]] = v > 3f0 ? Int32(10) * unsafe_trunc(Int32, v) : Int32(-7)
    @synchronize
    @inbounds p[5 - places[i]] += p[places[i]]
    @synchronize
    out[i] = p[1] + 100 * p[2] + 10_000 * p[3] + 1_000_000 * p[4]
end

function last_of!(out, n)
    i = threadIdx().x
    p = Base.Device.private_array(Float64, Val((8,)))
    for k in 1:8
        @inbounds p[k] = k / 4
    end
    for turn in 1:n
        @inbounds p[(i + turn) & 7 + 1] += turn
        sync_threads()
    end
    s = 0.0
    for k in 1:8
        @inbounds s = 2s + p[k]
    end
    @inbounds out[i] = s
    return
end

places, x = Int[1 + i % 4 for i in 1:48], Float32[i % 7 for i in 1:48]
expected = map(places, x) do at, v
    p = Int32[1, 2, 3, 4]
    p[at] = v > 3 ? 10 * trunc(Int32, v) : -7
    p[5 - at] += p[at]
    p[1] + 100 * p[2] + 10_000 * p[3] + 1_000_000 * p[4]
end
out = zeros(Int32, 48)
mixed!(CPU(), 16)(out, places, x; ndrange = 48)
@test out == expected

sums(n) = map(1:40) do i
    p = [k / 4 for k in 1:8]
    foreach(turn -> p[(i + turn) & 7 + 1] += turn, 1:n)
    foldl((s, v) -> 2s + v, p; init = 0.0)
end
for n in (0, 1, 5)
    o = CUDA.zeros(Float64, 40)
    @cuda threads=40 last_of!(o, n)
    @test Array(o) == sums(n)
end
