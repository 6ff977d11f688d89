//! The checker: what LLVM 14 would refuse, misread or crash on is an error here, before a bit is written.
//!
//! Types, numbers, lengths and references are checked. That definitions dominate their uses, and that a phi has its block's
//! predecessors, is left to LLVM's verifier: code comes from modules that it has seen.

mod body;

pub(crate) use body::known_int;

use crate::error::{ModuleError, ModuleFault, ModulePlace};
use crate::model::{AirAttribute, Constant, ConstantValue, MetadataNode, MetadataRef, Module, Value, mask};
use crate::types::{Type, TypeId};
use crate::{CastOp, codes};
use std::collections::BTreeSet;

/// The largest alignment in bytes.
const ALIGN_MAX: u32 = 1 << 29;

/// Checks a module.
///
/// # Errors
/// Fails with the first fault and its place.
pub fn check(module: &Module) -> Result<(), ModuleError> {
    let mut names = BTreeSet::new();
    for (number, ty) in module.types.list().iter().enumerate() {
        let number = number as u32;
        let fault = |fault| ModuleError { place: ModulePlace::Type(number), fault };
        check_type(module, TypeId(number)).map_err(fault)?;
        // LLVM would rename the second of two structures with one name.
        let is_new = type_name(ty).is_none_or(|it| names.insert(it));
        demand(is_new, ModuleFault::Name).map_err(fault)?;
    }
    for (number, constant) in module.constants().iter().enumerate() {
        let number = number as u32;
        let fault = |fault| ModuleError { place: ModulePlace::Constant(number), fault };
        check_constant(module, number, constant).map_err(fault)?;
    }
    for (number, list) in module.attribute_lists().iter().enumerate() {
        let fault = |fault| ModuleError { place: ModulePlace::Attributes(number as u32), fault };
        check_attributes(list).map_err(fault)?;
    }
    let mut names = BTreeSet::new();
    for global in &module.globals {
        let fault = |fault| ModuleError { place: ModulePlace::Global(global.name.clone()), fault };
        if global.name.is_empty() || !names.insert(&*global.name) {
            return Err(fault(ModuleFault::Name));
        }
        let contents = module.types.pointer_parts(global.address).filter(|it| module.types.is_sized(it.0));
        let (contents, _) = contents.ok_or_else(|| fault(ModuleFault::Type))?;
        align(global.align).map_err(fault)?;
        if let Some(value) = global.initializer
            && module.type_of(value) != Some(contents)
        {
            return Err(fault(ModuleFault::Type));
        }
    }
    for function in &module.functions {
        let fault = |fault| ModuleError { place: ModulePlace::Function(function.name.clone()), fault };
        if function.name.is_empty() || !names.insert(&*function.name) {
            return Err(fault(ModuleFault::Name));
        }
        let parts = module.types.pointer_parts(function.address);
        let signature = parts.filter(|it| it.1 == 0).and_then(|it| module.types.signature(it.0));
        let (_, params, _) = signature.ok_or_else(|| fault(ModuleFault::Type))?;
        attributes_fit(module, function.attributes, params.len()).map_err(fault)?;
        body::check_body(module, function)?;
    }
    check_metadata(module)
}

/// An alignment must be one.
fn align(bytes: u32) -> Result<(), ModuleFault> {
    if bytes == 0 || bytes.is_power_of_two() && bytes <= ALIGN_MAX {
        Ok(())
    } else {
        Err(ModuleFault::Alignment)
    }
}

/// Fails unless a condition holds.
fn demand(holds: bool, fault: ModuleFault) -> Result<(), ModuleFault> {
    if holds { Ok(()) } else { Err(fault) }
}

fn check_type(module: &Module, id: TypeId) -> Result<(), ModuleFault> {
    let types = &module.types;
    let before = |it: TypeId| demand(it < id, ModuleFault::NotBefore);
    let is = |it: TypeId, wrong: fn(&Type) -> bool| types.get(it).is_some_and(|it| !wrong(it));
    let is_void = |it: &Type| matches!(it, Type::Void);
    let is_no_part = |it: &Type| matches!(it, Type::Void | Type::Function { .. });
    match types.get(id).ok_or(ModuleFault::NotBefore)? {
        Type::Void | Type::Half | Type::BFloat | Type::Float | Type::Double => Ok(()),
        Type::Int(bits) => demand((1..=64).contains(bits), ModuleFault::Bits),
        Type::Pointer { pointee, space } => {
            before(*pointee)?;
            demand(*space < 1 << 24, ModuleFault::Bits)?;
            demand(is(*pointee, is_void), ModuleFault::Type)
        }
        Type::Array { element, .. } => {
            before(*element)?;
            demand(types.is_sized(*element), ModuleFault::Type)
        }
        Type::Vector { count, element } => {
            before(*element)?;
            demand(*count > 0, ModuleFault::Length)?;
            let is_element = types.int_bits(*element).is_some() || types.float_bits(*element).is_some();
            demand(is_element || types.pointer_parts(*element).is_some(), ModuleFault::Type)
        }
        Type::Struct { fields, name, .. } => {
            demand(name.as_deref() != Some(""), ModuleFault::Name)?;
            for field in fields {
                before(*field)?;
                demand(is(*field, is_no_part), ModuleFault::Type)?;
            }
            Ok(())
        }
        Type::Opaque { name } => demand(!name.is_empty(), ModuleFault::Name),
        Type::Function { result, params, .. } => {
            before(*result)?;
            demand(is(*result, |it| matches!(it, Type::Function { .. })), ModuleFault::Type)?;
            for param in params {
                before(*param)?;
                demand(is(*param, is_no_part), ModuleFault::Type)?;
            }
            Ok(())
        }
    }
}

/// Returns the name of a structure.
fn type_name(ty: &Type) -> Option<&str> {
    match ty {
        Type::Struct { name, .. } => name.as_deref(),
        Type::Opaque { name } => Some(name),
        Type::Void
        | Type::Half
        | Type::BFloat
        | Type::Float
        | Type::Double
        | Type::Int(_)
        | Type::Pointer { .. }
        | Type::Array { .. }
        | Type::Vector { .. }
        | Type::Function { .. } => None,
    }
}

/// Whether bits fit a number type.
fn fits(module: &Module, ty: TypeId, bits: u64) -> Result<(), ModuleFault> {
    let width = module.types.int_bits(ty).or_else(|| module.types.float_bits(ty)).ok_or(ModuleFault::Type)?;
    demand(bits & !mask(width) == 0, ModuleFault::Bits)
}

/// Returns the number of fields or elements of a type.
fn length(ty: &Type) -> Option<u64> {
    match ty {
        Type::Struct { fields, .. } => Some(fields.len() as u64),
        Type::Array { count, .. } => Some(*count),
        Type::Vector { count, .. } => Some(u64::from(*count)),
        Type::Void
        | Type::Half
        | Type::BFloat
        | Type::Float
        | Type::Double
        | Type::Int(_)
        | Type::Pointer { .. }
        | Type::Opaque { .. }
        | Type::Function { .. } => None,
    }
}

fn check_constant(module: &Module, number: u32, constant: &Constant) -> Result<(), ModuleFault> {
    let types = &module.types;
    let ty = types.get(constant.ty).ok_or(ModuleFault::NotBefore)?;
    let before = |value: Value| match value {
        Value::Constant(it) => demand(it < number, ModuleFault::NotBefore),
        Value::Global(_) | Value::Function(_) => Ok(()),
        Value::Argument(_) | Value::Instruction(_) => Err(ModuleFault::NotBefore),
    };
    match &constant.value {
        ConstantValue::Null | ConstantValue::Undef | ConstantValue::Poison => {
            demand(types.is_sized(constant.ty), ModuleFault::Type)
        }
        ConstantValue::Int(bits) => {
            demand(types.int_bits(constant.ty).is_some(), ModuleFault::Type)?;
            fits(module, constant.ty, *bits)
        }
        ConstantValue::Float(bits) => {
            demand(types.float_bits(constant.ty).is_some(), ModuleFault::Type)?;
            fits(module, constant.ty, *bits)
        }
        ConstantValue::Aggregate(values) => {
            demand(length(ty) == Some(values.len() as u64), ModuleFault::Length)?;
            // LLVM reads an empty one as another constant: `Null` is its form.
            demand(!values.is_empty(), ModuleFault::Length)?;
            for (index, value) in values.iter().enumerate() {
                before(*value)?;
                let expected = types.element(constant.ty, index as u64);
                demand(expected.is_some() && module.type_of(*value) == expected, ModuleFault::Type)?;
            }
            Ok(())
        }
        ConstantValue::Data(words) => {
            demand(length(ty) == Some(words.len() as u64) && !words.is_empty(), ModuleFault::Length)?;
            demand(!matches!(ty, Type::Struct { .. }), ModuleFault::Type)?;
            let element = types.element(constant.ty, 0).ok_or(ModuleFault::Type)?;
            let width = types.int_bits(element).or_else(|| types.float_bits(element));
            demand(matches!(width, Some(8 | 16 | 32 | 64)), ModuleFault::Type)?;
            words.iter().try_for_each(|it| fits(module, element, *it))
        }
        ConstantValue::Cast(op, value) => {
            before(*value)?;
            let from = module.type_of(*value).ok_or(ModuleFault::NotBefore)?;
            let is_address =
                matches!(op, CastOp::BitCast | CastOp::AddrSpaceCast | CastOp::PtrToInt | CastOp::IntToPtr);
            demand(is_address && types.vector_parts(from).is_none(), ModuleFault::Type)?;
            let is_pointer = |it| types.pointer_parts(it).is_some();
            demand(is_pointer(from) || is_pointer(constant.ty), ModuleFault::Type)?;
            body::check_cast(types, *op, from, constant.ty)
        }
    }
}

fn check_attributes(list: &[(crate::AttributePlace, Vec<AirAttribute>)]) -> Result<(), ModuleFault> {
    let mut places = BTreeSet::new();
    demand(!list.is_empty(), ModuleFault::Length)?;
    for (place, attributes) in list {
        demand(places.insert(*place) && !attributes.is_empty(), ModuleFault::Attribute)?;
        let mut kinds = BTreeSet::new();
        for attribute in attributes {
            let key = match attribute {
                AirAttribute::Flag(kind) => {
                    demand(!kind.has_value(), ModuleFault::Attribute)?;
                    (Some(*kind), None)
                }
                AirAttribute::Number(kind, value) => {
                    demand(kind.has_value() && *value > 0, ModuleFault::Attribute)?;
                    if *kind == codes::AttributeKind::Align {
                        let bytes = u32::try_from(*value).map_err(|_| ModuleFault::Alignment)?;
                        align(bytes)?;
                    }
                    (Some(*kind), None)
                }
                AirAttribute::Word(key) | AirAttribute::Text(key, _) => {
                    demand(!key.is_empty() && !key.contains('\0'), ModuleFault::Attribute)?;
                    (None, Some(key))
                }
            };
            if let AirAttribute::Text(_, value) = attribute {
                demand(!value.is_empty() && !value.contains('\0'), ModuleFault::Attribute)?;
            }
            demand(kinds.insert(key), ModuleFault::Attribute)?;
        }
    }
    Ok(())
}

/// A list of attributes must be there, and be for no more parameters than there are.
fn attributes_fit(module: &Module, list: Option<u32>, params: usize) -> Result<(), ModuleFault> {
    let Some(number) = list else { return Ok(()) };
    let list = module.attribute_lists().get(number as usize).ok_or(ModuleFault::NotBefore)?;
    let fits = |it: &crate::AttributePlace| match it {
        crate::AttributePlace::Param(index) => (*index as usize) < params,
        crate::AttributePlace::Function | crate::AttributePlace::Result => true,
    };
    demand(list.iter().all(|it| fits(&it.0)), ModuleFault::Attribute)
}

fn check_metadata(module: &Module) -> Result<(), ModuleError> {
    let texts = module.metadata.texts().len() as u32;
    let nodes = module.metadata.nodes();
    let is_before = |it: MetadataRef, number: u32| match it {
        MetadataRef::Text(text) => text < texts,
        MetadataRef::Node(node) => node < number,
    };
    for (number, node) in nodes.iter().enumerate() {
        let number = number as u32;
        let fault = |fault| ModuleError { place: ModulePlace::Metadata(number), fault };
        let holds = match node {
            MetadataNode::Value(value) => module.type_of(*value).is_some(),
            MetadataNode::List(list) => list.iter().flatten().all(|it| is_before(*it, number)),
        };
        demand(holds, ModuleFault::NotBefore).map_err(fault)?;
    }
    let mut names = BTreeSet::new();
    for (name, list) in &module.metadata.named {
        let fault = |fault| ModuleError { place: ModulePlace::Global(name.clone()), fault };
        demand(!name.is_empty() && names.insert(name), ModuleFault::Name).map_err(fault)?;
        // A named list has lists only.
        let is_list = |it: &MetadataRef| match it {
            MetadataRef::Node(number) => matches!(nodes.get(*number as usize), Some(MetadataNode::List(_))),
            MetadataRef::Text(_) => false,
        };
        demand(list.iter().all(is_list), ModuleFault::NotBefore).map_err(fault)?;
    }
    Ok(())
}
