//! The extensions that a package declares.

use crate::PkgId;
use crate::error::PackageError;
use crate::load_path::Environment;
use crate::project::Project;
use crate::search::{Implicit, Search};

/// An extension of a package: it is loaded when the package and all triggers are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its identity.
    pub id: PkgId,
    /// The packages beside its parent that it needs.
    pub triggers: Vec<PkgId>,
}

impl Search<'_> {
    /// Returns the extensions of a package, as the first environment that knows it declares them. One whose trigger has no
    /// identity in that environment can never be loaded, and is left out.
    ///
    /// # Errors
    /// When a file cannot be understood.
    pub fn extensions(&self, id: &PkgId) -> Result<Vec<Extension>, PackageError> {
        if self.is_of_library(id) && self.locate(id)?.is_none_or(|it| it.file.is_none()) {
            return Ok(Vec::new()); // those of the package would extend its own internals
        }
        for environment in &self.environments {
            let found = match environment {
                Environment::Project(file) => match self.project(file)? {
                    Some(project) if project.identity(&self.reader, &id.name) == *id => {
                        Some(of_project(&project, id))
                    }
                    Some(project) => self.in_manifest(&project, id)?,
                    None => None,
                },
                Environment::Folder(folder) => self.of_implicit(self.implicit(folder, &id.name)?, id),
                Environment::Given => self.of_implicit(self.given(&id.name)?, id),
                Environment::Library | Environment::Tests(_) => None,
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// The extensions of a package that has been found without a manifest.
    fn of_implicit(&self, found: Option<Implicit>, id: &PkgId) -> Option<Vec<Extension>> {
        let project = found?.project?;
        (project.identity(&self.reader, &id.name) == *id).then(|| of_project(&project, id))
    }

    fn in_manifest(&self, project: &Project, id: &PkgId) -> Result<Option<Vec<Extension>>, PackageError> {
        let Some(manifest) = self.manifest(project)? else { return Ok(None) };
        let Some(entry) = manifest.entry(id) else { return Ok(None) };
        let mut all = Vec::new();
        for (name, triggers) in &entry.extensions {
            let mut found = Vec::new();
            for trigger in triggers {
                let uuid = match manifest.dependency(&entry.weak_deps, trigger)?.flatten() {
                    Some(uuid) => Some(uuid),
                    None => manifest.dependency(&entry.deps, trigger)?.flatten(),
                };
                let uuid = uuid.or_else(|| self.around.library.uuids.get(trigger).copied().flatten());
                found.extend(uuid.map(|it| PkgId { uuid: Some(it), name: trigger.clone() }));
            }
            if found.len() == triggers.len() {
                all.push(extension(id, name, found));
            }
        }
        Ok(Some(all))
    }
}

fn extension(parent: &PkgId, name: &str, triggers: Vec<PkgId>) -> Extension {
    Extension { id: PkgId::extension(parent, name), triggers }
}

fn of_project(project: &Project, id: &PkgId) -> Vec<Extension> {
    let uuid = |name: &String| project.weak_deps.get(name).or_else(|| project.deps.get(name)).copied();
    let each = project.extensions.iter().filter_map(|(name, triggers)| {
        let found = triggers.iter().map(|it| Some(PkgId { uuid: Some(uuid(it)?), name: it.clone() }));
        Some(extension(id, name, found.collect::<Option<_>>()?))
    });
    each.collect()
}
