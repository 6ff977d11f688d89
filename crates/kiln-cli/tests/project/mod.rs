//! Runs of the command: from the repository without a cache, or with a program and a cache of its own.
#![allow(dead_code, reason = "each test binary uses what it needs")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A program of two kernels, each of which calls a function of its own, and what it prints.
pub(crate) const TWO_KERNELS: &str = "\
using CUDA

@noinline scaled(x) = 2 * x
@noinline shifted(x) = x + 1
function first!(y)
    y[threadIdx().x] = scaled(threadIdx().x)
    return
end
function second!(y)
    y[threadIdx().x] = shifted(threadIdx().x)
    return
end

y = CUDA.zeros(Int, 4)
@cuda threads=4 first!(y)
println(Array(y))
@cuda threads=4 second!(y)
println(Array(y))
";
pub(crate) const TWO_PRINTED: &str = "[2, 4, 6, 8]\n[2, 3, 4, 5]\n";

/// Returns a total of what `--timings=json` said.
pub(crate) fn total(said: &str, name: &str) -> u64 {
    let (_, rest) = said.split_once(&format!("\"{name}\":")).unwrap();
    rest[..rest.find(|it: char| !it.is_ascii_digit()).unwrap()].parse().unwrap()
}

/// The command in the root of the repository, without a cache and colors.
pub(crate) fn uncached() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.current_dir(kiln_testing::repository()).env("NO_COLOR", "1").env("KILN_CACHE", "off");
    command.env_remove("KILN_CORPUS").env("KILN_BACKGROUND", "0");
    command
}

/// A directory of its own for a program and its cache.
pub(crate) struct Project {
    pub(crate) dir: PathBuf,
}

impl Project {
    pub(crate) fn new(name: &str) -> Self {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", env!("CARGO_CRATE_NAME")));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        Self { dir }
    }

    pub(crate) fn kiln(&self, mode: &str, args: &[&str]) -> Output {
        self.command(mode, args).output().unwrap()
    }

    /// The command, not run yet.
    pub(crate) fn command(&self, mode: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
        command.current_dir(&self.dir).args(args).env("KILN_CACHE_DIR", self.dir.join("cache"));
        // Each run compiles the same.
        command.env("KILN_CACHE", mode).env("NO_COLOR", "1").env("KILN_BACKGROUND", "0");
        command
    }

    /// Runs `program`; what it printed, and the totals named.
    pub(crate) fn run<const N: usize>(
        &self,
        mode: &str,
        program: &str,
        totals: [&str; N],
    ) -> (String, [u64; N]) {
        fs::write(self.dir.join("program.jl"), program).unwrap();
        let output = self.kiln(mode, &["run", "--timings=json", "program.jl"]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{errors}");
        (String::from_utf8(output.stdout).unwrap(), totals.map(|it| total(&errors, it)))
    }
}
