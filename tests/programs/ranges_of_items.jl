# Kernels whose items do something in a range only: the loops over items of the processor run for the range alone.
using CUDA

# Whether an item with this index does something, by each comparison, on either side, of either sign.
const RANGES = (
    (i, a) -> i < a,
    (i, a) -> i <= a,
    (i, a) -> i > a,
    (i, a) -> i >= a,
    (i, a) -> i == a,
    (i, a) -> i != a,
    (i, a) -> a < i,
    (i, a) -> a == i,
    (i, a) -> !(i < a),
    (i, a) -> i - 7 < a,
    (i, a) -> i + 1000 <= a + 995,
    (i, a) -> unsigned(i) < unsigned(a),
    (i, a) -> unsigned(i - 1) >= unsigned(a),
    (i, a) -> i % Int32 <= a % Int32,
    (i, a) -> 2i < a,
    (i, a) -> a < i < a + 9,
    (i, a) -> i < a || i > a + 5,
)

function marks!(out, inside, a)
    i = threadIdx().x
    if inside(Int(i), a)
        @inbounds out[(blockIdx().x - 1) * blockDim().x + i] += Int32(i)
    end
    return
end

# The same between barriers, where a later region reads what an earlier one wrote, and what other items wrote.
function sums!(out, inside, a)
    i, n = Int(threadIdx().x), Int(blockDim().x)
    s = CuDynamicSharedArray(Int32, 128)
    @inbounds s[i] = 0
    sync_threads()
    if inside(i, a)
        @inbounds s[i] = Int32(i)
    end
    sync_threads()
    d = nextpow(2, n) ÷ 2
    while d > 0
        if i <= min(d, n - d)
            @inbounds s[i] += s[i + d]
        end
        sync_threads()
        d >>= 1
    end
    if i == 1
        @inbounds out[blockIdx().x] = s[1]
    end
    return
end

# Rows of items: the range is one of their columns, or of their rows.
function rows!(out, inside, a, columns)
    i, j = Int(threadIdx().x), Int(threadIdx().y)
    s = CuDynamicSharedArray(Int32, (32, 4))
    @inbounds s[i, j] = 1
    sync_threads()
    if inside(columns ? i : j, a)
        @inbounds s[i, j] += Int32(i + 100j)
    end
    sync_threads()
    @inbounds out[i, j] = s[i, blockDim().y + 1 - j]
    return
end

expected(inside, a, n) = Int32[inside(i, a) ? i : 0 for i in 1:n]
expected_row(inside, a, columns, i, j) = 1 + (inside(columns ? i : j, a) ? i + 100j : 0)

wrong = 0
for inside in RANGES, n in (1, 7, 16, 33, 64, 100), a in (-9, 0, 1, 2, 15, 16, 17, 60, 99, 100, 1000, typemin(Int), typemax(Int))
    (a == typemin(Int) || a == typemax(Int)) && inside in RANGES[[10, 11, 15, 16, 17]] && continue # they would wrap
    right = expected(inside, a, n)
    marked = CUDA.zeros(Int32, 2n)
    @cuda threads = n blocks = 2 marks!(marked, inside, a)
    summed = CUDA.zeros(Int32, 2)
    @cuda threads = n blocks = 2 shmem = 512 sums!(summed, inside, a)
    global wrong += Array(marked) != [right; right]
    global wrong += Array(summed) != fill(sum(right), 2)
end
for inside in RANGES, (x, y) in ((1, 1), (16, 2), (20, 3), (32, 4)), a in (-1, 0, 1, 2, 3, 4, 16, 19, 50), columns in (true, false)
    out = CUDA.zeros(Int32, x, y)
    @cuda threads = (x, y) shmem = 512 rows!(out, inside, a, columns)
    global wrong += Array(out) != [expected_row(inside, a, columns, i, y + 1 - j) for i in 1:x, j in 1:y]
end
println(wrong, " wrong")
