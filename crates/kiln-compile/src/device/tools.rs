//! Tools of vendors that finish what the code generator makes, or check it, where they are installed.
//!
//! None is needed to compile: drivers take PTX, which is text, SPIR-V's binary form, and the code objects that `kiln_link`
//! makes.

use kiln_bytes::hex;
use kiln_cache::ContentHash;
use kiln_targets::{Finish, Shown, TargetFacts, Tool, ToolPaths, ToolUse};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Folders that are looked at beside those of `PATH`.
const USUAL: [&str; 2] = ["/usr/lib/llvm-22/bin", "/usr/local/cuda/bin"];

/// Why a tool did not do its work.
#[derive(Debug)]
pub enum ToolError {
    /// It is not installed.
    Missing(Box<Tool>),
    /// It could not be run, or its files not be written or read.
    Run(Box<Tool>, std::io::Error),
    /// It refused; what it said, and the file it was given, which is kept.
    Refused(Box<Tool>, String, PathBuf),
    /// The output is not one that our own linker takes, which is a bug in kiln.
    Unlinkable(kiln_link::ObjectLinkError),
    /// The output is no module of a Metal library, which is a bug in kiln.
    NotMetal(super::metal_library::NotMetal),
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
            Self::NotMetal(error) => write!(f, "no Metal library can be made: {error}"),
        }
    }
}

/// Finds a tool: the file that is named for it, else in the folders of programs, else in the usual ones.
pub fn find(paths: &ToolPaths, tool: &Tool) -> Option<PathBuf> {
    if let Some(named) = paths.named(tool) {
        return Some(named.to_path_buf()).filter(|it| it.is_file());
    }
    let folders: Vec<&Path> = paths.program_folders().chain(USUAL.iter().map(Path::new)).collect();
    let mut all = tool.files.iter().flat_map(|file| folders.iter().map(move |folder| folder.join(&**file)));
    all.find(|it| it.is_file())
}

/// Runs a tool on `input`; returns the file it makes, or what it prints if it makes none.
///
/// # Errors
/// When the tool is missing or refuses the input.
pub fn run(paths: &ToolPaths, using: &ToolUse, input: &[u8]) -> Result<Vec<u8>, ToolError> {
    run_with(paths, using, &using.options, input)
}

/// Runs a tool on `input` with other options than those of its usual use.
///
/// # Errors
/// When the tool is missing or refuses the input.
pub fn run_with(
    paths: &ToolPaths,
    using: &ToolUse,
    options: &[Cow<'static, str>],
    input: &[u8],
) -> Result<Vec<u8>, ToolError> {
    let tool = &using.tool;
    let program = find(paths, tool).ok_or_else(|| ToolError::Missing(Box::new(tool.clone())))?;
    let thread = std::thread::current().id();
    let name = format!("kiln-{}-{}-{thread:?}", tool.name, std::process::id());
    let (from, to) =
        (std::env::temp_dir().join(format!("{name}.in")), std::env::temp_dir().join(format!("{name}.out")));
    let failed = |it: std::io::Error| ToolError::Run(Box::new(tool.clone()), it);
    std::fs::write(&from, input).map_err(failed)?;
    let mut command = Command::new(program);
    command.args(options.iter().map(|it| &**it));
    if using.makes_file {
        command.arg("-o").arg(&to);
    }
    let output = command.arg(&from).stdin(Stdio::null()).output().map_err(failed)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&[output.stderr, output.stdout].concat()).into_owned();
        let kept = refused_file(tool, input);
        std::fs::rename(&from, &kept).map_err(failed)?;
        let shown = kept.file_name().unwrap_or_default().to_string_lossy();
        let said = said.replace(&*from.display().to_string(), &shown);
        return Err(ToolError::Refused(Box::new(tool.clone()), said, kept));
    }
    let made = if using.makes_file { std::fs::read(&to).map_err(failed) } else { Ok(output.stdout) };
    let _ = std::fs::remove_file(&from);
    let _ = std::fs::remove_file(&to);
    made
}

/// Where an input is kept that a tool refuses: the same for the same input.
fn refused_file(tool: &Tool, input: &[u8]) -> PathBuf {
    let name = hex(&ContentHash::of(input).0[..6]);
    std::env::temp_dir().join(format!("kiln-refused-{}-{name}.in", tool.name))
}

/// The error of a tool that refused `input` before, and what it said.
pub fn refused_before(tool: &Tool, input: &[u8], said: String) -> ToolError {
    let kept = refused_file(tool, input);
    match kept.is_file().then_some(()).map_or_else(|| std::fs::write(&kept, input), Ok) {
        Ok(()) => ToolError::Refused(Box::new(tool.clone()), said, kept),
        Err(error) => ToolError::Run(Box::new(tool.clone()), error),
    }
}

/// Shows an object, and what is made of it, to the tools that check code for a target.
///
/// # Errors
/// When a tool is missing or refuses it.
pub fn check(paths: &ToolPaths, facts: &TargetFacts, object: &[u8]) -> Result<(), ToolError> {
    for (shown, tool) in &facts.tools.check {
        let code = match (shown, &facts.tools.finish) {
            (Shown::Object, _) | (Shown::Binary, Finish::None) => Cow::Borrowed(object),
            (Shown::Binary, Finish::Assemble { assembler, .. }) => Cow::Owned(run(paths, assembler, object)?),
            (Shown::Binary, Finish::MetalLibrary) => {
                Cow::Owned(super::metal_library::metal_library(object).map_err(ToolError::NotMetal)?)
            }
            (Shown::Binary, Finish::CodeObject(_)) => {
                Cow::Owned(kiln_link::code_object(object).map_err(ToolError::Unlinkable)?)
            }
        };
        run(paths, tool, &code)?;
    }
    Ok(())
}
