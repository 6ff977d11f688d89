//! Making units: found by a key of theirs, or generated and stored.

use crate::check::{Via, through};
use crate::diagnostics::{
    llvmcall_refusal, refusal, span, static_assertion, target_limit, unresolved_symbol,
};
use crate::fault::Fault;
use crate::internal::FailedJob;
use crate::kernel_host::Driver;
use crate::typed::{View, job};
use crate::unit::{BoundUnit, UnitFunction, UnitSource, Unmade};
use kiln_cache::Key;
use kiln_codegen_client::CodegenError;
use kiln_codegen_client::RoundTrip;
use kiln_ir::{Instance, Intrinsic, IrCode, Op, SourceLoc, Value, foreign};
use kiln_runtime::Runtime;
use kiln_syntax::{Diagnostic, FileId, Label, Span};
use kiln_types::ConstData;
use kiln_unit::{Body, CodegenRequest, Compiled, Emitted, EntryKind, Refusal, RefusalKind, Stages};
use std::sync::Arc;
use std::time::Instant;

/// Where the stages of a unit are.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    /// In memory: there is no store, or it takes none.
    Here(Arc<Stages>),
    /// In the store, unless they have been evicted.
    Stored(Key),
}

impl Driver {
    /// Compiles a unit, or finds it in the store. `is_work` is called before the code generator is, on the same thread; any
    /// number of threads may compile units at once.
    pub(crate) fn compile_unit(
        &self,
        rt: &Runtime,
        view: &View,
        source: UnitSource,
        entry: EntryKind,
        is_work: &dyn Fn(),
    ) -> Result<Arc<BoundUnit>, Unmade> {
        let request = source.request(rt, view, entry);
        let Some(front) = self.front_key(rt, view, &source, &request) else {
            is_work();
            let (body, stages) = self.generate(rt, view, &source, &request, None)?;
            return Ok(Arc::new(source.bind(body, stages)));
        };
        let asked = Instant::now();
        let stored = self.stored(&front, &source);
        self.counters().span("find", || front.subject().to_owned(), asked, asked.elapsed());
        let (body, stages) = match stored {
            Some(found) => {
                let sampled = self.is_sampled(&front);
                let body = if sampled {
                    is_work();
                    self.compare(rt, view, &source, &request, found)?
                } else {
                    found
                };
                let stages = self.stages_of(&front, view, &body);
                (body, stages)
            }
            None => {
                if let Some(refusals) = self.stored_refusals(&front, &view.unit) {
                    return Err(self.refused(rt, &source, &refusals));
                }
                is_work();
                self.generate(rt, view, &source, &request, Some(&front))?
            }
        };
        Ok(Arc::new(source.bind(body, stages)))
    }

    /// The key that a unit is looked for under before anything is emitted; `None` if there is no store.
    pub(crate) fn front_key(
        &self,
        rt: &Runtime,
        view: &View,
        source: &UnitSource,
        request: &CodegenRequest,
    ) -> Option<Key> {
        Some(self.keys(&view.unit)?.front(&source.subject(rt), request))
    }

    /// Where the stages of a unit are that was found.
    fn stages_of(&self, front: &Key, view: &View, body: &Body) -> Kept {
        let keys = self.keys(&view.unit).expect("a unit that was found is in a store");
        Kept::Stored(keys.stages(front.subject(), &view.unit.options, &body.emitted))
    }

    /// Makes a unit, as far as what is emitted for it has not been made before, and stores it under `front`.
    fn generate(
        &self,
        rt: &Runtime,
        view: &View,
        source: &UnitSource,
        request: &CodegenRequest,
        front: Option<&Key>,
    ) -> Result<(Body, Kept), Unmade> {
        self.codegen.prepare_for(&view.unit.facts);
        let started = Instant::now();
        let mut known = None;
        let asked = self.ask(rt, view, source, request, &mut |emitted| {
            let Some(front) = front else { return false };
            known = self.stored_by_module(front, &view.unit, emitted, source);
            let found = known.is_some();
            self.counters().count(|it| if found { &it.back_hits } else { &it.misses });
            known.is_some()
        });
        let (emitted, compiled) = asked.map_err(|it| {
            if let (NoReply::Refused(refusals), Some(front)) = (&it, front) {
                self.store_refusals(front, &view.unit, refusals);
            }
            self.unmade(rt, source, it)
        })?;
        if let (Some(front), Some(body)) = (front, known) {
            let stages = self.stages_of(front, view, &body);
            return Ok((body, stages));
        }
        let compiled = compiled.ok_or_else(|| Unmade::bug("the code generator made nothing"))?;
        let unresolved = unresolved(rt, source, &compiled);
        if !unresolved.is_empty() {
            return Err(Unmade { problems: unresolved, fault: Fault::Program });
        }
        let body = Body { object: compiled.object, link: compiled.link, emitted: emitted.hash() };
        let stages = Stages { emitted: emitted.bitcode.clone(), optimized: compiled.optimized };
        let cost = started.elapsed();
        let stored = front.and_then(|it| self.store(it, &view.unit, (&emitted, &body, &stages), cost));
        Ok((body, stored.map_or_else(|| Kept::Here(Arc::new(stages)), Kept::Stored)))
    }

    /// Has code generated, unless what is emitted `is_known`.
    fn ask(
        &self,
        rt: &Runtime,
        view: &View,
        source: &UnitSource,
        request: &CodegenRequest,
        is_known: &mut dyn FnMut(&Emitted) -> bool,
    ) -> Result<(Emitted, Option<Compiled>), NoReply> {
        let (facts, entry) = (&view.unit.facts, source.functions[0].instance);
        let codegen = self.codegen.for_target(facts).map_err(|it| Unmade::unasked(&it))?;
        let request = CodegenRequest { title: job(rt, source.functions[0].instance), ..request.clone() };
        let mut shown = Emitted::default();
        let subject = || source.subject(rt);
        let reply = self.counters().timed(
            |it| &it.codegen_ns,
            "codegen",
            subject,
            || {
                let reply = codegen.request(&request, &mut |emitted| {
                    let known = is_known(&emitted);
                    shown = emitted;
                    known
                });
                reply.inspect(|it| self.counters().add_stages(&it.times))
            },
        );
        let internal = |what: &str| self.internal_error(rt, facts, entry, &FailedJob::Unit(&request), what);
        let reply = reply.map_err(|it| match it {
            CodegenError::Ended(how) => internal(&format!("its process {how}")),
            other => Unmade::unasked(&other),
        })?;
        if !matches!(reply.result, Ok(None)) {
            self.counters().count(|it| &it.compiles);
        }
        match reply.result {
            Ok(compiled) => Ok((shown, compiled)),
            Err(refusals) if RefusalKind::of(&refusals) == RefusalKind::Internal => {
                Err(internal(&refusals[0].message).into())
            }
            Err(refusals) => Err(NoReply::Refused(refusals)),
        }
    }

    /// Returns the diagnostics of refusals.
    fn refused(&self, rt: &Runtime, source: &UnitSource, refusals: &[Refusal]) -> Unmade {
        let entry = source.functions[0].instance;
        let function = |it: &Refusal| source.functions.get(it.function as usize);
        let problems = refusals.iter().map(|it| self.explained(rt, entry, function(it), it)).collect();
        Unmade { problems, fault: Fault::of(refusals) }
    }

    fn unmade(&self, rt: &Runtime, source: &UnitSource, why: NoReply) -> Unmade {
        match why {
            NoReply::Refused(refusals) => self.refused(rt, source, &refusals),
            NoReply::Failed(unmade) => unmade,
        }
    }

    /// Compiles again what was found, and complains if it comes out otherwise. What is to be used: what was made now.
    fn compare(
        &self,
        rt: &Runtime,
        view: &View,
        source: &UnitSource,
        request: &CodegenRequest,
        found: Body,
    ) -> Result<Body, Unmade> {
        let asked = self.ask(rt, view, source, request, &mut |_| false);
        let (emitted, compiled) = asked.map_err(|it| self.unmade(rt, source, it))?;
        let compiled = compiled.ok_or_else(|| Unmade::bug("the code generator made nothing"))?;
        let again = Body { object: compiled.object, link: compiled.link, emitted: emitted.hash() };
        self.counters().count(|it| &it.verified);
        if again != found {
            self.counters().count(|it| &it.mismatches);
            let subject = source.subject(rt);
            self.warn(&format!("{subject}: made again, it differs from what was stored"));
        }
        Ok(again)
    }

    /// The stages of a unit: kept ones, or, where those are gone, made again from `source`.
    ///
    /// # Errors
    /// When they have to be made again and cannot.
    pub(crate) fn stages(
        &self,
        rt: &Runtime,
        view: &View,
        unit: &BoundUnit,
        source: &UnitSource,
        request: &CodegenRequest,
    ) -> Result<Arc<Stages>, Unmade> {
        let kept = match &unit.stages {
            Kept::Here(stages) => Some(stages.clone()),
            Kept::Stored(key) => self.stored_stages(key).map(Arc::new),
        };
        if let Some(stages) = kept {
            return Ok(stages);
        }
        let asked = self.ask(rt, view, source, request, &mut |_| false);
        let (emitted, compiled) = asked.map_err(|it| self.unmade(rt, source, it))?;
        let optimized = compiled.map(|it| it.optimized).unwrap_or_default();
        Ok(Arc::new(Stages { emitted: emitted.bitcode, optimized }))
    }
}

/// Why the code generator made nothing.
pub(crate) enum NoReply {
    /// It refuses the code, and would again.
    Refused(Vec<Refusal>),
    /// It could not be asked, or has failed itself.
    Failed(Unmade),
}

impl From<Unmade> for NoReply {
    fn from(why: Unmade) -> Self {
        Self::Failed(why)
    }
}

/// Returns diagnostics of symbols that host code names and nothing defines. Objects of devices are linked elsewhere.
fn unresolved(rt: &Runtime, source: &UnitSource, compiled: &Compiled) -> Vec<Diagnostic> {
    if !compiled.object.starts_with(b"\x7fELF") {
        return Vec::new();
    }
    let unknown = compiled.link.runtime.iter().filter(|it| kiln_codegen_client::runtime_symbol(it).is_none());
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
            foreign::Callee::Extern(name) => name == symbol,
            foreign::Callee::Intrinsic(_) => false,
            foreign::Callee::Body(text) | foreign::Callee::Module { text, .. } => names(text),
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

impl Driver {
    /// Adds the calls that lead to a unit's problem, innermost first: a problem in the library is shown
    /// where the program called it.
    pub(crate) fn led_to(&self, mut unmade: Unmade, path: &[Via]) -> Unmade {
        let Some(place) = path.iter().map(|it| it.call).find(|it| self.is_user_file(*it)) else {
            return unmade;
        };
        for problem in &mut unmade.problems {
            let Span { file, start, end } = problem.primary.span;
            let is_none = file == FileId::NONE;
            if !is_none && self.is_user_file(SourceLoc::new(file.0, start, end - start)) {
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
        &self,
        rt: &Runtime,
        entry: Instance,
        function: Option<&UnitFunction>,
        it: &Refusal,
    ) -> Diagnostic {
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
        let Some((code, data)) = found else { return say(self.place_of(rt, entry), message) };
        let calls = through(code, data).into_iter().map(|it| it.call);
        let mut places = std::iter::once(data.loc).chain(calls).filter(|it| self.is_user_file(*it));
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
}
