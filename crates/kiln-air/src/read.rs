//! The strict reader: the inverse of the writer.
//!
//! A module is read from the blocks in their order and checked; then it is written again, and the bytes must be those that were
//! read. So nothing has two forms, and nothing that the writer does not write is overlooked.

use crate::bits::{BitBlock, read_blocks, read_lengths};
use crate::blocks::{
    attributes, block, constants, identification, metadata, module as records, names, types,
};
use crate::codes::{ATTRIBUTES, CASTS, LINKAGES, by_code};
use crate::error::{BitcodeError, BitcodeFault};
use crate::model::{
    AirAttribute, AirFunction, AirGlobal, AttributePlace, Constant, ConstantValue, MetadataNode, MetadataRef,
    Module, Value, mask,
};
use crate::read_body;
use crate::record::{Items, Operands, signed, text};
use crate::types::{AirTypes, Type, TypeId};

/// Returns the module in raw bitcode that [`write`](fn@crate::write) wrote.
///
/// # Errors
/// Fails, with the offset in bits, if the bytes are not exactly those that the writer makes of a module.
pub fn read(bytes: &[u8]) -> Result<Module, BitcodeError> {
    let blocks = read_blocks(bytes)?;
    let end = bytes.len() as u64 * 8;
    let [producer, code, symbols] = &blocks[..] else { return Err(BitcodeFault::Block.at(end)) };
    for (found, expected) in
        [(producer, block::IDENTIFICATION), (code, block::MODULE), (symbols, block::NAMES)]
    {
        if found.id != expected {
            return Err(BitcodeFault::UnexpectedBlock(found.id).at(found.at));
        }
    }
    let mut items = Items::new(producer);
    items.required(identification::PRODUCER)?.finish()?;
    items.required(identification::EPOCH)?.exactly(0)?;
    items.finish()?;
    let mut items = Items::new(symbols);
    let symbols = items.required(names::BLOB)?;
    let symbols = symbols.record.blob.as_deref().ok_or_else(|| symbols.fault())?;
    items.finish()?;
    let module = module(code, symbols)?;
    let again = crate::write(&module).map_err(|it| BitcodeFault::Module(it).at(code.at))?;
    if again != bytes {
        let same = again.iter().zip(bytes).take_while(|(one, other)| one == other).count();
        return Err(BitcodeFault::NotCanonical.at(same as u64 * 8));
    }
    Ok(module)
}

/// Reads the block of a module.
fn module(code: &BitBlock, symbols: &[u8]) -> Result<Module, BitcodeError> {
    let mut items = Items::new(code);
    let mut module = Module::default();
    items.required(records::VERSION)?.exactly(records::VERSION_RELATIVE)?;
    let block = items.block(block::TYPES).ok_or_else(|| items.unexpected())?;
    read_types(block, &mut module.types)?;
    if let Some(groups) = items.block(block::ATTRIBUTE_GROUPS) {
        let lists = items.block(block::ATTRIBUTES).ok_or_else(|| items.unexpected())?;
        read_attributes(groups, lists, &mut module)?;
    }
    module.triple = items.required(records::TRIPLE)?.text()?;
    module.layout = items.required(records::LAYOUT)?.text()?;
    module.source_name = items.required(records::SOURCE_NAME)?.text()?;
    while let Some(record) = items.record(records::GLOBAL) {
        let it = read_global(record, symbols, &module.types)?;
        module.globals.push(it);
    }
    let mut defined = Vec::new();
    while let Some(record) = items.record(records::FUNCTION) {
        let (it, is_defined) = read_function(record, symbols, &module.types)?;
        if is_defined {
            defined.push(module.functions.len());
        }
        module.functions.push(it);
    }
    // Initializers name constants, which come later; the number of constants is known then.
    if let Some(block) = items.block(block::CONSTANTS) {
        read_constants(block, &mut module)?;
    }
    place_initializers(code, &mut module)?;
    if let Some(block) = items.block(block::METADATA) {
        read_metadata(block, &mut module)?;
    }
    for index in defined {
        let block = items.block(block::FUNCTION).ok_or_else(|| items.unexpected())?;
        module.functions[index].blocks = read_body::read(block, &module, &module.functions[index])?;
    }
    items.finish()?;
    Ok(module)
}

/// Returns a value of the module by its number.
pub(crate) fn module_value(module: &Module, number: u64) -> Option<Value> {
    let globals = module.globals.len() as u64;
    let functions = module.functions.len() as u64;
    let number32 = u32::try_from(number).ok()?;
    if number < globals {
        Some(Value::Global(number32))
    } else if number < globals + functions {
        Some(Value::Function(number32 - globals as u32))
    } else {
        Some(Value::Constant(number32 - (globals + functions) as u32))
    }
}

fn read_types(block: &BitBlock, all: &mut AirTypes) -> Result<(), BitcodeError> {
    let mut items = Items::new(block);
    let count = items.required(types::COUNT)?.number()?;
    let mut name = None;
    while let Some(mut it) = items.any() {
        if it.record.code == types::STRUCT_NAME && name.is_none() {
            name = Some(it.text()?);
            continue;
        }
        let is_named = matches!(it.record.code, types::NAMED_STRUCT | types::OPAQUE);
        if is_named != name.is_some() {
            return Err(it.unexpected());
        }
        let ty = read_type(&mut it, all, name.take())?;
        it.finish()?;
        all.append(ty).ok_or_else(|| it.fault())?;
    }
    items.finish()?;
    if name.is_some() || all.list().len() as u64 != count {
        return Err(BitcodeFault::Record(block.id, types::COUNT).at(block.at));
    }
    Ok(())
}

fn read_type(it: &mut Operands<'_>, all: &AirTypes, name: Option<String>) -> Result<Type, BitcodeError> {
    let several = |it: &mut Operands<'_>| -> Result<Vec<TypeId>, BitcodeError> {
        let mut list = Vec::new();
        while !it.rest().is_empty() {
            list.push(it.ty(all)?);
        }
        Ok(list)
    };
    Ok(match it.record.code {
        types::VOID => Type::Void,
        types::HALF => Type::Half,
        types::BFLOAT => Type::BFloat,
        types::FLOAT => Type::Float,
        types::DOUBLE => Type::Double,
        types::INTEGER => Type::Int(it.number_u32()?),
        types::POINTER => Type::Pointer { pointee: it.ty(all)?, space: it.number_u32()? },
        types::ARRAY => Type::Array { count: it.number()?, element: it.ty(all)? },
        types::VECTOR => Type::Vector { count: it.number_u32()?, element: it.ty(all)? },
        types::STRUCT | types::NAMED_STRUCT => {
            Type::Struct { name, is_packed: it.flag()?, fields: several(it)? }
        }
        types::OPAQUE => {
            it.exactly(0)?;
            Type::Opaque { name: name.ok_or_else(|| it.unexpected())? }
        }
        types::FUNCTION => {
            Type::Function { is_variadic: it.flag()?, result: it.ty(all)?, params: several(it)? }
        }
        _ => return Err(it.unexpected()),
    })
}

fn read_attributes(groups: &BitBlock, lists: &BitBlock, module: &mut Module) -> Result<(), BitcodeError> {
    let mut items = Items::new(groups);
    let mut known = Vec::new();
    while let Some(mut it) = items.record(attributes::GROUP) {
        it.exactly(known.len() as u64 + 1)?;
        let place = match it.number()? {
            attributes::FUNCTION => AttributePlace::Function,
            0 => AttributePlace::Result,
            index => AttributePlace::Param(u32::try_from(index - 1).map_err(|_| it.fault())?),
        };
        let mut group = Vec::new();
        while !it.rest().is_empty() {
            group.push(read_attribute(&mut it)?);
        }
        it.finish()?;
        known.push((place, group));
    }
    items.finish()?;
    let mut items = Items::new(lists);
    while let Some(mut it) = items.record(attributes::LIST) {
        let mut list = Vec::new();
        while !it.rest().is_empty() {
            let number = it.number()?.checked_sub(1).and_then(|it| usize::try_from(it).ok());
            let group = number.and_then(|it| known.get(it)).ok_or_else(|| it.fault())?;
            list.push(group.clone());
        }
        it.finish()?;
        module.attribute_lists.append(list).ok_or_else(|| it.fault())?;
    }
    items.finish()
}

fn read_attribute(it: &mut Operands<'_>) -> Result<AirAttribute, BitcodeError> {
    Ok(match it.number()? {
        attributes::FLAG => AirAttribute::Flag(by_code(&ATTRIBUTES, it.number()?).ok_or_else(|| it.fault())?),
        attributes::NUMBER => {
            let kind = by_code(&ATTRIBUTES, it.number()?).ok_or_else(|| it.fault())?;
            AirAttribute::Number(kind, it.number()?)
        }
        attributes::WORD => AirAttribute::Word(it.terminated()?),
        attributes::TEXT => AirAttribute::Text(it.terminated()?, it.terminated()?),
        _ => return Err(it.fault()),
    })
}

/// Reads offset and length of a name in the table of names.
fn read_name(it: &mut Operands<'_>, symbols: &[u8]) -> Result<String, BitcodeError> {
    let (offset, length) = (it.number_u32()? as usize, it.number_u32()? as usize);
    let bytes = symbols.get(offset..).and_then(|it| it.get(..length)).ok_or_else(|| it.fault())?;
    text(bytes.to_vec(), it.record.at)
}

/// Reads a global variable. Its initializer is the number in its record until the constants are read.
fn read_global(mut it: Operands<'_>, symbols: &[u8], types: &AirTypes) -> Result<AirGlobal, BitcodeError> {
    let name = read_name(&mut it, symbols)?;
    let contents = it.ty(types)?;
    let flags = it.number_u32()?;
    it.number()?; // the initializer: `place_initializers`
    let linkage = by_code(&LINKAGES, it.number()?).ok_or_else(|| it.fault())?;
    let align = it.align()?;
    let space = flags >> 2;
    let address = types.find(&Type::Pointer { pointee: contents, space }).ok_or_else(|| it.fault())?;
    Ok(AirGlobal { name, address, is_constant: flags & 1 != 0, initializer: None, linkage, align })
}

fn place_initializers(code: &BitBlock, module: &mut Module) -> Result<(), BitcodeError> {
    let mut index = 0;
    for item in &code.items {
        let crate::bits::BitItem::Record(record) = item else { continue };
        if record.code != records::GLOBAL {
            continue;
        }
        let initializer = record.values.get(4).copied().unwrap_or(0);
        if let Some(number) = initializer.checked_sub(1) {
            let value = module_value(module, number).filter(|it| module.type_of(*it).is_some());
            let fault = || BitcodeFault::Record(code.id, record.code).at(record.at);
            module.globals[index].initializer = Some(value.ok_or_else(fault)?);
        }
        index += 1;
    }
    Ok(())
}

fn read_function(
    mut it: Operands<'_>,
    symbols: &[u8],
    types: &AirTypes,
) -> Result<(AirFunction, bool), BitcodeError> {
    let name = read_name(&mut it, symbols)?;
    let signature = it.ty(types)?;
    it.exactly(0)?; // the convention of C
    let is_defined = !it.flag()?;
    let linkage = by_code(&LINKAGES, it.number()?).ok_or_else(|| it.fault())?;
    let attributes = it.number_u32()?.checked_sub(1);
    let address = types.find(&Type::Pointer { pointee: signature, space: 0 }).ok_or_else(|| it.fault())?;
    Ok((AirFunction { name, address, linkage, attributes, blocks: Vec::new() }, is_defined))
}

fn read_constants(block: &BitBlock, module: &mut Module) -> Result<(), BitcodeError> {
    let mut items = Items::new(block);
    let mut current = None;
    while let Some(mut it) = items.any() {
        if it.record.code == constants::TYPE {
            current = Some(it.ty(&module.types)?);
            it.finish()?;
            continue;
        }
        let ty = current.ok_or_else(|| it.unexpected())?;
        let value = read_constant(&mut it, module, ty)?;
        it.finish()?;
        module.constants.append(Constant { ty, value }).ok_or_else(|| it.fault())?;
    }
    items.finish()
}

fn read_constant(it: &mut Operands<'_>, module: &Module, ty: TypeId) -> Result<ConstantValue, BitcodeError> {
    let value = |it: &mut Operands<'_>| {
        let number = it.number()?;
        module_value(module, number).ok_or_else(|| it.fault())
    };
    Ok(match it.record.code {
        constants::NULL => ConstantValue::Null,
        constants::UNDEF => ConstantValue::Undef,
        constants::POISON => ConstantValue::Poison,
        constants::INTEGER => {
            let bits = module.types.int_bits(ty).ok_or_else(|| it.fault())?;
            ConstantValue::Int(signed(it.number()?) as u64 & mask(bits))
        }
        constants::FLOAT => ConstantValue::Float(it.number()?),
        constants::AGGREGATE => {
            let mut values = Vec::new();
            while !it.rest().is_empty() {
                values.push(value(it)?);
            }
            ConstantValue::Aggregate(values)
        }
        constants::DATA => {
            let mut words = Vec::new();
            while !it.rest().is_empty() {
                words.push(it.number()?);
            }
            ConstantValue::Data(words)
        }
        constants::CAST => {
            let op = by_code(&CASTS, it.number()?).ok_or_else(|| it.fault())?;
            it.number()?; // the type of the value: the form is compared
            ConstantValue::Cast(op, value(it)?)
        }
        _ => return Err(it.unexpected()),
    })
}

fn read_metadata(block: &BitBlock, module: &mut Module) -> Result<(), BitcodeError> {
    let mut items = Items::new(block);
    let mut texts = 0;
    if let Some(mut it) = items.record(metadata::TEXTS) {
        let (count, offset) = (it.number_u32()?, it.number_u32()? as usize);
        let blob = it.record.blob.as_deref().ok_or_else(|| it.fault())?;
        let (lengths, mut characters) = blob.split_at_checked(offset).ok_or_else(|| it.fault())?;
        if count as usize > lengths.len().saturating_mul(8) {
            return Err(it.fault());
        }
        for length in read_lengths(lengths, count as usize, it.record.at)? {
            let (bytes, rest) = characters.split_at_checked(length).ok_or_else(|| it.fault())?;
            characters = rest;
            let text = text(bytes.to_vec(), it.record.at)?;
            module.metadata.texts.append(text).ok_or_else(|| it.fault())?;
        }
        texts = count;
    }
    let reference = |number: u32| match number.checked_sub(texts) {
        None => MetadataRef::Text(number),
        Some(node) => MetadataRef::Node(node),
    };
    loop {
        let node = if let Some(mut it) = items.record(metadata::VALUE) {
            it.number()?; // the type of the value: the form is compared
            let number = it.number()?;
            (MetadataNode::Value(module_value(module, number).ok_or_else(|| it.fault())?), it)
        } else if let Some(mut it) = items.record(metadata::NODE) {
            let mut list = Vec::new();
            while !it.rest().is_empty() {
                list.push(it.number_u32()?.checked_sub(1).map(reference));
            }
            (MetadataNode::List(list), it)
        } else {
            break;
        };
        module.metadata.nodes.append(node.0).ok_or_else(|| node.1.fault())?;
    }
    while let Some(mut it) = items.record(metadata::NAME) {
        let name = it.text()?;
        let mut it = items.required(metadata::NAMED_NODE)?;
        let mut list = Vec::new();
        while !it.rest().is_empty() {
            list.push(reference(it.number_u32()?));
        }
        module.metadata.named.push((name, list));
    }
    items.finish()
}
