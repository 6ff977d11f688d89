//! Making units: found by a key of theirs, or generated and stored.

use crate::check::{Via, through};
use crate::diagnostics::{
    llvmcall_refusal, refusal, span, static_assertion, target_limit, unresolved_symbol,
};
use crate::env::{CompileEnv, Compiler};
use crate::error::{CompileError, DIFFERS, ErrorKind};
use crate::inputs::View;
use crate::internal::{FailedJob, internal_error, place_of};
use crate::naming::job;
use crate::refusals::{NoReply, unless_refused};
use crate::unit::Kept;
use crate::unit::{BoundUnit, UnitFunction, UnitSource};
use crate::unit_store::keys;
use crate::unit_store::{store, stored, stored_by_module, stored_stages};
use kiln_cache::Key;
use kiln_codegen_client::CodegenError;
use kiln_codegen_client::RoundTrip;
use kiln_ir::{Instance, Intrinsic, IrCode, Op, SourceLoc, Value, foreign};
use kiln_runtime::Runtime;
use kiln_syntax::{Diagnostic, FileId, Label, Span};
use kiln_types::ConstData;
use kiln_unit::{Body, CodegenRequest, CompiledUnit, Emitted, EntryKind, Refusal, RefusalKind, Stages};
use std::sync::Arc;
use std::time::Instant;

/// Compiles a unit, or finds it in the store. `is_work` is called before the code generator is, on the same thread; any
/// number of threads may compile units at once.
pub fn compile_unit(
    env: &CompileEnv<'_>,
    source: UnitSource,
    entry: EntryKind,
    is_work: &dyn Fn(),
) -> Result<Arc<BoundUnit>, CompileError> {
    let CompileEnv { rt, compiler, .. } = *env;
    let request = source.request(rt, env.view, entry);
    let Some(front) = front_key(env, &source, &request) else {
        is_work();
        let made = generate(env, &source, &request, None);
        let (body, stages) = made.map_err(|it| unmade(env, &source, it))?;
        return Ok(Arc::new(source.bind(body, stages)));
    };
    let asked = Instant::now();
    let found = stored(compiler, &front, &source);
    env.counters().span("find", || front.subject().to_owned(), asked, asked.elapsed());
    let (body, stages) = match found {
        Some(found) => {
            let sampled = compiler.results.is_sampled(&front);
            let body = if sampled {
                is_work();
                compare(env, &source, &request, found)?
            } else {
                found
            };
            let stages = stages_of(env, &front, &body);
            (body, stages)
        }
        None => {
            let refusal = keys(compiler, &env.view.unit).map(|it| it.refusal(&front));
            let made = unless_refused(compiler, refusal, || {
                is_work();
                generate(env, &source, &request, Some(&front))
            });
            made.map_err(|it| unmade(env, &source, it))?
        }
    };
    Ok(Arc::new(source.bind(body, stages)))
}

/// As [`compile_unit`], for host code that may never run: what is not in the store is compiled quickly.
pub(crate) fn compile_cold_unit(
    env: &CompileEnv<'_>,
    source: UnitSource,
    entry: EntryKind,
    is_work: &dyn Fn(),
) -> Result<Arc<BoundUnit>, CompileError> {
    let CompileEnv { rt, compiler, view } = *env;
    let request = source.request(rt, view, entry);
    if front_key(env, &source, &request).is_some_and(|it| compiler.results.get_hint(&it).is_some()) {
        return compile_unit(env, source, entry, is_work);
    }
    let view = View { unit: compiler.targets.cold_host().clone(), ..view.clone() };
    compile_unit(&env.with_view(&view), source, entry, is_work)
}

/// The key that a unit is looked for under before anything is emitted; `None` if there is no store.
pub fn front_key(env: &CompileEnv<'_>, source: &UnitSource, request: &CodegenRequest) -> Option<Key> {
    Some(keys(env.compiler, &env.view.unit)?.front(&source.subject(env.rt), request))
}

/// Where the stages of a unit are that was found.
fn stages_of(env: &CompileEnv<'_>, front: &Key, body: &Body) -> Kept {
    let unit = &env.view.unit;
    let keys = keys(env.compiler, unit).expect("a unit that was found is in a store");
    Kept::Stored(keys.stages(front.subject(), &unit.options, &body.emitted))
}

/// Makes a unit, as far as what is emitted for it has not been made before, and stores it under `front`.
fn generate(
    env: &CompileEnv<'_>,
    source: &UnitSource,
    request: &CodegenRequest,
    front: Option<&Key>,
) -> Result<(Body, Kept), NoReply> {
    let CompileEnv { rt, compiler, view } = *env;
    compiler.codegen.prepare_for(&view.unit.facts);
    let started = Instant::now();
    let mut known = None;
    let asked = ask(env, source, request, &mut |emitted| {
        let Some(front) = front else { return false };
        known = stored_by_module(compiler, front, &view.unit, emitted, source);
        let found = known.is_some();
        env.counters().count(|it| if found { &it.back_hits } else { &it.misses });
        known.is_some()
    });
    let (emitted, compiled) = asked?;
    if let (Some(front), Some(body)) = (front, known) {
        let stages = stages_of(env, front, &body);
        return Ok((body, stages));
    }
    let compiled = compiled.ok_or_else(|| CompileError::bug("the code generator made nothing"))?;
    let unresolved = unresolved(rt, source, &compiled);
    if !unresolved.is_empty() {
        return Err(CompileError::new(ErrorKind::Program, unresolved).into());
    }
    let body = Body { object: compiled.object, link: compiled.link, emitted: emitted.hash() };
    let stages = Stages { emitted: emitted.bitcode.clone(), optimized: compiled.optimized };
    let cost = started.elapsed();
    let stored = front.and_then(|it| store(compiler, it, &view.unit, (&emitted, &body, &stages), cost));
    Ok((body, stored.map_or_else(|| Kept::Here(Arc::new(stages)), Kept::Stored)))
}

/// Has code generated, unless what is emitted `is_known`.
fn ask(
    env: &CompileEnv<'_>,
    source: &UnitSource,
    request: &CodegenRequest,
    is_known: &mut dyn FnMut(&Emitted) -> bool,
) -> Result<(Emitted, Option<CompiledUnit>), NoReply> {
    let CompileEnv { rt, compiler, view } = *env;
    let (facts, entry) = (&view.unit.facts, source.functions[0].instance);
    let codegen = compiler.codegen.for_target(facts).map_err(|it| CompileError::no_codegen(&it))?;
    let request = CodegenRequest { title: job(rt, source.functions[0].instance), ..request.clone() };
    let mut shown = Emitted::default();
    let subject = || source.subject(rt);
    let reply = env.counters().timed(
        |it| &it.codegen_ns,
        "codegen",
        subject,
        || {
            let reply = codegen.request(&request, &mut |emitted| {
                let known = is_known(&emitted);
                shown = emitted;
                known
            });
            reply.inspect(|it| env.counters().add_stages(&it.times))
        },
    );
    let internal = |what: &str| internal_error(env, facts, entry, &FailedJob::Unit(&request), what);
    let reply = reply.map_err(|it| match it {
        CodegenError::Ended(how) => internal(&format!("its process {how}")),
        other => CompileError::no_codegen(&other),
    })?;
    if !matches!(reply.result, Ok(None)) {
        env.counters().count(|it| &it.compiles);
    }
    match reply.result {
        Ok(compiled) => Ok((shown, compiled)),
        Err(refusals) if RefusalKind::from_refusals(&refusals) == RefusalKind::Internal => {
            Err(internal(&refusals[0].message).into())
        }
        Err(refusals) => Err(NoReply::Refused(refusals)),
    }
}

/// Returns the diagnostics of refusals.
fn refused(env: &CompileEnv<'_>, source: &UnitSource, refusals: &[Refusal]) -> CompileError {
    let entry = source.functions[0].instance;
    let function = |it: &Refusal| source.functions.get(it.function as usize);
    let problems = refusals.iter().map(|it| explained(env, entry, function(it), it)).collect();
    CompileError::new(ErrorKind::of_refusals(refusals), problems)
}

fn unmade(env: &CompileEnv<'_>, source: &UnitSource, why: NoReply) -> CompileError {
    match why {
        NoReply::Refused(refusals) => refused(env, source, &refusals),
        NoReply::Failed(unmade) => unmade,
    }
}

/// Compiles again what was found, and complains if it comes out otherwise. What is to be used: what was made now.
fn compare(
    env: &CompileEnv<'_>,
    source: &UnitSource,
    request: &CodegenRequest,
    found: Body,
) -> Result<Body, CompileError> {
    let asked = ask(env, source, request, &mut |_| false);
    let (emitted, compiled) = asked.map_err(|it| unmade(env, source, it))?;
    let compiled = compiled.ok_or_else(|| CompileError::bug("the code generator made nothing"))?;
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
    let asked = ask(env, source, request, &mut |_| false);
    let (emitted, compiled) = asked.map_err(|it| unmade(env, source, it))?;
    let optimized = compiled.map(|it| it.optimized).unwrap_or_default();
    Ok(Arc::new(Stages { emitted: emitted.bitcode, optimized }))
}

/// Returns diagnostics of symbols that host code names and nothing defines. Objects of devices are linked elsewhere.
fn unresolved(rt: &Runtime, source: &UnitSource, compiled: &CompiledUnit) -> Vec<Diagnostic> {
    if !compiled.object.starts_with(b"\x7fELF") {
        return Vec::new();
    }
    let unknown = compiled.link.runtime.iter().filter(|it| kiln_link::runtime_symbol(it).is_none());
    let codes = || source.functions.iter().map(|it| &**it.code(rt));
    unknown.map(|it| unresolved_symbol(naming(rt, codes(), it).unwrap_or_default(), it)).collect()
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
