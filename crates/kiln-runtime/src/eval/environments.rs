//! Julia's environments as a program sees them: the load path of `Base`, and the files of the session.

use crate::heap::{Value, arrays, fields, text};
use crate::runtime::Runtime;
use crate::services::HostIo;
use crate::tables::MethodTableView;
use crate::throw;
use crate::thrown::Run;
use kiln_packages::{Environment, LoadPath, PackageError, PackageFiles, PackageReader, PkgId, Search};
use kiln_types::datatype;

/// The bits of a file's mode that tell its type.
const TYPE_BITS: u32 = 0o170_000;
const DIRECTORY: u32 = 0o040_000;
const FILE: u32 = 0o100_000;

/// The files of a session.
struct SessionFiles<'a>(&'a dyn HostIo);

impl SessionFiles<'_> {
    fn is(&self, path: &str, kind: u32) -> bool {
        self.0.file_status(path, true).is_ok_and(|it| it.mode & TYPE_BITS == kind)
    }
}

impl PackageFiles for SessionFiles<'_> {
    fn text(&self, path: &str) -> Option<String> {
        let bytes = self.0.read_file(path).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
    fn is_file(&self, path: &str) -> bool {
        self.is(path, FILE)
    }
    fn is_directory(&self, path: &str) -> bool {
        self.is(path, DIRECTORY)
    }
    fn names(&self, path: &str) -> Vec<String> {
        self.0.list_directory(path).unwrap_or_default()
    }
    fn real_path(&self, path: &str) -> String {
        self.0.real_path(path).unwrap_or_else(|_| path.to_owned())
    }
}

/// The texts of a vector.
fn texts(rt: &Runtime, vector: Option<Value>) -> Vec<String> {
    let vector = vector.filter(|it| arrays::is_array(&rt.heap, *it));
    vector
        .map_or_else(Vec::new, |it| arrays::values(&rt.heap, it))
        .into_iter()
        .filter_map(|it| text::read(&rt.heap, it))
        .collect()
}

/// `LOAD_PATH`, `DEPOT_PATH` and the active project.
fn load_path(rt: &Runtime) -> LoadPath {
    let project = rt.base_global("ACTIVE_PROJECT").and_then(|it| fields::get(&rt.heap, it, 0));
    LoadPath {
        entries: texts(rt, rt.base_global("LOAD_PATH")),
        depots: texts(rt, rt.base_global("DEPOT_PATH")),
        project: project.and_then(|it| text::read(&rt.heap, it)),
        tested: rt.base_global("TESTED_PROJECT").and_then(|it| text::read(&rt.heap, it)),
    }
}

/// Looks up something in the environments of the load path.
///
/// # Errors
/// What the look-up fails with, as an `ArgumentError`.
pub(crate) fn search<T>(
    rt: &Runtime,
    work: impl FnOnce(&Search<'_>, &LoadPath) -> Result<T, PackageError>,
) -> Run<T> {
    let path = load_path(rt);
    let around = rt.io.surroundings();
    let files = SessionFiles(&*rt.io);
    let reader = PackageReader { files: &files, parsed: &rt.eval.parsed };
    let done = work(&Search::new(reader, &path, &around), &path);
    done.map_err(|it| throw::argument_error(rt, &it.to_string()))
}

/// The package of the library that `name` means in a package. `None` if it means another, or if a project is in the load path: its
/// manifest may name a version of the package, which stands in for the library's.
///
/// # Errors
/// As those of [`search`].
pub(super) fn in_library(rt: &Runtime, parent: &PkgId, name: &str) -> Run<Option<PkgId>> {
    search(rt, |search, _| {
        let is_project = |it: &Environment| matches!(it, Environment::Project(_) | Environment::Tests(_));
        if search.environments.iter().any(is_project) {
            return Ok(None);
        }
        let Some(id) = search.identify(parent, name)? else { return Ok(None) };
        Ok(search.locate(&id)?.filter(|it| it.file.is_none()).map(|_| id))
    })
}

/// Whether `Base.require` does anything beyond finding a package of the library: extensions wait for packages, functions are called
/// when one is loaded, or the program has methods of its own of what `using` calls.
pub(super) fn is_loading_watched(rt: &Runtime) -> bool {
    let types = &rt.types;
    let rest = datatype::vararg(types, types.core().any, None);
    let is_changed = |it: Value| {
        let calls = datatype::tuple(types, &[it.ty(), rest]);
        !rt.tables.methods.only_library(&MethodTableView::global(), calls)
    };
    let waits = |it: Value| arrays::len(&rt.heap, it) > 0;
    ["require", "identify_package"].iter().filter_map(|it| rt.base_global(it)).any(is_changed)
        || ["waiting_extensions", "package_callbacks"].iter().filter_map(|it| rt.base_global(it)).any(waits)
}
