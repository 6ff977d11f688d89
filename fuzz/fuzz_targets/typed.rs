//! Any program either says what is wrong with it or runs, and its functions infer, without a panic.
#![no_main]

use kiln::{Session, SessionOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // A session a text: what one defines must not help or hurt the next.
    let options = SessionOptions { interpret_host: true, isolated: true, ..SessionOptions::default() };
    let session = Session::new(options).expect("the library loads");
    if let Err(failure) = session.infer_text(text, 20_000) {
        assert!(!failure.is_bug(), "{failure}");
    }
});
