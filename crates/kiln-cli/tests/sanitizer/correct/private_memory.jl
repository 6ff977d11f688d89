# Private memory of items, in functions that are called again and again.
using KernelAbstractions, CUDA, Test
@kernel function sorted!(y, x)
    i = @index(Global)
    p = @private Float32 (4,)
    for k in 1:4
        p[k] = x[4(i - 1) + k]
    end
    for a in 1:3, b in 1:4-a
        if p[b] > p[b + 1]
            p[b], p[b + 1] = p[b + 1], p[b]
        end
    end
    for k in 1:4
        y[4(i - 1) + k] = p[k]
    end
end
x, y = rand(Float32, 64), zeros(Float32, 64)
sorted!(CPU(), 4)(y, x; ndrange = 16)
@test all(issorted(y[k:k+3]) for k in 1:4:61)
function bits!(y, x)
    i = threadIdx().x
    y[i] = reinterpret(Float32, reinterpret(UInt32, x[i]) ⊻ 0x80000000)
    return
end
y = CUDA.zeros(8)
@cuda threads=8 bits!(y, CUDA.ones(8))
@test all(==(-1), Array(y))
