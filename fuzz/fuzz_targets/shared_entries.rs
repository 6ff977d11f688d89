//! Any bytes of a server or a relay are read or refused; an entry that is read is written back to an equal one.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| kiln_remote::fuzz::read_all(bytes));
