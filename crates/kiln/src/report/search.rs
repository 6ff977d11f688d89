//! Finding a kernel's definition in a file: by line and name, however deep it is nested.

use kiln_ir::{Ast, Expr, ExprId};
use kiln_runtime::Runtime;

/// A view of one file's expressions.
pub(super) struct Source<'a> {
    pub(super) rt: &'a Runtime,
    pub(super) ast: &'a Ast,
}

impl<'a> Source<'a> {
    /// Returns the node's head; empty for other values.
    pub(super) fn head(&self, expr: ExprId) -> &'a str {
        self.ast.as_node(expr).map_or("", |it| self.rt.types.name(it.0))
    }

    /// The node's arguments.
    pub(super) fn args(&self, expr: ExprId) -> &'a [ExprId] {
        self.ast.as_node(expr).map_or(&[], |it| it.1)
    }

    /// The last part of a name: `@kernel` of `KA.@kernel`.
    pub(super) fn name(&self, expr: ExprId) -> Option<&'a str> {
        match self.ast.expr(expr) {
            Expr::Symbol(name) | Expr::Global(_, name) => Some(self.rt.types.name(*name)),
            Expr::Quote(inner) => self.name(*inner),
            Expr::Node { args, .. } if self.head(expr) == "." => self.name(*args.last()?),
            Expr::Node { .. } | Expr::Const(_) | Expr::Line { .. } => None,
        }
    }

    /// The macro that a macro call calls.
    pub(super) fn macro_name(&self, expr: ExprId) -> Option<&'a str> {
        (self.head(expr) == "macrocall").then(|| self.name(*self.args(expr).first()?))?
    }

    /// The name of the function that an expression defines, through macros such as `@inline` and `@kernel`.
    pub(super) fn defined(&self, expr: ExprId) -> Option<&'a str> {
        match self.head(expr) {
            "function" | "=" => self.signature_name(*self.args(expr).first()?),
            "macrocall" => self.defined(*self.args(expr).last()?),
            _ => None,
        }
    }

    fn signature_name(&self, sig: ExprId) -> Option<&'a str> {
        match self.head(sig) {
            "call" => self.name(*self.args(sig).first()?),
            "where" | "::" => self.signature_name(*self.args(sig).first()?),
            _ => None,
        }
    }

    /// From `expr` to the definition of `name` at `line`, outermost first; empty if it is not there.
    pub(super) fn path_to(&self, expr: ExprId, name: &str, line: u32) -> Vec<ExprId> {
        if self.is_kernel(expr, name, line) {
            return vec![expr];
        }
        for &arg in self.args(expr) {
            let mut found = self.path_to(arg, name, line);
            if !found.is_empty() {
                found.insert(0, expr);
                return found;
            }
        }
        Vec::new()
    }

    fn is_kernel(&self, expr: ExprId, name: &str, line: u32) -> bool {
        let is_candidate = match self.macro_name(expr) {
            Some("@on_device") => name == "<on_device>",
            Some("@doc") => false,
            _ => self.defined(expr) == Some(name),
        };
        is_candidate && self.rt.frontend.place(self.ast.loc(expr)).is_some_and(|it| it.1 == line)
    }

    /// Whether the expression contains a call of the macro.
    pub(super) fn mentions_macro(&self, expr: ExprId, name: &str) -> bool {
        self.macro_name(expr) == Some(name) || self.args(expr).iter().any(|it| self.mentions_macro(*it, name))
    }
}
