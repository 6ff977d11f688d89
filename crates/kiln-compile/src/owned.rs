//! Instances whose bodies other compilers make: see `kiln_runtime::deferred`.
//!
//! Results are kept like those of inference, for the owner of the view they were asked for in. They hold as long as every
//! look-up and name that what it was made of depends on is what it was, all that these bodies call included.

use crate::env::CompileEnv;
use crate::inputs::View;
use crate::naming::specialization;
use crate::typed::{infer_within, optimized};
use crate::typed_error::TypedError;
use kiln_ir::{Effects, Instance};
use kiln_runtime::deferred::{DeferredError, DeferredJob, Nested};
use kiln_runtime::tables::{CodeInstance, CodeResult, Edge, MethodTableView, WorldRange};
use kiln_runtime::{Runtime, deferred};
use kiln_types::{Symbol, Type, datatype, display};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Bodies being made, each for a call of the one before, at most.
const DEPTH_MAX: usize = 64;

struct Job<'a> {
    /// The environment of the caller.
    env: CompileEnv<'a>,
    /// The view of nested code.
    nested: View,
    within: Vec<Instance>,
    params: [Type; 3],
    call: Vec<Type>,
    edges: Vec<Edge>,
    worlds: WorldRange,
}

/// The code instance of `instance`, which the compiler called `owner` makes for the bodies that `outer` names.
pub(crate) fn compile(
    env: &CompileEnv<'_>,
    (instance, owner): (Instance, Symbol),
    outer: &[Instance],
) -> Result<Arc<CodeInstance>, TypedError> {
    let CompileEnv { rt, view, .. } = *env;
    let name = rt.types.name(owner);
    let what = || specialization(rt, instance);
    let compiler = deferred::compiler(rt, owner).ok_or_else(|| {
        TypedError::Owner(format!("no compiler called `{name}` has been registered to make {}", what()))
    })?;
    if outer.len() >= DEPTH_MAX {
        return Err(TypedError::Owner(format!("`{name}` asks for ever more to make {}", what())));
    }
    let mut job = Job::new(env, instance, outer)?;
    let parent = Nested { tables: view.tables.overlays().to_vec(), always_inline: view.always_inline };
    job.nested = nested(rt, view, compiler.nest(rt, parent));
    let made = compiler
        .compile(&mut job)
        .map_err(|it| TypedError::Owner(format!("`{name}` cannot make {}: {it}", what())))?;
    if made.args != job.params {
        return Err(TypedError::Owner(format!("`{name}` made a body for other arguments of {}", what())));
    }
    if let Some(problem) = kiln_ir::verify(&made, &rt.types).first() {
        return Err(TypedError::Owner(format!(
            "`{name}` made a malformed body of {}: {}",
            what(),
            problem.message
        )));
    }
    env.counters().count(|it| &it.inferences);
    let Job { mut edges, worlds, within, nested, .. } = job;
    let finished = optimized(env, &within[..within.len() - 1], instance, made);
    edges.extend(finished.edges);
    let result = CodeResult {
        instance,
        owner: view.owner,
        // Look-ups of nested code are what ends it.
        view: nested.tables,
        worlds: worlds.intersect(finished.worlds),
        return_type: finished.code.return_type,
        return_const: None,
        effects: Effects::NONE,
        exception_type: rt.types.core().any,
        code: Some(finished.code.into()),
        edges: edges.into(),
    };
    Ok(rt.tables.add_code_instance(result, view.world))
}

fn nested(rt: &Runtime, view: &View, wanted: Nested) -> View {
    let tables = MethodTableView::stacked(&wanted.tables);
    let owner = view.params.owner(rt, &tables, wanted.always_inline);
    let same = tables == view.tables && wanted.always_inline == view.always_inline;
    let owner = if same { view.owner } else { owner };
    View { owner, tables, always_inline: wanted.always_inline, ..view.clone() }
}

impl<'a> Job<'a> {
    fn new(env: &CompileEnv<'a>, instance: Instance, outer: &[Instance]) -> Result<Self, TypedError> {
        let CompileEnv { rt, view, .. } = *env;
        let signature = rt.tables.instance_data(instance).spec_types;
        let [owner, call @ ..] = datatype::params(&rt.types, signature) else {
            return Err(TypedError::Owner("an owner is not called".into()));
        };
        let (Some(&function), Some(args)) = (call.first(), call.get(1..)) else {
            return Err(TypedError::Owner("an owner is given a function and its arguments".into()));
        };
        Ok(Self {
            env: *env,
            nested: view.clone(),
            within: outer.iter().copied().chain([instance]).collect(),
            params: [*owner, function, datatype::tuple(&rt.types, args)],
            call: call.to_vec(),
            edges: Vec::new(),
            worlds: WorldRange::ALL,
        })
    }

    /// Looks up the target of a call in `view`.
    fn look_up(&mut self, view: &View, call: &[Type]) -> Result<Instance, TypedError> {
        let rt = self.env.rt;
        let sig = datatype::tuple(&rt.types, call);
        let shown = || display::of_type(&rt.types, sig);
        let Some(found) = rt.tables.find_matches_in(&view.tables, sig, view.world, usize::MAX) else {
            return Err(TypedError::Owner(format!("the look-up of {} has no end", shown())));
        };
        self.worlds = self.worlds.intersect(found.worlds);
        let ids = found.matches.iter().map(|it| it.method).collect();
        self.edges.push(Edge::Lookup { sig, found: ids });
        match found.matches.as_slice() {
            [only] if only.fully_covers && !found.ambiguous => {
                Ok(rt.tables.instance(only.method, only.spec_types, &only.static_params))
            }
            [] => Err(TypedError::Owner(format!("no method takes {}", shown()))),
            _ => Err(TypedError::Owner(format!("a call of {} goes to several methods", shown()))),
        }
    }

    /// Depends on all that `ci` depends on, what it calls included: its owner need not be the one this is kept for.
    fn depend_on(&mut self, ci: &Arc<CodeInstance>) {
        let (tables, world) = (&self.env.rt.tables, self.nested.world);
        self.worlds = self.worlds.intersect(ci.range_of(world).unwrap_or_else(|| ci.worlds()));
        let mut visited: FxHashSet<Instance> = FxHashSet::default();
        let mut work = vec![ci.clone()];
        while let Some(ci) = work.pop() {
            if !visited.insert(ci.instance) {
                continue;
            }
            for edge in ci.edges.iter() {
                match edge {
                    Edge::Instance(callee) | Edge::Body(callee) | Edge::Invoke { instance: callee, .. } => {
                        let current = tables.current_instance(*callee, world);
                        work.extend(tables.code_instance(current, ci.owner, world));
                        self.edges.extend(matches!(edge, Edge::Invoke { .. }).then(|| edge.clone()));
                    }
                    Edge::Lookup { .. }
                    | Edge::Original { .. }
                    | Edge::TooMany(_)
                    | Edge::Binding(..)
                    | Edge::Constant { .. } => {
                        self.edges.push(edge.clone());
                    }
                }
            }
        }
    }
}

impl DeferredJob for Job<'_> {
    fn runtime(&self) -> &Runtime {
        self.env.rt
    }

    fn call(&self) -> &[Type] {
        &self.call
    }

    fn params(&self) -> [Type; 3] {
        self.params
    }

    fn typed(&mut self, call: &[Type]) -> Result<Arc<CodeInstance>, DeferredError> {
        let view = self.nested.clone();
        let instance = self.look_up(&view, call);
        let made = instance.and_then(|it| infer_within(&self.env.with_view(&view), it, &self.within));
        let made = made.map_err(|it| it.to_string())?;
        self.depend_on(&made);
        Ok(made)
    }

    fn instance(&mut self, call: &[Type]) -> Result<Instance, DeferredError> {
        let view = self.env.view.clone();
        self.look_up(&view, call).map_err(|it| it.to_string().into())
    }

    fn owned(&mut self, call: &[Type]) -> Result<Instance, DeferredError> {
        let all: Vec<Type> = std::iter::once(self.params[0]).chain(call.iter().copied()).collect();
        let view = self.env.view.clone();
        self.look_up(&view, &all).map_err(|it| it.to_string().into())
    }
}
