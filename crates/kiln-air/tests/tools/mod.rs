//! The programs of LLVM 14, where they are installed: in the folder that `KILN_LLVM14` names, or where Debian puts them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "says what it skipped")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Debian's folder.
const FOLDER: &str = "/usr/lib/llvm-14/bin";

/// Returns a program of LLVM 14; without it, the test says that it is skipped.
pub(crate) fn tool(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("KILN_LLVM14").map_or_else(|| PathBuf::from(FOLDER), PathBuf::from);
    let path = folder.join(name);
    if !path.exists() {
        println!("skipped: LLVM 14 ({} is not there; scripts/air-tools.sh installs it)", path.display());
        return None;
    }
    Some(path)
}

/// Runs a program on a file with this content, and returns its output; what it says of errors is in the panic.
pub(crate) fn run(tool: &PathBuf, before: &[&str], content: &[u8], after: &[&str]) -> Vec<u8> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("kiln-air-{}-{number}.bc", std::process::id()));
    std::fs::write(&path, content).unwrap();
    let output = Command::new(tool).args(before).arg(&path).args(after).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{} of {}: {}\n{said}", tool.display(), path.display(), output.status);
    std::fs::remove_file(&path).unwrap();
    output.stdout
}

/// Checks that LLVM 14 reads a module and that its verifier accepts it; returns its text.
pub(crate) fn verified(bitcode: &[u8]) -> Option<String> {
    let (dis, opt) = (tool("llvm-dis")?, tool("opt")?);
    run(&opt, &["-passes=verify", "-disable-output", "-mtriple=x86_64-unknown-linux-gnu"], bitcode, &[]);
    Some(String::from_utf8(run(&dis, &[], bitcode, &["-o", "-"])).unwrap())
}
