//! Macro expansion: calls macros until none is left, then makes their results hygienic.
//!
//! A result is marked with the module of its macro (`hygienic-scope`), and macro calls in it are expanded in that
//! module; code under `escape` is expanded in the caller's. [`crate::hygiene`] removes the marks.

use crate::LowerError;
use crate::error::{Lowering, problem};
use crate::hygiene::Hygiene;
use kiln_ir::{Ast, Expansion, Expr, ExprId, SourceLoc};
use kiln_types::{ConstData, Module, Symbol, Types, consts};

/// The maximum nesting of expressions and expansions.
pub(crate) const DEPTH_MAX: u32 = 700;

/// The macros that the expander answers itself.
pub const PLACE_MACROS: [&str; 4] = ["@__MODULE__", "@__LINE__", "@__FILE__", "@__DIR__"];

/// A macro call: its location and arguments.
#[derive(Clone, Copy, Debug)]
pub struct MacroCall<'a> {
    /// The arguments, without the line node.
    pub args: &'a [ExprId],
    /// The line node.
    pub line: Option<ExprId>,
    /// The place in the text, if the call is from one.
    pub loc: SourceLoc,
}

/// Calls macros: implemented over the interpreter by crate `kiln`.
pub trait MacroHost {
    /// Calls the macro bound to `name` (an expression naming it: a symbol, a `GlobalRef`, a dotted path) in
    /// `module`. Gives an expression in `ast`, and the module the macro was defined in. `call` leaves out the macro.
    fn call_macro(
        &mut self,
        ast: &mut Ast,
        module: Module,
        name: ExprId,
        call: MacroCall<'_>,
    ) -> Result<(ExprId, Module), LowerError>;
}

/// Expands every macro call in `e` and resolves hygiene. The bodies of `module` expressions and the parts of a
/// `toplevel` expression are left as they are: each is expanded when its turn comes to be evaluated.
pub fn expand(
    types: &Types,
    ast: &mut Ast,
    module: Module,
    e: ExprId,
    expansion: Expansion,
    host: &mut dyn MacroHost,
) -> Result<ExprId, LowerError> {
    if is_head(types, ast, e, "toplevel") {
        return Ok(e);
    }
    let mut expander =
        Expander { types, ast, host, modules: vec![module], expansion, marked: false, depth: 0 };
    let expanded = expander.expr(e).map_err(|it| *it)?;
    if !expander.marked {
        return Ok(expanded);
    }
    Hygiene::new(types, ast).resolve(expanded).map_err(|it| *it)
}

fn is_head(types: &Types, ast: &Ast, e: ExprId, head: &str) -> bool {
    ast.as_node(e).is_some_and(|(it, _)| types.name(it) == head)
}

struct Expander<'a> {
    types: &'a Types,
    ast: &'a mut Ast,
    host: &'a mut dyn MacroHost,
    /// Where macro names are looked up: the user's module, then those of the expansions around this place.
    modules: Vec<Module>,
    /// Whether macro calls in results are expanded too.
    expansion: Expansion,
    /// Whether there is any hygiene to resolve.
    marked: bool,
    depth: u32,
}

impl Expander<'_> {
    fn expr(&mut self, e: ExprId) -> Lowering<ExprId> {
        let Some((head, args)) = self.ast.as_node(e) else { return Ok(e) };
        let (head, args) = (head, args.to_vec());
        let loc = self.ast.loc(e);
        if self.depth >= DEPTH_MAX {
            return Err(problem("nesting-too-deep", "expressions or macro expansions nest too deeply", loc));
        }
        self.depth += 1;
        let result = self.node(e, head, &args, loc);
        self.depth -= 1;
        result
    }

    fn node(&mut self, e: ExprId, head: Symbol, args: &[ExprId], loc: SourceLoc) -> Lowering<ExprId> {
        match self.types.name(head) {
            "inert" | "module" | "line" | "meta" => Ok(e),
            "quote" => self.quote(e, head, args, 0),
            "macrocall" => self.macro_call(args, loc),
            "escape" if self.modules.len() <= 1 => {
                let message = "\"esc(...)\" used outside of macro expansion";
                Err(problem("escape-outside-macro", message, loc))
            }
            "escape" => {
                self.marked = true;
                let top = if self.modules.len() > 1 { self.modules.pop() } else { None };
                let result = self.children(e, head, args);
                self.modules.extend(top);
                result
            }
            "hygienic-scope" => {
                self.marked = true;
                let module = args.get(1).and_then(|&it| self.module_of(it));
                self.modules.extend(module);
                let result = self.children(e, head, args);
                if module.is_some() {
                    self.modules.pop();
                }
                result
            }
            "do" if args.len() == 2 && is_head(self.types, self.ast, args[0], "macrocall") => {
                // The function becomes the first argument of the macro, behind its name and line.
                let mut call = self.ast.as_node(args[0]).map(|(_, it)| it.to_vec()).unwrap_or_default();
                let at = call.len().min(2);
                call.insert(at, args[1]);
                self.macro_call(&call, loc)
            }
            _ => self.children(e, head, args),
        }
    }

    fn children(&mut self, e: ExprId, head: Symbol, args: &[ExprId]) -> Lowering<ExprId> {
        let mut changed = false;
        let mut all = Vec::with_capacity(args.len());
        for &it in args {
            let new = self.expr(it)?;
            changed |= new != it;
            all.push(new);
        }
        Ok(if changed { self.ast.node(head, all, self.ast.loc(e)) } else { e })
    }

    /// Expands in a quote only interpolated code.
    fn quote(&mut self, e: ExprId, head: Symbol, args: &[ExprId], depth: u32) -> Lowering<ExprId> {
        let mut changed = false;
        let mut all = Vec::with_capacity(args.len());
        for &it in args {
            let new = self.quoted(it, depth)?;
            changed |= new != it;
            all.push(new);
        }
        Ok(if changed { self.ast.node(head, all, self.ast.loc(e)) } else { e })
    }

    fn quoted(&mut self, e: ExprId, depth: u32) -> Lowering<ExprId> {
        let Some((head, args)) = self.ast.as_node(e) else { return Ok(e) };
        let (head, args) = (head, args.to_vec());
        match self.types.name(head) {
            "$" if depth == 0 => self.children(e, head, &args),
            "$" => self.quote(e, head, &args, depth - 1),
            "quote" => self.quote(e, head, &args, depth + 1),
            "inert" => Ok(e),
            _ => self.quote(e, head, &args, depth),
        }
    }

    fn module_of(&self, e: ExprId) -> Option<Module> {
        match *self.ast.expr(e) {
            Expr::Const(value) => match *self.types.const_data(value) {
                ConstData::Module(module) => Some(module),
                _ => None,
            },
            _ => None,
        }
    }

    fn macro_call(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<ExprId> {
        let Some((&name, rest)) = args.split_first() else {
            return Err(problem("malformed-expression", "a macro call without a macro", loc));
        };
        let (line, rest) = match rest.split_first() {
            Some((&line, rest)) if matches!(self.ast.expr(line), Expr::Line { .. }) => (Some(line), rest),
            // The place may be given as `nothing`.
            Some((&line, rest)) if self.is_nothing(line) => (None, rest),
            _ => (None, rest),
        };
        let module = self.modules.last().copied().unwrap_or(Module::MAIN);
        if let Some(value) = self.builtin(name, line, module, loc) {
            return Ok(value);
        }
        let (result, from) = {
            let call = MacroCall { args: rest, line, loc };
            self.host.call_macro(self.ast, module, name, call)?
        };
        self.marked = true;
        let expanded = if self.expansion == Expansion::Whole {
            self.modules.push(from);
            let expanded = self.expr(result);
            self.modules.pop();
            expanded?
        } else {
            result
        };
        let from = self.ast.push(Expr::Const(self.types.constant(ConstData::Module(from))), loc);
        Ok(self.ast.node(self.types.symbol("hygienic-scope"), vec![expanded, from], loc))
    }

    fn is_nothing(&self, e: ExprId) -> bool {
        matches!(*self.ast.expr(e), Expr::Const(value) if value == consts::nothing(self.types))
    }

    /// The macros that only the expander can answer.
    fn builtin(
        &mut self,
        name: ExprId,
        line: Option<ExprId>,
        module: Module,
        loc: SourceLoc,
    ) -> Option<ExprId> {
        let symbol = match *self.ast.expr(name) {
            Expr::Symbol(name) | Expr::Global(_, name) => name,
            Expr::Const(_) | Expr::Node { .. } | Expr::Quote(_) | Expr::Line { .. } => return None,
        };
        if !PLACE_MACROS.contains(&self.types.name(symbol)) {
            return None;
        }
        let (number, file) = match line.map(|it| self.ast.expr(it)) {
            Some(&Expr::Line { line, file }) => (line, file),
            _ => (0, None),
        };
        let value = match self.types.name(symbol) {
            "@__MODULE__" => self.types.constant(ConstData::Module(module)),
            "@__LINE__" => consts::int(self.types, i64::from(number)),
            "@__FILE__" => match file {
                Some(file) => self.string(self.types.name(file)),
                None => consts::nothing(self.types),
            },
            "@__DIR__" => match file {
                Some(file) => {
                    let file = self.types.name(file);
                    self.string(file.rsplit_once('/').map_or(".", |(directory, _)| directory))
                }
                None => consts::nothing(self.types),
            },
            _ => return None,
        };
        Some(self.ast.push(Expr::Const(value), loc))
    }

    fn string(&self, text: &str) -> kiln_types::Const {
        self.types.constant(ConstData::String(text.as_bytes().into()))
    }
}
