//! Programs on an OpenCL device, and the behaviour of tests without one.
#![allow(dead_code, reason = "each test binary uses what it needs")]

use crate::project;
use std::process::{Command, Output};
use std::sync::LazyLock;

/// The command, without a cache; devices are chosen on its command line.
pub(crate) fn kiln() -> Command {
    let mut command = project::uncached();
    command.env_remove("KILN_DEVICE");
    command
}

/// Whether an OpenCL device can be used.
static FOUND: LazyLock<bool> = LazyLock::new(|| {
    let output = kiln().args(["targets", "--json"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.contains(r#""driver":"OpenCL","target":"spirv64"#)
});

/// Why tests of OpenCL devices are skipped, if they are.
pub(crate) fn reason_to_skip() -> Option<String> {
    if *FOUND {
        return None;
    }
    assert!(std::env::var_os("KILN_TEST_OPENCL").is_none(), "an OpenCL device is wanted");
    Some("no OpenCL driver; see `make test-opencl`".to_owned())
}

/// Runs a program on a device.
pub(crate) fn run(file: &str, device: &str) -> Output {
    kiln().args(["run", "--device", device, file]).output().unwrap()
}

/// Returns the output of a program that ran to its end.
pub(crate) fn printed(file: &str, device: &str) -> Result<String, String> {
    let output = run(file, device);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        return Ok(stdout.into_owned());
    }
    Err(format!("{file} on {device}: {}\n{stdout}\n{stderr}", output.status))
}
