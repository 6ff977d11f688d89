//! One top-level expression after the other: expand, lower, run.

use crate::bug::while_doing;
use crate::heap::{Value, constants, fields, text};
use crate::interp::{Decoded, with_room};
use crate::runtime::Runtime;
use crate::services::{ExpandError, FrontError, FrontStage, ParsedFile};
use crate::tables::Binding;
use crate::thrown::{Run, Thrown, TraceFrame};
use kiln_ir::{Ast, CodeInfo, Expansion, Expr, ExprId, SourceLoc};
use kiln_types::{Module, Symbol};
use parking_lot::Mutex;
use std::sync::Arc;

impl Runtime {
    /// `Core.eval(module, expr)`.
    pub fn eval(&self, module: Module, expr: Value) -> Run {
        let mut ast = Ast::new();
        let expr =
            self.value_expr(&mut ast, expr, SourceLoc::NONE, &super::QuoteLocations::from_line_nodes());
        self.eval_toplevel(module, &mut ast, expr)
    }

    /// Evaluates one top-level expression in `module`.
    pub fn eval_toplevel(&self, module: Module, ast: &mut Ast, expr: ExprId) -> Run {
        if let Some(result) = self.eval_special(module, ast, expr) {
            return result;
        }
        if ast.is_parsed(expr)
            && let Some(code) = with_room(|| self.frontend.lower_kept(self, module, ast, expr))
        {
            return self.run_thunk(code.map_err(|it| self.front_error(it))?);
        }
        let expanded = with_room(|| self.frontend.expand(self, module, ast, expr, Expansion::Whole));
        let expanded = expanded.map_err(|error| match error {
            ExpandError::Thrown(thrown, source) => self.macro_error(thrown, source),
            ExpandError::Front(error) => self.front_error(error),
        })?;
        if expanded != expr
            && let Some(result) = self.eval_special(module, ast, expanded)
        {
            return result;
        }
        let code = with_room(|| self.frontend.lower_toplevel(self, module, ast, expanded));
        let code = code.map_err(|it| self.front_error(it))?;
        self.run_thunk(code)
    }

    /// `LoadError(file, line, exception)` of the exception of a macro in code that is evaluated.
    fn macro_error(&self, thrown: Box<Thrown>, source: Value) -> Box<Thrown> {
        if thrown.abort.is_some() {
            return thrown;
        }
        let core = self.types.core();
        let file = fields::get(&self.heap, source, 1).and_then(|it| it.as_symbol(core));
        let file = text::string(&self.heap, file.map_or("none", |it| self.types.name(it)));
        let line = fields::get(&self.heap, source, 0).unwrap_or_else(|| self.heap.int(0));
        let wrapped = self.exception(core.load_error, &[file, line, thrown.exception]);
        Box::new(Thrown { trace: thrown.trace, was_handled: thrown.was_handled, ..*wrapped })
    }

    /// Expands the macros in an expression.
    pub fn expand(&self, module: Module, ast: &mut Ast, expr: ExprId, expansion: Expansion) -> Run<ExprId> {
        let expanded = with_room(|| self.frontend.expand(self, module, ast, expr, expansion));
        expanded.map_err(|it| self.expansion_error(it))
    }

    fn expansion_error(&self, error: ExpandError) -> Box<Thrown> {
        match error {
            ExpandError::Thrown(thrown, _) => thrown,
            ExpandError::Front(error) => self.front_error(error),
        }
    }

    /// Expressions that are carried out without lowering.
    fn eval_special(&self, module: Module, ast: &mut Ast, expr: ExprId) -> Option<Run> {
        let (head, args) = match ast.expr(expr) {
            Expr::Node { head, args } => (*head, args.clone()),
            Expr::Symbol(name) => return Some(self.latest(|| self.get_global(module, *name))),
            Expr::Global(module, name) => return Some(self.latest(|| self.get_global(*module, *name))),
            Expr::Const(constant) => return Some(Ok(constants::value_of(&self.heap, *constant))),
            Expr::Line { .. } => return Some(Ok(self.heap.nothing())),
            Expr::Quote(inner) => return Some(Ok(self.expr_value(ast, *inner))),
        };
        let loc = ast.loc(expr);
        let types = self.types.clone();
        match types.name(head) {
            "toplevel" => Some(self.eval_each(module, ast, &args)),
            "block" if args.iter().any(|&it| self.is_toplevel_only(ast, it)) => {
                Some(self.eval_each(module, ast, &args))
            }
            "thunk" => args.first().map(|&it| {
                let code = self.expr_value(ast, it);
                self.run_thunk(self.code_of_value(code, module)?)
            }),
            "module" => Some(self.eval_module(module, ast, &args, loc)),
            "using" => Some(self.eval_using(module, ast, &args).map_err(|it| at_statement(self, it, loc))),
            "import" => Some(self.eval_import(module, ast, &args).map_err(|it| at_statement(self, it, loc))),
            "export" => Some(self.eval_export(module, ast, &args, true)),
            "public" => Some(self.eval_export(module, ast, &args, false)),
            "error" | "incomplete" => {
                let problem = args.first().map(|&it| self.expr_value(ast, it));
                let message = problem.map(|it| text::read(&self.heap, it));
                Some(Err(match (problem, message) {
                    // What `Meta.parse` found is an exception already.
                    (Some(problem), Some(None)) => {
                        let mut thrown = Thrown::new(problem);
                        thrown.trace.push(TraceFrame::new(self.types.symbol("top-level scope"), loc));
                        thrown
                    }
                    (_, message) => {
                        let message = message.flatten().unwrap_or_default();
                        self.front_error(FrontError { message, loc, stage: FrontStage::Lower })
                    }
                }))
            }
            _ => None,
        }
    }

    /// Runs `work` in the newest world.
    fn latest<T>(&self, work: impl FnOnce() -> Run<T>) -> Run<T> {
        crate::interp::in_world(self.tables.world(), work)
    }

    /// Whether an expression cannot be lowered as a part of another one.
    pub(super) fn is_toplevel_only(&self, ast: &Ast, expr: ExprId) -> bool {
        ast.as_node(expr).is_some_and(|(head, _)| {
            matches!(self.types.name(head), "toplevel" | "module" | "using" | "import" | "export" | "public")
        })
    }

    fn eval_each(&self, module: Module, ast: &mut Ast, exprs: &[ExprId]) -> Run {
        let mut last = self.heap.nothing();
        for &expr in exprs {
            if matches!(ast.expr(expr), Expr::Line { .. }) {
                continue;
            }
            last = self.eval_toplevel(module, ast, expr)?;
        }
        Ok(last)
    }

    /// Runs a lowered top-level expression in the newest world.
    pub fn run_thunk(&self, code: CodeInfo) -> Run {
        let body = Decoded::new(self, Arc::new(code));
        self.run_top(&body)
    }

    /// Evaluates a parsed file. Errors are wrapped in a `LoadError` that names it.
    pub fn eval_file(&self, module: Module, name: &str, file: ParsedFile) -> Run {
        let ParsedFile { mut ast, exprs, error } = file;
        let mut last = self.heap.nothing();
        let mut line = 1;
        for expr in exprs {
            let loc = ast.loc(expr);
            if let Expr::Line { line: at, .. } = ast.expr(expr) {
                line = *at;
                continue;
            }
            if let Some((_, at)) = self.frontend.place(loc) {
                line = at;
            }
            let evaluated = while_doing(
                || format!("running {name}:{line}"),
                || self.eval_toplevel(module, &mut ast, expr),
            );
            last = match (evaluated, self.eval.unfinished.get()) {
                (Ok(value), _) => value,
                (Err(thrown), Some(unfinished)) if thrown.abort.is_none() => {
                    unfinished.lock().push(*self.load_error(name, line, thrown, loc));
                    self.heap.nothing()
                }
                (Err(thrown), _) => return Err(self.load_error(name, line, thrown, loc)),
            };
            self.safepoint()?;
        }
        match error {
            Some(error) => {
                let loc = error.loc;
                let line = self.frontend.place(loc).map_or(line, |it| it.1);
                Err(self.load_error(name, line, self.front_error(error), loc))
            }
            None => Ok(last),
        }
    }

    /// From now on a top-level statement of a file that throws does not end the file: see [`Runtime::take_errors`].
    pub fn go_on_after_errors(&self) {
        let _ = self.eval.unfinished.set(Mutex::default());
    }

    /// Takes the exceptions after which evaluation went on, in order.
    pub fn take_errors(&self) -> Vec<Thrown> {
        self.eval.unfinished.get().map_or_else(Vec::new, |it| std::mem::take(&mut it.lock()))
    }

    /// Evaluates a text as if it were a file.
    pub fn eval_text(&self, module: Module, name: &str, text: &str) -> Run {
        let file = with_room(|| self.frontend.parse_file(self, name, text));
        self.eval_file(module, name, file)
    }

    /// As [`Self::eval_text`], with each expression replaced by the result of `change`.
    pub fn eval_changed_text(&self, module: Module, name: &str, text: &str, change: Value) -> Run {
        let ParsedFile { ast, exprs, error } = with_room(|| self.frontend.parse_file(self, name, text));
        let mut last = self.heap.nothing();
        for expr in exprs {
            if matches!(ast.expr(expr), Expr::Line { .. }) {
                continue;
            }
            let loc = ast.loc(expr);
            let line = self.frontend.place(loc).map_or(1, |it| it.1);
            let run = || self.eval(module, self.call_latest(change, &[self.expr_value(&ast, expr)])?);
            last = run().map_err(|it| self.load_error(name, line, it, loc))?;
        }
        match error {
            Some(error) => {
                let loc = error.loc;
                let line = self.frontend.place(loc).map_or(1, |it| it.1);
                Err(self.load_error(name, line, self.front_error(error), loc))
            }
            None => Ok(last),
        }
    }

    /// `include_string(module, text)` without `LoadError`s: for the command line and tests.
    pub fn eval_string(&self, module: Module, text: &str) -> Run {
        let parsed = with_room(|| self.frontend.parse_file(self, "string", text));
        let ParsedFile { mut ast, exprs, error } = parsed;
        let last = self.eval_each(module, &mut ast, &exprs)?;
        error.map_or(Ok(last), |it| Err(self.front_error(it)))
    }

    fn load_error(&self, file: &str, line: u32, thrown: Box<Thrown>, loc: SourceLoc) -> Box<Thrown> {
        if thrown.abort.is_some() {
            return thrown;
        }
        let fields = [text::string(&self.heap, file), self.heap.int(i64::from(line)), thrown.exception];
        let mut wrapped = self.exception(self.types.core().load_error, &fields);
        wrapped.trace = thrown.trace;
        wrapped.was_handled = thrown.was_handled;
        let scope = self.types.symbol("top-level scope");
        // The statement's own frame is there already where it ran as code; it says more.
        let told = wrapped.trace.last().is_some_and(|it| it.name == scope && loc.contains(it.loc));
        if !told && !wrapped.was_handled {
            wrapped.trace.push(TraceFrame::new(scope, loc));
        }
        wrapped
    }

    /// Whether the module itself has a variable or constant of this name now.
    pub fn has_own_global(&self, module: Module, name: Symbol) -> bool {
        let resolved = self.tables.bindings.resolve_binding(module, name, self.tables.world());
        resolved.module == module && !resolved.implicit && matches!(resolved.binding, Binding::Global(..))
    }

    /// Tells the program's logger a remark of the front end, once `Base` has one.
    pub fn lowering_warning(&self, module: Module, message: &str, file: &str, line: u32) {
        if let Some(warn) = self.base_global("lowering_warning") {
            let core = self.types.core();
            let args = [
                Value::module(core, module),
                text::string(&self.heap, message),
                text::string(&self.heap, file),
                self.heap.int(i64::from(line)),
            ];
            // A logger that throws is no reason not to run the program.
            let _ = self.call_latest(warn, &args);
        }
    }

    /// The exception for a problem the front end found.
    pub fn front_error(&self, error: FrontError) -> Box<Thrown> {
        let mut thrown = match error.stage {
            FrontStage::Parse => self.parse_error(&error.message),
            FrontStage::Lower => self.error(&format!("syntax: {}", error.message)),
        };
        thrown.trace.push(TraceFrame::new(self.types.symbol("top-level scope"), error.loc));
        thrown
    }

    /// `Meta.ParseError(message)`; an `ErrorException` before `Base` defines it.
    fn parse_error(&self, message: &str) -> Box<Thrown> {
        let module = self.base_global("Meta").and_then(|it| it.as_module(self.types.core()));
        let constructor = module.and_then(|it| self.global(it, self.types.symbol("ParseError")));
        let made = constructor.map(|it| self.call_latest(it, &[text::string(&self.heap, message)]));
        match made {
            Some(Ok(exception)) => Thrown::new(exception),
            Some(Err(_)) | None => self.error(message),
        }
    }
}

/// Adds the place of a statement that is carried out without a frame of its own.
fn at_statement(rt: &Runtime, mut thrown: Box<Thrown>, loc: SourceLoc) -> Box<Thrown> {
    if !thrown.was_handled {
        thrown.trace.push(TraceFrame::new(rt.types.symbol("top-level scope"), loc));
    }
    thrown
}
