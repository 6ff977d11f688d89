//! Output to streams that may be closed; then the output is dropped.

use std::io::Write;

/// Says it on standard output.
pub(crate) fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Says it on standard error, as a line of its own.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
}
