//! Devices with an OpenCL driver: loading, launches, and errors.
//!
//! `make test-opencl` installs a driver for CPUs and runs these tests with it; there a missing one fails. Elsewhere they
//! are skipped where there is no driver that takes SPIR-V, or no `spirv-as`, and say so.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cost;
mod errors;
mod launches;
mod residency;

use kiln_launch::{
    Device, DeviceArtifact, DeviceKernel, Format, Grid, MemoryKind, OpenClDevice, OpenClDeviceInfo,
    OpenClOptions, Param, ParamKind, Stream, Together,
};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock};

/// The module of all kernels; `None` without an assembler.
static MODULE: LazyLock<Option<Vec<u8>>> = LazyLock::new(|| assemble(include_str!("kernels.spvasm")));

fn assemble(text: &str) -> Option<Vec<u8>> {
    let mut child = Command::new("spirv-as")
        .args(["--target-env", "spv1.2", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "spirv-as takes the kernels");
    Some(output.stdout)
}

/// The device and the module to test with; `None` if the test is skipped.
fn found() -> Option<(OpenClDeviceInfo, &'static [u8])> {
    let device = OpenClDeviceInfo::all().into_iter().find(|it| !it.spirv_versions().is_empty());
    let found = device.zip(MODULE.as_deref());
    if found.is_none() {
        assert!(
            std::env::var_os("KILN_TEST_OPENCL").is_none(),
            "an OpenCL device that takes SPIR-V, and spirv-as, are wanted: {device:?}"
        );
        eprintln!("skipped: OpenCL (no driver that takes SPIR-V, or no spirv-as; see `make test-opencl`)");
    }
    found
}

fn device() -> Option<(Arc<OpenClDevice>, &'static [u8])> {
    let (found, module) = found()?;
    let options = OpenClOptions { profile: true, ..OpenClOptions::default() };
    Some((Arc::new(found.open(options).unwrap()), module))
}

/// Parameters of a kernel and the size of its block, in the order of their places.
fn artifact(module: &[u8], entry: &str, params: &[(ParamKind, u32)]) -> DeviceArtifact {
    let mut args_bytes = 0u32;
    let params = params.iter().map(|(kind, size)| {
        let offset = args_bytes.next_multiple_of((*size).clamp(1, 8));
        args_bytes = offset + size;
        Param { kind: *kind, offset: if *size == 0 { 0 } else { offset }, size: *size }
    });
    let params = params.collect();
    let (format, code) = (Format::Spirv, module.to_vec());
    DeviceArtifact { format, code, entry: entry.into(), params, args_bytes, reports: false, heap_bytes: 0 }
}

/// The bytes of an array as kernels get it.
fn array(address: u64, length: usize) -> Vec<u8> {
    [address, length as u64, length as u64].iter().flat_map(|it| it.to_ne_bytes()).collect()
}

const ARRAY: (ParamKind, u32) = (ParamKind::Aggregate, 24);
const FLOAT: (ParamKind, u32) = (ParamKind::Value, 4);
const POINTER: (ParamKind, u32) = (ParamKind::Pointer, 8);
const STATE: (ParamKind, u32) = (ParamKind::State, 0);
const SHARED: (ParamKind, u32) = (ParamKind::DynamicShared, 0);

fn saxpy(module: &[u8]) -> DeviceArtifact {
    artifact(module, "saxpy", &[ARRAY, FLOAT, ARRAY])
}

fn saxpy_args(y: u64, a: f32, x: u64, length: usize) -> Vec<u8> {
    [array(y, length), a.to_ne_bytes().to_vec(), vec![0; 4], array(x, length)].concat()
}

fn line(groups: i64, items: i64) -> Grid {
    Grid { groups: [groups, 1, 1], items: [items, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE }
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|it| it.to_ne_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|it| f32::from_ne_bytes(it.try_into().unwrap())).collect()
}

/// Memory of the device with these values.
fn upload(device: &dyn Device, values: &[f32]) -> u64 {
    let address = device.alloc(size_of_val(values), MemoryKind::Device).unwrap();
    device.write(Stream::DEFAULT, address, &bytes(values)).unwrap();
    address
}

fn download(device: &dyn Device, stream: Stream, address: u64, length: usize) -> Vec<f32> {
    let mut bytes = vec![0; 4 * length];
    device.read(stream, address, &mut bytes).unwrap();
    floats(&bytes)
}

/// Loads, launches on the default stream, and waits; nothing may fail.
fn run(device: &dyn Device, artifact: &DeviceArtifact, grid: &Grid, args: &[u8]) -> Arc<dyn DeviceKernel> {
    let kernel = device.load(artifact).unwrap();
    let finished = kernel.launch(Stream::DEFAULT, grid, args).unwrap().wait().unwrap();
    assert_eq!(finished.failure, None);
    kernel
}
