//! Making units: found by a key of theirs, or generated and stored.

use crate::check::{Via, through};
use crate::diagnostics::{
    llvmcall_refusal, refusal, span, static_assertion, target_limit, unresolved_symbol,
};
use crate::env::{CompileEnv, Compiler};
use crate::error::{CompileError, DIFFERS, ErrorKind};
use crate::generation::{Generation, Ungenerated, stages_of};
use crate::internal::{FailedJob, internal_error, place_of};
use crate::unit::{BoundUnit, Kept, UnitFunction, UnitSource};
use crate::unit_store::{keys, stored, stored_stages};
use kiln_cache::Key;
use kiln_ir::{Instance, Intrinsic, IrCode, Op, SourceLoc, Value, foreign};
use kiln_runtime::Runtime;
use kiln_syntax::{Diagnostic, FileId, Label, Span};
use kiln_types::ConstData;
use kiln_unit::{Body, CodegenRequest, EntryKind, Refusal, RefusalKind, Stages};
use std::sync::Arc;
use std::time::Instant;

/// A unit, as far as it is known before code is generated.
pub(crate) enum LookedUp {
    /// It was stored.
    Found(Arc<BoundUnit>),
    /// Its code is to be generated.
    Absent(Box<(UnitSource, Generation)>),
}

/// Compiles a unit, or finds it in the store. `is_work` is called before the code generator is, on the same thread; any
/// number of threads may compile units at once.
pub fn compile_unit(
    env: &CompileEnv<'_>,
    source: UnitSource,
    entry: EntryKind,
    is_work: &dyn Fn(),
) -> Result<Arc<BoundUnit>, CompileError> {
    match look_up_unit(env, source, entry, is_work)? {
        LookedUp::Found(unit) => Ok(unit),
        LookedUp::Absent(absent) => {
            let (source, generation) = *absent;
            is_work();
            let made = generation.run(env.compiler);
            let (body, stages) = made.map_err(|it| error_of(env, (&source, &generation), it))?;
            Ok(Arc::new(source.bind(body, stages)))
        }
    }
}

/// Looks a unit up in the store. One that is found may be compared with what is made now: `is_work` is called before that.
pub(crate) fn look_up_unit(
    env: &CompileEnv<'_>,
    source: UnitSource,
    entry: EntryKind,
    is_work: &dyn Fn(),
) -> Result<LookedUp, CompileError> {
    let CompileEnv { rt, compiler, .. } = *env;
    let request = source.request(rt, env.view, entry);
    let front = front_key(env, &source, &request);
    let asked = Instant::now();
    let found = front.as_ref().and_then(|it| stored(compiler, it, &source));
    if let Some(front) = &front {
        env.counters().span("find", || front.subject().to_owned(), asked, asked.elapsed());
    }
    let (Some(front), Some(mut body)) = (&front, found) else {
        let generation = Generation::new(env, &source, request, front);
        return Ok(LookedUp::Absent(Box::new((source, generation))));
    };
    if compiler.results.is_sampled(front) {
        is_work();
        body = compare(env, &source, request, body)?;
    }
    let stages = stages_of(compiler, &env.view.unit, front, &body);
    Ok(LookedUp::Found(Arc::new(source.bind(body, stages))))
}

/// The key that a unit is looked for under before anything is emitted; `None` if there is no store.
pub fn front_key(env: &CompileEnv<'_>, source: &UnitSource, request: &CodegenRequest) -> Option<Key> {
    Some(keys(env.compiler, &env.view.unit)?.front(&source.subject(env.rt), request))
}

/// Explains to the program's author why there is no code for `source`.
pub(crate) fn error_of(
    env: &CompileEnv<'_>,
    (source, generation): (&UnitSource, &Generation),
    why: Ungenerated,
) -> CompileError {
    match why {
        Ungenerated::Refused(refusals) => refused(env, source, &refusals),
        Ungenerated::Unasked(error) => error,
        Ungenerated::Failed(what) => {
            let (facts, entry) = (&env.view.unit.facts, source.functions[0].instance);
            internal_error(env, facts, entry, &FailedJob::Unit(generation.request()), &what)
        }
        Ungenerated::Unresolved(symbols) => {
            let codes = || source.functions.iter().map(|it| &**it.code(env.rt));
            let place = |symbol: &str| naming(env.rt, codes(), symbol).unwrap_or_default();
            let problems = symbols.iter().map(|it| unresolved_symbol(place(it), it)).collect();
            CompileError::new(ErrorKind::Program, problems)
        }
    }
}

/// Returns the diagnostics of refusals.
fn refused(env: &CompileEnv<'_>, source: &UnitSource, refusals: &[Refusal]) -> CompileError {
    let entry = source.functions[0].instance;
    let function = |it: &Refusal| source.functions.get(it.function as usize);
    let problems = refusals.iter().map(|it| explained(env, entry, function(it), it)).collect();
    CompileError::new(ErrorKind::of_refusals(refusals), problems)
}

/// Compiles again what was found, and complains if it comes out otherwise. What is to be used: what was made now.
fn compare(
    env: &CompileEnv<'_>,
    source: &UnitSource,
    request: CodegenRequest,
    found: Body,
) -> Result<Body, CompileError> {
    let generation = Generation::new(env, source, request, None);
    let made = generation.again(env.compiler);
    let (emitted, compiled) = made.map_err(|it| error_of(env, (source, &generation), it))?;
    let again = Body { object: compiled.object, link: compiled.link, emitted: emitted.hash() };
    env.counters().count(|it| &it.verified);
    if again != found {
        env.counters().count(|it| &it.mismatches);
        let subject = source.subject(env.rt);
        env.compiler.warn(DIFFERS, format!("{subject}: made again, it differs from what was stored"));
    }
    Ok(again)
}

/// The stages of a unit: kept ones, or, where those are gone, made again from `source`.
///
/// # Errors
/// When they have to be made again and cannot.
pub fn stages(
    env: &CompileEnv<'_>,
    unit: &BoundUnit,
    source: &UnitSource,
    request: &CodegenRequest,
) -> Result<Arc<Stages>, CompileError> {
    let kept = match &unit.stages {
        Kept::Here(stages) => Some(stages.clone()),
        Kept::Stored(key) => stored_stages(env.compiler, key).map(Arc::new),
    };
    if let Some(stages) = kept {
        return Ok(stages);
    }
    let generation = Generation::new(env, source, request.clone(), None);
    let made = generation.again(env.compiler);
    let (emitted, compiled) = made.map_err(|it| error_of(env, (source, &generation), it))?;
    Ok(Arc::new(Stages { emitted: emitted.bitcode, optimized: compiled.optimized }))
}

/// Where foreign code names a symbol.
pub(crate) fn naming<'a>(
    rt: &Runtime,
    codes: impl Iterator<Item = &'a IrCode>,
    symbol: &str,
) -> Option<SourceLoc> {
    let all = codes.flat_map(|it| it.stmts.values());
    let names = |text: &[u8]| text.windows(symbol.len()).any(|it| it == symbol.as_bytes());
    all.filter(|it| is_llvmcall(&it.op)).find_map(|it| {
        let Some(Value::Const(what)) = it.op.operands().first().copied() else { return None };
        let found = match foreign::callee(&rt.types, what)? {
            foreign::ForeignCallee::Extern(name) => name == symbol,
            foreign::ForeignCallee::Intrinsic(_) => false,
            foreign::ForeignCallee::Body(text) | foreign::ForeignCallee::Module { text, .. } => names(text),
        };
        found.then_some(it.loc)
    })
}

fn is_llvmcall(op: &Op) -> bool {
    matches!(op, Op::Intrinsic(Intrinsic::Llvmcall, _))
}

/// The message of a static assertion.
fn asserted<'a>(rt: &'a Runtime, op: &Op) -> Option<&'a str> {
    let Op::Intrinsic(Intrinsic::StaticAssertion, args) = op else { return None };
    let &[Value::Const(message)] = &args[..] else { return None };
    let ConstData::Symbol(message) = rt.types.const_data(message) else { return None };
    Some(rt.types.name(*message))
}

/// Adds the calls that lead to a unit's problem, innermost first: a problem in the library is shown
/// where the program called it.
pub(crate) fn led_to(compiler: &Compiler, mut unmade: CompileError, path: &[Via]) -> CompileError {
    let Some(place) = path.iter().map(|it| it.call).find(|it| compiler.is_user_file(*it)) else {
        return unmade;
    };
    for problem in &mut unmade.diagnostics {
        let Span { file, start, end } = problem.primary.span;
        let is_none = file == FileId::NONE;
        if !is_none && compiler.is_user_file(SourceLoc::new(file.0, start, end - start)) {
            continue;
        }
        let shown = std::mem::replace(&mut problem.primary.span, span(place));
        if !is_none {
            let text = "reached through calls".to_owned();
            problem.secondary.insert(0, Label { span: shown, text });
        }
    }
    unmade
}

/// A refusal with the place of its statement: the innermost one in the program's own files.
pub(crate) fn explained(
    env: &CompileEnv<'_>,
    entry: Instance,
    function: Option<&UnitFunction>,
    it: &Refusal,
) -> Diagnostic {
    let CompileEnv { rt, compiler, .. } = *env;
    let found = function.and_then(|function| {
        let code = function.code(rt);
        Some((code, code.stmts.values().nth(it.stmt? as usize)?))
    });
    let asserted = found.and_then(|(_, data)| asserted(rt, &data.op));
    let message = asserted.unwrap_or(&it.message);
    let say = match found {
        _ if it.kind == RefusalKind::Limit => target_limit,
        Some(_) if asserted.is_some() => static_assertion,
        Some((_, data)) if is_llvmcall(&data.op) => llvmcall_refusal,
        _ => refusal,
    };
    let Some((code, data)) = found else { return say(place_of(env, entry), message) };
    let calls = through(code, data).into_iter().map(|it| it.call);
    let mut places = std::iter::once(data.loc).chain(calls).filter(|it| compiler.is_user_file(*it));
    let place = places.next();
    let callers = if asserted.is_some() { places.collect() } else { Vec::new() };
    let shown = match place {
        Some(place) if place != data.loc => {
            let library = "reached through calls that were inlined";
            say(place, message).with_secondary(span(data.loc), library)
        }
        _ => say(data.loc, message),
    };
    callers.into_iter().fold(shown, |shown, it| shown.with_secondary(span(it), "reached from here"))
}
