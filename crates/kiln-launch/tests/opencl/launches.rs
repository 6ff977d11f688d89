//! Kernels that run: arguments of each kind, barriers, failures, streams, times, and a device that is two.

use super::*;
use kiln_launch::{HostMemoryAccess, LoadedKernels};

/// Structures with addresses in them go by value. MISSION G.
#[test]
fn arrays_are_structures_by_value() {
    let Some((device, module)) = device() else { return };
    let x: Vec<f32> = (0..1000).map(|it| it as f32).collect();
    let y = vec![1.0f32; 1000];
    let (dx, dy) = (upload(&*device, &x), upload(&*device, &y));
    run(&*device, &saxpy(module), &line(8, 128), &saxpy_args(dy, 2.0, dx, 1000));
    let expected: Vec<f32> = x.iter().map(|it| 1.0 + 2.0 * it).collect();
    assert_eq!(download(&*device, Stream::DEFAULT, dy, 1000), expected);
    assert_eq!(download(&*device, Stream::DEFAULT, dx, 1000), x, "what is only read is as it was");
}

/// A parameter may be an address, which may be in the middle of an allocation.
#[test]
fn pointers_are_addresses() {
    let Some((device, module)) = device() else { return };
    let memory = upload(&*device, &[1.0; 64]);
    let args = [(memory + 64).to_ne_bytes().to_vec(), 3f32.to_ne_bytes().to_vec()].concat();
    run(&*device, &artifact(module, "scale", &[POINTER, FLOAT]), &line(2, 8), &args);
    let expected: Vec<f32> = (0..64).map(|it| if (16..32).contains(&it) { 3.0 } else { 1.0 }).collect();
    assert_eq!(download(&*device, Stream::DEFAULT, memory, 64), expected);
}

/// Dynamic shared memory is as large as the launch says, one a group, and items meet at barriers.
#[test]
fn groups_share_memory_and_meet() {
    let Some((device, module)) = device() else { return };
    let x: Vec<f32> = (0..512).map(|it| it as f32).collect();
    let (dx, out) = (upload(&*device, &x), upload(&*device, &[0.0; 8]));
    let grid = Grid { dynamic_shared_bytes: 4 * 64, ..line(8, 64) };
    let args = [array(out, 8), array(dx, 512)].concat();
    run(&*device, &artifact(module, "sums", &[ARRAY, ARRAY, SHARED]), &grid, &args);
    let expected: Vec<f32> = x.chunks(64).map(|it| it.iter().sum()).collect();
    assert_eq!(download(&*device, Stream::DEFAULT, out, 8), expected);
}

/// The first failure comes back with its operands; all other items have run, and the next launch is unaffected. MISSION R3, R5.
#[test]
fn failures_come_back_with_their_operands() {
    let Some((device, module)) = device() else { return };
    let kernel = device.load(&artifact(module, "roots", &[STATE, ARRAY])).unwrap();
    let launch = |values: &[f32], stream| {
        let x = upload(&*device, values);
        let event = kernel.launch(stream, &line(4, 4), &array(x, values.len())).unwrap();
        (event, x)
    };
    let mut values: Vec<f32> = (0..16).map(|it| (it * it) as f32).collect();
    values[9] = -4.0;
    for _ in 0..3 {
        let (event, x) = launch(&values, Stream::DEFAULT);
        let failure = event.wait().unwrap().failure.unwrap();
        assert_eq!((failure.site, failure.group_id, failure.local_id), (7, [2, 0, 0], [1, 0, 0]));
        assert_eq!(failure.operands[..8], 9i64.to_ne_bytes());
        assert_eq!(failure.operands[8..12], (-4f32).to_ne_bytes());
        assert_eq!(failure.operands.len(), kiln_unit::RECORD_OPERAND_BYTES);
        assert_eq!(event.wait().unwrap().failure, Some(failure), "it may be asked again");
        let rooted = download(&*device, Stream::DEFAULT, x, 16);
        let expected: Vec<f32> = (0..16).map(|it| if it == 9 { -4.0 } else { it as f32 }).collect();
        assert_eq!(rooted, expected);
        let (event, _) = launch(&[4.0; 16], Stream::DEFAULT);
        assert_eq!(event.wait().unwrap().failure, None);
    }
    // A launch that is never waited for leaves nothing to the next, and two in flight have a record each.
    drop(launch(&values, Stream::DEFAULT));
    let other = device.new_stream().unwrap();
    let ((good, _), (bad, _)) = (launch(&[4.0; 16], Stream::DEFAULT), launch(&values, other));
    let (second, _) = launch(&[9.0; 16], Stream::DEFAULT);
    assert_eq!(good.wait().unwrap().failure, None);
    assert_eq!(bad.wait().unwrap().failure.map(|it| it.site), Some(7));
    assert_eq!(second.wait().unwrap().failure, None);
}

/// Streams are in order, each for itself; the device waits for all of them.
#[test]
fn streams_are_in_order() {
    let Some((device, module)) = device() else { return };
    let kernel = device.load(&artifact(module, "scale", &[POINTER, FLOAT])).unwrap();
    let streams = [Stream::DEFAULT, device.new_stream().unwrap()];
    assert_ne!(streams[0], streams[1]);
    let memory = streams.map(|_| upload(&*device, &[1.0; 256]));
    for _ in 0..10 {
        for (stream, address) in streams.iter().zip(memory) {
            let args = [address.to_ne_bytes().to_vec(), 2f32.to_ne_bytes().to_vec()].concat();
            drop(kernel.launch(*stream, &line(4, 64), &args).unwrap());
        }
    }
    device.synchronize().unwrap();
    for (stream, address) in streams.iter().zip(memory) {
        assert_eq!(download(&*device, *stream, address, 256), [1024.0; 256]);
    }
}

/// An event tells how long the device took, where it was asked to measure.
#[test]
fn events_have_times() {
    let Some((found, module)) = found() else { return };
    let spin = artifact(module, "spin", &[POINTER, (ParamKind::Value, 4)]);
    for profile in [true, false] {
        let device = found.open(OpenClOptions { profile, ..OpenClOptions::default() }).unwrap();
        let out = device.alloc(4 * 64, MemoryKind::Device).unwrap();
        let kernel = device.load(&spin).unwrap();
        let took = |rounds: u32| {
            let args = [out.to_ne_bytes().to_vec(), rounds.to_ne_bytes().to_vec()].concat();
            let event = kernel.launch(Stream::DEFAULT, &line(1, 64), &args).unwrap();
            event.wait().unwrap().took
        };
        took(1);
        let (short, long) = (took(1), took(3_000_000));
        assert_eq!((short.is_some(), long.is_some()), (profile, profile));
        assert!(!profile || long > short, "{short:?}, {long:?}");
    }
}

/// A device opened twice is two: one artifact, one kernel for each, built once, and memory of their own. MISSION C6.
#[test]
fn one_artifact_has_a_handle_for_each_device() {
    let Some((found, module)) = found() else { return };
    let open = || -> Arc<dyn Device> { Arc::new(found.open(OpenClOptions::default()).unwrap()) };
    let devices = [open(), open()];
    let (artifact, handles) = (saxpy(module), LoadedKernels::default());
    let kernels = [0, 1].map(|it| handles.get(&devices[it], &artifact).unwrap());
    assert!(!Arc::ptr_eq(&kernels[0], &kernels[1]));
    for it in [0, 1] {
        assert!(Arc::ptr_eq(&kernels[it], &handles.get(&devices[it], &artifact).unwrap()), "built once");
        let (x, y) = (upload(&*devices[it], &[1.0; 8]), upload(&*devices[it], &[it as f32; 8]));
        let event = kernels[it].launch(Stream::DEFAULT, &line(1, 8), &saxpy_args(y, 10.0, x, 8)).unwrap();
        event.wait().unwrap();
        assert_eq!(download(&*devices[it], Stream::DEFAULT, y, 8), [10.0 + it as f32; 8]);
        let error = devices[1 - it].read(Stream::DEFAULT, y, &mut [0; 4]).unwrap_err();
        assert!(error.to_string().contains("no memory of the device"), "{error}");
    }
    assert_eq!(handles.len(), 2);
}

/// Memory is filled, copied, and freed while kernels that use it may still run.
#[test]
fn memory_is_filled_copied_and_freed() {
    let Some((device, module)) = device() else { return };
    let kernel = device.load(&artifact(module, "scale", &[POINTER, FLOAT])).unwrap();
    for kind in [MemoryKind::Device, MemoryKind::Shared] {
        let memory = device.alloc(1024, kind).unwrap();
        assert!(memory.is_multiple_of(128));
        device.fill(Stream::DEFAULT, memory, 0, 1024).unwrap();
        device.write(Stream::DEFAULT, memory, &bytes(&[1.5, 2.5])).unwrap();
        device.copy(Stream::DEFAULT, memory + 512, memory, 512).unwrap();
        let all = download(&*device, Stream::DEFAULT, memory, 256);
        assert_eq!((&all[..3], &all[128..131]), (&[1.5, 2.5, 0.0][..], &[1.5, 2.5, 0.0][..]));
        let args = [memory.to_ne_bytes().to_vec(), 2f32.to_ne_bytes().to_vec()].concat();
        drop(kernel.launch(Stream::DEFAULT, &line(1, 256), &args).unwrap());
        device.free(memory).unwrap();
        assert!(device.read(Stream::DEFAULT, memory, &mut [0; 4]).is_err());
    }
    let empty = device.alloc(0, MemoryKind::Device).unwrap();
    device.write(Stream::DEFAULT, empty, &[]).unwrap();
    device.free(empty).unwrap();
}

/// Where a device reaches its allocations only, its kernels are told which there are: new ones before each launch.
#[test]
fn kernels_are_told_what_they_may_reach() {
    let Some((found, module)) = found() else { return };
    let device = found.open(OpenClOptions { only_allocations: true, ..OpenClOptions::default() }).unwrap();
    assert_ne!(device.limits().host_memory, HostMemoryAccess::All);
    let kernel = device.load(&saxpy(module)).unwrap();
    let mut old = Vec::new();
    for round in 0..4 {
        let (x, y) = (upload(&device, &[round as f32; 64]), upload(&device, &[1.0; 64]));
        let event = kernel.launch(Stream::DEFAULT, &line(1, 64), &saxpy_args(y, 2.0, x, 64)).unwrap();
        assert_eq!(event.wait().unwrap().failure, None);
        assert_eq!(download(&device, Stream::DEFAULT, y, 64), [1.0 + 2.0 * round as f32; 64]);
        old.push(x);
        if round % 2 == 1 {
            device.free(old.remove(0)).unwrap();
        }
    }
    let roots = device.load(&artifact(module, "roots", &[STATE, ARRAY])).unwrap();
    let x = upload(&device, &[-1.0; 4]);
    let event = roots.launch(Stream::DEFAULT, &line(1, 4), &array(x, 4)).unwrap();
    assert_eq!(event.wait().unwrap().failure.map(|it| it.site), Some(7));
}

/// A pointer may be null, as a value or in a structure, if the kernel does not follow it.
#[test]
fn pointers_may_be_null() {
    let Some((device, module)) = device() else { return };
    let keeps = device.load(&artifact(module, "saxpy", &[ARRAY, FLOAT, ARRAY])).unwrap();
    let event = keeps.launch(Stream::DEFAULT, &line(1, 1), &saxpy_args(0, 0.0, 0, 0)).unwrap();
    assert_eq!(event.wait().unwrap().failure, None);
    let spin = device.load(&artifact(module, "maybe", &[POINTER])).unwrap();
    let event = spin.launch(Stream::DEFAULT, &line(1, 1), &0u64.to_ne_bytes()).unwrap();
    assert_eq!(event.wait().unwrap().failure, None);
}

/// A launch without items runs nothing.
#[test]
fn an_empty_launch_runs_nothing() {
    let Some((device, module)) = device() else { return };
    let kernel = device.load(&saxpy(module)).unwrap();
    let event = kernel.launch(Stream::DEFAULT, &line(0, 64), &saxpy_args(0, 0.0, 0, 0)).unwrap();
    assert_eq!(event.wait().unwrap().failure, None);
}

/// Threads launch one kernel, with arguments of their own, and do not see each other's.
#[test]
fn threads_share_a_kernel() {
    let Some((device, module)) = device() else { return };
    let kernel = device.load(&artifact(module, "scale", &[POINTER, FLOAT])).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let (device, kernel) = (&device, &kernel);
            scope.spawn(move || {
                let stream = device.new_stream().unwrap();
                let memory = upload(&**device, &[1.0; 64]);
                for _ in 0..50 {
                    let factor = if thread % 2 == 0 { 2f32 } else { 0.5 };
                    let args = [memory.to_ne_bytes().to_vec(), factor.to_ne_bytes().to_vec()].concat();
                    kernel.launch(stream, &line(1, 64), &args).unwrap().wait().unwrap();
                }
                let expected = if thread % 2 == 0 { 2f32.powi(50) } else { 0.5f32.powi(50) };
                assert_eq!(download(&**device, stream, memory, 64), [expected; 64]);
            });
        }
    });
}
