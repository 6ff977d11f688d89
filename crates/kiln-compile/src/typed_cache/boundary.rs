//! The results that a kept one was made of, as far as other sessions would infer them again after an edit of the program.
//!
//! A result that reads the program depends on the program: its method is one of the program's, or the program's types are in
//! its signature. After an edit, those that read what changed are inferred again, and ask for the results of their callees. So
//! all that depend on the program are kept, and of the library those that they call directly: what these call is not asked for.

use super::{IsKept, keep};
use crate::env::CompileEnv;
use kiln_ir::Instance;
use kiln_runtime::tables::{CodeInstance, Edge, depends_on_program};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Keeps a result, those of its callees that depend on the program, and those of the library that these call.
///
/// An image that is being built takes the result alone: where the others are found in a store, nothing asks for them, and two builds
/// would differ.
pub(crate) fn keep_with_callees(env: &CompileEnv<'_>, typed: &Arc<CodeInstance>) {
    let CompileEnv { rt, compiler, view } = *env;
    keep(env, typed);
    if !compiler.keeps_typed()
        || compiler.results.collects()
        || !depends_on_program(&rt.tables, typed.instance)
    {
        return;
    }
    let mut seen = FxHashSet::from_iter([typed.instance]);
    let mut work = vec![typed.clone()];
    while let Some(caller) = work.pop() {
        let callees: Vec<Instance> = caller.edges.iter().filter_map(callee_of).collect();
        for callee in callees {
            let current = rt.tables.current_instance(callee, view.world);
            if !seen.insert(current) {
                continue;
            }
            let Some(found) = rt.tables.code_instance(current, view.owner, view.world) else { continue };
            if found.result::<IsKept>().is_none() && depends_on_program(&rt.tables, current) {
                work.push(found.clone());
            }
            keep(env, &found);
        }
    }
}

/// The callee whose result an edge says something about.
fn callee_of(edge: &Edge) -> Option<Instance> {
    match edge {
        Edge::Instance(callee) | Edge::Body(callee) | Edge::Invoke { instance: callee, .. } => Some(*callee),
        Edge::Lookup { .. }
        | Edge::TooMany(_)
        | Edge::Binding(..)
        | Edge::Original { .. }
        | Edge::Constant { .. } => None,
    }
}
