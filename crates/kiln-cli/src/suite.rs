//! `kiln test`: the tests of a package, with the package and its dependencies.

use crate::failures;
use crate::project::{Project, main_file};
use crate::terminal::complain;
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
    /// Packages that are loaded from these files.
    files: Vec<(String, PathBuf)>,
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
            files: Vec::new(),
            needed: Vec::new(),
        };
        suite.add_projects();
        Ok(suite)
    }

    /// Adds the project of the package, which the nearest folder with a name in its project file is, and that of the tests.
    fn add_projects(&mut self) {
        let of_tests = Project::of(&self.folder);
        let folders = self.folder.ancestors().filter_map(|it| Some((it, Project::of(it)?)));
        let package = folders.into_iter().find(|it| it.1.name.is_some());
        if let Some((folder, Project { name: Some(name), deps, test_deps, paths })) = package {
            self.files.extend(main_file(folder, &name).map(|it| (name.clone(), it)));
            self.needed.extend(deps.into_iter().chain(test_deps).chain([name.clone()]));
            self.add_paths(paths);
            self.name = name;
        }
        if let Some(Project { deps, paths, .. }) = of_tests {
            self.needed.extend(deps);
            self.add_paths(paths);
        }
        self.needed.sort();
        self.needed.dedup();
    }

    fn add_paths(&mut self, paths: Vec<(String, PathBuf)>) {
        let files = paths.into_iter().filter_map(|(name, folder)| Some((main_file(&folder, &name)?, name)));
        self.files.extend(files.map(|(file, name)| (name, file)));
    }

    /// Makes the folder of the tests the current one; returns the options of their session.
    ///
    /// # Errors
    /// When the folder cannot be entered.
    pub(crate) fn enter(&self, options: SessionOptions) -> Result<SessionOptions, Error> {
        let entered = std::env::set_current_dir(&self.folder);
        entered
            .map_err(|it| Error::usage(format!("error: cannot enter `{}`: {it}", self.folder.display())))?;
        let options = options.program(self.file.display().to_string());
        Ok(self.files.iter().fold(options, |options, (name, file)| options.package(name, file)))
    }

    /// Runs the tests, after a warning of packages that cannot be loaded; with `json` they are told of in JSON alone.
    ///
    /// # Errors
    /// When a test fails, or the file throws.
    pub(crate) fn run(&self, session: &Session, json: bool) -> Result<(), Error> {
        let mut lacking = Vec::new();
        for name in &self.needed {
            let found = session.eval(&format!("Base.identify_package({name:?}) !== nothing"))?;
            if found.as_bool() != Some(true) {
                lacking.push(&**name);
            }
        }
        if !lacking.is_empty() {
            let (all, first) = (lacking.join(", "), lacking[0]);
            let message = format!(
                "not available: {all}; checkouts ({first}.jl) are looked for in the folder that KILN_CORPUS names"
            );
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
