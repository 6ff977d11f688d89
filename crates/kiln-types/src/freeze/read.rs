//! The reader: finds the tables, and decodes entries.

use super::write::{facts, type_facts};
use super::{FrozenTable, FrozenTypes, ImageBytes, ImageError, lazy, tables};
use crate::entry::TypeFacts;
use crate::gensym::GensymTable;
use crate::{
    Const, ConstData, CoreTypes, Module, ObjectHandle, StructDef, Symbol, Type, TypeData, TypeName,
    TypeNameData, TypeNameKind, Types, module,
};
use kiln_bytes::{Malformed, Read, Reader};
use std::sync::OnceLock;

/// The number of entries of each table of an interner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSizes {
    /// Symbols.
    pub symbols: usize,
    /// Modules.
    pub modules: usize,
    /// Definitions.
    pub names: usize,
    /// Constants.
    pub consts: usize,
    /// Types.
    pub types: usize,
}

impl TableSizes {
    /// Reads a symbol.
    #[inline]
    pub fn symbol(&self, input: &mut Reader<'_>) -> Read<Symbol> {
        input.index(self.symbols).map(Symbol::from_index)
    }
    /// Reads a module.
    #[inline]
    pub fn module(&self, input: &mut Reader<'_>) -> Read<Module> {
        input.index(self.modules).map(Module::from_index)
    }
    /// Reads a constant.
    #[inline]
    pub fn constant(&self, input: &mut Reader<'_>) -> Read<Const> {
        input.index(self.consts).map(Const::from_index)
    }
    /// Reads a type.
    #[inline]
    pub fn ty(&self, input: &mut Reader<'_>) -> Read<Type> {
        input.index(self.types).map(Type::from_index)
    }
    fn types(&self, input: &mut Reader<'_>) -> Read<Vec<Type>> {
        input.list(|it| self.ty(it))
    }
}

impl Types {
    /// The interner that [`write`](super::write()) wrote, with the same ids: these are all of its bytes. Its entries are
    /// checked now if `check` is set, else when they are used.
    ///
    /// # Errors
    /// When no interner wrote these bytes.
    pub fn thaw(bytes: &ImageBytes, check: bool) -> Result<Self, ImageError> {
        let mut input = Reader::new(bytes.get());
        let symbols = FrozenTable::read(bytes, &mut input)?;
        let mut counts = TableSizes { symbols: symbols.len(), ..TableSizes::default() };
        let mut types = Self::empty();
        read_modules(&mut types, &mut input, &mut counts)?;
        let mut table = || FrozenTable::read(bytes, &mut input);
        let (names, consts, own) = (table()?, table()?, table()?);
        types.made_names = GensymTable::from_image(table()?);
        (counts.names, counts.consts, counts.types) = (names.len(), consts.len(), own.len());
        if counts.modules < 3 || counts.names < 4 || counts.types < 2 {
            return Err(ImageError("an image without Core"));
        }
        let core = counts.types(&mut input)?;
        types.core = CoreTypes::from_all(&core).ok_or(ImageError("an image of another set of core types"))?;
        types.bindings = input.list(|it| Ok((counts.symbol(it)?, counts.ty(it)?)))?;
        tables::set_counters(&mut types, input.number_u32()?, input.number_u32()?, input.number_u32()?);
        input.finish()?;
        lazy::continue_after(&mut types, FrozenTypes::new(counts, [symbols, names, consts, own]));
        if check {
            lazy::check_frozen(&types)?;
            types.made_names.check()?;
        }
        Ok(types)
    }
}

fn read_modules(types: &mut Types, input: &mut Reader<'_>, counts: &mut TableSizes) -> Read<()> {
    counts.modules = input.count()?;
    for own in 0..counts.modules {
        let name = counts.symbol(input)?;
        let parent = input.index(own + 1)?;
        module::new(types, name, (parent != own).then(|| Module::from_index(parent)));
    }
    Ok(())
}

pub(super) fn read_kind(input: &mut Reader<'_>) -> Read<TypeNameKind> {
    Ok(match input.u8()? {
        0 => TypeNameKind::Abstract,
        1 => TypeNameKind::Primitive { bits: input.number_u32()? },
        2 => TypeNameKind::Struct { mutable: false },
        3 => TypeNameKind::Struct { mutable: true },
        4 => TypeNameKind::Tuple,
        5 => TypeNameKind::NamedTuple,
        _ => return Err(Malformed("an unknown kind of definition")),
    })
}

/// Constant number `own`, which mentions only earlier ones.
pub(super) fn read_const(input: &mut Reader<'_>, counts: &TableSizes, own: usize) -> Read<ConstData> {
    Ok(match input.u8()? {
        0 => ConstData::Bits { ty: counts.ty(input)?, bytes: input.bytes()?.into() },
        1 => ConstData::Symbol(counts.symbol(input)?),
        2 => ConstData::Type(counts.ty(input)?),
        3 => ConstData::String(input.bytes()?.into()),
        4 => ConstData::Module(counts.module(input)?),
        5 => {
            let ty = counts.ty(input)?;
            let fields = input.list(|it| it.index(own).map(Const::from_index))?;
            ConstData::Aggregate { ty, fields: fields.into() }
        }
        6 => {
            let ty = counts.ty(input)?;
            ConstData::Object { ty, handle: ObjectHandle::from_index(input.number_u32()? as usize) }
        }
        _ => return Err(Malformed("an unknown kind of constant")),
    })
}

/// The number of a data type without parameters. One with parameters is as many more.
pub(super) const FIRST_DATA: usize = 8;

/// Type number `own`, which mentions only earlier ones.
pub(super) fn read_type(input: &mut Reader<'_>, counts: &TableSizes, own: usize) -> Read<TypeData> {
    let earlier = |it: &mut Reader<'_>| {
        let number = it.index(2 * own)?;
        Ok(Type::from_index(if number % 2 == 0 { number / 2 } else { own - 1 - number / 2 }))
    };
    Ok(match input.number()? {
        0 => TypeData::Bottom,
        2 => TypeData::Union(input.list(earlier)?.into()),
        3 => TypeData::UnionAll { var: earlier(input)?, body: earlier(input)? },
        4 => TypeData::Var {
            name: counts.symbol(input)?,
            lower: earlier(input)?,
            upper: earlier(input)?,
            ordinal: input.number_u32()?,
        },
        5 => TypeData::Vararg { elem: earlier(input)?, count: None },
        6 => TypeData::Vararg { elem: earlier(input)?, count: Some(earlier(input)?) },
        7 => TypeData::Value(counts.constant(input)?),
        number => {
            let params = number.checked_sub(FIRST_DATA as u64).filter(|&it| it <= input.rest().len() as u64);
            let params = params.ok_or(Malformed("an unknown kind of type"))?;
            let name = TypeName::from_index(input.index(counts.names)?);
            let mut parts = Vec::with_capacity(params as usize);
            for _ in 0..params {
                parts.push(earlier(input)?);
            }
            TypeData::Data { name, params: parts.into() }
        }
    })
}

/// The facts of type number `own`.
pub(super) fn read_facts(input: &mut Reader<'_>, own: usize) -> Read<TypeFacts> {
    let word = input.number()?;
    let has = |flag: u64| word & flag != 0;
    let height = if has(type_facts::HEIGHT) { input.number_u32()? } else { 0 };
    let earlier = |it: &mut Reader<'_>| it.index(own).map(Type::from_index);
    let free = if has(type_facts::FREE) { input.list(earlier)?.into() } else { Box::default() };
    let nesting = u32::try_from(word >> type_facts::BITS).map_err(|_| Malformed("a type of great depth"))?;
    Ok(TypeFacts {
        free,
        height,
        nesting,
        concrete: has(type_facts::CONCRETE),
        plain: has(type_facts::PLAIN),
    })
}

pub(super) fn read_name(input: &mut Reader<'_>, counts: &TableSizes) -> Read<TypeNameData> {
    let kind = read_kind(input)?;
    let present = input.number()?;
    let has = |fact| present & fact != 0;
    let (name, module) = (counts.symbol(input)?, counts.module(input)?);
    let primary = counts.ty(input)?;
    let wrapper = if has(facts::WRAPPED) { counts.ty(input)? } else { primary };
    let mut def = StructDef {
        name,
        module,
        kind,
        params: Vec::new(),
        field_names: Vec::new(),
        fields_init_min: 0,
        const_fields: Vec::new(),
        atomic_fields: Vec::new(),
    };
    let mut declared = Vec::new();
    if has(facts::PARTS) {
        def.params = counts.types(input)?;
        def.field_names = input.list(|it| counts.symbol(it))?;
        def.fields_init_min = input.number_u32()? as usize;
        def.const_fields = input.list(Reader::bool)?;
        def.atomic_fields = input.list(Reader::bool)?;
        declared = counts.types(input)?;
    }
    let supertype = if has(facts::SUPERTYPE) { OnceLock::from(counts.ty(input)?) } else { OnceLock::new() };
    let field_types = if has(facts::FIELDS) {
        OnceLock::from(counts.types(input)?.into_boxed_slice())
    } else {
        OnceLock::new()
    };
    let of_function = has(facts::FUNCTION);
    Ok(TypeNameData { def, primary, wrapper, declared, supertype, field_types, of_function })
}
