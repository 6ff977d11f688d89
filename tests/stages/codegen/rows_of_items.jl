# Between barriers, an item loop over a column of items has a loop over their rows inside. Four rows run at once: their sums do not wait
# for each other, and what the rows of a column share is loaded once. What is left of the rows runs one by one.
using CUDA

function product!(c, a, b)
    i, j = threadIdx().x, threadIdx().y
    s = CuStaticSharedArray(Float32, (16, 16))
    t = CuStaticSharedArray(Float32, (16, 16))
    @inbounds s[i, j] = a[i, j]
    @inbounds t[i, j] = b[i, j]
    sync_threads()
    total = 0.0f0
    for k in 1:16
        @inbounds total += s[i, k] * t[k, j]
    end
    sync_threads()
    @inbounds c[i, j] = total
    return
end

# The loop of a row waits for nothing that other rows could hide.
function copied!(c, a)
    i, j = threadIdx().x, threadIdx().y
    s = CuStaticSharedArray(Float32, (16, 16))
    @inbounds s[i, j] = a[i, j]
    sync_threads()
    @inbounds c[i, j] = s[j, i]
    return
end

#: regions x86-64-v3 'product!(CuDeviceMatrix{Float32,1}, CuDeviceMatrix{Float32,1}, CuDeviceMatrix{Float32,1})'
#: check: entry.region2: vectors of 8 items, 2 at once
#: regions x86-64-v3 'copied!(CuDeviceMatrix{Float32,1}, CuDeviceMatrix{Float32,1})'
#: check: entry.region2: vectors of 8 items
#: not: at once
