//! The methods that match a signature, and the more specific of two.

use super::arguments::Arguments;
use crate::heap::{arrays, params, svecs, tuples};
use crate::interp::define;
use crate::tables::{Ambiguous, MethodId, MethodTableView, World};
use crate::{Run, Value};
use kiln_types::{Type, equality, specificity};

/// `morespecific(a, b[, by_parts])`.
pub(super) fn more_specific(args: &Arguments<'_>) -> Run {
    args.expect(2, 3)?;
    let heap = args.heap();
    let core = heap.core();
    let types = heap.types();
    let method = |at: usize| -> Run<Option<(Type, usize)>> {
        let value = args.value(at)?;
        if value.ty() != core.method {
            return Ok(None);
        }
        let method = args.rt.tables.method(MethodId::from_index(value.bits() as usize));
        let before =
            std::iter::successors(method.predecessor(), |&it| args.rt.tables.method(it).predecessor());
        Ok(Some((method.sig, before.count())))
    };
    let answer = match (method(0)?, method(1)?) {
        // Of equal signatures the one that replaced more of them.
        (Some((a, a_rank)), Some((b, b_rank))) if equality::are_equal(types, a, b) => a_rank > b_rank,
        (Some((a, _)), Some((b, _))) => specificity::is_more_specific(types, a, b),
        _ if args.values.len() == 3 => {
            specificity::is_more_specific_by_parts(types, args.ty(0)?, args.ty(1)?)
        }
        _ => specificity::is_more_specific(types, args.ty(0)?, args.ty(1)?),
    };
    Ok(heap.bool(answer))
}

/// `match_methods(sig, world, limit, listed, table)`.
pub(super) fn match_methods(args: &Arguments<'_>) -> Run {
    args.expect(5, 5)?;
    let (heap, rt) = (args.heap(), args.rt);
    let sig = args.ty(0)?;
    let world = World::new(args.value(1)?.bits());
    let limit = usize::try_from(args.int(2)?).unwrap_or(usize::MAX);
    let listed = args.value(3)?.bits() & 1 == 1;
    let table = args.value(4)?;
    let view = match define::method_table(rt, table) {
        Some(table) => MethodTableView::alone(table),
        None => MethodTableView::global(),
    };
    if world > rt.tables.world() {
        return Ok(heap.nothing());
    }
    let mode = if listed { Ambiguous::Listed } else { Ambiguous::LeftOut };
    let Some(found) = rt.tables.methods.find_matches_with(&view, sig, world, limit, mode) else {
        return Ok(heap.nothing());
    };
    let matches = found.matches.iter().map(|it| {
        let params: Vec<Value> =
            it.static_params.iter().map(|&it| params::value_of_param(heap, it)).collect();
        svecs::new(
            heap,
            &[
                heap.type_value(it.spec_types),
                svecs::new(heap, &params),
                Value::inline(heap.core().method, it.method.index() as u64),
                heap.bool(it.fully_covers),
            ],
        )
    });
    let matches: Vec<Value> = matches.collect();
    let world_value = |it: World| Value::inline(heap.core().uint64, it.number());
    Ok(tuples::new(
        heap,
        &[
            arrays::any_vector(heap, &matches),
            world_value(found.worlds.min),
            world_value(found.worlds.max),
            heap.bool(found.ambiguous),
        ],
    ))
}
