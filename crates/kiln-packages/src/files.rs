//! The files that packages are found in, as an interface, and paths as texts.

use crate::error::PackageError;
use crate::toml_file::{Table, parse};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Files and directories. Names are compared case by case, also where the file system does not.
pub trait PackageFiles {
    /// Returns the text of a file; `None` if it cannot be read.
    fn text(&self, path: &str) -> Option<String>;
    /// Whether there is a file of this name.
    fn is_file(&self, path: &str) -> bool;
    /// Whether there is a directory of this name.
    fn is_directory(&self, path: &str) -> bool;
    /// Returns the names in a directory, sorted; none if it cannot be read.
    fn names(&self, path: &str) -> Vec<String>;
    /// Returns the absolute path without links; the path itself if there is no such file.
    fn real_path(&self, path: &str) -> String;
}

/// The parsed files of a session. A file is read at each look-up and parsed again only if its text differs.
#[derive(Debug, Default)]
pub struct ParsedFiles(Mutex<BTreeMap<String, (String, Arc<Table>)>>);

/// Files with what is parsed of them.
#[derive(Clone, Copy)]
pub struct PackageReader<'a> {
    /// The files.
    pub files: &'a dyn PackageFiles,
    /// The parsed ones.
    pub parsed: &'a ParsedFiles,
}

impl std::fmt::Debug for PackageReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PackageReader").finish_non_exhaustive()
    }
}

impl PackageReader<'_> {
    /// Returns the table of a TOML file; `None` if there is no such file.
    ///
    /// # Errors
    /// When it is not TOML: with the line.
    pub fn table(&self, path: &str) -> Result<Option<Arc<Table>>, PackageError> {
        let Some(text) = self.files.text(path) else { return Ok(None) };
        if let Some((known, table)) = self.parsed.0.lock().get(path)
            && *known == text
        {
            return Ok(Some(table.clone()));
        }
        let table = Arc::new(parse(path, &text)?);
        self.parsed.0.lock().insert(path.to_owned(), (text, table.clone()));
        Ok(Some(table))
    }

    /// Returns the first of these names that is a file in the directory, with its path.
    pub(crate) fn first_file(&self, directory: &str, names: &[&str]) -> Option<String> {
        names.iter().map(|it| join(directory, it)).find(|it| self.files.is_file(it))
    }
}

/// The path of `name` in `directory`; `name` itself if it is absolute. `.` and `..` are carried out.
pub fn join(directory: &str, name: &str) -> String {
    let whole = if name.starts_with('/') { name.to_owned() } else { format!("{directory}/{name}") };
    normal(&whole)
}

/// The path with `.` and `..` carried out, and without a slash at its end.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|it| *it != "..") => {
                parts.pop();
            }
            ".." if path.starts_with('/') => {}
            other => parts.push(other),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// The directory of a path; the root is its own.
pub fn directory(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((directory, _)) => directory,
        None => "",
    }
}

/// The last part of a path.
pub(crate) fn last_part(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined() {
        assert_eq!(join("/a/b", "../c/./d"), "/a/c/d");
        assert_eq!(join("/a", "/b/"), "/b");
        assert_eq!(join("/", "../.."), "/");
        assert_eq!(join("a", "../../b"), "../b");
        assert_eq!((directory("/a/b"), directory("/a"), directory("a")), ("/a", "/", ""));
    }
}
