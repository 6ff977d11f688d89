//! Packages and included files: the loaded ones, and their paths.

use super::{environments, quote, toplevel};
use crate::heap::{Value, text, tuples};
use crate::runtime::Runtime;
use crate::services::{PackageSource, ParseRequest};
use crate::throw;
use crate::thrown::{Run, Thrown};
use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_packages::{ParsedFiles, PkgId, Uuid};
use kiln_types::freeze::TableSizes;
use kiln_types::{Module, Symbol, Types, module};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The system's error number for "no such file or directory".
const ENOENT: i64 = 2;
/// No library has as many packages.
const USED_MAX: usize = 1 << 16;
/// The name of the module that package files are evaluated in.
const HOLDER: &str = "__toplevel__";

/// The packages that a session has loaded.
#[derive(Debug, Default)]
pub struct EvalState {
    /// The library's packages, modules that stand for packages, and the one that package files are evaluated in, by name.
    packages: Mutex<FxHashMap<Symbol, Module>>,
    /// What is known of each package.
    records: Mutex<FxHashMap<Module, PackageRecord>>,
    /// Packages whose files are being evaluated, the innermost last.
    loading: Mutex<Vec<LoadingPackage>>,
    /// Files being evaluated, the innermost last.
    files: Mutex<Vec<(usize, String)>>,
    /// Modules whose bodies are being evaluated, and those that wait for them.
    pub(super) modules: Mutex<Vec<ModuleInOrder>>,
    /// The modules whose `__init__` ran after the library was loaded, in order.
    pub(super) initialized: Mutex<Vec<Module>>,
    /// The exceptions of top-level statements after which evaluation went on, if that is wanted.
    pub(super) unfinished: OnceLock<Mutex<Vec<Thrown>>>,
    /// The parsed project files.
    pub(crate) parsed: ParsedFiles,
}

/// A module whose body is being evaluated, or has been while `__init__` waits for the modules around it: in the order in which they
/// ended.
#[derive(Debug)]
pub(super) struct ModuleInOrder {
    pub(super) module: Module,
    pub(super) has_ended: bool,
}

/// A package's facts beside its name.
#[derive(Debug, Default)]
struct PackageRecord {
    /// Its main file.
    path: Option<String>,
    /// The UUID of one that is no part of the library.
    uuid: Option<Uuid>,
    /// The packages that one of the library loads.
    uses: Vec<Module>,
    /// How many of the library the program had used when it came to use this one, with it; 0: it does not.
    used_at: usize,
    /// Base has entered it among the loaded ones.
    is_entered: bool,
}

/// A package whose file is being evaluated.
#[derive(Debug)]
struct LoadingPackage {
    uuid: Option<Uuid>,
    is_of_library: bool,
    /// Its name, and its main file.
    name: Symbol,
    path: String,
    /// The root modules that it has defined so far.
    roots: Vec<Module>,
}

impl EvalState {
    /// Writes the list of loaded files. No file may be in evaluation.
    pub(crate) fn freeze(&self, out: &mut Writer) {
        let packages = self.packages.lock();
        let mut modules: Vec<(Symbol, Module)> =
            packages.iter().map(|(&name, &module)| (name, module)).collect();
        modules.sort_unstable();
        out.index(modules.len());
        for (name, module) in modules {
            out.index(name.index());
            out.index(module.index());
        }
        let records = self.records.lock();
        let mut modules: Vec<Module> = records.keys().copied().collect();
        modules.sort_unstable();
        out.index(modules.len());
        for module in modules {
            let record = &records[&module];
            out.index(module.index());
            out.str(record.path.as_deref().unwrap_or_default());
            out.str(&record.uuid.map_or_else(String::new, |it| it.to_string()));
            out.list(&record.uses, |out, it| out.index(it.index()));
            out.index(record.used_at);
            out.bool(record.is_entered);
        }
        out.list(&self.initialized.lock(), |out, it| out.index(it.index()));
    }

    /// Restores the list of loaded files from an image.
    pub(crate) fn thaw(&self, input: &mut Reader<'_>, counts: &TableSizes) -> Read<()> {
        let packages = input.list(|it| Ok((counts.symbol(it)?, counts.module(it)?)))?;
        self.packages.lock().extend(packages);
        let records = input.list(|it| {
            let module = counts.module(it)?;
            let path = Some(it.string()?).filter(|it| !it.is_empty());
            let uuid = it.str()?;
            let uuid = match uuid {
                "" => None,
                text => Some(Uuid::parse(text).ok_or(Malformed("the UUID of a package"))?),
            };
            let uses = it.list(|it| counts.module(it))?;
            let used_at = it.index(USED_MAX)?;
            Ok((module, PackageRecord { path, uuid, uses, used_at, is_entered: it.bool()? }))
        })?;
        self.records.lock().extend(records);
        let initialized = input.list(|it| counts.module(it))?;
        self.initialized.lock().extend(initialized);
        Ok(())
    }

    /// The exceptions after which evaluation went on.
    pub(crate) fn unfinished_values(&self) -> Vec<Value> {
        self.unfinished.get().map_or_else(Vec::new, |it| it.lock().iter().map(|it| it.exception).collect())
    }

    /// Notes the root module that the file of a package defines.
    pub(super) fn add_root(&self, types: &Types, module: Module) {
        let mut loading = self.loading.lock();
        let Some(package) = loading.last_mut() else { return };
        package.roots.push(module);
        if package.is_of_library {
            self.packages.lock().insert(module::name(types, module), module);
        }
        let mut records = self.records.lock();
        let record = records.entry(module).or_default();
        record.uuid = package.uuid;
        // Its own code asks for it: `pathof` and its relatives answer while the package loads.
        if module::name(types, module) == package.name {
            record.path = Some(package.path.clone());
        }
    }

    /// The UUID of a package that is no part of the library; `None` if it has none.
    pub(crate) fn uuid(&self, root: Module) -> Option<Uuid> {
        self.records.lock().get(&root).and_then(|it| it.uuid)
    }

    /// Whether the library has this module as a package.
    pub(crate) fn is_of_library(&self, types: &Types, root: Module) -> bool {
        let name = module::name(types, root);
        self.packages.lock().get(&name) == Some(&root) && types.name(name) != HOLDER
    }

    /// Notes that the program uses a package of the library, and with it those that this one loads.
    pub(crate) fn note_used(&self, package: Module) {
        let all = self.with_dependencies(package);
        let mut records = self.records.lock();
        let mut used = records.values().map(|it| it.used_at).max().unwrap_or_default();
        for it in all {
            let record = records.entry(it).or_default();
            if record.used_at == 0 {
                used += 1;
                record.used_at = used;
            }
        }
    }

    /// The packages of the library that came to be used since the last call, dependencies first.
    pub(crate) fn take_used(&self) -> Vec<Module> {
        let mut records = self.records.lock();
        let new = records.iter_mut().filter(|(_, it)| it.used_at > 0 && !it.is_entered);
        let mut new: Vec<(usize, Module)> = new
            .map(|(module, it)| {
                it.is_entered = true;
                (it.used_at, *module)
            })
            .collect();
        new.sort_unstable();
        new.into_iter().map(|it| it.1).collect()
    }

    /// The packages that a package of the library loads, before those that load them, and itself at the end.
    pub(crate) fn with_dependencies(&self, package: Module) -> Vec<Module> {
        let records = self.records.lock();
        let mut done = Vec::new();
        let mut seen = vec![package];
        let mut open = vec![(package, 0)];
        while let Some((module, next)) = open.pop() {
            match records.get(&module).and_then(|it| it.uses.get(next)) {
                Some(&used) => {
                    open.push((module, next + 1));
                    if !seen.contains(&used) {
                        seen.push(used);
                        open.push((used, 0));
                    }
                }
                None => done.push(module),
            }
        }
        done
    }
}

/// Loads a package of the library, unless it is there; `None` if the library has none of this name.
pub fn library_package(rt: &Runtime, name: Symbol) -> Run<Option<Module>> {
    if let Some(&known) = rt.eval.packages.lock().get(&name) {
        return Ok(Some(known));
    }
    let Some(source) = rt.io.find_package(rt.types.name(name)) else { return Ok(None) };
    let loaded = load_package(rt, (name, None), &source, true);
    if loaded.is_err() {
        rt.eval.packages.lock().remove(&name);
    }
    loaded.map(Some)
}

/// Evaluates the file of a package that is no part of the library; returns its module. Nothing remains of one that throws.
pub(crate) fn package_of_file(
    rt: &Runtime,
    name: &str,
    uuid: Option<Uuid>,
    source: &PackageSource,
) -> Run<Module> {
    load_package(rt, (rt.types.symbol(name), uuid), source, false)
}

fn load_package(
    rt: &Runtime,
    (name, uuid): (Symbol, Option<Uuid>),
    source: &PackageSource,
    is_of_library: bool,
) -> Run<Module> {
    let holder = *rt.eval.packages.lock().entry(rt.types.symbol(HOLDER)).or_insert_with(|| {
        let holder = module::new(&rt.types, rt.types.symbol(HOLDER), None);
        rt.tables.add_using(holder, Module::CORE);
        rt.tables.add_using(holder, Module::BASE);
        holder
    });
    let package = LoadingPackage { uuid, is_of_library, name, path: source.path.clone(), roots: Vec::new() };
    rt.eval.loading.lock().push(package);
    let evaluated =
        within_file(rt, &source.path, || toplevel::eval_text(rt, holder, &source.path, &source.text));
    let roots = rt.eval.loading.lock().pop().map_or_else(Vec::new, |it| it.roots);
    evaluated?;
    let Some(&module) = roots.iter().rev().find(|it| module::name(&rt.types, **it) == name) else {
        let text = rt.types.name(name);
        return Err(rt.error(&format!(
            "package `{text}` did not define the expected module `{text}`, check for typos in package module name"
        )));
    };
    Ok(module)
}

/// The module that is in no other, and that this one is in.
pub(crate) fn root_of(types: &Types, mut module: Module) -> Module {
    loop {
        let parent = module::parent(types, module);
        if parent == module {
            return module;
        }
        module = parent;
    }
}

/// Whether a package that is no part of the library has been loaded.
pub fn has_foreign(rt: &Runtime) -> bool {
    let records = rt.eval.records.lock();
    let files: Vec<Module> = records.iter().filter(|it| it.1.path.is_some()).map(|it| *it.0).collect();
    drop(records);
    files.into_iter().any(|it| !rt.eval.is_of_library(&rt.types, it))
}

/// Makes a module known as a package: `using Name` finds it.
pub fn add_package(rt: &Runtime, module: Module) {
    rt.eval.packages.lock().insert(module::name(&rt.types, module), module);
}

/// The root module that `name` means in a module: `Core`, `Base`, `Main`, the module's own root, or a package, which is loaded
/// if need be. Code of the library sees the library; for any other, what `Base.require` answers.
pub fn root_module(rt: &Runtime, module: Module, name: Symbol) -> Run<Module> {
    let types = &rt.types;
    let text = types.name(name);
    let root = root_of(types, module);
    match text {
        "Core" => return Ok(Module::CORE),
        "Base" => return Ok(Module::BASE),
        "Main" => return Ok(Module::MAIN),
        _ if module::name(types, root) == name => return Ok(root),
        _ => {}
    }
    let require = rt.base_global("require");
    let is_of_library = rt.eval.is_of_library(types, root);
    if (is_of_library || require.is_none())
        && let Some(found) = library_package(rt, name)?
    {
        if is_of_library {
            rt.eval.records.lock().entry(root).or_default().uses.push(found);
        }
        return Ok(found);
    }
    if !is_of_library && let Some(found) = plain_library_package(rt, root, text)? {
        return Ok(found);
    }
    let missing = || throw::argument_error(rt, &format!("Package {text} not found in current path."));
    let args = [Value::module(types.core(), module), Value::symbol(types.core(), name)];
    let found = rt.call_latest(require.ok_or_else(missing)?, &args)?;
    found.as_module(types.core()).ok_or_else(missing)
}

/// The package of the library that `name` means in code of `root`, loaded, if `Base.require` would do no more than find it: most
/// programs use no other package, and start without running Julia code for it.
fn plain_library_package(rt: &Runtime, root: Module, name: &str) -> Run<Option<Module>> {
    if environments::is_loading_watched(rt) {
        return Ok(None);
    }
    let parent =
        PkgId { uuid: rt.eval.uuid(root), name: rt.types.name(module::name(&rt.types, root)).to_owned() };
    let Some(id) = environments::in_library(rt, &parent, name)? else { return Ok(None) };
    let found = library_package(rt, rt.types.symbol(&id.name))?;
    found.iter().for_each(|it| rt.eval.note_used(*it));
    Ok(found)
}

/// Whether package files are evaluated in this module.
pub(super) fn is_package_holder(rt: &Runtime, module: Module) -> bool {
    module::name(&rt.types, module) == rt.types.symbol(HOLDER)
        && rt.eval.packages.lock().get(&rt.types.symbol(HOLDER)) == Some(&module)
}

/// `pathof(module)`: its checkout's file if there is one here, which the snapshot's maker did not know.
pub fn pathof(rt: &Runtime, module: Module) -> Option<String> {
    let path = rt.eval.records.lock().get(&module)?.path.clone()?;
    let name = rt.types.name(module::name(&rt.types, module));
    let checkout = rt.eval.is_of_library(&rt.types, module).then(|| rt.io.checkout(name)).flatten();
    Some(checkout.unwrap_or(path))
}

/// The file that the running task evaluates.
pub fn current_file(rt: &Runtime) -> Option<String> {
    let task = crate::tasks::running();
    rt.eval.files.lock().iter().rev().find(|it| it.0 == task).map(|it| it.1.clone())
}

/// Runs `work` as the evaluation of the file `path`.
pub fn within_file<T>(rt: &Runtime, path: &str, work: impl FnOnce() -> T) -> T {
    let task = crate::tasks::running();
    rt.eval.files.lock().push((task, path.to_owned()));
    let result = work();
    let mut files = rt.eval.files.lock();
    if let Some(last) = files.iter().rposition(|it| it.0 == task) {
        files.remove(last);
    }
    result
}

/// `include(module, path)`: relative to the file being evaluated. `change`, if there is one, is called with each expression, and its
/// result is evaluated.
pub fn include(rt: &Runtime, module: Module, path: &str, change: Option<Value>) -> Run {
    let resolved = relative_path(rt, path);
    let bytes = match rt.io.read_file(&resolved) {
        Ok(bytes) => bytes,
        Err(_) => {
            let message = format!("opening file {resolved:?}");
            return Err(system_error(rt, &message));
        }
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    within_file(rt, &resolved, || match change {
        Some(change) => toplevel::eval_changed_text(rt, module, &resolved, &text, change),
        None => toplevel::eval_text(rt, module, &resolved, &text),
    })
}

/// `path`, taken relative to the directory of the file being evaluated.
pub fn relative_path(rt: &Runtime, path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.starts_with('/') {
        return path.to_owned();
    }
    let directory = match current_file(rt) {
        Some(file) => file.rsplit_once('/').map_or(String::new(), |it| it.0.to_owned()),
        None => rt.io.cwd(),
    };
    if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") }
}

/// `SystemError(message)`, or an `ErrorException` before `Base` defines it.
fn system_error(rt: &Runtime, message: &str) -> Box<crate::thrown::Thrown> {
    let constructor = rt.base_global("SystemError");
    let made =
        constructor.map(|it| rt.call_latest(it, &[text::string(&rt.heap, message), rt.heap.int(ENOENT)]));
    match made {
        Some(Ok(exception)) => crate::thrown::Thrown::new(exception),
        Some(Err(_)) | None => rt.error(message),
    }
}

/// Parses a part of a text. Returns the expression (`nothing` if there is none), the position of the next one,
/// the message of a syntax error, and the missing part of an incomplete text (`nothing` if it is complete).
pub fn parse_text(rt: &Runtime, request: ParseRequest<'_>) -> Value {
    let mut ast = kiln_ir::Ast::new();
    let parsed = crate::interp::with_room(|| rt.frontend.parse_text(rt, request, &mut ast));
    let heap = &rt.heap;
    tuples::new(
        heap,
        &[
            parsed.expr.map_or_else(|| heap.nothing(), |it| quote::expr_value(rt, &ast, it)),
            heap.int(parsed.next as i64 + 1),
            parsed.error.map_or_else(|| heap.nothing(), |it| text::string(heap, &it)),
            parsed.incomplete.map_or_else(|| heap.nothing(), |it| heap.symbol(it)),
        ],
    )
}
