//! `A{T}`, `T where T`, `x::T`, `A <: B`.

use super::Desugar;
use super::call::Arg;
use crate::error::{Lowering, problem};
use crate::hir::{HirNode, TypeVar};
use kiln_ir::{ExprId, SourceLoc};
use kiln_types::{Symbol, consts};

/// Begins made-up names of the variables that `A{<:B}` leaves out. It is a keyword, so no variable of a program has it.
const IMPLICIT: &str = "where";

impl Desugar<'_> {
    /// `A{args...}`; `A{<:B}` means `A{T} where T<:B`.
    pub(super) fn curly(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let mut implicit = Vec::new();
        let mut all = Vec::new();
        for (index, &it) in args.iter().enumerate() {
            match self.parts(it) {
                Some((head, parts))
                    if matches!(head.as_str(), "<:" | ">:") && parts.len() == 1 && index > 0 =>
                {
                    let name = self.fresh_name(&format!("{IMPLICIT}{}", implicit.len() + 1));
                    let bound = Some(self.expr(parts[0])?);
                    let (lower, upper) = if head == "<:" { (None, bound) } else { (bound, None) };
                    implicit.push(TypeVar { name, lower, upper });
                    all.push(Arg::Plain(self.name(name, loc)));
                }
                Some((head, _)) if matches!(head.as_str(), "kw" | "=") => {
                    let curly = self.make("curly", args.to_vec(), loc);
                    let message = format!("misplaced assignment statement in \"{}\"", self.text_of(curly));
                    return Err(problem("invalid-syntax", message, self.ast.loc(it)));
                }
                Some((head, _)) if head == "parameters" => {
                    return Err(problem(
                        "invalid-syntax",
                        "misplaced syntax in type parameters",
                        self.ast.loc(it),
                    ));
                }
                Some((head, parts)) if head == "..." && parts.len() == 1 => {
                    all.push(Arg::Splat(self.expr(parts[0])?));
                }
                _ => all.push(Arg::Plain(self.expr(it)?)),
            }
        }
        let apply_type = self.core("apply_type", loc);
        let mut node = self.apply_args(apply_type, all, loc);
        for var in implicit.into_iter().rev() {
            node = self.unionall(var, node, loc);
        }
        Ok(node)
    }

    pub(super) fn where_type(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let Some((&body, vars)) = args.split_first() else {
            return Err(problem("malformed-expression", "malformed `where`", loc));
        };
        let mut node = self.with_underscore_vars(vars, |it| it.expr(body))?;
        let vars = self.type_vars(vars)?;
        for var in vars.into_iter().rev() {
            node = self.unionall(var, node, loc);
        }
        Ok(node)
    }

    /// `body where var`: the variable is a local of a scope around the body.
    pub(super) fn unionall(&mut self, var: TypeVar, body: HirNode, loc: SourceLoc) -> HirNode {
        let name = var.name;
        let made = self.make_type_var(var, loc);
        let mut before = Vec::new();
        let held = self.hold(made, &mut before);
        let set = HirNode::assign(self.name(name, loc), held);
        let var = self.name(name, loc);
        let node = self.core_call("_unionall", vec![var, body], loc);
        let inner = self.scope(vec![name], HirNode::block(vec![set, node], loc), loc);
        self.after(before, inner, loc)
    }

    /// `Core._typevar(name, lower, upper)`.
    pub(crate) fn make_type_var(&self, var: TypeVar, loc: SourceLoc) -> HirNode {
        let bottom = consts::of_type(self.types, self.types.core().bottom);
        let any = consts::of_type(self.types, self.types.core().any);
        let lower = var.lower.unwrap_or_else(|| self.value(bottom, loc));
        let upper = var.upper.unwrap_or_else(|| self.value(any, loc));
        self.core_call("_typevar", vec![self.symbol_value(self.plain_name(var.name), loc), lower, upper], loc)
    }

    /// A made-up name as the program may see it: `#T#12` and a macro's `#12#T` are `T`; a variable that is left out is `#s1`.
    fn plain_name(&self, name: Symbol) -> Symbol {
        let text = self.types.name(name);
        match text.strip_prefix('#').and_then(|it| it.split_once('#')) {
            Some((first, second)) if first.bytes().all(|it| it.is_ascii_digit()) => self.sym(second),
            Some((first, _)) => match first.strip_prefix(IMPLICIT) {
                Some(number) => self.sym(&format!("#s{number}")),
                None => self.sym(first),
            },
            None => name,
        }
    }

    /// `T`, `T<:U`, `T>:L`, `L<:T<:U`.
    pub(super) fn type_vars(&mut self, vars: &[ExprId]) -> Lowering<Vec<TypeVar>> {
        let mut all = Vec::with_capacity(vars.len());
        for &var in vars {
            if self.is_line(var) {
                continue;
            }
            let parts = self.parts(var);
            match parts.as_ref().map(|(head, args)| (head.as_str(), args.as_slice())) {
                Some(("braces", inner)) => all.extend(self.type_vars(inner)?),
                Some(("<:", [name, upper])) => {
                    let (name, upper) = (self.type_var_name(*name)?, self.expr(*upper)?);
                    all.push(TypeVar { name, lower: None, upper: Some(upper) });
                }
                Some((">:", [name, lower])) => {
                    let (name, lower) = (self.type_var_name(*name)?, self.expr(*lower)?);
                    all.push(TypeVar { name, lower: Some(lower), upper: None });
                }
                Some(("comparison", [upper, op, name, op2, lower]))
                    if self.is_symbol(*op, ">:") && self.is_symbol(*op2, ">:") =>
                {
                    let (lower, upper) = (self.expr(*lower)?, self.expr(*upper)?);
                    let name = self.type_var_name(*name)?;
                    all.push(TypeVar { name, lower: Some(lower), upper: Some(upper) });
                }
                Some(("comparison", [lower, op, name, op2, upper]))
                    if self.is_symbol(*op, "<:") && self.is_symbol(*op2, "<:") =>
                {
                    let (lower, upper) = (self.expr(*lower)?, self.expr(*upper)?);
                    all.push(TypeVar {
                        name: self.type_var_name(*name)?,
                        lower: Some(lower),
                        upper: Some(upper),
                    });
                }
                Some(("escape" | "hygienic-scope", [inner, ..])) => all.extend(self.type_vars(&[*inner])?),
                _ => all.push(TypeVar { name: self.type_var_name(var)?, lower: None, upper: None }),
            }
        }
        Ok(all)
    }

    /// Runs `lower`, which may read `_` if one of the variables `vars` is called that.
    pub(super) fn with_underscore_vars<T>(
        &mut self,
        vars: &[ExprId],
        lower: impl FnOnce(&mut Self) -> Lowering<T>,
    ) -> Lowering<T> {
        let named = vars.iter().any(|&it| self.names_underscores(it));
        self.underscore_types += usize::from(named);
        let result = lower(self);
        self.underscore_types -= usize::from(named);
        result
    }

    fn names_underscores(&self, var: ExprId) -> bool {
        match self.as_symbol(var) {
            Some(name) => super::is_underscores(self.types.name(name)),
            None => self
                .ast
                .as_node(var)
                .is_some_and(|(_, args)| args.iter().any(|&it| self.names_underscores(it))),
        }
    }

    fn type_var_name(&self, e: ExprId) -> Lowering<Symbol> {
        self.as_symbol(e).ok_or_else(|| {
            let message = format!("invalid type parameter name \"{}\"", self.text_of(e));
            problem("invalid-type-parameter", message, self.ast.loc(e))
        })
    }

    pub(super) fn type_assertion(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("::", args, 2, 2, loc)?;
        let args = self.exprs(args)?;
        Ok(self.core_call("typeassert", args, loc))
    }

    pub(super) fn subtype_call(&mut self, head: &str, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let f = self.name(self.sym(head), loc);
        self.call_function(f, args, loc)
    }
}
