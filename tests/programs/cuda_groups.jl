# MISSION L: cooperative groups, and what programs ask of the driver.
using Test, CUDA

# Through memory of the work-group.
function reversed(d, n)
    block = CG.this_thread_block()
    t = CG.thread_rank(block)
    s = CuDynamicSharedArray(Int32, n)
    s[t] = d[t]
    CG.sync(block)
    d[t] = s[n-t+1]
    return
end
a = Int32.(1:64)
d = CuArray(a)
@cuda threads = 64 shmem = 256 reversed(d, 64)
@test Array(d) == reverse(a)

# Some of a warp: ranks are among those who came.
function shifted(d, lower, upper, by)
    if lower <= threadIdx().x <= upper
        group = CG.coalesced_threads()
        d[threadIdx().x] = by > 0 ? CG.shfl_up(group, d[threadIdx().x], by) : CG.shfl_down(group, d[threadIdx().x], -by)
    end
    return
end
for (lower, upper) in ((1, 32), (20, 30)), T in (UInt8, Int64, Float32, ComplexF64)
    a = T.(1:32)
    d = CuArray(a)
    @cuda threads = 32 shifted(d, lower, upper, 3)
    @test Array(d) == [a[1:lower+2]; a[lower:upper-3]; a[upper+1:end]]
    d = CuArray(a)
    @cuda threads = 32 shifted(d, lower, upper, -3)
    @test Array(d) == [a[1:lower-1]; a[lower+3:upper]; a[upper-2:end]]
end

# One atomic for all that are even.
function counted(count, seen)
    if threadIdx().x % 2 == 0
        group = CG.coalesced_threads()
        before = Int32(0)
        if CG.thread_rank(group) == 1
            before = CUDA.atomic_add!(pointer(count), Int32(CG.num_threads(group)))
        end
        seen[threadIdx().x] = CG.thread_rank(group) + CG.shfl(group, before, 1)
    end
    return
end
count, seen = CuArray(Int32[7]), CUDA.zeros(Int32, 10)
@cuda threads = 10 counted(count, seen)
@test Array(count) == [12]
@test Array(seen) == [0, 8, 0, 9, 0, 10, 0, 11, 0, 12]

function voted(out)
    if threadIdx().x > 4
        group = CG.coalesced_threads()
        t = threadIdx().x
        ballot = CG.vote_ballot(group, t == 5 || t == 8)
        all, any = CG.vote_all(group, t > 4), CG.vote_any(group, t > 40)
        t == 5 && (out[1] = ballot; out[2] = all; out[3] = any)
    end
    return
end
out = CUDA.zeros(UInt32, 3)
@cuda threads = 32 voted(out)
@test Array(out) == [0b1001, 1, 0]

function copied(to, from, n)
    block = CG.this_thread_block()
    stage = CuDynamicSharedArray(Int16, n)
    CG.memcpy_async(block, pointer(stage), pointer(from), 2n)
    CG.wait(block)
    CG.memcpy_async(block, pointer(to), pointer(stage), 2n)
    CG.wait_prior(block, 0)
    return
end
from, to = CuArray(rand(Int16, 37)), CUDA.zeros(Int16, 37)
@cuda threads = 8 shmem = 74 copied(to, from, 37)
@test Array(to) == Array(from)
# The size of an array in shared memory is that of its elements.
function copied_whole(to, from)
    block = CG.this_thread_block()
    smem = CuStaticSharedArray(Float32, 32)
    CG.memcpy_async(block, pointer(smem), pointer(from), sizeof(smem))
    CG.wait(block)
    i = threadIdx().x
    while i <= length(smem)
        to[i] = smem[i]
        i += blockDim().x
    end
    return
end
whole = CUDA.zeros(Float32, 32)
@cuda threads = 8 copied_whole(whole, CuArray(Float32.(1:32)))
@test Array(whole) == 1:32

# Work-groups do not wait for each other: said, not hung.
function meets(y)
    grid = CG.this_grid()
    y[CG.thread_rank(grid)] = 1
    CG.sync(grid)
    return
end
y = CUDA.zeros(Int, 4)
@cuda threads = 4 meets(y)
@test Array(y) == [1, 1, 1, 1]
@test_throws "work-groups of a grid cannot wait" (@cuda threads = 2 blocks = 2 meets(y); synchronize())

@test sm"90a" == SMVersion("sm_90a") == SMVersion(9, 0, :arch)
@test sm"86" > sm"75" && string(sm"100f") == "sm_100f" && repr(sm"103a") == "sm\"103a\""
@test_throws ArgumentError SMVersion("ninety")
@test CUDA.device(context()) == device() && synchronize(context()) === nothing
@test attribute(device(), CUDA.DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) == 0
@test [sum(batch) for batch in CuIterator([[1, 2], [3, 4]])] == [3, 7]
