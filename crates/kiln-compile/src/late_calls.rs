//! Calls that the optimizer resolves, after inference had to leave them open: their targets are inferred now, and what was
//! looked up is remembered for the edges of the body that is being optimized.

use crate::env::CompileEnv;
use crate::typed::infer_within;
use kiln_infer::is_more_complex;
use kiln_ir::Instance;
use kiln_opt::Resolved;
use kiln_runtime::Runtime;
use kiln_runtime::tables::{Edge, MethodId, WorldRange};
use kiln_types::{Type, datatype};
use std::cell::RefCell;

/// Bodies being optimized, each for a call of the one before: deeper ones keep their calls.
const DEPTH_MAX: usize = 12;

/// Late calls of one body.
pub(crate) struct LateCalls<'a> {
    env: CompileEnv<'a>,
    /// The bodies being optimized and the targets being inferred for them: none of these again, or it would not end.
    within: Vec<Instance>,
    edges: RefCell<(Vec<Edge>, WorldRange)>,
}

impl<'a> LateCalls<'a> {
    pub(crate) fn new(env: &CompileEnv<'a>, outer: &[Instance], instance: Instance) -> Self {
        let within = outer.iter().copied().chain([instance]).collect();
        Self { env: *env, within, edges: RefCell::new((Vec::new(), WorldRange::ALL)) }
    }

    /// Returns the edges of the body.
    pub(crate) fn into_edges(self) -> (Vec<Edge>, WorldRange) {
        self.edges.into_inner()
    }

    /// Whether a call goes to a method that is being compiled for it, for smaller types that nothing made up for: each would lead
    /// to the next, without an end.
    fn only_grows(&self, rt: &Runtime, method: MethodId, sig: Type) -> bool {
        self.within.iter().any(|it| {
            let outer = rt.tables.instance_data(*it);
            outer.method == method
                && is_more_complex(&rt.types, sig, outer.spec_types)
                && !is_more_complex(&rt.types, outer.spec_types, sig)
        })
    }

    pub(crate) fn resolve(&self, rt: &Runtime, call: &[Type], of: Option<Instance>) -> Option<Resolved> {
        let sig = datatype::tuple(&rt.types, call);
        let Some(found) = rt.tables.find_matches_in(&self.env.view.tables, sig, self.env.view.world, 1)
        else {
            self.edges.borrow_mut().0.push(Edge::TooMany(sig));
            return None;
        };
        let [only] = found.matches.as_slice() else {
            let ids = found.matches.iter().map(|it| it.method).collect();
            self.edges.borrow_mut().0.push(Edge::Lookup { sig, found: ids });
            return None;
        };
        if !only.fully_covers || found.ambiguous {
            return None;
        }
        if of.is_some_and(|it| rt.tables.instance_data(it).method != only.method) {
            return None;
        }
        if self.only_grows(rt, only.method, only.spec_types) {
            return None;
        }
        let instance = rt.tables.instance(only.method, only.spec_types, &only.static_params);
        if self.within.contains(&instance) || self.within.len() >= DEPTH_MAX {
            return None;
        }
        let mut within = self.within.clone();
        within.push(instance);
        let made = infer_within(&self.env, instance, &within).ok()?;
        let (edges, worlds) = &mut *self.edges.borrow_mut();
        *worlds = worlds.intersect(found.worlds).intersect(made.worlds());
        edges.push(Edge::Lookup { sig, found: [only.method].into() });
        edges.push(Edge::Instance(instance));
        let method = rt.tables.method(only.method);
        let packed_from = method.is_va.then(|| (method.nargs as usize - 1).min(call.len()));
        Some(Resolved { instance, returns: made.return_type, packed_from })
    }
}
