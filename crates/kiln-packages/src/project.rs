//! Project files.

use crate::Uuid;
use crate::error::PackageError;
use crate::files::{PackageReader, directory, join};
use crate::toml_file::Table;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names of a project file, the preferred one first.
pub const PROJECT_FILES: [&str; 2] = ["JuliaProject.toml", "Project.toml"];
/// The names of a file of local preferences, the preferred one first.
pub const PREFERENCE_FILES: [&str; 2] = ["JuliaLocalPreferences.toml", "LocalPreferences.toml"];

/// The triggers of each extension, by its name.
pub(crate) type Extensions = BTreeMap<String, Vec<String>>;

/// A project file: a package, or an environment of scripts.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its path.
    pub file: String,
    /// The package's name; an environment of scripts has none.
    pub name: Option<String>,
    /// The package's UUID.
    pub uuid: Option<Uuid>,
    /// The version, as written.
    pub version: Option<String>,
    /// The file that loads the package, or its folder, relative to the project file.
    pub(crate) entry_file: Option<String>,
    /// The manifest that it names.
    pub(crate) manifest: Option<String>,
    /// The packages that its code loads.
    pub deps: BTreeMap<String, Uuid>,
    /// The packages that its extensions load.
    pub(crate) weak_deps: BTreeMap<String, Uuid>,
    /// Further packages, of tests and preferences.
    pub extras: BTreeMap<String, Uuid>,
    /// The names of `extras` that tests load.
    pub test_target: Vec<String>,
    pub(crate) extensions: Extensions,
    /// The folders of dependencies.
    pub(crate) sources: BTreeMap<String, String>,
    /// The folders of the projects that share its manifest.
    pub(crate) workspace: Vec<String>,
    /// The whole file.
    pub(crate) table: Arc<Table>,
}

/// Returns the project file of a directory.
pub fn project_file(reader: &PackageReader<'_>, directory: &str) -> Option<String> {
    reader.first_file(directory, &PROJECT_FILES)
}

/// Reads a project file; `None` if there is none.
///
/// # Errors
/// When it is no TOML, or an entry has a wrong form.
pub fn read_project(reader: &PackageReader<'_>, file: &str) -> Result<Option<Project>, PackageError> {
    let Some(table) = reader.table(file)? else { return Ok(None) };
    let text = |key| Ok::<_, PackageError>(table.text(key)?.map(str::to_owned));
    let folder = directory(file).to_owned();
    let mut sources = BTreeMap::new();
    if let Some(all) = table.table("sources")? {
        for name in all.entries.keys() {
            let Some(source) = all.table(name)? else { continue };
            if let Some(path) = source.text("path")? {
                sources.insert(name.clone(), join(&folder, path));
            }
        }
    }
    let workspace = table.table("workspace")?.map_or(Ok(Vec::new()), |it| it.texts("projects"))?;
    let test_target = table.table("targets")?.map_or(Ok(Vec::new()), |it| it.texts("test"))?;
    Ok(Some(Project {
        file: file.to_owned(),
        name: text("name")?,
        uuid: table.uuid("uuid")?,
        version: text("version")?,
        entry_file: text("path")?.map_or_else(|| text("entryfile"), |it| Ok(Some(it)))?,
        manifest: text("manifest")?,
        deps: table.uuids("deps")?,
        weak_deps: table.uuids("weakdeps")?,
        extras: table.uuids("extras")?,
        test_target,
        extensions: extensions(&table)?,
        sources,
        workspace: workspace.iter().map(|it| join(&folder, it)).collect(),
        table,
    }))
}

/// The extensions that a table declares.
pub(crate) fn extensions(table: &Table) -> Result<Extensions, PackageError> {
    let Some(all) = table.table("extensions")? else { return Ok(Extensions::new()) };
    all.entries.keys().map(|name| Ok((name.clone(), all.texts(name)?))).collect()
}

impl Project {
    /// The identity of the project's package, under `name` if it has no name of its own: one without a UUID has one derived from
    /// the file's real path.
    pub(crate) fn identity(&self, reader: &PackageReader<'_>, name: &str) -> crate::PkgId {
        let name = self.name.as_deref().unwrap_or(name).to_owned();
        let derived = || Uuid::derived(None, &reader.files.real_path(&self.file));
        crate::PkgId { uuid: Some(self.uuid.unwrap_or_else(derived)), name }
    }

    /// The folder of the file.
    pub fn folder(&self) -> &str {
        directory(&self.file)
    }
}
