//! Files in memory, for tests and examples.

use crate::files::PackageFiles;
use std::collections::{BTreeMap, BTreeSet};

/// Files in memory: text by absolute path.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(BTreeMap<String, String>);

impl MemoryFiles {
    /// Returns these files: paths with texts.
    pub fn new(files: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Self {
        Self(files.into_iter().map(|(path, text)| (path.into(), text.into())).collect())
    }
}

impl PackageFiles for MemoryFiles {
    fn text(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }
    fn is_file(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }
    fn is_directory(&self, path: &str) -> bool {
        let below = format!("{}/", path.trim_end_matches('/'));
        self.0.keys().any(|it| it.starts_with(&below))
    }
    fn names(&self, path: &str) -> Vec<String> {
        let below = format!("{}/", path.trim_end_matches('/'));
        let inside = self.0.keys().filter_map(|it| it.strip_prefix(&below)?.split('/').next());
        inside.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
    }
    fn real_path(&self, path: &str) -> String {
        path.to_owned()
    }
}
