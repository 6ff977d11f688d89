# MISSION E3: kernels as oneAPI.jl has them: sizes in groups, positions from 1 as `Int`, memory of the group, atomics, sub-groups, and what a
# launch refuses.
using oneAPI, KernelAbstractions, Adapt, Test

@testset "launches" begin
    function saxpy!(y, a, x)
        i = get_global_id()
        i <= length(y) && (y[i] = a * x[i] + y[i])
        return
    end
    x, y = oneArray(Float32.(1:100)), oneAPI.ones(Float32, 100)
    @oneapi items = 32 groups = cld(100, 32) saxpy!(y, 2.0f0, x)
    @test Array(y) == 2 .* (1:100) .+ 1
    kernel = @oneapi launch = false saxpy!(y, 2.0f0, x)
    kernel(y, 1.0f0, x; items = 100)
    @test Array(y) == 3 .* (1:100) .+ 1
    @test oneAPI.launch_configuration(kernel) > 0
    @oneapi name = "other" always_inline = true items = 64 queue = global_queue() saxpy!(y, 0.0f0, x)
    @test Array(y) == 3 .* (1:100) .+ 1
    @test_throws ArgumentError @oneapi items = 2000 saxpy!(y, 2.0f0, x)
    @test_throws ArgumentError @oneapi items = 0 saxpy!(y, 2.0f0, x)
    @test_throws ArgumentError @macroexpand @oneapi threads = 1 saxpy!(y, 2.0f0, x)
    @test_throws "launch=false" @macroexpand @oneapi launch = false items = 1 saxpy!(y, 2.0f0, x)
    beyond!(a) = (a[get_global_id()] = 1.0f0; return)
    @test_throws BoundsError (@oneapi items = 101 beyond!(y); oneAPI.synchronize())
    @test_throws "get_global_id" get_global_id()
end

@testset "positions" begin
    function positions!(out)
        at = get_global_linear_id()
        for d in 1:3
            out[d, at], out[3 + d, at], out[6 + d, at] = get_group_id(d), get_local_id(d), get_global_id(d)
            out[9 + d, at], out[12 + d, at], out[15 + d, at] = get_local_size(d), get_num_groups(d), get_global_size(d)
        end
        out[19, at], out[20, at], out[21, at] = get_local_linear_id(), get_work_dim(), get_global_offset(1)
        out[22, at] = get_global_id() === get_global_id(1) && get_enqueued_local_size(2) === get_local_size(2)
        return
    end
    out = oneAPI.zeros(Int, 22, 4 * 6 * 2)
    @oneapi items = (2, 3, 1) groups = (2, 2, 2) positions!(out)
    found = Array(out)
    @test found[:, 1] == [ones(Int, 9); 2; 3; 1; 2; 2; 2; 4; 6; 2; 1; 3; 1; 1]
    @test found[:, end] == [2; 2; 2; 2; 3; 1; 4; 6; 2; 2; 3; 1; 2; 2; 2; 4; 6; 2; 6; 3; 1; 1]
    @test found[7, :] == [i for k in 1:2, j in 1:6, i in 1:4][1, 1, :] |> (x -> repeat(x, 12))
end

@testset "groups" begin
    function reversed!(a)
        i = get_local_id()
        shared = oneLocalArray(Float32, 64)
        square = oneLocalArray(Int32, (8, 8))
        shared[i], square[i] = a[i], Int32(i)
        barrier(oneAPI.LOCAL_MEM_FENCE)
        a[i] = shared[65 - i] + square[65 - i]
        return
    end
    a = oneArray(Float32.(1:64))
    @oneapi items = 64 reversed!(a)
    @test Array(a) == 2 .* (64:-1:1)
    function fenced!(a)
        a[get_global_id()] = 1.0f0
        mem_fence(oneAPI.GLOBAL_MEM_FENCE)
        atomic_work_item_fence(oneAPI.GLOBAL_MEM_FENCE, oneAPI.memory_order_seq_cst, oneAPI.memory_scope_device)
        work_group_barrier(oneAPI.GLOBAL_MEM_FENCE)
        return
    end
    @oneapi items = 64 fenced!(a)
    @test all(Array(a) .== 1)
end

@testset "sub-groups" begin
    function lanes!(out)
        i = get_local_id()
        out[i, 1] = sub_group_shuffle(Int32(i), 3)
        out[i, 2] = sub_group_shuffle_xor(Int32(i), 1)
        sub_group_barrier(oneAPI.LOCAL_MEM_FENCE)
        out[i, 3], out[i, 4] = get_sub_group_local_id(), get_sub_group_id()
        out[i, 5] = get_num_sub_groups() * 1000 + get_max_sub_group_size() * 10
        out[i, 6] = get_sub_group_size()
        return
    end
    out = oneAPI.zeros(Int32, 64, 6)
    @oneapi items = 64 lanes!(out)
    found = Array(out)
    @test found[:, 1] == [fill(3, 32); fill(35, 32)]
    @test found[:, 2] == [isodd(i) ? i + 1 : i - 1 for i in 1:64]
    @test found[:, 3] == [1:32; 1:32] && found[:, 4] == [fill(1, 32); fill(2, 32)]
    @test all(found[:, 5] .== 2320) && all(found[:, 6] .== 32)
end

@testset "atomics" begin
    function counts!(out, x)
        i = get_global_id()
        oneAPI.@atomic out[x[i]] += 1
        oneAPI.@atomic out[5] = max(out[5], Int32(i))
        oneAPI.atomic_add!(pointer(out, 6), Int32(2))
        oneAPI.atomic_inc!(pointer(out, 7))
        oneAPI.atomic_xor!(pointer(out, 8), Int32(i))
        return
    end
    out = oneAPI.zeros(Int32, 8)
    @oneapi items = 16 counts!(out, oneArray(Int32[1 + i % 4 for i in 1:16]))
    @test Array(out) == Int32[4, 4, 4, 4, 16, 32, 16, reduce(xor, 1:16)]
    function swaps!(out)
        out[2] = oneAPI.atomic_xchg!(pointer(out, 1), 3.0f0)
        out[3] = oneAPI.atomic_cmpxchg!(pointer(out, 1), 3.0f0, 4.0f0)
        out[4] = oneAPI.@atomic out[1] *= 2.0f0
        return
    end
    out = oneAPI.zeros(Float32, 4)
    @oneapi swaps!(out)
    @test Array(out) == Float32[8, 0, 3, 8]
    @test_throws oneAPI.AtomicError @macroexpand oneAPI.@atomic f(x)
end

@testset "functions" begin
    for T in (Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64)
        xs = T[typemin(T), typemax(T), 0, 5, typemax(T) - T(3)]
        bits = 8 * sizeof(T)
        agree(f, exact) = all(f(x, y) == exact(big(x), big(y)) for x in xs, y in xs)
        @test agree(oneAPI.add_sat, (x, y) -> clamp(x + y, typemin(T), typemax(T)))
        @test agree(oneAPI.sub_sat, (x, y) -> clamp(x - y, typemin(T), typemax(T)))
        @test agree(oneAPI.hadd, (x, y) -> fld(x + y, 2)) && agree(oneAPI.rhadd, (x, y) -> fld(x + y + 1, 2))
        @test agree(oneAPI.mul_hi, (x, y) -> (x * y) >> bits) && agree(oneAPI.abs_diff, (x, y) -> abs(x - y) % T)
        @test oneAPI.clz(T(1)) === T(8 * sizeof(T) - 1) && oneAPI.ctz(T(8)) === T(3) && oneAPI.popcount(T(7)) === T(3)
        @test oneAPI.rotate(T(3), T(1)) === T(6) && oneAPI.rotate(T(1), T(8 * sizeof(T) - 1)) == typemin(signed(T)) % T
    end
    @test oneAPI.upsample(Int8(-1), 0x02) === Int16(-254) && oneAPI.upsample(0x01, 0x02) === 0x0102
    @test oneAPI.mad_sat(Int32(2)^30, Int32(4), Int32(1)) == typemax(Int32) && oneAPI.mad24(Int32(3), Int32(4), Int32(5)) == 17
    @test oneAPI.rsqrt(4.0f0) == 0.5f0 && oneAPI.dim(3.0f0, 1.0f0) == 2 && oneAPI.dim(1.0f0, 3.0f0) == 0
    @test oneAPI.maxmag(-3.0f0, 2.0f0) == -3 && oneAPI.minmag(-3.0f0, 2.0f0) == 2 && oneAPI.atanpi(1.0) == 0.25
end

@testset "arrays" begin
    @test oneAPI.zeros(2) isa oneVector{Float64} && oneAPI.ones(Float32, 2, 2) isa oneMatrix{Float32} && oneAPI.rand(3) isa oneVector{Float32}
    @test is_device(oneArray([1])) && is_shared(oneArray{Int,1,oneL0.SharedBuffer}([1])) && is_host(oneArray{Int,1,oneL0.HostBuffer}([1]))
    @test oneArray{Int,1,oneL0.SharedBuffer}([1, 2])[2] == 2
    @test_throws "disallowed" oneArray([1, 2])[2]
    @test_throws "isbits-union" oneArray(Union{Int32,Nothing}[1, nothing])
    a = oneArray(reshape(Float32.(1:6), 2, 3))
    @test Array(a .+ 1) == reshape(2:7, 2, 3) && sum(a) == 21 && a isa oneMatrix && size(a') == (3, 2)
    @test Array(map(x -> 2x, a)) == 2 .* reshape(1:6, 2, 3)
    @test view(a, 1:2:2, :) isa oneWrappedMatrix && a isa oneStridedMatrix
end

@kernel function doubled!(out, @Const(a))
    i = @index(Global, Linear)
    out[i] = 2 * a[i]
end
@testset "KernelAbstractions" begin
    a = oneArray(Float32.(1:40))
    out = similar(a)
    backend = KernelAbstractions.get_backend(a)
    @test backend === oneAPIBackend() && !KernelAbstractions.supports_float64(backend)
    doubled!(backend, 16)(out, a; ndrange = 40)
    KernelAbstractions.synchronize(backend)
    @test Array(out) == 2 .* (1:40)
    @test KernelAbstractions.allocate(backend, Float32, 3; unified = true) isa oneVector{Float32} && adapt(backend, [1.0f0]) isa oneArray
end

@testset "reflection and overrides" begin
    writes!(a) = (a[get_global_id()] = 1.0f0; return)
    @test occursin("writes!", sprint(io -> (@device_code_llvm io = io @oneapi writes!(oneAPI.zeros(Float32, 1)))))
    where_it_runs() = 1.0f0
    oneAPI.@device_override where_it_runs() = 2.0f0
    asks!(a) = (a[1] = where_it_runs(); return)
    a = oneAPI.zeros(Float32, 1)
    @oneapi asks!(a)
    @test Array(a) == [2] && where_it_runs() == 1
end

@testset "the device" begin
    @test oneAPI.functional() && device() isa oneL0.ZeDevice && length(devices()) == 1 && device!(1) == device()
    @test_throws ArgumentError device!(2)
    @test length(drivers()) == 1 && driver() == first(drivers()) && context() isa oneL0.ZeContext
    @test oneAPI.@sync(1 + 1) == 2 && oneL0.compute_properties(device()).maxSharedLocalMemory > 0
    oneL0.synchronize(oneL0.ZeCommandQueue(context(), device()))
    @test contains(sprint(oneAPI.versioninfo), "oneAPI.jl as kiln has it")
end
