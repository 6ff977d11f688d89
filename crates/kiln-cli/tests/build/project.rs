//! Folders of tests, builds in them, and C programs of what was built.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What is built of `program.jl`.
pub(crate) const SIGNATURES: [&str; 9] = [
    "saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})",
    "sum_groups!(CuDeviceVector{Float64,1}, CuDeviceVector{Float64,1})",
    "matmul!(CuDeviceMatrix{Float32,1}, CuDeviceMatrix{Float32,1}, CuDeviceMatrix{Float32,1})",
    "fill_index!(CuDeviceMatrix{Int64,1})",
    "rotate!(CuDeviceVector{Int32,1})",
    "root(Float64, Int32)",
    "polar(NTuple{2,Float64}, Bool)",
    "radius(Polar)",
    "answer()",
];

/// Their names in C.
pub(crate) const SYMBOLS: [&str; 9] =
    ["answer", "fill_index", "matmul", "polar", "radius", "root", "rotate", "saxpy", "sum_groups"];

/// The folder of one test: tests run at the same time.
pub(crate) struct Project(pub(crate) PathBuf);

impl Project {
    /// An empty folder with `program.jl` in it.
    pub(crate) fn new(test: &str) -> Self {
        Self::with_program(test, include_str!("program.jl"))
    }

    /// An empty folder with this program in it.
    pub(crate) fn with_program(test: &str, program: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build").join(test);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("program.jl"), program).unwrap();
        Self(folder)
    }

    /// `kiln build ARGS program.jl SIGNATURES`, with a cache in the folder.
    pub(crate) fn command(&self, args: &[&str], signatures: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
        command.current_dir(&self.0).env("KILN_CACHE_DIR", self.0.join("cache")).env("NO_COLOR", "1");
        command.env_remove("CC").arg("build").args(args).arg("program.jl").args(signatures);
        command
    }

    /// Runs it; its standard output and standard error.
    pub(crate) fn build(&self, args: &[&str], signatures: &[&str]) -> (String, String) {
        let ran = self.command(args, signatures).output().unwrap();
        let (out, err) = texts(&ran);
        assert!(ran.status.success(), "{out}{err}");
        (out, err)
    }

    /// Runs a build that fails with this exit code; its standard error.
    pub(crate) fn refused(&self, code: i32, args: &[&str], signatures: &[&str]) -> String {
        let ran = self.command(args, signatures).output().unwrap();
        let (out, err) = texts(&ran);
        assert_eq!(ran.status.code(), Some(code), "{out}{err}");
        err
    }

    /// Compiles a C file of the folder, with headers of the project's and of the repository.
    pub(crate) fn compile(&self, compiler: &str, args: &[&str]) {
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include");
        let mut command = Command::new(compiler);
        command.current_dir(&self.0).args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]).arg(include);
        let ran = command.args(args).output().unwrap();
        assert!(ran.status.success(), "{compiler} {args:?}: {}", texts(&ran).1);
    }

    /// Runs a program of the folder where neither kiln nor anything else can be found; its output.
    pub(crate) fn run(&self, program: &str) -> String {
        let mut command = Command::new(self.0.join(program));
        command.current_dir("/").env_clear().env("PATH", "").env("KILN_CODEGEN", "/none");
        let folders = std::env::join_paths([&runtime(), &self.0]).unwrap();
        let ran = command.env("LD_LIBRARY_PATH", folders).output().unwrap();
        let (out, err) = texts(&ran);
        assert!(ran.status.success(), "{program}: {:?}\n{out}{err}", ran.status);
        out
    }

    /// The bytes of a file of the folder.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }
}

fn texts(ran: &Output) -> (String, String) {
    let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
    (text(&ran.stdout), text(&ran.stderr))
}

/// The folder of `libkiln_rt`.
pub(crate) fn runtime() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_kiln")).parent().unwrap().to_owned();
    assert!(folder.join("libkiln_rt.so").exists(), "`cargo build` makes libkiln_rt");
    folder
}

/// A compiler of this name, if it is installed.
pub(crate) fn compiler(names: &[&'static str]) -> Option<&'static str> {
    let found = names.iter().find(|it| Command::new(it).arg("--version").output().is_ok());
    if found.is_none() {
        eprintln!("skipped: none of {names:?} is installed");
    }
    found.copied()
}

/// A compiler of C.
pub(crate) fn c_compiler() -> Option<&'static str> {
    compiler(&["cc", "gcc", "clang"])
}
