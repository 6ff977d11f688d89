//! Structural hashes: the same in every process, whatever the order of interning was.

use crate::entry::FIRST_SCRATCH_ORDINAL;
use crate::{Const, ConstData, Module, Symbol, Type, TypeData, Types, identity, module};

struct Writer(blake3::Hasher);

impl Writer {
    fn tag(&mut self, tag: u8) {
        self.0.update(&[tag]);
    }

    fn number(&mut self, number: usize) {
        self.0.update(&(number as u64).to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.update(bytes);
    }

    fn hash(&mut self, hash: u128) {
        self.0.update(&hash.to_le_bytes());
    }

    fn finish(&self) -> u128 {
        let mut out = [0; 16];
        out.copy_from_slice(&self.0.finalize().as_bytes()[..16]);
        u128::from_le_bytes(out)
    }
}

/// A structural hash, equal in every process, that no id enters.
pub fn of_type(types: &Types, ty: Type) -> u128 {
    if let Some(&known) = types.entry(ty).hash.get() {
        return known;
    }
    let mut out = Writer(blake3::Hasher::new());
    match types.data(ty) {
        TypeData::Bottom => out.tag(0),
        TypeData::Data { name, params } => {
            let def = &types.type_name(*name).def;
            out.tag(1);
            add_module(types, &mut out, def.module);
            add_symbol(types, &mut out, def.name);
            add_types(types, &mut out, params);
        }
        TypeData::Union(members) => {
            out.tag(2);
            add_types(types, &mut out, members);
        }
        TypeData::UnionAll { var, body } => {
            out.tag(3);
            add_types(types, &mut out, &[*var, *body]);
        }
        TypeData::Var { name, lower, upper, ordinal } => {
            out.tag(4);
            add_symbol(types, &mut out, *name);
            add_types(types, &mut out, &[*lower, *upper]);
            // The ordinal of a bound variable follows from the type around it; others count from the
            // start of the process.
            out.number(if *ordinal < FIRST_SCRATCH_ORDINAL { *ordinal as usize } else { usize::MAX });
        }
        TypeData::Vararg { elem, count } => {
            out.tag(5);
            add_types(types, &mut out, &[*elem]);
            add_types(types, &mut out, count.as_slice());
        }
        TypeData::Value(constant) => {
            out.tag(6);
            add_const(types, &mut out, *constant);
        }
    }
    *types.entry(ty).hash.get_or_init(|| out.finish())
}

/// The structural hash of a constant. Of an object with identity it can only be its handle.
pub(crate) fn of_const(types: &Types, constant: Const) -> u128 {
    let mut out = Writer(blake3::Hasher::new());
    add_const(types, &mut out, constant);
    out.finish()
}

fn add_types(types: &Types, out: &mut Writer, list: &[Type]) {
    out.number(list.len());
    for &ty in list {
        out.hash(of_type(types, ty));
    }
}

fn add_symbol(types: &Types, out: &mut Writer, symbol: Symbol) {
    out.bytes(types.name(symbol).as_bytes());
}

fn add_module(types: &Types, out: &mut Writer, module: Module) {
    let mut module = module;
    loop {
        add_symbol(types, out, module::name(types, module));
        let parent = module::parent(types, module);
        if parent == module {
            return out.tag(255);
        }
        module = parent;
    }
}

fn add_const(types: &Types, out: &mut Writer, constant: Const) {
    if let Some(name) = identity::type_name_of_const(types, constant) {
        out.tag(9);
        return out.hash(of_type(types, types.type_name(name).wrapper));
    }
    match types.const_data(constant) {
        ConstData::Bits { ty, bytes } => {
            out.tag(0);
            out.hash(of_type(types, *ty));
            out.bytes(bytes);
        }
        ConstData::Symbol(symbol) => {
            out.tag(1);
            add_symbol(types, out, *symbol);
        }
        ConstData::Type(ty) => {
            out.tag(2);
            out.hash(of_type(types, *ty));
        }
        ConstData::String(bytes) => {
            out.tag(3);
            out.bytes(bytes);
        }
        ConstData::Module(module) => {
            out.tag(4);
            add_module(types, out, *module);
        }
        ConstData::Aggregate { ty, fields } => {
            out.tag(5);
            out.hash(of_type(types, *ty));
            out.number(fields.len());
            for &field in fields {
                add_const(types, out, field);
            }
        }
        ConstData::Object { ty, handle } => {
            out.tag(6);
            out.hash(of_type(types, *ty));
            out.number(handle.index());
        }
    }
}
