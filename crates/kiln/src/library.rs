//! The standard library, as text in the program.

use crate::packed::{Packed, PackedFile};
use kiln_packages::{LibraryPackages, Uuid};
use kiln_syntax::{LineStarts, Unread};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

pub(crate) use crate::preload::PREFIX;

static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));

/// The packages and their UUIDs: each `using` asks for them, and to unpack the file takes milliseconds.
static IDS: &str = include_str!("../../../base/packages.txt");

/// The words of dialects in texts: they are part of the command's help, which is put together at each start.
static WORDS: &str = include_str!("../../../base/dialects/help.txt");

/// The word behind a package that an environment's one wins over.
const STAND_IN: &str = "stand-in";

/// The packages that [`IDS`] lists. A process asks several times before its program runs.
static LISTED: LazyLock<Arc<LibraryPackages>> = LazyLock::new(|| Arc::new(read_ids(IDS)));

/// The files below `base/` that a session uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Library {
    /// A directory to take the files from instead of those in the program: a developer of the library need not build the
    /// program for each change.
    dir: Option<Arc<Path>>,
}

fn read_ids(text: &str) -> LibraryPackages {
    let mut listed = LibraryPackages::default();
    for line in text.lines().filter(|it| !it.starts_with('#')) {
        let mut words = line.split_ascii_whitespace();
        let (Some(name), Some(uuid)) = (words.next(), words.next()) else { continue };
        listed.uuids.insert(name.to_owned(), Uuid::parse(uuid));
        if words.next() == Some(STAND_IN) {
            listed.stand_ins.insert(name.to_owned());
        }
    }
    listed
}

/// The files in the program.
fn packed() -> Packed {
    kiln_types::freeze::accepted(Packed::read(LIBRARY))
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
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        if let Some(dir) = &self.dir {
            return std::fs::read_to_string(dir.join(path)).ok();
        }
        let packed = packed();
        packed.find(path).and_then(|it| packed.text(&it))
    }

    /// Returns the number of bytes of the library file at `path`.
    pub(crate) fn size(&self, path: &str) -> Option<usize> {
        if self.dir.is_some() {
            return self.text(path).map(|it| it.len());
        }
        packed().find(path).map(|it| it.len())
    }

    /// The main file of the package `name`, if the library has it: its path below `base/`, and its text.
    pub(crate) fn package(&self, name: &str) -> Option<(String, String)> {
        ["stdlib", "dialects"].iter().find_map(|dir| {
            let path = format!("{dir}/{name}.jl");
            self.text(&path).map(|text| (path, text))
        })
    }

    /// Returns the packages.
    pub(crate) fn listed(&self) -> Arc<LibraryPackages> {
        match &self.dir {
            Some(dir) => {
                Arc::new(read_ids(&std::fs::read_to_string(dir.join("packages.txt")).unwrap_or_default()))
            }
            None => LISTED.clone(),
        }
    }

    /// The files of Base, in order: those for `Core` first.
    pub(crate) fn order(&self) -> Vec<String> {
        let text = self.text("core/order.txt").unwrap_or_default();
        let names = text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
        names.map(str::to_owned).collect()
    }
}

/// The files of the snapshot.
#[derive(Debug)]
pub(crate) struct SnapshotFiles(Packed);

impl SnapshotFiles {
    /// Those in the program.
    pub(crate) fn new() -> Self {
        Self(packed())
    }

    fn find(&self, name: &str) -> Option<PackedFile<'_>> {
        self.0.find(name.strip_prefix(PREFIX)?)
    }
}

impl Unread for SnapshotFiles {
    fn text(&self, name: &str) -> Cow<'static, str> {
        self.find(name).and_then(|it| self.0.text(&it)).unwrap_or_default().into()
    }

    fn lines(&self, name: &str) -> LineStarts {
        let lines = self.find(name).and_then(|it| it.lines().ok());
        LineStarts::of_lengths(lines.unwrap_or_default())
    }
}

/// The names in the library's directory at `path`, sorted; none if it is no directory.
pub(crate) fn directory(path: &str) -> Vec<String> {
    let below = if path.is_empty() { String::new() } else { format!("{path}/") };
    let packed = packed();
    let inside = packed.files().filter_map(|it| it.path.strip_prefix(&*below));
    let mut names: Vec<String> = inside.filter_map(|it| it.split('/').next()).map(str::to_owned).collect();
    names.dedup();
    names
}

/// The packages the library has, by name.
pub(crate) fn packages() -> Vec<String> {
    let packed = packed();
    let own = packed.files().filter_map(|it| {
        let name = it.path.strip_prefix("stdlib/").or_else(|| it.path.strip_prefix("dialects/"))?;
        name.strip_suffix(".jl").filter(|it| !it.contains('/'))
    });
    own.map(str::to_owned).collect()
}

/// The words of the command's help that are those of dialects, each under the name that texts have for it.
pub fn dialect_words() -> impl Iterator<Item = (&'static str, &'static str)> {
    WORDS.lines().filter(|it| !it.starts_with('#')).filter_map(|it| it.split_once(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file is found by its path, with its text and the places of its lines.
    #[test]
    fn files_are_unpacked_as_they_were() {
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../base");
        let (library, files) = (Library::default(), SnapshotFiles::new());
        for file in packed().files() {
            let text = std::fs::read_to_string(base.join(file.path)).unwrap();
            assert_eq!(library.text(file.path).as_ref(), Some(&text), "{}", file.path);
            assert_eq!(library.size(file.path), Some(text.len()));
            assert_eq!(files.lines(&format!("{PREFIX}{}", file.path)), LineStarts::new(&text));
        }
        assert!(library.text("core/no-such-file.jl").is_none());
    }

    /// Each package of the library has a line with its UUID, or says that it has none.
    #[test]
    fn packages_have_identities() {
        let listed: Vec<String> = Library::default().listed().uuids.keys().cloned().collect();
        let mut own = packages();
        own.sort();
        assert_eq!(listed, own);
    }

    #[test]
    fn packages_are_found_by_name() {
        assert!(Library::default().package("CUDA").is_some());
        assert!(Library::default().package("NoSuchPackage").is_none());
        assert!(packages().iter().any(|it| it == "Test"));
    }
}
