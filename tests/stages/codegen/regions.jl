# The form of a kernel on a processor: regions between barriers, vectors of items, and why it is not so.
using CUDA

function reverse!(a)
    i = threadIdx().x
    s = CuStaticSharedArray(Float32, 256)
    @inbounds s[i] = a[i]
    sync_threads()
    @inbounds a[i] = s[257 - i]
    return
end

function voted!(a)
    i = threadIdx().x
    all = vote_all_sync(0xffffffff, a[i] > 0)
    sync_threads()
    a[i] = all
    return
end

@noinline meet(a, i) = (sync_threads(); a[i])
function called!(a)
    i = threadIdx().x
    a[i] = meet(a, 257 - i)
    return
end

function locked!(a, lock)
    while CUDA.atomic_cas!(pointer(lock), Int32(0), Int32(1)) != 0
    end
    a[1] += 1
    CUDA.@atomic lock[1] = Int32(0)
    return
end

#: regions x86-64-v4 'reverse!(CuDeviceVector{Float32,1})'
#: check: barriers: 2 regions
#: check: entry.region1: vectors of 16 items
#: check: entry.region2: vectors of 16 items
#: regions x86-64-v4 'voted!(CuDeviceVector{Int32,1})'
#: check: barriers: 3 regions, 1 of them after meetings of a warp
#: check: entry.region2: vectors of 16 items
#: regions x86-64-v4 'called!(CuDeviceVector{Float32,1})'
#: check: each item runs on a fiber: a callee has a barrier
#: regions x86-64-v4 'locked!(CuDeviceVector{Int64,1}, CuDeviceVector{Int32,1})'
#: check: each item runs on a fiber: a loop waits for another item
#: regions sm_90 'reverse!(CuDeviceVector{Float32,1})'
#: check: sm_90 runs items by itself
