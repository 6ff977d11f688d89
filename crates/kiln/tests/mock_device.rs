//! A launch on a GPU compiles what `kiln compile` compiles for it, and no more: on devices made of nothing, which take artifacts, and start
//! none.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::cache::{StoreMode, StoreOptions};
use kiln::compile::{CompileOptions, Emit, Space};
use kiln::devices::{
    Device, DeviceArtifact, DeviceError, DeviceKernel, DeviceLimits, Event, Format, HostMemoryAccess,
    LaunchOutcome, MemoryKind, Seed, Stream,
};
use kiln::image::{ImagePlan, build_image, target};
use kiln::internals::SessionInternals as _;
use kiln::{Grid, KernelOptions, Session, SessionOptions, Together};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Records its inputs.
#[derive(Debug)]
struct Mock {
    target: &'static str,
    format: Format,
    limits: DeviceLimits,
    loaded: Mutex<Vec<DeviceArtifact>>,
}

impl Mock {
    fn new(target: &'static str, format: Format) -> Arc<Self> {
        let limits = DeviceLimits {
            items_max: 1024,
            items_max_in: [1024, 1024, 64],
            groups_max_in: [1 << 31, 65535, 65535],
            shared_bytes_max: 48 << 10,
            args_bytes_max: 4 << 10,
            memory_bytes: 1 << 30,
            subgroup_items: 32,
            compute_units: 1,
            address_bits: 64,
            has_fp64: true,
            has_fp16: true,
            has_clock: true,
            host_memory: HostMemoryAccess::All,
        };
        Arc::new(Self { target, format, limits, loaded: Mutex::default() })
    }
}

fn has_none<T>() -> Result<T, DeviceError> {
    Err(DeviceError::NoDevice("a mock has no memory and no queues".into()))
}

impl Device for Mock {
    fn name(&self) -> &str {
        "a mock"
    }
    fn target(&self) -> &str {
        self.target
    }
    fn limits(&self) -> &DeviceLimits {
        &self.limits
    }
    fn takes(&self, format: Format) -> bool {
        format == self.format
    }
    fn new_stream(&self) -> Result<Stream, DeviceError> {
        has_none()
    }
    fn alloc(&self, _: usize, _: MemoryKind) -> Result<u64, DeviceError> {
        has_none()
    }
    fn free(&self, _: u64) -> Result<(), DeviceError> {
        has_none()
    }
    fn write(&self, _: Stream, _: u64, _: &[u8]) -> Result<(), DeviceError> {
        has_none()
    }
    fn read(&self, _: Stream, _: u64, _: &mut [u8]) -> Result<(), DeviceError> {
        has_none()
    }
    fn copy(&self, _: Stream, _: u64, _: u64, _: usize) -> Result<(), DeviceError> {
        has_none()
    }
    fn fill(&self, _: Stream, _: u64, _: u8, _: usize) -> Result<(), DeviceError> {
        has_none()
    }
    fn load(&self, artifact: &DeviceArtifact) -> Result<Arc<dyn DeviceKernel>, DeviceError> {
        self.loaded.lock().unwrap().push(artifact.clone());
        Ok(Arc::new(Idle))
    }
    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// A kernel that is over before it starts.
#[derive(Debug)]
struct Idle;

impl DeviceKernel for Idle {
    fn items_max(&self) -> u64 {
        1024
    }
    fn launch_seeded(
        &self,
        _: Stream,
        _: &Grid,
        _: Option<Seed>,
        _: &[u8],
    ) -> Result<Box<dyn Event>, DeviceError> {
        Ok(Box::new(Idle))
    }
}

impl Event for Idle {
    fn wait(&self) -> Result<LaunchOutcome, DeviceError> {
        Ok(LaunchOutcome::default())
    }
}

/// A kernel whose warps exchange values, which NVIDIA GPUs have instructions for, and one that launches it.
const PROGRAM: &str = "
using CUDA
function total!(y)
    x = y[threadIdx().x]
    delta = 16
    while delta > 0
        x += shfl_down_sync(0xffffffff, x, delta)
        delta = delta >> 1
    end
    threadIdx().x == 1 && (y[1] = x)
    return
end
parent!(y) = (@cuda dynamic=true threads=32 total!(y); return)
arrays = map(cudaconvert, (CUDA.zeros(Float32, 32),))
";

fn session(store: &Path) -> Session {
    let store = StoreOptions {
        root: store.to_owned(),
        mode: StoreMode::ReadWrite,
        bytes_max: None,
        overlays: Vec::new(),
        verify_one_in: 0,
        remote: None,
    };
    let session = Session::new(SessionOptions::new().store(Some(store))).unwrap();
    session.run_text("mock", PROGRAM).unwrap();
    session
}

fn compile(session: &Session, name: &str) -> String {
    let options = CompileOptions {
        target: "sm_80".into(),
        emit: Emit::Default,
        name: None,
        space: Space::OfArguments,
        function: false,
        kernel: KernelOptions::default(),
    };
    let compiled = session.compile(&format!("{name}(CuDeviceVector{{Float32,1}})"), &options).unwrap();
    String::from_utf8(compiled.bytes).unwrap()
}

/// Launches on a mock; returns the code that it loads.
fn launch(session: &Session, mock: &Arc<Mock>, (name, options): (&str, &str)) -> Vec<u8> {
    let device = session.add_device(mock.clone()).unwrap();
    let config = session.kernel_config(options).unwrap();
    let (function, args) = (session.evaluate(name).unwrap(), session.evaluate("arrays").unwrap());
    let args = session.elements(args);
    let job = session.kernel_job_on(device, function, &args, config);
    let kernel = session.kernel(&job).unwrap();
    let grid = Grid { groups: [1; 3], items: [32, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };
    session.launch(kernel, &grid, function, &args).unwrap();
    let loaded = mock.loaded.lock().unwrap();
    assert_eq!(loaded.len(), 1);
    loaded[0].code.clone()
}

/// MISSION O1, O4, G: the tables for a target are seen by all that compile for it, so that both find each other's units and
/// artifacts: the same text, under the same keys.
#[test]
fn launches_and_compiles_ahead_are_the_same() {
    let root = std::env::temp_dir().join(format!("kiln-mock-device-{}", std::process::id()));
    for (number, name) in ["total!", "parent!"].into_iter().enumerate() {
        let store = root.join(number.to_string());
        let ahead = session(&store);
        let before = ahead.timings().compiles;
        let text = compile(&ahead, name);
        assert!(ahead.timings().compiles > before);
        drop(ahead);
        let later = session(&store);
        let before = later.timings().compiles;
        let mock = Mock::new("sm_80", Format::Ptx);
        let launched = launch(&later, &mock, (name, "(; method_tables = (CUDA.method_table,))"));
        assert_eq!(String::from_utf8(launched).unwrap(), text);
        assert_eq!(later.timings().compiles, before, "{name}: everything is found");
        assert!(text.contains("shfl.sync"), "{text}");
    }
    std::fs::remove_dir_all(&root).unwrap();
}

const METAL: &str = "
using Metal
function twice!(y)
    i = thread_position_in_grid_1d()
    i <= length(y) && (y[i] = 2 * y[i])
    return
end
arrays = map(mtlconvert, (Metal.zeros(Float32, 32),))
if !isempty(ARGS)
    @metal threads = 32 twice!(Metal.zeros(Float32, 32))
end
";
const METAL_KERNEL: (&str, &str) = ("twice!", "(; method_tables = (Metal.method_table,))");

/// MISSION M4: a library is compiled once, and each device makes a pipeline of it; with an image that was built where there is no device,
/// nothing is compiled.
#[test]
fn metal_devices_share_a_library() {
    let mocks = [(); 2].map(|()| Mock::new("metal", Format::Metallib));
    let session = Session::new(SessionOptions::new()).unwrap();
    session.run_text("mock", METAL).unwrap();
    let first = launch(&session, &mocks[0], METAL_KERNEL);
    assert!(first.starts_with(b"MTLB"));
    let before = session.timings();
    assert!(before.compiles > 0);
    assert_eq!(launch(&session, &mocks[1], METAL_KERNEL), first);
    let after = session.timings();
    assert_eq!((after.compiles, after.inferences), (before.compiles, before.inferences));

    let folder = std::env::temp_dir().join(format!("kiln-mock-metal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (file, image) = (folder.join("program.jl"), folder.join("program.kimg"));
    std::fs::write(&file, METAL).unwrap();
    let mut plan = ImagePlan::new(file.display().to_string(), image.clone());
    plan.session = SessionOptions::new().args(["launch"]);
    plan.devices = vec![target("metal").unwrap()];
    build_image(&plan, &mut |_| {}).unwrap();
    let session = Session::new(SessionOptions::new().image(Some(image))).unwrap();
    session.run_file(&file.display().to_string()).unwrap();
    let mock = Mock::new("metal", Format::Metallib);
    assert_eq!(launch(&session, &mock, METAL_KERNEL), first);
    assert_eq!(session.timings().compiles, 0);
    std::fs::remove_dir_all(&folder).unwrap();
}
