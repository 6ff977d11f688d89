//! Any bytes are a table of the store or refused, and whatever is read of them is consistent.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    kiln_cache::fuzz::table(bytes);
});
