//! `module`, `using`, `import`, `export`, `public`.

use super::packages::ModuleInOrder;
use crate::heap::{Value, constants};
use crate::runtime::Runtime;
use crate::tables::{Binding, MethodDef, TableId};
use crate::thrown::{Run, Thrown};
use kiln_ir::{
    Ast, CodeInfo, CodeMeta, Expr, ExprId, HostFunction, Lowered, LoweredStmt, SlotInfo, SourceLoc,
};
use kiln_types::{Module, Symbol, Type};
use std::sync::Arc;

/// A dotted path of `using` or `import`: `..A.b` has two leading dots.
struct Path {
    dots: usize,
    names: Vec<Symbol>,
}

impl Runtime {
    /// `module name body end`: the arguments are a flag (`true` unless `baremodule`), the name, a block.
    pub(super) fn eval_module(&self, parent: Module, ast: &mut Ast, args: &[ExprId], loc: SourceLoc) -> Run {
        let [flag, name, body] = args else { return Err(self.error("syntax: invalid module expression")) };
        let Expr::Symbol(name) = *ast.expr(*name) else {
            return Err(self.error("syntax: invalid module name"));
        };
        if ast.as_node(*body).is_none_or(|it| self.types.name(it.0) != "block") {
            return Err(self.error("syntax: module expression third argument must be a block"));
        }
        let standard = *ast.expr(*flag) != Expr::Const(self.types.const_bool(false));
        let module = self.new_module(parent, name, standard, loc)?;
        let statements = ast.as_node(*body).map_or_else(Vec::new, |(_, args)| args.to_vec());
        self.eval.modules.lock().push(ModuleInOrder { module, has_ended: false });
        let mut result = Ok(());
        for statement in statements {
            if matches!(ast.expr(statement), Expr::Line { .. }) {
                continue;
            }
            if let Err(thrown) = self.eval_toplevel(module, ast, statement) {
                result = Err(thrown);
                break;
            }
        }
        let waits = {
            let mut modules = self.eval.modules.lock();
            modules.retain(|it| it.module != module);
            modules.push(ModuleInOrder { module, has_ended: true });
            let parent = self.types.module_parent(module);
            parent != module && modules.iter().any(|it| it.module == parent && !it.has_ended)
        };
        // The modules in one that failed are never initialized.
        if let Err(thrown) = result {
            take_pending_init(self, module);
            return Err(thrown);
        }
        if self.types.module_parent(module) == module {
            self.tables.packages.complete(module, self.tables.world());
        }
        if !waits {
            self.run_pending_init(module)?;
        }
        Ok(Value::module(self.types.core(), module))
    }

    /// Runs `__init__` of the modules in one that has ended: it waits only for the modules around it, so that a package is
    /// initialized when a module that loads it goes on.
    fn run_pending_init(&self, outer: Module) -> Run<()> {
        let init = self.types.symbol("__init__");
        for module in take_pending_init(self, outer) {
            let own = self.tables.bindings.resolve_binding(module, init, self.tables.world());
            if own.module == module
                && let Binding::Const(function) = own.binding
            {
                self.call_latest(function, &[]).map_err(|it| self.init_error(module, it))?;
            }
        }
        Ok(())
    }

    /// Wraps an exception of `__init__` in an `InitError`.
    #[cold]
    fn init_error(&self, module: Module, thrown: Box<crate::Thrown>) -> Box<crate::Thrown> {
        let name = Value::symbol(self.types.core(), self.types.module_name(module));
        let make = self.base_global("InitError").filter(|_| thrown.abort.is_none());
        match make.map(|it| self.call(it, &[name, thrown.exception])) {
            Some(Ok(exception)) => Box::new(crate::Thrown { exception, ..*thrown }),
            Some(Err(_)) | None => thrown,
        }
    }

    /// A new module, bound in its parent, that sees `Core` and, if `standard`, `Base`.
    pub fn new_module(&self, parent: Module, name: Symbol, standard: bool, loc: SourceLoc) -> Run<Module> {
        let root = self.is_package_holder(parent);
        let module = self.types.new_module(name, (!root).then_some(parent));
        let bound = self.define_const(parent, name, Value::module(self.types.core(), module));
        // Packages of one name may be loaded together: where their files are evaluated, the name is any of theirs, for documentation.
        if !root {
            bound?;
        }
        self.bind_own_name(module, name)?;
        self.tables.add_using(module, self.types.core_module());
        if standard {
            self.tables.add_using(module, self.types.base_module());
            self.define_standard_functions(module, loc)?;
        }
        if root {
            self.eval.add_root(&self.types, module);
        }
        Ok(module)
    }

    /// A module that no name leads to: `Module(name, sees_base, sees_core)`.
    pub fn anonymous_module(&self, name: Symbol, sees_base: bool, sees_core: bool) -> Run<Module> {
        let module = self.types.new_module(name, Some(self.types.main_module()));
        self.bind_own_name(module, name)?;
        if sees_core {
            self.tables.add_using(module, self.types.core_module());
        }
        if sees_base {
            self.tables.add_using(module, self.types.base_module());
        }
        Ok(module)
    }

    /// A module exports its own name.
    fn bind_own_name(&self, module: Module, name: Symbol) -> Run<()> {
        self.define_const(module, name, Value::module(self.types.core(), module))?;
        self.tables.mark_public(module, name, true);
        Ok(())
    }

    /// `eval(x)`, `include(path)` and `include(mapexpr, path)` of a module.
    pub fn define_standard_functions(&self, module: Module, loc: SourceLoc) -> Run<()> {
        let core = self.types.core();
        let eval = self.own_function(module, "eval")?;
        self.forward_to_host((module, eval, "eval"), HostFunction::Eval, &[core.any], loc);
        let include = self.own_function(module, "include")?;
        let path = core.abstract_string;
        self.forward_to_host((module, include, "include"), HostFunction::IncludeFile, &[path], loc);
        self.forward_to_host((module, include, "include"), HostFunction::IncludeFile, &[core.any, path], loc);
        Ok(())
    }

    /// A function that a module has under this name.
    fn own_function(&self, module: Module, name: &str) -> Run<Value> {
        let symbol = self.types.symbol(name);
        let function = self.new_function(module, symbol);
        self.define_const(module, symbol, function)?;
        Ok(function)
    }

    /// Adds the method `name(x...) = host(module, reverse(x)...)`.
    fn forward_to_host(
        &self,
        (module, function, name): (Module, Value, &str),
        host: HostFunction,
        arguments: &[Type],
        loc: SourceLoc,
    ) {
        let types = &self.types;
        let symbol = types.symbol(name);
        let Some(host) = self.callees.type_of(crate::interp::Special::Host(host)) else {
            unreachable!("every host function has a type");
        };
        let known = [
            Lowered::Const(constants::const_of(&self.heap, Value::inline(host, 0))),
            Lowered::Const(constants::const_of(&self.heap, Value::module(types.core(), module))),
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
        let sig = types.tuple(&[&[function.ty()], arguments].concat());
        let def = MethodDef { name: symbol, module, sig, code: Arc::new(code), loc };
        self.tables.add_method(TableId::GLOBAL, def);
    }

    fn path(&self, ast: &Ast, expr: ExprId) -> Run<Path> {
        let invalid = || self.error("syntax: invalid path in using or import");
        let (head, args) = ast.as_node(expr).ok_or_else(invalid)?;
        if self.types.name(head) != "." {
            return Err(invalid());
        }
        let mut path = Path { dots: 0, names: Vec::new() };
        for &arg in args {
            let &Expr::Symbol(name) = ast.expr(arg) else { return Err(invalid()) };
            if self.types.name(name) == "." && path.names.is_empty() {
                path.dots += 1;
            } else {
                path.names.push(name);
            }
        }
        Ok(path)
    }

    /// A path and the name it is to have here: `A.b as c`.
    fn aliased(&self, ast: &Ast, expr: ExprId) -> Run<(Path, Option<Symbol>)> {
        if let Some((head, args)) = ast.as_node(expr)
            && self.types.name(head) == "as"
            && let [path, alias] = *args
            && let Expr::Symbol(alias) = *ast.expr(alias)
        {
            let path = self.path(ast, path)?;
            if let Some(&name) = path.names.last() {
                let (from, to) = (self.types.name(name), self.types.name(alias));
                if from.starts_with('@') != to.starts_with('@') {
                    let what = if from.starts_with('@') { "macro" } else { "non-macro" };
                    return Err(self.error(&format!("cannot rename {what} \"{from}\" to \"{to}\"")));
                }
            }
            return Ok((path, Some(alias)));
        }
        Ok((self.path(ast, expr)?, None))
    }

    /// `A: x, y as z`: the path before the colon and the names after it.
    fn with_names<'a>(&self, ast: &'a Ast, args: &'a [ExprId]) -> Option<(ExprId, &'a [ExprId])> {
        let (head, parts) = ast.as_node(*args.first()?)?;
        let (&from, names) = parts.split_first()?;
        (self.types.name(head) == ":").then_some((from, names))
    }

    /// The exception for a missing package; names a module of the same name that the program may have meant.
    fn with_relative_path(&self, module: Module, name: Symbol, thrown: Box<Thrown>) -> Box<Thrown> {
        if thrown.abort.is_some() {
            return thrown; // the end of the program, without an exception
        }
        let text = self.types.name(name);
        let is_missing =
            self.types.name_of(thrown.exception.ty()) == self.types.name_of(self.types.core().argument_error);
        let parent = self.types.module_parent(module);
        let dots = [(module, "."), (parent, "..")]
            .into_iter()
            .find(|it| self.global(it.0, name).is_some_and(|it| it.as_module(self.types.core()).is_some()));
        match dots.filter(|_| is_missing) {
            Some((_, dots)) => self.argument_error(&format!(
                "Package {text} not found in current path, maybe you meant `import/using {dots}{text}`."
            )),
            None => thrown,
        }
    }

    /// The module a path starts from, and the names left to look up in it.
    fn path_root<'a>(&self, module: Module, path: &'a Path) -> Run<(Module, &'a [Symbol])> {
        if path.dots > 0 {
            let mut at = module;
            for _ in 1..path.dots {
                at = self.types.module_parent(at);
            }
            return Ok((at, &path.names));
        }
        let (&first, rest) =
            path.names.split_first().ok_or_else(|| self.error("syntax: empty import path"))?;
        let root =
            self.root_module(module, first).map_err(|thrown| self.with_relative_path(module, first, thrown));
        Ok((root?, rest))
    }

    /// The module a whole path names.
    fn path_module(&self, module: Module, path: &Path) -> Run<Module> {
        let (mut at, names) = self.path_root(module, path)?;
        for &name in names {
            let value = self.global(at, name);
            match value.and_then(|it| it.as_module(self.types.core())) {
                Some(inner) => at = inner,
                None if value.is_none() => {
                    return Err(self.undef_var(name, crate::throw::NameScope::Global(at)));
                }
                None => {
                    let text = self.types.name(name);
                    let owner = self.types.name(self.types.module_name(at));
                    let message = format!("invalid using path: \"{text}\" does not name a module in {owner}");
                    return Err(self.error(&message));
                }
            }
        }
        Ok(at)
    }

    /// The error for a malformed path.
    fn malformed(&self, ast: &Ast, arg: ExprId, what: &str, error: Box<Thrown>) -> Box<Thrown> {
        match ast.as_node(arg) {
            Some(_) => error,
            None => self.error(&format!("syntax: malformed \"{what}\" statement")),
        }
    }

    pub(super) fn eval_using(&self, module: Module, ast: &mut Ast, args: &[ExprId]) -> Run {
        if let Some((from, names)) = self.with_names(ast, args) {
            self.import_names(module, ast, from, names, false)?;
            return Ok(self.heap.nothing());
        }
        for &arg in args {
            let (path, alias) = self.aliased(ast, arg).map_err(|it| self.malformed(ast, arg, "using", it))?;
            let used = self.path_module(module, &path)?;
            self.tables.add_using(module, used);
            // Elsewhere the module's own name is among its exports.
            if let Some(name) = alias.or_else(|| path.names.last().copied())
                && (alias.is_some() || module == self.types.main_module())
            {
                self.bind_module(module, name, used)?;
            }
        }
        Ok(self.heap.nothing())
    }

    pub(super) fn eval_import(&self, module: Module, ast: &mut Ast, args: &[ExprId]) -> Run {
        if let Some((from, names)) = self.with_names(ast, args) {
            self.import_names(module, ast, from, names, true)?;
            return Ok(self.heap.nothing());
        }
        for &arg in args {
            let (path, alias) =
                self.aliased(ast, arg).map_err(|it| self.malformed(ast, arg, "import", it))?;
            let (root, names) = self.path_root(module, &path)?;
            if path.names.is_empty() {
                return Err(self.error("invalid module path"));
            }
            let Some((&last, before)) = names.split_last() else {
                let name = path.names.last().copied().unwrap_or(self.types.module_name(root));
                self.bind_module(module, alias.unwrap_or(name), root)?;
                continue;
            };
            let owner = self.path_module(root, &Path { dots: 1, names: before.to_vec() })?;
            self.import_one(module, alias.unwrap_or(last), owner, last, true)?;
        }
        Ok(self.heap.nothing())
    }

    fn import_names(
        &self,
        module: Module,
        ast: &Ast,
        from: ExprId,
        names: &[ExprId],
        explicit: bool,
    ) -> Run<()> {
        let path = self.path(ast, from)?;
        let owner = self.path_module(module, &path)?;
        for &name in names {
            let (path, alias) = self.aliased(ast, name)?;
            let Some((&last, before)) = path.names.split_last() else { continue };
            let owner = self.path_module(owner, &Path { dots: 1, names: before.to_vec() })?;
            self.import_one(module, alias.unwrap_or(last), owner, last, explicit)?;
        }
        Ok(())
    }

    fn import_one(
        &self,
        module: Module,
        alias: Symbol,
        from: Module,
        name: Symbol,
        explicit: bool,
    ) -> Run<()> {
        let undeclared = self.tables.bindings.resolve_binding(from, name, self.tables.world());
        let undeclared = matches!(undeclared.binding, Binding::Undefined);
        let done = self.tables.import_name(module, alias, from, name, explicit);
        done.map_err(|it| self.name_error(module, alias, it))?;
        // Deprecated names of Base and Core are functions that say so themselves.
        let of_library = from == self.types.base_module() || from == self.types.core_module();
        if (undeclared || !of_library)
            && let Some(warn) = self.base_global("warn_of_import")
        {
            let core = self.types.core();
            let [module, from] = [module, from].map(|it| Value::module(core, it));
            self.call_latest(warn, &[module, from, Value::symbol(core, name), self.heap.bool(undeclared)])?;
        }
        Ok(())
    }

    /// Binds a module under a name, unless the name means it already.
    fn bind_module(&self, module: Module, name: Symbol, bound: Module) -> Run<()> {
        if self.global(module, name).and_then(|it| it.as_module(self.types.core())) == Some(bound) {
            return Ok(());
        }
        let parent = self.types.module_parent(bound);
        if self.types.module_name(bound) == name
            && parent != module
            && self.global(parent, name).and_then(|it| it.as_module(self.types.core())) == Some(bound)
        {
            return self.import_one(module, name, parent, name, true);
        }
        self.define_const(module, name, Value::module(self.types.core(), bound))
    }

    pub(super) fn eval_export(&self, module: Module, ast: &mut Ast, args: &[ExprId], exported: bool) -> Run {
        for &arg in args {
            if let Expr::Symbol(name) = *ast.expr(arg) {
                let (was_exported, was_public) = self.tables.bindings.visibility(module, name);
                if was_public && was_exported != exported {
                    let [owner, name] = [self.types.module_name(module), name].map(|it| self.types.name(it));
                    let [wanted, declared] =
                        if exported { ["exported", "public"] } else { ["public", "exported"] };
                    return Err(self.error(&format!(
                        "cannot declare {owner}.{name} {wanted}; it is already declared {declared}"
                    )));
                }
                self.tables.mark_public(module, name, exported);
            }
        }
        Ok(self.heap.nothing())
    }
}

/// The modules in `outer`, and itself, whose `__init__` waits: in the order in which they ended.
fn take_pending_init(rt: &Runtime, outer: Module) -> Vec<Module> {
    let is_inside = |mut at: Module| loop {
        let parent = rt.types.module_parent(at);
        if at == outer || parent == at {
            return at == outer;
        }
        at = parent;
    };
    let mut modules = rt.eval.modules.lock();
    modules.extract_if(.., |it| it.has_ended && is_inside(it.module)).map(|it| it.module).collect()
}
