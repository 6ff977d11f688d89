//! The writer: the blocks of a module in the order in which LLVM 14 writes them.
//!
//! All constants are constants of the module: values have one numbering (globals, functions, constants, then the function's
//! parameters and results), and an operand is the distance back to its definition.

use crate::bits::{Abbreviation, BitWriter, lengths};
use crate::blocks::{
    attributes, block, constants, identification, metadata, module as records, names, types,
};
use crate::codes::{ATTRIBUTES, CASTS, LINKAGES, code_of};
use crate::error::ModuleError;
use crate::model::{
    AirAttribute, AirFunction, AirGlobal, AttributePlace, Constant, ConstantValue, MetadataNode, MetadataRef,
    Module, Value,
};
use crate::table::Table;
use crate::types::Type;
use crate::write_body;

/// Returns the raw bitcode of a module, as LLVM 14 reads it.
///
/// # Errors
/// Fails if the module is not well-formed: [`check`](crate::check).
pub fn write(module: &Module) -> Result<Vec<u8>, ModuleError> {
    crate::check::check(module)?;
    let mut out = BitWriter::new();
    out.block(block::IDENTIFICATION, |out| {
        out.record(identification::PRODUCER, &[]);
        out.record(identification::EPOCH, &[0]);
    });
    let mut symbols = Vec::new();
    out.block(block::MODULE, |out| {
        out.record(records::VERSION, &[records::VERSION_RELATIVE]);
        write_types(out, module);
        write_attributes(out, module);
        out.text(records::TRIPLE, &[], &module.triple);
        out.text(records::LAYOUT, &[], &module.layout);
        out.text(records::SOURCE_NAME, &[], &module.source_name);
        for global in &module.globals {
            let name = symbol(&mut symbols, &global.name);
            write_global(out, module, global, name);
        }
        for function in &module.functions {
            let name = symbol(&mut symbols, &function.name);
            write_function(out, module, function, name);
        }
        write_constants(out, module);
        write_metadata(out, module);
        for function in module.functions.iter().filter(|it| !it.blocks.is_empty()) {
            write_body::write(out, module, function);
        }
    });
    out.block(block::NAMES, |out| out.blob(Abbreviation { code: names::BLOB, numbers: 0 }, &[], &symbols));
    Ok(out.finish())
}

/// Adds a name to the table of names; returns its offset and length.
fn symbol(names: &mut Vec<u8>, name: &str) -> [u64; 2] {
    let offset = names.len() as u64;
    names.extend(name.bytes());
    [offset, name.len() as u64]
}

/// Returns the number that stands for an alignment: 0, or one more than its logarithm.
pub(crate) fn align_code(bytes: u32) -> u64 {
    if bytes == 0 { 0 } else { u64::from(bytes.trailing_zeros()) + 1 }
}

/// Returns the number of a value of the module.
pub(crate) fn module_value(module: &Module, value: Value) -> u64 {
    let globals = module.globals.len() as u64;
    let functions = module.functions.len() as u64;
    match value {
        Value::Global(index) => u64::from(index),
        Value::Function(index) => globals + u64::from(index),
        Value::Constant(index) => globals + functions + u64::from(index),
        Value::Argument(_) | Value::Instruction(_) => unreachable!("the checker has seen the module"),
    }
}

fn write_types(out: &mut BitWriter, module: &Module) {
    let list = module.types.list();
    out.block(block::TYPES, |out| {
        out.record(types::COUNT, &[list.len() as u64]);
        for ty in list {
            write_type(out, ty);
        }
    });
}

fn write_type(out: &mut BitWriter, ty: &Type) {
    let id = |it: &crate::TypeId| u64::from(it.number());
    match ty {
        Type::Void => out.record(types::VOID, &[]),
        Type::Half => out.record(types::HALF, &[]),
        Type::BFloat => out.record(types::BFLOAT, &[]),
        Type::Float => out.record(types::FLOAT, &[]),
        Type::Double => out.record(types::DOUBLE, &[]),
        Type::Int(bits) => out.record(types::INTEGER, &[u64::from(*bits)]),
        Type::Pointer { pointee, space } => out.record(types::POINTER, &[id(pointee), u64::from(*space)]),
        Type::Array { count, element } => out.record(types::ARRAY, &[*count, id(element)]),
        Type::Vector { count, element } => out.record(types::VECTOR, &[u64::from(*count), id(element)]),
        Type::Struct { name, is_packed, fields } => {
            let values: Vec<u64> = [u64::from(*is_packed)].into_iter().chain(fields.iter().map(id)).collect();
            match name {
                None => out.record(types::STRUCT, &values),
                Some(name) => {
                    out.text(types::STRUCT_NAME, &[], name);
                    out.record(types::NAMED_STRUCT, &values);
                }
            }
        }
        Type::Opaque { name } => {
            out.text(types::STRUCT_NAME, &[], name);
            out.record(types::OPAQUE, &[0]);
        }
        Type::Function { result, params, is_variadic } => {
            let head = [u64::from(*is_variadic), id(result)];
            let values: Vec<u64> = head.into_iter().chain(params.iter().map(id)).collect();
            out.record(types::FUNCTION, &values);
        }
    }
}

/// Writes groups of attributes in the order of their first use, and the lists of groups.
fn write_attributes(out: &mut BitWriter, module: &Module) {
    let lists = module.attribute_lists();
    if lists.is_empty() {
        return;
    }
    let mut groups = Table::default();
    let numbers: Vec<Vec<u64>> = lists
        .iter()
        .map(|list| list.iter().map(|it| u64::from(groups.intern(it.clone())) + 1).collect())
        .collect();
    out.block(block::ATTRIBUTE_GROUPS, |out| {
        for (number, (place, group)) in groups.list().iter().enumerate() {
            let place = match place {
                AttributePlace::Function => attributes::FUNCTION,
                AttributePlace::Result => 0,
                AttributePlace::Param(index) => u64::from(*index) + 1,
            };
            let mut values = vec![number as u64 + 1, place];
            for attribute in group {
                push_attribute(&mut values, attribute);
            }
            out.record(attributes::GROUP, &values);
        }
    });
    out.block(block::ATTRIBUTES, |out| {
        for groups in &numbers {
            out.record(attributes::LIST, groups);
        }
    });
}

fn push_attribute(values: &mut Vec<u64>, attribute: &AirAttribute) {
    let text = |values: &mut Vec<u64>, text: &str| {
        values.extend(text.bytes().map(u64::from));
        values.push(0);
    };
    match attribute {
        AirAttribute::Flag(kind) => values.extend([attributes::FLAG, code_of(&ATTRIBUTES, *kind)]),
        AirAttribute::Number(kind, value) => {
            values.extend([attributes::NUMBER, code_of(&ATTRIBUTES, *kind), *value]);
        }
        AirAttribute::Word(key) => {
            values.push(attributes::WORD);
            text(values, key);
        }
        AirAttribute::Text(key, value) => {
            values.push(attributes::TEXT);
            text(values, key);
            text(values, value);
        }
    }
}

fn write_global(out: &mut BitWriter, module: &Module, global: &AirGlobal, name: [u64; 2]) {
    let (contents, space) = module.types.pointer_parts(global.address).expect("the checker has seen it");
    let explicit = 2; // the record has the type of the contents, and an address space
    let flags = u64::from(global.is_constant) | explicit | u64::from(space) << 2;
    let initializer = global.initializer.map_or(0, |it| module_value(module, it) + 1);
    let mut values = vec![name[0], name[1], u64::from(contents.number()), flags, initializer];
    values.extend([code_of(&LINKAGES, global.linkage), align_code(global.align)]);
    // Section, visibility, thread-local, unnamed address, initialized elsewhere, storage class, comdat, attributes, local,
    // and the name of a partition: the fields of LLVM 14.
    values.extend([0; 11]);
    out.record(records::GLOBAL, &values);
}

fn write_function(out: &mut BitWriter, module: &Module, function: &AirFunction, name: [u64; 2]) {
    let (signature, _) = module.types.pointer_parts(function.address).expect("the checker has seen it");
    let attributes = function.attributes.map_or(0, |it| u64::from(it) + 1);
    let is_declaration = u64::from(function.blocks.is_empty());
    let mut values = vec![name[0], name[1], u64::from(signature.number()), 0, is_declaration];
    values.extend([code_of(&LINKAGES, function.linkage), attributes]);
    // Alignment, section, visibility, collector, unnamed address, prologue, storage class, comdat, prefix, personality, local,
    // address space, and the name of a partition.
    values.extend([0; 14]);
    out.record(records::FUNCTION, &values);
}

fn write_constants(out: &mut BitWriter, module: &Module) {
    let list = module.constants();
    if list.is_empty() {
        return;
    }
    out.block(block::CONSTANTS, |out| {
        let mut current = None;
        for constant in list {
            if current != Some(constant.ty) {
                out.record(constants::TYPE, &[u64::from(constant.ty.number())]);
                current = Some(constant.ty);
            }
            write_constant(out, module, constant);
        }
    });
}

/// Returns a signed number with its sign in the lowest bit. The least number, whose negation has no other bit, is 1.
pub(crate) fn signed(value: i64) -> u64 {
    if value >= 0 { (value as u64) << 1 } else { value.unsigned_abs() << 1 | 1 }
}

fn write_constant(out: &mut BitWriter, module: &Module, constant: &Constant) {
    match &constant.value {
        ConstantValue::Null => out.record(constants::NULL, &[]),
        ConstantValue::Undef => out.record(constants::UNDEF, &[]),
        ConstantValue::Poison => out.record(constants::POISON, &[]),
        ConstantValue::Int(bits) => {
            let width = module.types.int_bits(constant.ty).expect("the checker has seen it");
            let value = (*bits << (64 - width)) as i64 >> (64 - width);
            out.record(constants::INTEGER, &[signed(value)]);
        }
        ConstantValue::Float(bits) => out.record(constants::FLOAT, &[*bits]),
        ConstantValue::Aggregate(values) => {
            let values: Vec<u64> = values.iter().map(|it| module_value(module, *it)).collect();
            out.record(constants::AGGREGATE, &values);
        }
        ConstantValue::Data(words) => out.record(constants::DATA, words),
        ConstantValue::Cast(op, value) => {
            let from = module.type_of(*value).expect("the checker has seen it");
            let values = [code_of(&CASTS, *op), u64::from(from.number()), module_value(module, *value)];
            out.record(constants::CAST, &values);
        }
    }
}

fn write_metadata(out: &mut BitWriter, module: &Module) {
    let data = &module.metadata;
    let (texts, nodes) = (data.texts(), data.nodes());
    if texts.is_empty() && nodes.is_empty() && data.named.is_empty() {
        return;
    }
    // Texts have the first numbers.
    let number = |it: MetadataRef| match it {
        MetadataRef::Text(it) => u64::from(it),
        MetadataRef::Node(it) => texts.len() as u64 + u64::from(it),
    };
    out.block(block::METADATA, |out| {
        if !texts.is_empty() {
            let mut blob = lengths(texts);
            let numbers = [texts.len() as u64, blob.len() as u64];
            blob.extend(texts.iter().flat_map(|it| it.bytes()));
            out.blob(Abbreviation { code: metadata::TEXTS, numbers: 2 }, &numbers, &blob);
        }
        for node in nodes {
            match node {
                MetadataNode::Value(value) => {
                    let ty = module.type_of(*value).expect("the checker has seen it");
                    out.record(metadata::VALUE, &[u64::from(ty.number()), module_value(module, *value)]);
                }
                MetadataNode::List(list) => {
                    let values: Vec<u64> = list.iter().map(|it| it.map_or(0, |it| number(it) + 1)).collect();
                    out.record(metadata::NODE, &values);
                }
            }
        }
        for (name, list) in &data.named {
            out.text(metadata::NAME, &[], name);
            let values: Vec<u64> = list.iter().map(|it| number(*it)).collect();
            out.record(metadata::NAMED_NODE, &values);
        }
    });
}
