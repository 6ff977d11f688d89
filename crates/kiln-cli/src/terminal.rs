//! Output to streams that may be closed; then the output is dropped.

use std::io::Write;

/// Prints a text to standard output.
pub(crate) fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Prints a line to standard error.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
}
