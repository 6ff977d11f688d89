//! Sequences, `let`, and the declarations `local`, `global` and `const`.

use super::Desugar;
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode};
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::Symbol;

impl Desugar<'_> {
    pub(super) fn block(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let mut nodes = Vec::with_capacity(args.len());
        for &it in args {
            match *self.ast.expr(it) {
                Expr::Line { line, file } => self.line = Some((line, file)),
                _ => nodes.push(self.expr(it)?),
            }
        }
        if nodes.len() == 1
            && let Some(only) = nodes.pop()
        {
            return Ok(only);
        }
        Ok(HirNode::block(nodes, loc))
    }

    /// `let` bindings nest: each is evaluated where only the earlier ones are visible.
    pub(super) fn let_(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("let", args, 2, 2, loc)?;
        let bindings = if self.is_head(args[0], "block") { self.args(args[0]) } else { vec![args[0]] };
        let bindings: Vec<ExprId> = bindings.into_iter().filter(|&it| !self.is_line(it)).collect();
        if bindings.is_empty() {
            let body = self.expr(args[1])?;
            return Ok(self.scope(Vec::new(), body, loc));
        }
        self.let_bindings(&bindings, args[1], loc)
    }

    fn let_bindings(&mut self, bindings: &[ExprId], body: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        let Some((&first, rest)) = bindings.split_first() else {
            let body = self.expr(body)?;
            return Ok(self.scope(Vec::new(), body, loc));
        };
        let at = self.ast.loc(first);
        let parts = self.parts(first);
        match parts.as_ref().map(|(head, args)| (head.as_str(), args.as_slice())) {
            Some(("=", [lhs, rhs])) if self.is_function_signature(*lhs) => {
                let name = self.signature_name(*lhs).into_iter().collect();
                let def = self.function(&[*lhs, *rhs], at)?;
                let rest = self.let_bindings(rest, body, loc)?;
                Ok(self.scope(name, HirNode::block(vec![def, rest], loc), loc))
            }
            Some(("=", [lhs, rhs])) => {
                let value = self.expr(*rhs)?;
                let mut names = Vec::new();
                self.assigned_names(*lhs, &mut names);
                self.check_let_target(*lhs)?;
                let mut before = Vec::new();
                let held = self.hold(value, &mut before);
                let set = self.assign_to(*lhs, held, at)?;
                let rest = self.let_bindings(rest, body, loc)?;
                let inner = self.scope(names, HirNode::block(vec![set, rest], loc), loc);
                before.push(inner);
                Ok(HirNode::block(before, loc))
            }
            _ => {
                let mut names = Vec::new();
                self.assigned_names(first, &mut names);
                if let Some(&bad) = names.iter().find(|&&it| self.is_syntax_name(it)) {
                    let message = format!("invalid identifier name \"{}\"", self.types.name(bad));
                    return Err(problem("invalid-let", message, at));
                }
                if names.is_empty() && !self.as_symbol(first).is_some_and(|it| self.is_underscore(it)) {
                    return Err(problem("invalid-let", "a `let` binding must name a variable", at));
                }
                let declared = self.declare_type_of(first, at)?;
                let rest = self.let_bindings(rest, body, loc)?;
                let inner = self.after(declared.into_iter().collect(), rest, loc);
                Ok(self.scope(names, inner, loc))
            }
        }
    }

    /// Names that are syntax where they are called.
    pub(super) fn is_syntax_name(&self, name: Symbol) -> bool {
        matches!(self.types.name(name), "ccall" | "cglobal")
    }

    /// A `let` makes variables: a field or an element is no target there.
    fn check_let_target(&self, target: ExprId) -> Lowering<()> {
        match self.parts(target).as_ref().map(|(head, args)| (head.as_str(), args.as_slice())) {
            Some(("." | "ref" | "local" | "global" | "const", _)) => {
                let message = "invalid let syntax";
                Err(problem("invalid-let", message, self.ast.loc(target)))
            }
            Some(("::" | "...", [inner, ..])) => self.check_let_target(*inner),
            _ => Ok(()),
        }
    }

    /// The type declaration in `x::T`, if the target is one.
    fn declare_type_of(&mut self, target: ExprId, loc: SourceLoc) -> Lowering<Option<HirNode>> {
        if let Some(("::", args)) = self.parts(target).as_ref().map(|(head, args)| (head.as_str(), args))
            && let [name, ty] = args[..]
            && let Some(name) = self.as_symbol(name)
        {
            let ty = self.expr(ty)?;
            return Ok(Some(HirNode::new(HirKind::DeclType(name, Box::new(ty)), loc)));
        }
        Ok(None)
    }

    pub(super) fn declaration(&mut self, head: &str, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let mut nodes = Vec::new();
        for &it in args {
            nodes.push(match head {
                "local" => self.local(it, loc)?,
                "global" => self.global(it, loc)?,
                _ => self.constant(it, loc)?,
            });
        }
        if nodes.len() == 1
            && let Some(only) = nodes.pop()
        {
            return Ok(only);
        }
        nodes.push(self.nothing(loc));
        Ok(HirNode::block(nodes, loc))
    }

    fn local(&mut self, e: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        let mut names = Vec::new();
        let (target, defines) = self.declared_target(e);
        self.declared_names(target.unwrap_or(e), &mut names);
        if names.is_empty() {
            return Err(problem("invalid-declaration", "invalid syntax in \"local\" declaration", loc));
        }
        let mut nodes: Vec<HirNode> = names.iter().map(|&it| HirNode::new(HirKind::Local(it), loc)).collect();
        if defines {
            nodes.push(self.expr(e)?);
        } else {
            nodes.extend(self.declare_type_of(e, loc)?);
            nodes.push(self.nothing(loc));
        }
        Ok(HirNode::block(nodes, loc))
    }

    fn global(&mut self, e: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        if let Some((head, args)) = self.parts(e)
            && head == "const"
        {
            let args: Vec<ExprId> = args.iter().map(|&it| self.make("global", vec![it], loc)).collect();
            return self.declaration("const", &args, loc);
        }
        let (target, defines) = self.declared_target(e);
        let mut nodes = Vec::new();
        let target = target.unwrap_or(e);
        if let Expr::Global(module, name) = *self.ast.expr(target) {
            nodes.push(HirNode::new(HirKind::GlobalDecl(name, Some(module)), loc));
        } else {
            let mut names = Vec::new();
            self.declared_names(target, &mut names);
            if names.is_empty() && !defines {
                return Err(problem("invalid-declaration", "invalid syntax in \"global\" declaration", loc));
            }
            nodes.extend(names.iter().map(|&it| HirNode::new(HirKind::GlobalDecl(it, None), loc)));
        }
        if !defines {
            nodes.extend(self.declare_type_of(e, loc)?);
        }
        nodes.push(if defines { self.expr(e)? } else { self.nothing(loc) });
        Ok(HirNode::block(nodes, loc))
    }

    /// The names that a target of a declaration declares.
    fn declared_names(&self, target: ExprId, names: &mut Vec<Symbol>) {
        match self.signature_name(target) {
            Some(name) => names.push(name),
            None if self.is_head(target, "curly") => {
                names.extend(self.args(target).first().and_then(|&it| self.as_symbol(it)));
            }
            None => self.assigned_names(target, names),
        }
    }

    /// Returns the target of a declaration, and whether it also gives it a value.
    fn declared_target(&self, e: ExprId) -> (Option<ExprId>, bool) {
        match self.ast.as_node(e) {
            Some((head, args)) => match (self.types.name(head), args) {
                ("=" | "function", [lhs, ..]) => (Some(*lhs), true),
                (head, [lhs, ..]) if self.is_op_assign(head) => (Some(*lhs), true),
                _ => (None, false),
            },
            None => (None, false),
        }
    }

    fn constant(&mut self, e: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        match self.parts(e).as_ref().map(|(head, args)| (head.as_str(), args.as_slice())) {
            Some(("global", [inner])) if self.declared_target(*inner).1 => {
                let target = self.declared_target(*inner).0.unwrap_or(*inner);
                let mut names = Vec::new();
                self.declared_names(target, &mut names);
                let mut nodes: Vec<HirNode> =
                    names.into_iter().map(|it| HirNode::new(HirKind::GlobalName(it), loc)).collect();
                nodes.push(self.constant(*inner, loc)?);
                Ok(HirNode::block(nodes, loc))
            }
            Some(("=", [lhs, _])) if self.is_function_signature(*lhs) => self.expr(e),
            Some(("local", _)) => {
                Err(problem("const-local", "unsupported `const` declaration on local variable", loc))
            }
            Some(("=", [lhs, rhs])) => {
                let (lhs, rhs) = (*lhs, *rhs);
                if self.is_head(lhs, "curly") {
                    let (name, value) = self.type_alias(lhs, rhs, loc)?;
                    return self.constant_target(name, value, loc);
                }
                let value = self.expr(rhs)?;
                self.constant_target(lhs, value, loc)
            }
            // A macro may write a declaration without a value: it makes no constant.
            None if self.as_symbol(e).is_some() => Ok(self.nothing(loc)),
            _ => Err(problem("invalid-const", "expected assignment after \"const\"", loc)),
        }
    }

    fn constant_target(&mut self, lhs: ExprId, value: HirNode, loc: SourceLoc) -> Lowering<HirNode> {
        if self.as_symbol(lhs).is_some_and(|it| self.is_underscore(it)) {
            return Ok(value);
        }
        if let Some(name) = self.global_target(lhs) {
            return Ok(HirNode::new(HirKind::ConstDecl(Box::new(name), Box::new(value)), loc));
        }
        if self.is_function_signature(lhs) {
            return self.assign_to(lhs, value, loc);
        }
        match self.parts(lhs).as_ref().map(|(head, args)| (head.as_str(), args.as_slice())) {
            Some(("::", [target, _])) if self.as_symbol(*target).is_some_and(|it| self.is_underscore(it)) => {
                Ok(value)
            }
            // The parameters of an alias that is given a part of a value bind nothing in it.
            Some(("curly", [target, ..])) => self.constant_target(*target, value, loc),
            Some(("::", [target, ty])) => {
                let ty = self.expr(*ty)?;
                let value = self.convert_to(ty, value, loc);
                self.constant_target(*target, value, loc)
            }
            Some(("tuple", targets)) => {
                let mut before = Vec::new();
                let held = self.hold(value, &mut before);
                let parts = self.parts_of(targets, held.clone(), &mut before, loc)?;
                for (target, part) in parts {
                    let node = self.constant_target(target, part, loc)?;
                    before.push(node);
                }
                Ok(self.after(before, held, loc))
            }
            _ => {
                let message = format!("cannot declare \"{}\" `const`", self.text_of(lhs));
                Err(problem("invalid-const", message, loc))
            }
        }
    }

    /// A plain name or a `GlobalRef`.
    fn global_target(&self, lhs: ExprId) -> Option<HirNode> {
        let loc = self.ast.loc(lhs);
        match *self.ast.expr(lhs) {
            Expr::Symbol(name) => Some(self.name(name, loc)),
            Expr::Global(module, name) => Some(HirNode::new(HirKind::Global(module, name), loc)),
            Expr::Node { .. } | Expr::Const(_) | Expr::Quote(_) | Expr::Line { .. } => None,
        }
    }

    /// The name and the `UnionAll` of `A{T} = B{T}`.
    fn type_alias(&mut self, lhs: ExprId, rhs: ExprId, loc: SourceLoc) -> Lowering<(ExprId, HirNode)> {
        let args = self.args(lhs);
        let Some((&name, vars)) = args.split_first() else {
            return Err(problem("invalid-assignment", "invalid type alias", loc));
        };
        let mut where_args = vec![rhs];
        where_args.extend_from_slice(vars);
        let value = self.make("where", where_args, loc);
        Ok((name, self.expr(value)?))
    }

    /// `A{T} = B{T}` without `const`.
    pub(super) fn alias_assignment(&mut self, lhs: ExprId, rhs: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        let (name, value) = self.type_alias(lhs, rhs, loc)?;
        let target = self.global_target(name);
        let target = target.ok_or_else(|| problem("invalid-assignment", "invalid type alias", loc))?;
        Ok(HirNode::new(HirKind::AliasDecl(Box::new(target), Box::new(value)), loc))
    }

    /// The names a target of an assignment gives values to.
    pub(super) fn assigned_names(&self, target: ExprId, names: &mut Vec<Symbol>) {
        if let Some(name) = self.as_symbol(target) {
            if !self.types.name(name).bytes().all(|it| it == b'_') {
                names.push(name);
            }
            return;
        }
        let Some((head, args)) = self.ast.as_node(target) else { return };
        match self.types.name(head) {
            "call" | "where" => names.extend(self.signature_name(target)),
            "tuple" | "parameters" => args.iter().for_each(|&it| self.assigned_names(it, names)),
            "::" | "..." | "kw" | "=" | "escape" | "hygienic-scope" => {
                if let Some(&first) = args.first() {
                    self.assigned_names(first, names);
                }
            }
            _ => {}
        }
    }
}
