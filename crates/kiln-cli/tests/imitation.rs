//! MISSION P7: `--as`: the processor keeps to the limits of another device, and answers as it does.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use project::Project;
use std::process::Output;

/// Runs a program as a device; fails unless its `@test`s hold. Returns standard error.
fn passes(device: &str, program: &str) -> String {
    let output = run(device, program);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "as {device}: {said}");
    said
}

fn run(device: &str, program: &str) -> Output {
    let folder = Project::new(&format!("{device}-{}", program.len())).dir;
    std::fs::write(folder.join("program.jl"), program).unwrap();
    project::uncached().current_dir(&folder).args(["run", "--as", device, "program.jl"]).output().unwrap()
}

/// Programs that ask for the device are told of the imitated one.
#[test]
fn queries_are_answered_for_the_device() {
    let nvidia = "using CUDA, Test
        @test CUDA.capability(device()) == v\"8.6\"
        @test CUDA.name(device()) == \"sm_86 imitated by CPU\"
        @test warpsize(device()) == 32
        @test attribute(device(), CUDA.DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) == 49152
        @test attribute(device(), CUDA.DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) == 99 * 1024
        @test attribute(device(), CUDA.DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) == 64
        @test attribute(device(), CUDA.DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) == 6";
    assert_eq!(passes("sm_86", nvidia), "");
    let amd = "using AMDGPU, Test
        @test AMDGPU.HIP.gcn_arch(AMDGPU.device()) == \"gfx1100\"
        @test AMDGPU.HIP.wavefrontsize(AMDGPU.device()) == 32
        @test AMDGPU.HIP.properties(AMDGPU.device()).sharedMemPerBlock == 65536";
    assert_eq!(passes("gfx1100", amd), "");
}

/// Runs a program as a device, on fibers and in regions; fails unless its `@test`s hold.
fn passes_in_all_forms(device: &str, program: &str) {
    let folder = Project::new(&format!("forms-{device}-{}", program.len())).dir;
    std::fs::write(folder.join("program.jl"), program).unwrap();
    for (barriers, bits) in [("fibers", "off"), ("regions", "off"), ("regions", "512")] {
        let mut command = project::uncached();
        command.env("KILN_BARRIERS", barriers).env("KILN_VECTOR", bits);
        let output =
            command.current_dir(&folder).args(["run", "--as", device, "program.jl"]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && said.is_empty(), "as {device}, {barriers}, {bits}: {said}");
    }
}

/// Matrix units of CDNA multiply by waves of 64 lanes.
#[test]
fn waves_of_64_multiply_matrices() {
    let program = kiln_testing::repository().join("tests/imitation/amdgpu_mfma.jl");
    passes_in_all_forms("gfx90a", &std::fs::read_to_string(program).unwrap());
}

/// AMD's GPUs before RDNA have waves of 64 lanes. Warps of CUDA are their halves.
#[test]
fn waves_have_the_lanes_of_the_device() {
    let program = "using AMDGPU, CUDA, Test
        using AMDGPU: Device
        @test AMDGPU.HIP.wavefrontsize(AMDGPU.device()) == 64
        @test AMDGPU.HIP.properties(AMDGPU.device()).warpSize == 64
        collect_kernel!(out, f) = (i = workitemIdx().x; out[i] = f(Int(i)); return)
        function lanes(f, T = Int; items = 64)
            out = ROCArray{T}(undef, items)
            @roc groupsize = items collect_kernel!(out, f)
            return Array(out)
        end
        @test lanes(i -> Int(Device.wavefrontsize())) == fill(64, 64)
        @test lanes(i -> Int(Device.activelane()); items = 100) == [(i - 1) % 64 for i in 1:100]
        @test lanes(i -> Device.ballot(i % 4 == 1), UInt64) == fill(0x1111111111111111, 64)
        @test lanes(i -> Device.activemask(), UInt64; items = 70) == [fill(typemax(UInt64), 64); fill(UInt64(63), 6)]
        @test lanes(i -> Device.shfl_xor(i, Int32(32))) == [33:64; 1:32]
        @test lanes(i -> Device.shfl(i, Int32(59)); items = 128) == [fill(60, 64); fill(124, 64)]
        @test lanes(i -> Device.wfred(+, i)) == fill(2080, 64)
        @test lanes(i -> Device.wfscan(+, i, true); items = 128) == [cumsum(1:64); cumsum(65:128)]
        @test lanes(i -> i > 40 ? Device.readfirstlane(i) : i) == [1:40; fill(41, 24)]
        @test lanes(i -> Device.wfall(Int32(i > 64)), Bool; items = 128) == [falses(64); trues(64)]
        warp!(out) = (i = threadIdx().x; out[i] = shfl_down_sync(FULL_MASK, Int(i), 1) + 1000laneid(); return)
        out = CuArray(zeros(Int, 70))
        @cuda threads=70 warp!(out)
        @test Array(out) == [(i % 32 == 0 || i == 70 ? i : i + 1) + 1000mod1(i, 32) for i in 1:70]
        half!(out) = (i = threadIdx().x; out[i] = vote_ballot_sync(FULL_MASK, i % 3 == 0) & active_mask(); return)
        out = CuArray(zeros(UInt32, 64))
        @cuda threads=64 half!(out)
        bits(r) = sum(UInt32(2)^(i - first(r)) for i in r if i % 3 == 0)
        @test Array(out) == [fill(bits(1:32), 32); fill(bits(33:64), 32)]";
    passes_in_all_forms("gfx90a", program);
}

/// The end of a reduction without barriers: each item of a warp adds the values that others stored in the statement before.
const TAIL: &str = "using CUDA, Test
    function tail!(out, x)
        s = CuStaticSharedArray(Int, 64)
        i = threadIdx().x
        s[i] = x[i]
        sync_threads()
        if i <= 32
            s[i] += s[i + 32]
            s[i] += s[i + 16]
            s[i] += s[i + 8]
            s[i] += s[i + 4]
            s[i] += s[i + 2]
            s[i] += s[i + 1]
        end
        i == 1 && (out[1] = s[1])
        return
    end
    # A prefix sum; lanes join again after the branch.
    function scan!(out, x)
        s = CuStaticSharedArray(Int, 32)
        i = threadIdx().x
        s[i] = x[i]
        for d in (1, 2, 4, 8, 16)
            i > d && (s[i] += s[i - d])
        end
        out[i] = s[i]
        return
    end
    x, out = CuArray(collect(1:64)), CuArray(zeros(Int, 64))
    @cuda threads=64 tail!(out, x)
    total = Array(out)[1]
    @cuda threads=32 scan!(out, x)
    sums = Array(out)[1:32]
";

/// Before sm_70 the items of a warp run in lockstep, and programs rely on it.
#[test]
fn warps_run_in_lockstep_on_devices_that_do() {
    let holds = "@test total == 2080
        @test sums == cumsum(1:32)";
    passes_in_all_forms("sm_60", &format!("{TAIL}{holds}"));
    let folder = Project::new("lockstep").dir;
    for (setting, test) in [("1", holds), ("0", "@test total != 2080")] {
        std::fs::write(folder.join("program.jl"), format!("{TAIL}{test}")).unwrap();
        let mut command = project::uncached();
        command.env("KILN_LOCKSTEP", setting).env("KILN_BARRIERS", "fibers");
        let output = command.current_dir(&folder).args(["run", "program.jl"]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{setting}: {said}");
    }
    let refused =
        project::uncached().env("KILN_LOCKSTEP", "yes").args(["run", "program.jl"]).output().unwrap();
    assert!(String::from_utf8(refused.stderr).unwrap().contains("`yes` is none of 0, 1"));
}

const SHARED: &str = "using CUDA, Test
    function static!(y, ::Val{N}) where {N}
        s = CuStaticSharedArray(Float32, N)
        s[threadIdx().x] = shfl_down_sync(0xffffffff, 1f0, 1)
        sync_threads()
        y[threadIdx().x] = s[threadIdx().x]
        return
    end
    function launched!(y)
        s = CuDynamicSharedArray(UInt8, 60000)
        s[60000] = 0x07
        y[1] = s[60000]
        return
    end
    y = CUDA.zeros(32)
";

/// A kernel has 48 KiB of static shared memory and no more. The memory through which lanes exchange values here is not counted.
#[test]
fn static_shared_memory_is_bounded() {
    let program = "
        @cuda threads=32 static!(y, Val(12288))
        @test all(Array(y) .== 1)
        @test_throws \"49156 bytes of static shared memory, where a group of sm_80 has 49152\" begin
            @cuda threads=32 static!(y, Val(12289))
        end";
    passes("sm_80", &format!("{SHARED}{program}"));
    // Without a device to imitate, the processor has what it has.
    let folder = Project::new("unbounded").dir;
    let text = format!("{SHARED}@cuda threads=32 static!(y, Val(12289))");
    std::fs::write(folder.join("program.jl"), text).unwrap();
    assert!(project::uncached().current_dir(&folder).args(["run", "program.jl"]).status().unwrap().success());
}

/// Dynamic shared memory is 48 KiB until a program asks for more, which a device may not have.
#[test]
fn dynamic_shared_memory_is_asked_for() {
    let program = "
        limit = \"Amount of dynamic shared memory exceeds kernel limit (58.594 KiB > 48.000 KiB).\"
        @test_throws limit @cuda shmem=60000 launched!(y)
        kernel = @cuda launch=false launched!(y)
        @test_throws limit kernel(y; shmem = 60000)
        wanted = CUDA.FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        @test CUDA.attributes(kernel.fun)[wanted] == 49152
        CUDA.attributes(kernel.fun)[wanted] = 60000
        kernel(y; shmem = 60000)
        @test Array(y)[1] == 7
        @test_throws \"exceeds device limit (200.000 KiB > 163.000 KiB)\" CUDA.attributes(kernel.fun)[wanted] = 200 * 1024";
    passes("sm_80", &format!("{SHARED}{program}"));
    let amd = "using AMDGPU, Test
        f!(y) = (y[1] = 1f0; nothing)
        y = AMDGPU.zeros(Float32, 1)
        @roc shmem=65536 f!(y)
        @test_throws \"65537 bytes of shared memory; groups have up to 65536\" @roc shmem=65537 f!(y)";
    passes("gfx1100", amd);
}

/// Sizes of launches: the packages' messages where they have one, also for kernels of `KernelAbstractions`.
#[test]
fn launches_keep_to_the_limits() {
    let program = "using CUDA, AMDGPU, KernelAbstractions, Test
        f!(y) = (y[1] = 1f0; nothing)
        y = CUDA.zeros(Float32, 1)
        @test_throws \"Number of threads in z-dimension exceeds device limit (65 > 64).\" @cuda threads=(1, 1, 65) f!(y)
        @test_throws \"Number of blocks in y-dimension exceeds device limit (65536 > 65535).\" @cuda blocks=(1, 65536) f!(y)
        @kernel g!(y) = (i = @index(Global); y[i] = 1f0)
        ranges = (; ndrange = 4096, workgroupsize = 2048)
        a, b, c = CUDA.zeros(4096), AMDGPU.zeros(4096), zeros(Float32, 4096)
        @test_throws \"Number of threads in x-dimension exceeds device limit (2048 > 1024).\" g!(CUDABackend())(a; ranges...)
        @test_throws \"groups have 1 to 1024 items\" g!(ROCBackend())(b; ranges...)
        @test_throws \"a group of 2048 items, where sm_80 has at most 1024\" g!(CPU())(c; ranges...)";
    passes("sm_80", program);
}

/// What a device refuses is refused: single elements, arrays of the host, dynamic calls.
#[test]
fn programs_for_a_processor_are_refused() {
    let program = "using CUDA, Test
        f!(y) = (y[1] = 1f0; nothing)
        y = CUDA.zeros(Float32, 2)
        @test_throws \"Scalar indexing is disallowed\" y[1]
        @test_throws \"Scalar indexing is disallowed\" y[1] = 2f0
        @test (CUDA.@allowscalar y[1]) == 0
        @test_throws \"not plain bits\" @cuda f!(zeros(Float32, 2))
        const unknown = Any[1f0]
        g!(y) = (y[1] = unknown[1]; nothing)
        @test_throws Exception @cuda g!(y)";
    passes("sm_80", program);
}

/// A name that is no device's, and two devices at once, are mistakes of the command line.
#[test]
fn only_devices_are_imitated() {
    for (device, why) in [
        ("z80", "there is no such target"),
        ("spirv64", "those of sm_XX[a|f], gfxXXXX, metal"),
        ("native", "can be imitated"),
    ] {
        let output = run(device, "");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    }
    let both = ["run", "--as", "sm_80", "--device", "cpu", "program.jl"];
    assert_eq!(project::uncached().args(both).output().unwrap().status.code(), Some(2));
}
