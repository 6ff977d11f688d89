//! Manifests: the packages of an environment and where they are.

use crate::error::PackageError;
use crate::files::{PackageReader, directory, join};
use crate::project::{Extensions, Project, extensions, project_file, read_project};
use crate::toml_file::{Table, TomlData};
use crate::{PkgId, Uuid};
use std::collections::{BTreeMap, BTreeSet};

/// The names of a manifest for a minor version of Julia, the preferred one first.
fn names((major, minor, _): (u32, u32, u32)) -> [String; 4] {
    [
        format!("JuliaManifest-v{major}.{minor}.toml"),
        format!("Manifest-v{major}.{minor}.toml"),
        "JuliaManifest.toml".into(),
        "Manifest.toml".into(),
    ]
}

/// A manifest, or the paths of `[sources]` where there is none.
#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    pub(crate) file: String,
    /// The version of Julia that it was made for.
    pub(crate) julia_version: Option<String>,
    pub(crate) entries: Vec<Entry>,
}

/// A package of a manifest.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) id: PkgId,
    pub(crate) version: Option<String>,
    pub(crate) deps: Deps,
    pub(crate) weak_deps: Deps,
    pub(crate) extensions: Extensions,
    /// Its folder, or its file.
    pub(crate) path: Option<String>,
    pub(crate) tree_hash: Option<String>,
    pub(crate) entry_file: Option<String>,
}

/// Dependencies: names that are unique in the manifest, or names with UUIDs.
#[derive(Clone, Debug)]
pub(crate) enum Deps {
    Names(Vec<String>),
    Uuids(BTreeMap<String, Uuid>),
}

impl Deps {
    fn read(table: &Table, key: &str) -> Result<Self, PackageError> {
        match table.entries.get(key).map(|it| &it.value) {
            Some(TomlData::Table(_)) => Ok(Self::Uuids(table.uuids(key)?)),
            Some(_) | None => Ok(Self::Names(table.texts(key)?)),
        }
    }
}

/// Returns the file of a project's manifest: the workspace's, the one that it names, or the one beside it.
pub(crate) fn manifest_file(
    reader: &PackageReader<'_>,
    project: &Project,
    home: Option<&str>,
    version: (u32, u32, u32),
) -> Result<Option<String>, PackageError> {
    if let Some(base) = workspace_of(reader, project, home)? {
        return manifest_file(reader, &base, home, version);
    }
    if let Some(named) = &project.manifest {
        let file = join(project.folder(), named);
        if reader.files.is_file(&file) {
            return Ok(Some(file));
        }
    }
    let names = names(version);
    Ok(reader.first_file(project.folder(), &names.each_ref().map(|it| &**it)))
}

/// Returns the project in whose workspace a project is.
pub(crate) fn workspace_of(
    reader: &PackageReader<'_>,
    project: &Project,
    home: Option<&str>,
) -> Result<Option<Project>, PackageError> {
    let own = project.folder();
    let below_home = home.is_some_and(|it| own == it || own.starts_with(&format!("{it}/")));
    let mut at = own;
    loop {
        let parent = directory(at);
        if parent == at || parent.is_empty() || below_home && Some(at) == home {
            return Ok(None);
        }
        at = parent;
        let Some(file) = project_file(reader, at) else { continue };
        let Some(base) = read_project(reader, &file)? else { continue };
        if base.workspace.iter().any(|it| it == own) {
            return Ok(Some(base));
        }
    }
}

/// Reads the manifest of a project. Packages that it lacks and that `[sources]` has paths of are added, and theirs: an extension of
/// kiln's, which resolves no versions.
pub(crate) fn read_manifest(
    reader: &PackageReader<'_>,
    project: &Project,
    home: Option<&str>,
    version: (u32, u32, u32),
) -> Result<Option<Manifest>, PackageError> {
    let sources = of_sources(reader, project)?;
    let Some(file) = manifest_file(reader, project, home, version)? else { return Ok(sources) };
    let Some(table) = reader.table(&file)? else { return Ok(sources) };
    let mut manifest = of_table(&file, &table)?;
    let lacking = sources.into_iter().flat_map(|it| it.entries);
    let lacking: Vec<Entry> = lacking.filter(|it| manifest.entry(&it.id).is_none()).collect();
    manifest.entries.extend(lacking);
    Ok(Some(manifest))
}

fn of_table(file: &str, table: &Table) -> Result<Manifest, PackageError> {
    // The format of 1.0 has the packages at the top, of which one may be called `manifest_format`.
    let is_first =
        !matches!(table.entries.get("manifest_format").map(|it| &it.value), Some(TomlData::Text(_)));
    let none = Table::default();
    let packages = if is_first { table } else { table.table("deps")?.unwrap_or(&none) };
    let mut entries = Vec::new();
    for (name, value) in &packages.entries {
        if is_first && !matches!(value.value, TomlData::List(_)) {
            continue;
        }
        for entry in packages.tables(name)? {
            entries.push(entry_of(file, name, entry)?);
        }
    }
    let julia_version = if is_first { None } else { table.text("julia_version")?.map(str::to_owned) };
    Ok(Manifest { file: file.to_owned(), julia_version, entries })
}

fn entry_of(file: &str, name: &str, table: &Table) -> Result<Entry, PackageError> {
    let text = |key| Ok::<_, PackageError>(table.text(key)?.map(str::to_owned));
    Ok(Entry {
        id: PkgId { uuid: table.uuid("uuid")?, name: name.to_owned() },
        version: text("version")?,
        deps: Deps::read(table, "deps")?,
        weak_deps: Deps::read(table, "weakdeps")?,
        extensions: extensions(table)?,
        path: text("path")?.map(|it| join(directory(file), &it)),
        tree_hash: text("git-tree-sha1")?,
        entry_file: text("entryfile")?,
    })
}

/// A manifest of the packages that `[sources]` has paths of.
fn of_sources(reader: &PackageReader<'_>, project: &Project) -> Result<Option<Manifest>, PackageError> {
    let mut entries = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![project.clone()];
    while let Some(project) = open.pop() {
        for (name, folder) in &project.sources {
            if !seen.insert(folder.clone()) {
                continue;
            }
            let listed = project.deps.get(name).or_else(|| project.extras.get(name)).copied();
            let own = project_file(reader, folder).map_or(Ok(None), |it| read_project(reader, &it))?;
            let uuid = listed.or_else(|| own.as_ref().and_then(|it| it.uuid));
            let id = PkgId { uuid, name: name.clone() };
            let (deps, weak_deps, extensions, version, entry_file) = match &own {
                Some(it) => {
                    let it = it.clone();
                    (it.deps, it.weak_deps, it.extensions, it.version, it.entry_file)
                }
                None => Default::default(),
            };
            entries.push(Entry {
                id,
                version,
                deps: Deps::Uuids(deps),
                weak_deps: Deps::Uuids(weak_deps),
                extensions,
                path: Some(folder.clone()),
                tree_hash: None,
                entry_file,
            });
            open.extend(own);
        }
    }
    let made = Manifest { file: project.file.clone(), julia_version: None, entries };
    Ok((!made.entries.is_empty()).then_some(made))
}

impl Manifest {
    /// The UUID of a dependency; `None` if it is not listed, `Some(None)` if it is and the manifest lacks the package.
    pub(crate) fn dependency(&self, deps: &Deps, name: &str) -> Result<Option<Option<Uuid>>, PackageError> {
        match deps {
            Deps::Uuids(all) => Ok(all.get(name).map(|it| Some(*it))),
            Deps::Names(all) if !all.iter().any(|it| it == name) => Ok(None),
            Deps::Names(_) => {
                let mut found = self.entries.iter().filter(|it| it.id.name == name);
                let first = found.next();
                if found.next().is_some() {
                    return Err(PackageError::Ambiguous { file: self.file.clone(), name: name.to_owned() });
                }
                Ok(Some(first.and_then(|it| it.id.uuid)))
            }
        }
    }

    /// The package's entry.
    pub(crate) fn entry(&self, id: &PkgId) -> Option<&Entry> {
        self.entries.iter().find(|it| it.id == *id)
    }

    /// The package whose extension this is.
    pub(crate) fn parent(&self, extension: &PkgId) -> Option<&Entry> {
        self.entries.iter().find(|it| {
            it.extensions.contains_key(&extension.name)
                && *extension == PkgId::extension(&it.id, &extension.name)
        })
    }
}
