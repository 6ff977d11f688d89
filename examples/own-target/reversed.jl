# A kernel for devices that have items: each of a group puts an element where the others see it, and takes the one that is as
# far from the other end.
using CUDA

function reversed!(out, a)
    tile = CuStaticSharedArray(Int64, 64)
    i = threadIdx().x
    at = (blockIdx().x - 1) * blockDim().x + i
    tile[i] = a[at]
    sync_threads()
    out[at] = tile[blockDim().x + 1 - i]
    return
end

function voted!(out)
    out[threadIdx().x] = vote_ballot_sync(0xffffffff, true)
    return
end
