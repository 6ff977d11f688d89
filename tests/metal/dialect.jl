# Kernels in Metal.jl's words, and one of KernelAbstractions: the driver answers what they ask about the item.
using Metal, KernelAbstractions
include(joinpath(@__DIR__, "support", "launches.jl"))
launch(f, groups, items, args...) =
    launched(f, groups, items, args...; convert = MtlArray) do f, there...
        @metal threads = items groups = groups f(there...)
        Metal.synchronize()
    end

saxpy!(y, a, x) = (i = thread_position_in_grid_1d(); i <= length(y) && (y[i] = a * x[i] + y[i]); return)
launch(saxpy!, 4, 64, Float32.(1:200), 2.0f0, Float32.(1:200) ./ 4)

function positions!(out)
    p, n = thread_position_in_grid_3d(), threads_per_grid_3d()
    g, t = threadgroup_position_in_grid_2d(), thread_position_in_threadgroup_3d()
    at = p.x + (p.y - 1) * n.x + (p.z - 1) * n.x * n.y
    out[1, at] = g.x * 1000 + g.y
    out[2, at] = t.x * 10000 + t.y * 100 + t.z
    out[3, at] = threads_per_threadgroup_1d() * 10 + threadgroups_per_grid_3d().z
    out[4, at] = thread_index_in_threadgroup()
    return
end
launch(positions!, (2, 3, 2), (4, 2, 3), zeros(UInt32, 4, 288))

function lanes!(out, x)
    i = thread_index_in_threadgroup()
    v = x[i]
    out[i, 1] = simd_shuffle_down(v, 3)
    out[i, 2] = simd_shuffle_up(v, 2)
    out[i, 3] = thread_index_in_simdgroup() * 1000 + simdgroup_index_in_threadgroup() * 100 + threads_per_simdgroup()
    out[i, 4] = simdgroups_per_threadgroup()
    return
end
launch(lanes!, 1, 64, zeros(Int32, 64, 4), collect(Int32, 1:64))

function halves_of_lanes!(out, x)
    i = thread_index_in_threadgroup()
    out[i] = simd_shuffle_down(x[i], 1) + simd_shuffle_up(x[i], 1)
    return
end
launch(halves_of_lanes!, 1, 32, zeros(Float16, 32), Float16.(1:32))

function sums!(out, x)
    shared = MtlThreadGroupArray(Float32, 64)
    i = thread_position_in_threadgroup_1d()
    shared[i] = x[thread_position_in_grid_1d()]
    threadgroup_barrier(Metal.MemoryFlagThreadGroup)
    d = 0x00000020
    while d > 0
        i <= d && (shared[i] += shared[i + d])
        threadgroup_barrier(Metal.MemoryFlagThreadGroup)
        d >>= 1
    end
    i == 1 && (Metal.@atomic out[1] += shared[1])
    return
end
launch(sums!, 3, 64, zeros(Float32, 1), Float32.(1:192))

function exchanged!(out, x)
    i = thread_position_in_grid_1d()
    Metal.atomic_fetch_add_explicit(pointer(out, 1), x[i])
    Metal.atomic_fetch_min_explicit(pointer(out, 2), x[i])
    Metal.atomic_fetch_xor_explicit(pointer(out, 3), x[i])
    Metal.@atomic out[4] = max(out[4], x[i])
    i == 1 && (out[5] = Metal.atomic_exchange_explicit(pointer(out, 6), Int32(7)))
    return
end
launch(exchanged!, 1, 32, Int32[0, 100, 5, 0, 0, 9], collect(Int32, 5:36))
beyond!(x) = (x[thread_position_in_grid_1d()] = 1; return)
launch(beyond!, 1, 9, zeros(Int32, 8))
