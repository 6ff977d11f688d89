//! Tools of vendors that finish what the code generator makes, or check it, where they are installed.
//!
//! None is needed to compile: drivers take PTX, which is text, SPIR-V's binary form, and the code objects that `kiln_link`
//! makes.

use kiln_cache::ContentHash;
use kiln_targets::{Backend, TargetFacts};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// The name for users.
    pub name: &'static str,
    /// The purpose.
    pub about: &'static str,
    /// Environment variable that says where it is.
    pub variable: &'static str,
    /// Its file names, the best first.
    files: &'static [&'static str],
    /// How to come by it.
    pub from: &'static str,
}

/// NVIDIA's assembler.
pub static PTXAS: Tool = Tool {
    name: "ptxas",
    about: "PTX to machine code (--emit bin)",
    variable: "KILN_PTXAS",
    files: &["ptxas"],
    from: "the CUDA toolkit, or the wheel nvidia-cuda-nvcc-cu12",
};
/// LLVM's linker.
pub static LLD: Tool = Tool {
    name: "ld.lld",
    about: "checks objects for AMD GPUs, and links what kiln does not",
    variable: "KILN_LLD",
    files: &["ld.lld-22", "ld.lld"],
    from: "the Debian package lld-22",
};
/// Khronos' validator.
pub static SPIRV_VAL: Tool = Tool {
    name: "spirv-val",
    about: "checks SPIR-V",
    variable: "KILN_SPIRV_VAL",
    files: &["spirv-val"],
    from: "the Debian package spirv-tools",
};
/// LLVM's disassembler.
pub static OBJDUMP: Tool = Tool {
    name: "llvm-objdump",
    about: "shows machine code",
    variable: "KILN_OBJDUMP",
    files: &["llvm-objdump-22", "llvm-objdump"],
    from: "the Debian package llvm-22",
};

/// All of them.
pub static TOOLS: [&Tool; 4] = [&PTXAS, &LLD, &SPIRV_VAL, &OBJDUMP];

/// Folders that are looked at beside those of `PATH`.
const USUAL: [&str; 2] = ["/usr/lib/llvm-22/bin", "/usr/local/cuda/bin"];

/// Why a tool did not do its work.
#[derive(Debug)]
pub enum ToolError {
    /// It is not installed.
    Missing(&'static Tool),
    /// It could not be run, or its files not be written or read.
    Run(&'static Tool, std::io::Error),
    /// It refused; what it said, and the file it was given, which is kept.
    Refused(&'static Tool, String, PathBuf),
    /// The output is not one that our own linker takes, which is a bug in kiln.
    Unlinkable(kiln_link::LinkError),
}

impl std::error::Error for ToolError {}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(it) => write!(
                f,
                "{} is not installed: it is in {}; put it on PATH or name it with {}",
                it.name, it.from, it.variable
            ),
            Self::Run(it, error) => write!(f, "{} cannot be run: {error}", it.name),
            Self::Refused(it, said, input) => {
                write!(f, "{} refuses {}: {}", it.name, input.display(), said.trim())
            }
            Self::Unlinkable(error) => write!(f, "the object cannot be linked: {error}"),
        }
    }
}

impl Tool {
    /// Where it is: as its variable says, else in `$KILN_TOOLS`, on `PATH`, or in usual folders.
    pub fn find(&self) -> Option<PathBuf> {
        if let Some(named) = std::env::var_os(self.variable).filter(|it| !it.is_empty()) {
            return Some(PathBuf::from(named)).filter(|it| it.is_file());
        }
        let tools = std::env::var_os("KILN_TOOLS").map(|it| PathBuf::from(&it));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> =
            tools.into_iter().chain(std::env::split_paths(&path)).chain(USUAL.map(PathBuf::from)).collect();
        let all = self.files.iter().flat_map(|file| folders.iter().map(move |folder| folder.join(file)));
        all.into_iter().find(|it| it.is_file())
    }

    /// Gives it a file with `input`, which it is to accept.
    fn inspect(&'static self, input: &[u8], options: &[&str]) -> Result<(), ToolError> {
        let made = self.convert(input, |from, to| {
            let _ = std::fs::write(to, []); // it makes none
            options.iter().map(Into::into).chain([from.into()]).collect()
        });
        made.map(|_| ())
    }

    /// Runs the tool on `input` with these options, `-o` and a file, and the input's file; returns its output.
    pub(super) fn make(&'static self, options: &[String], input: &[u8]) -> Result<Vec<u8>, ToolError> {
        self.convert(input, |from, to| {
            let options = options.iter().map(Into::into);
            options.chain(["-o".into(), to.into(), from.into()]).collect()
        })
    }

    /// Where an input is kept that it refuses: the same for the same input.
    fn refused_file(&self, input: &[u8]) -> PathBuf {
        let name: String = ContentHash::of(input).0.iter().take(6).map(|it| format!("{it:02x}")).collect();
        std::env::temp_dir().join(format!("kiln-refused-{}-{name}.in", self.name))
    }

    /// That it refused `input` before, and what it said.
    pub(super) fn refused_before(&'static self, input: &[u8], said: String) -> ToolError {
        let kept = self.refused_file(input);
        match kept.is_file().then_some(()).map_or_else(|| std::fs::write(&kept, input), Ok) {
            Ok(()) => ToolError::Refused(self, said, kept),
            Err(error) => ToolError::Run(self, error),
        }
    }

    /// Gives it a file with `input` and returns the file it makes. `args` is told where both are.
    fn convert(
        &'static self,
        input: &[u8],
        args: impl Fn(&Path, &Path) -> Vec<std::ffi::OsString>,
    ) -> Result<Vec<u8>, ToolError> {
        let program = self.find().ok_or(ToolError::Missing(self))?;
        let thread = std::thread::current().id();
        let name = format!("kiln-{}-{}-{thread:?}", self.name, std::process::id());
        let (from, to) = (
            std::env::temp_dir().join(format!("{name}.in")),
            std::env::temp_dir().join(format!("{name}.out")),
        );
        let failed = |it: std::io::Error| ToolError::Run(self, it);
        std::fs::write(&from, input).map_err(failed)?;
        let run = Command::new(program).args(args(&from, &to)).stdin(Stdio::null()).output();
        let output = run.map_err(failed)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&[output.stderr, output.stdout].concat()).into_owned();
            let kept = self.refused_file(input);
            std::fs::rename(&from, &kept).map_err(failed)?;
            let shown = kept.file_name().unwrap_or_default().to_string_lossy();
            let said = said.replace(&*from.display().to_string(), &shown);
            return Err(ToolError::Refused(self, said, kept));
        }
        let made = std::fs::read(&to).map_err(failed);
        let _ = std::fs::remove_file(&from);
        let _ = std::fs::remove_file(&to);
        made
    }
}

/// Options for a linker that is to make a code object.
pub(super) const CODE_OBJECT: [&str; 2] = ["-shared", "--build-id=none"];

/// Shows an object to the vendor's tool: PTX to the assembler, SPIR-V to the validator, BPF to the disassembler; an AMD object
/// to the usual linker, and the code object that ours makes of it to the disassembler.
///
/// # Errors
/// When the tool is missing or refuses it.
pub fn check(facts: &TargetFacts, object: &[u8]) -> Result<(), ToolError> {
    let disassemble = |object: &[u8]| OBJDUMP.inspect(object, &["-d"]);
    match facts.backend {
        Backend::Native | Backend::Other => Ok(()),
        Backend::Ptx => PTXAS.make(&[format!("-arch={}", facts.cpu)], object).map(|_| ()),
        Backend::Gcn => {
            LLD.make(&CODE_OBJECT.map(str::to_owned), object)?;
            disassemble(&kiln_link::code_object(object).map_err(ToolError::Unlinkable)?)
        }
        Backend::Spirv => {
            let version = facts.triple.split('-').next().and_then(|it| it.strip_prefix("spirv64v"));
            let environment = format!("spv{}", version.unwrap_or("1.2"));
            SPIRV_VAL.inspect(object, &["--target-env", &environment])
        }
        Backend::Bpf => disassemble(object),
    }
}
