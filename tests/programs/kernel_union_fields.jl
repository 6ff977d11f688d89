# Fields of a value that is one of several structs: what a kernel reads is what the interpreter reads.
using CUDA, Test

struct Near
    weight::Float32
    at::Int
end
struct Far
    at::Int
    weight::Float64
end

pick(i) = i % 3 == 0 ? Near(1.5f0 * i, i) : i % 3 == 1 ? Far(-i, 2.25 * i) : (at = i + 100, weight = 0x03)
weigh(i) = (x = pick(i); Float64(x.weight) + x.at)

function fill!(out)
    i = threadIdx().x
    out[i] = weigh(i)
    return
end

out = CUDA.zeros(Float64, 60)
@cuda threads=60 fill!(out)
@test Array(out) == [weigh(i) for i in 1:60]
