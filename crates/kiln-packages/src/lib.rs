//! Julia's environments: project files and manifests, the load path, depots; which package a name means, where its code is, its
//! extensions and preferences. Functions of files that the caller gives access to; no session.
//!
//! ```
//! use kiln_packages::{LoadPath, MemoryFiles, PackageReader, ParsedFiles, PkgId, Search, Surroundings};
//!
//! let files = MemoryFiles::new([
//!     ("/env/Project.toml", "[deps]\nAreas = \"00000000-0000-0000-0000-000000000001\""),
//!     ("/env/Manifest.toml", "[[Areas]]\nuuid = \"00000000-0000-0000-0000-000000000001\"\npath = \"../areas\""),
//!     ("/areas/src/Areas.jl", "module Areas end"),
//! ]);
//! let (parsed, around) = (ParsedFiles::default(), Surroundings::default());
//! let path = LoadPath { entries: vec!["/env".into()], ..LoadPath::default() };
//! let search = Search::new(PackageReader { files: &files, parsed: &parsed }, &path, &around);
//! let id = search.identify(&PkgId::top_level("Main"), "Areas")?.unwrap();
//! let found = search.locate(&id)?.unwrap();
//! assert_eq!(found.file.as_deref(), Some("/areas/src/Areas.jl"));
//! # Ok::<(), kiln_packages::PackageError>(())
//! ```

mod error;
mod extensions;
mod files;
mod identify;
mod load_path;
mod locate;
mod manifest;
mod memory_files;
mod preferences;
mod project;
mod search;
mod toml_file;
mod uuid;

pub use error::PackageError;
pub use extensions::Extension;
pub use files::{PackageFiles, PackageReader, ParsedFiles, directory, join};
pub use load_path::{
    DEFAULT_LOAD_PATH, Environment, JULIA_VERSION, LibraryPackages, LoadPath, Surroundings, nearest_project,
    parse_depot_path, parse_load_path, parse_project,
};
pub use locate::LocatedPackage;
pub use memory_files::MemoryFiles;
pub use project::{PREFERENCE_FILES, PROJECT_FILES, Project, project_file, read_project};
pub use search::Search;
pub use toml_file::{Table, TomlData, TomlValue, parse};
pub use uuid::{Uuid, slug};

use std::fmt;

/// The identity of a package: packages of one name with different UUIDs are different packages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PkgId {
    /// The UUID; a package without a project file has none.
    pub uuid: Option<Uuid>,
    /// The name.
    pub name: String,
}

impl PkgId {
    /// Returns the identity of a module without a UUID, such as `Main`.
    pub fn top_level(name: impl Into<String>) -> Self {
        Self { uuid: None, name: name.into() }
    }

    /// Returns the identity of the extension `name` of the package `parent`.
    pub fn extension(parent: &Self, name: &str) -> Self {
        Self { uuid: Some(Uuid::derived(parent.uuid, name)), name: name.to_owned() }
    }
}

impl fmt::Display for PkgId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.uuid {
            Some(uuid) => write!(f, "{} [{uuid}]", self.name),
            None => write!(f, "{} [top-level]", self.name),
        }
    }
}
