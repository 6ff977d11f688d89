//! `module`, `using`, `import`, `export`, `public`.

use super::packages::ModuleInOrder;
use super::{packages, toplevel};
use crate::heap::{Value, constants};
use crate::interp::{define, globals};
use crate::runtime::Runtime;
use crate::tables::{Binding, MethodDef, TableId};
use crate::throw;
use crate::thrown::{Run, Thrown};
use kiln_ir::{
    Ast, CodeInfo, CodeMeta, Expr, ExprId, HostFunction, Lowered, LoweredStmt, SlotInfo, SourceLoc,
};
use kiln_types::{Module, Symbol, Type, consts, datatype, module};
use std::sync::Arc;

/// A dotted path of `using` or `import`: `..A.b` has two leading dots.
struct Path {
    dots: usize,
    names: Vec<Symbol>,
}

/// `module name body end`: the arguments are a flag (`true` unless `baremodule`), the name, a block.
pub(super) fn eval_module(
    rt: &Runtime,
    parent: Module,
    ast: &mut Ast,
    args: &[ExprId],
    loc: SourceLoc,
) -> Run {
    let [flag, name, body] = args else { return Err(rt.error("syntax: invalid module expression")) };
    let Expr::Symbol(name) = *ast.expr(*name) else {
        return Err(rt.error("syntax: invalid module name"));
    };
    if ast.as_node(*body).is_none_or(|it| rt.types.name(it.0) != "block") {
        return Err(rt.error("syntax: module expression third argument must be a block"));
    }
    let standard = *ast.expr(*flag) != Expr::Const(consts::bool(&rt.types, false));
    let module = new_module(rt, parent, name, standard, loc)?;
    let statements = ast.as_node(*body).map_or_else(Vec::new, |(_, args)| args.to_vec());
    rt.eval.modules.lock().push(ModuleInOrder { module, has_ended: false });
    let mut result = Ok(());
    for statement in statements {
        if matches!(ast.expr(statement), Expr::Line { .. }) {
            continue;
        }
        if let Err(thrown) = toplevel::eval_toplevel(rt, module, ast, statement) {
            result = Err(thrown);
            break;
        }
    }
    let waits = {
        let mut modules = rt.eval.modules.lock();
        modules.retain(|it| it.module != module);
        modules.push(ModuleInOrder { module, has_ended: true });
        let parent = module::parent(&rt.types, module);
        parent != module && modules.iter().any(|it| it.module == parent && !it.has_ended)
    };
    // The modules in one that failed are never initialized.
    if let Err(thrown) = result {
        take_pending_init(rt, module);
        return Err(thrown);
    }
    if module::parent(&rt.types, module) == module {
        rt.tables.packages.complete(module, rt.tables.world());
    }
    if !waits {
        run_pending_init(rt, module)?;
    }
    Ok(Value::module(rt.types.core(), module))
}

/// Runs `__init__` of the modules in one that has ended: it waits only for the modules around it, so that a package is
/// initialized when a module that loads it goes on.
fn run_pending_init(rt: &Runtime, outer: Module) -> Run<()> {
    for module in take_pending_init(rt, outer) {
        if initialize(rt, module)? && rt.image.is_some() {
            rt.eval.initialized.lock().push(module);
        }
    }
    Ok(())
}

/// Whether an `__init__` of a package has run.
pub fn has_initialized(rt: &Runtime) -> bool {
    !rt.eval.initialized.lock().is_empty()
}

/// Runs each `__init__` that had run when the session was frozen, in the same order, as each process has to.
///
/// # Errors
/// The exception of one.
pub fn initialize_again(rt: &Runtime) -> Run<()> {
    let modules = rt.eval.initialized.lock().clone();
    for module in modules {
        initialize(rt, module)?;
    }
    Ok(())
}

/// Runs `__init__` of a module, if it has one; whether it has.
fn initialize(rt: &Runtime, module: Module) -> Run<bool> {
    let function = initializer(rt, module);
    if let Some(function) = function {
        rt.call_latest(function, &[]).map_err(|it| init_error(rt, module, it))?;
    }
    Ok(function.is_some())
}

/// The function `__init__` of a module itself.
fn initializer(rt: &Runtime, module: Module) -> Option<Value> {
    let init = rt.types.symbol("__init__");
    let own = rt.tables.bindings.resolve_binding(module, init, rt.tables.world());
    match own.binding {
        Binding::Const(function) => (own.module == module).then_some(function),
        Binding::Undefined | Binding::Ambiguous(..) | Binding::Global(..) => None,
    }
}

/// Wraps an exception of `__init__` in an `InitError`.
#[cold]
fn init_error(rt: &Runtime, module: Module, thrown: Box<crate::Thrown>) -> Box<crate::Thrown> {
    let name = Value::symbol(rt.types.core(), module::name(&rt.types, module));
    let make = rt.base_global("InitError").filter(|_| thrown.abort.is_none());
    match make.map(|it| rt.call(it, &[name, thrown.exception])) {
        Some(Ok(exception)) => Box::new(crate::Thrown { exception, ..*thrown }),
        Some(Err(_)) | None => thrown,
    }
}

/// A new module, bound in its parent, that sees `Core` and, if `standard`, `Base`.
pub fn new_module(rt: &Runtime, parent: Module, name: Symbol, standard: bool, loc: SourceLoc) -> Run<Module> {
    let root = packages::is_package_holder(rt, parent);
    let module = module::new(&rt.types, name, (!root).then_some(parent));
    let bound = define::constant(rt, parent, name, Value::module(rt.types.core(), module));
    // Packages of one name may be loaded together: where their files are evaluated, the name is any of theirs, for documentation.
    if !root {
        bound?;
    }
    bind_own_name(rt, module, name)?;
    rt.tables.add_using(module, Module::CORE);
    if standard {
        rt.tables.add_using(module, Module::BASE);
        define_standard_functions(rt, module, loc)?;
    }
    if root {
        rt.eval.add_root(&rt.types, module);
    }
    Ok(module)
}

/// A module that no name leads to: `Module(name, sees_base, sees_core)`.
pub fn anonymous_module(rt: &Runtime, name: Symbol, sees_base: bool, sees_core: bool) -> Run<Module> {
    let module = module::new(&rt.types, name, Some(Module::MAIN));
    bind_own_name(rt, module, name)?;
    if sees_core {
        rt.tables.add_using(module, Module::CORE);
    }
    if sees_base {
        rt.tables.add_using(module, Module::BASE);
    }
    Ok(module)
}

/// A module exports its own name.
fn bind_own_name(rt: &Runtime, module: Module, name: Symbol) -> Run<()> {
    define::constant(rt, module, name, Value::module(rt.types.core(), module))?;
    rt.tables.mark_public(module, name, true);
    Ok(())
}

/// `eval(x)`, `include(path)` and `include(mapexpr, path)` of a module.
pub fn define_standard_functions(rt: &Runtime, module: Module, loc: SourceLoc) -> Run<()> {
    let core = rt.types.core();
    let eval = own_function(rt, module, "eval")?;
    forward_to_host(rt, (module, eval, "eval"), HostFunction::Eval, &[core.any], loc);
    let include = own_function(rt, module, "include")?;
    let path = core.abstract_string;
    forward_to_host(rt, (module, include, "include"), HostFunction::IncludeFile, &[path], loc);
    forward_to_host(rt, (module, include, "include"), HostFunction::IncludeFile, &[core.any, path], loc);
    Ok(())
}

/// A function that a module has under this name.
fn own_function(rt: &Runtime, module: Module, name: &str) -> Run<Value> {
    let symbol = rt.types.symbol(name);
    let function = define::new_function(rt, module, symbol);
    define::constant(rt, module, symbol, function)?;
    Ok(function)
}

/// Adds the method `name(x...) = host(module, reverse(x)...)`.
fn forward_to_host(
    rt: &Runtime,
    (module, function, name): (Module, Value, &str),
    host: HostFunction,
    arguments: &[Type],
    loc: SourceLoc,
) {
    let types = &rt.types;
    let symbol = types.symbol(name);
    let Some(host) = rt.callees.type_of(crate::interp::Special::Host(host)) else {
        unreachable!("every host function has a type");
    };
    let known = [
        Lowered::Const(constants::const_of(&rt.heap, Value::inline(host, 0))),
        Lowered::Const(constants::const_of(&rt.heap, Value::module(types.core(), module))),
    ];
    let nargs = arguments.len() as u32 + 1;
    let call: Vec<Lowered> = known.into_iter().chain((1..nargs).rev().map(Lowered::Slot)).collect();
    let slot = |name: &str| SlotInfo { name: types.symbol(name), unused: false, single_assignment: true };
    let slots = ["#self#", "x", "y"].into_iter().take(nargs as usize).map(slot).collect();
    let code = CodeInfo {
        name: symbol,
        module,
        slots,
        nargs,
        is_va: false,
        static_params: Vec::new(),
        stmts: vec![LoweredStmt::Call(call.into()), LoweredStmt::Return(Lowered::Ssa(0))],
        locs: vec![loc; 2],
        bodies: Vec::new(),
        meta: CodeMeta::default(),
        loc,
    };
    let sig = datatype::tuple(types, &[&[function.ty()], arguments].concat());
    let def = MethodDef { name: symbol, module, sig, code: Arc::new(code), loc };
    rt.tables.add_method(TableId::GLOBAL, def);
}

fn path(rt: &Runtime, ast: &Ast, expr: ExprId) -> Run<Path> {
    let invalid = || rt.error("syntax: invalid path in using or import");
    let (head, args) = ast.as_node(expr).ok_or_else(invalid)?;
    if rt.types.name(head) != "." {
        return Err(invalid());
    }
    let mut path = Path { dots: 0, names: Vec::new() };
    for &arg in args {
        let &Expr::Symbol(name) = ast.expr(arg) else { return Err(invalid()) };
        if rt.types.name(name) == "." && path.names.is_empty() {
            path.dots += 1;
        } else {
            path.names.push(name);
        }
    }
    Ok(path)
}

/// A path and the name it is to have here: `A.b as c`.
fn aliased(rt: &Runtime, ast: &Ast, expr: ExprId) -> Run<(Path, Option<Symbol>)> {
    if let Some((head, args)) = ast.as_node(expr)
        && rt.types.name(head) == "as"
        && let [from, alias] = *args
        && let Expr::Symbol(alias) = *ast.expr(alias)
    {
        let path = path(rt, ast, from)?;
        if let Some(&name) = path.names.last() {
            let (from, to) = (rt.types.name(name), rt.types.name(alias));
            if from.starts_with('@') != to.starts_with('@') {
                let what = if from.starts_with('@') { "macro" } else { "non-macro" };
                return Err(rt.error(&format!("cannot rename {what} \"{from}\" to \"{to}\"")));
            }
        }
        return Ok((path, Some(alias)));
    }
    Ok((path(rt, ast, expr)?, None))
}

/// `A: x, y as z`: the path before the colon and the names after it.
fn with_names<'a>(rt: &Runtime, ast: &'a Ast, args: &'a [ExprId]) -> Option<(ExprId, &'a [ExprId])> {
    let (head, parts) = ast.as_node(*args.first()?)?;
    let (&from, names) = parts.split_first()?;
    (rt.types.name(head) == ":").then_some((from, names))
}

/// The exception for a missing package; names a module of the same name that the program may have meant.
fn with_relative_path(rt: &Runtime, module: Module, name: Symbol, thrown: Box<Thrown>) -> Box<Thrown> {
    if thrown.abort.is_some() {
        return thrown; // the end of the program, without an exception
    }
    let text = rt.types.name(name);
    let is_missing = datatype::name_of(&rt.types, thrown.exception.ty())
        == datatype::name_of(&rt.types, rt.types.core().argument_error);
    let parent = module::parent(&rt.types, module);
    let dots = [(module, "."), (parent, "..")]
        .into_iter()
        .find(|it| rt.global(it.0, name).is_some_and(|it| it.as_module(rt.types.core()).is_some()));
    match dots.filter(|_| is_missing) {
        Some((_, dots)) => throw::argument_error(
            rt,
            &format!(
                "Package {text} not found in current path, maybe you meant `import/using {dots}{text}`."
            ),
        ),
        None => thrown,
    }
}

/// The module a path starts from, and the names left to look up in it.
fn path_root<'a>(rt: &Runtime, module: Module, path: &'a Path) -> Run<(Module, &'a [Symbol])> {
    if path.dots > 0 {
        let mut at = module;
        for _ in 1..path.dots {
            at = module::parent(&rt.types, at);
        }
        return Ok((at, &path.names));
    }
    let (&first, rest) = path.names.split_first().ok_or_else(|| rt.error("syntax: empty import path"))?;
    let root = packages::root_module(rt, module, first)
        .map_err(|thrown| with_relative_path(rt, module, first, thrown));
    Ok((root?, rest))
}

/// The module a whole path names.
fn path_module(rt: &Runtime, module: Module, path: &Path) -> Run<Module> {
    let (mut at, names) = path_root(rt, module, path)?;
    for &name in names {
        let value = rt.global(at, name);
        match value.and_then(|it| it.as_module(rt.types.core())) {
            Some(inner) => at = inner,
            None if value.is_none() => {
                return Err(throw::undef_var(rt, name, crate::throw::NameScope::Global(at)));
            }
            None => {
                let text = rt.types.name(name);
                let owner = rt.types.name(module::name(&rt.types, at));
                let message = format!("invalid using path: \"{text}\" does not name a module in {owner}");
                return Err(rt.error(&message));
            }
        }
    }
    Ok(at)
}

/// The error for a malformed path.
fn malformed(rt: &Runtime, ast: &Ast, arg: ExprId, what: &str, error: Box<Thrown>) -> Box<Thrown> {
    match ast.as_node(arg) {
        Some(_) => error,
        None => rt.error(&format!("syntax: malformed \"{what}\" statement")),
    }
}

pub(super) fn eval_using(rt: &Runtime, module: Module, ast: &mut Ast, args: &[ExprId]) -> Run {
    if let Some((from, names)) = with_names(rt, ast, args) {
        import_names(rt, module, ast, from, names, false)?;
        return Ok(rt.heap.nothing());
    }
    for &arg in args {
        let (path, alias) = aliased(rt, ast, arg).map_err(|it| malformed(rt, ast, arg, "using", it))?;
        let used = path_module(rt, module, &path)?;
        rt.tables.add_using(module, used);
        // Elsewhere the module's own name is among its exports.
        if let Some(name) = alias.or_else(|| path.names.last().copied())
            && (alias.is_some() || module == Module::MAIN)
        {
            bind_module(rt, module, name, used)?;
        }
    }
    Ok(rt.heap.nothing())
}

pub(super) fn eval_import(rt: &Runtime, module: Module, ast: &mut Ast, args: &[ExprId]) -> Run {
    if let Some((from, names)) = with_names(rt, ast, args) {
        import_names(rt, module, ast, from, names, true)?;
        return Ok(rt.heap.nothing());
    }
    for &arg in args {
        let (path, alias) = aliased(rt, ast, arg).map_err(|it| malformed(rt, ast, arg, "import", it))?;
        let (root, names) = path_root(rt, module, &path)?;
        if path.names.is_empty() {
            return Err(rt.error("invalid module path"));
        }
        let Some((&last, before)) = names.split_last() else {
            let name = path.names.last().copied().unwrap_or(module::name(&rt.types, root));
            bind_module(rt, module, alias.unwrap_or(name), root)?;
            continue;
        };
        let owner = path_module(rt, root, &Path { dots: 1, names: before.to_vec() })?;
        import_one(rt, module, alias.unwrap_or(last), owner, last, true)?;
    }
    Ok(rt.heap.nothing())
}

fn import_names(
    rt: &Runtime,
    module: Module,
    ast: &Ast,
    from: ExprId,
    names: &[ExprId],
    explicit: bool,
) -> Run<()> {
    let path = path(rt, ast, from)?;
    let owner = path_module(rt, module, &path)?;
    for &name in names {
        let (path, alias) = aliased(rt, ast, name)?;
        let Some((&last, before)) = path.names.split_last() else { continue };
        let owner = path_module(rt, owner, &Path { dots: 1, names: before.to_vec() })?;
        import_one(rt, module, alias.unwrap_or(last), owner, last, explicit)?;
    }
    Ok(())
}

fn import_one(
    rt: &Runtime,
    module: Module,
    alias: Symbol,
    from: Module,
    name: Symbol,
    explicit: bool,
) -> Run<()> {
    let undeclared = rt.tables.bindings.resolve_binding(from, name, rt.tables.world());
    let undeclared = matches!(undeclared.binding, Binding::Undefined);
    let done = rt.tables.import_name(module, alias, from, name, explicit);
    done.map_err(|it| globals::name_error(rt, module, alias, it))?;
    // Deprecated names of Base and Core are functions that say so themselves.
    let of_library = from == Module::BASE || from == Module::CORE;
    if (undeclared || !of_library)
        && let Some(warn) = rt.base_global("warn_of_import")
    {
        let core = rt.types.core();
        let [module, from] = [module, from].map(|it| Value::module(core, it));
        rt.call_latest(warn, &[module, from, Value::symbol(core, name), rt.heap.bool(undeclared)])?;
    }
    Ok(())
}

/// Binds a module under a name, unless the name means it already.
fn bind_module(rt: &Runtime, module: Module, name: Symbol, bound: Module) -> Run<()> {
    if rt.global(module, name).and_then(|it| it.as_module(rt.types.core())) == Some(bound) {
        return Ok(());
    }
    let parent = module::parent(&rt.types, bound);
    if module::name(&rt.types, bound) == name
        && parent != module
        && rt.global(parent, name).and_then(|it| it.as_module(rt.types.core())) == Some(bound)
    {
        return import_one(rt, module, name, parent, name, true);
    }
    define::constant(rt, module, name, Value::module(rt.types.core(), bound))
}

pub(super) fn eval_export(
    rt: &Runtime,
    module: Module,
    ast: &mut Ast,
    args: &[ExprId],
    exported: bool,
) -> Run {
    for &arg in args {
        if let Expr::Symbol(name) = *ast.expr(arg) {
            let (was_exported, was_public) = rt.tables.bindings.visibility(module, name);
            if was_public && was_exported != exported {
                let [owner, name] = [module::name(&rt.types, module), name].map(|it| rt.types.name(it));
                let [wanted, declared] =
                    if exported { ["exported", "public"] } else { ["public", "exported"] };
                return Err(rt.error(&format!(
                    "cannot declare {owner}.{name} {wanted}; it is already declared {declared}"
                )));
            }
            rt.tables.mark_public(module, name, exported);
        }
    }
    Ok(rt.heap.nothing())
}

/// The modules in `outer`, and itself, whose `__init__` waits: in the order in which they ended.
fn take_pending_init(rt: &Runtime, outer: Module) -> Vec<Module> {
    let is_inside = |mut at: Module| loop {
        let parent = module::parent(&rt.types, at);
        if at == outer || parent == at {
            return at == outer;
        }
        at = parent;
    };
    let mut modules = rt.eval.modules.lock();
    modules.extract_if(.., |it| it.has_ended && is_inside(it.module)).map(|it| it.module).collect()
}
