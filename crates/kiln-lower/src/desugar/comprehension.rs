//! Generators and comprehensions.

use super::Desugar;
use crate::error::{Lowering, problem};
use crate::hir::HirNode;
use kiln_ir::{ExprId, SourceLoc};
use kiln_types::Symbol;

impl Desugar<'_> {
    pub(super) fn comprehension_form(
        &mut self,
        head: &str,
        args: &[ExprId],
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        match (head, args) {
            ("generator", [body, specs @ ..]) => self.generator(*body, specs, false, loc),
            ("comprehension", [inner]) => {
                let inner = self.expr(*inner)?;
                Ok(self.base_call("collect", vec![inner], loc))
            }
            ("comprehension", [_, _, ..]) => {
                let inner = self.make("generator", args.to_vec(), loc);
                self.comprehension_form(head, &[inner], loc)
            }
            ("typed_comprehension", [ty, inner]) => {
                let ty = self.expr(*ty)?;
                let inner = self.expr(*inner)?;
                Ok(self.base_call("collect", vec![ty, inner], loc))
            }
            ("flatten", [inner]) => {
                let inner = match self.parts(*inner) {
                    Some((head, parts)) if head == "generator" && !parts.is_empty() => {
                        self.generator(parts[0], &parts[1..], true, self.ast.loc(*inner))?
                    }
                    _ => self.expr(*inner)?,
                };
                Ok(self.base_call("Flatten", vec![inner], loc))
            }
            _ => Err(problem("malformed-expression", format!("malformed `{head}`"), loc)),
        }
    }

    /// The body of a generator. In `x for i in a for j in b` the innermost body has an `i` of its own in each of its
    /// iterations: a copy, which an assignment changes for that iteration only. `flat` if the body is such a generator.
    fn generator_body(
        &mut self,
        target: ExprId,
        body: ExprId,
        outer: &[Symbol],
        flat: bool,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        if flat {
            let mut visible = outer.to_vec();
            self.assigned_names(target, &mut visible);
            self.flattened = visible;
            return self.function_of(target, body, loc);
        }
        let mut body = body;
        if !outer.is_empty() {
            let mut copies = Vec::new();
            for &name in outer {
                let (to, from) = (self.make_symbol(name, loc), self.make_symbol(name, loc));
                copies.push(self.make("=", vec![to, from], loc));
            }
            let copies = self.make("block", copies, loc);
            body = self.make("let", vec![copies, body], loc);
        }
        self.generator = true;
        self.function_of(target, body, loc)
    }

    /// `target -> body`. Targets that cannot be arguments, as `f()` or `x::T`, are assigned in the body.
    fn function_of(&mut self, target: ExprId, body: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        if self.is_pattern(target) {
            return self.anonymous_function(&[target], body, loc);
        }
        let mut names = Vec::new();
        self.assigned_names(target, &mut names);
        let argument = self.fresh_name("");
        let argument = self.make_symbol(argument, loc);
        let mut parts = Vec::new();
        for name in names {
            let name = self.make_symbol(name, loc);
            parts.push(self.make("local", vec![name], loc));
        }
        parts.push(self.make("=", vec![target, argument], loc));
        parts.push(body);
        let body = self.make("block", parts, loc);
        self.anonymous_function(&[argument], body, loc)
    }

    /// Names, and tuples of them.
    fn is_pattern(&self, target: ExprId) -> bool {
        match self.parts(target) {
            None => true,
            Some((head, parts)) => match head.as_str() {
                "tuple" | "parameters" | "..." => parts.iter().all(|&it| self.is_pattern(it)),
                "escape" | "hygienic-scope" => parts.first().is_none_or(|&it| self.is_pattern(it)),
                _ => false,
            },
        }
    }

    /// `Base.Generator(target -> body, iterator)`.
    fn generator(&mut self, body: ExprId, specs: &[ExprId], flat: bool, loc: SourceLoc) -> Lowering<HirNode> {
        let outer = std::mem::take(&mut self.flattened);
        let mut specs = specs.to_vec();
        let mut filter = None;
        if let [only] = specs[..]
            && let Some((head, parts)) = self.parts(only)
            && head == "filter"
            && let Some((&cond, inner)) = parts.split_first()
        {
            filter = Some(cond);
            specs = inner.to_vec();
        }
        let mut targets = Vec::new();
        let mut iterators = Vec::new();
        for &spec in &specs {
            let (target, iterator) = self.iteration_spec(spec)?;
            if self.is_head(target, "outer") {
                let message = "`outer` has no meaning in a generator";
                return Err(problem("invalid-syntax", message, self.ast.loc(target)));
            }
            targets.push(target);
            iterators.push(self.expr(iterator)?);
        }
        let target = match targets[..] {
            [only] => only,
            [] => return Err(problem("malformed-expression", "a generator without an iterator", loc)),
            _ => self.make("tuple", targets, loc),
        };
        let mut iterator = match iterators.len() {
            1 => iterators.swap_remove(0),
            _ => self.base_call("product", iterators, loc),
        };
        if let Some(cond) = filter {
            let predicate = self.function_of(target, cond, loc)?;
            iterator = self.base_call("Filter", vec![predicate, iterator], loc);
        }
        let f = match (self.as_symbol(target), self.as_symbol(body)) {
            (Some(target), Some(body)) if target == body => self.base("identity", loc),
            _ => self.generator_body(target, body, &outer, flat, loc)?,
        };
        Ok(self.base_call("Generator", vec![f, iterator], loc))
    }
}
