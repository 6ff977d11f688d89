//! The entry of a kernel on a device, which one item runs.
//!
//! Its parameters are the state of the kernel if a function needs it, the arguments that are not ghosts, and the
//! dynamic shared memory where that is a parameter. Host pointers are declared as pointers to global memory; a value
//! that does not fit a register is passed as the address of its bytes.

use crate::error::{EmitError, InvalidBody, TargetLimit, TypeRole, Unsupported};
use crate::function::{Emitter, Mode};
use crate::items::DeviceItems;
use crate::kernel::{ENTRY, begin};
use crate::llvm::{Function, Module, Ty, Val};
use crate::shape::{Form, Shape};
use crate::unit::Unit;
use kiln_targets::{ByAddress, Items};
use kiln_types::{Type, display};
use kiln_unit::{EntryKind, LinkInfo};
use llvm_sys::LLVMOpcode as Opcode;
use std::rc::Rc;

/// The parameters of an entry on targets without items, at most.
const PARAMETERS_MAX: usize = 5;

/// A parameter that holds an argument.
struct Argument {
    ty: Type,
    shape: Rc<Shape>,
    llvm: Ty,
    /// The type of the bytes, if the parameter is an address.
    bytes: Option<Ty>,
}

/// Emits the entry around the body of function 0.
pub(crate) fn emit(unit: &Unit<'_>, device: &dyn DeviceItems, link: &mut LinkInfo) -> Result<(), EmitError> {
    if unit.entry == EntryKind::Function {
        return Err(TargetLimit::HostFunction { target: unit.facts.name.clone() }.into());
    }
    let (module, traits) = (unit.module, unit.traits[0]);
    link.has_barrier = traits.has_barrier;
    link.reports = traits.reports;
    link.allocates = traits.allocates;
    let spaces = &unit.facts.spaces;
    let arguments = arguments(unit, device)?;
    let passes = unit.facts.abilities.passes_dynamic_shared && traits.has_dynamic_shared;
    let mut params: Vec<Ty> = Vec::new();
    params.extend(traits.needs_state.then(|| module.ptr_in(spaces.global)));
    let first = params.len();
    params.extend(arguments.iter().map(|it| it.llvm));
    params.extend(passes.then(|| module.ptr_in(spaces.shared)));
    if unit.facts.items == Items::None && params.len() > PARAMETERS_MAX {
        let (count, target) = (params.len(), unit.facts.name.clone());
        return Err(TargetLimit::ArgumentCount { count, most: PARAMETERS_MAX, target }.into());
    }
    let result = returned(unit)?;
    let entry = module.function(ENTRY, result.unwrap_or_else(|| module.void()), &params);
    begin(module, entry);
    if traits.has_barrier {
        module.set_attribute(entry, "convergent");
    }
    let mut values = Vec::new();
    values.extend(traits.needs_state.then(|| module.param(entry, 0)));
    values.extend(passes.then(|| module.param(entry, params.len() - 1)));
    for (at, argument) in arguments.iter().enumerate() {
        if let (Some(bytes), Some(how)) = (argument.bytes, unit.facts.abilities.by_address) {
            let align = argument.shape.align.max(1);
            module.set_by_address(entry, first + at, bytes, align, how);
        }
        values.push(taken(unit, entry, argument, module.param(entry, first + at))?);
    }
    let value = module.call(unit.functions[0], &values);
    module.ret(match result {
        None => None,
        Some(result) if unit.facts.items == Items::None && traits.may_fail => {
            Some(value_or_site(module, value, result))
        }
        Some(result) => Some(value_of(module, value, result)),
    });
    Ok(())
}

/// Returns the result of a fallible entry on targets without items: the value zero-extended, or the negative number
/// of the failed site.
fn value_or_site(module: &Module, result: Val, word: Ty) -> Val {
    let is_pair = module.int_bits(module.type_of(result)) == 0;
    let site = if is_pair { module.extract(result, 1) } else { result };
    let zero = module.zero(word);
    let value = if is_pair { value_of(module, module.extract(result, 0), word) } else { zero };
    let failed = module.sub(zero, module.resize(site, word));
    module.select(module.int_eq(site, module.const_u32(0)), value, failed)
}

/// Returns a value as the entry's result, 0 if there is none.
fn value_of(module: &Module, value: Val, wanted: Ty) -> Val {
    let ty = module.type_of(value);
    if ty == wanted {
        value
    } else if ty == module.void() {
        module.zero(wanted)
    } else if module.int_bits(ty) > 0 {
        module.resize(value, wanted)
    } else {
        module.cast(Opcode::LLVMPtrToInt, value, wanted)
    }
}

/// Returns the type of the entry's result: none on targets with items, else a register. A fallible entry returns a
/// full register.
fn returned(unit: &Unit<'_>) -> Result<Option<Ty>, EmitError> {
    let shape = unit.shapes.of(unit.sources[0].code.return_type)?;
    let word = unit.module.int(64);
    let lacks_it = crate::limits::lacking(unit.facts, unit.types, unit.sources[0].code.return_type).is_some();
    match (&shape.form, unit.facts.items) {
        (_, Items::Loops | Items::Device) => Ok(None),
        (Form::Ghost, Items::None) => Ok(Some(word)),
        (Form::Bool | Form::Int(..=64) | Form::Pointer, Items::None) if unit.traits[0].may_fail => {
            Ok(Some(word))
        }
        (Form::Bool | Form::Int(_) | Form::Pointer, Items::None) => Ok(shape.llvm),
        // A float cannot encode the number of a failure.
        (Form::Float(_), Items::None) if !unit.traits[0].may_fail && !lacks_it => Ok(shape.llvm),
        (Form::Float(_) | Form::Object | Form::Fields(_) | Form::Array { .. } | Form::Union { .. }, _) => {
            let ty = display::of_type(unit.types, unit.sources[0].code.return_type);
            Err(Unsupported::EntryResult { target: unit.facts.name.clone(), ty }.into())
        }
    }
}

fn arguments(unit: &Unit<'_>, device: &dyn DeviceItems) -> Result<Vec<Argument>, EmitError> {
    let (module, facts) = (unit.module, unit.facts);
    let mut arguments = Vec::new();
    for &ty in &unit.sources[0].code.args {
        let shape = unit.shapes.of(ty)?;
        let Some(llvm) = shape.llvm else { continue };
        let lacking = crate::limits::lacking(facts, unit.types, ty).is_some();
        let (llvm, bytes) = match &shape.form {
            Form::Ghost => continue,
            Form::Bool => (module.int(8), None),
            Form::Pointer | Form::Object if llvm == module.ptr() => {
                (module.ptr_in(facts.spaces.global), None)
            }
            // It may be passed, though the target does not compute with it.
            Form::Float(bits) if lacking => (module.int(*bits), None),
            Form::Int(_) if !lacking => (llvm, None),
            Form::Float(_) | Form::Pointer | Form::Object => (llvm, None),
            Form::Int(_) | Form::Fields(_) | Form::Array { .. } | Form::Union { .. } => {
                let how = facts.abilities.by_address.ok_or_else(|| {
                    let (ty, target) = (display::of_type(unit.types, ty), facts.name.clone());
                    TargetLimit::Argument { ty, target }
                })?;
                let space = match how {
                    ByAddress::Value => 0,
                    ByAddress::Reference => facts.spaces.constant,
                };
                (module.ptr_in(space), Some(device.wrapped(module, words(module, &shape))))
            }
        };
        arguments.push(Argument { ty, shape, llvm, bytes });
    }
    Ok(arguments)
}

/// Returns a type for the bytes of a value, without padding or floats: the widest integers of its alignment.
fn words(module: &Module, shape: &Shape) -> Ty {
    let word = shape.align.clamp(1, 8);
    let word = if shape.size.is_multiple_of(word) { word } else { 1 };
    module.array(module.int(8 * word), (shape.size / word).into())
}

/// Returns the value of a parameter in a register.
fn taken(unit: &Unit<'_>, entry: Function, argument: &Argument, param: Val) -> Result<Val, EmitError> {
    let (module, shape) = (unit.module, &argument.shape);
    let llvm = shape.llvm.ok_or(InvalidBody::GhostParameter)?;
    if argument.bytes.is_some() {
        return Emitter::new(unit, 0, entry, Mode::Record).load_shape(shape, param, shape.align);
    }
    if argument.llvm == llvm {
        return Ok(param);
    }
    Ok(match &shape.form {
        Form::Pointer | Form::Object => module.in_space(param, llvm),
        Form::Bool => module.cast(Opcode::LLVMTrunc, param, llvm),
        Form::Float(_) => module.cast(Opcode::LLVMBitCast, param, llvm),
        Form::Ghost | Form::Int(_) | Form::Fields(_) | Form::Array { .. } | Form::Union { .. } => {
            return Err(Unsupported::of_type(
                TypeRole::EntryArgument,
                display::of_type(unit.types, argument.ty),
            ));
        }
    })
}
