//! Results of other sessions that this one infers again.
//!
//! A result that another session kept is of the same code as one inferred here, but its edges are flat: they do not say what it
//! calls, and its callees may have no results, or not even instances. Compiled code needs no more. A program that looks at
//! results does: at the specializations of a method, the edges of a result, the log of what definitions end. For such a program the
//! session infers these results itself, so that it sees the same as without a store.

use super::define::clip_with_callers;
use super::{CacheOwner, CodeInstance, CodeTables, Definition};
use kiln_ir::Instance;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Ends the results of `owner` that other sessions kept, as a definition does: in a new world, with all that depends on them, so that
/// what was compiled of them is linked again. None is taken any more. Returns the instances of those that are specialized for types
/// alone; none after the first time.
pub(crate) fn withdraw_kept(tables: &CodeTables, owner: CacheOwner) -> Vec<Instance> {
    // No other thread is taking a result.
    let _alone = tables.inference.lock();
    if tables.inference.take_no_more() {
        return Vec::new();
    }
    let _definitions = tables.definitions.write();
    let last = tables.world();
    let all = (0..tables.instances.count()).map(Instance::from_u32);
    let is_kept = |it: &Arc<CodeInstance>| it.owner == owner && it.edges.is_flat() && it.holds_in(last);
    let kept: Vec<Arc<CodeInstance>> =
        all.flat_map(|it| tables.instances.results(it)).filter(is_kept).collect();
    if kept.is_empty() {
        return Vec::new();
    }
    kept.iter().for_each(|it| it.is_withdrawn.store(true, Ordering::Release));
    let plain = |it: &Instance| tables.instance_data(*it).known_args.is_empty();
    let withdrawn = kept.iter().map(|it| tables.current_instance(it.instance, last)).filter(plain).collect();
    clip_with_callers(tables, kept.into_iter().map(|it| (it, None)).collect(), Definition::Withdrawal, last);
    tables.advance(last);
    withdrawn
}
