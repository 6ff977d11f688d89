//! Functions with an `if @generated` in their body: the code of the generator becomes the body. The result of `g` is
//! the body of a function marked `Expr(:meta, :generated, g)`.

use super::Desugar;
use super::function::MethodParts;
use super::signature::Signature;
use crate::error::Lowering;
use crate::hir::{Callee, FunctionDef, HirKind, HirNode, MethodDef, TypeVar};
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::{Module, Symbol, consts};

impl Desugar<'_> {
    /// The body as code of a generator: a quote with each `if @generated` replaced by an interpolation of its value.
    /// `None` without an `if @generated`.
    pub(super) fn generated_parts(&mut self, body: ExprId) -> Option<ExprId> {
        if !self.has_generated(body) {
            return None;
        }
        let loc = self.ast.loc(body);
        let replaced = self.interpolate_generated(body);
        Some(self.make("quote", vec![replaced], loc))
    }

    /// The call of the generator that `Expr(:meta, :generated, g)` in the body names: it is given the static parameters,
    /// the function and its arguments. `None` if no mark is in it.
    pub(super) fn generator_call(&mut self, signature: &Signature, body: ExprId) -> Lowering<Option<ExprId>> {
        let Some(generator) = self.marked_generator(body) else { return Ok(None) };
        let loc = self.ast.loc(body);
        let vars = self.type_vars(&signature.vars)?;
        let vars: Vec<ExprId> = vars.into_iter().map(|it| self.make_symbol(it.name, loc)).collect();
        let vars = self.make("tuple", vars, loc);
        let run = self.types.symbol("_run_generator");
        let run = self.ast.push(Expr::Global(Module::CORE, run), loc);
        let mut call = vec![run, generator, vars, self.make_symbol(signature.self_name, loc)];
        call.extend(
            signature.args.iter().map(|it| it.name).map(|it| self.make_symbol(it, loc)).collect::<Vec<_>>(),
        );
        Ok(Some(self.make("call", call, loc)))
    }

    fn marked_generator(&self, body: ExprId) -> Option<ExprId> {
        let (head, args) = self.ast.as_node(body)?;
        match (self.types.name(head), args) {
            ("block", _) => args.iter().find_map(|&it| self.marked_generator(it)),
            ("meta", &[mark, generator]) => {
                let is_mark = self.as_symbol(mark).is_some_and(|it| self.types.name(it) == "generated");
                is_mark.then_some(generator)
            }
            _ => None,
        }
    }

    /// `if @generated`, as the macro leaves it.
    fn is_generated_if(&self, head: &str, args: &[ExprId]) -> bool {
        head == "if" && args.first().is_some_and(|&it| self.is_head(it, "generated"))
    }

    fn has_generated(&self, e: ExprId) -> bool {
        let Some((head, args)) = self.ast.as_node(e) else { return false };
        let head = self.types.name(head);
        let defines = head == "=" && args.first().is_some_and(|&it| self.is_function_signature(it));
        if defines || matches!(head, "quote" | "inert" | "->" | "function" | "macro") {
            return false;
        }
        self.is_generated_if(head, args) || args.iter().any(|&it| self.has_generated(it))
    }

    fn interpolate_generated(&mut self, e: ExprId) -> ExprId {
        if !self.has_generated(e) {
            return e;
        }
        let Some((head, args)) = self.parts(e) else { return e };
        let loc = self.ast.loc(e);
        if self.is_generated_if(&head, &args) {
            return match args.get(1) {
                Some(&then) => self.make("$", vec![then], loc),
                None => e,
            };
        }
        let args = args.into_iter().map(|it| self.interpolate_generated(it)).collect();
        self.make(&head, args, loc)
    }

    /// The body for calls that do not run the generator: each `if @generated` is replaced by its `else` branch.
    /// `None` if one has only the generated part.
    pub(super) fn fallback(&mut self, e: ExprId) -> Option<ExprId> {
        let (head, args) = self.parts(e)?;
        let loc = self.ast.loc(e);
        if self.is_generated_if(&head, &args) {
            return args.get(2).copied().filter(|&it| !self.is_only_generated(it));
        }
        let mut plain = Vec::with_capacity(args.len());
        for it in args {
            plain.push(if self.has_generated(it) { self.fallback(it)? } else { it });
        }
        Some(self.make(&head, plain, loc))
    }

    /// Whether `Expr(:meta, :generated_only)` is in a block.
    fn is_only_generated(&self, e: ExprId) -> bool {
        let Some((head, args)) = self.ast.as_node(e) else { return false };
        let is_mark =
            |it: &ExprId| self.as_symbol(*it).is_some_and(|it| self.types.name(it) == "generated_only");
        match self.types.name(head) {
            "block" => args.iter().any(|&it| self.is_only_generated(it)),
            "meta" => args.iter().any(is_mark),
            _ => false,
        }
    }

    /// A method whose body computes the expression of the real body.
    pub(super) fn define_generated(
        &mut self,
        signature: &Signature,
        generator: &ExprId,
        fallback: Option<ExprId>,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let (body, frame) = self.in_function(|this| this.expr(*generator))?;
        let mut meta = frame.meta;
        meta.generated = true;
        let body = self.assignable_parameters(signature, body, loc)?;
        let mut node = self.define_plain(signature, body, meta, &frame.nospecialize, loc)?;
        let Some(fallback) = fallback else { return Ok(node) };
        let name = self.method_name(signature);
        let mut method = self.method_of_any(signature, fallback, (name, true), loc)?;
        method.is_fallback = true;
        if let HirKind::Function(def) = &mut node.kind {
            def.methods.push(method);
        }
        Ok(node)
    }

    /// A method of this name that has the signature's arguments, on any function; `ret`: the declared result converts.
    fn method_of_any(
        &mut self,
        signature: &Signature,
        body: ExprId,
        (name, ret): (Symbol, bool),
        loc: SourceLoc,
    ) -> Lowering<MethodDef> {
        let (body, meta, nospecialize) = self.function_body(&signature.args, body)?;
        let any = self.value(consts::of_type(self.types, self.types.core().any), loc);
        self.method(
            signature,
            MethodParts {
                leading: vec![(signature.self_name, any)],
                args: &signature.args,
                body,
                meta,
                nospecialize: &nospecialize,
                ret,
                self_arg: 0,
                alias: None,
                name,
            },
        )
    }

    /// A generator may assign the static parameters: its own copies of them.
    fn assignable_parameters(
        &mut self,
        signature: &Signature,
        body: HirNode,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let names: Vec<Symbol> = self.type_vars(&signature.vars)?.into_iter().map(|it| it.name).collect();
        let names: Vec<Symbol> = names.into_iter().filter(|&it| assigns(&body, it)).collect();
        let mut before = Vec::new();
        let mut copies = Vec::new();
        for &name in &names {
            let value = self.name(name, loc);
            let held = self.hold(value, &mut before);
            copies.push(HirNode::assign(self.name(name, loc), held));
        }
        if names.is_empty() {
            return Ok(body);
        }
        copies.push(body);
        let inner = self.scope(names, HirNode::block(copies, loc), loc);
        Ok(self.after(before, inner, loc))
    }

    /// The method that a generator's result is the body of, with every static parameter it may mention.
    pub(crate) fn generated_body(
        &mut self,
        names: &[Symbol],
        args: &[ExprId],
        static_params: &[Symbol],
        body: ExprId,
    ) -> Lowering<HirNode> {
        let loc = self.ast.loc(body);
        let tuple = self.make("tuple", args.to_vec(), loc);
        let mut signature = self.signature(tuple)?;
        if let Some(&own) = names.first() {
            signature.self_name = own;
        }
        let name = self.sym("#generated#");
        let mut method = self.method_of_any(&signature, body, (name, false), loc)?;
        method.typevars =
            static_params.iter().map(|&name| TypeVar { name, lower: None, upper: None }).collect();
        let def = FunctionDef { callee: Callee::Typed, methods: vec![method] };
        Ok(HirNode::new(HirKind::Function(Box::new(def)), loc))
    }
}

/// Whether code assigns a name.
fn assigns(node: &HirNode, name: Symbol) -> bool {
    if let HirKind::Assign(target, _) = &node.kind
        && matches!(target.kind, HirKind::Name(it) if it == name)
    {
        return true;
    }
    let mut found = false;
    node.kind.children(&mut |child| found = found || assigns(child, name));
    found
}
