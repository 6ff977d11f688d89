//! Name resolution: the variable of each name.
//!
//! One walk over the tree with a stack of scopes. Every name becomes a [`HirKind::Var`] or a [`HirKind::Global`];
//! local function definitions move out of the tree into [`Group`]s, which leave a closure construction behind.
//! Captures are computed at the end, when it is known which functions are never reassigned: a method of such a
//! function refers to it through its own first argument.

mod captures;
mod definition_checks;
mod locals;

use crate::error::{LowerWarning, Lowering, problem};
use crate::gensym::LocalNames;
use crate::hir::{Callee, GroupId, HirKind, HirNode, LambdaId, MethodDef, ScopeData, VarId};
use crate::lower::Globals;
use kiln_ir::SourceLoc;
use kiln_types::{FrontMutant, Module, Symbol, Types, mutant};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The kind of a variable's declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarKind {
    Arg,
    Local,
    StaticParam,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) name: Symbol,
    pub(crate) owner: LambdaId,
    pub(crate) kind: VarKind,
    /// Its declared type.
    pub(crate) ty: Option<HirNode>,
    /// The number of places that assign it, function definitions not counted.
    pub(crate) assignments: u32,
    /// These places.
    pub(crate) assigned_at: Vec<SourceLoc>,
    /// The closure that function definitions of this name make.
    pub(crate) group: Option<GroupId>,
    /// Assigned in a function other than its owner.
    pub(crate) assigned_inside: bool,
    /// Some closure has it as a field.
    pub(crate) captured: bool,
    /// A local of top-level code that methods of global functions capture: the name of the constant that holds its value,
    /// or its box, in their bodies. Each definition has a constant of its own.
    pub(crate) hidden: Option<Symbol>,
    /// Filled by `analyze`: lives in a `Core.Box`.
    pub(crate) boxed: bool,
    /// Filled by `analyze`: may be read before it is assigned.
    pub(crate) maybe_undefined: bool,
}

/// A function body.
#[derive(Clone, Debug)]
pub(crate) struct LambdaInfo {
    pub(crate) parent: LambdaId,
    /// A method of a global function: no closure, its definition captures.
    pub(crate) global: bool,
    /// The name of that function, if the definition has one.
    pub(crate) function: Option<Symbol>,
    /// Arguments that are functions which closures would otherwise capture.
    pub(crate) aliases: Vec<(VarId, usize)>,
    /// The outer variables that it refers to, in order of first mention.
    pub(crate) free: Vec<VarId>,
    pub(crate) has_labels: bool,
}

/// The methods of one local function.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: Symbol,
    pub(crate) var: Option<VarId>,
    /// The body whose code makes its instances.
    lambda: LambdaId,
    pub(crate) methods: Vec<MethodDef>,
    /// Filled at the end: variables of outer functions that instances hold, static parameters first.
    pub(crate) captures: Vec<VarId>,
    pub(crate) loc: SourceLoc,
}

/// Everything resolution finds out.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) vars: Vec<Var>,
    pub(crate) lambdas: Vec<LambdaInfo>,
    pub(crate) groups: Vec<Group>,
    /// Locals of top-level code outside any scope.
    pub(crate) thunk_locals: Vec<VarId>,
    pub(crate) warnings: Vec<LowerWarning>,
}

#[derive(Clone, Copy, Debug)]
enum Binding {
    Var(VarId),
    Global(Module, Symbol),
}

struct Scope {
    names: FxHashMap<Symbol, Binding>,
    lambda: LambdaId,
    /// The outermost scope of top-level code, where assignments make globals.
    top: bool,
    /// The scope of the arguments of a function.
    arguments: bool,
    /// A loop or `try` at top level, with nothing but such scopes around it.
    soft: bool,
}

struct Resolver<'a> {
    types: &'a Types,
    module: Module,
    out: Resolved,
    scopes: Vec<Scope>,
    lambda: LambdaId,
    /// Mentions of another function's variables: (function, variable).
    mentions: Vec<(LambdaId, VarId)>,
    local_names: LocalNames,
    host: &'a dyn Globals,
    /// Whether loops at top level assign existing globals, as `Expr(:softscope, true)` asks.
    softscope: bool,
    /// Names that statements of the thunk assign outside any scope.
    assigned_at_top: Vec<Symbol>,
    /// The checks that are made where a body is defined, with the body.
    checks: Vec<(LambdaId, HirNode)>,
    error: Option<Box<crate::LowerError>>,
}

/// Resolves a top-level thunk in place. `locals` are names that are variables from the start (used for bodies that
/// a generator made): arguments, then static parameters.
pub(crate) fn resolve(
    types: &Types,
    module: Module,
    body: &mut HirNode,
    host: &dyn Globals,
    softscope: bool,
) -> Lowering<Resolved> {
    let mut resolver = Resolver {
        types,
        module,
        out: Resolved::default(),
        scopes: Vec::new(),
        lambda: LambdaId(0),
        mentions: Vec::new(),
        local_names: LocalNames::default(),
        host,
        softscope,
        assigned_at_top: Vec::new(),
        checks: Vec::new(),
        error: None,
    };
    resolver.new_lambda(LambdaId(0), true);
    let mut scope =
        Scope { names: FxHashMap::default(), lambda: LambdaId(0), top: true, arguments: false, soft: true };
    let mut collected = Collected::default();
    collected.walk(body);
    resolver.check_declarations(&collected, &[], body.loc);
    resolver.assigned_at_top.clone_from(&collected.assigned);
    for &name in &collected.locals {
        if scope.names.contains_key(&name) {
            continue;
        }
        let var = resolver.new_var(name, LambdaId(0), VarKind::Local);
        scope.names.insert(name, Binding::Var(var));
        resolver.out.thunk_locals.push(var);
    }
    resolver.scopes.push(scope);
    resolver.node(body);
    let checks = resolver.checks_of(LambdaId(0));
    if !checks.is_empty() {
        let loc = body.loc;
        let rest = std::mem::replace(body, HirNode::block(checks, loc));
        if let HirKind::Block(nodes) = &mut body.kind {
            nodes.push(rest);
        }
    }
    if let Some(error) = resolver.error {
        return Err(error);
    }
    resolver.finish_captures();
    Ok(resolver.out)
}

/// The names a scope declares or assigns, not looking into scopes and functions inside it.
#[derive(Default)]
struct Collected {
    locals: Vec<Symbol>,
    globals: Vec<(Symbol, Option<Module>)>,
    assigned: Vec<Symbol>,
}

impl Collected {
    fn walk(&mut self, node: &HirNode) {
        match &node.kind {
            HirKind::Local(name) => self.locals.push(*name),
            HirKind::GlobalDecl(name, module) => self.globals.push((*name, *module)),
            HirKind::GlobalName(name) => self.globals.push((*name, None)),
            HirKind::DeclType(name, ty) => {
                self.assigned.push(*name);
                self.walk(ty);
            }
            HirKind::Assign(target, value) | HirKind::AliasDecl(target, value) => {
                self.assigned_name(target);
                self.walk(value);
            }
            HirKind::GenericFunction(name) => self.assigned_name(name),
            HirKind::Function(def) => {
                if let Callee::Named(name) = &def.callee {
                    self.assigned_name(name);
                }
            }
            HirKind::Scope(_) => {}
            other => other.children(&mut |child| self.walk(child)),
        }
    }

    fn assigned_name(&mut self, target: &HirNode) {
        if let HirKind::Name(name) = target.kind {
            self.assigned.push(name);
        }
    }
}

impl Resolver<'_> {
    fn fail(&mut self, error: Box<crate::LowerError>) {
        self.error.get_or_insert(error);
    }

    fn new_lambda(&mut self, parent: LambdaId, global: bool) -> LambdaId {
        let id = LambdaId(self.out.lambdas.len() as u32);
        self.out.lambdas.push(LambdaInfo {
            parent,
            global,
            function: None,
            aliases: Vec::new(),
            free: Vec::new(),
            has_labels: false,
        });
        id
    }

    fn new_var(&mut self, name: Symbol, owner: LambdaId, kind: VarKind) -> VarId {
        let name = self.local_names.renumbered(self.types, name);
        let id = VarId(self.out.vars.len() as u32);
        self.out.vars.push(Var {
            name,
            owner,
            kind,
            ty: None,
            assignments: 0,
            assigned_at: Vec::new(),
            group: None,
            assigned_inside: false,
            captured: false,
            hidden: None,
            boxed: false,
            maybe_undefined: false,
        });
        id
    }

    fn var(&mut self, id: VarId) -> &mut Var {
        &mut self.out.vars[id.0 as usize]
    }

    /// The binding of a name here.
    fn find(&self, name: Symbol) -> Option<Binding> {
        self.scopes.iter().rev().find_map(|it| it.names.get(&name).copied())
    }

    fn lookup(&self, name: Symbol) -> Binding {
        self.find(name).unwrap_or(Binding::Global(self.module, name))
    }

    /// Whether a constant of this name belongs to the module: there is no scope here, or a surrounding one declares
    /// it global.
    fn is_declared(&self, name: Symbol) -> bool {
        self.scopes.len() == 1 || self.scopes.iter().skip(1).any(|it| it.names.contains_key(&name))
    }

    fn is_local(&self, node: &HirNode) -> bool {
        matches!(node.kind, HirKind::Name(name) if matches!(self.lookup(name), Binding::Var(_)))
    }

    fn resolved(&mut self, name: Symbol, mention: bool) -> HirKind {
        match self.lookup(name) {
            Binding::Global(module, name) => HirKind::Global(module, name),
            Binding::Var(var) => {
                if mention && self.out.vars[var.0 as usize].owner != self.lambda {
                    self.mentions.push((self.lambda, var));
                }
                HirKind::Var(var)
            }
        }
    }

    fn node(&mut self, node: &mut HirNode) {
        let loc = node.loc;
        match &mut node.kind {
            HirKind::Name(name) => node.kind = self.resolved(*name, true),
            HirKind::Assign(target, value) => {
                self.node(value);
                self.assign(target);
            }
            HirKind::Scope(scope) => self.scope(scope),
            HirKind::Local(_) => node.kind = HirKind::Block(Vec::new()),
            HirKind::RequireLocal(_) | HirKind::NoLocals(_) | HirKind::DefinitionCheck(_) => self.check(node),
            HirKind::DeclType(name, ty) => {
                let name = *name;
                self.node(ty);
                let global = self.declare_type(name, ty, loc);
                node.kind = match global {
                    Some((module, name)) => HirKind::GlobalType(module, name, ty.clone()),
                    None => HirKind::Block(Vec::new()),
                };
            }
            HirKind::AliasDecl(target, value) if self.is_local(target) => {
                self.node(value);
                self.assign(target);
                node.kind = HirKind::Assign(target.clone(), value.clone());
            }
            HirKind::AliasDecl(target, value) => {
                node.kind = HirKind::ConstDecl(target.clone(), value.clone());
                self.node(node);
            }
            HirKind::ConstDecl(target, value) => {
                let undeclared = matches!(target.kind, HirKind::Name(name) if !self.is_declared(name));
                self.node(value);
                self.node(target);
                if undeclared || matches!(target.kind, HirKind::Var(_)) {
                    let message = "unsupported `const` declaration on local variable";
                    self.fail(problem("const-local", message, loc));
                } else if self.lambda != LambdaId(0) {
                    self.fail(problem(
                        "const-in-function",
                        "`global const` declaration not allowed inside function",
                        loc,
                    ));
                }
            }
            HirKind::GenericFunction(name) => {
                self.node(name);
                if let HirKind::Var(var) = name.kind {
                    let group = self.group_of(Some(var), loc);
                    self.out.groups[group.0 as usize].loc = loc;
                    node.kind = self.closure_assignment(var, (group, 0..0), loc);
                }
            }
            HirKind::Function(_) => self.function(node),
            HirKind::TypeOfFunction(name) => {
                if let HirKind::Name(it) = name.kind {
                    name.kind = self.resolved(it, false);
                } else {
                    self.node(name);
                }
            }
            HirKind::Locals => node.kind = self.locals(loc),
            HirKind::Label(_) => {
                let lambda = self.lambda.0 as usize;
                self.out.lambdas[lambda].has_labels = true;
            }
            other => other.children_mut(&mut |child| self.node(child)),
        }
    }

    /// Makes the check that the node asks for. Nothing of the node is left.
    fn check(&mut self, node: &mut HirNode) {
        let loc = node.loc;
        let kind = std::mem::replace(&mut node.kind, HirKind::Block(Vec::new()));
        let is_local = |this: &Self, name| matches!(this.lookup(name), Binding::Var(_));
        if let HirKind::DefinitionCheck(parts) = kind {
            self.definition_check(parts, loc);
        } else if let HirKind::RequireLocal(name) = kind
            && !is_local(self, name)
        {
            let message = "no outer local variable declaration exists for \"for outer\"";
            self.fail(problem("no-outer-local", message, loc));
        } else if let HirKind::NoLocals(names) = kind
            && names.iter().any(|&it| is_local(self, it))
        {
            let message = "ccall function name and library expression cannot reference local variables";
            self.fail(problem("local-in-foreign-name", message, loc));
        }
    }

    fn assign(&mut self, target: &mut HirNode) {
        self.node(target);
        if let HirKind::Var(var) = target.kind {
            let (lambda, loc) = (self.lambda, target.loc);
            let info = self.var(var);
            info.assigned_at.push(loc);
            info.assignments += 1;
            info.assigned_inside |= info.owner != lambda;
            if info.kind == VarKind::StaticParam {
                let message = format!(
                    "local variable name \"{}\" conflicts with a static parameter",
                    self.name_of(var)
                );
                self.fail(problem("assign-static-parameter", message, target.loc));
            }
        }
    }

    fn name_of(&self, var: VarId) -> &str {
        self.types.name(self.out.vars[var.0 as usize].name)
    }

    /// Notes the declared type of a local. A global's belongs to its binding: which one.
    fn declare_type(&mut self, name: Symbol, ty: &HirNode, loc: SourceLoc) -> Option<(Module, Symbol)> {
        match self.lookup(name) {
            Binding::Var(var) => {
                if self.var(var).ty.is_some() {
                    let message = format!("multiple type declarations for `{}`", self.types.name(name));
                    self.fail(problem("duplicate-type-declaration", message, loc));
                }
                self.var(var).ty = Some(ty.clone());
                None
            }
            Binding::Global(module, name) => {
                if self.lambda != LambdaId(0) {
                    let message = format!(
                        "type declaration for the global `{}` is not at top level",
                        self.types.name(name)
                    );
                    self.fail(problem("global-type-in-function", message, loc));
                }
                Some((module, name))
            }
        }
    }

    fn scope(&mut self, scope: &mut ScopeData) {
        let mut names = FxHashMap::default();
        let mut declared = Vec::new();
        let mut collected = Collected::default();
        collected.walk(&scope.body);
        let loc = scope.body.loc;
        self.check_declarations(&collected, &scope.fresh, loc);
        let soft = scope.soft && self.scopes.last().is_some_and(|it| it.soft && it.lambda == self.lambda);
        for (name, module) in &collected.globals {
            names.insert(*name, Binding::Global(module.unwrap_or(self.module), *name));
        }
        let caught = scope.caught.filter(|it| !self.is_outer_local(*it));
        for &name in scope.fresh.iter().chain(&caught).chain(&collected.locals) {
            if let std::collections::hash_map::Entry::Vacant(entry) = names.entry(name) {
                let var = self.new_var(name, self.lambda, VarKind::Local);
                entry.insert(Binding::Var(var));
                declared.push(var);
            }
        }
        for &name in &collected.assigned {
            if names.contains_key(&name) || self.is_outer_local(name) {
                continue;
            }
            if soft && (self.host.is_global(self.module, name) || self.assigned_at_top.contains(&name)) {
                if self.softscope {
                    names.insert(name, Binding::Global(self.module, name));
                    continue;
                }
                self.warn_of_soft_scope(name, loc);
            }
            let var = self.new_var(name, self.lambda, VarKind::Local);
            names.insert(name, Binding::Var(var));
            declared.push(var);
        }
        self.push_scope(names, self.lambda);
        if let Some(it) = self.scopes.last_mut() {
            it.soft = soft;
        }
        self.node(&mut scope.body);
        self.scopes.pop();
        scope.vars = declared;
    }

    /// Rejects declarations of one scope that contradict each other or their surroundings.
    fn check_declarations(&mut self, collected: &Collected, fresh: &[Symbol], loc: SourceLoc) {
        for &(name, _) in &collected.globals {
            let text = self.types.name(name);
            if collected.locals.contains(&name) || fresh.contains(&name) {
                let message = format!("variable \"{text}\" declared both local and global");
                return self.fail(problem("local-and-global", message, loc));
            }
            let outer = self.find(name);
            if let Some(Binding::Var(var)) = outer
                && self.out.vars[var.0 as usize].owner == self.lambda
            {
                let message = format!("`global {text}`: {text} is a local variable in its enclosing scope");
                return self.fail(problem("global-of-local", message, loc));
            }
        }
        let Some(around) = self.scopes.last().filter(|it| it.arguments && fresh.is_empty()) else { return };
        for &name in &collected.locals {
            let Some(&Binding::Var(var)) = around.names.get(&name) else { continue };
            let what = match self.out.vars[var.0 as usize].kind {
                VarKind::StaticParam => "a static parameter",
                VarKind::Arg | VarKind::Local => "an argument",
            };
            let message = format!("local variable name \"{}\" conflicts with {what}", self.types.name(name));
            return self.fail(problem("local-and-argument", message, loc));
        }
    }

    /// An assignment in a loop at top level makes a local although there is a global of the name.
    fn warn_of_soft_scope(&mut self, name: Symbol, loc: SourceLoc) {
        let name = self.types.name(name);
        let message = format!(
            "Assignment to `{name}` in soft scope is ambiguous because a global variable by the same name exists: \
             `{name}` will be treated as a new local. Disambiguate by using `local {name}` to suppress this warning or \
             `global {name}` to assign to the existing global variable."
        );
        self.out.warnings.push(LowerWarning { message, loc });
    }

    /// Whether assigning a name in a new scope assigns a variable of a surrounding one. A `global` declaration in a
    /// surrounding scope reaches inward too, into functions as well; one at top level does not.
    fn is_outer_local(&self, name: Symbol) -> bool {
        for scope in self.scopes.iter().rev() {
            match scope.names.get(&name) {
                Some(Binding::Var(var)) => {
                    return self.out.vars[var.0 as usize].kind != VarKind::StaticParam
                        || scope.lambda == self.lambda;
                }
                Some(Binding::Global(..)) => {
                    let ends = mutant::is_set(self.types, FrontMutant::GlobalEndsAtFunction);
                    return !(scope.top || ends && scope.lambda != self.lambda);
                }
                None => {}
            }
        }
        false
    }

    fn push_scope(&mut self, names: FxHashMap<Symbol, Binding>, lambda: LambdaId) {
        self.scopes.push(Scope { names, lambda, top: false, arguments: false, soft: false });
    }

    /// The group of a local function in the body that is being resolved; a new one for `None`. A body further in that defines methods
    /// of an outer function makes a new function of them, which the variable then is.
    fn group_of(&mut self, var: Option<VarId>, loc: SourceLoc) -> GroupId {
        let lambda = self.lambda;
        let is_own = |it: &Group| it.var == var && it.lambda == lambda;
        if let Some(found) = var.and_then(|_| self.out.groups.iter().position(is_own)) {
            return GroupId(found as u32);
        }
        let group = GroupId(self.out.groups.len() as u32);
        let name = match var {
            Some(var) => self.out.vars[var.0 as usize].name,
            None => self.types.symbol(""),
        };
        self.out.groups.push(Group { name, var, lambda, methods: Vec::new(), captures: Vec::new(), loc });
        if let Some(var) = var {
            self.var(var).group = Some(group);
        }
        group
    }

    fn closure_assignment(
        &mut self,
        var: VarId,
        (group, methods): (GroupId, Range<usize>),
        loc: SourceLoc,
    ) -> HirKind {
        let lambda = self.lambda;
        let info = self.var(var);
        info.assigned_inside |= info.owner != lambda;
        let target = HirNode::new(HirKind::Var(var), loc);
        HirKind::Assign(Box::new(target), Box::new(HirNode::new(HirKind::Closure(group, methods), loc)))
    }

    fn function(&mut self, node: &mut HirNode) {
        let loc = node.loc;
        let placeholder = HirKind::Block(Vec::new());
        let HirKind::Function(mut def) = std::mem::replace(&mut node.kind, placeholder) else { return };
        let group = match &mut def.callee {
            Callee::Anonymous => Some(self.group_of(None, loc)),
            Callee::Named(name) => {
                self.node(name);
                match name.kind {
                    HirKind::Var(var) if self.var(var).kind == VarKind::Local => {
                        Some(self.group_of(Some(var), loc))
                    }
                    HirKind::Var(var) => {
                        let message = format!("cannot add a method to the variable `{}`", self.name_of(var));
                        self.fail(problem("invalid-function-name", message, loc));
                        return;
                    }
                    _ => None,
                }
            }
            Callee::Typed => None,
        };
        if group.is_none() && self.lambda != LambdaId(0) {
            let message = "a method of a global function can only be defined at top level";
            let error = problem("method-in-function", message, loc);
            self.fail(error);
            return;
        }
        let function = match &def.callee {
            Callee::Named(name) => global_name(name),
            Callee::Anonymous | Callee::Typed => None,
        };
        for method in &mut def.methods {
            self.method(method, group);
            self.out.lambdas[method.lambda.id.0 as usize].function = function;
        }
        match group {
            Some(group) => {
                let known = &mut self.out.groups[group.0 as usize].methods;
                let first = known.len();
                known.append(&mut def.methods);
                let methods = first..known.len();
                node.kind = match self.out.groups[group.0 as usize].var {
                    Some(var) => self.closure_assignment(var, (group, methods), loc),
                    None => HirKind::Closure(group, methods),
                };
            }
            None => node.kind = HirKind::Function(def),
        }
    }

    fn method(&mut self, method: &mut MethodDef, group: Option<GroupId>) {
        let outer = self.lambda;
        if method.lambda.meta.generated && outer != LambdaId(0) {
            let message = "Global method definition needs to be placed at the top level, or use \"eval\".";
            self.fail(problem("method-in-function", message, method.loc));
        }
        let id = self.new_lambda(outer, group.is_none());
        method.lambda.id = id;
        if let Some(var) = group.and_then(|it| self.out.groups[it.0 as usize].var) {
            self.out.lambdas[id.0 as usize].aliases.push((var, method.lambda.self_arg));
        }
        if let Some((index, name)) = method.lambda.alias
            && let Binding::Var(var) = self.lookup(name)
        {
            self.out.lambdas[id.0 as usize].aliases.push((var, index));
        }
        // Types see the static parameters; those of a closure are evaluated where its type is made.
        let mut names = FxHashMap::default();
        let is_generator = method.lambda.meta.generated;
        for typevar in &mut method.typevars {
            let var = self.new_var(typevar.name, id, VarKind::StaticParam);
            names.insert(typevar.name, Binding::Var(var));
            self.agree_on_name(var, &mut typevar.name, is_generator);
            method.lambda.sparam_vars.push(var);
        }
        for name in &mut method.unbound {
            let var = self.new_var(*name, id, VarKind::StaticParam);
            names.insert(*name, Binding::Var(var));
            self.agree_on_name(var, name, is_generator);
            method.lambda.sparam_vars.push(var);
        }
        self.push_scope(names.clone(), id);
        // In the signature of a closure a mention of an outer static parameter captures it.
        if group.is_some() {
            self.lambda = id;
        }
        for typevar in &mut method.typevars {
            typevar.lower.iter_mut().chain(&mut typevar.upper).for_each(|it| self.node(it));
        }
        method.types.iter_mut().for_each(|it| self.signature_node(it));
        self.lambda = outer;
        method.table.iter_mut().for_each(|it| self.node(it));
        self.lambda = id;
        self.scopes.pop();
        self.lambda_body(method, id, names);
        method.checks = self.checks_of(id);
        self.lambda = outer;
    }

    /// Gives a parameter the name of its variable. A generator's parameter has the name that its expression uses.
    fn agree_on_name(&mut self, var: VarId, name: &mut Symbol, is_generator: bool) {
        let info = self.var(var);
        if is_generator {
            info.name = *name;
        } else {
            *name = info.name;
        }
    }

    /// As [`Self::node`]; the variables of the method itself are not mentions of another function's.
    fn signature_node(&mut self, node: &mut HirNode) {
        self.node(node);
    }

    fn lambda_body(&mut self, method: &mut MethodDef, id: LambdaId, mut names: FxHashMap<Symbol, Binding>) {
        let lambda = &mut method.lambda;
        for arg in &mut lambda.args {
            let var = self.new_var(*arg, id, VarKind::Arg);
            names.insert(*arg, Binding::Var(var));
            self.agree_on_name(var, arg, lambda.meta.generated);
            lambda.arg_vars.push(var);
        }
        self.push_scope(names, id);
        if let Some(it) = self.scopes.last_mut() {
            it.arguments = true;
        }
        if let Some(ret) = &mut lambda.ret {
            self.node(ret);
        }
        let mut scope = ScopeData {
            fresh: Vec::new(),
            caught: None,
            soft: false,
            body: std::mem::replace(&mut *lambda.body, HirNode::new(HirKind::TheException, lambda.loc)),
            vars: Vec::new(),
        };
        // The body may not declare an argument again.
        self.scope(&mut scope);
        let loc = lambda.loc;
        *lambda.body = HirNode::new(HirKind::Scope(Box::new(scope)), loc);
        self.scopes.pop();
    }
}

/// The name of the global function that a definition is of.
fn global_name(name: &HirNode) -> Option<Symbol> {
    if let HirKind::Global(_, name) = name.kind { Some(name) } else { None }
}
