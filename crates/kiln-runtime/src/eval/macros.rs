//! Calling macros: expressions become values, the macro's function is called, its result becomes an expression.

use super::{QuoteLocations, quote, toplevel};
use crate::heap::{Value, constants, fields};
use crate::interp::{call, globals};
use crate::runtime::Runtime;
use crate::throw;
use crate::throw::NameScope;
use crate::thrown::Run;
use kiln_ir::{Ast, Expansion, Expr, ExprId, SourceLoc};
use kiln_types::Module;

/// Calls the macro `name` (an identifier, a `GlobalRef` or a dotted path) in `module`. Returns an expression of
/// `ast`, and the module in which the macro's method was defined. `source` is the macro's `__source__`: see
/// [`source`].
pub fn call(
    rt: &Runtime,
    ast: &mut Ast,
    module: Module,
    name: ExprId,
    args: &[ExprId],
    (source, loc): (Value, SourceLoc),
) -> Run<(ExprId, Module)> {
    let world = rt.tables.world();
    let function = crate::interp::in_world(world, || path_value(rt, ast, module, name))?;
    let core = rt.types.core();
    let mut places = QuoteLocations::default();
    let mut call = vec![function, source, Value::module(core, module)];
    call.extend(args.iter().map(|&it| quote::expr_value_with(rt, ast, it, &mut places)));
    let defined_in = method_module(rt, &call).unwrap_or(module);
    let result = call::call_in_world(rt, function, &call[1..], world)?;
    Ok((quote::value_expr(rt, ast, result, loc, &places), defined_in))
}

/// The value of an identifier, a `GlobalRef` or a dotted path.
fn path_value(rt: &Runtime, ast: &Ast, module: Module, expr: ExprId) -> Run {
    match ast.expr(expr) {
        Expr::Symbol(name) => globals::get(rt, module, *name),
        Expr::Global(owner, name) => globals::get(rt, *owner, *name),
        Expr::Const(constant) => Ok(constants::value_of(&rt.heap, *constant)),
        Expr::Quote(inner) => path_value(rt, ast, module, *inner),
        Expr::Node { head, args } if rt.types.name(*head) == "." && args.len() == 2 => {
            let owner = path_value(rt, ast, module, args[0])?;
            let Some(owner) = owner.as_module(rt.types.core()) else {
                return Err(throw::type_error(rt, "getproperty", "", rt.types.core().module, owner));
            };
            let mut name = ast.expr(args[1]);
            if let Expr::Quote(inner) = name {
                name = ast.expr(*inner);
            }
            let &Expr::Symbol(name) = name else {
                return Err(rt.error("syntax: invalid macro name"));
            };
            globals::get(rt, owner, name)
        }
        Expr::Node { .. } | Expr::Line { .. } => Err(rt.error("syntax: invalid macro name")),
    }
}

/// Returns the module of the method that a call dispatches to.
fn method_module(rt: &Runtime, call: &[Value]) -> Option<Module> {
    let entry = call::find_entry(rt, call, rt.tables.world()).ok()?;
    Some(rt.tables.calls.entry(entry).method.module)
}

/// Returns the line node of a macro call: the call's own, if its line differs from the call's place in the text,
/// as in the result of a macro.
pub fn source(rt: &Runtime, ast: &Ast, line: Option<ExprId>, loc: SourceLoc) -> Value {
    let place = rt.frontend.place(loc);
    let says_more = |it: &ExprId| match (ast.expr(*it), &place) {
        (&Expr::Line { line, .. }, Some((_, known))) => line > 0 && line != *known,
        (_, place) => place.is_none(),
    };
    match line.filter(says_more) {
        Some(line) => quote::expr_value(rt, ast, line),
        None => line_node(rt, loc),
    }
}

/// `LineNumberNode` of a place.
pub fn line_node(rt: &Runtime, loc: SourceLoc) -> Value {
    let (file, line) = match rt.frontend.place(loc) {
        Some((file, line)) => (rt.heap.symbol(&file), line),
        None => (rt.heap.nothing(), 0),
    };
    let fields = [rt.heap.int(i64::from(line)), file];
    fields::new_struct(&rt.heap, rt.types.core().line_number_node, &fields)
}

/// `macroexpand(module, expr; recursive)`.
pub fn expand(rt: &Runtime, module: Module, expr: Value, recursive: bool) -> Run {
    let mut ast = Ast::new();
    let id = quote::value_expr(rt, &mut ast, expr, SourceLoc::NONE, &QuoteLocations::default());
    let expansion = if recursive { Expansion::Whole } else { Expansion::Once };
    let expanded = toplevel::expand(rt, module, &mut ast, id, expansion)?;
    Ok(quote::expr_value(rt, &ast, expanded))
}

/// The `UndefVarError` of an undefined macro, for the front end.
pub fn undefined_name(rt: &Runtime, module: Module, name: &str) -> Box<crate::thrown::Thrown> {
    throw::undef_var(rt, rt.types.symbol(name), NameScope::Global(module))
}
