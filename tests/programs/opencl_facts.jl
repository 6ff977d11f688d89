# What an OpenCL device says of itself; on the processor all of it is known.
using OpenCL, oneAPI, Test

@testset "the device" begin
    d = cl.device()
    @test d.version == "" && d.has_local_mem && d.available && d.address_bits == 64
    @test !d.has_image_support && d.max_read_image_args == d.max_write_image_args == 0
    @test d.max_image2d_shape == (0, 0) && d.max_image3d_shape == (0, 0, 0)
    @test d.sub_group_sizes == (cl.sub_group_size(d),) && cl.sub_groups_supported(d)
    @test !cl.exec_capabilities(d).native_kernel && !cl.bda_supported(d) && cl.usm_supported(d)
    @test_throws "does not say its `vendor_id`" d.vendor_id
    if d.name == "CPU"
        @test d.global_mem_size > 1 << 20 && d.max_mem_alloc_size == d.global_mem_size
        @test cl.usm_capabilities(d).host.access && cl.svm_capabilities(d).fine_grain_system
        @test "cl_intel_unified_shared_memory" in d.extensions
    end
end

swapped!(a) = (i = get_sub_group_local_id(); a[i] = sub_group_shuffle_xor(a[i], 1); return)
@testset "types that sub-groups exchange" begin
    n = cl.sub_group_size(cl.device())
    for T in cl.sub_group_shuffle_supported_types(cl.device())
        a = T.(1:n)
        d = CLArray(a)
        @opencl global_size = n local_size = n swapped!(d)
        @test Array(d) == a[xor.(0:n-1, 1).+1]
    end
end

# Types that only kernels give: their tables have methods that the host has not.
half(x) = x / 2
@testset "types of results in kernels" begin
    @test OpenCL.return_type(half, Tuple{Float32}) === oneAPI.return_type(half, Tuple{Float32}) === Float32
    @test oneAPI.return_type(get_global_id, Tuple{}) === Int
    @test OpenCL.return_type(sin, Tuple{Float64}) === Float64
    @test oneAPI.return_type(half, Tuple{Float32, Float32}) === Union{}
end

@testset "what SPIR-V a kernel is" begin
    io = IOBuffer()
    a = oneArray(Float32[1, 2])
    doubled!(a) = (i = get_global_id(); i <= length(a) && (a[i] *= 2.0f0); return)
    oneAPI.@device_code_spirv io = io @oneapi items = 2 doubled!(a)
    @test Array(a) == [2, 4]
    text = String(take!(io))
    @test occursin("OpEntryPoint Kernel", text) && occursin("doubled!", text)
    @test sprint(oneAPI.code_spirv, doubled!, Tuple{oneDeviceVector{Float32, 1}}) |> contains("OpEntryPoint")
end
