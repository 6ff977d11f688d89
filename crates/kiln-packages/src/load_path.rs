//! The load path, depots, and the environments that they stand for.

use crate::Uuid;
use crate::files::{PackageReader, directory, join, last_part};
use crate::project::{PROJECT_FILES, project_file};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The version of Julia whose rules kiln follows.
pub const JULIA_VERSION: (u32, u32, u32) = (1, 12, 0);

/// The load path of programs that set none.
pub const DEFAULT_LOAD_PATH: [&str; 3] = ["@", "@v#.#", "@stdlib"];

/// The places in which packages are looked for, as a program sets them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadPath {
    /// `LOAD_PATH`.
    pub entries: Vec<String>,
    /// `DEPOT_PATH`.
    pub depots: Vec<String>,
    /// The active project, as given: a file, a folder, or a name with `@`.
    pub project: Option<String>,
    /// The project file of a package whose tests run: programs see the packages of its `test` target too.
    pub tested: Option<String>,
}

/// The packages that a session has without loading them from an environment.
#[derive(Clone, Debug, Default)]
pub struct LibraryPackages {
    /// Each with its UUID, where it is registered.
    pub uuids: BTreeMap<String, Option<Uuid>>,
    /// Those of them that stand in for a package, which counts where an environment has it.
    pub stand_ins: BTreeSet<String>,
}

/// The facts that look-ups depend on beside the load path.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The home directory.
    pub home: Option<String>,
    /// The working directory.
    pub working: String,
    /// The folder of the program.
    pub script: Option<String>,
    /// Julia's version.
    pub version: (u32, u32, u32),
    /// The packages of the library.
    pub library: Arc<LibraryPackages>,
    /// Packages that were given with their files: an environment behind the load path.
    pub given: BTreeMap<String, String>,
    /// Folders of packages: environments at the end.
    pub folders: Vec<String>,
}

/// An entry of the load path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Environment {
    /// A project file.
    Project(String),
    /// A folder of packages.
    Folder(String),
    /// The `test` target of a project file.
    Tests(String),
    /// The library's packages.
    Library,
    /// The packages that were given with their files.
    Given,
}

impl LoadPath {
    /// Returns the file of the active project. It need not exist.
    pub fn active_project(&self, reader: &PackageReader<'_>, around: &Surroundings) -> Option<String> {
        let given = self.project.as_deref().filter(|it| *it != "@")?;
        let path = self.path_of(reader, around, given)?;
        let is_file = reader.files.is_file(&path) || PROJECT_FILES.contains(&last_part(&path));
        Some(if is_file { path } else { join(&path, PROJECT_FILES[1]) })
    }

    /// Returns the path of an entry: a project file, a folder, or a place where one could be.
    pub fn path_of(&self, reader: &PackageReader<'_>, around: &Surroundings, entry: &str) -> Option<String> {
        let Some(name) = entry.strip_prefix('@') else {
            let path = join(&around.working, entry);
            return Some(project_file(reader, &path).unwrap_or(path));
        };
        match name {
            "" => self.active_project(reader, around),
            "." => nearest_project(reader, around, &around.working),
            "stdlib" | "temp" => None,
            _ if name == "script" || name.starts_with("script/") => {
                let from = join(around.script.as_ref()?, name["script".len()..].trim_start_matches('/'));
                nearest_project(reader, around, &from)
            }
            _ => {
                let (major, minor, patch) = around.version;
                let name = [major, minor, patch]
                    .iter()
                    .fold(name.to_owned(), |it, number| it.replacen('#', &number.to_string(), 1));
                let folders = self
                    .depots
                    .iter()
                    .map(|it| join(&join(&around.working, it), &format!("environments/{name}")));
                let folders: Vec<String> = folders.collect();
                let found = folders.iter().find_map(|it| project_file(reader, it));
                found.or_else(|| Some(join(folders.first()?, PROJECT_FILES[1])))
            }
        }
    }

    /// Returns the environments: those of the load path that exist, then given packages and folders.
    pub fn environments(&self, reader: &PackageReader<'_>, around: &Surroundings) -> Vec<Environment> {
        let mut all = Vec::new();
        let mut add = |it| {
            if !all.contains(&it) {
                all.push(it);
            }
        };
        let tested = self.tested.iter().filter(|it| reader.files.is_file(it));
        let mut tested =
            tested.flat_map(|it| [Environment::Project(it.clone()), Environment::Tests(it.clone())]);
        for entry in &self.entries {
            if entry != "@" {
                tested.by_ref().for_each(&mut add);
            }
            if entry == "@stdlib" {
                add(Environment::Library);
            } else if let Some(path) = self.path_of(reader, around, entry) {
                if PROJECT_FILES.contains(&last_part(&path)) {
                    if reader.files.is_file(&path) {
                        add(Environment::Project(path));
                    }
                } else if reader.files.is_directory(&path) {
                    add(Environment::Folder(path));
                }
            }
        }
        tested.for_each(&mut add);
        if !around.given.is_empty() {
            add(Environment::Given);
        }
        around.folders.iter().for_each(|it| add(Environment::Folder(join(&around.working, it))));
        all
    }
}

/// Returns the project file in this directory or the nearest one above, up to the home directory.
pub fn nearest_project(reader: &PackageReader<'_>, around: &Surroundings, from: &str) -> Option<String> {
    let mut at = from;
    loop {
        if let Some(found) = project_file(reader, at) {
            return Some(found);
        }
        let parent = directory(at);
        if parent == at || parent.is_empty() || Some(at) == around.home.as_deref() {
            return None;
        }
        at = parent;
    }
}

/// The path with the home directory for `~`.
fn with_home(path: &str, home: Option<&str>) -> String {
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => path.to_owned(),
    }
}

/// Returns the load path of a value of `JULIA_LOAD_PATH`; `None` is the default.
pub fn parse_load_path(
    value: Option<&str>,
    reader: &PackageReader<'_>,
    around: &Surroundings,
) -> Vec<String> {
    let default = || DEFAULT_LOAD_PATH.map(str::to_owned).to_vec();
    let Some(value) = value else { return default() };
    let mut all: Vec<String> = Vec::new();
    if value.is_empty() {
        return all;
    }
    for entry in value.split(':') {
        let added = match entry {
            "" => default(),
            "@." => nearest_project(reader, around, &around.working).into_iter().collect(),
            _ => vec![with_home(entry, around.home.as_deref())],
        };
        for it in added {
            if !all.contains(&it) {
                all.push(it);
            }
        }
    }
    all
}

/// Returns the depots of a value of `JULIA_DEPOT_PATH`; `None` is the default. kiln bundles no depot.
pub fn parse_depot_path(value: Option<&str>, home: Option<&str>) -> Vec<String> {
    let own = home.map(|it| format!("{it}/.julia"));
    let Some(value) = value else { return own.into_iter().collect() };
    let mut all = Vec::new();
    if value.is_empty() {
        return all;
    }
    if value.starts_with(':') {
        all.extend(own);
    }
    for entry in value.split(':').filter(|it| !it.is_empty()) {
        let entry = with_home(entry, home);
        if !all.contains(&entry) {
            all.push(entry);
        }
    }
    all
}

/// Returns the active project of a value of `--project` or `JULIA_PROJECT`: an absolute path, or a name with `@`.
pub fn parse_project(value: &str, reader: &PackageReader<'_>, around: &Surroundings) -> Option<String> {
    match value {
        "" | "@" => None,
        "@." => nearest_project(reader, around, &around.working),
        it if it.starts_with('@') => Some(it.to_owned()),
        it => Some(join(&around.working, &with_home(it, around.home.as_deref()))),
    }
}
