//! Devices with NVIDIA's driver. Skipped, and said so, where there is no GPU.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln_launch::{
    CudaDevice, CudaOptions, Device, DeviceArtifact, DeviceError, Format, Grid, MemoryKind, Param, ParamKind,
    Stream, Together,
};

const KERNELS: &str = include_str!("kernels.ptx");

fn device() -> Option<CudaDevice> {
    if CudaDevice::count().unwrap() == 0 {
        eprintln!("skipped: CUDA (no driver, or no GPU)");
        return None;
    }
    Some(CudaDevice::open(0, CudaOptions { profile: true, ..CudaOptions::default() }).unwrap())
}

fn artifact(entry: &str, params: Vec<Param>, args_bytes: u32) -> DeviceArtifact {
    let code = KERNELS.as_bytes().to_vec();
    DeviceArtifact {
        format: Format::Ptx,
        code,
        entry: entry.into(),
        params,
        args_bytes,
        reports: false,
        heap_bytes: 0,
    }
}

fn saxpy() -> DeviceArtifact {
    let params = vec![
        Param::in_block(ParamKind::Aggregate, 0, 16),
        Param::in_block(ParamKind::Value, 16, 4),
        Param::in_block(ParamKind::Aggregate, 24, 16),
    ];
    artifact("saxpy", params, 40)
}

/// The second parameter is an array by value: its address and its length.
fn roots() -> DeviceArtifact {
    let params = vec![Param::supplied(ParamKind::State), Param::in_block(ParamKind::Aggregate, 0, 16)];
    artifact("roots", params, 16)
}

fn array(address: u64, length: usize) -> Vec<u8> {
    [address, length as u64].iter().flat_map(|it| it.to_ne_bytes()).collect()
}

fn saxpy_args(y: u64, a: f32, x: u64, length: usize) -> Vec<u8> {
    [array(y, length), a.to_ne_bytes().to_vec(), vec![0; 4], array(x, length)].concat()
}

fn line(groups: i64, items: i64) -> Grid {
    Grid { groups: [groups, 1, 1], items: [items, 1, 1], dynamic_shared_bytes: 0, together: Together::NONE }
}

fn upload(device: &dyn Device, values: &[f32]) -> u64 {
    let address = device.alloc(size_of_val(values), MemoryKind::Device).unwrap();
    let bytes: Vec<u8> = values.iter().flat_map(|it| it.to_ne_bytes()).collect();
    device.write(Stream::DEFAULT, address, &bytes).unwrap();
    address
}

fn download(device: &dyn Device, stream: Stream, address: u64, length: usize) -> Vec<f32> {
    let mut bytes = vec![0; 4 * length];
    device.read(stream, address, &mut bytes).unwrap();
    bytes.chunks_exact(4).map(|it| f32::from_ne_bytes(it.try_into().unwrap())).collect()
}

/// Without a driver there are no devices, and asking for one is an error that says so: nothing panics.
#[test]
fn a_gpu_that_is_not_there_is_an_error() {
    let count = CudaDevice::count().unwrap();
    let error = CudaDevice::open(count, CudaOptions::default()).unwrap_err();
    assert!(
        matches!(&error, DeviceError::NoDevice(why) if why.contains(&format!("no GPU {count}"))),
        "{error}"
    );
}

/// Structures with addresses in them go by value, on several streams, and events have times. MISSION G.
#[test]
fn arrays_are_structures_by_value() {
    let Some(device) = device() else { return };
    let kernel = device.load(&saxpy()).unwrap();
    let x: Vec<f32> = (0..1000).map(|it| it as f32).collect();
    for stream in [Stream::DEFAULT, device.new_stream().unwrap()] {
        let (dx, dy) = (upload(&device, &x), upload(&device, &[1.0; 1000]));
        let event = kernel.launch(stream, &line(8, 128), &saxpy_args(dy, 2.0, dx, 1000)).unwrap();
        let finished = event.wait().unwrap();
        assert!(finished.failure.is_none() && finished.took.is_some());
        let expected: Vec<f32> = x.iter().map(|it| 1.0 + 2.0 * it).collect();
        assert_eq!(download(&device, stream, dy, 1000), expected);
        device.free(dx).unwrap();
        device.free(dy).unwrap();
    }
}

/// The first failure comes back, with its operands. MISSION R3, R5.
#[test]
fn failures_come_back_with_their_operands() {
    let Some(device) = device() else { return };
    let kernel = device.load(&roots()).unwrap();
    let mut values: Vec<f32> = (0..16).map(|it| (it * it) as f32).collect();
    values[9] = -4.0;
    for _ in 0..3 {
        let x = upload(&device, &values);
        let event = kernel.launch(Stream::DEFAULT, &line(4, 4), &array(x, 16)).unwrap();
        let failure = event.wait().unwrap().failure.unwrap();
        assert_eq!((failure.site, failure.group_id, failure.local_id), (7, [2, 0, 0], [1, 0, 0]));
        assert_eq!(failure.operands[..8], 9i64.to_ne_bytes());
        let good = upload(&device, &[4.0; 16]);
        let event = kernel.launch(Stream::DEFAULT, &line(4, 4), &array(good, 16)).unwrap();
        assert_eq!(event.wait().unwrap().failure, None);
        assert_eq!(download(&device, Stream::DEFAULT, good, 16), [2.0; 16]);
    }
}

/// Errors carry a message, with the log of the driver's compiler if the code is wrong.
#[test]
fn what_is_wrong_is_said() {
    let Some(device) = device() else { return };
    let with = |code: &str| {
        let artifact = DeviceArtifact { code: code.as_bytes().to_vec(), ..saxpy() };
        device.load(&artifact).unwrap_err().to_string()
    };
    let bad = with(&KERNELS.replace("fma.rn.f32", "no.such.thing"));
    assert!(
        bad.contains("CUDA_ERROR_INVALID_PTX") && bad.contains("Not a name of any known instruction"),
        "{bad}"
    );
    let missing = device.load(&artifact("saxpi", Vec::new(), 0)).unwrap_err();
    assert!(matches!(missing, DeviceError::NoKernel { .. }), "{missing}");
    let few = device.load(&artifact("saxpy", Vec::new(), 0)).unwrap_err();
    assert!(few.to_string().contains("its parameters have"), "{few}");
    let kernel = device.load(&saxpy()).unwrap();
    let large = kernel.launch(Stream::DEFAULT, &line(1, 4096), &[0; 40]).unwrap_err();
    assert!(matches!(large, DeviceError::TooLarge { .. }), "{large}");
    let outside = device.read(Stream::DEFAULT, 8, &mut [0; 4]).unwrap_err();
    assert_eq!(outside, DeviceError::Address { address: 8, bytes: 4 });
    assert!(device.target().starts_with("sm_") && device.limits().subgroup_items == 32);
}

/// Memory that both sides reach, copies and settings within the device.
#[test]
fn memory_is_filled_and_copied() {
    let Some(device) = device() else { return };
    for kind in [MemoryKind::Device, MemoryKind::Shared] {
        let memory = device.alloc(1024, kind).unwrap();
        device.fill(Stream::DEFAULT, memory, 0, 1024).unwrap();
        device.write(Stream::DEFAULT, memory, &1.5f32.to_ne_bytes()).unwrap();
        device.copy(Stream::DEFAULT, memory + 512, memory, 512).unwrap();
        let all = download(&device, Stream::DEFAULT, memory, 256);
        assert_eq!((all[0], all[1], all[128], all[129]), (1.5, 0.0, 1.5, 0.0));
        device.free(memory).unwrap();
        assert!(device.free(memory).is_err());
    }
}
