//! Damaged programs run, and their definitions infer, or they report an error.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../kiln-lower/tests/mutation/mod.rs"]
mod mutation;

use kiln::internals::{SessionInternals as _, TestOptions as _};
use kiln::{Session, SessionOptions};

/// As much as the command gives its one thread.
const STACK_BYTES: usize = 1 << 30;
/// Calls and loop iterations of one program.
const BUDGET: u64 = 20_000;

fn check(text: &str) {
    // A session a text: what one defines must not help or hurt the next.
    let options = SessionOptions::new().interpret_host(true).isolated(true);
    let session = Session::new(options).unwrap();
    if let Err(failure) = session.infer_text(text, BUDGET) {
        assert!(!failure.is_bug(), "{failure}");
    }
}

#[test]
fn damaged_programs_infer_or_say_why_not() {
    let work = || mutation::for_each_damaged(&["tests/programs", "examples", "base/stdlib"], check);
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap().join().unwrap();
}
