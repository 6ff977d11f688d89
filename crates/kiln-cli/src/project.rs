//! Julia's project files and manifests, as far as loading packages needs them: names and paths.
//!
//! The reader takes the subset of TOML that package managers write: tables, strings, lists of strings, and inline tables. What it
//! does not understand it skips.

use std::fs;
use std::path::{Path, PathBuf};

/// The names of a project file, the preferred one first.
const PROJECT_FILES: [&str; 2] = ["JuliaProject.toml", "Project.toml"];
/// The names of a manifest, the preferred one first.
const MANIFESTS: [&str; 2] = ["JuliaManifest.toml", "Manifest.toml"];

/// A project: the package of a folder, and the packages it needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Project {
    /// The package's name; a project of scripts has none.
    pub(crate) name: Option<String>,
    /// Packages that its code loads.
    pub(crate) deps: Vec<String>,
    /// Packages that only its tests load.
    pub(crate) test_deps: Vec<String>,
    /// Packages with their folders.
    pub(crate) paths: Vec<(String, PathBuf)>,
}

impl Project {
    /// Returns the project of a folder; `None` if it has no project file.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        let mut project = Self::default();
        project.read(folder, &text_of(folder, &PROJECT_FILES)?);
        if let Some(manifest) = text_of(folder, &MANIFESTS) {
            project.paths.extend(manifest_paths(folder, &manifest));
        }
        Some(project)
    }

    fn read(&mut self, folder: &Path, text: &str) {
        for Entry { table, key, value } in entries(text) {
            match (&*table, &*key) {
                ("", "name") => self.name = strings(&value).pop(),
                ("deps", _) => self.deps.push(key),
                ("targets", "test") => self.test_deps = strings(&value),
                ("sources", _) => {
                    let path = path_in(&value).map(|it| (key, folder.join(it)));
                    self.paths.extend(path);
                }
                _ => {}
            }
        }
    }
}

/// The file that loads the package of a folder.
pub(crate) fn main_file(folder: &Path, name: &str) -> Option<PathBuf> {
    Some(folder.join("src").join(format!("{name}.jl"))).filter(|it| it.is_file())
}

fn text_of(folder: &Path, names: &[&str]) -> Option<String> {
    names.iter().find_map(|it| fs::read_to_string(folder.join(it)).ok())
}

/// Packages that a manifest has with a path: those that are being developed.
fn manifest_paths(folder: &Path, text: &str) -> Vec<(String, PathBuf)> {
    let paths = entries(text).into_iter().filter(|it| it.key == "path");
    let named = paths.filter_map(|it| {
        let name = it.table.strip_prefix("deps.").unwrap_or(&it.table).to_owned();
        Some((name, folder.join(strings(&it.value).pop()?)))
    });
    named.collect()
}

/// A key of a table with its value as text.
struct Entry {
    table: String,
    key: String,
    value: String,
}

/// The entries of a file. A list may go over several lines.
fn entries(text: &str) -> Vec<Entry> {
    let mut all = Vec::new();
    let mut table = String::new();
    let mut lines = text.lines().map(without_comment);
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.starts_with('[') {
            table = line.trim_matches(['[', ']']).trim().to_owned();
        } else if let Some((key, value)) = line.split_once('=') {
            let mut value = value.trim().to_owned();
            while value.starts_with('[') && !value.ends_with(']') {
                let Some(more) = lines.next() else { break };
                value.push_str(more.trim());
            }
            all.push(Entry { table: table.clone(), key: key.trim().trim_matches('"').to_owned(), value });
        }
    }
    all
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let end = line.char_indices().find(|(_, it)| {
        quoted ^= *it == '"';
        *it == '#' && !quoted
    });
    end.map_or(line, |(at, _)| &line[..at])
}

/// The strings of a value: its own, or those of a list.
fn strings(value: &str) -> Vec<String> {
    value.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The path of an inline table.
fn path_in(value: &str) -> Option<String> {
    let fields = value.trim_matches(['{', '}']).split(',');
    let mut path = fields.filter_map(|it| it.split_once('=')).filter(|it| it.0.trim() == "path");
    path.next().and_then(|it| strings(it.1).pop())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that loading needs, among what it does not.
    #[test]
    fn projects_are_read() {
        let mut project = Project::default();
        project.read(
            Path::new("/package"),
            r#"
            name = "Scale" # the package
            version = "0.1.0"
            [deps]
            "CUDA" = "052768ef-5323-5732-b1bb-66c8b64840ba"
            [sources]
            Shared = {path = "../Shared#1", rev = "main"}
            Far = {url = "https://example.org/Far.jl"}
            [extras]
            Test = "8dfed614-e22c-5e08-85e1-65c5234f0b40"
            [targets]
            test = [
                "Test", # and more
                "Random",
            ]
            "#,
        );
        let names = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let expected = Project {
            name: Some("Scale".into()),
            deps: names(&["CUDA"]),
            test_deps: names(&["Test", "Random"]),
            paths: vec![("Shared".into(), "/package/../Shared#1".into())],
        };
        assert_eq!(project, expected);
    }

    /// Both formats of manifests.
    #[test]
    fn manifests_have_paths() {
        for header in ["[[deps.Shared]]", "[[Shared]]"] {
            let text = format!(
                "manifest_format = \"2.0\"\n{header}\npath = \"Shared\"\nuuid = \"1\"\n[[deps.Other]]\n"
            );
            assert_eq!(manifest_paths(Path::new("/a"), &text), [("Shared".into(), "/a/Shared".into())]);
        }
    }
}
