//! `kiln test`: the tests of a package, with the package and its dependencies.

use crate::environment;
use crate::failures;
use crate::terminal::complain;
use kiln::packages::{
    DiskFiles, LoadPath, PackageError, PackageReader, ParsedFiles, Project, project_file, read_project,
};
use kiln::{Diagnostic, Error, Session, SessionOptions};
use std::path::{Path, PathBuf};

/// The name of the file that runs all tests.
const MAIN: &str = "runtests.jl";

/// The tests of a package, or a file of tests.
#[derive(Debug)]
pub(crate) struct Suite {
    /// The file to run, and the folder it runs in.
    file: PathBuf,
    folder: PathBuf,
    /// The name for messages.
    name: String,
    /// The environments of the tests.
    path: LoadPath,
    /// Packages that the project files name.
    needed: Vec<String>,
}

impl Suite {
    /// Returns the tests of a package's folder, or of a file.
    ///
    /// # Errors
    /// When there are none.
    pub(crate) fn open(place: &Path) -> Result<Self, Error> {
        let missing = |what: String| Error::usage(format!("error[missing-file]: {what}"));
        let found = place.canonicalize();
        let place = found.map_err(|it| missing(format!("cannot test `{}`: {it}", place.display())))?;
        let file = if place.is_file() {
            place
        } else {
            let candidates = [place.join("test").join(MAIN), place.join(MAIN)];
            let found = candidates.into_iter().find(|it| it.is_file());
            found.ok_or_else(|| {
                missing(format!("`{}` has no tests: there is no `test/{MAIN}` in it", place.display()))
            })?
        };
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        let mut suite = Self {
            name: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            file,
            folder,
            path: environment::load_path(),
            needed: Vec::new(),
        };
        suite.add_projects().map_err(|it| Error::program(format!("error[project-file]: {it}")))?;
        Ok(suite)
    }

    /// Adds the project of the package, which the nearest folder with a name in its project file is, and that of the tests, which is
    /// the active one.
    fn add_projects(&mut self) -> Result<(), PackageError> {
        let parsed = ParsedFiles::default();
        let reader = PackageReader { files: &DiskFiles, parsed: &parsed };
        let read = |folder: &Path| match project_file(&reader, &folder.to_string_lossy()) {
            Some(file) => read_project(&reader, &file),
            None => Ok(None),
        };
        if let Some(of_tests) = read(&self.folder)? {
            self.needed.extend(of_tests.deps.into_keys());
            self.path.project = Some(of_tests.file);
        }
        for folder in self.folder.ancestors() {
            let Some(Project { name: Some(name), deps, test_target, file, .. }) = read(folder)? else {
                continue;
            };
            self.needed.extend(deps.into_keys().chain(test_target).chain([name.clone()]));
            self.path.project.get_or_insert_with(|| file.clone());
            self.path.tested = Some(file);
            self.name = name;
            break;
        }
        self.needed.sort();
        self.needed.dedup();
        Ok(())
    }

    /// Makes the folder of the tests the current one; returns the options of their session.
    ///
    /// # Errors
    /// When the folder cannot be entered.
    pub(crate) fn enter(&self, options: SessionOptions) -> Result<SessionOptions, Error> {
        let entered = std::env::set_current_dir(&self.folder);
        entered
            .map_err(|it| Error::usage(format!("error: cannot enter `{}`: {it}", self.folder.display())))?;
        let options = options.keeps_packages_of(std::fs::read_to_string(&self.file).ok());
        Ok(options.program(self.file.display().to_string()).load_path(self.path.clone()))
    }

    /// Runs the tests, after a warning of packages that cannot be loaded; with `json` they are told of in JSON alone.
    ///
    /// # Errors
    /// When a test fails, or the file throws.
    pub(crate) fn run(&self, session: &Session, json: bool) -> Result<(), Error> {
        let mut lacking = Vec::new();
        for name in &self.needed {
            let found = session.eval(&format!("Base.is_available({name:?})"))?;
            if found.as_bool() != Some(true) {
                lacking.push(&**name);
            }
        }
        if !lacking.is_empty() {
            let (all, first) = (lacking.join(", "), lacking[0]);
            let message =
                format!("not available: {all}; `kiln pkg why {first}` says where packages are looked for");
            failures::warn(&[Diagnostic::warning("missing-package", message)], json);
        }
        let outcome = session.run_file(&self.file.display().to_string());
        let passed = outcome.is_ok() && matches!(session.exit_code(), None | Some(0));
        if !json {
            let found = kiln::CheckFinding::of_session(session).len();
            let outcome = match (passed, found) {
                (false, _) => "failed".to_owned(),
                (true, 0) => "passed".to_owned(),
                (true, _) => format!("passed, but the checks of kernels found mistakes: {found}"),
            };
            complain(&format!("kiln: tests of {} {outcome}", self.name));
        }
        outcome
    }
}
