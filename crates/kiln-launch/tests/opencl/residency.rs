//! Arrays of the host that kernels use: where they are, and as mirrors.

use super::*;
use kiln_launch::{Access, HostMemory, HostMemoryAccess, HostRange, Residency};
use std::sync::atomic::{AtomicU32, Ordering};

/// An array of the host's that a device may write to.
struct Array(Vec<AtomicU32>);

impl Array {
    fn new(values: impl Iterator<Item = f32>) -> Self {
        Self(values.map(|it| AtomicU32::new(it.to_bits())).collect())
    }
    fn base(&self) -> u64 {
        self.0.as_ptr().expose_provenance() as u64
    }
    fn range(&self, access: Access) -> HostRange {
        HostRange { base: self.base(), bytes: 4 * self.0.len(), access }
    }
    fn get(&self) -> Vec<f32> {
        self.0.iter().map(|it| f32::from_bits(it.load(Ordering::Relaxed))).collect()
    }
}

struct Host<'a>(&'a [Array]);

impl Host<'_> {
    /// The words that an address and a number of bytes stand for.
    fn words(&self, address: u64, bytes: usize) -> &[AtomicU32] {
        let holds = |it: &&Array| (it.base()..it.base() + 4 * it.0.len() as u64).contains(&address);
        let array = self.0.iter().find(holds).unwrap();
        &array.0[(address - array.base()) as usize / 4..][..bytes / 4]
    }
}

impl HostMemory for Host<'_> {
    fn read(&self, from: u64, bytes: &mut [u8]) {
        let words = self.words(from, bytes.len());
        for (word, out) in words.iter().zip(bytes.chunks_exact_mut(4)) {
            out.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
        }
    }
    fn write(&mut self, to: u64, bytes: &[u8]) {
        for (word, value) in self.words(to, bytes.len()).iter().zip(bytes.chunks_exact(4)) {
            word.store(u32::from_ne_bytes(value.try_into().unwrap()), Ordering::Relaxed);
        }
    }
}

/// Kernels work on the host's arrays: on themselves where the device reaches them, on mirrors elsewhere, and the result is
/// the same.
#[test]
fn arrays_of_the_host_are_used_where_they_are_or_mirrored() {
    let Some((found, module)) = found() else { return };
    for (must_mirror, only_allocations) in [(false, false), (true, false), (false, true)] {
        let options = OpenClOptions { only_allocations, ..OpenClOptions::default() };
        let device = Arc::new(found.open(options).unwrap());
        let kernel = device.load(&saxpy(module)).unwrap();
        let residency = Residency::new(device.clone(), must_mirror);
        let reaches_all = device.limits().host_memory == HostMemoryAccess::All;
        assert_eq!(residency.is_direct(), reaches_all && !must_mirror);
        let arrays = [Array::new((0..500).map(|_| 1.0)), Array::new((0..500).map(|it| it as f32))];
        let [y, x] = &arrays;
        let mut host = Host(&arrays);
        for _ in 0..3 {
            let ranges = [y.range(Access::Write), x.range(Access::Read)];
            let addresses = residency.acquire_for_device(&mut host, &ranges).unwrap();
            let args = saxpy_args(addresses[0], 2.0, addresses[1], 500);
            drop(kernel.launch(Stream::DEFAULT, &line(4, 128), &args).unwrap());
        }
        residency.write_back_all(&mut host).unwrap();
        let expected: Vec<f32> = (0..500).map(|it| 1.0 + 3.0 * 2.0 * it as f32).collect();
        assert_eq!(y.get(), expected);
        assert_eq!(residency.mirrored_bytes(), if residency.is_direct() { 0 } else { 4000 });

        // The host changes what is read, and says so.
        x.0.iter().for_each(|it| it.store(10f32.to_bits(), Ordering::Relaxed));
        residency.invalidate(x.base(), 4);
        let ranges = [y.range(Access::Write), x.range(Access::Read)];
        let addresses = residency.acquire_for_device(&mut host, &ranges).unwrap();
        let args = saxpy_args(addresses[0], 1.0, addresses[1], 500);
        drop(kernel.launch(Stream::DEFAULT, &line(4, 128), &args).unwrap());
        residency.write_back_all(&mut host).unwrap();
        let expected: Vec<f32> = expected.iter().map(|it| it + 10.0).collect();
        assert_eq!(y.get(), expected);
    }
}
