//! Tables of the items that a body mentions: symbols, modules, definitions, types and constants in first-use order.
//!
//! One stream of items, each after its operands. A definition is declared before its parts, so that it may mention
//! itself; its supertype and fields follow in an item of their own.

use super::section::ImageObjects;
use kiln_bytes::Writer;
use kiln_types::freeze::TableSizes;
use kiln_types::{
    Const, ConstData, Module, ObjectHandle, Symbol, Type, TypeData, TypeName, TypeNameKind, Types,
    core_types, datatype, identity, module, typevar,
};
use rustc_hash::FxHashMap;

/// Kinds of items. Only ever added to.
pub(super) mod tag {
    pub(crate) const SYMBOL: u8 = 0;
    pub(crate) const MODULE: u8 = 1;
    pub(crate) const CORE_NAME: u8 = 2;
    pub(crate) const NAME: u8 = 3;
    pub(crate) const NAME_PARTS: u8 = 4;
    pub(crate) const BOTTOM: u8 = 5;
    pub(crate) const DATA: u8 = 6;
    pub(crate) const UNION: u8 = 7;
    pub(crate) const UNION_ALL: u8 = 8;
    pub(crate) const VAR: u8 = 9;
    pub(crate) const VARARG: u8 = 10;
    pub(crate) const VALUE: u8 = 11;
    pub(crate) const BITS: u8 = 12;
    pub(crate) const CONST_SYMBOL: u8 = 13;
    pub(crate) const CONST_TYPE: u8 = 14;
    pub(crate) const STRING: u8 = 15;
    pub(crate) const CONST_MODULE: u8 = 16;
    pub(crate) const AGGREGATE: u8 = 17;
    pub(crate) const OBJECT: u8 = 18;
    /// Within an image: a definition made since, by name and hash.
    pub(crate) const OWN_NAME: u8 = 19;
    /// A definition as a constant.
    pub(crate) const CONST_NAME: u8 = 20;
    /// Within an image: one of its objects, by its number there.
    pub(crate) const IMAGE_OBJECT: u8 = 21;
}

/// The tables of one section.
pub(super) struct Tables<'a> {
    types: &'a Types,
    core_names: FxHashMap<TypeName, Symbol>,
    items: Writer,
    count: u32,
    symbol_of: FxHashMap<Symbol, u32>,
    module_of: FxHashMap<Module, u32>,
    name_of: FxHashMap<TypeName, u32>,
    type_of: FxHashMap<Type, u32>,
    const_of: FxHashMap<Const, u32>,
    /// Declared, parts not yet written.
    pending: Vec<TypeName>,
    pub(super) objects: Vec<ObjectHandle>,
    /// The table sizes of the image, whose entries are referred to by id.
    within: Option<TableSizes>,
    image: Option<&'a dyn ImageObjects>,
    /// A type with a variable that nothing binds was mentioned.
    pub(super) is_open: bool,
}

/// Definitions that every interner has, by the name `Core` binds them to.
pub(super) fn core_names(types: &Types) -> impl Iterator<Item = (TypeName, Symbol)> + use<'_> {
    core_types::named(types).iter().filter_map(|&(symbol, ty)| {
        let name = datatype::name_of(types, ty)?;
        (types.type_name(name).def.name == symbol).then_some((name, symbol))
    })
}

impl<'a> Tables<'a> {
    /// Tables that are complete in themselves, or `within` the image that both sessions come from.
    pub(super) fn new(types: &'a Types, within: Option<&'a dyn ImageObjects>) -> Self {
        Self {
            types,
            core_names: if within.is_some() { FxHashMap::default() } else { core_names(types).collect() },
            items: Writer::new(),
            count: 0,
            symbol_of: FxHashMap::default(),
            module_of: FxHashMap::default(),
            name_of: FxHashMap::default(),
            type_of: FxHashMap::default(),
            const_of: FxHashMap::default(),
            pending: Vec::new(),
            objects: Vec::new(),
            within: within.map(|_| identity::frozen_counts(types)),
            image: within,
            is_open: false,
        }
    }

    /// Returns the reference to an entry of the image, if it is one of its first `count`.
    fn frozen(&self, index: usize, count: impl Fn(&TableSizes) -> usize) -> Option<u32> {
        let counts = self.within.as_ref()?;
        (index < count(counts)).then_some((index as u32) << 1 | 1)
    }

    /// The number of items and the items, after everything that is mentioned has its parts.
    pub(super) fn finish(mut self) -> (u32, Vec<u8>, Vec<ObjectHandle>) {
        self.write_parts();
        (self.count, self.items.finish(), self.objects)
    }

    fn item(&mut self, item: Writer) -> u32 {
        self.items.raw(item.as_bytes());
        self.count += 1;
        if self.within.is_some() { (self.count - 1) << 1 } else { self.count - 1 }
    }

    pub(super) fn symbol(&mut self, symbol: Symbol) -> u32 {
        if let Some(known) = self.frozen(symbol.index(), |it| it.symbols) {
            return known;
        }
        if let Some(&known) = self.symbol_of.get(&symbol) {
            return known;
        }
        let mut out = tagged(tag::SYMBOL);
        out.str(self.types.name(symbol));
        let index = self.item(out);
        self.symbol_of.insert(symbol, index);
        index
    }

    pub(super) fn module(&mut self, module: Module) -> u32 {
        if let Some(known) = self.frozen(module.index(), |it| it.modules) {
            return known;
        }
        if let Some(&known) = self.module_of.get(&module) {
            return known;
        }
        let parent = module::parent(self.types, module);
        let parent = if parent == module { 0 } else { u64::from(self.module(parent)) + 1 };
        let symbol = self.symbol(module::name(self.types, module));
        let mut out = tagged(tag::MODULE);
        out.number(parent);
        out.number(symbol.into());
        let index = self.item(out);
        self.module_of.insert(module, index);
        index
    }

    fn name(&mut self, name: TypeName) -> u32 {
        if let Some(known) = self.frozen(name.index(), |it| it.names) {
            return known;
        }
        if let Some(&known) = self.name_of.get(&name) {
            return known;
        }
        let out = match self.core_names.get(&name).copied() {
            Some(symbol) => {
                let symbol = self.symbol(symbol);
                let mut out = tagged(tag::CORE_NAME);
                out.number(symbol.into());
                out
            }
            None if self.within.is_some() => self.own_name(name),
            None => {
                self.pending.push(name);
                self.declaration(name)
            }
        };
        let index = self.item(out);
        self.name_of.insert(name, index);
        index
    }

    fn own_name(&mut self, name: TypeName) -> Writer {
        let def = &self.types.type_name(name).def;
        let (module, symbol) = (self.module(def.module), self.symbol(def.name));
        let mut out = numbered(tag::OWN_NAME, module);
        out.number(symbol.into());
        out.raw(&identity::hash_of_definition(self.types, name).to_le_bytes());
        out
    }

    fn declaration(&mut self, name: TypeName) -> Writer {
        let def = &self.types.type_name(name).def;
        let module = self.module(def.module);
        let symbol = self.symbol(def.name);
        let params = self.type_list(&def.params);
        let fields: Vec<u32> = def.field_names.iter().map(|&it| self.symbol(it)).collect();
        let mut out = tagged(tag::NAME);
        out.number(module.into());
        out.number(symbol.into());
        match def.kind {
            TypeNameKind::Abstract => out.u8(0),
            TypeNameKind::Primitive { bits } => {
                out.u8(1);
                out.number(bits.into());
            }
            TypeNameKind::Struct { mutable } => out.u8(2 + u8::from(mutable)),
            TypeNameKind::Tuple | TypeNameKind::NamedTuple => unreachable!("these are names of Core"),
        }
        numbers(&mut out, &params);
        numbers(&mut out, &fields);
        out.index(def.fields_init_min);
        for index in 0..def.field_names.len() {
            out.bool(def.atomic_fields.get(index).copied().unwrap_or(false));
        }
        out
    }

    /// Writes supertype and fields of the definitions declared so far, and of those that they mention in turn.
    fn write_parts(&mut self) {
        while let Some(name) = self.pending.pop() {
            let data = self.types.type_name(name);
            let supertype = self.ty(data.supertype());
            let fields = data.field_types().map(|it| self.type_list(it));
            let mut out = tagged(tag::NAME_PARTS);
            out.number(self.name_of[&name].into());
            out.number(supertype.into());
            out.bool(fields.is_some());
            if let Some(fields) = fields {
                numbers(&mut out, &fields);
            }
            self.item(out);
        }
    }

    /// A type that is mentioned outside of any other, so that no variable in it is bound.
    pub(super) fn closed(&mut self, ty: Type) -> u32 {
        self.is_open |= typevar::has_free_vars(self.types, ty);
        self.ty(ty)
    }

    fn type_list(&mut self, list: &[Type]) -> Vec<u32> {
        list.iter().map(|&it| self.ty(it)).collect()
    }

    pub(super) fn ty(&mut self, ty: Type) -> u32 {
        if let Some(known) = self.frozen(ty.index(), |it| it.types) {
            return known;
        }
        if let Some(&known) = self.type_of.get(&ty) {
            return known;
        }
        let types = self.types;
        let out = match types.data(ty) {
            TypeData::Bottom => tagged(tag::BOTTOM),
            TypeData::Data { name, params } => {
                let name = self.name(*name);
                let params = self.type_list(params);
                let mut out = tagged(tag::DATA);
                out.number(name.into());
                numbers(&mut out, &params);
                out
            }
            TypeData::Union(members) => {
                let members = self.type_list(members);
                let mut out = tagged(tag::UNION);
                numbers(&mut out, &members);
                out
            }
            TypeData::UnionAll { var, body } => {
                let parts = self.type_list(&[*var, *body]);
                let mut out = tagged(tag::UNION_ALL);
                out.number(parts[0].into());
                out.number(parts[1].into());
                out
            }
            TypeData::Var { name, lower, upper, ordinal: _ } => {
                let symbol = self.symbol(*name);
                let bounds = self.type_list(&[*lower, *upper]);
                let mut out = tagged(tag::VAR);
                out.number(symbol.into());
                out.number(bounds[0].into());
                out.number(bounds[1].into());
                out
            }
            TypeData::Vararg { elem, count } => {
                let elem = self.ty(*elem);
                let count = count.map_or(0, |it| u64::from(self.ty(it)) + 1);
                let mut out = tagged(tag::VARARG);
                out.number(elem.into());
                out.number(count);
                out
            }
            TypeData::Value(constant) => {
                let constant = self.constant(*constant);
                let mut out = tagged(tag::VALUE);
                out.number(constant.into());
                out
            }
        };
        let index = self.item(out);
        self.type_of.insert(ty, index);
        index
    }

    pub(super) fn constant(&mut self, constant: Const) -> u32 {
        if let Some(known) = self.frozen(constant.index(), |it| it.consts) {
            return known;
        }
        if let Some(&known) = self.const_of.get(&constant) {
            return known;
        }
        let types = self.types;
        self.is_open |= identity::is_own_number(types, constant);
        let out = match types.const_data(constant) {
            ConstData::Bits { ty, bytes } => {
                if let Some(name) = identity::type_name_of_const(types, constant) {
                    let name = self.name(name);
                    let index = self.item(numbered(tag::CONST_NAME, name));
                    self.const_of.insert(constant, index);
                    return index;
                }
                let ty = self.ty(*ty);
                let mut out = tagged(tag::BITS);
                out.number(ty.into());
                out.bytes(bytes);
                out
            }
            ConstData::Symbol(symbol) => numbered(tag::CONST_SYMBOL, self.symbol(*symbol)),
            ConstData::Type(ty) => numbered(tag::CONST_TYPE, self.closed(*ty)),
            ConstData::String(bytes) => {
                let mut out = tagged(tag::STRING);
                out.bytes(bytes);
                out
            }
            ConstData::Module(module) => numbered(tag::CONST_MODULE, self.module(*module)),
            ConstData::Aggregate { ty, fields } => {
                let ty = self.ty(*ty);
                let fields: Vec<u32> = fields.iter().map(|&it| self.constant(it)).collect();
                // The reader asks for the layout of the type at once.
                self.write_parts();
                let mut out = numbered(tag::AGGREGATE, ty);
                numbers(&mut out, &fields);
                out
            }
            ConstData::Object { ty, handle } => {
                let ty = self.ty(*ty);
                if let Some(number) = self.image.and_then(|it| it.number_of(*handle)) {
                    let mut out = numbered(tag::IMAGE_OBJECT, ty);
                    out.number(number.into());
                    let index = self.item(out);
                    self.const_of.insert(constant, index);
                    return index;
                }
                let known = self.objects.iter().position(|it| it == handle);
                let object = known.unwrap_or_else(|| {
                    self.objects.push(*handle);
                    self.objects.len() - 1
                });
                let mut out = numbered(tag::OBJECT, ty);
                out.index(object);
                out
            }
        };
        let index = self.item(out);
        self.const_of.insert(constant, index);
        index
    }
}

fn tagged(tag: u8) -> Writer {
    let mut out = Writer::new();
    out.u8(tag);
    out
}

fn numbered(tag: u8, number: u32) -> Writer {
    let mut out = tagged(tag);
    out.number(number.into());
    out
}

fn numbers(out: &mut Writer, list: &[u32]) {
    out.list(list, |out, it| out.number((*it).into()));
}
