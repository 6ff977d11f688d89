//! Any program either says what is wrong with it or runs, and its functions infer, without a panic.
#![no_main]

use kiln::{Session, SessionOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // A session a text: what one defines must not help or hurt the next.
    let options = SessionOptions { interpret_host: true, ..SessionOptions::default() };
    let session = Session::new(options).expect("the library loads");
    let _ = session.infer_text(text);
});
