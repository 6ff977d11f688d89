//! `struct`, `abstract type`, `primitive type`: calls of the builtins that make types.

use super::Desugar;
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode, TypeVar};
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::{Symbol, consts};

/// The struct whose constructors are being lowered.
#[derive(Clone, Debug)]
pub(super) struct ConstructorContext {
    pub(super) name: Symbol,
    pub(super) params: usize,
    /// One a field: its declared type.
    pub(super) field_types: Vec<Option<ExprId>>,
    /// The parameters in the name of the constructor: `T` of `Foo{T}(x) where T`.
    pub(super) curly: Option<Vec<ExprId>>,
    /// Inside a constructor of the struct itself, not of something else defined in its body.
    pub(super) own: bool,
}

/// A field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: Symbol,
    pub(super) ty: Option<ExprId>,
    constant: bool,
    atomic: bool,
}

/// The head of a type definition: `Name{params} <: Super`.
pub(super) struct TypeHead {
    pub(super) name: Symbol,
    pub(super) params: Vec<ExprId>,
    supertype: Option<ExprId>,
}

impl Desugar<'_> {
    pub(super) fn struct_definition(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("struct", args, 3, 3, loc)?;
        if self.functions > 0 {
            return Err(self.not_at_top_level("struct", loc));
        }
        let mutable =
            matches!(*self.ast.expr(args[0]), Expr::Const(value) if value == consts::bool(self.types, true));
        let head = self.type_head(args[1])?;
        let mut fields = Vec::new();
        let mut others = Vec::new();
        self.struct_body(&[args[2]], &mut fields, &mut others)?;
        for (index, field) in fields.iter().enumerate() {
            if fields[..index].iter().any(|it: &Field| it.name == field.name) {
                let message = format!("field name `{}` is not unique", self.types.name(field.name));
                return Err(problem("duplicate-field", message, loc));
            }
        }
        if let Some(field) = fields.iter().find(|it| it.constant && !mutable) {
            let name = self.types.name(field.name);
            let message =
                format!("invalid `const` on the field \"{name}\": every field of this struct is constant");
            return Err(problem("const-field", message, loc));
        }
        let initialized = self.initialized_fields(&fields, &others);
        let definition = self.structtype(&head, &fields, mutable, initialized, loc)?;
        let outer = self.constructor.replace(ConstructorContext {
            name: head.name,
            params: head.params.len(),
            field_types: fields.iter().map(|it| it.ty).collect(),
            curly: None,
            own: false,
        });
        let rest = if others.iter().any(|&it| self.defines_function(it)) {
            self.exprs(&others)
        } else {
            // Default constructors stand where the fields begin.
            let body = self.args(args[2]);
            let first = body.iter().find(|&&it| !matches!(self.ast.expr(it), Expr::Line { .. }));
            let loc = first.map_or(loc, |&it| self.ast.loc(it));
            let defaults = self.default_constructors(&head, &fields, loc);
            defaults.and_then(|mut it| {
                it.extend(self.exprs(&others)?);
                Ok(it)
            })
        };
        self.constructor = outer;
        let mut nodes = vec![definition];
        let mut rest = rest?;
        if others.iter().any(|&it| self.defines_helper(it, head.name)) {
            rest.insert(0, HirNode::new(HirKind::GlobalName(head.name), loc));
            rest = vec![self.scope(Vec::new(), HirNode::block(rest, loc), loc)];
        }
        nodes.extend(rest);
        nodes.push(self.nothing(loc));
        Ok(HirNode::block(nodes, loc))
    }

    /// `Name`, `Name{T}`, `Name <: Super`, `Name{T} <: Super`.
    fn type_head(&mut self, e: ExprId) -> Lowering<TypeHead> {
        let loc = self.ast.loc(e);
        let invalid = || problem("invalid-type-definition", "invalid name in a type definition", loc);
        let (inner, supertype) = match self.parts(e) {
            Some((head, parts)) if head == "<:" && parts.len() == 2 => (parts[0], Some(parts[1])),
            _ => (e, None),
        };
        let (name, params) = match self.parts(inner) {
            Some((head, parts)) if head == "curly" && !parts.is_empty() => (parts[0], parts[1..].to_vec()),
            _ => (inner, Vec::new()),
        };
        let name = match *self.ast.expr(name) {
            Expr::Symbol(name) | Expr::Global(_, name) => name,
            Expr::Node { .. } | Expr::Const(_) | Expr::Quote(_) | Expr::Line { .. } => return Err(invalid()),
        };
        Ok(TypeHead { name, params, supertype })
    }

    fn struct_body(
        &mut self,
        body: &[ExprId],
        fields: &mut Vec<Field>,
        others: &mut Vec<ExprId>,
    ) -> Lowering<()> {
        for &it in body {
            match self.parts(it) {
                Some((head, parts)) if head == "block" => self.struct_body(&parts, fields, others)?,
                Some((head, parts))
                    if head == "=" && !parts.first().is_some_and(|&it| self.is_function_signature(it)) =>
                {
                    let loc = self.ast.loc(it);
                    let message = "a field can not have a default value here";
                    return Err(crate::error::problem_with_help(
                        "field-default",
                        message,
                        loc,
                        "put `@kwdef` before `struct`",
                    ));
                }
                _ if self.is_line(it) || matches!(self.ast.expr(it), Expr::Const(_)) => {}
                _ => match self.field(it) {
                    Some(field) => fields.push(field),
                    None => others.push(it),
                },
            }
        }
        Ok(())
    }

    fn field(&self, e: ExprId) -> Option<Field> {
        if let Some(name) = self.as_symbol(e) {
            return Some(Field { name, ty: None, constant: false, atomic: false });
        }
        let (head, args) = self.ast.as_node(e)?;
        match (self.types.name(head), args) {
            ("::", [name, ty]) => {
                let name = self.as_symbol(*name)?;
                Some(Field { name, ty: Some(*ty), constant: false, atomic: false })
            }
            ("const", [inner]) => Some(Field { constant: true, ..self.field(*inner)? }),
            ("atomic", [inner]) => Some(Field { atomic: true, ..self.field(*inner)? }),
            ("escape" | "hygienic-scope", [inner, ..]) => self.field(*inner),
            _ => None,
        }
    }

    /// The number of leading fields that every `new` sets.
    fn initialized_fields(&self, fields: &[Field], others: &[ExprId]) -> usize {
        let mut least = None;
        others.iter().for_each(|&it| self.count_new(it, &mut least));
        match least {
            Some(count) => std::cmp::min(count, fields.len()),
            None => fields.len(),
        }
    }

    fn count_new(&self, e: ExprId, least: &mut Option<usize>) {
        let Some((head, args)) = self.ast.as_node(e) else { return };
        if let ("call", Some((&f, rest))) = (self.types.name(head), args.split_first()) {
            let curly =
                self.is_head(f, "curly") && self.args(f).first().is_some_and(|&it| self.is_symbol(it, "new"));
            if curly || self.is_symbol(f, "new") {
                let given = rest.iter().filter(|&&it| !self.is_head(it, "...")).count();
                let splat = given != rest.len();
                let count = if splat { usize::MAX } else { given };
                *least = Some(least.map_or(count, |it| it.min(count)));
            }
        }
        args.iter().for_each(|&it| self.count_new(it, least));
    }

    fn defines_function(&self, e: ExprId) -> bool {
        match self.ast.as_node(e) {
            Some((head, args)) => match (self.types.name(head), args) {
                ("function", _) => true,
                ("=", [lhs, _]) => self.is_function_signature(*lhs),
                _ => args.iter().any(|&it| self.defines_function(it)),
            },
            None => false,
        }
    }

    /// Whether code in the body of a type defines a function of a name of its own, which is local there.
    fn defines_helper(&self, e: ExprId, ty: Symbol) -> bool {
        let is_helper = |it: ExprId| self.signature_name(it).is_some_and(|it| it != ty);
        match self.ast.as_node(e) {
            Some((head, args)) => match (self.types.name(head), args) {
                ("function", [signature, ..]) => is_helper(*signature),
                ("=", [lhs, _]) if self.is_function_signature(*lhs) => is_helper(*lhs),
                ("global", _) => false,
                _ => args.iter().any(|&it| self.defines_helper(it, ty)),
            },
            None => false,
        }
    }

    fn structtype(
        &mut self,
        head: &TypeHead,
        fields: &[Field],
        mutable: bool,
        initialized: usize,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let names = fields.iter().map(|it| self.symbol_value(it.name, loc)).collect();
        let mut marks = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            for (set, mark) in [(field.constant, "const"), (field.atomic, "atomic")] {
                if set {
                    marks.push(self.int(index as i64 + 1, loc));
                    marks.push(self.symbol_value(self.sym(mark), loc));
                }
            }
        }
        let tail = vec![
            self.svec(names, loc),
            self.svec(marks, loc),
            self.bool(mutable, loc),
            self.int(initialized as i64, loc),
        ];
        let mut types = Vec::new();
        for field in fields {
            types.push(match field.ty {
                Some(ty) => self.expr(ty)?,
                None => self.value(consts::of_type(self.types, self.types.core().any), loc),
            });
        }
        let types = self.svec(types, loc);
        self.type_definition(head, "_structtype", tail, Some(types), loc)
    }

    pub(super) fn abstract_type(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("abstract", args, 1, 1, loc)?;
        if self.functions > 0 {
            return Err(self.not_at_top_level("abstract type", loc));
        }
        let head = self.type_head(args[0])?;
        self.type_definition(&head, "_abstracttype", Vec::new(), None, loc)
    }

    pub(super) fn primitive_type(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("primitive", args, 2, 2, loc)?;
        if self.functions > 0 {
            return Err(self.not_at_top_level("primitive type", loc));
        }
        let head = self.type_head(args[0])?;
        let bits = self.expr(args[1])?;
        self.type_definition(&head, "_primitivetype", vec![bits], None, loc)
    }

    /// Makes the type in a scope where its name and parameters are locals, then binds the global unless it holds an
    /// equal definition already.
    fn type_definition(
        &mut self,
        head: &TypeHead,
        builtin: &str,
        tail: Vec<HirNode>,
        field_types: Option<HirNode>,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let vars = self.type_vars(&head.params)?;
        let mut fresh = vec![head.name];
        let mut nodes = Vec::new();
        let mut params = Vec::new();
        for var in vars {
            let name = var.name;
            let made = self.make_type_var(TypeVar { name, ..var }, loc);
            nodes.push(HirNode::assign(self.name(name, loc), made));
            fresh.push(name);
            params.push(self.name(name, loc));
        }
        let name = self.name(head.name, loc);
        let params = self.svec(params, loc);
        let mut args = vec![self.module_value(loc), self.symbol_value(head.name, loc), params];
        args.extend(tail);
        let made = self.core_call(builtin, args, loc);
        let made = self.hold(made, &mut nodes);
        nodes.push(HirNode::assign(name.clone(), made.clone()));
        let supertype = match head.supertype {
            Some(it) => self.expr(it)?,
            None => self.value(consts::of_type(self.types, self.types.core().any), loc),
        };
        nodes.push(self.core_call("_setsuper!", vec![made.clone(), supertype], loc));
        self.bind_type(head.name, made, field_types, &mut nodes, loc);
        nodes.push(HirNode::new(HirKind::LatestWorld, loc));
        nodes.push(self.nothing(loc));
        let definition = self.scope(fresh, HirNode::block(nodes, loc), loc);
        Ok(HirNode::block(vec![HirNode::new(HirKind::GlobalName(head.name), loc), definition], loc))
    }

    /// Binds the global to the new type, or keeps an old equal one. Field types see the type that is kept.
    fn bind_type(
        &mut self,
        symbol: Symbol,
        made: HirNode,
        field_types: Option<HirNode>,
        nodes: &mut Vec<HirNode>,
        loc: SourceLoc,
    ) {
        let global = HirNode::new(HirKind::Global(self.module, symbol), loc);
        let previous = self.scratch(loc);
        nodes.push(HirNode::assign(previous.clone(), self.bool(false, loc)));
        let defined = HirNode::new(HirKind::IsDefined(Box::new(global.clone())), loc);
        let equal = self.core_call("_equiv_typedef", vec![global.clone(), made.clone()], loc);
        let known = HirNode::new(HirKind::And(vec![defined, equal]), loc);
        let keep = HirNode::block(
            vec![
                HirNode::assign(previous.clone(), global.clone()),
                HirNode::assign(self.name(symbol, loc), global.clone()),
            ],
            loc,
        );
        nodes.push(self.if_node(known, keep, self.nothing(loc), loc));
        let result = match field_types {
            Some(types) => {
                let result = self.core_call("_typebody!", vec![previous.clone(), made, types], loc);
                self.hold(result, nodes)
            }
            None => self.name(symbol, loc),
        };
        let same = self.core_call("===", vec![result.clone(), previous], loc);
        let bind = HirNode::new(HirKind::ConstDecl(Box::new(global), Box::new(result)), loc);
        nodes.push(self.if_node(same, self.nothing(loc), bind, loc));
    }
}
