# Kernels as Metal.jl has them: sizes in groups, positions from 1 as `UInt32`, memory of the group, atomics, SIMD-groups, and what a
# launch refuses.
using Metal, KernelAbstractions, Adapt, Test

@testset "launches" begin
    function saxpy!(y, a, x)
        i = thread_position_in_grid_1d()
        i <= length(y) && (y[i] = a * x[i] + y[i])
        return
    end
    x, y = MtlArray(Float32.(1:100)), Metal.ones(Float32, 100)
    @metal threads = 32 groups = cld(100, 32) saxpy!(y, 2.0f0, x)
    @test Array(y) == 2 .* (1:100) .+ 1
    kernel = @metal launch = false saxpy!(y, 2.0f0, x)
    kernel(y, 1.0f0, x; threads = 100)
    @test Array(y) == 3 .* (1:100) .+ 1
    named = @metal name = "other" maxthreads = 64 threads = 64 saxpy!(y, 0.0f0, x)
    @test Array(y) == 3 .* (1:100) .+ 1
    @test_throws ArgumentError @metal threads = 2000 saxpy!(y, 2.0f0, x)
    @test_throws ArgumentError @metal threads = 0 saxpy!(y, 2.0f0, x)
    @test_throws ArgumentError @macroexpand @metal blocks = 1 saxpy!(y, 2.0f0, x)
    beyond!(a) = (a[thread_position_in_grid_1d()] = 1.0f0; return)
    @test_throws BoundsError (@metal threads = 101 beyond!(y); Metal.synchronize())
end

@testset "positions" begin
    function positions!(out)
        g, t = threadgroup_position_in_grid_3d(), thread_position_in_threadgroup_3d()
        p, n = thread_position_in_grid_3d(), threads_per_grid_3d()
        at = p.x + (p.y - 1) * n.x + (p.z - 1) * n.x * n.y
        out[1, at], out[2, at], out[3, at] = g.x, g.y, g.z
        out[4, at], out[5, at], out[6, at] = t.x, t.y, t.z
        out[7, at] = threads_per_threadgroup_1d() * 100 + threads_per_threadgroup_2d().y * 10 + threads_per_threadgroup_3d().z
        out[8, at] = threadgroups_per_grid_3d().x * 100 + threadgroups_per_grid_2d().y * 10 + threadgroups_per_grid_3d().z
        out[9, at] = thread_index_in_threadgroup()
        out[10, at] = grid_origin_1d() + grid_size_1d() + dispatch_threads_per_threadgroup_1d()
        return
    end
    out = MtlArray{UInt32}(undef, 10, 4 * 6 * 2)
    @metal threads = (2, 3, 1) groups = (2, 2, 2) positions!(out)
    found = Array(out)
    @test found[1:6, 1] == [1, 1, 1, 1, 1, 1]
    @test found[1:6, end] == [2, 2, 2, 2, 3, 1]
    @test all(found[7, :] .== 231) && all(found[8, :] .== 222)
    @test found[9, end] == 6 && all(found[10, :] .== 1 + 4 + 2)
    types!(out) = (out[1] = thread_position_in_grid_1d() isa UInt32 && keys(thread_position_in_grid_2d()) === (:x, :y); return)
    answer = MtlArray([false])
    @metal types!(answer)
    @test Array(answer) == [true]
end

@testset "groups" begin
    function reversed!(a)
        i = thread_position_in_threadgroup_1d()
        shared = MtlThreadGroupArray(Float32, 64)
        square = MtlThreadGroupArray(Int32, (8, 8))
        shared[i], square[i] = a[i], Int32(i)
        threadgroup_barrier(Metal.MemoryFlagThreadGroup)
        a[i] = shared[65 - i] + square[65 - i]
        return
    end
    a = MtlArray(Float32.(1:64))
    @metal threads = 64 reversed!(a)
    @test Array(a) == 2 .* (64:-1:1)
end

@testset "SIMD-groups" begin
    function lanes!(out)
        i = thread_index_in_threadgroup()
        out[i, 1] = simd_shuffle_down(Int32(i), 2)
        out[i, 2] = simd_shuffle_up(Int32(i), 3)
        simdgroup_barrier(Metal.MemoryFlagNone)
        out[i, 3] = thread_index_in_simdgroup()
        out[i, 4] = simdgroup_index_in_threadgroup()
        out[i, 5] = simdgroups_per_threadgroup() * 100 + threads_per_simdgroup()
        return
    end
    out = Metal.zeros(Int32, 64, 5)
    @metal threads = 64 lanes!(out)
    found = Array(out)
    @test found[:, 1] == [i % 32 in (31, 0) ? i : i + 2 for i in 1:64]
    @test found[:, 2] == [i % 32 in (1, 2, 3) ? i : i - 3 for i in 1:64]
    @test found[:, 3] == [1:32; 1:32] && found[:, 4] == [fill(1, 32); fill(2, 32)] && all(found[:, 5] .== 232)
    matrix!(a) = (simdgroup_load(a); return)
    @test_throws "no matrices of SIMD-groups" @metal matrix!(Metal.zeros(Float32, 8, 8))
end

@testset "atomics" begin
    function counts!(out, x)
        i = thread_position_in_grid_1d()
        Metal.@atomic out[x[i]] += Int32(1)
        Metal.atomic_fetch_max_explicit(pointer(out, 5), Int32(i))
        Metal.atomic_fetch_op_explicit(pointer(out, 6), (a, b) -> a * Int32(3) + b * Int32(0), Int32(1))
        return
    end
    out = MtlArray(Int32[0, 0, 0, 0, 0, 1])
    @metal threads = 16 counts!(out, MtlArray(Int32[1 + i % 4 for i in 1:16]))
    @test Array(out) == Int32[4, 4, 4, 4, 16, Int32(3)^16]
    function swaps!(out)
        Metal.atomic_store_explicit(pointer(out, 1), 2.0f0)
        out[2] = Metal.atomic_exchange_explicit(pointer(out, 1), 3.0f0)
        out[3] = Metal.atomic_compare_exchange_weak_explicit(pointer(out, 1), 3.0f0, 4.0f0)
        out[4] = Metal.atomic_load_explicit(pointer(out, 1))
        return
    end
    out = Metal.zeros(Float32, 4)
    @metal swaps!(out)
    @test Array(out) == Float32[4, 2, 3, 4]
end

@testset "arrays" begin
    @test mtl([1.0, 2.0]) isa MtlVector{Float32} && mtl([1, 2]) isa MtlVector{Int64} && mtl(1:3) === 1:3
    @test is_private(MtlArray([1])) && is_shared(mtl([1]; storage = Metal.SharedStorage))
    @test_throws "Metal does not support Float64 values" MtlArray([1.0])
    @test_throws "Metal does not support Int128 values" MtlArray{Tuple{Int128,Int32}}(undef, 2)
    a = MtlArray(reshape(Float32.(1:6), 2, 3))
    @test Array(a .+ 1) == reshape(2:7, 2, 3) && sum(a) == 21 && a isa MtlMatrix && size(a') == (3, 2)
    @test Array(map(x -> 2x, a)) == 2 .* reshape(1:6, 2, 3)
end

@kernel function doubled!(out, @Const(a))
    i = @index(Global, Linear)
    out[i] = 2 * a[i]
end
@testset "KernelAbstractions" begin
    a = MtlArray(Float32.(1:40))
    out = similar(a)
    backend = KernelAbstractions.get_backend(a)
    @test backend === MetalBackend() && !KernelAbstractions.supports_float64(backend)
    doubled!(backend, 16)(out, a; ndrange = 40)
    KernelAbstractions.synchronize(backend)
    @test Array(out) == 2 .* (1:40)
    @test KernelAbstractions.allocate(backend, Float32, 3) isa MtlVector{Float32} && adapt(backend, [1.0f0]) isa MtlArray
end

@testset "reflection" begin
    writes!(a) = (a[thread_position_in_grid_1d()] = 1.0f0; return)
    shown = sprint(io -> Metal.code_air(io, writes!, Tuple{MtlDeviceVector{Float32,1}}))
    @test occursin("air64_v", shown) && occursin("!air.kernel", shown) && occursin("\"air.thread_position_in_grid\"", shown)
    @test occursin("\"uint\"", shown)
    shown = sprint(io -> (@device_code_air io = io @metal writes!(Metal.zeros(Float32, 1))))
    @test occursin("air.thread_position_in_grid", shown)
    @test occursin("writes!", sprint(io -> (@device_code_metal io = io @metal writes!(Metal.zeros(Float32, 1)))))
end

@testset "the device" begin
    @test Metal.functional() && Metal.device() isa Metal.MTLDevice && length(Metal.devices()) == 1
    @test Metal.@sync(1 + 1) == 2 && Metal.device().maxThreadgroupMemoryLength > 0
end
