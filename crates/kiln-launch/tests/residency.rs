//! Mirrors of the host's memory, against a device made of maps: it needs no driver, and sees every copy.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln_launch::{
    Access, Device, DeviceArtifact, DeviceError, DeviceKernel, DeviceLimits, Format, HostMemory,
    HostMemoryAccess, HostRange, MemoryKind, Residency, Stream,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const HOST: u64 = 0x7000_0000;

/// A device whose addresses are far from the host's.
#[derive(Debug)]
struct Mock {
    memory: Mutex<BTreeMap<u64, Vec<u8>>>,
    next: AtomicUsize,
    writes: AtomicUsize,
    limits: DeviceLimits,
}

impl Mock {
    fn new(host_memory: HostMemoryAccess) -> Arc<Self> {
        let limits = DeviceLimits {
            items_max: 1,
            items_max_in: [1; 3],
            groups_max_in: [1; 3],
            shared_bytes_max: 0,
            args_bytes_max: 0,
            memory_bytes: 0,
            subgroup_items: 0,
            compute_units: 1,
            address_bits: 64,
            has_fp64: true,
            has_fp16: true,
            has_clock: true,
            host_memory,
        };
        let (memory, next, writes) = (Mutex::default(), AtomicUsize::new(1), AtomicUsize::new(0));
        Arc::new(Self { memory, next, writes, limits })
    }

    /// Calls `access` with these bytes of one allocation.
    fn at<T>(
        &self,
        address: u64,
        bytes: usize,
        access: impl FnOnce(&mut [u8]) -> T,
    ) -> Result<T, DeviceError> {
        let mut memory = self.memory.lock().unwrap();
        let (first, found) = memory.range_mut(..=address).next_back().unwrap();
        Ok(access(&mut found[(address - first) as usize..][..bytes]))
    }
}

impl Device for Mock {
    fn name(&self) -> &str {
        "a mock"
    }
    fn target(&self) -> &str {
        "none"
    }
    fn limits(&self) -> &DeviceLimits {
        &self.limits
    }
    fn takes(&self, _: Format) -> bool {
        false
    }
    fn new_stream(&self) -> Result<Stream, DeviceError> {
        Ok(Stream::DEFAULT)
    }
    fn alloc(&self, bytes: usize, _: MemoryKind) -> Result<u64, DeviceError> {
        let address = (self.next.fetch_add(1, Ordering::Relaxed) as u64) << 32;
        self.memory.lock().unwrap().insert(address, vec![0xaa; bytes]);
        Ok(address)
    }
    fn free(&self, address: u64) -> Result<(), DeviceError> {
        let freed = self.memory.lock().unwrap().remove(&address);
        freed.map(drop).ok_or(DeviceError::Address { address, bytes: 0 })
    }
    fn write(&self, _: Stream, to: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.at(to, bytes.len(), |it| it.copy_from_slice(bytes))
    }
    fn read(&self, _: Stream, from: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.at(from, bytes.len(), |it| bytes.copy_from_slice(it))
    }
    fn copy(&self, _: Stream, _: u64, _: u64, _: usize) -> Result<(), DeviceError> {
        Ok(())
    }
    fn fill(&self, _: Stream, to: u64, value: u8, bytes: usize) -> Result<(), DeviceError> {
        self.at(to, bytes, |it| it.fill(value))
    }
    fn load(&self, artifact: &DeviceArtifact) -> Result<Arc<dyn DeviceKernel>, DeviceError> {
        Err(DeviceError::NoDevice(artifact.entry.clone()))
    }
    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// Memory of the host, of which only these bytes may be touched.
struct Host(Vec<u8>);

impl HostMemory for Host {
    fn read(&self, from: u64, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.0[(from - HOST) as usize..][..bytes.len()]);
    }
    fn write(&mut self, to: u64, bytes: &[u8]) {
        self.0[(to - HOST) as usize..][..bytes.len()].copy_from_slice(bytes);
    }
}

fn range(first: usize, bytes: usize, access: Access) -> HostRange {
    HostRange { base: HOST + first as u64, bytes, access }
}

/// A device that reaches the host's memory is given its addresses, unless mirrors are asked for.
#[test]
fn addresses_are_the_hosts_where_the_device_reaches_them() {
    let device = Mock::new(HostMemoryAccess::All);
    let mut host = Host(vec![1; 64]);
    let direct = Residency::new(device.clone(), false);
    let ranges = [range(0, 16, Access::Write), range(32, 0, Access::Read)];
    let addresses = direct.acquire_for_device(&mut host, &ranges).unwrap();
    assert_eq!((direct.is_direct(), addresses), (true, vec![HOST, HOST + 32]));
    assert_eq!(direct.write_back_all(&mut host).unwrap(), []);
    let mirrored = Residency::new(device.clone(), true);
    let addresses = mirrored.acquire_for_device(&mut host, &ranges).unwrap();
    assert!(!mirrored.is_direct() && addresses[0] != HOST);
    assert_eq!(mirrored.mirrored_bytes(), 16);
    assert!(!Residency::new(Mock::new(HostMemoryAccess::Shared), false).is_direct());
    drop(mirrored);
    assert!(device.memory.lock().unwrap().is_empty(), "mirrors are given back");
}

/// A mirror is filled once, and again only after the host has said that it changed something.
#[test]
fn mirrors_are_kept_between_launches() {
    let device = Mock::new(HostMemoryAccess::None);
    let mut host = Host((0..100).collect());
    let residency = Residency::new(device.clone(), false);
    let writes = || device.writes.load(Ordering::Relaxed);
    let ranges = [range(0, 50, Access::Read), range(50, 50, Access::Write), range(60, 10, Access::Read)];
    let first = residency.acquire_for_device(&mut host, &ranges).unwrap();
    assert_eq!((writes(), first[2]), (2, first[1] + 10), "a range in another shares its mirror");
    for _ in 0..5 {
        assert_eq!(residency.acquire_for_device(&mut host, &ranges).unwrap(), first);
    }
    assert_eq!(writes(), 2);
    device.fill(Stream::DEFAULT, first[1], 7, 50).unwrap();
    host.0[3] = 99;
    residency.invalidate(HOST + 3, 1);
    assert_eq!(residency.write_back_all(&mut host).unwrap(), [range(50, 50, Access::Write)]);
    assert_eq!((host.0[49], host.0[50], host.0[99]), (49, 7, 7));
    assert_eq!(residency.write_back_all(&mut host).unwrap(), [], "nothing new");
    residency.acquire_for_device(&mut host, &ranges).unwrap();
    assert_eq!(writes(), 3, "what has changed, and no more");
    assert_eq!(device.at(first[0] + 3, 1, |it| it[0]), Ok(99));
    residency.drop_mirrors(HOST, 1).unwrap();
    assert_eq!(residency.mirrored_bytes(), 50);
}

/// Elements are as aligned on the device as on the host, also if they do not begin their range.
#[test]
fn mirrors_keep_the_alignment_of_the_host() {
    let device = Mock::new(HostMemoryAccess::None);
    let mut host = Host(vec![3; 4096]);
    let residency = Residency::new(device.clone(), false);
    for (first, bytes) in [(0, 16), (240, 512), (1000, 24), (230, 1000)] {
        let got = residency.acquire_for_device(&mut host, &[range(first, bytes, Access::Write)]).unwrap();
        assert_eq!(got[0] % 256, (HOST + first as u64) % 256);
        assert_eq!(device.at(got[0] + bytes as u64 - 1, 1, |it| it[0]), Ok(3));
    }
    drop(residency);
    assert!(device.memory.lock().unwrap().is_empty());
}

/// Whatever ranges launches use, in whatever order, the device sees what the host has, and the host what the device made.
#[test]
fn mirrors_and_the_host_agree() {
    let mut state = 1u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below as u64) as usize
    };
    for round in 0..60 {
        let device = Mock::new(HostMemoryAccess::None);
        let residency = Residency::new(device.clone(), false);
        let mut host = Host((0..200).map(|it| (it + round) as u8).collect());
        let mut expected = host.0.clone();
        for _ in 0..60 {
            let mut some = || {
                let first = random(200);
                (first, random(201 - first).min(1 + random(40)))
            };
            let (ranges, changed) = ([some(), some(), some()], some());
            match random(4) {
                0 => {
                    // The host changes something, after it has got everything.
                    residency.write_back_all(&mut host).unwrap();
                    host.0[changed.0..][..changed.1].fill(round as u8);
                    expected[changed.0..][..changed.1].fill(round as u8);
                    residency.invalidate(HOST + changed.0 as u64, changed.1);
                }
                1 => {
                    residency.write_back_all(&mut host).unwrap();
                    assert_eq!(host.0, expected);
                }
                _ => {
                    let used = ranges.map(|it| range(it.0, it.1, Access::Write));
                    let addresses = residency.acquire_for_device(&mut host, &used).unwrap();
                    for ((first, bytes), address) in ranges.into_iter().zip(addresses) {
                        if bytes > 0 {
                            let seen = device.at(address, bytes, |it| it.to_vec()).unwrap();
                            assert_eq!(seen, expected[first..][..bytes]);
                            device.at(address, bytes, |it| it.iter_mut().for_each(|it| *it ^= 0x55)).unwrap();
                            expected[first..][..bytes].iter_mut().for_each(|it| *it ^= 0x55);
                        }
                    }
                }
            }
        }
        residency.write_back_all(&mut host).unwrap();
        assert_eq!(host.0, expected);
    }
}

/// Memory without contents is not copied to the device, and back only after a launch. What the host writes meanwhile counts.
#[test]
fn reserved_mirrors_are_not_filled() {
    let device = Mock::new(HostMemoryAccess::None);
    let mut host = Host(vec![1; 100]);
    let residency = Residency::new(device.clone(), false);
    let writes = || device.writes.load(Ordering::Relaxed);
    let [a, b] = [range(0, 40, Access::Write), range(40, 40, Access::Write)];
    assert!(residency.reserve(&host, &a, 0).unwrap() && residency.reserve(&host, &b, 4).unwrap());
    assert!(!residency.reserve(&host, &range(30, 20, Access::Write), 0).unwrap(), "there are mirrors of it");
    assert_eq!((writes(), residency.copied_bytes()), (2, [4, 0]), "the first bytes have contents");
    residency.write_back(&mut host, HOST, 40).unwrap();
    assert_eq!(host.0[0], 1, "no launch has written to it");
    let first = residency.acquire_for_device(&mut host, &[a]).unwrap()[0];
    assert_eq!(writes(), 2);
    device.fill(Stream::DEFAULT, first, 7, 40).unwrap();
    host.0[41] = 5;
    residency.invalidate(HOST + 40, 1);
    let second = residency.acquire_for_device(&mut host, &[b]).unwrap()[0];
    assert_eq!((writes(), device.at(second + 1, 1, |it| it[0])), (3, Ok(5)));
    residency.write_back_all(&mut host).unwrap();
    assert_eq!((host.0[39], host.0[41]), (7, 5));
    assert!(!Residency::new(Mock::new(HostMemoryAccess::All), false).reserve(&host, &a, 0).unwrap());
}
