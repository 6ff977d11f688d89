//! Inference's answers about calls: types, method by method and together, and effects.

use super::arguments::Arguments;
use crate::tables::CodeInstance;
use crate::{Run, Value};
use kiln_ir::Effects;
use std::sync::Arc;

/// The code instances of the methods that a call may go to; `None` without a compiler, or where a body does not compile.
fn inferred(args: &Arguments<'_>) -> Run<Option<Vec<Arc<CodeInstance>>>> {
    let sig = args.rt.signature(args.value(0)?, args.ty(1)?)?;
    let world = args.world(2)?;
    let compiler = args.rt.compiler.get();
    Ok(compiler.and_then(|it| crate::interp::with_room(|| it.inferred(args.rt, sig, world))))
}

pub(super) fn return_type(args: &Arguments<'_>) -> Run {
    args.expect(2, 3)?;
    let (heap, types) = (args.heap(), &args.rt.types);
    let ty = inferred(args)?.map(|all| {
        let all: Vec<_> = all.iter().map(|it| it.return_type).collect();
        types.union(&all)
    });
    Ok(heap.type_value(ty.unwrap_or(heap.core().any)))
}

pub(super) fn return_types(args: &Arguments<'_>) -> Run {
    args.expect(2, 3)?;
    let heap = args.heap();
    let all = inferred(args)?.ok_or_else(|| args.error("inference has no answer for so many methods"))?;
    let all: Vec<Value> = all.iter().map(|it| heap.type_value(it.return_type)).collect();
    Ok(heap.any_vector(&all))
}

/// The typed code of each method that a call may go to, or the value that it always returns.
pub(super) fn typed_code(args: &Arguments<'_>) -> Run {
    args.expect(2, 3)?;
    let (rt, heap) = (args.rt, args.heap());
    let all = inferred(args)?.ok_or_else(|| args.error("inference has no answer for so many methods"))?;
    let mut found = Vec::with_capacity(all.len());
    for it in &all {
        let ty = heap.type_value(it.return_type);
        let (code, is_const) = match (it.code(rt), it.return_const) {
            (Some(code), _) => (rt.typed_value(code)?, false),
            (None, Some(value)) => (heap.value_of(value), true),
            (None, None) => return Err(args.error("the compiler keeps no typed code of this method")),
        };
        found.push(heap.svec(&[code, ty, heap.bool(is_const)]));
    }
    Ok(heap.any_vector(&found))
}

/// The effects of all methods together; without a method, calls throw.
pub(super) fn effects(args: &Arguments<'_>) -> Run {
    args.expect(2, 3)?;
    let heap = args.heap();
    let merged = match inferred(args)? {
        None => Effects::NONE,
        Some(all) if all.is_empty() => Effects { nothrow: false, ..Effects::TOTAL },
        Some(all) => all.iter().map(|it| it.effects).fold(Effects::TOTAL, Effects::merge),
    };
    let flags = [merged.consistent, merged.effect_free, merged.nothrow, merged.terminates];
    Ok(heap.tuple(&flags.map(|it| heap.bool(it))))
}
