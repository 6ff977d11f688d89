//! Any bytes are a bundle or refused; what is taken is written back to equal bytes.
#![no_main]

use kiln_bundle::Bundle;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(bundle) = Bundle::from_bytes(bytes) {
        assert_eq!(bundle.to_bytes(), bytes);
    }
    // Descriptions of kernels are beside code, and read when an item fails.
    let _ = kiln_unit::EntryDescription::from_bytes(bytes).map(|it| {
        it.sites.iter().map(|it| it.message(bytes).len()).sum::<usize>()
    });
});
