//! The surroundings of the session that becomes the image: the library's files, and nothing that differs between
//! machines.

use super::preload::PREFIX;
use kiln_runtime::{HostIo, PackageSource};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The files below `base/`.
#[derive(Debug, Default)]
pub(crate) struct Library {
    /// Path, and text.
    pub(crate) files: BTreeMap<String, String>,
}

impl Library {
    /// Files of Base, in order: path and text.
    pub(crate) fn order(&self) -> Vec<(String, &str)> {
        let order = self.files.get("core/order.txt").map_or("", |it| it);
        let names = order.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
        names
            .map(|it| format!("core/{it}"))
            .map(|path| (path.clone(), self.files.get(&path).map_or("", |it| it)))
            .collect()
    }

    /// Names of the packages, in order.
    pub(crate) fn packages(&self) -> Vec<String> {
        let names = self.files.keys().filter_map(|it| {
            let name = it.strip_prefix("stdlib/").or_else(|| it.strip_prefix("dialects/"))?;
            name.strip_suffix(".jl").filter(|it| !it.contains('/'))
        });
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort();
        names
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct LibraryIo {
    pub(crate) library: Arc<Library>,
}

impl LibraryIo {
    fn text(&self, path: &str) -> Option<&str> {
        let mut parts: Vec<&str> = Vec::new();
        for part in path.strip_prefix(PREFIX)?.split('/') {
            match part {
                "." => {}
                ".." => {
                    parts.pop();
                }
                other => parts.push(other),
            }
        }
        self.library.files.get(&parts.join("/")).map(String::as_str)
    }
}

impl HostIo for LibraryIo {
    fn read_file(&self, path: &str) -> std::io::Result<Vec<u8>> {
        let text = self.text(path).map(|it| it.as_bytes().to_vec());
        text.ok_or_else(|| std::io::Error::other(format!("could not open file {path}")))
    }
    fn find_package(&self, name: &str) -> Option<PackageSource> {
        ["stdlib", "dialects"].iter().find_map(|dir| {
            let path = format!("{dir}/{name}.jl");
            let text = self.library.files.get(&path)?.clone();
            Some(PackageSource { path: format!("{PREFIX}{path}"), text })
        })
    }
}
