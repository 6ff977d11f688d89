# Conditions that bound the indices of items, of groups that end where a bound does: every item that is inside runs, and no other.
using CUDA, Test

bounds = [
    (x, y, n, m) -> x <= n && y <= m,
    (x, y, n, m) -> x < n && y < m,
    (x, y, n, m) -> x - 1 <= n && y <= m,
    (x, y, n, m) -> x - 2 <= n && y <= m,
    (x, y, n, m) -> x - 2 < n && y <= m,
    (x, y, n, m) -> x - 2 > n && y <= m,
    (x, y, n, m) -> x - 2 >= n && y <= m,
    (x, y, n, m) -> x + 1 <= n && y + 1 <= m,
    (x, y, n, m) -> x > n && y <= m,
    (x, y, n, m) -> x >= n && y > m,
    (x, y, n, m) -> n >= x && m >= y,
    (x, y, n, m) -> 1 < x < n && 1 < y < m,
    (x, y, n, m) -> Int32(x) <= Int32(n) && y % Int32 <= m,
    (x, y, n, m) -> Int32(x) - Int32(2) <= n && y <= m,
    (x, y, n, m) -> !(x > n || y > m),
]

function mark!(inside, a, n, m)
    x = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    y = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    if inside(x, y, n, m)
        @inbounds a[x, y] = 1
    end
    return
end

# The items that are outside leave first.
function leave!(inside, a, n, m)
    x = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    y = (blockIdx().y - 1) * blockDim().y + threadIdx().y
    inside(x, y, n, m) || return
    @inbounds a[x, y] = 1
    return
end

@testset "bounds of indices" begin
    for (at, inside) in enumerate(bounds), kernel in (mark!, leave!)
        wrong = Int[]
        for n in -2:14
            a = CUDA.zeros(Int, 12, 4)
            @cuda threads=(4, 2) blocks=(3, 2) kernel(inside, a, n, 3)
            expected = [Int(inside(x, y, n, 3)) for x in 1:12, y in 1:4]
            Array(a) == expected || push!(wrong, n)
        end
        @test (at, wrong) == (at, Int[])
    end
end
