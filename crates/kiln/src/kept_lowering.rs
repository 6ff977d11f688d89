//! Lowered code of top-level expressions, kept from one session to the next by the content of their text.
//!
//! The code that a definition of a function is lowered to follows from its text and the module it is in, if no macro has a part in
//! it: nothing else is looked at. So it is kept under these two, and a later session lowers nothing that it has seen, in whichever
//! file and line. A macro may look at anything; an expression that calls one is expanded and lowered in every session, unless the
//! library says of the macro that it looks at its arguments alone: see [`crate::kept_expansions`].

use crate::frontend::{FrontState, KeptCode, SessionFrontend, span_of};
use crate::kept_expansions::{Expanded, MacroCalls};
use kiln_bytes::{Malformed, Read, Reader, Writer};
use kiln_cache::{Class, Entry, Key, KeyBuilder};
use kiln_compile::{Compiler, DIFFERS, SOURCES};
use kiln_driver::Driver;
use kiln_ir::{Ast, CodeInfo, Expr, ExprId};
use kiln_lower::{Globals, Thunk};
use kiln_runtime::eval::toplevel;
use kiln_runtime::image::kept_code::{read_code, write_code};
use kiln_runtime::{ExpandError, FrontResult, Runtime};
use kiln_types::{Module, Symbol, Types, module};
use std::cell::RefCell;
use std::sync::Weak;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Shorter definitions are lowered as fast as they are looked up.
const TEXT_MIN: usize = 96;
/// Lowering refuses expressions that are nested deeper, in words that depend on the stage.
const DEPTH_MAX: u32 = 500;

/// The globals of a session, and which of its own module were asked for. Those of other modules are not asked for by code that is
/// kept.
struct Watched<'a> {
    rt: &'a Runtime,
    asked: RefCell<Vec<(Module, Symbol, bool)>>,
}

impl Globals for Watched<'_> {
    fn is_global(&self, module: Module, name: Symbol) -> bool {
        let answer = toplevel::has_own_global(self.rt, module, name);
        self.asked.borrow_mut().push((module, name, answer));
        answer
    }
}

/// Keeps lowered code in the store of a session, whose front end the driver refers to.
#[derive(Debug)]
pub(crate) struct KeptLowering(pub(crate) Weak<Driver>);

impl KeptCode for KeptLowering {
    fn lower(
        &self,
        front: &SessionFrontend,
        session: (&Runtime, Module),
        ast: &mut Ast,
        expr: ExprId,
    ) -> Option<Result<FrontResult, ExpandError>> {
        prepare(self.0.upgrade()?.compiler(), front, session, (ast, expr))
    }
}

/// The code of an expression; `None` if it is not of the kind that is kept, or nothing is kept.
fn prepare(
    compiler: &Compiler,
    front: &SessionFrontend,
    (rt, module): (&Runtime, Module),
    (ast, expr): (&mut Ast, ExprId),
) -> Option<Result<FrontResult, ExpandError>> {
    if !compiler.keeps_typed() {
        return None;
    }
    let (calls, quotes) = kept_kind(rt, module, ast, expr)?;
    let loc = ast.loc(expr);
    let find = |key: &Key| {
        let entry = compiler.results.get_part(key)?;
        read_entry(rt, &entry.payload, module, |bytes| read_code(&rt.heap, bytes, module, loc))
    };
    let key_at = |place| key(&front.state, (rt, module), (&*ast, expr), &calls, place);
    let knows_place = !calls.is_empty() && (quotes || calls.says_place());
    let mut key = key_at(knows_place)?;
    let mut found = find(&key);
    if let Some(Found::OfPlace) = found {
        key = key_at(true)?;
        found = find(&key);
    }
    if let Some(Found::Code(code)) = found {
        front.state.counts.lowered_found.fetch_add(1, Ordering::Relaxed);
        return Some(Ok(FrontResult::Code(code)));
    }
    let at_place = key_at(true)?;
    let expanded = match calls.expand(front, (rt, module), (ast, expr)) {
        Ok(expanded) => expanded,
        Err(error) => return Some(Err(error)),
    };
    if toplevel::is_special(rt, ast, expanded.expr) {
        return Some(Ok(FrontResult::Expanded(expanded.expr)));
    }
    let globals = Watched { rt, asked: RefCell::default() };
    let lowered = front.lower(|| kiln_lower::lower_thunk(&rt.types, ast, module, expanded.expr, &globals));
    let lowered = match lowered {
        Ok(lowered) => lowered,
        Err(error) => return Some(Err(ExpandError::Front(error))),
    };
    front.warn((rt, module), &lowered.warnings);
    let asked = globals.asked.into_inner();
    if lowered.is_repeatable && lowered.warnings.is_empty() && may_keep(&calls, &expanded, module, &asked) {
        if expanded.is_of_place && key != at_place {
            compiler.results.replace(key, Entry::new(vec![OF_PLACE], Duration::ZERO));
            key = at_place.clone();
        }
        let file = if key == at_place { "" } else { calls.file(&rt.types) };
        keep(compiler, (rt, module), (&*ast, expr), (key, file), (&lowered, &asked));
    }
    Some(Ok(FrontResult::Code(Box::new(lowered.code))))
}

/// Whether lowered code follows from what its key says and the answers about globals, which are kept with it.
fn may_keep(
    calls: &MacroCalls,
    expanded: &Expanded,
    module: Module,
    asked: &[(Module, Symbol, bool)],
) -> bool {
    if calls.is_empty() {
        asked.is_empty()
    } else {
        expanded.is_kept && asked.iter().all(|it| it.0 == module)
    }
}

/// The first byte of an entry that has code, and of one that says that the place counts.
const HAS_CODE: u8 = 0;
const OF_PLACE: u8 = 1;

/// The content of an entry.
enum Found {
    Code(Box<CodeInfo>),
    /// There is code for each place.
    OfPlace,
}

/// Reads an entry. With code there are answers about globals of the module, which must be those of now.
fn read_entry(
    rt: &Runtime,
    bytes: &[u8],
    module: Module,
    read_code: impl FnOnce(&[u8]) -> Read<CodeInfo>,
) -> Option<Found> {
    let mut input = Reader::new(bytes);
    if input.u8().ok()? == OF_PLACE {
        return Some(Found::OfPlace);
    }
    let is_so = |it: &mut Reader<'_>| {
        let name = rt.types.symbol(it.str()?);
        Ok(toplevel::has_own_global(rt, module, name) == (it.u8()? != 0))
    };
    let all_are_so = input.list(is_so).map(|it| it.iter().all(|it| *it));
    if all_are_so != Ok::<bool, Malformed>(true) {
        return None;
    }
    Some(Found::Code(Box::new(read_code(input.rest()).ok()?)))
}

/// Bytes of an entry with code.
fn entry(rt: &Runtime, asked: &[(Module, Symbol, bool)], code: &[u8]) -> Vec<u8> {
    let mut out = Writer::new();
    out.u8(HAS_CODE);
    out.list(asked, |out, (_, name, answer)| {
        out.str(rt.types.name(*name));
        out.u8(u8::from(*answer));
    });
    out.raw(code);
    out.finish()
}

/// Keeps lowered code, if reading it again gives the same.
fn keep(
    compiler: &Compiler,
    (rt, module): (&Runtime, Module),
    (ast, expr): (&Ast, ExprId),
    (key, file): (Key, &str),
    (lowered, asked): (&Thunk, &[(Module, Symbol, bool)]),
) {
    let loc = ast.loc(expr);
    let Some(bytes) = write_code(&rt.heap, &lowered.code, module, loc) else { return };
    let Ok(again) = read_code(&rt.heap, &bytes, module, loc) else { return };
    // Code that quotes expressions has others each time it is read.
    if again != lowered.code && write_code(&rt.heap, &again, module, loc).as_ref() != Some(&bytes) {
        return;
    }
    // The name of a file that is not in the key.
    if !file.is_empty() && bytes.windows(file.len()).any(|it| it == file.as_bytes()) {
        return;
    }
    let bytes = entry(rt, asked, &bytes);
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

/// The key of an expression: its text and its module, and the macros that it calls; its file and its line if the place counts.
fn key(
    state: &FrontState,
    (rt, module): (&Runtime, Module),
    (ast, expr): (&Ast, ExprId),
    calls: &MacroCalls,
    of_place: bool,
) -> Option<Key> {
    let image = rt.image?;
    let loc = ast.loc(expr);
    let span = span_of(loc)?;
    // A longer one says only where it begins.
    if loc.len() >= u32::from(u16::MAX) {
        return None;
    }
    let files = state.files.lock();
    let file = files.get(span.file)?;
    let text = file.text().get(span.start as usize..span.end as usize)?;
    let name = text.trim_start_matches("function ").split(['(', '{', '\n']).next().unwrap_or_default();
    let mut key = KeyBuilder::new(Class::Semantic, format!("lowered code of {name}"));
    key.text("kiln", env!("CARGO_PKG_VERSION")).text("sources", SOURCES).bytes("library", &image);
    key.text("module", &module::path(&rt.types, module)).text("text", text);
    for callee in calls.callees() {
        key.number("macro", callee.index() as u64);
    }
    if of_place {
        key.text("file", calls.file(&rt.types)).number("line", u64::from(file.lines().line(span.start)));
    }
    Some(key.finish())
}

/// The macros that an expression calls, and whether it quotes code, if it is of a kind that is kept: the definition of a
/// function that calls none and quotes no code, since quoted code says its lines; or any expression that only calls macros
/// of the library.
fn kept_kind(rt: &Runtime, module: Module, ast: &Ast, expr: ExprId) -> Option<(MacroCalls, bool)> {
    let parts = parts(&rt.types, ast, expr)?;
    if !parts.macros.is_empty() {
        let calls = MacroCalls::resolve(rt, module, ast, &parts.macros, parts.file?)?;
        return Some((calls, parts.quotes));
    }
    let is_long = ast.loc(expr).len() as usize >= TEXT_MIN;
    (is_long && !parts.quotes && defines_function(&rt.types, ast, expr)).then(Default::default)
}

fn defines_function(types: &Types, ast: &Ast, expr: ExprId) -> bool {
    let Some((head, args)) = ast.as_node(expr) else { return false };
    match (types.name(head), args) {
        ("function", [_, _]) => true,
        ("=", [target, _]) => {
            ast.as_node(*target).is_some_and(|it| matches!(types.name(it.0), "call" | "where" | "::"))
        }
        _ => false,
    }
}

/// The parts of an expression.
#[derive(Debug, Default)]
struct Parts {
    /// The names of the macros that it calls.
    macros: Vec<ExprId>,
    /// The file that its lines say they are of.
    file: Option<Symbol>,
    /// Whether it quotes code.
    quotes: bool,
}

/// The parts of an expression that a parser made; `None` if some of it is not in its text, or nothing that is kept.
fn parts(types: &Types, ast: &Ast, expr: ExprId) -> Option<Parts> {
    let whole = ast.loc(expr);
    let unlike = ["escape", "hygienic-scope", "error", "incomplete", "meta"].map(|it| types.symbol(it));
    let quoting = ["quote", "inert", "$"].map(|it| types.symbol(it));
    let macro_call = types.symbol("macrocall");
    let mut parts = Parts::default();
    let mut work = vec![(expr, 0)];
    while let Some((expr, depth)) = work.pop() {
        // The text is the key, so it must be all of it.
        if !ast.loc(expr).is_none() && !whole.contains(ast.loc(expr)) {
            return None;
        }
        match ast.expr(expr) {
            Expr::Node { head, args } if depth < DEPTH_MAX && !unlike.contains(head) => {
                let mut inner = &args[..];
                parts.quotes |= quoting.contains(head);
                if *head == macro_call {
                    let (name, rest) = args.split_first()?;
                    parts.macros.push(*name);
                    inner = rest;
                }
                work.extend(inner.iter().map(|it| (*it, depth + 1)));
            }
            Expr::Quote(quoted) => parts.quotes |= !matches!(ast.expr(*quoted), Expr::Symbol(_)),
            Expr::Line { file, .. } => parts.file = parts.file.or(*file),
            Expr::Symbol(_) | Expr::Const(_) => {}
            Expr::Node { .. } | Expr::Global(..) => return None,
        }
    }
    Some(parts)
}
