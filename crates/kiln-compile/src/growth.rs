//! The budget of specialization: a function that calls itself with ever larger types has no last instance.
//!
//! Inference widens such a recursion, but where a call is resolved after it (a generated function has no body for the wider
//! type) each instance asks for the next. Instances of one method that grow along one chain of calls are counted, and types
//! have a size.

use crate::check::{Problem, ProblemKind, Via};
use kiln_infer::{is_larger_than, is_more_complex};
use kiln_ir::{Instance, Stmt};
use kiln_runtime::Runtime;
use kiln_types::{Type, datatype};

/// Instances of one method in one chain of calls, each with larger types than the one that calls it.
const GROWING_MAX: usize = 64;
/// Parts that the types of one instance may have.
const PARTS_MAX: usize = 5_000;

/// The problem that an instance is, which is reached by `path`, innermost call first; `None` if it is within the budget.
pub(crate) fn beyond(rt: &Runtime, instance: Instance, path: &[Via]) -> Option<Problem> {
    let data = rt.tables.instance_data(instance);
    let mut last = data.spec_types;
    let mut growing = Vec::new();
    for via in path {
        let caller = rt.tables.instance_data(via.callee);
        if caller.method == data.method && is_more_complex(&rt.types, last, caller.spec_types) {
            growing.push(caller.spec_types);
            last = caller.spec_types;
        }
    }
    let is_large = is_larger_than(&rt.types, data.spec_types, PARTS_MAX);
    if growing.len() < GROWING_MAX && !(is_large && growing.len() > 1) {
        return None;
    }
    let call = path.first()?;
    // The innermost instances: those further out are of a size that can be shown.
    let shown = if is_large { growing.len().saturating_sub(2) } else { 0 };
    let kind = ProblemKind::Growth {
        method: data.method,
        from: *growing.last()?,
        to: growing.get(shown).copied().unwrap_or(last),
        count: growing.len(),
    };
    let (stmt, through) = (Stmt::from_u32(0), path.iter().skip(1).take(2).copied().collect());
    Some(Problem { kind, stmt, function: 0, loc: call.call, through })
}

/// The same for a call that inference left open, of these types, in code that the calls of `path` led to: it is the next of a
/// chain of instances of one method.
pub(crate) fn left_open(
    rt: &Runtime,
    called: &[Type],
    path: impl Iterator<Item = Via>,
) -> Option<ProblemKind> {
    let types = &rt.types;
    let to = datatype::tuple(types, called);
    let mut chain: Vec<Type> = Vec::new();
    let mut grown = None;
    for via in path {
        let caller = rt.tables.instance_data(via.callee);
        let is_next = datatype::params(types, caller.spec_types).first() == called.first()
            && types.subtype(to, rt.tables.method(caller.method).sig)
            && grown.is_none_or(|it| it == caller.method);
        if is_next && chain.last().copied().unwrap_or(to) != caller.spec_types {
            chain.push(caller.spec_types);
            grown = Some(caller.method);
        }
    }
    let from = *chain.last().filter(|it| chain.len() > 1 && datatype::is_dispatch_tuple(types, **it))?;
    is_more_complex(types, to, from).then_some(ProblemKind::Growth {
        method: grown?,
        from,
        to,
        count: chain.len(),
    })
}

/// The same for an instance that inference widened to end such a chain, and that has no body for the wider types: it is never
/// called as it is.
pub(crate) fn widened(rt: &Runtime, instance: Instance, path: &[Via]) -> Option<Problem> {
    let types = &rt.types;
    let data = rt.tables.instance_data(instance);
    if datatype::is_dispatch_tuple(types, data.spec_types) {
        return None;
    }
    let callers = path.iter().map(|it| rt.tables.instance_data(it.callee));
    let chain =
        callers.filter(|it| it.method == data.method && datatype::is_dispatch_tuple(types, it.spec_types));
    let chain: Vec<Type> = chain.map(|it| it.spec_types).collect();
    let (&[to, ..], &[.., from]) = (&chain[..], &chain[..]) else { return None };
    let kind = ProblemKind::Growth { method: data.method, from, to, count: chain.len() };
    let (stmt, through) = (Stmt::from_u32(0), path.iter().skip(1).take(2).copied().collect());
    let call = path.first()?;
    (chain.len() > 1).then_some(Problem { kind, stmt, function: 0, loc: call.call, through })
}
