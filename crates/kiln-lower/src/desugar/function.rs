//! Function definitions: named, anonymous, callable objects, default arguments, macros.

use super::Desugar;
use super::call::Arg;
use super::signature::{ArgSpec, CalleeSyntax, Signature};
use crate::error::{LowerWarning, Lowering, problem};
use crate::hir::{Callee, FunctionDef, HirKind, HirNode, Lambda, LambdaId, MethodDef, TypeVar};
use kiln_ir::{CodeMeta, Expr, ExprId, Mark, SourceLoc};
use kiln_types::{Module, Symbol, consts};

/// The syntax of one method; the rest is in its [`Signature`].
pub(super) struct MethodParts<'a> {
    /// Arguments before the signature's own, the function's own first.
    pub(super) leading: Vec<(Symbol, HirNode)>,
    pub(super) args: &'a [ArgSpec],
    pub(super) body: HirNode,
    pub(super) meta: CodeMeta,
    pub(super) nospecialize: &'a [Option<Symbol>],
    pub(super) ret: bool,
    pub(super) self_arg: usize,
    pub(super) alias: Option<(usize, Symbol)>,
    pub(super) name: Symbol,
}

impl Desugar<'_> {
    pub(super) fn function(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("function", args, 1, 2, loc)?;
        if args.len() == 1 {
            return match *self.ast.expr(args[0]) {
                Expr::Symbol(_) | Expr::Global(..) => {
                    let name = self.expr(args[0])?;
                    Ok(HirNode::new(HirKind::GenericFunction(Box::new(name)), loc))
                }
                Expr::Node { .. } | Expr::Const(_) | Expr::Quote(_) | Expr::Line { .. } => {
                    Err(problem("invalid-function-name", "`function f end` needs a plain name", loc))
                }
            };
        }
        let signature = self.signature(args[0])?;
        self.define(signature, args[1], loc)
    }

    pub(super) fn arrow(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("->", args, 2, 2, loc)?;
        // `(a, b)::T -> c` takes one argument apart; it says nothing of the result.
        let typed = matches!(self.parts(args[0]), Some((head, parts))
            if head == "::" && parts.first().is_some_and(|&it| self.is_head(it, "tuple")));
        let head = if typed { self.make("tuple", vec![args[0]], loc) } else { args[0] };
        let mut signature = self.signature(head)?;
        // `f(x) -> y` is a function of one argument that is no pattern: an error in `arguments`.
        signature.callee = CalleeSyntax::Anonymous;
        self.define(signature, args[1], loc)
    }

    pub(super) fn anonymous_function(
        &mut self,
        args: &[ExprId],
        body: ExprId,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let tuple = self.make("tuple", args.to_vec(), loc);
        self.arrow(&[tuple, body], loc)
    }

    fn define(&mut self, signature: Signature, body: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        let outer = self.enter_constructor(&signature);
        let node = self.define_inside(signature, body, loc);
        self.leave_constructor(outer);
        node
    }

    fn define_inside(&mut self, mut signature: Signature, body: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        if signature.has_keywords {
            // A keyword function calls itself by name, so an anonymous one gets a name.
            if matches!(signature.callee, CalleeSyntax::Anonymous) {
                let name = self.fresh_name("");
                signature.callee = CalleeSyntax::Named(self.make_symbol(name, loc));
                let def = self.define_with_keywords(&signature, body, loc)?;
                let value = self.name(name, loc);
                return Ok(self.scope(vec![name], HirNode::block(vec![def, value], loc), loc));
            }
            return self.define_with_keywords(&signature, body, loc);
        }
        let generator = self.generator_call(&signature, body)?;
        if let Some(parts) = generator.or_else(|| self.generated_parts(body)) {
            let fallback = self.fallback(body);
            return self.define_generated(&signature, &parts, fallback, loc);
        }
        let (body, meta, nospecialize) = self.function_body(&signature.args, body)?;
        self.define_plain(&signature, body, meta, &nospecialize, loc)
    }

    /// The methods of a function without keywords: one for each number of arguments it may be given.
    pub(super) fn define_plain(
        &mut self,
        signature: &Signature,
        body: HirNode,
        meta: CodeMeta,
        nospecialize: &[Option<Symbol>],
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let mut methods = Vec::new();
        let callee_type = self.callee_type(signature)?;
        let leading = vec![(signature.self_name, callee_type)];
        self.default_methods(signature, &leading, 0, &mut methods)?;
        // What a macro says of its expansions holds for calls with fewer arguments.
        let keeps =
            |it: &&Mark| matches!(it, Mark::Node(head, _) if self.types.name(*head) == "keep_expansions");
        let marks: Vec<Mark> = meta.others.iter().filter(keeps).cloned().collect();
        for method in &mut methods {
            method.lambda.meta.inlining = meta.inlining;
            method.lambda.meta.others.clone_from(&marks);
        }
        let name = self.method_name(signature);
        let full = self.method(
            signature,
            MethodParts {
                leading,
                args: &signature.args,
                body,
                meta,
                nospecialize,
                ret: true,
                self_arg: 0,
                alias: None,
                name,
            },
        )?;
        methods.push(full);
        let callee = self.callee(signature)?;
        Ok(HirNode::new(HirKind::Function(Box::new(FunctionDef { callee, methods })), loc))
    }

    /// For `f(a, b = 1, c = 2)`: `f(a)` and `f(a, b)`, which compute the missing arguments and forward. `leading`
    /// precedes the arguments; `self_arg` of it is the function.
    pub(super) fn default_methods(
        &mut self,
        signature: &Signature,
        leading: &[(Symbol, HirNode)],
        self_arg: usize,
        methods: &mut Vec<MethodDef>,
    ) -> Lowering<()> {
        let Some(first) = signature.args.iter().position(|it| it.default.is_some()) else { return Ok(()) };
        let defaulted = signature.args.iter().filter(|it| it.default.is_some()).count();
        for given in first..first + defaulted {
            let loc = signature.loc;
            let (args, missing) = signature.args.split_at(given);
            let mut rest = None;
            let mut values = Vec::new();
            let mut call: Vec<HirNode> = leading.iter().map(|(name, _)| self.name(*name, loc)).collect();
            call.extend(args.iter().map(|it| self.name(it.name, loc)));
            for spec in missing {
                let Some(default) = spec.default else { continue };
                if spec.vararg {
                    rest = Some(default);
                    continue;
                }
                if self.is_head(default, "global") {
                    let message = "misplaced \"global\" declaration";
                    return Err(problem("misplaced-declaration", message, self.ast.loc(default)));
                }
                values.push((spec.name, self.expr(default)?));
                call.push(self.name(spec.name, loc));
            }
            let forward = match rest {
                Some(default) => self.call_with_rest(call, default, loc)?,
                None => HirNode::new(HirKind::Call(call), loc),
            };
            let body = match self.default_sees_later(missing) {
                true => self.bind_in_turn(values, forward, loc),
                false => self.bind_together(values, forward, loc),
            };
            let name = self.method_name(signature);
            let method = self.method(
                signature,
                MethodParts {
                    leading: leading.to_vec(),
                    args,
                    body,
                    meta: CodeMeta::default(),
                    nospecialize: &[],
                    ret: false,
                    self_arg,
                    alias: None,
                    name,
                },
            )?;
            methods.push(method);
        }
        Ok(())
    }

    /// Whether a default mentions the name of its own argument, or of a later one: it means what has the name outside.
    fn default_sees_later(&self, missing: &[ArgSpec]) -> bool {
        missing.iter().enumerate().any(|(at, spec)| {
            let later: Vec<Symbol> = missing[at..].iter().map(|it| it.name).collect();
            spec.default.is_some_and(|it| self.mentions(it, &later))
        })
    }

    /// Values under their names, each of which the later values see.
    fn bind_together(&mut self, values: Vec<(Symbol, HirNode)>, body: HirNode, loc: SourceLoc) -> HirNode {
        let names = values.iter().map(|it| it.0).collect();
        let mut nodes: Vec<HirNode> =
            values.into_iter().map(|(name, value)| HirNode::assign(self.name(name, loc), value)).collect();
        nodes.push(body);
        self.scope(names, HirNode::block(nodes, loc), loc)
    }

    /// Values under their names, of which a value sees only the earlier ones.
    fn bind_in_turn(&mut self, values: Vec<(Symbol, HirNode)>, body: HirNode, loc: SourceLoc) -> HirNode {
        values.into_iter().rev().fold(body, |body, (name, value)| {
            let held = self.fresh_name("default");
            let named = HirNode::assign(self.name(name, loc), self.name(held, loc));
            let inner = self.scope(vec![name], HirNode::block(vec![named, body], loc), loc);
            let hold = HirNode::assign(self.name(held, loc), value);
            self.scope(vec![held], HirNode::block(vec![hold, inner], loc), loc)
        })
    }

    /// A call whose last arguments are the default of `rest...`: one value, or the elements of a splat.
    fn call_with_rest(
        &mut self,
        mut call: Vec<HirNode>,
        default: ExprId,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let f = call.remove(0);
        let mut args: Vec<Arg> = call.into_iter().map(Arg::Plain).collect();
        args.push(match self.parts(default) {
            Some((head, parts)) if head == "..." && parts.len() == 1 => Arg::Splat(self.expr(parts[0])?),
            _ => Arg::Plain(self.expr(default)?),
        });
        Ok(self.apply_args(f, args, loc))
    }

    /// Lowers a body; gives it with the marks found in it. Patterns among the arguments are taken apart first.
    pub(super) fn function_body(
        &mut self,
        args: &[ArgSpec],
        body: ExprId,
    ) -> Lowering<(HirNode, CodeMeta, Vec<Option<Symbol>>)> {
        let loc = self.ast.loc(body);
        let (node, frame) = self.in_function(|this| {
            let mut nodes = this.destructured_arguments(args)?;
            nodes.push(this.expr(body)?);
            Ok(HirNode::block(nodes, loc))
        })?;
        Ok((node, frame.meta, frame.nospecialize))
    }

    pub(super) fn destructured_arguments(&mut self, args: &[ArgSpec]) -> Lowering<Vec<HirNode>> {
        let mut nodes = Vec::new();
        for spec in args {
            let Some(pattern) = spec.pattern else { continue };
            self.check_pattern(pattern)?;
            let mut names = Vec::new();
            self.assigned_names(pattern, &mut names);
            nodes.extend(names.into_iter().map(|it| HirNode::new(HirKind::Local(it), spec.loc)));
            let value = self.name(spec.name, spec.loc);
            nodes.push(self.assign_to(pattern, value, spec.loc)?);
        }
        Ok(nodes)
    }

    /// The properties that an argument `(; a, b)` takes apart are plain names.
    fn check_pattern(&self, pattern: ExprId) -> Lowering<()> {
        let properties = self.args(pattern).into_iter().filter(|&it| self.is_head(it, "parameters"));
        let bad = properties.flat_map(|it| self.args(it)).find(|&it| self.as_symbol(it).is_none());
        bad.map_or(Ok(()), |it| Err(self.invalid_target(it)))
    }

    /// One method.
    pub(super) fn method(&mut self, signature: &Signature, parts: MethodParts<'_>) -> Lowering<MethodDef> {
        let loc = signature.loc;
        let mut types: Vec<HirNode> = Vec::new();
        let mut names = Vec::new();
        for (name, ty) in parts.leading {
            names.push(name);
            types.push(ty);
        }
        let mut nospecialize = 0u32;
        for spec in parts.args {
            let marked = parts.nospecialize.iter().any(|it| it.is_none_or(|it| it == spec.name));
            if (spec.nospecialize || marked) && names.len() < 32 {
                nospecialize |= 1 << names.len();
            }
            names.push(spec.name);
            types.push(self.with_underscore_vars(&signature.vars, |it| it.argument_type(spec))?);
        }
        let (typevars, unbound) = self.used_type_vars(signature, &types)?;
        // Of methods that fill in defaults nothing is said: the whole one has the variable's argument.
        if parts.ret {
            self.warn_of_unused(signature, &unbound);
        }
        let ret = match signature.ret {
            Some(ty) if parts.ret => Some(Box::new(self.expr(ty)?)),
            _ => None,
        };
        let mut meta = parts.meta;
        meta.nospecialize |= nospecialize;
        let table = match signature.callee {
            CalleeSyntax::Overlay(table, _) => Some(self.expr(table)?),
            _ => None,
        };
        let lambda = Lambda {
            name: parts.name,
            args: names,
            is_va: parts.args.last().is_some_and(|it| it.vararg),
            self_arg: parts.self_arg,
            alias: parts.alias,
            ret,
            body: Box::new(parts.body),
            meta,
            loc,
            id: LambdaId(0),
            arg_vars: Vec::new(),
            sparam_vars: Vec::new(),
        };
        Ok(MethodDef { typevars, unbound, types, table, lambda, checks: Vec::new(), is_fallback: false, loc })
    }

    fn argument_type(&mut self, spec: &ArgSpec) -> Lowering<HirNode> {
        let ty = match spec.ty {
            // The variables of a type are its own.
            Some(ty) if self.is_head(ty, "block") => {
                let value = self.expr(ty)?;
                self.scope(Vec::new(), value, spec.loc)
            }
            Some(ty) => self.expr(ty)?,
            None => self.value(consts::of_type(self.types, self.types.core().any), spec.loc),
        };
        let spelled_out = spec.ty.is_some_and(|it| self.is_vararg_type(it));
        if spec.vararg && !spelled_out {
            return Ok(self.core_call("apply_type", vec![self.core("Vararg", spec.loc), ty], spec.loc));
        }
        Ok(ty)
    }

    /// The `where` variables a method's types mention, directly or through each other's bounds, and the names of the rest.
    fn used_type_vars(
        &mut self,
        signature: &Signature,
        types: &[HirNode],
    ) -> Lowering<(Vec<TypeVar>, Vec<Symbol>)> {
        let all = self.type_vars(&signature.vars)?;
        let mut used = vec![false; all.len()];
        let mut mentioned = Vec::new();
        types.iter().for_each(|it| names_in(it, &mut mentioned));
        for index in (0..all.len()).rev() {
            if mentioned.contains(&all[index].name) {
                used[index] = true;
                all[index].lower.iter().chain(&all[index].upper).for_each(|it| names_in(it, &mut mentioned));
            }
        }
        for (index, var) in all.iter().enumerate() {
            if all[..index].iter().any(|it| it.name == var.name) {
                let name = self.types.name(var.name);
                let message =
                    format!("function static parameter name not unique: \"{name}\"{}", self.around());
                return Err(problem("duplicate-static-parameter", message, signature.loc));
            }
            if let Some(arg) = signature.args.iter().find(|it| it.name == var.name) {
                let name = self.types.name(var.name);
                let message = format!(
                    "function argument and static parameter name not distinct: \"{name}\"{}",
                    self.around()
                );
                return Err(problem("duplicate-argument", message, arg.loc));
            }
        }
        let (used, unused): (Vec<_>, Vec<_>) = all.into_iter().zip(used).partition(|it| it.1);
        let unbound: Vec<Symbol> = unused.into_iter().map(|it| it.0.name).collect();
        Ok((used.into_iter().map(|it| it.0).collect(), unbound))
    }

    fn warn_of_unused(&mut self, signature: &Signature, unbound: &[Symbol]) {
        let function = self.method_name(signature);
        for &name in unbound {
            let (function, name) = (self.types.name(function), self.types.name(name));
            let message = format!(
                "method definition for {function} declares type variable {name} but does not use it."
            );
            self.warnings.push(LowerWarning { message, loc: signature.loc });
        }
    }

    /// The type of the function, as the first of a signature.
    pub(super) fn callee_type(&mut self, signature: &Signature) -> Lowering<HirNode> {
        let loc = signature.loc;
        match signature.callee {
            CalleeSyntax::Named(name) | CalleeSyntax::Overlay(_, name) => {
                let name = self.expr(name)?;
                Ok(HirNode::new(HirKind::TypeOfFunction(Box::new(name)), loc))
            }
            CalleeSyntax::Value(value) => {
                let value = self.expr(value)?;
                Ok(self.core_call("Typeof", vec![value], loc))
            }
            CalleeSyntax::Object(ty) => self.expr(ty),
            CalleeSyntax::Anonymous => {
                let name = self.name(signature.self_name, loc);
                Ok(HirNode::new(HirKind::TypeOfFunction(Box::new(name)), loc))
            }
        }
    }

    pub(super) fn callee(&mut self, signature: &Signature) -> Lowering<Callee> {
        Ok(match signature.callee {
            CalleeSyntax::Named(it) => {
                let it = self.expr(it)?;
                Callee::Named(Box::new(it))
            }
            CalleeSyntax::Anonymous => Callee::Anonymous,
            CalleeSyntax::Value(_) | CalleeSyntax::Object(_) | CalleeSyntax::Overlay(..) => Callee::Typed,
        })
    }

    /// The name errors and listings show.
    pub(super) fn method_name(&self, signature: &Signature) -> Symbol {
        let mut e = match signature.callee {
            CalleeSyntax::Named(it) | CalleeSyntax::Value(it) | CalleeSyntax::Object(it) => it,
            CalleeSyntax::Overlay(_, it) => it,
            CalleeSyntax::Anonymous => return self.sym("#anonymous"),
        };
        loop {
            match self.ast.expr(e) {
                Expr::Symbol(name) | Expr::Global(_, name) => return *name,
                Expr::Quote(inner) => e = *inner,
                Expr::Node { head, args } => match (self.types.name(*head), &args[..]) {
                    (".", [_, field]) => e = *field,
                    ("curly" | "where" | "call", [inner, ..]) => e = *inner,
                    _ => return self.sym("#object"),
                },
                Expr::Const(_) | Expr::Line { .. } => return self.sym("#object"),
            }
        }
    }

    /// `M.@m` of `macro M.m() ... end`.
    fn qualified_macro_name(&mut self, e: ExprId) -> Lowering<ExprId> {
        let loc = self.ast.loc(e);
        if let Some((head, parts)) = self.parts(e)
            && let (".", &[module, field]) = (head.as_str(), parts.as_slice())
            && let Expr::Quote(name) = *self.ast.expr(field)
            && let Some(name) = self.as_symbol(name)
        {
            let name = self.sym(&format!("@{}", self.types.name(name)));
            let name = self.make_symbol(name, loc);
            let name = self.ast.push(Expr::Quote(name), loc);
            return Ok(self.make(".", vec![module, name], loc));
        }
        Err(problem("invalid-function-name", "invalid macro name", loc))
    }

    /// `macro m(args...) body end`: a method of the function `@m` that also receives the location and the module of
    /// the call.
    pub(super) fn macro_definition(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        if let [only] = args
            && let Some(name) = self.as_symbol(*only)
        {
            let name = self.sym(&format!("@{}", self.types.name(name)));
            let name = self.name(name, loc);
            return Ok(HirNode::new(HirKind::GenericFunction(Box::new(name)), loc));
        }
        self.arity("macro", args, 2, 2, loc)?;
        let (head, parts) = match self.parts(args[0]) {
            Some((head, parts)) if head == "call" && !parts.is_empty() => (head, parts),
            _ => return Err(problem("malformed-expression", "invalid macro definition", loc)),
        };
        if parts.iter().any(|&it| self.is_head(it, "parameters")) {
            return Err(problem("invalid-argument", "macros cannot accept keyword arguments", loc));
        }
        let name = match *self.ast.expr(parts[0]) {
            Expr::Symbol(name) => {
                let name = self.sym(&format!("@{}", self.types.name(name)));
                self.make_symbol(name, loc)
            }
            Expr::Global(module, name) => {
                let name = self.sym(&format!("@{}", self.types.name(name)));
                self.ast.push(Expr::Global(module, name), loc)
            }
            Expr::Node { .. } | Expr::Const(_) | Expr::Quote(_) | Expr::Line { .. } => {
                self.qualified_macro_name(parts[0])?
            }
        };
        let mut all = vec![name];
        for (arg, ty) in [("__source__", "LineNumberNode"), ("__module__", "Module")] {
            let arg = self.make_symbol(self.sym(arg), loc);
            let ty = self.ast.push(Expr::Global(Module::CORE, self.types.symbol(ty)), loc);
            all.push(self.make("::", vec![arg, ty], loc));
        }
        all.extend_from_slice(&parts[1..]);
        let signature = self.make(&head, all, loc);
        self.function(&[signature, args[1]], loc)
    }
}

/// Every name an expression mentions.
fn names_in(node: &HirNode, names: &mut Vec<Symbol>) {
    match &node.kind {
        HirKind::Name(name) => names.push(*name),
        other => other.children(&mut |child| names_in(child, names)),
    }
}
