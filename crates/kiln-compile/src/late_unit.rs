//! Late units: host code that is generated when it is first called.
//!
//! A function that runs often reaches many that have never run: code that prints an error, the other branch of a test. Their code would
//! take most of the time. So the code generator only emits a unit of which no function has run. That tells the traits of its functions,
//! its sites and its globals, which its callers need; LLVM is not asked. The linker gives its functions entries that ask for
//! [the code](with_late_code). See record 103.

use crate::env::{CompileEnv, Compiler};
use crate::error::{CompileError, DIFFERS};
use crate::generate::{compile_unit, error_of, front_key};
use crate::generation::{Generation, Outlook};
use crate::graph::Node;
use crate::inputs::View;
use crate::unit::{BoundUnit, Kept, LateUnit, Signature, UnitSource, Units, signature};
use crate::unit_store::{keys, stored_late};
use kiln_cache::{Entry, Key};
use kiln_ir::{Intrinsic, Op};
use kiln_runtime::tables::CodeInstance;
use kiln_unit::{Body, EntryKind, ExternalCall, LinkInfo, Role, Stages};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// Returns a late unit with its code, which is generated now unless it has been; a unit that is not late as it is.
///
/// # Errors
/// When the code generator fails.
pub fn with_late_code(env: &CompileEnv<'_>, unit: &Arc<BoundUnit>) -> Result<Arc<BoundUnit>, CompileError> {
    let Some(late) = &unit.late else { return Ok(unit.clone()) };
    if let Some(made) = late.made.get() {
        return Ok(made.clone());
    }
    let view = View { unit: late.target.clone(), ..env.view.clone() };
    let made = compile_unit(&env.with_view(&view), late.source.clone(), EntryKind::Body, &|| ())?;
    let _ = late.made.set(made.clone());
    for typed in late.typed.iter().filter_map(Weak::upgrade) {
        let units = Units::of(&typed);
        if units.get(&late.target, EntryKind::Body).is_some_and(|it| Arc::ptr_eq(&it, unit)) {
            units.put(&late.target, EntryKind::Body, made.clone());
        }
    }
    Ok(made)
}

/// Whether the unit of these functions may be late: nothing of it has run, and it has no operation that the code generator may refuse
/// after it was emitted.
pub(crate) fn may_be_late(env: &CompileEnv<'_>, group: &[&Node]) -> bool {
    let CompileEnv { rt, compiler, view } = *env;
    let has_run = |it: &&Node| rt.tables.method(rt.tables.instance_data(it.typed.instance).method).has_run();
    let is_refused = |op: &Op| {
        let Op::Intrinsic(intrinsic, _) = op else { return false };
        matches!(intrinsic, Intrinsic::Llvmcall | Intrinsic::StaticAssertion)
    };
    Arc::ptr_eq(&view.unit, compiler.targets.host())
        && kiln_link::has_late_slots()
        && !compiler.results.collects()
        && !group.iter().any(has_run)
        && !group.iter().any(|it| it.code.stmts.values().any(|it| is_refused(&it.op)))
}

/// Returns the unit of a source; without its code, unless that is stored.
///
/// # Errors
/// When the code generator refuses the source.
pub(crate) fn late_unit(
    env: &CompileEnv<'_>,
    source: UnitSource,
    typed: Vec<Weak<CodeInstance>>,
) -> Result<Arc<BoundUnit>, CompileError> {
    let request = source.request(env.rt, env.view, EntryKind::Body);
    let front = front_key(env, &source, &request);
    let is_stored = front.as_ref().is_some_and(|it| env.compiler.results.get_hint(it).is_some());
    if is_stored {
        return compile_unit(env, source, EntryKind::Body, &|| ());
    }
    let late_key = front.as_ref().and_then(|it| Some(keys(env.compiler, &env.view.unit)?.late(it)));
    let stored = late_key.as_ref().and_then(|it| stored_late(env.compiler, it, &source));
    let body = match stored {
        Some(body) => body,
        None => {
            let generation = Generation::new(env, &source, request, front);
            let emitted =
                generation.emit(env.compiler).map_err(|it| error_of(env, (&source, &generation), it))?;
            match emitted {
                Outlook::Found((body, stages)) => return Ok(Arc::new(source.bind(body, stages))),
                Outlook::Emitted(emitted) => {
                    let (hash, link) = (emitted.hash(), with_calls(emitted.link, &source));
                    Body { object: Vec::new(), link, emitted: hash }
                }
            }
        }
    };
    keep_late(env.compiler, late_key, &body);
    // Of the callees only the signatures are asked for.
    let shorten = |it: Signature| Signature { code: Arc::new(signature(&it.code, &env.rt.types)), ..it };
    let source = UnitSource { callees: source.callees.into_iter().map(shorten).collect(), ..source };
    env.counters().count(|it| &it.units_late);
    let callees = source.callees.iter().map(|it| it.callee).collect();
    let target = env.view.unit.clone();
    Ok(Arc::new(BoundUnit {
        body: Arc::new(body),
        functions: source.functions.clone(),
        callees,
        stages: Kept::Here(Arc::new(Stages { emitted: Vec::new(), optimized: Vec::new() })),
        late: Some(Box::new(LateUnit { source, target, typed, made: OnceLock::new() })),
    }))
}

/// The link information with a call of each function that the code may call: LLVM may drop some.
fn with_calls(link: LinkInfo, source: &UnitSource) -> LinkInfo {
    let callees = source.callees.iter().zip(source.functions.len() as u32..);
    let calls = callees.filter(|(it, _)| !it.callee.traits.is_interpreted).map(|(_, ordinal)| ExternalCall {
        symbol: format!("c{ordinal}"),
        ordinal,
        role: Role::Body,
    });
    LinkInfo { calls: calls.collect(), ..link }
}

/// Keeps a late unit. In the mode that verifies, it is compared with one that is there.
fn keep_late(compiler: &Compiler, key: Option<Key>, body: &Body) {
    let results = &compiler.results;
    let Some(key) = key.filter(|_| results.has_store() && !body.link.holds_address) else { return };
    let bytes = body.to_bytes();
    let known = results.verifies().then(|| results.to_verify(&key)).flatten();
    if let Some(known) = known {
        compiler.counters.count(|it| &it.verified);
        if known.payload != bytes {
            compiler.counters.count(|it| &it.mismatches);
            compiler
                .warn(DIFFERS, format!("{}: emitted again, it differs from what was stored", key.subject()));
            results.replace(key, Entry::new(bytes, Duration::ZERO));
        }
        return;
    }
    results.put(key, Entry::new(bytes, Duration::ZERO));
}
