//! Kernels of Rust programs on devices: chosen for each job, with arrays where they are or copied.
//!
//! Skipped where there is no OpenCL device, and said so; `make test-opencl` has one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::internals::{SessionInternals as _, TestOptions as _};
use kiln::{DeviceChoice, DeviceId, Error, Grid, Session, SessionOptions, Together};

const PROGRAM: &str = "
using CUDA
function scale!(y, view, factor, name)
    i = threadIdx().x
    y[i] = factor * view[i] + (name === :twice ? 1 : 0)
    i == 3 && factor == 0 && y[i + 100]
    return
end
base = CuArray(collect(1.0:64.0))
y = CUDA.zeros(Float64, 16)
args = map(cudaconvert, (y, view(base, 17:32), 2.0, :twice))
zero_args = map(cudaconvert, (y, view(base, 17:32), 0.0, :never))
";

/// A session whose kernels run on an OpenCL device; `None` if the test that is called so is skipped.
fn session(test: &str, copies_arrays: bool) -> Option<Session> {
    let options = SessionOptions::new().device(DeviceChoice::OpenCl(0)).copies_arrays(copies_arrays);
    match Session::new(options) {
        Ok(session) => {
            session.run_text("devices", PROGRAM).unwrap();
            Some(session)
        }
        Err(failure) => {
            assert!(std::env::var_os("KILN_TEST_OPENCL").is_none(), "{}", failure.message);
            eprintln!("skipped: {test} (no OpenCL device; see `make test-opencl`)");
            None
        }
    }
}

fn launch(session: &Session, device: DeviceId, args: &str, items: i64) -> Result<(), Error> {
    let config = session.kernel_config("(; method_tables = (CUDA.method_table,))").unwrap();
    let (function, args) = (session.evaluate("scale!").unwrap(), session.evaluate(args).unwrap());
    let args = session.elements(args);
    let job = session.kernel_job_on(device, function, &args, config);
    let kernel = session.kernel(&job).unwrap();
    let grid =
        Grid { groups: [1; 3], items: [items, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE };
    session.launch(kernel, &grid, function, &args)
}

fn holds(session: &Session, test: &str) -> bool {
    let value = session.evaluate(test).unwrap();
    value.as_bool(session.runtime().types.core()).unwrap()
}

/// MISSION G: arrays have the kernel's results, whether the device works in place or on copies; views of one array share one
/// copy; launches see the changes of the host.
#[test]
fn arrays_are_what_the_kernel_made_of_them() {
    for copies_arrays in [false, true] {
        let Some(session) = session("arrays_are_what_the_kernel_made_of_them", copies_arrays) else { return };
        let device = session.open_device(DeviceChoice::OpenCl(0)).unwrap();
        launch(&session, device, "args", 16).unwrap();
        assert!(holds(&session, "Array(y) == 2 .* (17.0:32.0) .+ 1"), "copied: {copies_arrays}");
        session.run_text("devices", "CUDA.@allowscalar (base[20] = 100.0; y[1] = -1.0)").unwrap();
        launch(&session, device, "args", 16).unwrap();
        assert!(holds(&session, "Array(y)[4] == 201.0 && Array(y)[1] == 35.0 && sum(base) == 2160.0"));
        // The same job on the processor, in one session.
        session.run_text("devices", "fill!(y, 0.0)").unwrap();
        let cpu = session.open_device(DeviceChoice::Cpu).unwrap();
        assert_eq!(cpu, DeviceId::CPU);
        launch(&session, cpu, "args", 16).unwrap();
        assert!(holds(&session, "Array(y)[4] == 201.0 && Array(y)[1] == 35.0"));
    }
}

/// A failing item says so, other items have run, and the next launch is none the worse.
#[test]
fn failures_end_a_launch_and_not_the_device() {
    for copies_arrays in [false, true] {
        let Some(session) = session("failures_end_a_launch_and_not_the_device", copies_arrays) else {
            return;
        };
        let device = session.open_device(DeviceChoice::OpenCl(0)).unwrap();
        let failure = launch(&session, device, "zero_args", 16).unwrap_err();
        assert!(failure.message.contains("bounds-error"), "{}", failure.message);
        assert!(failure.message.contains("devices:6"), "{}", failure.message);
        launch(&session, device, "args", 16).unwrap();
        assert!(holds(&session, "Array(y) == 2 .* (17.0:32.0) .+ 1"));
    }
}

/// A group that is larger than the device allows is an error that says how large it may be.
#[test]
fn too_large_groups_are_said() {
    let Some(session) = session("too_large_groups_are_said", false) else { return };
    let device = session.open_device(DeviceChoice::OpenCl(0)).unwrap();
    let failure = launch(&session, device, "args", 1 << 20).unwrap_err();
    assert!(failure.message.contains("1048576 items of a group"), "{}", failure.message);
}
