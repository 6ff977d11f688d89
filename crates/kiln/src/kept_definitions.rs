//! Lowered code of definitions, kept from one session to the next by the content of their text.
//!
//! The code that a definition of a function is lowered to follows from its text and the module it is in, if no macro has a part in
//! it: nothing else is looked at. So it is kept under these two, and a later session lowers nothing that it has seen, in whichever
//! file and line. A macro may look at anything; a definition that calls one is expanded and lowered in every session.

use crate::frontend::{FrontState, KeptCode, SessionFrontend, span_of};
use kiln_cache::{Class, Entry, Key, KeyBuilder};
use kiln_compile::{Compiler, DIFFERS, SOURCES};
use kiln_driver::Driver;
use kiln_ir::{Ast, CodeInfo, Expr, ExprId};
use kiln_lower::{Globals, Thunk};
use kiln_runtime::eval::toplevel;
use kiln_runtime::image::kept_code::{read_code, write_code};
use kiln_runtime::{FrontError, Runtime};
use kiln_types::{Module, Symbol, Types, module};
use std::cell::Cell;
use std::sync::Weak;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Shorter ones are lowered as fast as they are looked up.
const TEXT_MIN: usize = 96;
/// Lowering refuses expressions that are nested deeper, in words that depend on the stage.
const DEPTH_MAX: u32 = 500;

/// The globals of a session, and whether one was asked for.
struct Watched<'a> {
    rt: &'a Runtime,
    asked: Cell<bool>,
}

impl Globals for Watched<'_> {
    fn is_global(&self, module: Module, name: Symbol) -> bool {
        self.asked.set(true);
        toplevel::has_own_global(self.rt, module, name)
    }
}

/// Keeps the code of definitions in the store of a session, whose front end the driver refers to.
#[derive(Debug)]
pub(crate) struct KeptDefinitions(pub(crate) Weak<Driver>);

impl KeptCode for KeptDefinitions {
    fn lower(
        &self,
        front: &SessionFrontend,
        session: (&Runtime, Module),
        ast: &mut Ast,
        expr: ExprId,
    ) -> Option<Result<CodeInfo, FrontError>> {
        lower(self.0.upgrade()?.compiler(), front, session, (ast, expr))
    }
}

/// The code of a definition; `None` if it is not of the kind that is kept, or nothing is kept.
fn lower(
    compiler: &Compiler,
    front: &SessionFrontend,
    (rt, module): (&Runtime, Module),
    (ast, expr): (&mut Ast, ExprId),
) -> Option<Result<CodeInfo, FrontError>> {
    let loc = ast.loc(expr);
    if !compiler.keeps_typed() || (loc.len() as usize) < TEXT_MIN || !is_plain(&rt.types, ast, expr) {
        return None;
    }
    let key = key(&front.state, rt, module, ast, expr)?;
    let read = |entry: Entry| read_code(&rt.types, &entry.payload, module, loc).ok();
    if let Some(code) = compiler.results.get_part(&key).and_then(read) {
        front.state.counts.lowered_found.fetch_add(1, Ordering::Relaxed);
        return Some(Ok(code));
    }
    let globals = Watched { rt, asked: Cell::new(false) };
    let lowered = match front.lower(|| kiln_lower::lower_thunk(&rt.types, ast, module, expr, &globals)) {
        Ok(lowered) => lowered,
        Err(error) => return Some(Err(error)),
    };
    front.warn((rt, module), &lowered.warnings);
    if lowered.is_repeatable && lowered.warnings.is_empty() && !globals.asked.get() {
        keep(compiler, (rt, module), (&*ast, expr), key, &lowered);
    }
    Some(Ok(lowered.code))
}

/// Keeps lowered code, if reading it again gives the same.
fn keep(
    compiler: &Compiler,
    (rt, module): (&Runtime, Module),
    (ast, expr): (&Ast, ExprId),
    key: Key,
    lowered: &Thunk,
) {
    let loc = ast.loc(expr);
    let Some(bytes) = write_code(&rt.types, &lowered.code, module, loc) else { return };
    if read_code(&rt.types, &bytes, module, loc).ok().as_ref() != Some(&lowered.code) {
        return;
    }
    if let Some(stored) = compiler.results.to_verify(&key) {
        compiler.counters.count(|it| &it.verified);
        if stored.payload != bytes {
            compiler.counters.count(|it| &it.mismatches);
            let about = key.subject();
            compiler.warn(DIFFERS, format!("{about}: lowered again, it differs from what was stored"));
        }
    }
    compiler.results.replace(key, Entry::new(bytes, Duration::ZERO));
}

/// The key of a definition: its text and its module.
fn key(state: &FrontState, rt: &Runtime, module: Module, ast: &Ast, expr: ExprId) -> Option<Key> {
    let image = rt.image?;
    let span = span_of(ast.loc(expr))?;
    // A longer one says only where it begins.
    if ast.loc(expr).len() >= u32::from(u16::MAX) {
        return None;
    }
    let files = state.files.lock();
    let text = files.get(span.file)?.text().get(span.start as usize..span.end as usize)?;
    let name = text.trim_start_matches("function ").split(['(', '{', '\n']).next().unwrap_or_default();
    let mut key = KeyBuilder::new(Class::Semantic, format!("lowered code of {name}"));
    key.text("kiln", env!("CARGO_PKG_VERSION")).text("sources", SOURCES).bytes("library", &image);
    key.text("module", &module::path(&rt.types, module)).text("text", text);
    Some(key.finish())
}

/// Whether this defines a function, no part of it is a macro's, and none is quoted: quoted code says its lines.
fn is_plain(types: &Types, ast: &Ast, expr: ExprId) -> bool {
    let Some((head, args)) = ast.as_node(expr) else { return false };
    let defines = match (types.name(head), args) {
        ("function", [_, _]) => true,
        ("=", [target, _]) => {
            ast.as_node(*target).is_some_and(|it| matches!(types.name(it.0), "call" | "where" | "::"))
        }
        _ => false,
    };
    defines && has_plain_parts(types, ast, expr)
}

fn has_plain_parts(types: &Types, ast: &Ast, expr: ExprId) -> bool {
    let unlike =
        ["macrocall", "quote", "inert", "$", "escape", "hygienic-scope", "error", "incomplete", "meta"]
            .map(|it| types.symbol(it));
    let whole = ast.loc(expr);
    let mut work = vec![(expr, 0)];
    while let Some((expr, depth)) = work.pop() {
        // The text is the key, so it must be all of it.
        if !ast.loc(expr).is_none() && !whole.contains(ast.loc(expr)) {
            return false;
        }
        match ast.expr(expr) {
            Expr::Node { head, args } if depth < DEPTH_MAX && !unlike.contains(head) => {
                work.extend(args.iter().map(|it| (*it, depth + 1)));
            }
            Expr::Quote(quoted) if matches!(ast.expr(*quoted), Expr::Symbol(_)) => {}
            Expr::Symbol(_) | Expr::Const(_) | Expr::Line { .. } => {}
            Expr::Node { .. } | Expr::Quote(_) | Expr::Global(..) => return false,
        }
    }
    true
}
