//! The standard library, as text in the program.

use std::path::{Path, PathBuf};
use std::sync::Arc;

include!(concat!(env!("OUT_DIR"), "/base_files.rs"));

pub(crate) use crate::preload::PREFIX;

/// The files below `base/` that a session uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Library {
    /// A directory to take the files from instead of those in the program: a developer of the library need not build the
    /// program for each change.
    dir: Option<Arc<Path>>,
}

impl Library {
    /// The library in this directory; `None`: the embedded one.
    pub(crate) fn new(dir: Option<PathBuf>) -> Self {
        Self { dir: dir.map(Arc::from) }
    }

    /// Whether it is another one than the program's.
    pub(crate) fn is_replaced(&self) -> bool {
        self.dir.is_some()
    }

    /// The text of the library file at `path` (below `base/`).
    pub(crate) fn text(&self, path: &str) -> Option<&'static str> {
        if let Some(dir) = &self.dir {
            return std::fs::read_to_string(dir.join(path)).ok().map(|it| &*it.leak());
        }
        FILES.binary_search_by(|it| it.0.cmp(path)).ok().map(|at| FILES[at].1)
    }

    /// The main file of the package `name`, if the library has it: its path below `base/`, and its text.
    pub(crate) fn package(&self, name: &str) -> Option<(String, &'static str)> {
        ["stdlib", "dialects"].iter().find_map(|dir| {
            let path = format!("{dir}/{name}.jl");
            self.text(&path).map(|text| (path, text))
        })
    }

    /// The files of Base, in order: those for `Core` first.
    pub(crate) fn order(&self) -> impl Iterator<Item = &'static str> {
        self.text("core/order.txt")
            .unwrap_or_default()
            .lines()
            .map(str::trim)
            .filter(|it| !it.is_empty() && !it.starts_with('#'))
    }
}

/// The names in the library's directory at `path`, sorted; none if it is no directory.
pub(crate) fn directory(path: &str) -> Vec<String> {
    let below = if path.is_empty() { String::new() } else { format!("{path}/") };
    let inside = FILES.iter().filter_map(|it| it.0.strip_prefix(&*below));
    let mut names: Vec<String> = inside.filter_map(|it| it.split('/').next()).map(str::to_owned).collect();
    names.dedup();
    names
}

/// The packages the library has, by name.
pub(crate) fn packages() -> impl Iterator<Item = &'static str> {
    let own =
        FILES.iter().filter_map(|it| it.0.strip_prefix("stdlib/").or_else(|| it.0.strip_prefix("dialects/")));
    own.filter_map(|it| it.strip_suffix(".jl")).filter(|it| !it.contains('/'))
}

/// The words of the command's help that are those of dialects, each under the name that texts have for it.
pub fn dialect_words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = Library::default().text("dialects/help.txt").unwrap_or_default().lines();
    lines.filter(|it| !it.starts_with('#')).filter_map(|it| it.split_once(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_sorted_so_that_look_up_finds_them() {
        assert!(FILES.is_sorted_by_key(|it| it.0));
        assert!(Library::default().package("CUDA").is_some());
        assert!(Library::default().package("NoSuchPackage").is_none());
    }
}
