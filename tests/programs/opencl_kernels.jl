# MISSION E3: kernels as OpenCL.jl has them: a launch counts its items, groups divide them or are chosen; positions from 1 as `Int`. What
# kernels call is the same as in oneapi_kernels.jl.
using OpenCL, KernelAbstractions, Adapt, Test

@testset "launches" begin
    function saxpy!(y, a, x)
        i = get_global_id()
        i <= length(y) && (y[i] = a * x[i] + y[i])
        return
    end
    x, y = CLArray(Float32.(1:100)), OpenCL.ones(Float32, 100)
    @opencl global_size = 100 saxpy!(y, 2.0f0, x)
    @test Array(y) == 2 .* (1:100) .+ 1
    kernel = @opencl launch = false saxpy!(y, 2.0f0, x)
    kernel(y, 1.0f0, x; global_size = 100, local_size = 20)
    @test Array(y) == 3 .* (1:100) .+ 1
    @opencl name = "other" always_inline = true global_size = 128 local_size = 64 queue = cl.queue() saxpy!(y, 0.0f0, x)
    @test Array(y) == 3 .* (1:100) .+ 1
    @test_throws "CL_INVALID_WORK_GROUP_SIZE" @opencl global_size = 100 local_size = 30 saxpy!(y, 2.0f0, x)
    @test_throws "CL_INVALID_WORK_GROUP_SIZE" @opencl global_size = 4096 local_size = 2048 saxpy!(y, 2.0f0, x)
    @test_throws "CL_INVALID_GLOBAL_WORK_SIZE" @opencl global_size = 0 saxpy!(y, 2.0f0, x)
    @test_throws "CL_INVALID_WORK_ITEM_SIZE" @opencl global_size = 4 local_size = 0 saxpy!(y, 2.0f0, x)
    @test_throws ArgumentError @opencl sub_group_size = 7 global_size = 4 saxpy!(y, 2.0f0, x)
    @test_throws ArgumentError @macroexpand @opencl items = 1 saxpy!(y, 2.0f0, x)
    @test_throws "launch=false" @macroexpand @opencl launch = false global_size = 1 saxpy!(y, 2.0f0, x)
    beyond!(a) = (a[get_global_id()] = 1.0f0; return)
    @test_throws BoundsError (@opencl global_size = 101 beyond!(y); cl.finish(cl.queue()))
end

@testset "sizes of groups" begin
    function sizes!(out)
        i = get_global_linear_id()
        out[1, i], out[2, i], out[3, i] = get_local_size(1), get_local_size(2), get_num_groups(1) * get_num_groups(2)
        out[4, i] = get_global_id(1) + 100 * get_global_id(2)
        return
    end
    sizes(n; kw...) = (out = OpenCL.zeros(Int, 4, prod(n)); (@opencl launch = false sizes!(out))(out; global_size = n, kw...); Array(out))
    @test sizes((20, 30))[1:3, 1] == [20, 10, 3] && sizes((20, 30))[4, end] == 20 + 100 * 30
    @test sizes(1000)[1:3, 7] == [250, 1, 4] && sizes(509)[1:3, 1] == [1, 1, 509]
    @test sizes((20, 30); local_size = (4, 5))[1:3, 1] == [4, 5, 30]
end

@testset "groups and atomics" begin
    function reversed!(a, count)
        i = get_local_id()
        shared = CLLocalArray(Float32, 64)
        square = CLLocalArray(Int32, (8, 8))
        shared[i], square[i] = a[i], Int32(i)
        barrier(OpenCL.LOCAL_MEM_FENCE)
        a[i] = shared[65 - i] + square[65 - i]
        OpenCL.@atomic count[1] += 1
        OpenCL.atomic_max!(pointer(count, 2), Int32(i))
        return
    end
    a, count = CLArray(Float32.(1:64)), OpenCL.zeros(Int32, 2)
    @opencl global_size = 64 local_size = 64 reversed!(a, count)
    @test Array(a) == 2 .* (64:-1:1) && Array(count) == [64, 64]
end

@testset "arrays" begin
    @test OpenCL.zeros(2) isa CLVector{Float32} && OpenCL.fill(2, 2, 2) isa CLMatrix{Int} && OpenCL.rand(3) isa CLVector{Float32}
    @test device_accessible(CLArray([1])) && !host_accessible(CLArray([1]))
    shared = CLArray{Int,1,cl.UnifiedSharedMemory}([1, 2])
    @test host_accessible(shared) && shared[2] == 2
    @test_throws "disallowed" CLArray([1, 2])[2]
    @test_throws "isbits-union" CLArray(Union{Int32,Nothing}[1, nothing])
    a = CLArray(reshape(Float32.(1:6), 2, 3))
    @test Array(a .+ 1) == reshape(2:7, 2, 3) && sum(a) == 21 && a isa CLMatrix && size(a') == (3, 2)
    @test view(a, 1:2:2, :) isa WrappedCLMatrix && a isa StridedCLMatrix
end

@kernel function doubled!(out, @Const(a))
    i = @index(Global, Linear)
    out[i] = 2 * a[i]
end
@testset "KernelAbstractions" begin
    a = CLArray(Float32.(1:40))
    out = similar(a)
    backend = KernelAbstractions.get_backend(a)
    @test backend === OpenCLBackend()
    doubled!(backend, 16)(out, a; ndrange = 40)
    KernelAbstractions.synchronize(backend)
    @test Array(out) == 2 .* (1:40)
    @test host_accessible(KernelAbstractions.allocate(backend, Float32, 3; unified = true)) && adapt(backend, [1.0f0]) isa CLArray
end

@testset "the runtime" begin
    @test length(cl.platforms()) == 1 && cl.devices(cl.platform()) == [cl.device()] && cl.device!(cl.device()) == cl.device()
    @test cl.device().max_work_group_size > 0 && cl.device().name isa String && cl.platform().profile == "FULL_PROFILE"
    @test_throws "does not say its `max_clock_frequency`" cl.device().max_clock_frequency
    @test cl.queue!(() -> 3, :profile) == 3 && cl.finish(cl.queue()) isa cl.CmdQueue
    @test_throws ArgumentError cl.CmdQueue(:other)
    @test_throws ArgumentError cl.platform!("another")
    @test_throws "kiln compiles no OpenCL C" cl.Program(; source = "__kernel void f() {}")
    @test_throws "kiln compiles no OpenCL C" clcall(1, Tuple{})
    @test contains(sprint(OpenCL.versioninfo), "OpenCL.jl as kiln has it")
end
