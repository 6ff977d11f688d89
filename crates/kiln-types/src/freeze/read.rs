//! The reader: fills empty tables in the order of ids.

use super::{ImageError, In};
use crate::{
    Const, ConstData, CoreTypes, Module, ObjectHandle, StructDef, Symbol, Type, TypeData, TypeName,
    TypeNameData, TypeNameKind, Types,
};
use std::sync::OnceLock;

/// How many entries each table of an interner has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
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

impl Counts {
    /// Reads a symbol.
    #[inline]
    pub fn symbol(&self, input: &mut In<'_>) -> Result<Symbol, ImageError> {
        input.index(self.symbols).map(Symbol::from_index)
    }
    /// Reads a module.
    #[inline]
    pub fn module(&self, input: &mut In<'_>) -> Result<Module, ImageError> {
        input.index(self.modules).map(Module::from_index)
    }
    /// Reads a constant.
    #[inline]
    pub fn constant(&self, input: &mut In<'_>) -> Result<Const, ImageError> {
        input.index(self.consts).map(Const::from_index)
    }
    /// Reads a type.
    #[inline]
    pub fn ty(&self, input: &mut In<'_>) -> Result<Type, ImageError> {
        input.index(self.types).map(Type::from_index)
    }
    fn types(&self, input: &mut In<'_>) -> Result<Vec<Type>, ImageError> {
        input.list(|it| self.ty(it))
    }
}

/// Constants before the types they mention exist, with the number that a type which holds one must exceed.
type PendingConsts = Vec<(ConstData, usize)>;

impl Types {
    /// The interner that [`Types::freeze`] wrote, with the same ids.
    ///
    /// # Errors
    /// When no interner wrote these bytes.
    pub fn thaw(input: &mut In<'_>) -> Result<Self, ImageError> {
        let mut types = Self::empty();
        let mut counts = Counts::default();
        types.read_symbols(input, &mut counts)?;
        types.read_modules(input, &mut counts)?;
        let kinds = input.list(read_kind)?;
        counts.names = kinds.len();
        kinds.iter().for_each(|&kind| {
            types.reserve_name(kind);
        });
        let consts = read_consts(input, &mut counts)?;
        types.read_types(input, &mut counts, &consts)?;
        if consts.iter().any(|it| it.1 > counts.types) {
            return Err(ImageError("a constant is of a type that does not exist"));
        }
        types.restore_consts(consts.into_iter().map(|it| it.0));
        for (number, &kind) in kinds.iter().enumerate() {
            let data = read_name(input, &counts, kind)?;
            types.fill_name(TypeName::from_index(number), data);
        }
        let core = counts.types(input)?;
        types.core = CoreTypes::from_all(&core).ok_or(ImageError("an image of another set of core types"))?;
        types.bindings = input.list(|it| Ok((counts.symbol(it)?, counts.ty(it)?)))?;
        types.set_counters(input.u32()?, input.u32()?, input.u32()?);
        if counts.modules < 3 || counts.names < 4 || *types.data(Self::BOTTOM) != TypeData::Bottom {
            return Err(ImageError("an image without Core"));
        }
        Ok(types)
    }

    fn read_symbols(&mut self, input: &mut In<'_>, counts: &mut Counts) -> Result<(), ImageError> {
        let symbols = input.list(|it| it.text())?;
        counts.symbols = symbols.len();
        self.restore_symbols(&symbols);
        Ok(())
    }

    fn read_modules(&mut self, input: &mut In<'_>, counts: &mut Counts) -> Result<(), ImageError> {
        counts.modules = input.count()?;
        for own in 0..counts.modules {
            let name = counts.symbol(input)?;
            let parent = input.index(own + 1)?;
            self.new_module(name, (parent != own).then(|| Module::from_index(parent)));
        }
        Ok(())
    }

    fn read_types(
        &mut self,
        input: &mut In<'_>,
        counts: &mut Counts,
        consts: &PendingConsts,
    ) -> Result<(), ImageError> {
        let count = input.count()?;
        if count < 2 {
            return Err(ImageError("an image without Core"));
        }
        self.reserve_types(count);
        for own in 0..count {
            // Only earlier types may be mentioned.
            counts.types = own;
            let data = read_type(input, counts)?;
            if let TypeData::Value(constant) = data
                && consts[constant.index()].1 > own
            {
                return Err(ImageError("a type parameter mentions a later type"));
            }
            self.restore_type(data);
        }
        counts.types = count;
        Ok(())
    }
}

fn read_kind(input: &mut In<'_>) -> Result<TypeNameKind, ImageError> {
    Ok(match input.byte()? {
        0 => TypeNameKind::Abstract,
        1 => TypeNameKind::Primitive { bits: input.u32()? },
        2 => TypeNameKind::Struct { mutable: false },
        3 => TypeNameKind::Struct { mutable: true },
        4 => TypeNameKind::Tuple,
        5 => TypeNameKind::NamedTuple,
        _ => return Err(ImageError("an unknown kind of definition")),
    })
}

fn read_consts(input: &mut In<'_>, counts: &mut Counts) -> Result<PendingConsts, ImageError> {
    // The types are not there yet; `read_types` and `thaw` check against the number kept.
    let open = Counts { types: u32::MAX as usize, ..*counts };
    counts.consts = input.count()?;
    let mut consts: PendingConsts = Vec::with_capacity(counts.consts);
    for _ in 0..counts.consts {
        let (data, needs) = match input.byte()? {
            0 => {
                let ty = open.ty(input)?;
                (ConstData::Bits { ty, bytes: input.bytes()?.into() }, ty.index() + 1)
            }
            1 => (ConstData::Symbol(counts.symbol(input)?), 0),
            2 => {
                let ty = open.ty(input)?;
                (ConstData::Type(ty), ty.index() + 1)
            }
            3 => (ConstData::String(input.bytes()?.into()), 0),
            4 => (ConstData::Module(counts.module(input)?), 0),
            5 => {
                let ty = open.ty(input)?;
                let earlier = consts.len();
                let fields = input.list(|it| it.index(earlier).map(Const::from_index))?;
                let needs = fields.iter().map(|it| consts[it.index()].1).max().unwrap_or(0);
                (ConstData::Aggregate { ty, fields: fields.into() }, needs.max(ty.index() + 1))
            }
            6 => {
                let ty = open.ty(input)?;
                let handle = ObjectHandle::from_index(input.u32()? as usize);
                (ConstData::Object { ty, handle }, ty.index() + 1)
            }
            _ => return Err(ImageError("an unknown kind of constant")),
        };
        consts.push((data, needs));
    }
    Ok(consts)
}

fn read_type(input: &mut In<'_>, counts: &Counts) -> Result<TypeData, ImageError> {
    Ok(match input.byte()? {
        0 => TypeData::Bottom,
        1 => {
            let name = TypeName::from_index(input.index(counts.names)?);
            TypeData::Data { name, params: counts.types(input)?.into() }
        }
        2 => TypeData::Union(counts.types(input)?.into()),
        3 => TypeData::UnionAll { var: counts.ty(input)?, body: counts.ty(input)? },
        4 => TypeData::Var {
            name: counts.symbol(input)?,
            lower: counts.ty(input)?,
            upper: counts.ty(input)?,
            ordinal: input.u32()?,
        },
        5 => TypeData::Vararg { elem: counts.ty(input)?, count: None },
        6 => TypeData::Vararg { elem: counts.ty(input)?, count: Some(counts.ty(input)?) },
        7 => TypeData::Value(counts.constant(input)?),
        _ => return Err(ImageError("an unknown kind of type")),
    })
}

fn read_name(input: &mut In<'_>, counts: &Counts, kind: TypeNameKind) -> Result<TypeNameData, ImageError> {
    let def = StructDef {
        name: counts.symbol(input)?,
        module: counts.module(input)?,
        kind,
        params: counts.types(input)?,
        field_names: input.list(|it| counts.symbol(it))?,
        fields_init_min: input.u32()? as usize,
        const_fields: input.list(In::flag)?,
        atomic_fields: input.list(In::flag)?,
    };
    let primary = counts.ty(input)?;
    let wrapper = counts.ty(input)?;
    let declared = counts.types(input)?;
    let supertype = if input.flag()? { OnceLock::from(counts.ty(input)?) } else { OnceLock::new() };
    let field_types =
        if input.flag()? { OnceLock::from(counts.types(input)?.into_boxed_slice()) } else { OnceLock::new() };
    let of_function = input.flag()?;
    Ok(TypeNameData { def, primary, wrapper, declared, supertype, field_types, of_function })
}
