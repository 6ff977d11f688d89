# A value that lives across a barrier, and follows from a counter that the region after the barrier counts further: an item has the value
# of its own turn, whether the region loads it or computes it again.
using CUDA, Test

# Of a number that lies between the counter and the value.
function sums!(out, n)
    i = threadIdx().x % Int32
    s = CuStaticSharedArray(Int32, 64)
    x = Int32(0)
    k = Int32(1)
    while k <= n
        a = k * Int32(3)
        @inbounds s[i] = a + i
        sync_threads()
        v = a + i
        @inbounds x += s[Int32(65) - i]
        sync_threads()
        x += v * Int32(1000)
        k += Int32(1)
    end
    @inbounds out[i] = x
    return
end

# Of a condition.
function chosen!(out, n)
    i = threadIdx().x % Int32
    s = CuStaticSharedArray(Int32, 64)
    x = Int32(0)
    k = Int32(1)
    while k <= n
        b = k * Int32(3) > Int32(7)
        @inbounds s[i] = b ? i : -i
        sync_threads()
        v = ifelse(b, i, Int32(0))
        @inbounds x += s[Int32(65) - i]
        sync_threads()
        x += v * Int32(1000)
        k += Int32(1)
    end
    @inbounds out[i] = x
    return
end

# Of the counter alone, which only then is computed again.
function shifted!(out, n)
    i = threadIdx().x % Int32
    s = CuStaticSharedArray(Int32, 64)
    x = i
    d = Int32(1)
    while d < n
        @inbounds s[i] = x
        is_there = i + d <= Int32(64)
        sync_threads()
        x += is_there ? (@inbounds s[i + d]) : Int32(0)
        sync_threads()
        d *= Int32(2)
    end
    @inbounds out[i] = x
    return
end

function on_host(n)
    map(1:64) do i
        sum((3k + 65 - i) + (3k + i) * 1000 for k in 1:n)
    end
end
chosen_on_host(n) = map(i -> sum((3k > 7 ? 65 - i : i - 65) + (3k > 7 ? i : 0) * 1000 for k in 1:n), 1:64)
function shifted_on_host(n)
    x = collect(1:64)
    d = 1
    while d < n
        x = [x[i] + (i + d <= 64 ? x[i + d] : 0) for i in 1:64]
        d *= 2
    end
    return x
end

for (kernel, wanted) in ((sums!, on_host(5)), (chosen!, chosen_on_host(5)), (shifted!, shifted_on_host(5)))
    out = CUDA.zeros(Int32, 64)
    @cuda threads=64 kernel(out, Int32(5))
    @test Array(out) == wanted
end
