# Kernels as AMDGPU.jl has them: sizes in groups, positions from 1 as `UInt32`, memory of the group, atomics, and what a launch
# refuses.
using AMDGPU, Adapt, KernelAbstractions, Test

# A grid in two dimensions, with a guard.
function transpose!(out, a)
    i = (workgroupIdx().x - 1) * workgroupDim().x + workitemIdx().x
    j = (workgroupIdx().y - 1) * workgroupDim().y + workitemIdx().y
    if i <= size(a, 1) && j <= size(a, 2)
        @inbounds out[j, i] = a[i, j]
    end
    return
end
@testset "grids" begin
    a = [Float32(100i + j) for i in 1:37, j in 1:21]
    out = AMDGPU.zeros(Float32, 21, 37)
    @roc groupsize = (8, 8) gridsize = cld.((37, 21), 8) transpose!(out, ROCArray(a))
    @test Array(out) == permutedims(a)

    function sizes!(out)
        out[1], out[2], out[3] = workgroupDim().x, workgroupDim().y, workgroupDim().z
        out[4], out[5], out[6] = gridGroupDim()
        out[7], out[8], out[9] = gridItemDim()
        out[10] = AMDGPU.blockDim().x + AMDGPU.threadIdx().y * 0
        return
    end
    out = ROCArray{UInt32}(undef, 10)
    @roc groupsize = (4, 2) gridsize = (3, 5, 7) sizes!(out)
    @test Array(out) == [4, 2, 1, 3, 5, 7, 12, 10, 7, 4]
    positions() = (workitemIdx_x = workitemIdx().x, workgroup = workgroupIdx())
    types!(out) = (out[1] = positions().workitemIdx_x isa UInt32 && keys(workgroupIdx()) === (:x, :y, :z); return)
    answer = ROCArray([false])
    @roc types!(answer)
    @test Array(answer) == [true]
end

@testset "memory of the group" begin
    # Static memory is zero at the start, unless it is not asked for.
    function reversed!(a)
        tile = @ROCStaticLocalArray(Float32, 64)
        plain = @ROCStaticLocalArray(Int32, (8, 8), false)
        i = workitemIdx().x
        tile[i] += a[i]
        plain[i] = Int32(i)
        sync_workgroup()
        a[i] = tile[65 - i] + plain[i]
        return
    end
    a = ROCArray(Float32.(1:64))
    @roc groupsize = 64 reversed!(a)
    @test Array(a) == fill(65.0f0, 64)

    # Dynamic memory in two parts, the second behind the first.
    function two_parts!(out, n)
        first = @ROCDynamicLocalArray(Int32, n)
        second = @ROCDynamicLocalArray(Float64, (n,), false, n * sizeof(Int32))
        i = workitemIdx().x
        was = first[i]
        first[i] = i
        second[i] = 2i
        sync_workgroup()
        j = n - i + 1
        out[i] = first[j] + second[j] + 1000was
        return
    end
    n = 32
    out = AMDGPU.zeros(Float64, n)
    @roc groupsize = n shmem = n * (sizeof(Int32) + sizeof(Float64)) two_parts!(out, n)
    @test Array(out) == [3.0 * (n - i + 1) for i in 1:n]

    # As older programs have it.
    function allocated!(a)
        tile = AMDGPU.ROCDeviceArray((16,), AMDGPU.alloc_local(:tile, Int, 16))
        i = workitemIdx().x
        tile[i] = a[i]
        sync_workgroup()
        a[i] = tile[mod1(i + 1, 16)]
        return
    end
    b = ROCArray(collect(1:16))
    @roc groupsize = 16 allocated!(b)
    @test Array(b) == [2:16; 1]
end

function histogram!(bins, data)
    i = (workgroupIdx().x - 1) * workgroupDim().x + workitemIdx().x
    i <= length(data) && AMDGPU.@atomic bins[data[i]] += 1
    return
end
function largest!(out, data)
    i = (workgroupIdx().x - 1) * workgroupDim().x + workitemIdx().x
    i <= length(data) && AMDGPU.@atomic max(out[1], data[i])
    return
end
@testset "atomics" begin
    data = [mod1(7i, 10) for i in 1:1000]
    bins = AMDGPU.zeros(Int, 10)
    @roc groupsize = 128 gridsize = cld(1000, 128) histogram!(bins, ROCArray(data))
    @test Array(bins) == fill(100, 10)
    out = AMDGPU.zeros(Float32, 1)
    @roc groupsize = 64 gridsize = 4 largest!(out, ROCArray(Float32[(37i) % 211 for i in 1:250]))
    @test Array(out) == [210]
end

@testset "barriers that count" begin
    function counts!(out)
        i = workitemIdx().x
        n = sync_workgroup_count(Cint(i % 3 == 0))
        out[i] = n + 100sync_workgroup_and(Cint(i < 100)) + 1000sync_workgroup_or(Cint(i == 7)) + 10000sync_workgroup_or(Cint(0))
        return
    end
    out = AMDGPU.zeros(Int32, 48)
    @roc groupsize = 48 counts!(out)
    @test Array(out) == fill(1116, 48)
end

struct Model{A}
    weights::A
    scale::Float32
end
Adapt.@adapt_structure Model
function apply!(out, m)
    i = workitemIdx().x
    out[i] = m.weights[i] * m.scale
    return
end
@testset "launches" begin
    out = AMDGPU.zeros(Float32, 16)
    @roc groupsize = 16 apply!(out, Model(AMDGPU.ones(Float32, 16), 3.0f0))
    @test Array(out) == fill(3.0f0, 16)
    kernel = @roc launch = false apply!(out, Model(out, 2.0f0))
    @test kernel isa AMDGPU.Runtime.HIPKernel
    kernel(out, Model(out, 2.0f0); groupsize = 16, gridsize = 1, stream = AMDGPU.stream())
    @test Array(out) == fill(6.0f0, 16)
    @test keys(AMDGPU.launch_configuration(kernel)) == (:gridsize, :groupsize)
    nothing_to_do() = nothing
    for sizes in (0, 1025, (1024, 2), (-1,))
        @test_throws AMDGPU.HIP.HIPError @roc groupsize = sizes nothing_to_do()
    end
    @test_throws AMDGPU.HIP.HIPError @roc gridsize = 0 nothing_to_do()
    @test_throws ArgumentError macroexpand(Main, :(@roc threads = 3 nothing_to_do()))
    @test_throws ArgumentError macroexpand(Main, :(@roc launch = 1 nothing_to_do()))
    @test_throws ArgumentError @roc wavefrontsize64 = true nothing_to_do()
    closure(y) = (f() = (y[] = 2.5; nothing); @roc f(); y)
    @test Array(closure(ROCArray([1.0]))) == [2.5]
end

@testset "AMDGPU as a back end" begin
    @kernel function scale!(y, @Const(x), a)
        i = @index(Global)
        @inbounds y[i] = a * x[i]
    end
    y, x = KernelAbstractions.zeros(ROCBackend(), Float32, 100), ROCArray(Float32.(1:100))
    @test KernelAbstractions.get_backend(y) isa ROCBackend && y isa ROCArray
    scale!(ROCBackend())(y, x, 2.0f0; ndrange = 100)
    KernelAbstractions.synchronize(ROCBackend())
    @test Array(y) == 2 .* (1:100)
    scale!(ROCBackend(), 64)(y, x, 3.0f0; ndrange = 100)
    @test Array(y) == 3 .* (1:100)
end

# What an AMD GPU would be given; there need not be one.
@testset "reflection" begin
    text = sprint(io -> AMDGPU.code_gcn(io, histogram!, Tuple{ROCDeviceVector{Int,1},ROCDeviceVector{Int,1}}))
    @test occursin("s_endpgm", text) && occursin("atomic_add", text)
    bins = AMDGPU.zeros(Int, 10)
    shown = sprint(io -> AMDGPU.@device_code_gcn io = io @roc groupsize = 4 histogram!(bins, ROCArray([1, 2, 3, 3])))
    @test occursin("s_endpgm", shown) && Array(bins)[1:3] == [1, 1, 2]
end

# Definitions for kernels alone.
host_or_device() = :host
AMDGPU.Device.@device_override host_or_device() = :device
which!(out) = (out[1] = host_or_device() === :device; return)
@testset "overrides" begin
    out = ROCArray([false])
    @roc which!(out)
    @test Array(out) == [true] && host_or_device() === :host
    @test_throws ErrorException workitemIdx()
    @test_throws ErrorException AMDGPU.Device.wavefrontsize()
end
