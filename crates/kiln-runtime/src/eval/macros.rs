//! Calling macros: expressions become values, the macro's function is called, its result becomes an expression.

use super::{QuoteLocations, quote, toplevel};
use crate::heap::{Value, constants, fields};
use crate::interp::{call, globals};
use crate::runtime::Runtime;
use crate::tables::Method;
use crate::throw;
use crate::throw::NameScope;
use crate::thrown::Run;
use kiln_ir::{Ast, Expansion, Expr, ExprId, Mark, SourceLoc};
use kiln_types::{Module, Type, identity};
use std::sync::Arc;

/// The result of a macro.
#[derive(Debug)]
pub struct MacroResult {
    /// An expression of the caller's [`Ast`].
    pub expr: ExprId,
    /// The type of the macro's function.
    pub callee: Type,
    /// The method that was called.
    pub method: Option<Arc<Method>>,
}

/// Calls the macro `name` (an identifier, a `GlobalRef` or a dotted path) in `module`. `source` is the macro's
/// `__source__`: see [`source`].
pub fn call(
    rt: &Runtime,
    ast: &mut Ast,
    module: Module,
    name: ExprId,
    args: &[ExprId],
    (source, loc): (Value, SourceLoc),
) -> Run<MacroResult> {
    let world = rt.tables.world();
    let function = crate::interp::in_world(world, || path_value(rt, ast, module, name))?;
    let core = rt.types.core();
    let mut places = QuoteLocations::default();
    let mut call = vec![function, source, Value::module(core, module)];
    call.extend(args.iter().map(|&it| quote::expr_value_with(rt, ast, it, &mut places)));
    let method = method(rt, &call);
    let result = call::call_in_world(rt, function, &call[1..], world)?;
    let expr = quote::value_expr(rt, ast, result, loc, &places);
    Ok(MacroResult { expr, callee: function.ty(), method })
}

/// The type of the function that the name of a macro means in `module` now; `None` if the program has made it.
pub fn library_callee(rt: &Runtime, ast: &Ast, module: Module, name: ExprId) -> Option<Type> {
    let callee = crate::interp::in_world(rt.tables.world(), || path_value(rt, ast, module, name)).ok()?.ty();
    (callee.index() < identity::frozen_counts(&rt.types).types).then_some(callee)
}

/// The facts that the expansions of a method of a macro follow from, as the library says of its own with `Base.@keep_expansions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpansionSource {
    /// They follow from the arguments and the module.
    Arguments,
    /// The file and the line count, too.
    Place,
    /// Nothing is said.
    Anything,
}

/// Returns the facts that the expansions of a method of a macro follow from.
pub fn expansion_source(rt: &Runtime, method: &Method) -> ExpansionSource {
    let marks = rt.tables.methods.is_frozen(method.id).then(|| method.code.meta.others.iter());
    let said = marks.into_iter().flatten().find_map(|it| match it {
        Mark::Node(head, parts) if rt.types.name(*head) == "keep_expansions" => Some(parts.is_empty()),
        Mark::Node(..) | Mark::Name(_) | Mark::Value(_) => None,
    });
    match said {
        Some(true) => ExpansionSource::Arguments,
        Some(false) => ExpansionSource::Place,
        None => ExpansionSource::Anything,
    }
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

/// Returns the method that a call dispatches to.
fn method(rt: &Runtime, call: &[Value]) -> Option<Arc<Method>> {
    let entry = call::find_entry(rt, call, rt.tables.world()).ok()?;
    Some(rt.tables.calls.entry(entry).method.clone())
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
