//! One top-level expression after the other: expand, lower, run.

use super::{modules, quote, value_code};
use crate::bug::while_doing;
use crate::heap::{Value, constants, fields, text};
use crate::interp::{Decoded, call, globals, with_room};
use crate::runtime::Runtime;
use crate::services::{ExpandError, FrontError, FrontResult, FrontStage, ParsedFile};
use crate::tables::Binding;
use crate::thrown::{Run, Thrown, TraceFrame};
use crate::{collecting, throw};
use kiln_ir::{Ast, CodeInfo, Expansion, Expr, ExprId, SourceLoc};
use kiln_types::{Module, Symbol};
use parking_lot::Mutex;
use std::sync::Arc;

impl Runtime {
    /// `Core.eval(module, expr)`.
    pub fn eval(&self, module: Module, expr: Value) -> Run {
        let mut ast = Ast::new();
        let expr = quote::value_expr(
            self,
            &mut ast,
            expr,
            SourceLoc::NONE,
            &super::QuoteLocations::from_line_nodes(),
        );
        eval_toplevel(self, module, &mut ast, expr)
    }
}

/// Evaluates one top-level expression in `module`.
pub fn eval_toplevel(rt: &Runtime, module: Module, ast: &mut Ast, expr: ExprId) -> Run {
    if let Some(result) = eval_special(rt, module, ast, expr) {
        return result;
    }
    let kept =
        if ast.is_parsed(expr) { with_room(|| rt.frontend.lower_kept(rt, module, ast, expr)) } else { None };
    let prepared = kept.unwrap_or_else(|| {
        with_room(|| rt.frontend.expand(rt, module, ast, expr, Expansion::Whole)).map(FrontResult::Expanded)
    });
    let expanded = match prepared {
        Ok(FrontResult::Code(code)) => return run_thunk(rt, *code),
        Ok(FrontResult::Expanded(expanded)) => expanded,
        Err(ExpandError::Thrown(thrown, source)) => return Err(macro_error(rt, thrown, source)),
        Err(ExpandError::Front(error)) => return Err(front_error(rt, error)),
    };
    if expanded != expr
        && let Some(result) = eval_special(rt, module, ast, expanded)
    {
        return result;
    }
    let code = with_room(|| rt.frontend.lower_toplevel(rt, module, ast, expanded));
    let code = code.map_err(|it| front_error(rt, it))?;
    run_thunk(rt, code)
}

/// `LoadError(file, line, exception)` of the exception of a macro in code that is evaluated.
fn macro_error(rt: &Runtime, thrown: Box<Thrown>, source: Value) -> Box<Thrown> {
    if thrown.abort.is_some() {
        return thrown;
    }
    let core = rt.types.core();
    let file = fields::get(&rt.heap, source, 1).and_then(|it| it.as_symbol(core));
    let file = text::string(&rt.heap, file.map_or("none", |it| rt.types.name(it)));
    let line = fields::get(&rt.heap, source, 0).unwrap_or_else(|| rt.heap.int(0));
    let wrapped = throw::exception(rt, core.load_error, &[file, line, thrown.exception]);
    Box::new(Thrown { trace: thrown.trace, was_handled: thrown.was_handled, ..*wrapped })
}

/// Expands the macros in an expression.
pub fn expand(
    rt: &Runtime,
    module: Module,
    ast: &mut Ast,
    expr: ExprId,
    expansion: Expansion,
) -> Run<ExprId> {
    let expanded = with_room(|| rt.frontend.expand(rt, module, ast, expr, expansion));
    expanded.map_err(|it| expansion_error(rt, it))
}

fn expansion_error(rt: &Runtime, error: ExpandError) -> Box<Thrown> {
    match error {
        ExpandError::Thrown(thrown, _) => thrown,
        ExpandError::Front(error) => front_error(rt, error),
    }
}

/// Whether an expression is carried out without lowering.
pub fn is_special(rt: &Runtime, ast: &Ast, expr: ExprId) -> bool {
    let Some((head, args)) = ast.as_node(expr) else { return true };
    match rt.types.name(head) {
        "toplevel" | "thunk" | "module" | "using" | "import" | "export" | "public" | "error"
        | "incomplete" => true,
        "block" => args.iter().any(|&it| is_toplevel_only(rt, ast, it)),
        _ => false,
    }
}

/// Expressions that are carried out without lowering.
fn eval_special(rt: &Runtime, module: Module, ast: &mut Ast, expr: ExprId) -> Option<Run> {
    if !is_special(rt, ast, expr) {
        return None;
    }
    let (head, args) = match ast.expr(expr) {
        Expr::Node { head, args } => (*head, args.clone()),
        Expr::Symbol(name) => return Some(latest(rt, || globals::get(rt, module, *name))),
        Expr::Global(module, name) => return Some(latest(rt, || globals::get(rt, *module, *name))),
        Expr::Const(constant) => return Some(Ok(constants::value_of(&rt.heap, *constant))),
        Expr::Line { .. } => return Some(Ok(rt.heap.nothing())),
        Expr::Quote(inner) => return Some(Ok(quote::expr_value(rt, ast, *inner))),
    };
    let loc = ast.loc(expr);
    let types = rt.types.clone();
    match types.name(head) {
        "toplevel" | "block" => Some(eval_each(rt, module, ast, &args)),
        "thunk" => args.first().map(|&it| {
            let code = quote::expr_value(rt, ast, it);
            run_thunk(rt, value_code::code_of_value(rt, code, module)?)
        }),
        "module" => Some(modules::eval_module(rt, module, ast, &args, loc)),
        "using" => Some(modules::eval_using(rt, module, ast, &args).map_err(|it| at_statement(rt, it, loc))),
        "import" => {
            Some(modules::eval_import(rt, module, ast, &args).map_err(|it| at_statement(rt, it, loc)))
        }
        "export" => Some(modules::eval_export(rt, module, ast, &args, true)),
        "public" => Some(modules::eval_export(rt, module, ast, &args, false)),
        "error" | "incomplete" => {
            let problem = args.first().map(|&it| quote::expr_value(rt, ast, it));
            let message = problem.map(|it| text::read(&rt.heap, it));
            Some(Err(match (problem, message) {
                // What `Meta.parse` found is an exception already.
                (Some(problem), Some(None)) => {
                    let mut thrown = Thrown::new(problem);
                    thrown.trace.push(TraceFrame::new(rt.types.symbol("top-level scope"), loc));
                    thrown
                }
                (_, message) => {
                    let message = message.flatten().unwrap_or_default();
                    front_error(rt, FrontError { message, loc, stage: FrontStage::Lower })
                }
            }))
        }
        _ => None,
    }
}

/// Runs `work` in the newest world.
fn latest<T>(rt: &Runtime, work: impl FnOnce() -> Run<T>) -> Run<T> {
    crate::interp::in_world(rt.tables.world(), work)
}

/// Whether an expression cannot be lowered as a part of another one.
pub(super) fn is_toplevel_only(rt: &Runtime, ast: &Ast, expr: ExprId) -> bool {
    ast.as_node(expr).is_some_and(|(head, _)| {
        matches!(rt.types.name(head), "toplevel" | "module" | "using" | "import" | "export" | "public")
    })
}

fn eval_each(rt: &Runtime, module: Module, ast: &mut Ast, exprs: &[ExprId]) -> Run {
    let mut last = rt.heap.nothing();
    for &expr in exprs {
        if matches!(ast.expr(expr), Expr::Line { .. }) {
            continue;
        }
        last = eval_toplevel(rt, module, ast, expr)?;
    }
    Ok(last)
}

/// Runs a lowered top-level expression in the newest world.
pub fn run_thunk(rt: &Runtime, code: CodeInfo) -> Run {
    let body = Decoded::new(rt, Arc::new(code));
    call::run_top(rt, &body)
}

/// Evaluates a parsed file. Errors are wrapped in a `LoadError` that names it.
pub fn eval_file(rt: &Runtime, module: Module, name: &str, file: ParsedFile) -> Run {
    let ParsedFile { mut ast, exprs, error } = file;
    let mut last = rt.heap.nothing();
    let mut line = 1;
    for expr in exprs {
        let loc = ast.loc(expr);
        if let Expr::Line { line: at, .. } = ast.expr(expr) {
            line = *at;
            continue;
        }
        if let Some((_, at)) = rt.frontend.place(loc) {
            line = at;
        }
        let evaluated =
            while_doing(|| format!("running {name}:{line}"), || eval_toplevel(rt, module, &mut ast, expr));
        last = match (evaluated, rt.eval.unfinished.get()) {
            (Ok(value), _) => value,
            (Err(thrown), Some(unfinished)) if thrown.abort.is_none() => {
                unfinished.lock().push(*load_error(rt, name, line, thrown, loc));
                rt.heap.nothing()
            }
            (Err(thrown), _) => return Err(load_error(rt, name, line, thrown, loc)),
        };
        collecting::safepoint(rt)?;
    }
    match error {
        Some(error) => {
            let loc = error.loc;
            let line = rt.frontend.place(loc).map_or(line, |it| it.1);
            Err(load_error(rt, name, line, front_error(rt, error), loc))
        }
        None => Ok(last),
    }
}

/// From now on a top-level statement of a file that throws does not end the file: see [`take_errors`].
pub fn go_on_after_errors(rt: &Runtime) {
    let _ = rt.eval.unfinished.set(Mutex::default());
}

/// Takes the exceptions after which evaluation went on, in order.
pub fn take_errors(rt: &Runtime) -> Vec<Thrown> {
    rt.eval.unfinished.get().map_or_else(Vec::new, |it| std::mem::take(&mut it.lock()))
}

/// Evaluates a text as if it were a file.
pub fn eval_text(rt: &Runtime, module: Module, name: &str, text: &str) -> Run {
    let file = with_room(|| rt.frontend.parse_file(rt, name, text));
    eval_file(rt, module, name, file)
}

/// As [`eval_text`], with each expression replaced by the result of `change`.
pub fn eval_changed_text(rt: &Runtime, module: Module, name: &str, text: &str, change: Value) -> Run {
    let ParsedFile { ast, exprs, error } = with_room(|| rt.frontend.parse_file(rt, name, text));
    let mut last = rt.heap.nothing();
    for expr in exprs {
        if matches!(ast.expr(expr), Expr::Line { .. }) {
            continue;
        }
        let loc = ast.loc(expr);
        let line = rt.frontend.place(loc).map_or(1, |it| it.1);
        let run = || rt.eval(module, rt.call_latest(change, &[quote::expr_value(rt, &ast, expr)])?);
        last = run().map_err(|it| load_error(rt, name, line, it, loc))?;
    }
    match error {
        Some(error) => {
            let loc = error.loc;
            let line = rt.frontend.place(loc).map_or(1, |it| it.1);
            Err(load_error(rt, name, line, front_error(rt, error), loc))
        }
        None => Ok(last),
    }
}

/// `include_string(module, text)` without `LoadError`s: for the command line and tests.
pub fn eval_string(rt: &Runtime, module: Module, text: &str) -> Run {
    let parsed = with_room(|| rt.frontend.parse_file(rt, "string", text));
    let ParsedFile { mut ast, exprs, error } = parsed;
    let last = eval_each(rt, module, &mut ast, &exprs)?;
    error.map_or(Ok(last), |it| Err(front_error(rt, it)))
}

fn load_error(rt: &Runtime, file: &str, line: u32, thrown: Box<Thrown>, loc: SourceLoc) -> Box<Thrown> {
    if thrown.abort.is_some() {
        return thrown;
    }
    let fields = [text::string(&rt.heap, file), rt.heap.int(i64::from(line)), thrown.exception];
    let mut wrapped = throw::exception(rt, rt.types.core().load_error, &fields);
    wrapped.trace = thrown.trace;
    wrapped.was_handled = thrown.was_handled;
    let scope = rt.types.symbol("top-level scope");
    // The statement's own frame is there already where it ran as code; it says more.
    let told = wrapped.trace.last().is_some_and(|it| it.name == scope && loc.contains(it.loc));
    if !told && !wrapped.was_handled {
        wrapped.trace.push(TraceFrame::new(scope, loc));
    }
    wrapped
}

/// Whether the module itself has a variable or constant of this name now.
pub fn has_own_global(rt: &Runtime, module: Module, name: Symbol) -> bool {
    let resolved = rt.tables.bindings.resolve_binding(module, name, rt.tables.world());
    resolved.module == module && !resolved.implicit && matches!(resolved.binding, Binding::Global(..))
}

/// Tells the program's logger a remark of the front end, once `Base` has one.
pub fn lowering_warning(rt: &Runtime, module: Module, message: &str, file: &str, line: u32) {
    if let Some(warn) = rt.base_global("lowering_warning") {
        let core = rt.types.core();
        let args = [
            Value::module(core, module),
            text::string(&rt.heap, message),
            text::string(&rt.heap, file),
            rt.heap.int(i64::from(line)),
        ];
        // A logger that throws is no reason not to run the program.
        let _ = rt.call_latest(warn, &args);
    }
}

/// The exception for a problem the front end found.
pub fn front_error(rt: &Runtime, error: FrontError) -> Box<Thrown> {
    let mut thrown = match error.stage {
        FrontStage::Parse => parse_error(rt, &error.message),
        FrontStage::Lower => rt.error(&format!("syntax: {}", error.message)),
    };
    thrown.trace.push(TraceFrame::new(rt.types.symbol("top-level scope"), error.loc));
    thrown
}

/// `Meta.ParseError(message)`; an `ErrorException` before `Base` defines it.
fn parse_error(rt: &Runtime, message: &str) -> Box<Thrown> {
    let module = rt.base_global("Meta").and_then(|it| it.as_module(rt.types.core()));
    let constructor = module.and_then(|it| rt.global(it, rt.types.symbol("ParseError")));
    let made = constructor.map(|it| rt.call_latest(it, &[text::string(&rt.heap, message)]));
    match made {
        Some(Ok(exception)) => Thrown::new(exception),
        Some(Err(_)) | None => rt.error(message),
    }
}

/// Adds the place of a statement that is carried out without a frame of its own.
fn at_statement(rt: &Runtime, mut thrown: Box<Thrown>, loc: SourceLoc) -> Box<Thrown> {
    if !thrown.was_handled {
        thrown.trace.push(TraceFrame::new(rt.types.symbol("top-level scope"), loc));
    }
    thrown
}
