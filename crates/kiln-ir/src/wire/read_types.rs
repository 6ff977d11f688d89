//! Reads the tables of a section into an interner. Every item refers to earlier ones only.

use super::WireError;
use super::section::OwnNames;
use super::write_types::{core_names, tag};
use crate::Intrinsic;
use kiln_bytes::Reader;
use kiln_types::freeze::{self, TableSizes};
use kiln_types::{
    Const, ConstData, FieldLayout, FieldStorage, Module, ObjectHandle, StructDef, Symbol, Type, TypeData,
    TypeName, TypeNameKind, Types, consts, datatype, definition, identity, layout, module, typevar, unionall,
};
use rustc_hash::FxHashMap;

/// The maximum nesting of types, whose walkers recurse.
const DEPTH_MAX: u32 = 200;
const PRIMITIVE_BITS_MAX: u32 = 1 << 16;

/// An item that was read.
#[derive(Clone, Copy)]
enum Item {
    Symbol(Symbol),
    Module(Module),
    Name(TypeName),
    Type(Type, u32),
    Const(Const),
    Parts,
}

/// Definitions and modules made so far: a name means the same in every body that one reader reads.
pub(super) struct Known<'a> {
    types: &'a Types,
    core: FxHashMap<Symbol, TypeName>,
    modules: FxHashMap<(Option<Module>, Symbol), Module>,
    names: FxHashMap<(Module, Symbol), Vec<TypeName>>,
    /// The bytes are of another session of the same image.
    within: Option<Within<'a>>,
}

#[derive(Clone, Copy)]
struct Within<'a> {
    counts: TableSizes,
    own: &'a dyn OwnNames,
}

impl<'a> Known<'a> {
    pub(super) fn new(types: &'a Types, own: Option<&'a dyn OwnNames>) -> Self {
        if let Some(own) = own {
            let within = Some(Within { counts: identity::frozen_counts(types), own });
            let (core, modules, names) = Default::default();
            return Self { types, core, modules, names, within };
        }
        let roots = [Module::CORE, Module::BASE, Module::MAIN];
        Self {
            types,
            core: core_names(types).map(|(name, symbol)| (symbol, name)).collect(),
            modules: roots.iter().map(|&it| ((None, module::name(types, it)), it)).collect(),
            names: FxHashMap::default(),
            within: None,
        }
    }
}

/// The tables of one section.
pub(super) struct Tables {
    items: Vec<Item>,
    /// The number of entries of each kind in the image, if references to them are valid.
    frozen: Option<TableSizes>,
}

const KIND: WireError = WireError("a reference is to an item of another kind");

impl Tables {
    pub(super) fn read(input: &mut Reader<'_>, known: &mut Known<'_>) -> Result<Self, WireError> {
        let count = input.count()?;
        let frozen = known.within.map(|it| it.counts);
        let mut reader = TableReader {
            types: known.types,
            known,
            tables: Tables { items: Vec::with_capacity(count), frozen },
            bits: Vec::new(),
            made: Vec::new(),
        };
        for _ in 0..count {
            let item = reader.item(input)?;
            reader.tables.items.push(item);
        }
        reader.check()?;
        Ok(reader.tables)
    }

    pub(super) fn symbol(&self, input: &mut Reader<'_>) -> Result<Symbol, WireError> {
        match self.find(input.number()?, |it| it.symbols)? {
            Reference::Frozen(at) => Ok(Symbol::from_index(at)),
            Reference::Item(Item::Symbol(it)) => Ok(it),
            Reference::Item(_) => Err(KIND),
        }
    }
    pub(super) fn module(&self, input: &mut Reader<'_>) -> Result<Module, WireError> {
        self.module_at(input.number()?)
    }
    pub(super) fn ty(&self, input: &mut Reader<'_>) -> Result<Type, WireError> {
        Ok(self.type_at(input.number()?)?.0)
    }
    pub(super) fn constant(&self, input: &mut Reader<'_>) -> Result<Const, WireError> {
        match self.find(input.number()?, |it| it.consts)? {
            Reference::Frozen(at) => Ok(Const::from_index(at)),
            Reference::Item(Item::Const(it)) => Ok(it),
            Reference::Item(_) => Err(KIND),
        }
    }

    fn module_at(&self, reference: u64) -> Result<Module, WireError> {
        match self.find(reference, |it| it.modules)? {
            Reference::Frozen(at) => Ok(Module::from_index(at)),
            Reference::Item(Item::Module(it)) => Ok(it),
            Reference::Item(_) => Err(KIND),
        }
    }
    fn name(&self, input: &mut Reader<'_>) -> Result<TypeName, WireError> {
        match self.find(input.number()?, |it| it.names)? {
            Reference::Frozen(at) => Ok(TypeName::from_index(at)),
            Reference::Item(Item::Name(it)) => Ok(it),
            Reference::Item(_) => Err(KIND),
        }
    }
    /// Reads a type, and its nesting depth in this input.
    fn type_at(&self, reference: u64) -> Result<(Type, u32), WireError> {
        match self.find(reference, |it| it.types)? {
            Reference::Frozen(at) => Ok((Type::from_index(at), 0)),
            Reference::Item(Item::Type(it, depth)) => Ok((it, depth)),
            Reference::Item(_) => Err(KIND),
        }
    }

    fn find(&self, reference: u64, count: impl Fn(&TableSizes) -> usize) -> Result<Reference, WireError> {
        let index = usize::try_from(reference).map_err(|_| KIND)?;
        let index = match &self.frozen {
            Some(counts) if index & 1 != 0 => {
                let at = index >> 1;
                return if at < count(counts) {
                    Ok(Reference::Frozen(at))
                } else {
                    Err(WireError("a reference is to what the image does not have"))
                };
            }
            Some(_) => index >> 1,
            None => index,
        };
        let item = self.items.get(index).copied().ok_or(WireError("a reference is to a later item"))?;
        Ok(Reference::Item(item))
    }
}

/// The thing that a number refers to.
enum Reference {
    /// An entry of the image.
    Frozen(usize),
    /// An item that was read.
    Item(Item),
}

struct TableReader<'a, 'b> {
    types: &'a Types,
    known: &'b mut Known<'a>,
    tables: Tables,
    /// Constants whose size is checked once all definitions are complete.
    bits: Vec<Const>,
    made: Vec<TypeName>,
}

/// Whether an immutable value can have so many fields: `new` leaves references at the end undefined.
fn may_have_fields(types: &Types, ty: Type, count: usize) -> bool {
    let Some(rest) = layout::of(types, ty).and_then(|it| it.fields.get(count..)) else { return false };
    let is_absent = |(at, it): (usize, &FieldLayout)| {
        it.storage == FieldStorage::Pointer && layout::may_be_undefined(types, ty, count + at)
    };
    rest.iter().enumerate().all(is_absent)
}

impl TableReader<'_, '_> {
    fn item(&mut self, input: &mut Reader<'_>) -> Result<Item, WireError> {
        let tag = input.u8()?;
        Ok(match tag {
            tag::SYMBOL => Item::Symbol(self.types.symbol(input.str()?)),
            tag::MODULE => self.module_item(input)?,
            tag::CORE_NAME => {
                let symbol = self.tables.symbol(input)?;
                Item::Name(*self.known.core.get(&symbol).ok_or(WireError("unknown name of Core"))?)
            }
            tag::NAME => self.declaration(input)?,
            tag::NAME_PARTS => self.parts(input)?,
            tag::OWN_NAME => self.own_name(input)?,
            tag::BITS..=tag::OBJECT | tag::CONST_NAME | tag::IMAGE_OBJECT => {
                Item::Const(self.const_item(tag, input)?)
            }
            _ => self.type_item(tag, input)?,
        })
    }

    fn module_item(&mut self, input: &mut Reader<'_>) -> Result<Item, WireError> {
        let parent = match input.number()? {
            0 => None,
            index => Some(self.tables.module_at(index - 1)?),
        };
        let symbol = self.tables.symbol(input)?;
        let types = self.types;
        if let Some(within) = self.known.within {
            let found = within.own.module(parent, symbol);
            return found.map(Item::Module).ok_or(WireError("a module that the session does not have"));
        }
        let made =
            self.known.modules.entry((parent, symbol)).or_insert_with(|| module::new(types, symbol, parent));
        Ok(Item::Module(*made))
    }

    fn own_name(&self, input: &mut Reader<'_>) -> Result<Item, WireError> {
        let (module, name) = (self.tables.module(input)?, self.tables.symbol(input)?);
        let hash = u128::from_le_bytes(input.array()?);
        let found = self.known.within.and_then(|it| it.own.definition(module, name, hash));
        found.map(Item::Name).ok_or(WireError("a definition that the session does not have"))
    }

    fn declaration(&mut self, input: &mut Reader<'_>) -> Result<Item, WireError> {
        let module = self.tables.module(input)?;
        let symbol_ = self.tables.symbol(input)?;
        let kind = match input.u8()? {
            0 => TypeNameKind::Abstract,
            1 => TypeNameKind::Primitive { bits: input.number_u32()? },
            2 => TypeNameKind::Struct { mutable: false },
            3 => TypeNameKind::Struct { mutable: true },
            _ => return Err(WireError("unknown kind of definition")),
        };
        if let TypeNameKind::Primitive { bits } = kind
            && (bits % 8 != 0 || bits == 0 || bits > PRIMITIVE_BITS_MAX)
        {
            return Err(WireError("a primitive type has no valid size"));
        }
        let params = self.type_list(input)?.0;
        if !params.iter().all(|&it| matches!(self.types.data(it), TypeData::Var { .. })) {
            return Err(WireError("a parameter of a definition is no variable"));
        }
        let field_names = input.list_of(|input| self.tables.symbol(input))?;
        let fields_init_min = input.index(field_names.len() + 1)?;
        let atomic_fields: Vec<bool> = field_names.iter().map(|_| input.bool()).collect::<Result<_, _>>()?;
        let same = self.known.names.entry((module, symbol_)).or_default();
        let types = self.types;
        let known = same.iter().copied().find(|&it| {
            let def = &types.type_name(it).def;
            def.kind == kind
                && def.field_names == field_names
                && def.params.len() == params.len()
                && def.atomic_fields == atomic_fields
        });
        let name = known.unwrap_or_else(|| {
            let count = field_names.len();
            definition::define(
                types,
                StructDef {
                    name: symbol_,
                    module,
                    kind,
                    params,
                    field_names,
                    fields_init_min,
                    const_fields: vec![false; count],
                    atomic_fields,
                },
            )
        });
        if known.is_none() {
            same.push(name);
        }
        self.made.push(name);
        Ok(Item::Name(name))
    }

    fn parts(&mut self, input: &mut Reader<'_>) -> Result<Item, WireError> {
        let name = self.tables.name(input)?;
        if !self.made.contains(&name) {
            return Err(WireError("parts of a definition that is not made here"));
        }
        let supertype = self.tables.type_at(input.number()?)?.0;
        let fields = if input.bool()? { Some(self.type_list(input)?.0) } else { None };
        let data = self.types.type_name(name);
        if fields.as_ref().is_some_and(|it| it.len() != data.def.field_names.len()) {
            return Err(WireError("a definition has not one type a field"));
        }
        if !matches!(self.types.data(supertype), TypeData::Data { .. }) {
            return Err(WireError("a supertype is no type with instances"));
        }
        definition::set_supertype(self.types, name, supertype);
        if let Some(fields) = fields {
            definition::set_fields(self.types, name, &fields);
        }
        Ok(Item::Parts)
    }

    fn type_list(&self, input: &mut Reader<'_>) -> Result<(Vec<Type>, u32), WireError> {
        let list = input.list_of(|input| self.tables.type_at(input.number()?))?;
        let depth = list.iter().map(|it| it.1).max().unwrap_or(0);
        Ok((list.into_iter().map(|it| it.0).collect(), depth))
    }

    fn type_item(&mut self, tag: u8, input: &mut Reader<'_>) -> Result<Item, WireError> {
        let types = self.types;
        let (made, depth) = match tag {
            tag::BOTTOM => (Types::BOTTOM, 0),
            tag::DATA => self.data(input)?,
            tag::UNION => {
                let (members, depth) = self.type_list(input)?;
                let nested =
                    members.iter().any(|&it| matches!(types.data(it), TypeData::Union(_) | TypeData::Bottom));
                let distinct = members.iter().enumerate().all(|(i, it)| !members[..i].contains(it));
                if members.len() < 2 || nested || !distinct {
                    return Err(WireError("a union is not in normal form"));
                }
                // The order of members goes by ids.
                let made = match self.tables.frozen {
                    Some(_) => types.union(&members),
                    None => freeze::intern_as_read(types, TypeData::Union(members.into())),
                };
                (made, depth)
            }
            tag::UNION_ALL => {
                let var = self.tables.type_at(input.number()?)?.0;
                let (body, depth) = self.tables.type_at(input.number()?)?;
                if !matches!(types.data(var), TypeData::Var { .. }) {
                    return Err(WireError("a UnionAll binds no variable"));
                }
                (unionall::new(types, var, body), depth)
            }
            tag::VAR => {
                let symbol = self.tables.symbol(input)?;
                let (lower, a) = self.tables.type_at(input.number()?)?;
                let (upper, b) = self.tables.type_at(input.number()?)?;
                (typevar::new(types, symbol, lower, upper), a.max(b))
            }
            tag::VARARG => {
                let (elem, depth) = self.tables.type_at(input.number()?)?;
                let count = match input.number()? {
                    0 => None,
                    index => Some(self.tables.type_at(index - 1)?.0),
                };
                (datatype::vararg(types, elem, count), depth)
            }
            tag::VALUE => (consts::to_param(types, self.tables.constant(input)?), 0),
            _ => return Err(WireError("unknown kind of item")),
        };
        if depth >= DEPTH_MAX {
            Err(WireError("types nest too deep"))
        } else {
            Ok(Item::Type(made, depth + 1))
        }
    }

    fn data(&self, input: &mut Reader<'_>) -> Result<(Type, u32), WireError> {
        let types = self.types;
        let name = self.tables.name(input)?;
        let (params, depth) = self.type_list(input)?;
        let def = &types.type_name(name).def;
        let vararg = |it: &Type| matches!(types.data(*it), TypeData::Vararg { .. });
        let is_tuple = def.kind == TypeNameKind::Tuple;
        let checked = if is_tuple { params.len().saturating_sub(1) } else { params.len() };
        if params[..checked].iter().any(vararg) || (!is_tuple && params.len() != def.params.len()) {
            return Err(WireError("a type has the wrong parameters"));
        }
        Ok((freeze::intern_as_read(types, TypeData::Data { name, params: params.into() }), depth))
    }

    fn const_item(&mut self, tag: u8, input: &mut Reader<'_>) -> Result<Const, WireError> {
        let data = match tag {
            tag::BITS => {
                let ty = self.tables.type_at(input.number()?)?.0;
                // The bytes would be a number that only the writer's tables know.
                if ty == self.types.core().type_name {
                    return Err(WireError("a definition is given by a number"));
                }
                ConstData::Bits { ty, bytes: input.bytes()?.into() }
            }
            tag::CONST_NAME => {
                return Ok(identity::const_of_type_name(self.types, self.tables.name(input)?));
            }
            tag::CONST_SYMBOL => ConstData::Symbol(self.tables.symbol(input)?),
            tag::CONST_TYPE => ConstData::Type(self.tables.type_at(input.number()?)?.0),
            tag::STRING => ConstData::String(input.bytes()?.into()),
            tag::CONST_MODULE => ConstData::Module(self.tables.module(input)?),
            tag::IMAGE_OBJECT => {
                let ty = self.tables.type_at(input.number()?)?.0;
                let number = input.number_u32()?;
                let found = self.known.within.and_then(|it| it.own.object(number, ty));
                let handle = found.ok_or(WireError("an object that the image lacks"))?;
                ConstData::Object { ty, handle }
            }
            tag::AGGREGATE => {
                let ty = self.tables.type_at(input.number()?)?.0;
                let fields = input.list_of(|input| self.tables.constant(input))?;
                if !may_have_fields(self.types, ty, fields.len()) {
                    return Err(WireError("a constant has other fields than its type"));
                }
                ConstData::Aggregate { ty, fields: fields.into() }
            }
            _ => {
                let ty = self.tables.type_at(input.number()?)?.0;
                ConstData::Object { ty, handle: ObjectHandle::from_index(input.number_u32()? as usize) }
            }
        };
        let constant = self.types.constant(data);
        if tag == tag::BITS {
            self.bits.push(constant);
        }
        Ok(constant)
    }

    /// Makes the checks that had to wait until all definitions were complete.
    fn check(&self) -> Result<(), WireError> {
        let types = self.types;
        for &name in &self.made {
            let mut at = name;
            for _ in 0..=DEPTH_MAX {
                match datatype::name_of(types, types.type_name(at).supertype()) {
                    Some(next) if next != at => at = next,
                    _ => break,
                }
            }
            let above = datatype::name_of(types, types.type_name(at).supertype());
            if above != Some(at) || at != datatype::name_of(types, Types::ANY).unwrap_or(at) {
                return Err(WireError("a chain of supertypes does not end"));
            }
        }
        for &constant in &self.bits {
            if let ConstData::Bits { ty, bytes } = types.const_data(constant) {
                let fits = match layout::of(types, *ty) {
                    // An intrinsic as a value is its number.
                    _ if *ty == types.core().intrinsic_function => is_intrinsic(bytes),
                    // The others that are numbers name entries of the session's tables: the host has them.
                    _ if identity::is_held_as_number(types, *ty) => bytes.len() == 8,
                    Some(layout) => {
                        layout.size as usize == bytes.len()
                            && layout.pointer_free
                            && !datatype::is_mutable(types, *ty)
                    }
                    None => false,
                };
                if !fits {
                    return Err(WireError("a constant has not the size of its type"));
                }
            }
        }
        Ok(())
    }
}

fn is_intrinsic(bytes: &[u8]) -> bool {
    let number = bytes.try_into().map(u64::from_le_bytes);
    number.is_ok_and(|it| it < Intrinsic::ALL.len() as u64)
}
