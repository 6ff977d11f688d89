//! The generation of a unit's code: the part of making a unit that asks nothing of the session's types and methods, so that any
//! thread may do it while the program runs.

use crate::env::{CompileEnv, Compiler};
use crate::error::CompileError;
use crate::naming::job;
use crate::refusals::{MayRefuse, unless_refused};
use crate::unit::{Kept, UnitSource};
use crate::unit_store::{back_key, keys, store, stored_by_module};
use crate::unit_target::UnitTarget;
use kiln_cache::Key;
use kiln_codegen_client::{CodegenError, RoundTrip};
use kiln_unit::{Body, CodegenRequest, CompiledUnit, Emitted, Refusal, RefusalKind, Stages};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The longest time that a unit is waited for which another process makes: units that take longer are made twice.
const LEASE_WAIT: Duration = Duration::from_secs(2);

/// A unit whose code is to be generated.
pub(crate) struct Generation {
    request: CodegenRequest,
    target: Arc<UnitTarget>,
    /// The unit's name for users.
    subject: String,
    /// The key that the unit is stored under; `None` if there is no store.
    front: Option<Key>,
    /// How many functions the unit has, and how many with those it calls.
    functions: (usize, usize),
}

/// Code that was generated, and where the stages of its unit are.
pub(crate) type Generated = (Body, Kept);

/// A unit before LLVM has worked on it.
pub(crate) enum Outlook {
    /// Its code is stored.
    Found(Generated),
    /// The module that was emitted for it.
    Emitted(Emitted),
}

/// Why no code was generated.
#[derive(Clone)]
pub(crate) enum Ungenerated {
    /// The code generator refuses the unit, and would again.
    Refused(Vec<Refusal>),
    /// The code generator has failed, as this says.
    Failed(String),
    /// The code names symbols that nothing defines.
    Unresolved(Vec<String>),
    /// The code generator could not be asked.
    Unasked(CompileError),
}

impl MayRefuse for Ungenerated {
    fn of_refusals(refusals: Vec<Refusal>) -> Self {
        Self::Refused(refusals)
    }

    fn refusals(&self) -> Option<&[Refusal]> {
        match self {
            Self::Refused(refusals) => Some(refusals),
            Self::Failed(_) | Self::Unresolved(_) | Self::Unasked(_) => None,
        }
    }
}

impl Generation {
    /// The generation of the code of `source`, which `request` asks for, to be stored under `front`.
    pub(crate) fn new(
        env: &CompileEnv<'_>,
        source: &UnitSource,
        request: CodegenRequest,
        front: Option<Key>,
    ) -> Self {
        let own = source.functions.len();
        Self {
            request: CodegenRequest { title: job(env.rt, source.functions[0].instance), ..request },
            target: env.view.unit.clone(),
            subject: source.subject(env.rt),
            front,
            functions: (own, own + source.callees.len()),
        }
    }

    /// Generates the code, unless the module that is emitted for the unit was compiled before, and stores it.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn run(&self, compiler: &Compiler) -> Result<Generated, Ungenerated> {
        let refusal = self.front.as_ref().and_then(|it| Some(keys(compiler, &self.target)?.refusal(it)));
        unless_refused(compiler, refusal, || self.generate(compiler))
    }

    fn generate(&self, compiler: &Compiler) -> Result<Generated, Ungenerated> {
        compiler.codegen.prepare_for(&self.target.facts);
        let started = Instant::now();
        let (mut known, mut back, mut lease) = (None, None, None);
        let asked = self.ask(compiler, &mut |emitted| {
            let Some(front) = &self.front else { return false };
            // A worker that ended is asked again, and its lease is still held.
            drop(lease.take());
            back = back_key(compiler, front, &self.target, emitted);
            if let Some(back) = &back {
                lease = compiler.results.lease(back, LEASE_WAIT);
                known = stored_by_module(compiler, (front, back), self.functions);
            }
            let found = known.is_some();
            compiler.counters.count(|it| if found { &it.back_hits } else { &it.misses });
            found
        });
        let (emitted, compiled) = asked?;
        if let (Some(front), Some(body)) = (&self.front, known) {
            let stages = stages_of(compiler, &self.target, front, &body);
            return Ok((body, stages));
        }
        let compiled = made(compiled)?;
        let unresolved = unresolved(&compiled);
        if !unresolved.is_empty() {
            return Err(Ungenerated::Unresolved(unresolved));
        }
        let body = Body { object: compiled.object, link: compiled.link, emitted: emitted.hash() };
        let stages = Stages { emitted: emitted.bitcode.clone(), optimized: compiled.optimized };
        let cost = started.elapsed();
        let stored = self
            .front
            .as_ref()
            .and_then(|front| store(compiler, (front, back), &self.target, (&body, &stages), (cost, lease)));
        Ok((body, stored.map_or_else(|| Kept::Here(Arc::new(stages)), Kept::Stored)))
    }

    /// Emits the unit, and generates no code.
    ///
    /// # Errors
    /// When the code generator refuses it.
    pub(crate) fn emit(&self, compiler: &Compiler) -> Result<Outlook, Ungenerated> {
        let refusal = self.front.as_ref().and_then(|it| Some(keys(compiler, &self.target)?.refusal(it)));
        unless_refused(compiler, refusal, || {
            compiler.codegen.prepare_for(&self.target.facts);
            let mut known = None;
            let (emitted, _) = self.ask(compiler, &mut |emitted| {
                known = self.front.as_ref().and_then(|front| {
                    let back = back_key(compiler, front, &self.target, emitted)?;
                    stored_by_module(compiler, (front, &back), self.functions)
                });
                true
            })?;
            Ok(match (&self.front, known) {
                (Some(front), Some(body)) => {
                    compiler.counters.count(|it| &it.back_hits);
                    let stages = stages_of(compiler, &self.target, front, &body);
                    Outlook::Found((body, stages))
                }
                _ => Outlook::Emitted(emitted),
            })
        })
    }

    /// Generates the code again, whatever is stored.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn again(&self, compiler: &Compiler) -> Result<(Emitted, CompiledUnit), Ungenerated> {
        let (emitted, compiled) = self.ask(compiler, &mut |_| false)?;
        Ok((emitted, made(compiled)?))
    }

    /// Asks the code generator, which compiles nothing if the module that it emits `is_known`.
    fn ask(
        &self,
        compiler: &Compiler,
        is_known: &mut dyn FnMut(&Emitted) -> bool,
    ) -> Result<(Emitted, Option<CompiledUnit>), Ungenerated> {
        let codegen = compiler.codegen.for_target(&self.target.facts);
        let codegen = codegen.map_err(|it| Ungenerated::Unasked(CompileError::no_codegen(&it)))?;
        let mut shown = Emitted::default();
        let subject = || self.subject.clone();
        let reply = compiler.counters.timed(
            |it| &it.codegen_ns,
            "codegen",
            subject,
            || {
                let reply = codegen.request(&self.request, &mut |emitted| {
                    let known = is_known(&emitted);
                    shown = emitted;
                    known
                });
                reply.inspect(|it| compiler.counters.add_stages(&it.times))
            },
        );
        let reply = reply.map_err(|it| match it {
            CodegenError::Ended(how) => Ungenerated::Failed(format!("its process {how}")),
            other => Ungenerated::Unasked(CompileError::no_codegen(&other)),
        })?;
        if !matches!(reply.result, Ok(None)) {
            compiler.counters.count(|it| &it.compiles);
        }
        match reply.result {
            Ok(compiled) => Ok((shown, compiled)),
            Err(refusals) if RefusalKind::from_refusals(&refusals) == RefusalKind::Internal => {
                Err(Ungenerated::Failed(refusals[0].message.clone()))
            }
            Err(refusals) => Err(Ungenerated::Refused(refusals)),
        }
    }

    /// Returns the request to the code generator, for a report of its failure.
    pub(crate) fn request(&self) -> &CodegenRequest {
        &self.request
    }
}

fn made(compiled: Option<CompiledUnit>) -> Result<CompiledUnit, Ungenerated> {
    let nothing = || Ungenerated::Unasked(CompileError::bug("the code generator made nothing"));
    compiled.ok_or_else(nothing)
}

/// Returns where the stages are of a unit that was found.
pub(crate) fn stages_of(compiler: &Compiler, target: &UnitTarget, front: &Key, body: &Body) -> Kept {
    let keys = keys(compiler, target).expect("a unit that was found is in a store");
    Kept::Stored(keys.stages(front.subject(), &target.options, &body.emitted))
}

/// Returns the symbols that code of the host names and nothing defines. Objects of devices are linked elsewhere.
fn unresolved(compiled: &CompiledUnit) -> Vec<String> {
    if !compiled.object.starts_with(b"\x7fELF") {
        return Vec::new();
    }
    let unknown = compiled.link.runtime.iter().filter(|it| kiln_link::runtime_symbol(it).is_none());
    unknown.cloned().collect()
}
