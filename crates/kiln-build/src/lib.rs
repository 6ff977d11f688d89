//! Kernels in Julia for Rust programs, built by their build scripts: runs `kiln build`, and tells cargo what to link and when
//! to build again.
//!
//! ```no_run
//! // build.rs
//! kiln_build::KernelLibrary::new("kernels", "src/kernels.jl")
//!     .function("saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})")
//!     .cpu("x86-64-v3")
//!     .build();
//! ```
//!
//! The archive `libkernels.a` has a descriptor for each function, `static saxpy: kiln_rt::KernelDescriptor` in Rust, which
//! `kiln_rt::kiln_rt_launch` takes. The header `kernels.h` is beside it in `OUT_DIR`, for C files of the program.

mod depfile;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A library of kernels and functions.
#[derive(Clone, Debug)]
pub struct KernelLibrary {
    name: String,
    file: PathBuf,
    functions: Vec<String>,
    args: Vec<String>,
    kiln: Option<PathBuf>,
    out: Option<PathBuf>,
}

/// A library that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltKernelLibrary {
    /// The archive.
    pub archive: PathBuf,
    /// The header.
    pub header: PathBuf,
    /// The lines that tell cargo of it: see [`KernelLibrary::build`].
    pub directives: Vec<String>,
}

/// Why a library was not built.
#[derive(Debug)]
pub enum KernelLibraryError {
    /// There is no folder to build in: cargo names it in `OUT_DIR`.
    NoFolder,
    /// `kiln` cannot be run.
    Run(PathBuf, std::io::Error),
    /// The build has failed: the text for people.
    Failed(String),
    /// The list of inputs cannot be read.
    Inputs(std::io::Error),
}

impl std::error::Error for KernelLibraryError {}

impl fmt::Display for KernelLibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFolder => f.write_str("there is no folder to build in: OUT_DIR is not set"),
            Self::Run(program, why) => {
                write!(
                    f,
                    "{} cannot be run: {why}; the variable KILN names another program",
                    program.display()
                )
            }
            Self::Failed(text) => f.write_str(text),
            Self::Inputs(why) => write!(f, "the list of inputs cannot be read: {why}"),
        }
    }
}

impl KernelLibrary {
    /// A library `libNAME.a` of functions that are defined in a file of Julia.
    ///
    /// ```
    /// let library = kiln_build::KernelLibrary::new("kernels", "src/kernels.jl");
    /// assert!(format!("{library:?}").contains("kernels.jl"));
    /// ```
    pub fn new(name: impl Into<String>, file: impl Into<PathBuf>) -> Self {
        let (name, file) = (name.into(), file.into());
        Self { name, file, functions: Vec::new(), args: Vec::new(), kiln: None, out: None }
    }

    /// Adds a function, with the types of its arguments: `f(Float32)`, or `NAME=f(Float32)`.
    ///
    /// ```
    /// kiln_build::KernelLibrary::new("kernels", "kernels.jl").function("root(Float64)");
    /// ```
    pub fn function(mut self, signature: impl Into<String>) -> Self {
        self.functions.push(signature.into());
        self
    }

    /// Sets the processor; the default is that of this machine.
    ///
    /// ```
    /// kiln_build::KernelLibrary::new("kernels", "kernels.jl").cpu("x86-64-v2");
    /// ```
    pub fn cpu(self, cpu: &str) -> Self {
        self.arg("--cpu").arg(cpu)
    }

    /// Adds an argument of `kiln build`.
    ///
    /// ```
    /// kiln_build::KernelLibrary::new("kernels", "kernels.jl").arg("--strip");
    /// ```
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Sets the program `kiln`; the default is the variable `KILN`, else `kiln` in `PATH`.
    ///
    /// ```
    /// kiln_build::KernelLibrary::new("kernels", "kernels.jl").kiln("/opt/kiln/bin/kiln");
    /// ```
    pub fn kiln(mut self, program: impl Into<PathBuf>) -> Self {
        self.kiln = Some(program.into());
        self
    }

    /// Sets the folder for the files; the default is `OUT_DIR`.
    ///
    /// ```
    /// kiln_build::KernelLibrary::new("kernels", "kernels.jl").out("target/kernels");
    /// ```
    pub fn out(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out = Some(folder.into());
        self
    }

    /// Builds the library and prints the lines that tell cargo to link it, and to build it again when a file changes that it was
    /// built of.
    ///
    /// # Panics
    /// When it cannot be built: a build script ends so.
    ///
    /// ```no_run
    /// kiln_build::KernelLibrary::new("kernels", "src/kernels.jl").function("root(Float64)").build();
    /// ```
    pub fn build(&self) -> BuiltKernelLibrary {
        let built = self.try_build().unwrap_or_else(|it| panic!("\n{it}\n"));
        for line in &built.directives {
            // Cargo reads it.
            #[expect(clippy::print_stdout, reason = "a build script talks to cargo on standard output")]
            {
                println!("{line}");
            }
        }
        built
    }

    /// As [`build`](Self::build), but prints nothing.
    ///
    /// # Errors
    /// When it cannot be built.
    ///
    /// ```
    /// let library = kiln_build::KernelLibrary::new("kernels", "kernels.jl").kiln("/no/kiln").out("target");
    /// assert!(library.try_build().unwrap_err().to_string().starts_with("/no/kiln cannot be run"));
    /// ```
    pub fn try_build(&self) -> Result<BuiltKernelLibrary, KernelLibraryError> {
        let out = self.out.clone().or_else(|| std::env::var_os("OUT_DIR").map(PathBuf::from));
        let out = out.ok_or(KernelLibraryError::NoFolder)?;
        let kiln = self.kiln.clone().or_else(|| std::env::var_os("KILN").map(PathBuf::from));
        let kiln = kiln.unwrap_or_else(|| "kiln".into());
        let [archive, header, inputs] =
            [format!("lib{}.a", self.name), format!("{}.h", self.name), format!("{}.d", self.name)]
                .map(|it| out.join(it));
        let mut command = Command::new(&kiln);
        command.arg("build").arg("-o").arg(&archive).arg("--header").arg(&header);
        command.arg("--depfile").arg(&inputs).args(&self.args).arg(&self.file).args(&self.functions);
        let ran = command.output().map_err(|it| KernelLibraryError::Run(kiln, it))?;
        if !ran.status.success() {
            return Err(KernelLibraryError::Failed(String::from_utf8_lossy(&ran.stderr).into_owned()));
        }
        let rule = std::fs::read_to_string(&inputs).map_err(KernelLibraryError::Inputs)?;
        let directives = directives(&self.name, &out, &depfile::inputs(&rule));
        Ok(BuiltKernelLibrary { archive, header, directives })
    }
}

/// The lines for cargo.
fn directives(name: &str, out: &Path, inputs: &[String]) -> Vec<String> {
    let changed = inputs.iter().map(|it| format!("cargo:rerun-if-changed={it}"));
    let linked = [
        "cargo:rerun-if-env-changed=KILN".to_owned(),
        format!("cargo:rustc-link-search=native={}", out.display()),
        format!("cargo:rustc-link-lib=static={name}"),
        "cargo:rustc-link-lib=m".to_owned(),
    ];
    changed.chain(linked).collect()
}
