# Groups that wait for each other on GPUs: grids and clusters (docs/intrinsics.md). `tests/programs/cuda_groups.jl` has the results.
using CUDA

meets(y) = (y[threadIdx().x] = 1; CG.sync(CG.this_grid()); return)
# The group meets, its first item counts it, looks until all have come, and the group meets again.
#: run sm_70 asm 'meets(CuDeviceVector{Float32,1})'
#: unordered: %envreg1
#: unordered: %envreg2
#: check: bar.sync
#: check: fence.sc.gpu
#: check: atom$()
#: sameln: add.u32
#: check: ld.relaxed.gpu
#: check: fence.sc.gpu
#: check: bar.sync
#: run sm_70 bin 'meets(CuDeviceVector{Float32,1})'
#: check: ELF
#: run sm_90 bin 'meets(CuDeviceVector{Float32,1})'
#: check: ELF
# Elsewhere only a grid of one group meets.
#: run sm_61 asm 'meets(CuDeviceVector{Float32,1})'
#: not: envreg
#: check: bar.sync
#: run gfx1100 asm 'meets(CuDeviceVector{Float32,1})'
#: check: s_barrier

function neighbours(y)
    mine = CuStaticSharedArray(Float32, 32)
    mine[threadIdx().x] = clusterIdx().x + blockIdxInCluster().y + gridClusterDim().z + clusterDim().x
    cluster_arrive()
    cluster_wait()
    other = CuDistributedSharedArray(mine, linearClusterSize() + 1 - linearBlockIdxInCluster())
    y[threadIdx().x] = other[threadIdx().x]
    cluster_arrive_relaxed()
    cluster_wait()
    return
end
#: run sm_90 asm 'neighbours(CuDeviceVector{Float32,1})'
#: unordered: %clusterid.x
#: unordered: %cluster_ctaid.y
#: unordered: %nclusterid.z
#: unordered: %cluster_nctaid.x
#: check: barrier.cluster.arrive
#: check: barrier.cluster.wait
#: check: mapa.u64
#: check: barrier.cluster.arrive.relaxed
#: check: barrier.cluster.wait
#: run sm_90 bin 'neighbours(CuDeviceVector{Float32,1})'
#: check: ELF
#: run sm_80 asm 'neighbours(CuDeviceVector{Float32,1})'
#: not: cluster
#: check: bar.sync

dependent(y) = (grid_dependency_synchronize(); y[1] += 1; trigger_programmatic_launch_completion(); return)
#: run sm_90 asm 'dependent(CuDeviceVector{Float32,1})'
#: check: griddepcontrol.wait
#: check: griddepcontrol.launch_dependents
#: run sm_90 bin 'dependent(CuDeviceVector{Float32,1})'
#: check: ELF
#: run sm_80 bin 'dependent(CuDeviceVector{Float32,1})'
#: check: ELF
