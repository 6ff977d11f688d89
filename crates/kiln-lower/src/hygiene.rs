//! Hygiene: the variables that names in a macro's result refer to.
//!
//! A name that the result assigns, declares or takes as an argument becomes a fresh variable, under a new name; every
//! other name is a global of the macro's module. `escape` switches back to the code of the caller. Labels (fields,
//! keywords of calls and methods) are unchanged.

use crate::error::{Lowering, problem};
use crate::expand::DEPTH_MAX;
use crate::hygiene_names::{Names, is_signature};
use kiln_ir::{Ast, Expr, ExprId, SourceLoc};
use kiln_types::{ConstData, Module, Symbol, Types, gensym};

/// One expansion, or the user's code.
struct Context {
    /// `None` for the user's code, whose names are unchanged.
    module: Option<Module>,
    /// The meaning of names, innermost last.
    env: Vec<(Symbol, Symbol)>,
    number: u32,
}

/// The walk.
pub(crate) struct Hygiene<'a> {
    types: &'a Types,
    ast: &'a mut Ast,
    contexts: Vec<Context>,
    depth: u32,
}

impl<'a> Hygiene<'a> {
    pub(crate) fn new(types: &'a Types, ast: &'a mut Ast) -> Self {
        Self { types, ast, contexts: vec![Context { module: None, env: Vec::new(), number: 0 }], depth: 0 }
    }

    /// Gives the expression without marks.
    pub(crate) fn resolve(mut self, e: ExprId) -> Lowering<ExprId> {
        self.expr(e)
    }

    fn context(&mut self) -> &mut Context {
        let last = self.contexts.len() - 1;
        &mut self.contexts[last]
    }

    fn in_macro(&mut self) -> bool {
        self.context().module.is_some()
    }

    fn expr(&mut self, e: ExprId) -> Lowering<ExprId> {
        let loc = self.ast.loc(e);
        if self.depth >= DEPTH_MAX {
            return Err(problem("nesting-too-deep", "this expression nests too deeply", loc));
        }
        self.depth += 1;
        let result = match self.ast.expr(e).clone() {
            Expr::Symbol(name) => Ok(self.symbol(e, name, loc)),
            Expr::Node { head, args } => self.node(e, head, &args, loc),
            Expr::Const(_) | Expr::Global(..) | Expr::Quote(_) | Expr::Line { .. } => Ok(e),
        };
        self.depth -= 1;
        result
    }

    fn symbol(&mut self, e: ExprId, name: Symbol, loc: SourceLoc) -> ExprId {
        let Some(module) = self.context().module else { return e };
        let text = self.types.name(name);
        if matches!(text, "end" | "begin" | "new" | "ccall") || text.bytes().all(|it| it == b'_') {
            return e;
        }
        let found = self.context().env.iter().rev().find(|it| it.0 == name).map(|it| it.1);
        match found {
            Some(renamed) if renamed == name => e,
            Some(renamed) => self.ast.push(Expr::Symbol(renamed), loc),
            None => self.ast.push(Expr::Global(module, name), loc),
        }
    }

    fn node(&mut self, e: ExprId, head: Symbol, args: &[ExprId], loc: SourceLoc) -> Lowering<ExprId> {
        match (self.types.name(head), args) {
            ("escape", [inner, ..]) => self.escape(*inner),
            ("hygienic-scope", [inner, module, ..]) => self.hygienic_scope(*inner, *module),
            ("inert" | "module" | "using" | "import", _) => Ok(e),
            ("export" | "public", names) => {
                let names = names.iter().map(|it| self.bare(*it)).collect();
                Ok(self.ast.node(head, names, loc))
            }
            ("quote", _) => self.quote(e, head, args, 0),
            _ if !self.in_macro() => self.children(e, head, args),
            ("line" | "inbounds" | "loopinfo" | "break" | "continue", _) => Ok(e),
            // Labels of an expansion are its own.
            ("symboliclabel" | "symbolicgoto", [label]) => {
                let Expr::Symbol(name) = *self.ast.expr(*label) else { return Ok(e) };
                let renamed = self.renamed(name);
                let renamed = self.ast.push(Expr::Symbol(renamed), loc);
                Ok(self.ast.node(head, vec![renamed], loc))
            }
            ("meta", _) => self.meta(e, head, args),
            ("global", _) => self.global(head, args, loc),
            (".", [object, field]) if !self.is_head(*field, "tuple") => {
                let object = self.expr(*object)?;
                let field = match self.ast.expr(*field) {
                    Expr::Symbol(_) => *field,
                    _ => self.expr(*field)?,
                };
                Ok(self.ast.node(head, vec![object, field], loc))
            }
            ("kw", [name, value]) => {
                let value = self.expr(*value)?;
                let name = self.bare(*name);
                Ok(self.ast.node(head, vec![name, value], loc))
            }
            ("tuple" | "parameters", _) => self.named_parts(e, head, args),
            ("function" | "macro", [signature, body]) => self.function(head, *signature, *body, loc),
            ("->", [signature, body]) => self.function(head, *signature, *body, loc),
            ("=", [signature, body]) if is_signature(self.types, self.ast, *signature) => {
                self.function(head, *signature, *body, loc)
            }
            ("where", [body, vars @ ..]) => self.where_(head, *body, vars, loc),
            ("struct", [mutable, name, body]) => self.struct_(head, *mutable, *name, *body, loc),
            ("abstract" | "primitive", [name, rest @ ..]) => self.type_definition(head, *name, rest, loc),
            ("=", [target, value]) if self.is_head(*target, "curly") => {
                self.type_definition(head, *target, &[*value], loc)
            }
            _ => self.children(e, head, args),
        }
    }

    fn is_head(&self, e: ExprId, head: &str) -> bool {
        self.ast.as_node(e).is_some_and(|(it, _)| self.types.name(it) == head)
    }

    fn children(&mut self, e: ExprId, head: Symbol, args: &[ExprId]) -> Lowering<ExprId> {
        let mut changed = false;
        let mut all = Vec::with_capacity(args.len());
        for &it in args {
            let new = self.expr(it)?;
            changed |= new != it;
            all.push(new);
        }
        Ok(if changed { self.ast.node(head, all, self.ast.loc(e)) } else { e })
    }

    /// An expression in the code of the caller.
    fn escape(&mut self, inner: ExprId) -> Lowering<ExprId> {
        self.outside(|this| this.expr(inner))
    }

    /// Runs `walk` in the code of the caller.
    fn outside<T>(&mut self, walk: impl FnOnce(&mut Self) -> Lowering<T>) -> Lowering<T> {
        if self.contexts.len() == 1 {
            return walk(self);
        }
        let top = self.contexts.pop();
        let result = walk(self);
        self.contexts.extend(top);
        result
    }

    /// Returns a name without the marks around it, otherwise unchanged.
    fn bare(&self, e: ExprId) -> ExprId {
        match self.ast.as_node(e) {
            Some((head, [inner, ..])) if matches!(self.types.name(head), "escape" | "hygienic-scope") => {
                self.bare(*inner)
            }
            _ => e,
        }
    }

    fn hygienic_scope(&mut self, inner: ExprId, module: ExprId) -> Lowering<ExprId> {
        self.in_scope_of(inner, module, |this| this.expr(inner))
    }

    /// Runs `walk` in an expansion of a macro of the module.
    fn in_scope_of<T>(
        &mut self,
        inner: ExprId,
        module: ExprId,
        walk: impl FnOnce(&mut Self) -> Lowering<T>,
    ) -> Lowering<T> {
        let module = match *self.ast.expr(module) {
            Expr::Const(value) => match *self.types.const_data(value) {
                ConstData::Module(module) => Some(module),
                _ => None,
            },
            Expr::Node { .. } | Expr::Symbol(_) | Expr::Global(..) | Expr::Quote(_) | Expr::Line { .. } => {
                None
            }
        };
        let number = gensym::fresh_number(self.types);
        self.contexts.push(Context { module, env: Vec::new(), number });
        let mut names = Names::default();
        names.assigned(self.types, self.ast, inner, 0);
        let result = self.with_names(&names, false, walk);
        self.contexts.pop();
        result
    }

    /// Runs `walk` with names in scope. Unless they are `fresh`, names that already have a meaning keep it.
    fn with_names<T>(
        &mut self,
        names: &Names,
        fresh: bool,
        walk: impl FnOnce(&mut Self) -> Lowering<T>,
    ) -> Lowering<T> {
        let depth = self.context().env.len();
        for &name in &names.kept {
            self.context().env.push((name, name));
        }
        for &name in &names.renamed {
            let known = self.context().env.iter().any(|it| it.0 == name);
            if names.kept.contains(&name) || names.globals.contains(&name) || (known && !fresh) {
                continue;
            }
            let renamed = self.renamed(name);
            self.context().env.push((name, renamed));
        }
        let result = walk(self);
        self.context().env.truncate(depth);
        result
    }

    /// The name that a name gets in this expansion.
    fn renamed(&mut self, name: Symbol) -> Symbol {
        let number = self.context().number;
        self.types.symbol(&format!("#{number}#{}", self.types.name(name)))
    }

    fn quote(&mut self, e: ExprId, head: Symbol, args: &[ExprId], depth: u32) -> Lowering<ExprId> {
        let mut changed = false;
        let mut all = Vec::with_capacity(args.len());
        for &it in args {
            let new = self.quoted(it, depth)?;
            changed |= new != it;
            all.push(new);
        }
        Ok(if changed { self.ast.node(head, all, self.ast.loc(e)) } else { e })
    }

    fn quoted(&mut self, e: ExprId, depth: u32) -> Lowering<ExprId> {
        let Some((head, args)) = self.ast.as_node(e) else { return Ok(e) };
        let (head, args) = (head, args.to_vec());
        match self.types.name(head) {
            "$" if depth == 0 => self.children(e, head, &args),
            "$" => self.quote(e, head, &args, depth - 1),
            "quote" => self.quote(e, head, &args, depth + 1),
            "inert" => Ok(e),
            _ => self.quote(e, head, &args, depth),
        }
    }

    /// Only the arguments that `@nospecialize` names are variables.
    fn meta(&mut self, e: ExprId, head: Symbol, args: &[ExprId]) -> Lowering<ExprId> {
        let Some((&what, rest)) = args.split_first() else { return Ok(e) };
        if !matches!(self.ast.expr(what), Expr::Symbol(name) if self.types.name(*name) == "nospecialize") {
            return Ok(e);
        }
        let mut all = vec![what];
        for &it in rest {
            all.push(self.expr(it)?);
        }
        Ok(self.ast.node(head, all, self.ast.loc(e)))
    }

    /// `global x` declares a global of the module that uses the macro: its name is unchanged.
    fn global(&mut self, head: Symbol, args: &[ExprId], loc: SourceLoc) -> Lowering<ExprId> {
        let mut all = Vec::with_capacity(args.len());
        for &it in args {
            all.push(self.declared_global(it)?);
        }
        Ok(self.ast.node(head, all, loc))
    }

    fn declared_global(&mut self, e: ExprId) -> Lowering<ExprId> {
        let Some((head, args)) = self.ast.as_node(e) else { return Ok(e) };
        let (head, args) = (head, args.to_vec());
        let loc = self.ast.loc(e);
        match (self.types.name(head), args.as_slice()) {
            ("=", [target, _]) if is_signature(self.types, self.ast, *target) => self.expr(e),
            ("::" | "=", [target, other]) => {
                let target = self.declared_global(*target)?;
                let other = self.expr(*other)?;
                Ok(self.ast.node(head, vec![target, other], loc))
            }
            ("tuple" | "parameters" | "const", _) => {
                let mut all = Vec::with_capacity(args.len());
                for it in args {
                    all.push(self.declared_global(it)?);
                }
                Ok(self.ast.node(head, all, loc))
            }
            _ => self.expr(e),
        }
    }

    /// Parts of a tuple or of a `;` section: in `(a = 1, b)` only the value of `a` is a variable.
    fn named_parts(&mut self, e: ExprId, head: Symbol, args: &[ExprId]) -> Lowering<ExprId> {
        let mut all = Vec::with_capacity(args.len());
        let parameters = self.types.name(head) == "parameters";
        for &it in args {
            let loc = self.ast.loc(it);
            all.push(match self.ast.expr(it).clone() {
                Expr::Symbol(_) if parameters => {
                    let value = self.expr(it)?;
                    let kw = self.types.symbol("kw");
                    self.ast.node(kw, vec![it, value], loc)
                }
                Expr::Node { head, args } if self.types.name(head) == "=" && args.len() == 2 => {
                    let value = self.expr(args[1])?;
                    let name = self.bare(args[0]);
                    self.ast.node(head, vec![name, value], loc)
                }
                _ => self.expr(it)?,
            });
        }
        Ok(self.ast.node(head, all, self.ast.loc(e)))
    }

    fn function(
        &mut self,
        head: Symbol,
        signature: ExprId,
        body: ExprId,
        loc: SourceLoc,
    ) -> Lowering<ExprId> {
        let mut args = Names::default();
        args.signature(self.types, self.ast, signature);
        let mut locals = Names::default();
        locals.assigned(self.types, self.ast, body, 0);
        // The name of the function is looked up outside it.
        let name = self.callee_name(signature);
        let name = match name {
            Some(name) => Some((name, self.expr(name)?)),
            None => None,
        };
        self.with_names(&args, true, |this| {
            this.with_names(&locals, false, |this| {
                let signature = this.signature(signature, name)?;
                let body = this.expr(body)?;
                Ok(this.ast.node(head, vec![signature, body], loc))
            })
        })
    }

    /// The plain name that a signature defines.
    fn callee_name(&self, signature: ExprId) -> Option<ExprId> {
        let (head, args) = self.ast.as_node(signature)?;
        match (self.types.name(head), args) {
            ("call", [name, ..]) if matches!(self.ast.expr(*name), Expr::Symbol(_)) => Some(*name),
            ("where" | "::", [inner, ..]) => self.callee_name(*inner),
            _ => None,
        }
    }

    /// As [`Self::expr`], where `k = v` among the arguments is an argument named `k`.
    fn signature(&mut self, e: ExprId, name: Option<(ExprId, ExprId)>) -> Lowering<ExprId> {
        if let Some((old, new)) = name
            && old == e
        {
            return Ok(new);
        }
        let Some((head, args)) = self.ast.as_node(e) else { return self.expr(e) };
        let (head, args) = (head, args.to_vec());
        let inner_is_signature = match self.types.name(head) {
            "kw" | "=" => 1,
            "where" | "::" => 1,
            "call" | "tuple" | "parameters" | "..." | "block" | "meta" => args.len(),
            _ => return self.expr(e),
        };
        let mut all = Vec::with_capacity(args.len());
        for (index, it) in args.into_iter().enumerate() {
            let is_mark = self.types.name(head) == "meta" && index == 0;
            all.push(match index {
                _ if is_mark => it,
                _ if index < inner_is_signature => self.signature(it, name)?,
                _ => self.expr(it)?,
            });
        }
        Ok(self.ast.node(head, all, self.ast.loc(e)))
    }

    fn where_(&mut self, head: Symbol, body: ExprId, vars: &[ExprId], loc: SourceLoc) -> Lowering<ExprId> {
        let mut names = Names::default();
        vars.iter().for_each(|&it| names.type_var(self.types, self.ast, it));
        self.with_names(&names, true, |this| {
            let mut all = vec![this.expr(body)?];
            for &it in vars {
                all.push(this.expr(it)?);
            }
            Ok(this.ast.node(head, all, loc))
        })
    }

    /// Fields and the type itself keep their names.
    fn struct_(
        &mut self,
        head: Symbol,
        mutable: ExprId,
        name: ExprId,
        body: ExprId,
        loc: SourceLoc,
    ) -> Lowering<ExprId> {
        let mut names = Names::default();
        names.type_head(self.types, self.ast, name);
        self.with_names(&names, true, |this| {
            let name = this.type_head(name)?;
            let body = this.fields(body)?;
            Ok(this.ast.node(head, vec![mutable, name, body], loc))
        })
    }

    /// A type or an alias with its parameters, which are in scope after it.
    fn type_definition(
        &mut self,
        head: Symbol,
        name: ExprId,
        rest: &[ExprId],
        loc: SourceLoc,
    ) -> Lowering<ExprId> {
        let mut names = Names::default();
        names.type_parameters(self.types, self.ast, name);
        self.with_names(&names, true, |this| {
            let is_alias = this.types.name(head) == "=";
            let mut all = vec![if is_alias { this.expr(name)? } else { this.type_head(name)? }];
            for &it in rest {
                all.push(this.expr(it)?);
            }
            Ok(this.ast.node(head, all, loc))
        })
    }

    fn type_head(&mut self, e: ExprId) -> Lowering<ExprId> {
        let Some((head, args)) = self.ast.as_node(e) else { return Ok(e) };
        let (head, args) = (head, args.to_vec());
        match self.types.name(head) {
            "<:" | "curly" => {
                let mut all = Vec::with_capacity(args.len());
                for (index, it) in args.into_iter().enumerate() {
                    all.push(if index == 0 { self.type_head(it)? } else { self.expr(it)? });
                }
                Ok(self.ast.node(head, all, self.ast.loc(e)))
            }
            _ => self.expr(e),
        }
    }

    fn fields(&mut self, e: ExprId) -> Lowering<ExprId> {
        let loc = self.ast.loc(e);
        let Some((head, args)) = self.ast.as_node(e) else {
            return Ok(e);
        };
        let (head, args) = (head, args.to_vec());
        match self.types.name(head) {
            "block" | "const" | "atomic" => {
                let mut all = Vec::with_capacity(args.len());
                for it in args {
                    all.push(self.fields(it)?);
                }
                Ok(self.ast.node(head, all, loc))
            }
            // A macro may have written the field.
            "hygienic-scope" if args.len() >= 2 => {
                self.in_scope_of(args[0], args[1], |this| this.fields(args[0]))
            }
            "escape" if !args.is_empty() => self.outside(|this| this.fields(args[0])),
            "::" if args.len() == 2 => {
                let ty = self.expr(args[1])?;
                let name = self.bare(args[0]);
                Ok(self.ast.node(head, vec![name, ty], loc))
            }
            _ => self.expr(e),
        }
    }
}
