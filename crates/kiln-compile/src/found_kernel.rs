//! Kernels found by their typed code.
//!
//! Most kernels are one function that calls none when it has been optimized. What such a one is compiled to follows from its
//! typed code alone, so its unit is kept under a key of that, too: where the typed code comes from another session and holds,
//! nothing is outlined, named anew and hashed to find the unit, and the body of the code is not even read.

use crate::check::Place;
use crate::env::CompileEnv;
use crate::inputs::View;
use crate::outline::{body, outlined};
use crate::program::LinkSet;
use crate::typed::{code_instance, resolve};
use crate::typed_cache::CacheLocation;
use crate::unit::{BoundUnit, Kept, LateCode, UnitFunction, Units, body_returning};
use crate::unit_store::keys;
use crate::unit_store::{finds_kernels, lone_kernel_body};
use kiln_cache::{Entry, Key};
use kiln_ir::{Instance, IrCode, Op, ThrowSite};
use kiln_runtime::Runtime;
use kiln_runtime::tables::CodeInstance;
use kiln_targets::Items;
use kiln_types::consts;
use kiln_unit::{Body, EntryKind, NO_STMT, Site};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The body of a kernel that was found, as codegen was given it when the kernel was compiled.
#[derive(Debug)]
pub(crate) struct FoundCode {
    typed: Arc<CodeInstance>,
    view: View,
    unit: Arc<Body>,
    made: OnceLock<Arc<IrCode>>,
}

impl LateCode for FoundCode {
    fn code(&self, rt: &Runtime) -> &Arc<IrCode> {
        self.made.get_or_init(|| {
            let code = body(rt, &self.typed).map(|it| outlined(rt, &self.view, it, Place::Device));
            let code = code.ok().filter(|it| self.unit.link.sites.iter().all(|site| has_site(it, site)));
            // Its failures are at unknown sites.
            let unknown = || body_returning(rt, &self.typed, consts::nothing(&rt.types));
            Arc::new(code.unwrap_or_else(unknown))
        })
    }
}

/// Whether a site of a unit can be one of this body.
fn has_site(code: &IrCode, site: &Site) -> bool {
    let is_same = |it: &ThrowSite| it.as_u32() == site.site;
    match code.stmts.values().nth(site.stmt as usize).map(|it| &it.op) {
        _ if site.stmt == NO_STMT => true,
        Some(Op::Fail(number, _) | Op::Report(number, _)) => is_same(number),
        // One that codegen itself made.
        Some(_) => code.throw_sites.keys().all(|it| !is_same(&it)),
        None => false,
    }
}

/// A kernel that was found.
pub struct CacheHit {
    /// The typed code of the kernel.
    pub typed: Arc<CodeInstance>,
    /// Its one unit.
    pub link_set: LinkSet,
}

/// The key of a kernel by its typed code, if that is kept.
fn kernel_key(env: &CompileEnv<'_>, typed: &CodeInstance) -> Option<Key> {
    let CompileEnv { compiler, view, .. } = *env;
    let kept = typed.result::<CacheLocation>()?;
    let keys = keys(compiler, &view.unit)?;
    Some(keys.kernel(&kept.subject, (&view.unit.options, view.in_kernel()), (kept.key, kept.record)))
}

/// The kernel of an entry whose typed code came from another session, if it is kept under its typed code and has not
/// been made in this session.
pub fn found_kernel(env: &CompileEnv<'_>, entry: Instance) -> Option<CacheHit> {
    let CompileEnv { rt, compiler, view } = *env;
    if view.unit.facts.items != Items::Loops || !finds_kernels(compiler) {
        return None;
    }
    let typed = code_instance(env, resolve(env, entry)).ok()?;
    let is_kernel = rt.types.subtype(typed.return_type, rt.types.core().nothing);
    if !is_kernel || Units::of(&typed).get(&view.unit, EntryKind::Kernel).is_some() {
        return None;
    }
    let key = kernel_key(env, &typed)?;
    let asked = Instant::now();
    let body = lone_kernel_body(compiler, &key).map(Arc::new)?;
    env.counters().span("find", || key.subject().to_owned(), asked, asked.elapsed());
    env.counters().count(|it| &it.front_hits);
    let stages = keys(compiler, &view.unit)?.stages(key.subject(), &view.unit.options, &body.emitted);
    let made = OnceLock::new();
    let code = FoundCode { typed: typed.clone(), view: view.clone(), unit: body.clone(), made };
    let functions = vec![UnitFunction::found(typed.instance, code)];
    let unit = BoundUnit { body, functions, callees: Vec::new(), stages: Kept::Stored(stages), late: None };
    let unit = Arc::new(unit);
    Units::of(&typed).put(&view.unit, EntryKind::Kernel, unit.clone());
    let link_set = LinkSet::new(vec![unit], FxHashMap::default());
    Some(CacheHit { typed, link_set })
}

/// Has later sessions find the unit of a kernel by its typed code, if it is one function that calls none and is kept.
pub(crate) fn keep_kernel(env: &CompileEnv<'_>, (typed, kind): (&CodeInstance, EntryKind), unit: &BoundUnit) {
    let is_alone = kind == EntryKind::Kernel && unit.functions.len() == 1 && unit.callees.is_empty();
    let is_kept = env.view.unit.facts.items == Items::Loops && matches!(unit.stages, Kept::Stored(_));
    if is_alone
        && is_kept
        && finds_kernels(env.compiler)
        && let Some(key) = kernel_key(env, typed)
    {
        env.compiler.results.put(key, Entry::new(unit.body.to_bytes(), Duration::ZERO));
    }
}
