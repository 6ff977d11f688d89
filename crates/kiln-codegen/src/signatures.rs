//! The signatures of a unit's functions in LLVM's types, and their declarations.

use crate::error::EmitError;
use crate::item_state::{ItemState, STATE_VALUES};
use crate::llvm::{Function, Ty, Val};
use crate::shape::Form;
use crate::sites;
use crate::unit::Unit;
use crate::vector::Variant;
use kiln_unit::{EntryKind, Traits, body_symbol};

/// Returns the parameter types: the hidden parameters, then the arguments that are not ghosts.
pub(crate) fn params(unit: &Unit<'_>, ordinal: usize) -> Result<Vec<Ty>, EmitError> {
    let mut params = hidden_params(unit, unit.traits[ordinal]);
    for &arg in &unit.sources[ordinal].code.args {
        params.extend(unit.shapes.of(arg)?.llvm);
    }
    Ok(params)
}

/// Returns the types of the hidden parameters of a function with these traits.
pub(crate) fn hidden_params(unit: &Unit<'_>, traits: Traits) -> Vec<Ty> {
    if unit.device.is_none() {
        return match traits.needs_state {
            true if unit.is_host => vec![unit.module.ptr()],
            true => state_types(unit),
            false => Vec::new(),
        };
    }
    let spaces = &unit.facts.spaces;
    let state = traits.needs_state.then(|| unit.module.ptr_in(spaces.global));
    let passes = unit.facts.abilities.passes_dynamic_shared && traits.has_dynamic_shared;
    state.into_iter().chain(passes.then(|| unit.module.ptr_in(spaces.shared))).collect()
}

/// Returns the values of the state that functions pass on.
pub(crate) fn passed_state(unit: &Unit<'_>, state: &ItemState) -> Vec<Val> {
    let count = if unit.is_host { 1 } else { STATE_VALUES };
    state.values()[..count].to_vec()
}

pub(crate) fn state_types(unit: &Unit<'_>) -> Vec<Ty> {
    let (ptr, int) = (unit.module.ptr(), unit.module.int(64));
    let mut all = vec![ptr];
    all.extend([int; 12]);
    all.extend([ptr; 2]);
    debug_assert_eq!(all.len(), STATE_VALUES);
    all
}

/// Returns the result type: `{ value, site }`, `site`, the value, or `void`.
pub(crate) fn result(unit: &Unit<'_>, ordinal: usize) -> Result<Ty, EmitError> {
    let value = unit.shapes.of(unit.sources[ordinal].code.return_type)?.llvm;
    let site = unit.module.int(32);
    Ok(match (value, unit.traits[ordinal].may_fail) {
        (Some(value), true) => unit.module.structure(&[value, site]),
        (Some(value), false) => value,
        (None, true) => site,
        (None, false) => unit.module.void(),
    })
}

/// Returns the facts of the vector variant of a function.
fn variant_of(unit: &Unit<'_>, ordinal: usize) -> Variant {
    let traits = unit.traits[ordinal];
    if unit.sources[ordinal].external.is_some() {
        return if traits.lanes > 0 { Variant::Of(traits.lanes.into()) } else { Variant::None };
    }
    let Traits { has_barrier, has_atomics, reports, allocates, .. } = traits;
    let is_called = ordinal > 0 || unit.entry == EntryKind::Body;
    let synchronizes = has_barrier || has_atomics || reports || allocates;
    let may_be = is_called && !synchronizes && !unit.recursive[ordinal];
    if may_be { Variant::Wanted } else { Variant::None }
}

/// Notes of the parameters that are addresses of objects what can be read there.
fn note_objects(unit: &Unit<'_>, ordinal: usize, function: Function) -> Result<(), EmitError> {
    let mut at = hidden_params(unit, unit.traits[ordinal]).len();
    for &arg in &unit.sources[ordinal].code.args {
        let shape = unit.shapes.of(arg)?;
        if shape.llvm.is_none() {
            continue;
        }
        if let (Form::Object, Some(bytes)) = (&shape.form, unit.readable_bytes(arg)) {
            crate::llvm::set_param_readable(unit.module, function, at, bytes);
        }
        at += 1;
    }
    Ok(())
}

fn declare(unit: &Unit<'_>, ordinal: usize) -> Result<Function, EmitError> {
    let external = unit.sources[ordinal].external.is_some();
    let name = if external { format!("c{ordinal}") } else { body_symbol(ordinal as u32) };
    let function = unit.module.function(&name, result(unit, ordinal)?, &params(unit, ordinal)?);
    unit.module.set_attribute(function, "nounwind");
    note_objects(unit, ordinal, function)?;
    if unit.device.is_some() && unit.traits[ordinal].has_barrier {
        unit.module.set_attribute(function, "convergent");
    }
    if unit.looks_at_stack(ordinal) {
        // Endless recursion is an error; tail calls would turn it into an endless loop.
        unit.module.set_text_attribute(function, c"disable-tail-calls", c"true");
    }
    if !external && unit.entry != EntryKind::Body {
        unit.module.set_internal(function);
    }
    let has_vectors = unit.device.is_none() && unit.in_kernel && unit.options.vector_bits > 0;
    if has_vectors && !unit.checks.any() {
        let traits = unit.traits[ordinal];
        let hidden = if traits.needs_state { STATE_VALUES } else { 0 };
        crate::vector::note(unit.module, function, hidden, variant_of(unit, ordinal));
    }
    Ok(function)
}

/// Numbers the sites of all functions, and declares the functions.
pub(crate) fn declare_all(unit: &mut Unit<'_>) -> Result<(), EmitError> {
    for ordinal in 0..unit.sources.len() {
        sites::number_run(unit, ordinal)
            .and_then(|()| sites::number(unit, ordinal))
            .map_err(|it| it.in_function(ordinal as u32))?;
        let function = declare(unit, ordinal).map_err(|it| it.in_function(ordinal as u32))?;
        unit.functions.push(function);
    }
    Ok(())
}
