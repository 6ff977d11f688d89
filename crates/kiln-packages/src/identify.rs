//! From a name in a module to the identity of a package.

use crate::PkgId;
use crate::error::PackageError;
use crate::load_path::Environment;
use crate::project::Project;
use crate::search::{Implicit, Search};

/// The answer of an environment that knows the package that names another.
enum Known {
    /// The other's identity.
    Package(PkgId),
    /// The package does not list it: later environments are not asked.
    Unlisted { file: String },
}

impl Search<'_> {
    /// Returns the package that `name` means in the code of the package `parent`, whose identity is that of its root module.
    ///
    /// # Errors
    /// When the environment that knows `parent` does not list `name` among its dependencies, or a file cannot be understood.
    pub fn identify(&self, parent: &PkgId, name: &str) -> Result<Option<PkgId>, PackageError> {
        if parent.name == name {
            return Ok(Some(parent.clone()));
        }
        if self.is_of_library(parent) && self.around.library.uuids.contains_key(name) {
            return Ok(self.library_id(name));
        }
        if parent.uuid.is_none() {
            return self.identify_top_level(name);
        }
        for environment in &self.environments {
            let known = match environment {
                Environment::Project(file) => match self.project(file)? {
                    Some(project) => self.in_project(&project, parent, name)?,
                    None => None,
                },
                Environment::Folder(folder) => self.in_folder(folder, parent, name)?,
                Environment::Given => {
                    let given = self.given(&parent.name)?;
                    given.and_then(|it| self.in_implicit(&it, parent, name))
                }
                Environment::Library | Environment::Tests(_) => None,
            };
            match known {
                Some(Known::Package(id)) => return Ok(Some(id)),
                Some(Known::Unlisted { file }) => {
                    let (parent, name) = (Box::new(parent.clone()), name.to_owned());
                    return Err(PackageError::NotADependency { parent, name, file });
                }
                None => {}
            }
        }
        Ok(None)
    }

    /// Returns the package that `name` means in code that belongs to no package.
    ///
    /// # Errors
    /// When a file cannot be understood.
    pub fn identify_top_level(&self, name: &str) -> Result<Option<PkgId>, PackageError> {
        for environment in &self.environments {
            let found = match environment {
                Environment::Project(file) => {
                    self.project(file)?.and_then(|it| self.dependency_of(&it, name))
                }
                Environment::Folder(folder) => {
                    self.implicit(folder, name)?.map(|it| it.id(&self.reader, name))
                }
                Environment::Given => self.given(name)?.map(|it| it.id(&self.reader, name)),
                Environment::Tests(file) => self.project(file)?.and_then(|it| {
                    let uuid = it.extras.get(name).filter(|_| it.test_target.iter().any(|it| it == name));
                    uuid.map(|it| PkgId { uuid: Some(*it), name: name.to_owned() })
                }),
                Environment::Library => self.library_id(name),
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The library's package of this name.
    fn library_id(&self, name: &str) -> Option<PkgId> {
        self.around.library.uuids.get(name).map(|it| PkgId { uuid: *it, name: name.to_owned() })
    }

    /// Whether the library has this package.
    pub fn is_of_library(&self, id: &PkgId) -> bool {
        self.around.library.uuids.get(&id.name).is_some_and(|it| id.uuid.is_none() || *it == id.uuid)
    }

    /// The package that `name` means in a project: itself, or one of `[deps]`.
    fn dependency_of(&self, project: &Project, name: &str) -> Option<PkgId> {
        if project.name.as_deref() == Some(name) {
            return Some(project.identity(&self.reader, name));
        }
        project.deps.get(name).map(|it| PkgId { uuid: Some(*it), name: name.to_owned() })
    }

    fn in_project(
        &self,
        project: &Project,
        parent: &PkgId,
        name: &str,
    ) -> Result<Option<Known>, PackageError> {
        if let Some(known) = self.as_project(project, parent, name) {
            return Ok(Some(known));
        }
        let Some(manifest) = self.manifest(project)? else { return Ok(None) };
        let (deps, extended) = match (manifest.entry(parent), manifest.parent(parent)) {
            (Some(entry), _) => (vec![&entry.deps], None),
            (None, Some(entry)) => (vec![&entry.weak_deps, &entry.deps], Some(&entry.id)),
            (None, None) => return Ok(None),
        };
        if let Some(id) = extended.filter(|it| it.name == name) {
            return Ok(Some(Known::Package(id.clone())));
        }
        for deps in deps {
            if let Some(uuid) = manifest.dependency(deps, name)? {
                let uuid = uuid.or_else(|| self.around.library.uuids.get(name).copied().flatten());
                return Ok(Some(Known::Package(PkgId { uuid, name: name.to_owned() })));
            }
        }
        Ok(Some(Known::Unlisted { file: self.manifest_name(project)? }))
    }

    /// The answer of a project that is the package, or that has it as an extension.
    fn as_project(&self, project: &Project, parent: &PkgId, name: &str) -> Option<Known> {
        let own = project.identity(&self.reader, &parent.name);
        let unlisted = || Known::Unlisted { file: project.file.clone() };
        if own == *parent {
            return Some(self.dependency_of(project, name).map_or_else(unlisted, Known::Package));
        }
        let triggers = project.extensions.get(&parent.name)?;
        if *parent != PkgId::extension(&own, &parent.name) {
            return None;
        }
        let weak = project.weak_deps.get(name).filter(|_| triggers.iter().any(|it| it == name));
        let weak = weak.map(|it| PkgId { uuid: Some(*it), name: name.to_owned() });
        Some(weak.or_else(|| self.dependency_of(project, name)).map_or_else(unlisted, Known::Package))
    }

    fn in_implicit(&self, found: &Implicit, parent: &PkgId, name: &str) -> Option<Known> {
        self.as_project(found.project.as_ref()?, parent, name)
    }

    fn in_folder(&self, folder: &str, parent: &PkgId, name: &str) -> Result<Option<Known>, PackageError> {
        if let Some(found) = self.implicit(folder, &parent.name)? {
            return Ok(self.in_implicit(&found, parent, name));
        }
        let extended = self.extended_in_folder(folder, parent)?;
        Ok(extended.and_then(|it| self.in_implicit(&it, parent, name)))
    }

    /// The package of a folder of packages whose extension this is.
    pub(crate) fn extended_in_folder(
        &self,
        folder: &str,
        extension: &PkgId,
    ) -> Result<Option<Implicit>, PackageError> {
        for name in self.reader.files.names(folder) {
            let name = name.strip_suffix(".jl").unwrap_or(&name).to_owned();
            let Some(found) = self.implicit(folder, &name)? else { continue };
            let Some(project) = &found.project else { continue };
            let own = project.identity(&self.reader, &name);
            if project.extensions.contains_key(&extension.name)
                && *extension == PkgId::extension(&own, &extension.name)
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
