//! Loads Base and the library's packages, and lists their files, for the build and for sessions.

use kiln_bytes::{Reader, Writer};
use kiln_runtime::Run;
use kiln_runtime::Runtime;
use kiln_runtime::eval::{library_package, packages, toplevel};
use kiln_runtime::image::ImageError;
use kiln_syntax::{Files, Unread};
use kiln_types::Module;
use std::sync::Arc;

/// Prefix of the paths under which library files are known: `include` and messages use them.
pub(crate) const PREFIX: &str = "@kiln/";

/// Evaluates the files of Base (path below `base/`, and text), those for `Core` in `Core`.
pub(crate) fn load_base(rt: &Runtime, files: impl IntoIterator<Item = (String, String)>) -> Run<()> {
    for (path, text) in files {
        let module = if path == "core/boot.jl" { Module::CORE } else { Module::BASE };
        let path = format!("{PREFIX}{path}");
        packages::within_file(rt, &path, || toplevel::eval_text(rt, module, &path, &text))?;
    }
    rt.tables.add_using(Module::MAIN, Module::BASE);
    rt.tables.seal();
    Ok(())
}

/// Loads a package that `using` shall find.
pub(crate) fn load_package(rt: &Runtime, name: &str) -> Run<()> {
    library_package(rt, rt.types.symbol(name)).map(drop)
}

/// The names of the packages, and the files in order: those of the library by name, others with their text.
pub(crate) fn write_files(files: &Files, packages: &[String], in_library: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut out = Writer::new();
    out.list(packages, |out, it| out.str(it));
    let all: Vec<_> = files.iter().collect();
    out.index(all.len());
    for file in all {
        out.str(&file.name);
        let known = file.name.strip_prefix(PREFIX).is_some_and(&in_library);
        out.bool(known);
        if !known {
            out.str(file.text());
        }
    }
    out.finish()
}

/// Room for the files of a usual program: the list of the library's is not moved when one is added.
const OWN_FILES: usize = 16;

/// The inverse of [`write_files`]. The files of the library are read from `library` when they are needed.
pub(crate) fn read_files(
    bytes: &[u8],
    library: &Arc<impl Unread + 'static>,
) -> Result<(Vec<String>, Files), ImageError> {
    let mut input = Reader::new(bytes);
    let packages = input.list(Reader::string)?;
    let count = input.count()?;
    let mut files = Files::with_capacity(count + OWN_FILES);
    for _ in 0..count {
        let name = input.str()?;
        let added = if input.bool()? {
            files.add_unread(name, library.clone())
        } else {
            files.add(name, input.string()?)
        };
        added.ok_or(ImageError("an image with too many files"))?;
    }
    input.finish()?;
    Ok((packages, files))
}
