//! Loads files as far as possible: definitions are evaluated one by one, and failing ones are recorded and skipped.
//!
//! Other statements of a script (tests, benchmarks, a `main`) are skipped.

use super::search::Source;
use crate::Session;
use kiln_compile::described::describe;
use kiln_compile::dialects;
use kiln_ir::{Ast, Expr, ExprId, SourceLoc};
use kiln_runtime::eval::{modules, packages, toplevel};
use kiln_runtime::heap::{constants, text};
use kiln_runtime::{Run, Runtime, Value};
use kiln_types::{Module, consts};
use std::path::{Component, Path, PathBuf};

/// Macros that do something instead of defining something.
const DOING: [&str; 15] = [
    "@time",
    "@btime",
    "@benchmark",
    "@elapsed",
    "@show",
    "@info",
    "@warn",
    "@assert",
    "@sync",
    "@profile",
    "@printf",
    "@on_device",
    "@setup_workload",
    "@compile_workload",
    "@not_precompile",
];

/// The prefix of a captured static parameter.
const STATIC: &str = "where ";

/// Notes kept; more say nothing new.
const NOTES_MAX: usize = 50;

/// Where the kernel is.
pub(super) struct KernelLocation {
    pub(super) module: Module,
    pub(super) ast: Ast,
    /// From the top-level expression to the kernel's definition.
    pub(super) path: Vec<ExprId>,
}

/// Loads the files that a kernel needs.
pub(super) struct Loader<'a> {
    session: &'a Session,
    file: PathBuf,
    kernel: &'a str,
    line: u32,
    seen: Vec<PathBuf>,
    pub(super) found: Option<KernelLocation>,
    /// The failures: each statement's place and exception.
    pub(super) notes: Vec<String>,
    /// The failure of the kernel's own definition.
    pub(super) failure: Option<String>,
    /// Whether modules that files define are packages: `using` finds them under their names.
    pub(super) defines_packages: bool,
}

impl<'a> Loader<'a> {
    /// A loader that looks for `kernel` at `line` of `file`.
    pub(super) fn new(session: &'a Session, file: PathBuf, kernel: &'a str, line: u32) -> Self {
        Self {
            session,
            file,
            kernel,
            line,
            seen: Vec::new(),
            found: None,
            notes: Vec::new(),
            failure: None,
            defines_packages: false,
        }
    }

    /// Whether the file was loaded.
    pub(super) fn has_seen(&self, path: &Path) -> bool {
        self.seen.iter().any(|it| it == path)
    }

    /// Loads a file into `module`, once.
    pub(super) fn load(&mut self, module: Module, path: &Path) {
        if self.has_seen(path) {
            return;
        }
        self.seen.push(path.to_owned());
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => return self.note(format!("{}: {error}", path.display())),
        };
        let rt = &self.session.rt;
        let name = path.display().to_string();
        let parsed = rt.frontend.parse_file(rt, &name, &text);
        let mut ast = parsed.ast;
        packages::within_file(rt, &name, || {
            for expr in parsed.exprs {
                self.top_level(module, &mut ast, expr, path);
            }
        });
        if let Some(error) = parsed.error {
            self.note(error.message);
        }
    }

    fn top_level(&mut self, module: Module, ast: &mut Ast, expr: ExprId, path: &Path) {
        if self.found.is_none() && path == self.file {
            let source = Source { rt: &self.session.rt, ast };
            let chain = source.path_to(expr, self.kernel, self.line);
            if !chain.is_empty() && source.head(chain[0]) != "module" {
                self.found = Some(KernelLocation { module, ast: ast.clone(), path: chain });
            }
        }
        self.statement(module, ast, expr, path);
    }

    fn statement(&mut self, module: Module, ast: &mut Ast, expr: ExprId, path: &Path) {
        let source = Source { rt: &self.session.rt, ast };
        let args = source.args(expr).to_vec();
        match source.head(expr) {
            "module" => self.module(module, ast, &args, path),
            "toplevel" | "block" => args.iter().for_each(|it| self.top_level(module, ast, *it, path)),
            "using" | "import" => {
                for arg in args {
                    let head = if source_head(self.session, ast, expr) { "using" } else { "import" };
                    let head = self.session.rt.types.symbol(head);
                    let single = ast.node(head, vec![arg], ast.loc(expr));
                    self.evaluate(module, ast, single);
                }
            }
            "call" => {
                if let Some(included) = self.included(ast, expr, path) {
                    self.load(module, &included);
                }
            }
            "" => {}
            _ if is_definition(&source, expr) => self.evaluate(module, ast, expr),
            _ => {}
        }
    }

    fn module(&mut self, parent: Module, ast: &mut Ast, args: &[ExprId], path: &Path) {
        let rt = &self.session.rt;
        let [flag, name, body] = args else { return };
        let Expr::Symbol(name) = *ast.expr(*name) else { return };
        let standard = *ast.expr(*flag) != Expr::Const(consts::bool(&rt.types, false));
        match modules::new_module(rt, parent, name, standard, SourceLoc::NONE) {
            Ok(module) => {
                if std::mem::take(&mut self.defines_packages) {
                    packages::add_package(rt, module);
                }
                let statements = ast.as_node(*body).map_or_else(Vec::new, |it| it.1.to_vec());
                statements.into_iter().for_each(|it| self.top_level(module, ast, it, path));
            }
            Err(thrown) => self.note(describe(&self.session.rt, thrown.exception)),
        }
    }

    /// The file that `include("...")` names.
    fn included(&self, ast: &Ast, expr: ExprId, path: &Path) -> Option<PathBuf> {
        let rt = &self.session.rt;
        let source = Source { rt, ast };
        let args = source.args(expr);
        if source.name(*args.first()?) != Some("include") {
            return None;
        }
        let Expr::Const(constant) = ast.expr(*args.get(1)?) else { return None };
        let name = text::read(&rt.heap, constants::value_of(&rt.heap, *constant))?;
        Some(normal(&path.parent()?.join(name)))
    }

    /// Evaluates one definition; without its docstring, if that fails.
    fn evaluate(&mut self, module: Module, ast: &mut Ast, expr: ExprId) {
        let rt = &self.session.rt;
        let source = Source { rt, ast };
        let documented =
            (source.macro_name(expr) == Some("@doc")).then(|| source.args(expr).last().copied()).flatten();
        let Err(mut thrown) = toplevel::eval_toplevel(rt, module, ast, expr) else { return };
        if let Some(inner) = documented {
            match toplevel::eval_toplevel(rt, module, ast, inner) {
                Ok(_) => return,
                Err(again) => thrown = again,
            }
        }
        let expr = documented.unwrap_or(expr);
        let text = describe(&self.session.rt, thrown.exception);
        let text = text.lines().next().unwrap_or_default();
        let Some((file, line)) = rt.frontend.place(ast.loc(expr)) else { return self.note(text.to_owned()) };
        let text = format!("{}:{line}: {text}", file.rsplit('/').next().unwrap_or_default());
        if line == self.line && Path::new(&file) == self.file {
            self.failure.get_or_insert_with(|| text.clone());
        }
        self.note(text);
    }

    fn note(&mut self, text: String) {
        if self.notes.len() < NOTES_MAX {
            self.notes.push(text);
        }
    }

    /// Defines a kernel inside a function, a test set or a `let`, with the surrounding definitions. Returns the value
    /// of its name there: a closure if the kernel has captures.
    pub(super) fn define_nested(
        &mut self,
        found: &mut KernelLocation,
        name: &str,
        captures: &[(String, Value)],
    ) -> Run {
        let rt = &self.session.rt;
        let (kernel, outer) =
            found.path.split_last().map_or((ExprId::from_u32(0), &[][..]), |it| (*it.0, it.1));
        let source = Source { rt, ast: &found.ast };
        let mut beside = Vec::new();
        for block in outer.iter().filter(|it| source.head(**it) == "block") {
            let inside = source.args(*block).iter().copied().filter(|it| !found.path.contains(it));
            beside.extend(inside.filter(|it| is_definition(&source, *it) && source.head(*it) != "="));
        }
        let is_on_device = source.macro_name(kernel) == Some("@on_device");
        for expr in beside {
            self.evaluate(found.module, &mut found.ast, expr);
        }
        let ast = &mut found.ast;
        let kernel = if is_on_device { on_device(rt, ast, kernel, name) } else { kernel };
        let types = &rt.types;
        let loc = ast.loc(kernel);
        let mut bindings = Vec::new();
        for (name, value) in captures.iter().filter(|it| !it.0.starts_with(STATIC)) {
            let left = ast.push(Expr::Symbol(types.symbol(name)), loc);
            let right = ast.push(Expr::Const(constants::const_of(&rt.heap, *value)), loc);
            bindings.push(ast.node(types.symbol("="), vec![left, right], loc));
        }
        let result = ast.push(Expr::Symbol(types.symbol(name)), loc);
        let bindings = ast.node(types.symbol("block"), bindings, loc);
        let body = ast.node(types.symbol("block"), vec![kernel, result], loc);
        let whole = ast.node(types.symbol("let"), vec![bindings, body], loc);
        let params = captures.iter().filter_map(|it| Some((it.0.strip_prefix(STATIC)?.trim(), it.1)));
        let params: Vec<(&str, Value)> = params.collect();
        if params.is_empty() {
            return toplevel::eval_toplevel(rt, found.module, ast, whole);
        }
        let (function, call) = within_function(rt, ast, whole, &params);
        toplevel::eval_toplevel(rt, found.module, ast, function)?;
        toplevel::eval_toplevel(rt, found.module, ast, call)
    }
}

/// `function f(::Type{T}) where {T} body end` and a call of it: a body that reads static parameters.
fn within_function(rt: &Runtime, ast: &mut Ast, body: ExprId, params: &[(&str, Value)]) -> (ExprId, ExprId) {
    let loc = ast.loc(body);
    let symbol = |ast: &mut Ast, name: &str| ast.push(Expr::Symbol(rt.types.symbol(name)), loc);
    let name = symbol(ast, "around_kernel");
    let (mut sig, mut call, mut wheres) = (vec![name], vec![name], Vec::new());
    for (param, value) in params {
        let (of, param) = (symbol(ast, "Type"), symbol(ast, param));
        let ty = ast.node(rt.types.symbol("curly"), vec![of, param], loc);
        sig.push(ast.node(rt.types.symbol("::"), vec![ty], loc));
        call.push(ast.push(Expr::Const(constants::const_of(&rt.heap, *value)), loc));
        wheres.push(param);
    }
    let sig = ast.node(rt.types.symbol("call"), sig, loc);
    wheres.insert(0, sig);
    let sig = ast.node(rt.types.symbol("where"), wheres, loc);
    let body = ast.node(rt.types.symbol("block"), vec![body], loc);
    let function = ast.node(rt.types.symbol("function"), vec![sig, body], loc);
    (function, ast.node(rt.types.symbol("call"), call, loc))
}

fn source_head(session: &Session, ast: &Ast, expr: ExprId) -> bool {
    Source { rt: &session.rt, ast }.head(expr) == "using"
}

/// `function name() body; return nothing end`: the expansion of the tests' macro.
fn on_device(rt: &Runtime, ast: &mut Ast, call: ExprId, name: &str) -> ExprId {
    let loc = ast.loc(call);
    let types = &rt.types;
    let code = ast.as_node(call).and_then(|it| it.1.last().copied()).unwrap_or(call);
    let name = ast.push(Expr::Symbol(types.symbol(name)), loc);
    let sig = ast.node(types.symbol("call"), vec![name], loc);
    let nothing = ast.push(Expr::Const(constants::const_of(&rt.heap, rt.heap.nothing())), loc);
    let end = ast.node(types.symbol("return"), vec![nothing], loc);
    let body = ast.node(types.symbol("block"), vec![code, end], loc);
    ast.node(types.symbol("function"), vec![sig, body], loc)
}

/// The texts of a field of every dialect.
fn dialect_words(rt: &Runtime, field: &str) -> Vec<String> {
    dialects::records(rt).into_iter().flat_map(|it| dialects::texts(rt, it, field)).collect()
}

/// Whether a statement defines something, as opposed to doing something.
fn is_definition(source: &Source<'_>, expr: ExprId) -> bool {
    match source.head(expr) {
        "function" | "struct" | "abstract" | "primitive" | "macro" | "const" | "using" | "import"
        | "export" => true,
        "public" => true,
        "=" => {
            source.defined(expr).is_some() || source.args(expr).last().is_some_and(|it| is_plain(source, *it))
        }
        "macrocall" => {
            let name = source.macro_name(expr).unwrap_or_default();
            let is_launch = || dialect_words(source.rt, "launchers").iter().any(|it| it == name);
            !DOING.contains(&name) && !name.starts_with("@test") && name != "@everywhere" && !is_launch()
        }
        "for" => source.mentions_macro(expr, "@eval"),
        _ => false,
    }
}

/// Whether a value is cheap to compute: no calls but those of types and operators.
fn is_plain(source: &Source<'_>, expr: ExprId) -> bool {
    match source.head(expr) {
        "" => true,
        "call" => {
            let name = source.args(expr).first().and_then(|it| source.name(*it)).unwrap_or("f");
            let first = name.chars().next().unwrap_or('f');
            !(first.is_lowercase() || dialect_words(source.rt, "arrays").iter().any(|it| it == name))
                && source.args(expr).iter().skip(1).all(|it| is_plain(source, *it))
        }
        "tuple" | "curly" | "." | "vect" | "ref" => source.args(expr).iter().all(|it| is_plain(source, *it)),
        _ => false,
    }
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}
