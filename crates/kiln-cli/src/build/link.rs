//! Shared libraries, by the system's linker.

use crate::environment;
use kiln::ahead::BuiltEntry;
use kiln::{Error, ErrorKind};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Linkers that compilers call, then linkers themselves, in the order in which they are looked for.
const DRIVERS: [&str; 3] = ["cc", "gcc", "clang"];
const LINKERS: [&str; 3] = ["ld.lld", "ld.lld-22", "ld"];

/// Folders of the system's libraries, for a linker that no compiler tells them.
const FOLDERS: [&str; 4] = ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64"];

/// A program that links.
struct SystemLinker {
    /// The program, and arguments that come first.
    program: Vec<OsString>,
    /// A compiler, which hands options to the linker.
    is_driver: bool,
}

impl SystemLinker {
    /// The first one that there is.
    fn find(given: Option<&Path>) -> Result<Self, Error> {
        let of = |program: Vec<OsString>| {
            let name = program.first().map(|it| Path::new(it).file_name().unwrap_or_default().to_owned());
            let name = name.unwrap_or_default().to_string_lossy().into_owned();
            let is_driver = !(name == "ld" || name.starts_with("ld.") || name.ends_with("-ld"));
            Self { program, is_driver }
        };
        if let Some(given) = given {
            return Ok(of(vec![given.into()]));
        }
        let tools = environment::tools();
        let variable = tools.files.iter().find(|it| it.0 == "CC");
        if let Some((_, named)) = variable {
            return Ok(of(named.to_string_lossy().split_whitespace().map(OsString::from).collect()));
        }
        let in_path = |name: &&str| tools.programs.iter().map(|it| it.join(name)).find(|it| it.is_file());
        let found = DRIVERS.iter().chain(&LINKERS).find_map(in_path);
        let missing = "error[tool]: a shared library needs a linker, and there is none of cc, gcc, clang, ld.lld, \
            ld.lld-22 and ld in PATH\n\
            help: install one, name one with --linker, or build an archive (--emit static), which needs none";
        found.map(|it| of(vec![it.into()])).ok_or_else(|| Error::new(ErrorKind::Tool, missing))
    }

    /// Adds an option of the linker.
    fn add(&self, command: &mut Command, option: &[&str]) {
        if self.is_driver {
            command.arg(format!("-Wl,{}", option.join(",")));
        } else {
            command.args(option);
        }
    }
}

/// Links the objects of a library to a shared one, and returns its bytes.
///
/// # Errors
/// When there is no linker, or it refuses.
pub(super) fn shared_library(
    entries: &[BuiltEntry],
    out: &Path,
    linker: Option<&Path>,
) -> Result<Vec<u8>, Error> {
    let linker = SystemLinker::find(linker)?;
    let folder = Folder::new()?;
    let mut names = Vec::new();
    for it in entries {
        let name = format!("{}.o", it.symbol);
        std::fs::write(folder.0.join(&name), &it.object).map_err(|it| written(&folder.0, &it))?;
        names.push(name);
    }
    let made = "library.so";
    let [program, first @ ..] = &linker.program[..] else {
        return Err(Error::usage("error: CC names no program"));
    };
    let mut command = Command::new(program);
    // Names without folders: equal builds are equal wherever they are made.
    command.args(first).current_dir(&folder.0).args(["-shared", "-o", made]);
    if linker.is_driver {
        command.arg("-nostartfiles");
    }
    let soname = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let options: [&[&str]; 6] = [
        &["-soname", &soname],
        &["-z", "text"],
        &["-z", "noexecstack"],
        &["-z", "defs"],
        &["--build-id=none"],
        &["--as-needed"],
    ];
    options.iter().for_each(|it| linker.add(&mut command, it));
    command.args(&names);
    if !linker.is_driver {
        let folders = FOLDERS.iter().filter(|it| Path::new(it).is_dir());
        command.args(folders.map(|it| format!("-L{it}")));
    }
    command.arg("-lm");
    if !linker.is_driver {
        command.arg("-lc");
    }
    let shown = program.to_string_lossy().into_owned();
    let ran = command
        .output()
        .map_err(|it| Error::new(ErrorKind::Tool, format!("error[tool]: {shown} cannot be run: {it}")))?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stderr).trim_end().to_owned();
        return Err(Error::new(
            ErrorKind::Tool,
            format!("error[tool]: {shown} cannot link the library:\n{said}"),
        ));
    }
    std::fs::read(folder.0.join(made)).map_err(|it| written(&folder.0, &it))
}

fn written(path: &Path, why: &std::io::Error) -> Error {
    Error::usage(format!("error: {}: {why}", path.display()))
}

/// A folder of this process, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, Error> {
        let path = std::env::temp_dir().join(format!("kiln-build-{}", std::process::id()));
        std::fs::create_dir(&path).map_err(|it| written(&path, &it))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
