//! Structural hashes: the same in every process, whatever the order of interning was.

use crate::interner::FIRST_SCRATCH_ORDINAL;
use crate::{Const, ConstData, Module, Symbol, Type, TypeData, Types};

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

impl Types {
    /// A structural hash, equal in every process, that no id enters.
    pub fn hash128(&self, ty: Type) -> u128 {
        if let Some(&known) = self.entry(ty).hash.get() {
            return known;
        }
        let mut out = Writer(blake3::Hasher::new());
        match self.data(ty) {
            TypeData::Bottom => out.tag(0),
            TypeData::Data { name, params } => {
                let def = &self.type_name(*name).def;
                out.tag(1);
                self.hash_module(&mut out, def.module);
                self.hash_symbol(&mut out, def.name);
                self.hash_types(&mut out, params);
            }
            TypeData::Union(members) => {
                out.tag(2);
                self.hash_types(&mut out, members);
            }
            TypeData::UnionAll { var, body } => {
                out.tag(3);
                self.hash_types(&mut out, &[*var, *body]);
            }
            TypeData::Var { name, lower, upper, ordinal } => {
                out.tag(4);
                self.hash_symbol(&mut out, *name);
                self.hash_types(&mut out, &[*lower, *upper]);
                // The ordinal of a bound variable follows from the type around it; others count from the
                // start of the process.
                out.number(if *ordinal < FIRST_SCRATCH_ORDINAL { *ordinal as usize } else { usize::MAX });
            }
            TypeData::Vararg { elem, count } => {
                out.tag(5);
                self.hash_types(&mut out, &[*elem]);
                self.hash_types(&mut out, count.as_slice());
            }
            TypeData::Value(constant) => {
                out.tag(6);
                self.hash_const(&mut out, *constant);
            }
        }
        *self.entry(ty).hash.get_or_init(|| out.finish())
    }

    /// The structural hash of a constant. Of an object with identity it can only be its handle.
    pub fn const_hash128(&self, constant: Const) -> u128 {
        let mut out = Writer(blake3::Hasher::new());
        self.hash_const(&mut out, constant);
        out.finish()
    }

    fn hash_types(&self, out: &mut Writer, types: &[Type]) {
        out.number(types.len());
        for &ty in types {
            out.hash(self.hash128(ty));
        }
    }

    fn hash_symbol(&self, out: &mut Writer, symbol: Symbol) {
        out.bytes(self.name(symbol).as_bytes());
    }

    fn hash_module(&self, out: &mut Writer, module: Module) {
        let mut module = module;
        loop {
            self.hash_symbol(out, self.module_name(module));
            let parent = self.module_parent(module);
            if parent == module {
                return out.tag(255);
            }
            module = parent;
        }
    }

    fn hash_const(&self, out: &mut Writer, constant: Const) {
        if let Some(name) = self.type_name_of_const(constant) {
            out.tag(9);
            return out.hash(self.hash128(self.type_name(name).wrapper));
        }
        match self.const_data(constant) {
            ConstData::Bits { ty, bytes } => {
                out.tag(0);
                out.hash(self.hash128(*ty));
                out.bytes(bytes);
            }
            ConstData::Symbol(symbol) => {
                out.tag(1);
                self.hash_symbol(out, *symbol);
            }
            ConstData::Type(ty) => {
                out.tag(2);
                out.hash(self.hash128(*ty));
            }
            ConstData::String(bytes) => {
                out.tag(3);
                out.bytes(bytes);
            }
            ConstData::Module(module) => {
                out.tag(4);
                self.hash_module(out, *module);
            }
            ConstData::Aggregate { ty, fields } => {
                out.tag(5);
                out.hash(self.hash128(*ty));
                out.number(fields.len());
                for &field in fields {
                    self.hash_const(out, field);
                }
            }
            ConstData::Object { ty, handle } => {
                out.tag(6);
                out.hash(self.hash128(*ty));
                out.number(handle.index());
            }
        }
    }
}
