//! From text to lowered code, for the runtime: parsing, macro expansion, lowering, and their diagnostics.

use kiln_ir::{Ast, CodeInfo, Expansion, Expr, ExprId, SourceLoc};
use kiln_lower::{Globals, LowerError, LowerWarning, MacroCall, MacroHost};
use kiln_runtime::eval::macros::{self, MacroResult};
use kiln_runtime::eval::toplevel;
use kiln_runtime::{
    ExpandError, FrontError, FrontResult, FrontStage, Frontend, GeneratedBody, ParseRequest, ParseRule,
    ParsedFile, ParsedText, Run, Runtime, Thrown, Value,
};
use kiln_syntax::{Diagnostic, FileId, Files, Parse, Severity, Span};
use kiln_types::{Module, Symbol, Types};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The number of diagnostics kept for the exception that may reach the user; the program has caught older ones.
const DIAGNOSTICS_KEPT: usize = 64;

/// Lowers expressions whose code is kept from one session to the next.
pub(crate) trait KeptCode: std::fmt::Debug + Send + Sync {
    /// Prepares an expression of a file by what is kept of it, or keeps it; `None` if it is not of a kind that is kept.
    fn lower(
        &self,
        front: &SessionFrontend,
        session: (&Runtime, Module),
        ast: &mut Ast,
        expr: ExprId,
    ) -> Option<Result<FrontResult, ExpandError>>;
}

/// Counts of the front end. Times are nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct FrontCounts {
    pub(crate) parse_ns: AtomicU64,
    pub(crate) lower_ns: AtomicU64,
    /// Files and texts parsed.
    pub(crate) parses: AtomicU64,
    /// Macro calls expanded.
    pub(crate) expansions: AtomicU64,
    /// Expressions lowered.
    pub(crate) lowerings: AtomicU64,
    /// Lowered code found in the store.
    pub(crate) lowered_found: AtomicU64,
}

/// The state that the session shares with its front end.
#[derive(Debug, Default)]
pub(crate) struct FrontState {
    pub(crate) files: Mutex<Files>,
    diagnostics: Mutex<Vec<Diagnostic>>,
    /// Diagnostics that were shown, by their text: an exception carries the text alone.
    shown: Mutex<VecDeque<(String, Vec<Diagnostic>)>>,
    pub counts: FrontCounts,
    /// Where lowered code is kept, once the session has such a place.
    pub(crate) kept: OnceLock<Box<dyn KeptCode>>,
    /// Source lines in messages are coloured.
    pub(crate) color: bool,
}

impl FrontState {
    /// The state of a front end that has read nothing.
    pub(crate) fn with_color(color: bool) -> Self {
        Self { color, ..Self::default() }
    }

    /// The complaint made about this place, if one was.
    pub(crate) fn diagnostic_at(&self, loc: SourceLoc) -> Option<Diagnostic> {
        let span = span_of(loc)?;
        self.diagnostics.lock().iter().rev().find(|it| it.primary.span.start == span.start).cloned()
    }

    /// Shows diagnostics, and remembers them by their text.
    pub(crate) fn render(&self, diagnostics: &[Diagnostic]) -> String {
        let text = {
            let files = self.files.lock();
            diagnostics.iter().map(|it| it.render(&files, self.color)).collect::<Vec<_>>().join("\n")
        };
        let mut shown = self.shown.lock();
        if shown.len() >= DIAGNOSTICS_KEPT {
            shown.pop_front();
        }
        shown.push_back((text.clone(), diagnostics.to_vec()));
        text
    }

    /// The diagnostics that were shown as this text, the latest.
    pub(crate) fn shown(&self, text: &str) -> Option<Vec<Diagnostic>> {
        self.shown.lock().iter().rev().find(|it| it.0.trim_end() == text.trim_end()).map(|it| it.1.clone())
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

fn first_error(parse: &Parse) -> Option<&Diagnostic> {
    parse.diagnostics.iter().find(|it| it.severity == Severity::Error)
}

/// Keeps the statements before an error: they run before it is thrown, as in Julia. A statement that the error
/// continues is excluded.
fn keep_before(types: &Types, ast: &Ast, exprs: &mut Vec<ExprId>, error: u32, text: &str) {
    let before = |it: ExprId| {
        let end = ast.loc(it).start() + ast.loc(it).len();
        end <= error && text.get(end as usize..error as usize).is_none_or(|it| it.contains(['\n', '\r', ';']))
    };
    exprs.retain(|&it| before(it) && !has_error(types, ast, it));
}

/// `Expr(:toplevel, ...)` of a whole text: a line node in front of every statement, and of the first error.
fn toplevel(
    rt: &Runtime,
    ast: &mut Ast,
    parse: &Parse,
    exprs: Vec<ExprId>,
    problem: Option<&Diagnostic>,
) -> ExprId {
    let file = parse.name.as_deref().map(|it| rt.types.symbol(it));
    let line = |ast: &mut Ast, offset: u32| {
        let line = parse.lines.line(offset) + parse.first_line - 1;
        ast.push(Expr::Line { line, file }, SourceLoc::NONE)
    };
    let mut args = Vec::with_capacity(exprs.len() * 2);
    for it in exprs {
        if !matches!(ast.expr(it), Expr::Line { .. }) {
            let at = ast.loc(it).start();
            args.push(line(ast, at));
            args.push(it);
        }
    }
    if let Some(problem) = problem {
        args.push(line(ast, problem.primary.span.start));
    }
    ast.node(rt.types.symbol("toplevel"), args, SourceLoc::NONE)
}

/// The message of a `Meta.ParseError`: the location, the line of the text, and the error.
fn error_text(parse: &Parse, file: &str, problem: &Diagnostic) -> String {
    let span = problem.primary.span;
    let (line, column) = parse.lines.line_column(span.start);
    let text = parse.text.lines().nth(line as usize - 1).unwrap_or("");
    let line = line + parse.first_line - 1;
    let before = text.get(..column as usize - 1).unwrap_or(text).chars().count().saturating_sub(1);
    let width = parse
        .text
        .get(span.start as usize..span.end as usize)
        .map_or(1, |it| it.lines().next().unwrap_or("").chars().count().max(1));
    let mark = format!("#{}{}", " ".repeat(before), "─".repeat(width));
    format!("ParseError:\n# Error @ {file}:{line}:{column}\n{text}\n{mark} ── {}", problem.message)
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
        let found = FrontError { message: error.message.clone(), loc: error.loc, stage: FrontStage::Lower };
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

    /// Lowers something, and counts it.
    pub(crate) fn lower<T>(&self, work: impl FnOnce() -> Result<T, LowerError>) -> Result<T, FrontError> {
        let start = Instant::now();
        let result = work();
        self.state.counts.lower_ns.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.state.counts.lowerings.fetch_add(1, Ordering::Relaxed);
        result.map_err(|it| self.front_error(it))
    }

    /// Tells the program's logger remarks about the program.
    pub(crate) fn warn(&self, (rt, module): (&Runtime, Module), warnings: &[LowerWarning]) {
        for warning in warnings {
            let (file, line) = self.place(warning.loc).unwrap_or_default();
            toplevel::lowering_warning(rt, module, &warning.message, &file, line);
        }
    }
}

/// The globals of a session.
struct OwnGlobals<'a>(&'a Runtime);

impl Globals for OwnGlobals<'_> {
    fn is_global(&self, module: Module, name: Symbol) -> bool {
        kiln_runtime::eval::toplevel::has_own_global(self.0, module, name)
    }
}

/// Runs macros in the interpreter. An exception of a macro is stored, to be rethrown unchanged.
struct Macros<'a> {
    rt: &'a Runtime,
    calls: &'a AtomicU64,
    /// The exception, and the line node of the call.
    thrown: Option<(Box<Thrown>, Value)>,
    /// Learns of the calls.
    seen: &'a mut dyn FnMut(Module, &MacroResult),
}

impl MacroHost for Macros<'_> {
    fn call_macro(
        &mut self,
        ast: &mut Ast,
        module: Module,
        name: ExprId,
        call: MacroCall<'_>,
    ) -> Result<(ExprId, Module), LowerError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let source = macros::source(self.rt, ast, call.line, call.loc);
        match macros::call(self.rt, ast, module, name, call.args, (source, call.loc)) {
            Ok(result) => {
                (self.seen)(module, &result);
                Ok((result.expr, result.method.map_or(module, |it| it.module)))
            }
            Err(thrown) => {
                self.thrown = Some((thrown, source));
                Err(LowerError::new("macro-threw", "the macro threw an exception", call.loc))
            }
        }
    }
}

impl SessionFrontend {
    /// Expands the macros in an expression; `seen` learns of each call, with the module it is made in.
    pub(crate) fn expand_seen(
        &self,
        (rt, module): (&Runtime, Module),
        ast: &mut Ast,
        expr: ExprId,
        expansion: Expansion,
        seen: &mut dyn FnMut(Module, &MacroResult),
    ) -> Result<ExprId, ExpandError> {
        let mut macros = Macros { rt, calls: &self.state.counts.expansions, thrown: None, seen };
        let expanded = kiln_lower::expand(&rt.types, ast, module, expr, expansion, &mut macros);
        expanded.map_err(|it| self.expand_error(macros, it))
    }

    fn expand_error(&self, macros: Macros<'_>, error: LowerError) -> ExpandError {
        match macros.thrown {
            Some((thrown, source)) => ExpandError::Thrown(thrown, source),
            None => ExpandError::Front(self.front_error(error)),
        }
    }
}

/// Returns the path that expressions have of their file (`@__FILE__`, line nodes): absolute, since the program may
/// change its directory. Messages use the given path.
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
        if let Some(problem) = first_error(&parse) {
            let at = problem.primary.span;
            keep_before(&rt.types, &file.ast, &mut file.exprs, at.start, &parse.text);
            let message = error_text(&parse, name, problem);
            file.error = Some(FrontError { message, loc: loc_of(at), stage: FrontStage::Parse });
            self.state.keep(problem.clone());
        } else if id != FileId::NONE {
            file.ast.set_parsed();
        }
        self.state.counts.parses.fetch_add(1, Ordering::Relaxed);
        self.state.counts.parse_ns.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        file
    }

    fn parse_text(&self, rt: &Runtime, request: ParseRequest<'_>, ast: &mut Ast) -> ParsedText {
        let ParseRequest { text, invalid, start, rule, file, line } = request;
        self.state.counts.parses.fetch_add(1, Ordering::Relaxed);
        let (parse, next) = match rule {
            ParseRule::Statement => kiln_syntax::parse_one(text, start),
            ParseRule::Atom => kiln_syntax::parse_atom(text, start),
            ParseRule::All => (kiln_syntax::parse(text, FileId::NONE), text.len()),
        };
        let parse = if file.is_empty() { parse } else { parse.named(file) }.starting_at(line);
        let mut exprs = kiln_lower::expr::to_ast(&parse, &rt.types, ast);
        let invalid = invalid.map(|it| {
            let span = Span::new(FileId::NONE, it as u32, it as u32 + 1);
            Diagnostic::error("syntax/invalid-utf8", "invalid UTF-8 sequence", span)
        });
        // The first of what is wrong.
        let problem = match (first_error(&parse), invalid.as_ref()) {
            (Some(error), Some(invalid)) if error.primary.span.start < invalid.primary.span.start => {
                Some(error)
            }
            (error, invalid) => invalid.or(error),
        };
        let error = problem.map(|it| error_text(&parse, file, it));
        let incomplete = problem.and_then(|_| parse.incomplete());
        let expr = match (rule, problem) {
            (ParseRule::All, _) => {
                if let Some(problem) = problem {
                    keep_before(&rt.types, ast, &mut exprs, problem.primary.span.start, &parse.text);
                }
                Some(toplevel(rt, ast, &parse, exprs, problem))
            }
            (_, Some(_)) => None,
            (_, None) => exprs.into_iter().find(|it| !matches!(ast.expr(*it), Expr::Line { .. })),
        };
        ParsedText { expr, next, error, incomplete }
    }

    fn expand(
        &self,
        rt: &Runtime,
        module: Module,
        ast: &mut Ast,
        expr: ExprId,
        expansion: Expansion,
    ) -> Result<ExprId, ExpandError> {
        self.expand_seen((rt, module), ast, expr, expansion, &mut |_, _| {})
    }

    fn lower_toplevel(
        &self,
        rt: &Runtime,
        module: Module,
        ast: &mut Ast,
        expr: ExprId,
    ) -> Result<CodeInfo, FrontError> {
        let (code, warnings) =
            self.lower(|| kiln_lower::lower_toplevel(&rt.types, ast, module, expr, &OwnGlobals(rt)))?;
        self.warn((rt, module), &warnings);
        Ok(code)
    }

    fn lower_kept(
        &self,
        rt: &Runtime,
        module: Module,
        ast: &mut Ast,
        expr: ExprId,
    ) -> Option<Result<FrontResult, ExpandError>> {
        self.state.kept.get()?.lower(self, (rt, module), ast, expr)
    }

    fn lower_generated(&self, rt: &Runtime, ast: &mut Ast, body: GeneratedBody<'_>) -> Run<CodeInfo> {
        let expanded = toplevel::expand(rt, body.module, ast, body.body, Expansion::Whole)?;
        let shape = kiln_lower::GeneratedShape {
            module: body.module,
            name: body.name,
            args: body.args,
            is_va: body.is_va,
            static_params: body.static_params,
            loc: body.loc,
        };
        self.lower(|| kiln_lower::lower_generated(&rt.types, ast, &shape, expanded))
            .map_err(|it| toplevel::front_error(rt, it))
    }

    fn line_loc(&self, file: &str, line: u32) -> SourceLoc {
        self.state.files.lock().line(file, line).map_or(SourceLoc::NONE, loc_of)
    }

    fn place(&self, loc: SourceLoc) -> Option<(String, u32)> {
        let files = self.state.files.lock();
        let file = files.get(FileId(loc.file()))?;
        Some((file.name.to_string(), file.lines().line(loc.start())))
    }
}
