//! Preferences: values that projects set for packages, merged over the load path.

use crate::Uuid;
use crate::error::PackageError;
use crate::load_path::Environment;
use crate::manifest::workspace_of;
use crate::project::{PREFERENCE_FILES, Project};
use crate::search::Search;
use crate::toml_file::{Table, TomlData};

/// The key that lists the keys of earlier tables to drop.
const CLEAR: &str = "__clear__";

impl Search<'_> {
    /// Returns the preferences of a package: environments from the last to the first, so that earlier ones override later ones.
    ///
    /// # Errors
    /// When a file cannot be understood.
    pub fn preferences(&self, uuid: Uuid) -> Result<Table, PackageError> {
        let mut merged = Table::default();
        let projects = self.environments.iter().filter_map(|it| match it {
            Environment::Project(file) => Some(file),
            Environment::Folder(_) | Environment::Tests(_) | Environment::Library | Environment::Given => {
                None
            }
        });
        let projects: Vec<&String> = projects.collect();
        for (number, file) in projects.iter().enumerate().rev() {
            let Some(project) = self.project(file)? else { continue };
            if number == 0 {
                // The projects of its workspace, the root first.
                let mut bases = Vec::new();
                let mut at = project.clone();
                while let Some(base) = workspace_of(&self.reader, &at, self.around.home.as_deref())? {
                    bases.push(base.clone());
                    at = base;
                }
                for base in bases.iter().rev() {
                    self.merge_project(&mut merged, base, uuid)?;
                }
            }
            self.merge_project(&mut merged, &project, uuid)?;
        }
        Ok(merged)
    }

    fn merge_project(&self, merged: &mut Table, project: &Project, uuid: Uuid) -> Result<(), PackageError> {
        let Some(name) = name_of(project, uuid) else { return Ok(()) };
        if let Some(own) = project.table.table("preferences")?.map_or(Ok(None), |it| it.table(&name))? {
            merge(merged, own)?;
        }
        if let Some(file) = self.reader.first_file(project.folder(), &PREFERENCE_FILES)
            && let Some(local) = self.reader.table(&file)?
            && let Some(own) = local.table(&name)?
        {
            merge(merged, own)?;
        }
        Ok(())
    }
}

/// The name that a project has for a package.
fn name_of(project: &Project, uuid: Uuid) -> Option<String> {
    if project.uuid == Some(uuid) {
        return project.name.clone();
    }
    let tables = [&project.deps, &project.extras, &project.weak_deps];
    tables.iter().find_map(|it| it.iter().find(|it| *it.1 == uuid)).map(|it| it.0.clone())
}

/// Overrides values of a table by those of another, tables within tables recursively.
fn merge(into: &mut Table, from: &Table) -> Result<(), PackageError> {
    for key in from.texts(CLEAR)? {
        into.entries.remove(&key);
    }
    for (key, value) in from.entries.iter().filter(|it| it.0 != CLEAR) {
        if let (Some(TomlData::Table(inner)), TomlData::Table(added)) =
            (into.entries.get_mut(key).map(|it| &mut it.value), &value.value)
        {
            merge(inner, added)?;
            continue;
        }
        let mut value = value.clone();
        if let TomlData::Table(added) = &value.value {
            let mut own = Table::default();
            merge(&mut own, added)?;
            value.value = TomlData::Table(own);
        }
        into.entries.insert(key.clone(), value);
    }
    Ok(())
}
