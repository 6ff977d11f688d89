//! Every error has a message: nothing here panics or ends the process.

use super::*;
use kiln_launch::DeviceError;

fn refused(device: &dyn Device, artifact: &DeviceArtifact) -> String {
    device.load(artifact).unwrap_err().to_string()
}

/// Bytes that are no SPIR-V, a module that is cut off, and one that calls an undefined function.
#[test]
fn bad_code_is_refused_with_the_log() {
    let Some((device, module)) = device() else { return };
    let good = saxpy(module);
    let with = |code: Vec<u8>| refused(&*device, &DeviceArtifact { code, ..good.clone() });
    assert!(with(b"not a module".to_vec()).contains("its code is not SPIR-V"));
    let cut = with(module[..module.len() / 2 / 4 * 4].to_vec());
    assert!(cut.contains("ends in the middle of"), "{cut}");
    assert!(with(module[..20].to_vec()).contains("no kernel `saxpy`"));
    let undefined = assemble(include_str!("undefined.spvasm")).unwrap();
    let log = refused(&*device, &artifact(&undefined, "calls", &[POINTER]));
    assert!(log.contains("does not take the code of `calls`") && log.contains("has_no_definition"), "{log}");
}

/// A kernel that is not there, with those that are; and one with other parameters than the artifact says.
#[test]
fn kernels_are_looked_for() {
    let Some((device, module)) = device() else { return };
    let missing = device.load(&artifact(module, "saxpi", &[])).unwrap_err();
    assert!(matches!(&missing, DeviceError::NoKernel { entry, .. } if entry == "saxpi"), "{missing:?}");
    assert!(
        missing.to_string().contains("no kernel `saxpi`, but `") && missing.to_string().contains("`saxpy`")
    );
    let few = refused(&*device, &artifact(module, "saxpy", &[ARRAY, FLOAT]));
    assert!(few.contains("has 3 parameters, and the artifact says 2"), "{few}");
    let ptx = DeviceArtifact { format: Format::Ptx, ..saxpy(module) };
    assert!(refused(&*device, &ptx).contains("takes SPIR-V"));
}

/// A launch that is too large, in each way, and arguments of another size.
#[test]
fn launches_are_checked() {
    let Some((device, module)) = device() else { return };
    let kernel = device.load(&saxpy(module)).unwrap();
    let args = saxpy_args(0, 0.0, 0, 0);
    let launch = |grid: Grid, args: &[u8]| kernel.launch(Stream::DEFAULT, &grid, args).unwrap_err();
    let most = kernel.items_max() as i64;
    assert!(most >= 1 && kernel.items_max() <= device.limits().items_max);
    let large = launch(line(1, most + 1), &args);
    assert!(matches!(large, DeviceError::TooLarge { .. }), "{large}");
    assert!(large.to_string().contains(&format!("{} items of a group", most + 1)), "{large}");
    let cube = launch(Grid { items: [1 << 20; 3], ..line(1, 1) }, &args);
    assert!(matches!(cube, DeviceError::TooLarge { .. }), "{cube}");
    let huge = launch(Grid { groups: [1, 1 << 40, 1], ..line(1, 1) }, &args);
    assert!(huge.to_string().contains("groups in one dimension"), "{huge}");
    let block = launch(line(1, 1), &args[1..]);
    assert_eq!(block, DeviceError::Arguments { bytes: args.len() - 1, expected: args.len() });

    let sums = device.load(&artifact(module, "sums", &[ARRAY, ARRAY, SHARED])).unwrap();
    let grid = Grid { dynamic_shared_bytes: device.limits().shared_bytes_max as usize + 1, ..line(1, 1) };
    let shared = sums.launch(Stream::DEFAULT, &grid, &[0; 48]).unwrap_err();
    assert!(shared.to_string().contains("bytes of shared memory"), "{shared}");
}

/// A parameter of another size, and a value where the kernel has an address.
#[test]
fn parameters_are_compared_with_the_kernels() {
    let Some((device, module)) = device() else { return };
    let wrong: [(&str, &[(ParamKind, u32)]); 3] = [
        ("saxpy", &[ARRAY, (ParamKind::Value, 8), ARRAY]),
        ("saxpy", &[ARRAY, FLOAT, (ParamKind::Aggregate, 16)]),
        ("sums", &[ARRAY, SHARED, ARRAY]),
    ];
    for (entry, params) in wrong {
        let artifact = artifact(module, entry, params);
        let kernel = device.load(&artifact).unwrap();
        let grid = Grid { dynamic_shared_bytes: 64, ..line(1, 1) };
        let error =
            kernel.launch(Stream::DEFAULT, &grid, &vec![0; artifact.args_bytes as usize]).unwrap_err();
        assert!(error.to_string().starts_with("clSetKernelArg on "), "{error}");
        assert!(error.to_string().contains("CL_INVALID_ARG"), "{error}");
    }
}

/// Addresses and streams that the device does not have.
#[test]
fn addresses_are_looked_up() {
    let Some((device, _)) = device() else { return };
    let memory = device.alloc(64, MemoryKind::Device).unwrap();
    let outside = [(memory + 32, 33), (memory - 1, 2), (0, 1), (u64::MAX, 1)];
    for (address, bytes) in outside {
        let expected = Err(DeviceError::Address { address, bytes });
        assert_eq!(device.write(Stream::DEFAULT, address, &vec![0; bytes]), expected);
        assert_eq!(device.read(Stream::DEFAULT, address, &mut vec![0; bytes]), expected);
        assert_eq!(device.fill(Stream::DEFAULT, address, 0, bytes), expected);
        assert_eq!(device.copy(Stream::DEFAULT, memory, address, bytes), expected);
        assert_eq!(device.copy(Stream::DEFAULT, address, memory, bytes), expected);
    }
    assert!(device.free(memory + 1).is_err());
    device.free(memory).unwrap();
    assert!(device.free(memory).is_err(), "once");
    assert!(device.alloc(1 << 60, MemoryKind::Device).is_err());
}

/// The limits of the device are plausible.
#[test]
fn limits_are_known() {
    let Some((device, _)) = device() else { return };
    let limits = device.limits();
    assert_eq!(limits.address_bits, 64);
    assert!(limits.items_max >= 64 && limits.shared_bytes_max >= 16 << 10 && limits.args_bytes_max >= 256);
    assert!(limits.compute_units >= 1 && limits.memory_bytes > 1 << 20);
    assert!(!device.name().is_empty() && device.takes(Format::Spirv) && !device.takes(Format::Ptx));
    assert!(device.target().starts_with("spirv64"), "{}", device.target());
    eprintln!("{}, {}: {limits:?}", device.name(), device.target());
}

/// All devices are listed with what they are called, and those that take SPIR-V can be used.
#[test]
fn devices_are_listed() {
    let Some((found, _)) = found() else { return };
    let listed = kiln_launch::installed();
    let it = listed.iter().find(|it| it.interface == "OpenCL" && it.name == found.name()).unwrap();
    let device = it.device.as_ref().unwrap();
    assert!(device.takes(Format::Spirv) && device.name() == it.name);
}
