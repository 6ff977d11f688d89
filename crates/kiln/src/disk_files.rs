//! The files of this machine, for look-ups of packages outside a session.

use kiln_packages::PackageFiles;
use std::fs;
use std::path::Path;

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFiles;

impl PackageFiles for DiskFiles {
    fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(path).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
    fn is_file(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }
    fn is_directory(&self, path: &str) -> bool {
        Path::new(path).is_dir()
    }
    fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
    fn real_path(&self, path: &str) -> String {
        fs::canonicalize(path).map_or_else(|_| path.to_owned(), |it| it.to_string_lossy().into_owned())
    }
}
