//! Inference's answers about calls: types, method by method and together, and effects.

use super::arguments::Arguments;
use crate::eval::typed_value;
use crate::heap::{arrays, constants, svecs, tuples};
use crate::interp::special;
use crate::tables::{CodeInstance, MethodMatch, World};
use crate::{Run, Value};
use kiln_ir::Effects;
use kiln_types::datatype;
use std::sync::Arc;

/// Methods that a call may go to beyond which its type is taken to be `Any`.
const MERGED_MAX: usize = 64;

/// The methods that a call may go to, the most specific first, and whether every such call has one.
struct Targets {
    found: Vec<MethodMatch>,
    covered: bool,
    world: World,
}

impl Targets {
    fn from_arguments(args: &Arguments<'_>) -> Run<Self> {
        args.expect(2, 3)?;
        let sig = special::signature(args.rt, args.value(0)?, args.ty(1)?)?;
        let world = args.world(2)?;
        let matches = args.rt.tables.find_matches(sig, world, usize::MAX);
        let covered = matches
            .as_ref()
            .is_some_and(|it| !it.ambiguous && it.matches.last().is_some_and(|it| it.fully_covers));
        Ok(Self { found: matches.map(|it| it.matches).unwrap_or_default(), covered, world })
    }

    /// Returns the code instance of a method; `None` without a compiler, or if the body does not compile. A
    /// generator's output for types without values is no evidence about values.
    fn inferred(&self, args: &Arguments<'_>, found: &MethodMatch) -> Option<Arc<CodeInstance>> {
        let rt = args.rt;
        let generated = rt.tables.method(found.method).code.meta.generated;
        if generated && !datatype::is_dispatch_tuple(&rt.types, found.spec_types) {
            return None;
        }
        let compiler = rt.compiler.get()?;
        crate::interp::with_room(|| compiler.inferred(rt, found, self.world))
    }
}

pub(super) fn return_type(args: &Arguments<'_>) -> Run {
    let targets = Targets::from_arguments(args)?;
    let (heap, types) = (args.heap(), &args.rt.types);
    let mut ty = heap.core().bottom;
    for found in &targets.found {
        ty = match targets.inferred(args, found) {
            Some(it) if targets.found.len() <= MERGED_MAX => types.union(&[ty, it.return_type]),
            _ => heap.core().any,
        };
        if ty == heap.core().any {
            break;
        }
    }
    Ok(heap.type_value(ty))
}

pub(super) fn return_types(args: &Arguments<'_>) -> Run {
    let heap = args.heap();
    let targets = Targets::from_arguments(args)?;
    let known = |it| targets.inferred(args, it).map_or(heap.core().any, |it| it.return_type);
    let all: Vec<Value> = targets.found.iter().map(|it| heap.type_value(known(it))).collect();
    Ok(arrays::any_vector(heap, &all))
}

/// The typed code of each method that a call may go to, or the value that it always returns.
pub(super) fn typed_code(args: &Arguments<'_>) -> Run {
    let (rt, heap) = (args.rt, args.heap());
    let targets = Targets::from_arguments(args)?;
    let mut found = Vec::with_capacity(targets.found.len());
    for it in &targets.found {
        let it = targets.inferred(args, it);
        let it = it.ok_or_else(|| args.error("the body of a method does not compile"))?;
        let ty = heap.type_value(it.return_type);
        let (code, is_const) = match (it.code(rt), it.return_const) {
            (Some(code), _) => (typed_value::typed_value(rt, code)?, false),
            (None, Some(value)) => (constants::value_of(heap, value), true),
            (None, None) => return Err(args.error("the compiler keeps no typed code of this method")),
        };
        found.push(svecs::new(heap, &[code, ty, heap.bool(is_const)]));
    }
    Ok(arrays::any_vector(heap, &found))
}

/// `svec(covered, (promises..., exception type)...)`: a tuple a method, and whether every call has a method.
pub(super) fn effects(args: &Arguments<'_>) -> Run {
    let heap = args.heap();
    let targets = Targets::from_arguments(args)?;
    let mut answer = vec![heap.bool(targets.covered)];
    for it in &targets.found {
        let it = targets.inferred(args, it);
        let effects = it.as_ref().map_or(Effects::NONE, |it| it.effects);
        let promises = [
            effects.is_consistent(),
            effects.is_effect_free(),
            effects.nothrow,
            effects.terminates,
            effects.notaskstate,
            effects.inaccessible_mem_only && effects.no_argument_reads && effects.no_argument_writes,
            effects.noub,
            effects.nonoverlayed,
            effects.nortcall,
        ];
        let mut parts: Vec<Value> = promises.iter().map(|it| heap.bool(*it)).collect();
        parts.push(heap.type_value(it.map_or(heap.core().any, |it| it.exception_type)));
        answer.push(tuples::new(heap, &parts));
    }
    Ok(svecs::new(heap, &answer))
}
