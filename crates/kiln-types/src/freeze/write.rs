//! The writer: tables in the order of ids.

use super::lazy::type_hash;
use super::read::FIRST_DATA;
use super::{TableWriter, tables};
use crate::entry::{TypeEntry, TypeFacts};
use crate::pool::pool_hash;
use crate::{
    Const, ConstData, Symbol, Type, TypeData, TypeName, TypeNameData, TypeNameKind, Types, module, name_entry,
};
use kiln_bytes::Writer;

/// Writes every table. No thread may intern anything meanwhile.
pub fn write(types: &Types, out: &mut Writer) {
    let counts = tables::counts(types);
    let mut symbols = TableWriter::read_often();
    for symbol in 0..counts.symbols {
        let name = types.name(Symbol::from_index(symbol));
        symbols.entry(Some(pool_hash(name))).raw(name.as_bytes());
    }
    symbols.finish(out);
    out.index(counts.modules);
    for module in 0..counts.modules {
        let module = crate::Module::from_index(module);
        out.index(module::name(types, module).index());
        out.index(module::parent(types, module).index());
    }
    let [mut names, mut consts, mut entries] = [(); 3].map(|()| TableWriter::read_often());
    for name in (0..counts.names).map(TypeName::from_index) {
        let entry = names.entry(None);
        write_kind(entry, name_entry::kind(types, name));
        write_name(entry, types.type_name(name));
    }
    for constant in 0..counts.consts {
        let data = types.const_data(Const::from_index(constant));
        write_const(consts.entry(Some(pool_hash(data))), data);
    }
    for ty in 0..counts.types {
        let TypeEntry { data, facts, .. } = types.entry(Type::from_index(ty));
        let out = entries.entry(type_hash(data));
        write_type(out, data, ty);
        write_facts(out, facts);
    }
    [names, consts, entries].into_iter().for_each(|it| it.finish(out));
    types.made_names.freeze(out);
    let core = types.core.all();
    write_types(out, &core);
    out.list(&types.bindings, |out, (symbol, ty)| {
        out.index(symbol.index());
        out.index(ty.index());
    });
    let (next_ordinal, next_number, unfinished) = tables::counters(types);
    for number in [next_ordinal, next_number, unfinished] {
        out.number(u64::from(number));
    }
}

fn write_types(out: &mut Writer, types: &[Type]) {
    out.list(types, |out, it| out.index(it.index()));
}

fn write_kind(out: &mut Writer, kind: TypeNameKind) {
    match kind {
        TypeNameKind::Abstract => out.u8(0),
        TypeNameKind::Primitive { bits } => {
            out.u8(1);
            out.number(u64::from(bits));
        }
        TypeNameKind::Struct { mutable } => out.u8(if mutable { 3 } else { 2 }),
        TypeNameKind::Tuple => out.u8(4),
        TypeNameKind::NamedTuple => out.u8(5),
    }
}

fn write_const(out: &mut Writer, data: &ConstData) {
    match data {
        ConstData::Bits { ty, bytes } => {
            out.u8(0);
            out.index(ty.index());
            out.bytes(bytes);
        }
        ConstData::Symbol(symbol) => {
            out.u8(1);
            out.index(symbol.index());
        }
        ConstData::Type(ty) => {
            out.u8(2);
            out.index(ty.index());
        }
        ConstData::String(text) => {
            out.u8(3);
            out.bytes(text);
        }
        ConstData::Module(module) => {
            out.u8(4);
            out.index(module.index());
        }
        ConstData::Aggregate { ty, fields } => {
            out.u8(5);
            out.index(ty.index());
            out.list(fields, |out, it| out.index(it.index()));
        }
        ConstData::Object { ty, handle } => {
            out.u8(6);
            out.index(ty.index());
            out.index(handle.index());
        }
    }
}

/// A type that type `own` mentions: by its number, or by its distance, whichever is smaller.
fn write_earlier(out: &mut Writer, ty: Type, own: usize) {
    let (number, distance) = (ty.index(), own - 1 - ty.index());
    out.index(if distance < number { distance * 2 + 1 } else { number * 2 });
}

/// Type number `own`.
fn write_type(out: &mut Writer, data: &TypeData, own: usize) {
    let earlier = |out: &mut Writer, types: &[Type]| types.iter().for_each(|&it| write_earlier(out, it, own));
    match data {
        TypeData::Bottom => out.u8(0),
        TypeData::Data { name, params } => {
            out.index(FIRST_DATA + params.len());
            out.index(name.index());
            earlier(out, params);
        }
        TypeData::Union(members) => {
            out.u8(2);
            out.index(members.len());
            earlier(out, members);
        }
        TypeData::UnionAll { var, body } => {
            out.u8(3);
            earlier(out, &[*var, *body]);
        }
        TypeData::Var { name, lower, upper, ordinal } => {
            out.u8(4);
            out.index(name.index());
            earlier(out, &[*lower, *upper]);
            out.number(u64::from(*ordinal));
        }
        TypeData::Vararg { elem, count } => {
            out.u8(if count.is_some() { 6 } else { 5 });
            earlier(out, &[*elem]);
            count.iter().for_each(|&it| write_earlier(out, it, own));
        }
        TypeData::Value(constant) => {
            out.u8(7);
            out.index(constant.index());
        }
    }
}

/// The facts of a type, in the lowest bits of a number whose others are its nesting.
pub(super) mod type_facts {
    /// It is concrete.
    pub(in super::super) const CONCRETE: u64 = 1;
    /// It is plain.
    pub(in super::super) const PLAIN: u64 = 2;
    /// A list of free variables follows.
    pub(in super::super) const FREE: u64 = 4;
    /// Its height follows.
    pub(in super::super) const HEIGHT: u64 = 8;
    /// How many bits these are.
    pub(in super::super) const BITS: u32 = 4;
}

fn write_facts(out: &mut Writer, facts: &TypeFacts) {
    let flags = [
        (type_facts::CONCRETE, facts.concrete),
        (type_facts::PLAIN, facts.plain),
        (type_facts::FREE, !facts.free.is_empty()),
        (type_facts::HEIGHT, facts.height > 0),
    ];
    let flags: u64 = flags.iter().filter(|it| it.1).map(|it| it.0).sum();
    out.number(flags | u64::from(facts.nesting) << type_facts::BITS);
    if facts.height > 0 {
        out.number(u64::from(facts.height));
    }
    if !facts.free.is_empty() {
        write_types(out, &facts.free);
    }
}

/// The facts of a definition that most do not have.
pub(super) mod facts {
    /// The supertype is known.
    pub(in super::super) const SUPERTYPE: u64 = 1;
    /// The types of its fields are known.
    pub(in super::super) const FIELDS: u64 = 2;
    /// It is the type of a function.
    pub(in super::super) const FUNCTION: u64 = 4;
    /// The wrapper is another type than the primary one.
    pub(in super::super) const WRAPPED: u64 = 8;
    /// It has parameters, names of fields, or declared types.
    pub(in super::super) const PARTS: u64 = 16;
}

fn write_name(out: &mut Writer, data: &TypeNameData) {
    let def = &data.def;
    let lists = [def.params.len(), def.field_names.len(), def.const_fields.len(), def.atomic_fields.len()];
    let has_parts = lists.iter().any(|&it| it != 0) || def.fields_init_min != 0 || !data.declared.is_empty();
    let present = [
        (facts::SUPERTYPE, data.has_supertype()),
        (facts::FIELDS, data.field_types().is_some()),
        (facts::FUNCTION, data.of_function),
        (facts::WRAPPED, data.wrapper != data.primary),
        (facts::PARTS, has_parts),
    ];
    out.number(present.iter().filter(|it| it.1).map(|it| it.0).sum());
    out.index(def.name.index());
    out.index(def.module.index());
    out.index(data.primary.index());
    if data.wrapper != data.primary {
        out.index(data.wrapper.index());
    }
    if has_parts {
        write_types(out, &def.params);
        out.list(&def.field_names, |out, it| out.index(it.index()));
        out.index(def.fields_init_min);
        for flags in [&def.const_fields, &def.atomic_fields] {
            out.list(flags, |out, it| out.bool(*it));
        }
        write_types(out, &data.declared);
    }
    if data.has_supertype() {
        out.index(data.supertype().index());
    }
    if let Some(types) = data.field_types() {
        write_types(out, types);
    }
}
