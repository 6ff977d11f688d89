//! Constructors: `new` inside a struct, and those a struct without any gets.

use super::Desugar;
use super::call::Arg;
use super::function::MethodParts;
use super::signature::{ArgSpec, CalleeSyntax, Signature};
use super::struct_def::{ConstructorContext, Field, TypeHead};
use crate::error::{Lowering, problem};
use crate::hir::{Callee, FunctionDef, HirKind, HirNode, MethodDef};
use kiln_ir::{CodeMeta, Expr, ExprId, SourceLoc};
use kiln_types::{ConstData, Symbol, consts};

impl Desugar<'_> {
    /// Records the parameters of `new` that the name of the next constructor determines.
    pub(super) fn enter_constructor(&mut self, signature: &Signature) -> Option<ConstructorContext> {
        let outer = self.constructor.clone();
        let mut context = self.constructor.take()?;
        match signature.callee {
            CalleeSyntax::Named(name) => {
                context.own = self.as_symbol(name) == Some(context.name);
                context.curly = None;
            }
            CalleeSyntax::Value(value) => {
                let args = self.args(value);
                context.own = self.is_head(value, "curly")
                    && args.first().is_some_and(|&it| self.as_symbol(it) == Some(context.name));
                context.curly = context.own.then(|| args[1..].to_vec());
            }
            // A function inside a constructor sees the constructor's `new`.
            CalleeSyntax::Anonymous | CalleeSyntax::Object(_) | CalleeSyntax::Overlay(..) => {}
        }
        self.constructor = Some(context);
        outer
    }

    pub(super) fn leave_constructor(&mut self, outer: Option<ConstructorContext>) {
        if outer.is_some() {
            self.constructor = outer;
        }
    }

    /// `new(args...)` and `new{params...}(args...)`.
    pub(super) fn new_call(
        &mut self,
        params: &[ExprId],
        has_curly: bool,
        args: &[ExprId],
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let Some(context) = self.constructor.clone() else {
            return Err(problem("new-outside-struct", "`new` outside the constructors of a struct", loc));
        };
        if args.iter().any(|&it| matches!(self.head(it), Some("kw" | "parameters"))) {
            return Err(problem("invalid-argument", "`new` takes no keyword arguments", loc));
        }
        let ty = HirNode::new(HirKind::Global(self.module, context.name), loc);
        let params = if has_curly { Some(params.to_vec()) } else { context.curly.clone() };
        let mut before = Vec::new();
        if let Some(params) = params.as_ref().filter(|it| !it.iter().any(|&it| self.is_head(it, "...")))
            && params.len() != context.params
        {
            let few = if params.len() < context.params { "few" } else { "many" };
            let message = format!("too {few} type parameters specified in \"new{{...}}\"");
            return Err(problem("new-parameters", message, loc));
        }
        let ty = match params {
            Some(params) => {
                let mut all = vec![Arg::Plain(ty)];
                for it in params {
                    match self.parts(it) {
                        Some((head, parts)) if head == "..." && parts.len() == 1 => {
                            all.push(Arg::Splat(self.expr(parts[0])?));
                        }
                        _ => all.push(Arg::Plain(self.expr(it)?)),
                    }
                }
                let apply_type = self.core("apply_type", loc);
                let applied = self.apply_args(apply_type, all, loc);
                self.hold(applied, &mut before)
            }
            None if context.params > 0 => {
                let message = "too few type parameters specified in \"new\"";
                return Err(problem("new-parameters", message, loc));
            }
            None => ty,
        };
        let given = self.positional_args(args)?;
        if given.iter().any(|it| matches!(it, Arg::Splat(_)))
            && context.field_types.iter().all(|it| it.is_none_or(|it| self.is_any(it)))
        {
            let f = self.core("tuple", loc);
            let tuple = self.apply_args(f, given, loc);
            let new = HirNode::new(HirKind::SplatNew(Box::new(ty), Box::new(tuple)), loc);
            return Ok(self.after(before, new, loc));
        }
        let values = self.new_values(given, &context, &mut before, loc)?;
        let values = self.converted_fields(&ty, values, &context.field_types, loc);
        let mut all = vec![ty];
        all.extend(values);
        Ok(self.after(before, HirNode::new(HirKind::New(all), loc), loc))
    }

    /// The values of the fields; a splat gives all fields there are.
    fn new_values(
        &mut self,
        given: Vec<Arg>,
        context: &ConstructorContext,
        before: &mut Vec<HirNode>,
        loc: SourceLoc,
    ) -> Lowering<Vec<HirNode>> {
        let count = context.field_types.len();
        if given.iter().any(|it| matches!(it, Arg::Splat(_))) {
            let f = self.core("tuple", loc);
            let tuple = self.apply_args(f, given, loc);
            let tuple = self.hold(tuple, before);
            let given = self.core_call("nfields", vec![tuple.clone()], loc);
            let given = self.hold(given, before);
            let expected = self.int(count as i64, loc);
            for (what, sides) in
                [("few", [given.clone(), expected.clone()]), ("many", [expected.clone(), given.clone()])]
            {
                let is_wrong = self.base_call("slt_int", sides.to_vec(), loc);
                let thrown = self.wrong_field_count(what, count, loc);
                let nothing = self.nothing(loc);
                before.push(self.if_node(is_wrong, thrown, nothing, loc));
            }
            let mut values = Vec::new();
            for index in 0..context.field_types.len() {
                let index = self.int(index as i64 + 1, loc);
                values.push(self.core_call("getfield", vec![tuple.clone(), index], loc));
            }
            return Ok(values);
        }
        if given.len() > count {
            before.push(self.wrong_field_count("many", count, loc));
        }
        Ok(given
            .into_iter()
            .take(count)
            .map(|it| match it {
                Arg::Plain(node) | Arg::Splat(node) => node,
            })
            .collect())
    }

    /// Throws the exception of a call of `new` with too few or too many arguments.
    fn wrong_field_count(&mut self, what: &str, count: usize, loc: SourceLoc) -> HirNode {
        let message = format!("new: too {what} arguments (expected {count})");
        let message = self.types.constant(ConstData::String(message.as_bytes().into()));
        let message = HirNode::new(HirKind::Const(message), loc);
        let exception = self.core_call("ArgumentError", vec![message], loc);
        self.core_call("throw", vec![exception], loc)
    }

    fn converted_fields(
        &mut self,
        ty: &HirNode,
        values: Vec<HirNode>,
        field_types: &[Option<ExprId>],
        loc: SourceLoc,
    ) -> Vec<HirNode> {
        let mut all = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            all.push(match field_types.get(index) {
                Some(Some(declared)) if !self.is_any(*declared) => {
                    let index = self.int(index as i64 + 1, loc);
                    let field = self.core_call("fieldtype", vec![ty.clone(), index], loc);
                    let kind =
                        HirKind::ConvertTo { ty: Box::new(field), value: Box::new(value), assert: false };
                    HirNode::new(kind, loc)
                }
                _ => value,
            });
        }
        all
    }

    fn is_any(&self, ty: ExprId) -> bool {
        match *self.ast.expr(ty) {
            Expr::Symbol(name) | Expr::Global(_, name) => self.types.name(name) == "Any",
            Expr::Const(value) => value == consts::of_type(self.types, self.types.core().any),
            Expr::Node { .. } | Expr::Quote(_) | Expr::Line { .. } => false,
        }
    }

    /// The constructors of a struct that defines none.
    pub(super) fn default_constructors(
        &mut self,
        head: &TypeHead,
        fields: &[Field],
        loc: SourceLoc,
    ) -> Lowering<Vec<HirNode>> {
        let names: Vec<Symbol> = fields.iter().map(|it| it.name).collect();
        let typed = fields.iter().any(|it| it.ty.is_some_and(|ty| !self.is_any(ty)));
        let mut methods = Vec::new();
        if head.params.is_empty() {
            methods.push(self.default_constructor(head, fields, true, false, loc)?);
            if typed {
                methods.push(self.default_constructor(head, fields, false, true, loc)?);
            }
        } else {
            methods.push(self.inner_constructor(head, fields, loc)?);
            if self.fields_determine_params(head, fields)? {
                methods.push(self.default_constructor(head, fields, true, false, loc)?);
            }
        }
        debug_assert_eq!(names.len(), fields.len(), "one name a field");
        let mut nodes = Vec::new();
        for method in methods {
            let def = FunctionDef { callee: Callee::Typed, methods: vec![method] };
            nodes.push(HirNode::new(HirKind::Function(Box::new(def)), loc));
        }
        Ok(nodes)
    }

    /// Whether the types of the fields determine every parameter: a field's type mentions it, or the upper bound of a
    /// determined parameter does.
    fn fields_determine_params(&mut self, head: &TypeHead, fields: &[Field]) -> Lowering<bool> {
        let mut unknown: Vec<Symbol> = self.type_vars(&head.params)?.into_iter().map(|it| it.name).collect();
        let mut sources: Vec<ExprId> = fields.iter().filter_map(|it| it.ty).collect();
        while let Some(source) = sources.pop() {
            let (told, rest): (Vec<Symbol>, Vec<Symbol>) =
                unknown.iter().partition(|&&it| self.mentions(source, &[it]));
            unknown = rest;
            for &param in &head.params {
                let own = self.type_vars(&[param])?;
                let is_lower_bound = self.parts(param).is_some_and(|(head, _)| head == ">:");
                if !is_lower_bound && own.iter().any(|it| told.contains(&it.name)) {
                    sources.push(param);
                }
            }
        }
        Ok(unknown.is_empty())
    }

    /// `Foo(x::X, ...) where params`, or with untyped arguments that are converted.
    fn default_constructor(
        &mut self,
        head: &TypeHead,
        fields: &[Field],
        typed: bool,
        convert: bool,
        loc: SourceLoc,
    ) -> Lowering<MethodDef> {
        let global = HirNode::new(HirKind::Global(self.module, head.name), loc);
        let vars = self.type_vars(&head.params)?;
        let mut ty = global.clone();
        if !vars.is_empty() {
            let mut all = vec![global.clone()];
            all.extend(vars.iter().map(|it| self.name(it.name, loc)));
            ty = self.core_call("apply_type", all, loc);
        }
        self.field_constructor(head, fields, global, ty, typed, convert, loc)
    }

    /// `Foo{params...}(x, ...) where params`: converts.
    fn inner_constructor(
        &mut self,
        head: &TypeHead,
        fields: &[Field],
        loc: SourceLoc,
    ) -> Lowering<MethodDef> {
        let mut all = vec![HirNode::new(HirKind::Global(self.module, head.name), loc)];
        for var in self.type_vars(&head.params)? {
            all.push(self.name(var.name, loc));
        }
        let ty = self.core_call("apply_type", all, loc);
        self.field_constructor(head, fields, ty.clone(), ty, false, true, loc)
    }

    #[expect(clippy::too_many_arguments, reason = "the three constructors differ in just these")]
    fn field_constructor(
        &mut self,
        head: &TypeHead,
        fields: &[Field],
        called: HirNode,
        ty: HirNode,
        typed: bool,
        convert: bool,
        loc: SourceLoc,
    ) -> Lowering<MethodDef> {
        // A field may have the name of a parameter, which no argument may have.
        let vars = self.type_vars(&head.params)?;
        let names: Vec<Symbol> = fields
            .iter()
            .map(|it| {
                let is_param = vars.iter().any(|var| var.name == it.name);
                if is_param { self.fresh_name("field") } else { it.name }
            })
            .collect();
        let args: Vec<ArgSpec> = fields
            .iter()
            .zip(&names)
            .map(|(it, &name)| ArgSpec {
                name,
                ty: if typed { it.ty } else { None },
                default: None,
                vararg: false,
                pattern: None,
                nospecialize: false,
                loc,
            })
            .collect();
        let mut before = Vec::new();
        let ty = self.stable(ty, &mut before);
        let mut values: Vec<HirNode> = names.iter().map(|it| self.name(*it, loc)).collect();
        if convert {
            let types: Vec<Option<ExprId>> = fields.iter().map(|it| it.ty).collect();
            values = self.converted_fields(&ty, values, &types, loc);
        }
        let mut all = vec![ty];
        all.extend(values);
        let body = self.after(before, HirNode::new(HirKind::New(all), loc), loc);
        let self_name = self.sym("#ctor#");
        let callee_type = self.core_call("apply_type", vec![self.core("Type", loc), called], loc);
        let signature = Signature {
            callee: CalleeSyntax::Anonymous,
            self_name,
            args: args.clone(),
            keywords: Vec::new(),
            keyword_rest: None,
            has_keywords: false,
            vars: head.params.clone(),
            ret: None,
            loc,
        };
        self.method(
            &signature,
            MethodParts {
                leading: vec![(self_name, callee_type)],
                args: &args,
                body,
                meta: CodeMeta::default(),
                nospecialize: &[],
                ret: false,
                self_arg: 0,
                alias: None,
                name: head.name,
            },
        )
    }
}
