//! The writer: tables in the order of ids.

use super::lazy::type_hash;
use super::{Out, TableWriter};
use crate::pool::pool_hash;
use crate::{Const, ConstData, Symbol, Type, TypeData, TypeName, TypeNameData, TypeNameKind, Types};

impl Types {
    /// Writes every table. No thread may intern anything meanwhile.
    pub fn freeze(&self, out: &mut Out) {
        let counts = self.counts();
        let mut symbols = TableWriter::new();
        for symbol in 0..counts.symbols {
            let name = self.name(Symbol::from_index(symbol));
            symbols.entry(Some(pool_hash(name))).raw(name.as_bytes());
        }
        symbols.finish(out);
        out.index(counts.modules);
        for module in 0..counts.modules {
            let module = crate::Module::from_index(module);
            out.index(self.module_name(module).index());
            out.index(self.module_parent(module).index());
        }
        let (mut names, mut consts, mut types) = (TableWriter::new(), TableWriter::new(), TableWriter::new());
        for name in (0..counts.names).map(TypeName::from_index) {
            let entry = names.entry(None);
            write_kind(entry, self.name_kind(name));
            write_name(entry, self.type_name(name));
        }
        for constant in 0..counts.consts {
            let data = self.const_data(Const::from_index(constant));
            write_const(consts.entry(Some(pool_hash(data))), data);
        }
        for ty in 0..counts.types {
            let data = self.data(Type::from_index(ty));
            write_type(types.entry(type_hash(data)), data);
        }
        [names, consts, types].into_iter().for_each(|it| it.finish(out));
        self.made_names.freeze(out);
        let core = self.core.all();
        out.index(core.len());
        core.iter().for_each(|it| out.index(it.index()));
        out.index(self.bindings.len());
        for (symbol, ty) in &self.bindings {
            out.index(symbol.index());
            out.index(ty.index());
        }
        let (next_ordinal, next_number, unfinished) = self.counters();
        for number in [next_ordinal, next_number, unfinished] {
            out.number(u64::from(number));
        }
    }
}

fn write_types(out: &mut Out, types: &[Type]) {
    out.index(types.len());
    types.iter().for_each(|it| out.index(it.index()));
}

fn write_kind(out: &mut Out, kind: TypeNameKind) {
    match kind {
        TypeNameKind::Abstract => out.byte(0),
        TypeNameKind::Primitive { bits } => {
            out.byte(1);
            out.number(u64::from(bits));
        }
        TypeNameKind::Struct { mutable } => out.byte(if mutable { 3 } else { 2 }),
        TypeNameKind::Tuple => out.byte(4),
        TypeNameKind::NamedTuple => out.byte(5),
    }
}

fn write_const(out: &mut Out, data: &ConstData) {
    match data {
        ConstData::Bits { ty, bytes } => {
            out.byte(0);
            out.index(ty.index());
            out.bytes(bytes);
        }
        ConstData::Symbol(symbol) => {
            out.byte(1);
            out.index(symbol.index());
        }
        ConstData::Type(ty) => {
            out.byte(2);
            out.index(ty.index());
        }
        ConstData::String(text) => {
            out.byte(3);
            out.bytes(text);
        }
        ConstData::Module(module) => {
            out.byte(4);
            out.index(module.index());
        }
        ConstData::Aggregate { ty, fields } => {
            out.byte(5);
            out.index(ty.index());
            out.index(fields.len());
            fields.iter().for_each(|it| out.index(it.index()));
        }
        ConstData::Object { ty, handle } => {
            out.byte(6);
            out.index(ty.index());
            out.index(handle.index());
        }
    }
}

fn write_type(out: &mut Out, data: &TypeData) {
    match data {
        TypeData::Bottom => out.byte(0),
        TypeData::Data { name, params } => {
            out.byte(1);
            out.index(name.index());
            write_types(out, params);
        }
        TypeData::Union(members) => {
            out.byte(2);
            write_types(out, members);
        }
        TypeData::UnionAll { var, body } => {
            out.byte(3);
            out.index(var.index());
            out.index(body.index());
        }
        TypeData::Var { name, lower, upper, ordinal } => {
            out.byte(4);
            out.index(name.index());
            out.index(lower.index());
            out.index(upper.index());
            out.number(u64::from(*ordinal));
        }
        TypeData::Vararg { elem, count } => {
            out.byte(if count.is_some() { 6 } else { 5 });
            out.index(elem.index());
            count.iter().for_each(|it| out.index(it.index()));
        }
        TypeData::Value(constant) => {
            out.byte(7);
            out.index(constant.index());
        }
    }
}

fn write_name(out: &mut Out, data: &TypeNameData) {
    let def = &data.def;
    out.index(def.name.index());
    out.index(def.module.index());
    write_types(out, &def.params);
    out.index(def.field_names.len());
    def.field_names.iter().for_each(|it| out.index(it.index()));
    out.index(def.fields_init_min);
    for flags in [&def.const_fields, &def.atomic_fields] {
        out.index(flags.len());
        flags.iter().for_each(|&it| out.flag(it));
    }
    out.index(data.primary.index());
    out.index(data.wrapper.index());
    write_types(out, &data.declared);
    out.flag(data.has_supertype());
    if data.has_supertype() {
        out.index(data.supertype().index());
    }
    out.flag(data.field_types().is_some());
    if let Some(types) = data.field_types() {
        write_types(out, types);
    }
    out.flag(data.of_function);
}
