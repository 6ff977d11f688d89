//! Packages and included files: the loaded ones, and their paths.

use crate::heap::Value;
use crate::runtime::Runtime;
use crate::services::{PackageSource, ParseRequest};
use crate::thrown::{Run, Thrown};
use kiln_bytes::{Read, Reader, Writer};
use kiln_types::freeze::TableSizes;
use kiln_types::{Module, Symbol};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

/// The system's error number for "no such file or directory".
const ENOENT: i64 = 2;

/// The packages that a session has loaded.
#[derive(Debug, Default)]
pub struct EvalState {
    packages: Mutex<FxHashMap<Symbol, Module>>,
    paths: Mutex<FxHashMap<Module, String>>,
    /// Files being evaluated, the innermost last.
    files: Mutex<Vec<(usize, String)>>,
    /// The module that package files are evaluated in.
    holder: Mutex<Option<Module>>,
    /// Modules whose `__init__` runs at the end of the outermost module.
    pub(super) pending_init: Mutex<Vec<Module>>,
    pub(super) open_modules: AtomicU64,
    /// The exceptions of top-level statements after which evaluation went on, if that is wanted.
    pub(super) unfinished: OnceLock<Mutex<Vec<Thrown>>>,
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
        let paths = self.paths.lock();
        let mut modules: Vec<Module> = paths.keys().copied().collect();
        modules.sort_unstable();
        out.index(modules.len());
        for module in modules {
            out.index(module.index());
            out.str(&paths[&module]);
        }
        let holder = *self.holder.lock();
        out.bool(holder.is_some());
        holder.iter().for_each(|it| out.index(it.index()));
    }

    /// Restores the list of loaded files from an image.
    pub(crate) fn thaw(&self, input: &mut Reader<'_>, counts: &TableSizes) -> Read<()> {
        let packages = input.list(|it| Ok((counts.symbol(it)?, counts.module(it)?)))?;
        self.packages.lock().extend(packages);
        let paths = input.list(|it| Ok((counts.module(it)?, it.string()?)))?;
        self.paths.lock().extend(paths);
        if input.bool()? {
            *self.holder.lock() = Some(counts.module(input)?);
        }
        Ok(())
    }

    /// The exceptions after which evaluation went on.
    pub(crate) fn unfinished_values(&self) -> Vec<Value> {
        self.unfinished.get().map_or_else(Vec::new, |it| it.lock().iter().map(|it| it.exception).collect())
    }
}

impl Runtime {
    /// Makes a module known as a package: `using Name` finds it.
    pub fn add_package(&self, module: Module) {
        self.eval.packages.lock().insert(self.types.module_name(module), module);
    }

    /// The root module of this name: `Core`, `Base`, `Main`, or a package, loaded if need be.
    pub fn root_module(&self, name: Symbol) -> Run<Module> {
        let types = &self.types;
        let text = types.name(name);
        let known = match text {
            "Core" => Some(types.core_module()),
            "Base" => Some(types.base_module()),
            "Main" => Some(types.main_module()),
            _ => self.eval.packages.lock().get(&name).copied(),
        };
        if let Some(module) = known {
            return Ok(module);
        }
        match self.io.find_package(text) {
            Some(source) => self.load_package(name, source),
            None => Err(self.argument_error(&format!("Package {text} not found in current path."))),
        }
    }

    fn load_package(&self, name: Symbol, source: PackageSource) -> Run<Module> {
        let holder = *self.eval.holder.lock().get_or_insert_with(|| {
            let holder = self.types.new_module(self.types.symbol("__toplevel__"), None);
            self.tables.add_using(holder, self.types.core_module());
            self.tables.add_using(holder, self.types.base_module());
            holder
        });
        self.within_file(&source.path, || self.eval_text(holder, &source.path, &source.text))?;
        let found = self.global(holder, name).and_then(|it| it.as_module(self.types.core()));
        let Some(module) = found else {
            let text = self.types.name(name);
            return Err(self.error(&format!("package `{text}` did not define the expected module `{text}`")));
        };
        self.eval.paths.lock().insert(module, source.path);
        self.add_package(module);
        Ok(module)
    }

    /// Whether package files are evaluated in this module.
    pub(super) fn is_package_holder(&self, module: Module) -> bool {
        *self.eval.holder.lock() == Some(module)
    }

    /// `pathof(module)`: its checkout's file if there is one here, which the snapshot's maker did not know.
    pub fn pathof(&self, module: Module) -> Option<String> {
        let path = self.eval.paths.lock().get(&module).cloned()?;
        Some(self.io.checkout(self.types.name(self.types.module_name(module))).unwrap_or(path))
    }

    /// The file that the running task evaluates.
    pub fn current_file(&self) -> Option<String> {
        let task = crate::tasks::running();
        self.eval.files.lock().iter().rev().find(|it| it.0 == task).map(|it| it.1.clone())
    }

    /// Runs `work` as the evaluation of the file `path`.
    pub fn within_file<T>(&self, path: &str, work: impl FnOnce() -> T) -> T {
        let task = crate::tasks::running();
        self.eval.files.lock().push((task, path.to_owned()));
        let result = work();
        let mut files = self.eval.files.lock();
        if let Some(last) = files.iter().rposition(|it| it.0 == task) {
            files.remove(last);
        }
        result
    }

    /// `include(module, path)`: relative to the file being evaluated.
    pub fn include(&self, module: Module, path: &str) -> Run {
        let resolved = self.relative_path(path);
        let bytes = match self.io.read_file(&resolved) {
            Ok(bytes) => bytes,
            Err(_) => {
                let message = format!("opening file {resolved:?}");
                return Err(self.system_error(&message));
            }
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.within_file(&resolved, || self.eval_text(module, &resolved, &text))
    }

    /// `path`, taken relative to the directory of the file being evaluated.
    pub fn relative_path(&self, path: &str) -> String {
        let path = path.strip_prefix("./").unwrap_or(path);
        if path.starts_with('/') {
            return path.to_owned();
        }
        let directory = match self.current_file() {
            Some(file) => file.rsplit_once('/').map_or(String::new(), |it| it.0.to_owned()),
            None => self.io.cwd(),
        };
        if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") }
    }

    /// `SystemError(message)`, or an `ErrorException` before `Base` defines it.
    fn system_error(&self, message: &str) -> Box<crate::thrown::Thrown> {
        let constructor = self.base_global("SystemError");
        let made =
            constructor.map(|it| self.call_latest(it, &[self.heap.string(message), self.heap.int(ENOENT)]));
        match made {
            Some(Ok(exception)) => crate::thrown::Thrown::new(exception),
            Some(Err(_)) | None => self.error(message),
        }
    }

    /// Parses a part of a text. Returns the expression (`nothing` if there is none), the position of the next one,
    /// the message of a syntax error, and the missing part of an incomplete text (`nothing` if it is complete).
    pub fn parse_text(&self, request: ParseRequest<'_>) -> Value {
        let mut ast = kiln_ir::Ast::new();
        let parsed = crate::interp::with_room(|| self.frontend.parse_text(self, request, &mut ast));
        let heap = &self.heap;
        heap.tuple(&[
            parsed.expr.map_or_else(|| heap.nothing(), |it| self.expr_value(&ast, it)),
            heap.int(parsed.next as i64 + 1),
            parsed.error.map_or_else(|| heap.nothing(), |it| heap.string(&it)),
            parsed.incomplete.map_or_else(|| heap.nothing(), |it| heap.symbol(it)),
        ])
    }
}
