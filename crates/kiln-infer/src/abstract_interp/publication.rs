//! The order in which the members of a recursive group are optimized.
//!
//! A body is inlined where it is optimized before its caller, so the order decides on the code of a group. It must not depend on
//! which member was asked for first: another session, which asks for another one first, makes the same code. So callees come before
//! their callers, and where calls go round, the smallest body comes first: the one that is worth most inlined.

use super::pending::{Derivation, PendingResult};
use kiln_ir::Instance;
use kiln_runtime::Runtime;
use kiln_runtime::tables::{Edge, KnownArg, KnownField};
use kiln_types::{Types, identity};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The identity of a member in every session: the statements of its body, its signature, and further knowledge of its arguments. Members
/// of equal rank stay in the order in which they were inferred.
type Rank = (usize, u128, u128);

/// Sorts a group for publication.
pub(super) fn in_order(rt: &Runtime, group: Vec<PendingResult>) -> Vec<PendingResult> {
    if group.len() == 1 {
        return group;
    }
    let ranks: Vec<Rank> = group.iter().map(|it| rank(rt, it)).collect();
    let places: FxHashMap<Instance, usize> =
        group.iter().enumerate().map(|(at, it)| (it.instance, at)).collect();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); group.len()];
    let mut waits: Vec<usize> = vec![0; group.len()];
    for (at, member) in group.iter().enumerate() {
        for callee in callees(member, &places).into_iter().filter(|it| *it != at) {
            callers[callee].push(at);
            waits[at] += 1;
        }
    }
    let key = |at: usize, waits: &[usize]| (waits[at] > 0, ranks[at], at);
    let mut left: BTreeSet<(bool, Rank, usize)> = (0..group.len()).map(|at| key(at, &waits)).collect();
    let mut order = Vec::with_capacity(group.len());
    while let Some((_, _, next)) = left.pop_first() {
        order.push(next);
        for &caller in &callers[next] {
            let was_left = left.remove(&key(caller, &waits));
            waits[caller] -= 1;
            if was_left {
                left.insert(key(caller, &waits));
            }
        }
    }
    let mut members: Vec<Option<PendingResult>> = group.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| members[at].take()).collect()
}

fn rank(rt: &Runtime, member: &PendingResult) -> Rank {
    let statements = match &member.derivation {
        Derivation::Inferred(frame) => frame.code.stmts.len(),
        Derivation::Kept(_) => 0, // it is optimized
    };
    let data = rt.tables.instance_data(member.instance);
    let known = data.known_args.iter().fold(0, |hash, it| mixed(hash, known_hash(&rt.types, it)));
    (statements, identity::hash_of_type(&rt.types, data.spec_types), known)
}

/// A hash of the knowledge of an argument, the same in every session.
fn known_hash(types: &Types, known: &KnownArg) -> u128 {
    match known {
        KnownArg::Type => 1,
        KnownArg::Const(it) => identity::hash_of_const(types, *it).unwrap_or(2),
        KnownArg::Fields(ty, fields) => {
            fields.iter().fold(identity::hash_of_type(types, *ty), |hash, field| {
                let field = match field {
                    KnownField::Type(ty) => identity::hash_of_type(types, *ty),
                    KnownField::More(known) => known_hash(types, known),
                };
                mixed(hash, field)
            })
        }
    }
}

fn mixed(hash: u128, more: u128) -> u128 {
    hash.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) ^ more
}

/// The positions of the members that one calls, each once.
fn callees(member: &PendingResult, places: &FxHashMap<Instance, usize>) -> BTreeSet<usize> {
    let Derivation::Inferred(frame) = &member.derivation else { return BTreeSet::new() };
    let callee = |edge: &Edge| match edge {
        Edge::Instance(callee) | Edge::Invoke { instance: callee, .. } => places.get(callee).copied(),
        Edge::Lookup { .. }
        | Edge::TooMany(_)
        | Edge::Binding(..)
        | Edge::Body(_)
        | Edge::Original { .. }
        | Edge::Constant { .. } => None,
    };
    frame.edges.iter().filter_map(callee).collect()
}
