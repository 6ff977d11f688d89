//! From the identity of a package to its main file.

use crate::error::PackageError;
use crate::files::join;
use crate::load_path::Environment;
use crate::manifest::Entry;
use crate::project::Project;
use crate::search::Search;
use crate::{PkgId, slug};

/// The place of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedPackage {
    /// Its main file; `None` for a package of the library.
    pub file: Option<String>,
    /// The number of the environment that named it, of those of the search; `None` for a package of the library.
    pub environment: Option<usize>,
    /// Its version, if the environment has it.
    pub version: Option<String>,
}

impl Search<'_> {
    /// Returns the place of a package; `None` if no environment has it. Packages of the library come first, since kiln has its own
    /// implementations of their interfaces; those that stand in for a package come last.
    ///
    /// # Errors
    /// When a manifest names a version that no depot has, or a file cannot be understood.
    pub fn locate(&self, id: &PkgId) -> Result<Option<LocatedPackage>, PackageError> {
        let of_library = LocatedPackage { file: None, environment: None, version: None };
        if !self.is_of_library(id) {
            return self.locate_in_environments(id);
        }
        if !self.around.library.stand_ins.contains(&id.name) {
            return Ok(Some(of_library));
        }
        match self.locate_in_environments(id) {
            Ok(found) => Ok(Some(found.unwrap_or(of_library))),
            Err(PackageError::NotInstalled { .. }) => Ok(Some(of_library)),
            Err(other) => Err(other),
        }
    }

    fn locate_in_environments(&self, id: &PkgId) -> Result<Option<LocatedPackage>, PackageError> {
        for (number, environment) in self.environments.iter().enumerate() {
            let found = match environment {
                Environment::Project(file) => match self.project(file)? {
                    Some(project) => self.locate_in_project(&project, id)?,
                    None => None,
                },
                Environment::Folder(folder) => self.locate_in_folder(folder, id)?,
                Environment::Given => {
                    let given = self.given(&id.name)?.filter(|it| it.id(&self.reader, &id.name) == *id);
                    given.map(|it| (it.file, it.project.and_then(|it| it.version)))
                }
                Environment::Library | Environment::Tests(_) => None,
            };
            if let Some((file, version)) = found {
                return Ok(Some(LocatedPackage { file: Some(file), environment: Some(number), version }));
            }
        }
        Ok(None)
    }

    fn locate_in_project(
        &self,
        project: &Project,
        id: &PkgId,
    ) -> Result<Option<(String, Option<String>)>, PackageError> {
        let own = project.identity(&self.reader, &id.name);
        if own == *id {
            let file = self.entry_file(project.folder(), project.entry_file.as_deref(), &id.name);
            return Ok(self.reader.files.is_file(&file).then(|| (file, project.version.clone())));
        }
        if project.extensions.contains_key(&id.name) && *id == PkgId::extension(&own, &id.name) {
            return Ok(Some((self.extension_file(project.folder(), &id.name), project.version.clone())));
        }
        let Some(manifest) = self.manifest(project)? else { return Ok(None) };
        if let Some(entry) = manifest.entry(id) {
            let place = self.place(&manifest.file, entry)?;
            return Ok(place.map(|it| (self.main_file(&it, entry), entry.version.clone())));
        }
        if let Some(parent) = manifest.parent(id) {
            let place = self.place(&manifest.file, parent)?;
            return Ok(place.map(|it| (self.extension_file(&it, &id.name), parent.version.clone())));
        }
        Ok(None)
    }

    /// The folder of a manifest's package, or its file; `None` if the manifest leaves it to the library.
    fn place(&self, manifest: &str, entry: &Entry) -> Result<Option<String>, PackageError> {
        if let Some(path) = &entry.path {
            return Ok(Some(path.clone()));
        }
        let (Some(hash), Some(uuid)) = (&entry.tree_hash, entry.id.uuid) else { return Ok(None) };
        let mut folders = Vec::new();
        for length in [5, 4] {
            let Some(slug) = slug(uuid, hash, length) else { continue };
            for depot in self.depots {
                let folder =
                    join(&join(&self.around.working, depot), &format!("packages/{}/{slug}", entry.id.name));
                if self.reader.files.is_directory(&folder) {
                    return Ok(Some(folder));
                }
                folders.push(folder);
            }
        }
        let (package, file) = (Box::new(entry.id.clone()), manifest.to_owned());
        Err(PackageError::NotInstalled { package, file, folders })
    }

    fn main_file(&self, place: &str, entry: &Entry) -> String {
        if self.reader.files.is_file(place) {
            return place.to_owned();
        }
        self.entry_file(place, entry.entry_file.as_deref(), &entry.id.name)
    }

    /// The file that loads the package in a folder.
    fn entry_file(&self, folder: &str, named: Option<&str>, name: &str) -> String {
        match named.map(|it| join(folder, it)) {
            Some(file) if self.reader.files.is_directory(&file) => join(&file, &format!("src/{name}.jl")),
            Some(file) => file,
            None => join(folder, &format!("src/{name}.jl")),
        }
    }

    /// The file of an extension of the package in a folder.
    fn extension_file(&self, folder: &str, name: &str) -> String {
        let own = join(folder, &format!("ext/{name}/{name}.jl"));
        if self.reader.files.is_file(&own) { own } else { join(folder, &format!("ext/{name}.jl")) }
    }

    fn locate_in_folder(
        &self,
        folder: &str,
        id: &PkgId,
    ) -> Result<Option<(String, Option<String>)>, PackageError> {
        if let Some(found) = self.implicit(folder, &id.name)?
            && found.id(&self.reader, &id.name) == *id
        {
            return Ok(Some((found.file, found.project.and_then(|it| it.version))));
        }
        if id.uuid.is_none() {
            return Ok(None);
        }
        let extended = self.extended_in_folder(folder, id)?.and_then(|it| it.project);
        Ok(extended.map(|it| (self.extension_file(it.folder(), &id.name), it.version.clone())))
    }

    /// The remark about a manifest for another version of Julia, for the error of a package that is not found.
    pub fn version_remarks(&self) -> Vec<String> {
        let (major, minor, _) = self.around.version;
        let own = format!("{major}.{minor}");
        let mut remarks = Vec::new();
        for environment in &self.environments {
            let Environment::Project(file) = environment else { continue };
            let Ok(Some(project)) = self.project(file) else { continue };
            let Ok(Some(manifest)) = self.manifest(&project) else { continue };
            let Some(made_for) = &manifest.julia_version else { continue };
            if !made_for.starts_with(&format!("{own}.")) {
                remarks.push(format!(
                    "{} was resolved with Julia {made_for}; kiln follows {own}",
                    manifest.file
                ));
            }
        }
        remarks
    }
}
