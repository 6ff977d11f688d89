//! From text to lowered code, for the runtime: parsing, macro expansion, lowering, and what they complain about.

use kiln_ir::{Ast, CodeInfo, ExprId, SourceLoc};
use kiln_lower::{LowerError, MacroHost};
use kiln_runtime::{FrontError, Frontend, GeneratedBody, ParsedFile, Run, Runtime, Thrown};
use kiln_syntax::{Diagnostic, FileId, Files, Span};
use kiln_types::{Module, Types};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Complaints kept for the one that may reach the user; older ones were caught by the program.
const DIAGNOSTICS_KEPT: usize = 64;

/// What the session shares with its front end.
#[derive(Debug, Default)]
pub(crate) struct FrontState {
    pub(crate) files: Mutex<Files>,
    diagnostics: Mutex<Vec<Diagnostic>>,
    pub(crate) parse_nanos: AtomicU64,
    pub(crate) lower_nanos: AtomicU64,
}

impl FrontState {
    /// The complaint made about this place, if one was.
    pub(crate) fn diagnostic_at(&self, loc: SourceLoc) -> Option<Diagnostic> {
        let span = span_of(loc)?;
        self.diagnostics.lock().iter().rev().find(|it| it.primary.span.start == span.start).cloned()
    }

    fn keep(&self, diagnostic: Diagnostic) {
        let mut kept = self.diagnostics.lock();
        if kept.len() >= DIAGNOSTICS_KEPT {
            kept.remove(0);
        }
        kept.push(diagnostic);
    }
}

/// The place as a span; `None` for no place.
pub(crate) fn span_of(loc: SourceLoc) -> Option<Span> {
    (!loc.is_none()).then(|| Span::new(FileId(loc.file()), loc.start(), loc.start() + loc.len()))
}

/// Whether a part of this expression is text that could not be parsed.
fn has_error(types: &Types, ast: &Ast, expr: ExprId) -> bool {
    match ast.as_node(expr) {
        Some((head, args)) => {
            matches!(types.name(head), "error" | "incomplete")
                || args.iter().any(|&it| has_error(types, ast, it))
        }
        None => false,
    }
}

fn loc_of(span: Span) -> SourceLoc {
    SourceLoc::new(span.file.0, span.start, span.end - span.start)
}

/// The front end of a session.
#[derive(Debug)]
pub(crate) struct SessionFrontend {
    pub(crate) state: Arc<FrontState>,
}

impl SessionFrontend {
    fn front_error(&self, error: LowerError) -> FrontError {
        let found = FrontError { message: error.message.clone(), loc: error.loc };
        if let Some(span) = span_of(error.loc) {
            let mut diagnostic = Diagnostic::error(error.code, error.message, span);
            for (loc, text) in error.secondary {
                if let Some(span) = span_of(loc) {
                    diagnostic = diagnostic.with_secondary(span, text);
                }
            }
            diagnostic.help = error.help;
            self.state.keep(diagnostic);
        }
        found
    }

    fn lowering<T>(&self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.state.lower_nanos.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }
}

/// Runs macros in the interpreter. What one throws is kept, to go on as it is.
struct Macros<'a> {
    rt: &'a Runtime,
    thrown: Option<Box<Thrown>>,
}

impl MacroHost for Macros<'_> {
    fn call_macro(
        &mut self,
        ast: &mut Ast,
        module: Module,
        name: ExprId,
        args: &[ExprId],
        loc: SourceLoc,
    ) -> Result<(ExprId, Module), LowerError> {
        self.rt.call_macro(ast, module, name, args, loc).map_err(|thrown| {
            self.thrown = Some(thrown);
            LowerError::new("macro-threw", "the macro threw an exception", loc)
        })
    }
}

/// What expressions say of the file they are in (`@__FILE__`, line nodes): its whole path, wherever the program goes
/// later. Messages call it by the name it was given.
fn absolute(name: &str) -> Cow<'_, str> {
    let path = Path::new(name);
    if path.is_absolute() || !path.is_file() {
        return Cow::Borrowed(name);
    }
    match std::path::absolute(path) {
        Ok(whole) => Cow::Owned(whole.display().to_string()),
        Err(_) => Cow::Borrowed(name),
    }
}

impl Frontend for SessionFrontend {
    fn parse_file(&self, rt: &Runtime, name: &str, text: &str) -> ParsedFile {
        let start = Instant::now();
        let mut file = ParsedFile::default();
        let id = self.state.files.lock().add(name, text.to_owned()).unwrap_or(FileId::NONE);
        let parse = kiln_syntax::parse(text, id).named(&absolute(name));
        file.exprs = kiln_lower::expr::to_ast(&parse, &rt.types, &mut file.ast);
        let first = parse.diagnostics.iter().find(|it| it.severity == kiln_syntax::Severity::Error);
        if let Some(problem) = first {
            let at = problem.primary.span;
            // What stands before the error runs first, as in Julia.
            let ast = &file.ast;
            let before = |it: ExprId| ast.loc(it).start() + ast.loc(it).len() <= at.start;
            file.exprs.retain(|&it| before(it) && !has_error(&rt.types, ast, it));
            file.error = Some(FrontError { message: problem.message.clone(), loc: loc_of(at) });
            self.state.keep(problem.clone());
        }
        self.state.parse_nanos.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        file
    }

    fn parse_one(
        &self,
        rt: &Runtime,
        text: &str,
        start: usize,
        ast: &mut Ast,
    ) -> Result<(Option<ExprId>, usize), FrontError> {
        let (parse, next) = kiln_syntax::parse_one(text, start);
        if let Some(problem) = parse.diagnostics.first() {
            return Err(FrontError { message: problem.message.clone(), loc: SourceLoc::NONE });
        }
        let exprs = kiln_lower::expr::to_ast(&parse, &rt.types, ast);
        let expr = exprs.into_iter().find(|it| !matches!(ast.expr(*it), kiln_ir::Expr::Line { .. }));
        Ok((expr, next))
    }

    fn expand(&self, rt: &Runtime, module: Module, ast: &mut Ast, expr: ExprId) -> Run<ExprId> {
        let mut macros = Macros { rt, thrown: None };
        kiln_lower::expand(&rt.types, ast, module, expr, &mut macros).map_err(|error| {
            match macros.thrown.take() {
                Some(thrown) => thrown,
                None => rt.front_error(self.front_error(error)),
            }
        })
    }

    fn lower_toplevel(
        &self,
        rt: &Runtime,
        module: Module,
        ast: &mut Ast,
        expr: ExprId,
    ) -> Result<CodeInfo, FrontError> {
        self.lowering(|| kiln_lower::lower_toplevel(&rt.types, ast, module, expr))
            .map_err(|it| self.front_error(it))
    }

    fn lower_generated(&self, rt: &Runtime, ast: &mut Ast, body: GeneratedBody<'_>) -> Run<CodeInfo> {
        let expanded = self.expand(rt, body.module, ast, body.body)?;
        let shape = kiln_lower::GeneratedShape {
            module: body.module,
            name: body.name,
            args: body.args,
            is_va: body.is_va,
            static_params: body.static_params,
            loc: body.loc,
        };
        self.lowering(|| kiln_lower::lower_generated(&rt.types, ast, &shape, expanded))
            .map_err(|it| rt.front_error(self.front_error(it)))
    }

    fn place(&self, loc: SourceLoc) -> Option<(String, u32)> {
        let files = self.state.files.lock();
        let file = files.get(FileId(loc.file()))?;
        Some((file.name.to_string(), file.lines().line(loc.start())))
    }
}
