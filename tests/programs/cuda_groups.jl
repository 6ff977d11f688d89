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
@cuda threads = 4 cooperative = true meets(y)
@test Array(y) == [1, 1, 1, 1]

# A cooperative launch, where there is one: groups read what others wrote before they met.
function mirrored(y, x)
    grid = CG.this_grid()
    i, n = CG.thread_rank(grid), CG.num_threads(grid)
    for round in 1:3
        y[i] = x[i] + 1
        CG.sync(grid)
        x[i] = y[n-i+1]
        token = CG.barrier_arrive(grid)
        CG.barrier_wait(grid, token)
    end
    return
end
blocks = attribute(device(), CUDA.DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) == 1 ? 8 : 1
x, y = CuArray(1:32blocks), CUDA.zeros(Int, 32blocks)
@cuda threads = 32 blocks = blocks cooperative = true mirrored(y, x)
@test Array(x) == reverse(1:32blocks) .+ 3

# Clusters: groups that see each other's memory. Without them each group is one of its own.
function neighbours(y)
    mine = CuStaticSharedArray(Int32, 32)
    i = threadIdx().x
    mine[i] = 100 * blockIdx().x + i
    cluster_arrive()
    cluster_wait()
    other = CuDistributedSharedArray(mine, linearClusterSize() + 1 - linearBlockIdxInCluster())
    y[i+32*(blockIdx().x-1)] = other[33-i] + 10000 * clusterIdx().x + 1000 * blockIdxInCluster().x
    cluster_arrive_relaxed()
    cluster_wait()
    return
end
size = attribute(device(), CUDA.DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) == 1 ? 2 : 1
y = CUDA.zeros(Int32, 128)
@cuda threads = 32 blocks = 4 clustersize = size neighbours(y)
group(b) = (c = (b - 1) ÷ size; c * size + size - (b - 1) % size)
@test Array(y) == [100 * group(b) + 33 - i + 10000 * ((b - 1) ÷ size + 1) + 1000 * ((b - 1) % size + 1) for b in 1:4 for i in 1:32]
shapes(y) = (y[1] = prod(clusterDim()); y[2] = prod(gridClusterDim()); y[3] = prod(gridDim()); return)
@cuda blocks = (2, 3) shapes(y)
@test Array(y)[1:3] == [1, 6, 6]
@test_throws "Thread block cluster dimensions exceed device limit (64 *" @cuda blocks = 64 clustersize = 64 shapes(y)
if size == 1
    lonely(y) = (y[1] = CuDistributedSharedArray(CuStaticSharedArray(Int32, 1), 2)[1]; return)
    @test_throws "a cluster has one group here" (@cuda lonely(y); synchronize())
    # A launch that does not ask the dialect.
    kernel = @cuda launch = false shapes(y)
    @test_throws "clusters of groups, which the processor does not have" Base.Device.run_kernel(kernel.fun.handle, (2, 1, 1), (1, 1, 1),
        (0, 0, 2, 1, 1), kernel.f, (cudaconvert(y),))
end
@test_throws TypeError Core.Host.kernel_launch((@cuda launch = false shapes(y)).fun.handle, (1, 1, 1), (1, 1, 1), (0, 0), shapes, cudaconvert(y))

# Launches that wait for the one before them are in order anyway.
function dependent(y)
    grid_dependency_synchronize()
    y[1] += 1
    trigger_programmatic_launch_completion()
    return
end
y = CUDA.zeros(Int32, 1)
for _ in 1:3
    @cuda dependent = true dependent(y)
end
@test Array(y) == [3]

@test sm"90a" == SMVersion("sm_90a") == SMVersion(9, 0, :arch)
@test sm"86" > sm"75" && string(sm"100f") == "sm_100f" && repr(sm"103a") == "sm\"103a\""
@test_throws ArgumentError SMVersion("ninety")
@test CUDA.device(context()) == device() && synchronize(context()) === nothing
@test attribute(device(), CUDA.DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) == (startswith(CUDA.name(device()), "NVIDIA") ? 1 : 0)
@test [sum(batch) for batch in CuIterator([[1, 2], [3, 4]])] == [3, 7]
