//! Any bytes either link or are refused.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let linker = kiln_link::Linker::new().expect("address space");
    let _ = linker.link(bytes, &mut |_| Some(0x1000));
    let _ = kiln_link::code_object(bytes);
});
