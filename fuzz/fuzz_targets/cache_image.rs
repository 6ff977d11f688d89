//! Any bytes are an image or refused, and no entry is read that was not put there.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    kiln_cache::fuzz::image(bytes);
});
