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
    let said = passes("gfx90a", "using AMDGPU, Test\n@test AMDGPU.HIP.wavefrontsize(AMDGPU.device()) == 32");
    assert!(said.contains("32 items run in step here, where gfx90a has 64"), "{said}");
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
        ("spirv64", "those of sm_XX[a|f] and gfxXXXX can be imitated"),
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
