# Products: a sparse matrix with a vector, and dense matrices, plainly and by tiles.
using CUDA, Test

# CSR: rows have between none and many elements.
function multiply!(y, first, column, value, x)
    row = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    row <= length(y) || return
    sum = 0.0f0
    for k in first[row]:first[row + 1] - Int32(1)
        sum += value[k] * x[column[k]]
    end
    y[row] = sum
    return
end
rows = 700
counts = [i % 50 == 0 ? 60 : i % 7 for i in 1:rows]
first = Int32[1; 1 .+ cumsum(counts)]
column = Int32[(k * 389) % rows + 1 for k in 1:sum(counts)]
value, x = Float32[sin(k) for k in eachindex(column)], Float32[cos(k) * k for k in 1:rows]
function host_multiply(first, column, value, x)
    y = zeros(Float32, length(first) - 1)
    for row in eachindex(y)
        sum = 0.0f0
        for k in first[row]:first[row + 1] - 1
            sum += value[k] * x[column[k]]
        end
        y[row] = sum
    end
    return y
end
for threads in (64, 256, 33)
    y = CUDA.zeros(Float32, rows)
    @cuda threads blocks=cld(rows, threads) multiply!(y, CuArray(first), CuArray(column), CuArray(value), CuArray(x))
    @test Array(y) == host_multiply(first, column, value, x)
end
println("sparse products agree exactly")

function matmul!(c, a, b)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    j = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    i <= size(c, 1) && j <= size(c, 2) || return
    sum = zero(eltype(c))
    for k in 1:size(a, 2)
        sum += a[i, k] * b[k, j]
    end
    c[i, j] = sum
    return
end
function tiled_matmul!(c, a, b)
    left, right = CuStaticSharedArray(eltype(c), (16, 16)), CuStaticSharedArray(eltype(c), (16, 16))
    p, q = threadIdx().x, threadIdx().y
    i, j = (blockIdx().x - 1) * 16 + p, (blockIdx().y - 1) * 16 + q
    sum = zero(eltype(c))
    for t in 0:cld(size(a, 2), 16) - 1
        left[p, q] = i <= size(a, 1) && 16t + q <= size(a, 2) ? a[i, 16t + q] : zero(eltype(c))
        right[p, q] = 16t + p <= size(b, 1) && j <= size(b, 2) ? b[16t + p, j] : zero(eltype(c))
        sync_threads()
        for k in 1:16
            sum += left[p, k] * right[k, q]
        end
        sync_threads()
    end
    if i <= size(c, 1) && j <= size(c, 2)
        c[i, j] = sum
    end
    return
end
function host_matmul(a, b)
    c = zeros(eltype(a), size(a, 1), size(b, 2))
    for j in axes(c, 2), i in axes(c, 1)
        sum = zero(eltype(c))
        for k in axes(a, 2)
            sum += a[i, k] * b[k, j]
        end
        c[i, j] = sum
    end
    return c
end
for T in (Float32, Float64, Int32), (m, n, l) in ((32, 48, 64), (17, 33, 20))
    a, b = T[T == Int32 ? i * k % 19 : sin(i + 2k) for i in 1:m, k in 1:l], T[T == Int32 ? j - k : cos(j * k) for k in 1:l, j in 1:n]
    want = host_matmul(a, b)
    for kernel in (matmul!, tiled_matmul!)
        c = CUDA.zeros(T, m, n)
        @cuda threads=(16, 16) blocks=(cld(m, 16), cld(n, 16)) kernel(c, CuArray(a), CuArray(b))
        @test Array(c) == want
    end
end
println("dense products agree exactly")
