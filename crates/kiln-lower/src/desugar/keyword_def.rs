//! Definitions of functions with keyword arguments.
//!
//! `f(x; k = 1)` becomes three functions: a body `#f#8kq0zt3a(k, f, x)` that takes every keyword in order; `f(x)`, which
//! calls it with the defaults; and a method of `Core.kwcall`, which finds the keywords in the named tuple it is
//! given and calls the body.

use super::Desugar;
use super::call::Arg;
use super::function::MethodParts;
use super::signature::{CalleeSyntax, KeywordSpec, Signature};
use crate::error::Lowering;
use crate::gensym::{Purpose, placeholder, plain, without_number};
use crate::hir::{Callee, FunctionDef, HirKind, HirNode, MethodDef};
use kiln_ir::{CodeMeta, ExprId, SourceLoc};
use kiln_types::{Symbol, consts};

impl Desugar<'_> {
    pub(super) fn define_with_keywords(
        &mut self,
        signature: &Signature,
        body: ExprId,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let plain_name = self.method_name(signature);
        let purpose = Purpose::Keywords(self.number());
        let body_name = placeholder(self.types, plain(without_number(self.types.name(plain_name))), purpose);
        let (node, meta, nospecialize) = self.function_body(&signature.args, body)?;
        let wrapper_meta = CodeMeta { nospecialize: 0, ..meta.clone() };

        let body_method = self.body_method(signature, body_name, node, meta, &nospecialize)?;
        let body_callee = Callee::Named(Box::new(self.name(body_name, loc)));
        let body_def = HirNode::new(
            HirKind::Function(Box::new(FunctionDef { callee: body_callee, methods: vec![body_method] })),
            loc,
        );

        let mut methods = Vec::new();
        let callee_type = self.callee_type(signature)?;
        let leading = vec![(signature.self_name, callee_type)];
        self.default_methods(signature, &leading, 0, &mut methods)?;
        methods.push(self.plain_method(signature, leading, body_name, &wrapper_meta, &nospecialize)?);
        let leading = self.sorter_arguments(signature)?;
        self.default_methods(signature, &leading, 2, &mut methods)?;
        methods.push(self.sorter_method(signature, leading, body_name, wrapper_meta, &nospecialize)?);
        let callee = self.callee(signature)?;
        let def = HirNode::new(HirKind::Function(Box::new(FunctionDef { callee, methods })), loc);
        Ok(HirNode::block(vec![body_def, def], loc))
    }

    /// `#f#1(keywords..., rest, f, args...)`.
    fn body_method(
        &mut self,
        signature: &Signature,
        body_name: Symbol,
        body: HirNode,
        meta: CodeMeta,
        nospecialize: &[Option<Symbol>],
    ) -> Lowering<MethodDef> {
        let loc = signature.loc;
        let any = self.value(consts::of_type(self.types, self.types.core().any), loc);
        let own = HirNode::new(HirKind::TypeOfFunction(Box::new(self.name(body_name, loc))), loc);
        let mut leading = vec![(self.sym("#body#"), own)];
        for keyword in &signature.keywords {
            let ty = match keyword.ty {
                Some(ty) => self.expr(ty)?,
                None => any.clone(),
            };
            leading.push((keyword.name, ty));
        }
        if let Some(rest) = signature.keyword_rest {
            leading.push((rest, any));
        }
        let alias = match (signature.callee, leading.len()) {
            (CalleeSyntax::Named(name), at) => self.as_symbol(name).map(|it| (at, it)),
            _ => None,
        };
        let callee_type = self.callee_type(signature)?;
        leading.push((signature.self_name, callee_type));
        self.method(
            signature,
            MethodParts {
                leading,
                args: &signature.args,
                body,
                meta,
                nospecialize,
                ret: true,
                self_arg: 0,
                alias,
                name: body_name,
            },
        )
    }

    /// `f(args...)`: every keyword takes its default.
    fn plain_method(
        &mut self,
        signature: &Signature,
        leading: Vec<(Symbol, HirNode)>,
        body_name: Symbol,
        meta: &CodeMeta,
        nospecialize: &[Option<Symbol>],
    ) -> Lowering<MethodDef> {
        let mut bindings = Vec::new();
        for keyword in &signature.keywords {
            bindings.push((keyword.name, self.keyword_default(keyword)?));
        }
        let loc = signature.loc;
        if let Some(rest) = signature.keyword_rest {
            let empty = HirNode::new(HirKind::Call(vec![self.core("NamedTuple", loc)]), loc);
            bindings.push((rest, self.base_call("pairs", vec![empty], loc)));
        }
        let body = self.body_call(signature, body_name);
        let body = self.keyword_scopes(bindings, body);
        let name = self.method_name(signature);
        self.method(
            signature,
            MethodParts {
                leading,
                args: &signature.args,
                body,
                meta: meta.clone(),
                nospecialize,
                ret: false,
                self_arg: 0,
                alias: None,
                name,
            },
        )
    }

    /// `kwcall, keywords::NamedTuple, f`.
    fn sorter_arguments(&mut self, signature: &Signature) -> Lowering<Vec<(Symbol, HirNode)>> {
        let loc = signature.loc;
        let kwcall = self.core_call("typeof", vec![self.core("kwcall", loc)], loc);
        let callee_type = self.callee_type(signature)?;
        Ok(vec![
            (self.sym("#kwcall#"), kwcall),
            (self.sym("#kw#"), self.core("NamedTuple", loc)),
            (signature.self_name, callee_type),
        ])
    }

    /// `kwcall(keywords, f, args...)`.
    fn sorter_method(
        &mut self,
        signature: &Signature,
        leading: Vec<(Symbol, HirNode)>,
        body_name: Symbol,
        meta: CodeMeta,
        nospecialize: &[Option<Symbol>],
    ) -> Lowering<MethodDef> {
        let loc = signature.loc;
        let given = self.name(self.sym("#kw#"), loc);
        let mut bindings = Vec::new();
        for keyword in &signature.keywords {
            bindings.push((keyword.name, self.sorted_keyword(signature, keyword, &given)?));
        }
        let mut names = Vec::new();
        for keyword in &signature.keywords {
            names.push(self.symbol_value(keyword.name, loc));
        }
        let names = self.core_call("tuple", names, loc);
        let known = self.core_call("apply_type", vec![self.core("NamedTuple", loc), names], loc);
        let others = if signature.keywords.is_empty() {
            given.clone()
        } else {
            self.base_call("structdiff", vec![given.clone(), known], loc)
        };
        let mut nodes = Vec::new();
        match signature.keyword_rest {
            Some(rest) => bindings.push((rest, self.base_call("pairs", vec![others], loc))),
            None => {
                let none = self.base_call("isempty", vec![others], loc);
                let mut call = vec![Arg::Plain(given), Arg::Plain(self.name(signature.self_name, loc))];
                call.extend(self.passed_on(signature));
                let kwerr = self.base("kwerr", loc);
                let complain = self.apply_args(kwerr, call, loc);
                nodes.push(self.if_node(none, self.nothing(loc), complain, loc));
            }
        }
        nodes.push(self.body_call(signature, body_name));
        let body = self.keyword_scopes(bindings, HirNode::block(nodes, loc));
        let name = self.sym("kwcall");
        self.method(
            signature,
            MethodParts {
                leading,
                args: &signature.args,
                body,
                meta,
                nospecialize,
                ret: false,
                self_arg: 2,
                alias: None,
                name,
            },
        )
    }

    /// The given value of a keyword, of the declared type, or its default.
    fn sorted_keyword(
        &mut self,
        signature: &Signature,
        keyword: &KeywordSpec,
        given: &HirNode,
    ) -> Lowering<HirNode> {
        let loc = keyword.loc;
        let name = self.symbol_value(keyword.name, loc);
        let present = self.core_call("isdefined", vec![given.clone(), name.clone()], loc);
        let mut value = self.core_call("getfield", vec![given.clone(), name], loc);
        if let Some(ty) = keyword.ty
            && !self.mentions_undecided(signature, ty)
        {
            // A wrong type is a `TypeError` that names the keyword, not a missing method of the body.
            let mut before = Vec::new();
            let held = self.hold(value, &mut before);
            let expected = self.expr(ty)?;
            let fits = self.core_call("isa", vec![held.clone(), expected.clone()], loc);
            let context = self.symbol_value(self.sym("keyword argument"), loc);
            let shown = self.symbol_value(keyword.name, loc);
            let error = self.core_call("TypeError", vec![context, shown, expected, held.clone()], loc);
            let throw = self.core_call("throw", vec![error], loc);
            let check = self.if_node(fits, self.nothing(loc), throw, loc);
            before.push(check);
            value = self.after(before, held, loc);
        }
        let default = self.keyword_default(keyword)?;
        Ok(self.if_node(present, value, default, loc))
    }

    /// Whether a type mentions a type variable that the positional arguments do not decide.
    fn mentions_undecided(&mut self, signature: &Signature, ty: ExprId) -> bool {
        let names: Vec<Symbol> = match self.type_vars(&signature.vars) {
            Ok(vars) => vars.into_iter().map(|it| it.name).collect(),
            Err(_) => Vec::new(),
        };
        if names.len() != signature.vars.len() {
            return self.mentions(ty, &names);
        }
        let callee = match signature.callee {
            CalleeSyntax::Object(it) | CalleeSyntax::Value(it) => Some(it),
            CalleeSyntax::Named(_) | CalleeSyntax::Anonymous | CalleeSyntax::Overlay(..) => None,
        };
        let mut deciding: Vec<ExprId> = signature.args.iter().filter_map(|it| it.ty).chain(callee).collect();
        let mut undecided = Vec::new();
        for (&name, &var) in names.iter().zip(&signature.vars).rev() {
            if deciding.iter().any(|&it| self.mentions(it, &[name])) {
                deciding.push(var);
            } else {
                undecided.push(name);
            }
        }
        self.mentions(ty, &undecided)
    }

    fn keyword_default(&mut self, keyword: &KeywordSpec) -> Lowering<HirNode> {
        let loc = keyword.loc;
        match keyword.default {
            Some(default) => self.expr(default),
            None => {
                let name = self.symbol_value(keyword.name, loc);
                let error = self.core_call("UndefKeywordError", vec![name], loc);
                Ok(self.core_call("throw", vec![error], loc))
            }
        }
    }

    /// Each keyword is visible to the defaults of those after it, not to its own: one scope inside the other.
    fn keyword_scopes(&mut self, bindings: Vec<(Symbol, HirNode)>, body: HirNode) -> HirNode {
        bindings.into_iter().rev().fold(body, |inner, (name, value)| {
            let loc = value.loc;
            let mut before = Vec::new();
            let held = self.hold(value, &mut before);
            let set = HirNode::assign(self.name(name, loc), held);
            let scope = self.scope(vec![name], HirNode::block(vec![set, inner], loc), loc);
            self.after(before, scope, loc)
        })
    }

    /// The positional arguments as a wrapper hands them on.
    fn passed_on(&mut self, signature: &Signature) -> Vec<Arg> {
        let mut args = Vec::new();
        for spec in &signature.args {
            let value = self.name(spec.name, signature.loc);
            args.push(if spec.vararg { Arg::Splat(value) } else { Arg::Plain(value) });
        }
        args
    }

    /// The call of the body function from a wrapper, with the variables in scope there.
    fn body_call(&mut self, signature: &Signature, body_name: Symbol) -> HirNode {
        let loc = signature.loc;
        let names = signature.keywords.iter().map(|it| it.name).chain(signature.keyword_rest);
        let mut args: Vec<Arg> =
            names.chain([signature.self_name]).map(|it| Arg::Plain(self.name(it, loc))).collect();
        args.extend(self.passed_on(signature));
        let f = self.name(body_name, loc);
        self.apply_args(f, args, loc)
    }
}
