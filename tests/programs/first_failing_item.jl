# Of the items that fail at one place, the exception is that of the first: by groups, then by items, whatever runs first, as vectors or in
# ranges, on one thread or several. It has the values that the item saw, also of memory that it has written before.
using CUDA, Test

thrown(launch) = try
    launch()
    CUDA.synchronize()
    "none"
catch e
    sprint(showerror, e)
end

function marked!(y, marks)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    marks[i] && throw(DomainError(i))
    y[i] = 1
    return
end
function outside!(y, x, at)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    y[i] = x[at[i]]
    return
end
function counted!(y)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    v = y[i] - 1
    y[i] = v
    v < 0 && throw(DomainError(v))
    return
end
function halves!(y, marks)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    s = CuStaticSharedArray(Int, 64)
    s[threadIdx().x] = i
    sync_threads()
    marks[i] && throw(DomainError(s[threadIdx().x]))
    y[i] = 1
    return
end

for (threads, blocks) in ((64, 1), (32, 2), (1, 64), (8, 8)), failing in ((5, 6, 9), (10, 40), (40, 41), (64,))
    marks, y = CuArray([i in failing for i in 1:64]), CUDA.zeros(Int, 64)
    first = failing[1]
    @test thrown(() -> @cuda threads=threads blocks=blocks marked!(y, marks)) == "DomainError with $first"
    @test Array(y) == [Int(!(i in failing)) for i in 1:64] # the others go on
    @test thrown(() -> @cuda threads=threads blocks=blocks halves!(y, marks)) == "DomainError with $first"
    at = CuArray([i in failing ? 1000 + i : 1 for i in 1:64])
    text = thrown(() -> @cuda threads=threads blocks=blocks outside!(y, CUDA.ones(Int, 10), at))
    @test occursin("at index [$(1000 + first)]", text)
    y = CuArray([i in failing ? 0 : 1 for i in 1:64])
    @test thrown(() -> @cuda threads=threads blocks=blocks counted!(y)) == "DomainError with -1"
    @test Array(y) == [i in failing ? -1 : 0 for i in 1:64]
end

# Groups on all threads.
n = 1 << 18
marks, y = CuArray([i % 1000 == 777 for i in 1:n]), CUDA.zeros(Int, n)
for _ in 1:20
    @test thrown(() -> @cuda threads=256 blocks=n÷256 marked!(y, marks)) == "DomainError with 777"
end
