//! A look-up in the environments of a load path.

use crate::error::PackageError;
use crate::files::PackageReader;
use crate::files::join;
use crate::load_path::{Environment, LoadPath, Surroundings};
use crate::manifest::{Manifest, manifest_file, read_manifest};
use crate::project::{Project, project_file, read_project};

/// The environments of a load path with what they are read by. Made for each look-up, since files may change between two.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    pub(crate) reader: PackageReader<'a>,
    pub(crate) around: &'a Surroundings,
    pub(crate) depots: &'a [String],
    /// The environments, in order.
    pub environments: Vec<Environment>,
}

/// The main file of a package in a folder of packages, and its project.
#[derive(Debug)]
pub(crate) struct Implicit {
    pub(crate) file: String,
    pub(crate) project: Option<Project>,
}

impl<'a> Search<'a> {
    /// Returns the environments of a load path.
    pub fn new(reader: PackageReader<'a>, path: &'a LoadPath, around: &'a Surroundings) -> Self {
        Self { reader, around, depots: &path.depots, environments: path.environments(&reader, around) }
    }

    /// Returns the file of the active project: see [`LoadPath::active_project`].
    pub fn active_project(&self, path: &LoadPath) -> Option<String> {
        path.active_project(&self.reader, self.around)
    }

    /// Returns the path of an entry of the load path: see [`LoadPath::path_of`].
    pub fn path_of(&self, path: &LoadPath, entry: &str) -> Option<String> {
        path.path_of(&self.reader, self.around, entry)
    }

    /// Returns the environments in words, for the error of a package that is not found.
    pub fn descriptions(&self) -> Vec<String> {
        let given = || self.around.given.keys().cloned().collect::<Vec<_>>().join(", ");
        let words = self.environments.iter().map(|it| match it {
            Environment::Project(file) => format!("the project {file}"),
            Environment::Folder(path) => format!("the folder {path}"),
            Environment::Tests(file) => format!("the test target of {file}"),
            Environment::Library => "the packages that kiln brings".to_owned(),
            Environment::Given => format!("the packages that were given ({})", given()),
        });
        words.collect()
    }

    /// Reads a project of the environments.
    pub(crate) fn project(&self, file: &str) -> Result<Option<Project>, PackageError> {
        read_project(&self.reader, file)
    }

    /// Reads the manifest of a project.
    pub(crate) fn manifest(&self, project: &Project) -> Result<Option<Manifest>, PackageError> {
        read_manifest(&self.reader, project, self.around.home.as_deref(), self.around.version)
    }

    /// Returns the manifest's file, for messages; the project's if there is none.
    pub(crate) fn manifest_name(&self, project: &Project) -> Result<String, PackageError> {
        let found = manifest_file(&self.reader, project, self.around.home.as_deref(), self.around.version)?;
        Ok(found.unwrap_or_else(|| project.file.clone()))
    }

    /// The package of this name in a folder of packages: `Name/src/Name.jl`, `Name.jl/src/Name.jl` or `Name.jl`.
    pub(crate) fn implicit(&self, folder: &str, name: &str) -> Result<Option<Implicit>, PackageError> {
        for own in [name.to_owned(), format!("{name}.jl")] {
            let own = join(folder, &own);
            let file = join(&own, &format!("src/{name}.jl"));
            if self.reader.files.is_file(&file) {
                let project = project_file(&self.reader, &own).map_or(Ok(None), |it| self.project(&it))?;
                return Ok(Some(Implicit { file, project }));
            }
        }
        let file = join(folder, &format!("{name}.jl"));
        Ok(self.reader.files.is_file(&file).then_some(Implicit { file, project: None }))
    }

    /// A package that was given with its file, and the project of the folder that has the file in `src`.
    pub(crate) fn given(&self, name: &str) -> Result<Option<Implicit>, PackageError> {
        let Some(file) = self.around.given.get(name) else { return Ok(None) };
        let folder = join(file, "../..");
        let project = project_file(&self.reader, &folder).map_or(Ok(None), |it| self.project(&it))?;
        Ok(Some(Implicit {
            file: file.clone(),
            project: project.filter(|it| it.name.as_deref() == Some(name)),
        }))
    }
}

impl Implicit {
    /// The package's identity.
    pub(crate) fn id(&self, reader: &PackageReader<'_>, name: &str) -> crate::PkgId {
        match &self.project {
            Some(project) => project.identity(reader, name),
            None => crate::PkgId::top_level(name),
        }
    }
}
