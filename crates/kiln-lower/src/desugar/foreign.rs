//! `ccall`, which is syntax: a call of the intrinsic `llvmcall` where its convention says so, else of `foreigncall`.
//!
//! Each argument is converted to the type declared for it, first by `cconvert`, then by `unsafe_convert`. The name is a
//! `Symbol` where it is a literal; any other expression is evaluated to one, or to a pointer.

use super::Desugar;
use crate::error::{Lowering, problem};
use crate::hir::Node;
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::{ConstData, Module, Symbol};

/// Calling conventions that `ccall` takes in its second place.
const CONVENTIONS: &[&str] = &["llvmcall", "cdecl", "stdcall", "fastcall", "thiscall"];

impl Desugar<'_> {
    /// `ccall(args...)`.
    pub(super) fn foreign_call(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<Node> {
        let malformed = |what: &str| problem("malformed-expression", what.to_owned(), loc);
        let few =
            "too few arguments to `ccall`: it takes a name, a return type and a tuple of argument types";
        let (&callee, mut rest) = args.split_first().ok_or_else(|| malformed(few))?;
        let convention = rest
            .first()
            .and_then(|&it| CONVENTIONS.iter().find(|name| self.is_symbol(it, name)).copied())
            .filter(|_| rest.len() > 2 || rest.len() == 2 && !self.is_head(rest[1], "tuple"));
        if convention.is_some() {
            rest = &rest[1..];
        }
        let [result, types, values @ ..] = rest else { return Err(malformed(few)) };
        if !self.is_head(*types, "tuple") {
            return Err(malformed("the argument types of `ccall` must be a tuple: try `(T,)`"));
        }
        let types = self.declared_types(*types, values.len()).map_err(malformed)?;
        let (base, core) = (self.types.base_module(), self.types.core_module());
        let llvm = convention == Some("llvmcall");
        let function = self.global_name(base, if llvm { "llvmcall" } else { "foreigncall" }, loc);
        let mut call = vec![function, self.foreign_name(callee, loc)];
        if !llvm {
            call.push(self.library(callee, loc));
        }
        let tuple = self.global_name(core, "Tuple", loc);
        let mut curly = vec![tuple];
        curly.extend(&types);
        call.extend([*result, self.make("curly", curly, loc)]);
        for (&ty, &value) in types.iter().zip(values) {
            let at = self.ast.loc(value);
            let cconvert = self.global_name(base, "cconvert", at);
            let kept = self.make("call", vec![cconvert, ty, value], at);
            let convert = self.global_name(base, "unsafe_convert", at);
            call.push(self.make("call", vec![convert, ty, kept], at));
        }
        let call = self.make("call", call, loc);
        self.expr(call)
    }

    /// A type an argument; the last one declared may stand for all the rest: `T...`.
    fn declared_types(&self, types: ExprId, values: usize) -> Result<Vec<ExprId>, &'static str> {
        let mut types = self.args(types);
        if let Some(&last) = types.last()
            && let Some((head, parts)) = self.parts(last)
            && head == "..."
            && let [of] = parts[..]
        {
            types.pop();
            let rest = values.checked_sub(types.len()).ok_or("more types than arguments for `ccall`")?;
            types.extend(std::iter::repeat_n(of, rest));
        }
        match types.len().cmp(&values) {
            std::cmp::Ordering::Less => Err("more arguments than types for `ccall`"),
            std::cmp::Ordering::Equal => Ok(types),
            std::cmp::Ordering::Greater => Err("more types than arguments for `ccall`"),
        }
    }

    /// The name as a value; the first of `(name, library)`.
    fn foreign_name(&mut self, callee: ExprId, loc: SourceLoc) -> ExprId {
        let name = match self.parts(callee) {
            Some((head, parts)) if head == "tuple" && parts.len() == 2 => parts[0],
            _ => callee,
        };
        if let Some(name) = self.literal_name(name) {
            return self.ast.push(Expr::Const(self.types.const_symbol(name)), loc);
        }
        let function = self.global_name(self.types.base_module(), "foreign_name", loc);
        self.make("call", vec![function, name], loc)
    }

    /// The library, for messages: a literal, or `nothing`.
    fn library(&mut self, callee: ExprId, loc: SourceLoc) -> ExprId {
        let named = match self.parts(callee) {
            Some((head, parts)) if head == "tuple" && parts.len() == 2 => self.literal_name(parts[1]),
            _ => None,
        };
        let value = match named {
            Some(name) => self.types.const_symbol(name),
            None => self.types.const_nothing(),
        };
        self.ast.push(Expr::Const(value), loc)
    }

    /// `:name` or `"name"`.
    fn literal_name(&self, e: ExprId) -> Option<Symbol> {
        match *self.ast.expr(e) {
            Expr::Quote(inner) => self.as_symbol(inner),
            Expr::Const(value) => match self.types.const_data(value) {
                ConstData::Symbol(name) => Some(*name),
                ConstData::String(text) => Some(self.sym(std::str::from_utf8(text).ok()?)),
                ConstData::Bits { .. }
                | ConstData::Type(_)
                | ConstData::Module(_)
                | ConstData::Aggregate { .. }
                | ConstData::Object { .. } => None,
            },
            Expr::Node { .. } => match self.parts(e) {
                Some((head, parts)) if head == "quote" => self.as_symbol(*parts.first()?),
                _ => None, // to be evaluated
            },
            Expr::Symbol(_) | Expr::Global(..) | Expr::Line { .. } => None,
        }
    }

    fn global_name(&mut self, module: Module, name: &str, loc: SourceLoc) -> ExprId {
        let name = self.sym(name);
        self.ast.push(Expr::Global(module, name), loc)
    }

    /// What is not there at all: an exception where control comes to it, and none before.
    pub(super) fn no_foreign_call(&mut self, what: &str, loc: SourceLoc) -> Node {
        let what = self.symbol_value(self.sym(what), loc);
        self.base_call("unsupported_foreign_call", vec![what], loc)
    }
}
