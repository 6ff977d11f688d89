//! Files that appear under their names whole: they are written as drafts and renamed.

use crate::touch::random_u64;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The start of the names of drafts.
pub(crate) const DRAFT_PREFIX: &str = ".draft-";

/// The name of a file that is not finished.
pub(crate) fn draft_name() -> String {
    format!("{DRAFT_PREFIX}{:016x}", random_u64())
}

/// Writes a file that appears under its name whole.
pub(crate) fn write_whole(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let draft = dir.join(draft_name());
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(bytes)?;
        fs::rename(&draft, dir.join(name))
    })();
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}
