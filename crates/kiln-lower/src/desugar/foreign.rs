//! `ccall`, which is syntax: a call of the intrinsic `llvmcall` where its convention says so, else of `foreigncall`.
//!
//! Each argument is converted to its declared type, first by `cconvert`, then by `unsafe_convert`. A literal name is
//! a `Symbol`; any other expression evaluates to one, or to a pointer.

use super::Desugar;
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode};
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::{ConstData, Module, Symbol, consts};

/// Calling conventions that `ccall` takes in its second place.
const CONVENTIONS: &[&str] = &["llvmcall", "cdecl", "stdcall", "fastcall", "thiscall"];

impl Desugar<'_> {
    /// `ccall(args...)`.
    pub(super) fn foreign_call(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let malformed = |what: &str| problem("malformed-expression", what.to_owned(), loc);
        let few = "too few arguments to ccall";
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
            return Err(malformed("ccall argument types must be a tuple; try \"(T,)\""));
        }
        let types = self.declared_types(*types, values.len()).map_err(malformed)?;
        let (base, core) = (Module::BASE, Module::CORE);
        let llvm = convention == Some("llvmcall");
        let mut before = vec![self.global_parts_only(callee, loc)];
        if !llvm {
            before.extend(self.declared_types_check("ccall", *result, &types, loc)?);
        }
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
        let call = self.expr(call)?;
        Ok(self.after(before, call, loc))
    }

    /// `Expr(:cfunction, type, f, result, svec(types...), convention)`.
    pub(super) fn c_function(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let mut before = Vec::new();
        if let [_, _, result, types, ..] = args {
            let types = self.args(*types);
            before.extend(self.declared_types_check(
                "cfunction",
                *result,
                types.get(1..).unwrap_or(&[]),
                loc,
            )?);
        }
        let call = self.no_foreign_call("@cfunction", loc);
        Ok(self.after(before, call, loc))
    }

    /// The check of the types that a call or function declares. The library itself is trusted.
    fn declared_types_check(
        &mut self,
        what: &str,
        result: ExprId,
        types: &[ExprId],
        loc: SourceLoc,
    ) -> Lowering<Option<HirNode>> {
        if [Module::CORE, Module::BASE].contains(&self.module) {
            return Ok(None);
        }
        let mut parts = vec![self.base("check_foreign_types", loc), self.symbol_value(self.sym(what), loc)];
        parts.push(self.expr(result)?);
        for &ty in types {
            parts.push(self.expr(ty)?);
        }
        Ok(Some(HirNode::new(HirKind::DefinitionCheck(parts), loc)))
    }

    /// Refuses local variables in `(name, library)`.
    fn global_parts_only(&self, callee: ExprId, loc: SourceLoc) -> HirNode {
        let parts = if self.is_head(callee, "tuple") { self.args(callee) } else { Vec::new() };
        let names = parts.into_iter().filter_map(|it| self.as_symbol(it)).collect();
        HirNode::new(HirKind::NoLocals(names), loc)
    }

    /// A type an argument; the last one declared may stand for all the rest: `T...`.
    fn declared_types(&self, types: ExprId, values: usize) -> Result<Vec<ExprId>, &'static str> {
        let mut types = self.args(types);
        let repeated = |it: &ExprId| self.is_head(*it, "...");
        let variadic = types.last().filter(|it| repeated(it)).map(|&it| self.args(it));
        let required = types.len() - usize::from(variadic.is_some());
        if values < required {
            return Err("more types than arguments for ccall");
        }
        if types[..required].iter().any(repeated) {
            return Err("only the trailing ccall argument type should have \"...\"");
        }
        if let Some(of) = variadic.as_deref().and_then(|it| it.first()) {
            if required == 0 {
                return Err("C ABI prohibits vararg without one required argument");
            }
            types.pop();
            types.extend(std::iter::repeat_n(*of, values - required));
        }
        if types.len() < values { Err("more arguments than types for ccall") } else { Ok(types) }
    }

    /// The name as a value; the first of `(name, library)`.
    fn foreign_name(&mut self, callee: ExprId, loc: SourceLoc) -> ExprId {
        let name = match self.parts(callee) {
            Some((head, parts)) if head == "tuple" && parts.len() == 2 => parts[0],
            _ => callee,
        };
        if let Some(name) = self.literal_name(name) {
            return self.ast.push(Expr::Const(consts::symbol(self.types, name)), loc);
        }
        let function = self.global_name(Module::BASE, "foreign_name", loc);
        self.make("call", vec![function, name], loc)
    }

    /// The library, for messages: a literal, or `nothing`.
    fn library(&mut self, callee: ExprId, loc: SourceLoc) -> ExprId {
        let named = match self.parts(callee) {
            Some((head, parts)) if head == "tuple" && parts.len() == 2 => self.literal_name(parts[1]),
            _ => None,
        };
        let value = match named {
            Some(name) => consts::symbol(self.types, name),
            None => consts::nothing(self.types),
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

    /// Refuses a foreign call that is not supported: an exception where control comes to it, and none before.
    pub(super) fn no_foreign_call(&mut self, what: &str, loc: SourceLoc) -> HirNode {
        let what = self.symbol_value(self.sym(what), loc);
        self.base_call("unsupported_foreign_call", vec![what], loc)
    }
}
