//! Reads the tables of a section into an interner. Every item refers to earlier ones only.

use super::WireError;
use super::bytes::In;
use super::write_types::{core_names, tag};
use kiln_types::{
    Const, ConstData, Module, ObjectHandle, StructDef, Symbol, Type, TypeData, TypeName, TypeNameKind, Types,
};
use rustc_hash::FxHashMap;

/// Types may nest this deep; what walks them recurses.
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
}

impl<'a> Known<'a> {
    pub(super) fn new(types: &'a Types) -> Self {
        let roots = [types.core_module(), types.base_module(), types.main_module()];
        Self {
            types,
            core: core_names(types).map(|(name, symbol)| (symbol, name)).collect(),
            modules: roots.iter().map(|&it| ((None, types.module_name(it)), it)).collect(),
            names: FxHashMap::default(),
        }
    }
}

/// The tables of one section.
pub(super) struct Tables {
    items: Vec<Item>,
}

const KIND: WireError = WireError("a reference is to an item of another kind");

impl Tables {
    pub(super) fn read(input: &mut In<'_>, known: &mut Known<'_>) -> Result<Self, WireError> {
        let count = input.count()?;
        let mut reader = TableReader {
            types: known.types,
            known,
            items: Vec::with_capacity(count),
            bits: Vec::new(),
            made: Vec::new(),
        };
        for _ in 0..count {
            let item = reader.item(input)?;
            reader.items.push(item);
        }
        reader.check()?;
        Ok(Self { items: reader.items })
    }

    pub(super) fn symbol(&self, input: &mut In<'_>) -> Result<Symbol, WireError> {
        symbol(&self.items, input)
    }
    pub(super) fn module(&self, input: &mut In<'_>) -> Result<Module, WireError> {
        module(&self.items, input.number()?)
    }
    pub(super) fn ty(&self, input: &mut In<'_>) -> Result<Type, WireError> {
        Ok(ty(&self.items, input.number()?)?.0)
    }
    pub(super) fn constant(&self, input: &mut In<'_>) -> Result<Const, WireError> {
        constant(&self.items, input)
    }
}

fn find(items: &[Item], index: u64) -> Result<Item, WireError> {
    let index = usize::try_from(index).map_err(|_| KIND)?;
    items.get(index).copied().ok_or(WireError("a reference is to a later item"))
}

fn symbol(items: &[Item], input: &mut In<'_>) -> Result<Symbol, WireError> {
    if let Item::Symbol(it) = find(items, input.number()?)? { Ok(it) } else { Err(KIND) }
}

fn module(items: &[Item], index: u64) -> Result<Module, WireError> {
    if let Item::Module(it) = find(items, index)? { Ok(it) } else { Err(KIND) }
}

fn name(items: &[Item], input: &mut In<'_>) -> Result<TypeName, WireError> {
    if let Item::Name(it) = find(items, input.number()?)? { Ok(it) } else { Err(KIND) }
}

fn ty(items: &[Item], index: u64) -> Result<(Type, u32), WireError> {
    if let Item::Type(it, depth) = find(items, index)? { Ok((it, depth)) } else { Err(KIND) }
}

fn constant(items: &[Item], input: &mut In<'_>) -> Result<Const, WireError> {
    if let Item::Const(it) = find(items, input.number()?)? { Ok(it) } else { Err(KIND) }
}

struct TableReader<'a, 'b> {
    types: &'a Types,
    known: &'b mut Known<'a>,
    items: Vec<Item>,
    /// Constants whose size can be checked when all definitions are complete.
    bits: Vec<Const>,
    made: Vec<TypeName>,
}

impl TableReader<'_, '_> {
    fn item(&mut self, input: &mut In<'_>) -> Result<Item, WireError> {
        let tag = input.byte()?;
        Ok(match tag {
            tag::SYMBOL => Item::Symbol(self.types.symbol(input.str()?)),
            tag::MODULE => self.module_item(input)?,
            tag::CORE_NAME => {
                let symbol = symbol(&self.items, input)?;
                Item::Name(*self.known.core.get(&symbol).ok_or(WireError("unknown name of Core"))?)
            }
            tag::NAME => self.declaration(input)?,
            tag::NAME_PARTS => self.parts(input)?,
            tag::BITS..=tag::OBJECT => Item::Const(self.const_item(tag, input)?),
            _ => self.type_item(tag, input)?,
        })
    }

    fn module_item(&mut self, input: &mut In<'_>) -> Result<Item, WireError> {
        let parent = match input.number()? {
            0 => None,
            index => Some(module(&self.items, index - 1)?),
        };
        let symbol = symbol(&self.items, input)?;
        let types = self.types;
        let made =
            self.known.modules.entry((parent, symbol)).or_insert_with(|| types.new_module(symbol, parent));
        Ok(Item::Module(*made))
    }

    fn declaration(&mut self, input: &mut In<'_>) -> Result<Item, WireError> {
        let module = module(&self.items, input.number()?)?;
        let symbol_ = symbol(&self.items, input)?;
        let kind = match input.byte()? {
            0 => TypeNameKind::Abstract,
            1 => TypeNameKind::Primitive { bits: input.u32()? },
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
        let field_names = input.list(|input| symbol(&self.items, input))?;
        let fields_init_min = input.count_up_to(field_names.len())?;
        let same = self.known.names.entry((module, symbol_)).or_default();
        let types = self.types;
        let known = same.iter().copied().find(|&it| {
            let def = &types.type_name(it).def;
            def.kind == kind && def.field_names == field_names && def.params.len() == params.len()
        });
        let name = known.unwrap_or_else(|| {
            let count = field_names.len();
            types.define(StructDef {
                name: symbol_,
                module,
                kind,
                params,
                field_names,
                fields_init_min,
                const_fields: vec![false; count],
                atomic_fields: vec![false; count],
            })
        });
        if known.is_none() {
            same.push(name);
        }
        self.made.push(name);
        Ok(Item::Name(name))
    }

    fn parts(&mut self, input: &mut In<'_>) -> Result<Item, WireError> {
        let name = name(&self.items, input)?;
        if !self.made.contains(&name) {
            return Err(WireError("parts of a definition that is not made here"));
        }
        let supertype = ty(&self.items, input.number()?)?.0;
        let fields = if input.bool()? { Some(self.type_list(input)?.0) } else { None };
        let data = self.types.type_name(name);
        if fields.as_ref().is_some_and(|it| it.len() != data.def.field_names.len()) {
            return Err(WireError("a definition has not one type a field"));
        }
        if !matches!(self.types.data(supertype), TypeData::Data { .. }) {
            return Err(WireError("a supertype is no type with instances"));
        }
        self.types.set_supertype(name, supertype);
        if let Some(fields) = fields {
            self.types.set_fields(name, &fields);
        }
        Ok(Item::Parts)
    }

    fn type_list(&self, input: &mut In<'_>) -> Result<(Vec<Type>, u32), WireError> {
        let list = input.list(|input| ty(&self.items, input.number()?))?;
        let depth = list.iter().map(|it| it.1).max().unwrap_or(0);
        Ok((list.into_iter().map(|it| it.0).collect(), depth))
    }

    fn type_item(&mut self, tag: u8, input: &mut In<'_>) -> Result<Item, WireError> {
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
                (types.intern_as_read(TypeData::Union(members.into())), depth)
            }
            tag::UNION_ALL => {
                let var = ty(&self.items, input.number()?)?.0;
                let (body, depth) = ty(&self.items, input.number()?)?;
                if !matches!(types.data(var), TypeData::Var { .. }) {
                    return Err(WireError("a UnionAll binds no variable"));
                }
                (types.union_all(var, body), depth)
            }
            tag::VAR => {
                let symbol = symbol(&self.items, input)?;
                let (lower, a) = ty(&self.items, input.number()?)?;
                let (upper, b) = ty(&self.items, input.number()?)?;
                (types.type_var(symbol, lower, upper), a.max(b))
            }
            tag::VARARG => {
                let (elem, depth) = ty(&self.items, input.number()?)?;
                let count = match input.number()? {
                    0 => None,
                    index => Some(ty(&self.items, index - 1)?.0),
                };
                (types.vararg(elem, count), depth)
            }
            tag::VALUE => (types.const_param(constant(&self.items, input)?), 0),
            _ => return Err(WireError("unknown kind of item")),
        };
        if depth >= DEPTH_MAX {
            Err(WireError("types nest too deep"))
        } else {
            Ok(Item::Type(made, depth + 1))
        }
    }

    fn data(&self, input: &mut In<'_>) -> Result<(Type, u32), WireError> {
        let types = self.types;
        let name = name(&self.items, input)?;
        let (params, depth) = self.type_list(input)?;
        let def = &types.type_name(name).def;
        let vararg = |it: &Type| matches!(types.data(*it), TypeData::Vararg { .. });
        let is_tuple = def.kind == TypeNameKind::Tuple;
        let checked = if is_tuple { params.len().saturating_sub(1) } else { params.len() };
        if params[..checked].iter().any(vararg) || (!is_tuple && params.len() != def.params.len()) {
            return Err(WireError("a type has the wrong parameters"));
        }
        Ok((types.intern_as_read(TypeData::Data { name, params: params.into() }), depth))
    }

    fn const_item(&mut self, tag: u8, input: &mut In<'_>) -> Result<Const, WireError> {
        let data = match tag {
            tag::BITS => {
                let ty = ty(&self.items, input.number()?)?.0;
                ConstData::Bits { ty, bytes: input.bytes()?.into() }
            }
            tag::CONST_SYMBOL => ConstData::Symbol(symbol(&self.items, input)?),
            tag::CONST_TYPE => ConstData::Type(ty(&self.items, input.number()?)?.0),
            tag::STRING => ConstData::String(input.bytes()?.into()),
            tag::CONST_MODULE => ConstData::Module(module(&self.items, input.number()?)?),
            tag::AGGREGATE => {
                let ty = ty(&self.items, input.number()?)?.0;
                let fields = input.list(|input| constant(&self.items, input))?;
                if fields.len() != self.types.field_types(ty).len() {
                    return Err(WireError("a constant has not one value a field"));
                }
                ConstData::Aggregate { ty, fields: fields.into() }
            }
            _ => {
                let ty = ty(&self.items, input.number()?)?.0;
                ConstData::Object { ty, handle: ObjectHandle::from_index(input.u32()? as usize) }
            }
        };
        let constant = self.types.constant(data);
        if tag == tag::BITS {
            self.bits.push(constant);
        }
        Ok(constant)
    }

    /// What could not be checked before all definitions were complete.
    fn check(&self) -> Result<(), WireError> {
        let types = self.types;
        for &name in &self.made {
            let mut at = name;
            for _ in 0..=DEPTH_MAX {
                match types.name_of(types.type_name(at).supertype()) {
                    Some(next) if next != at => at = next,
                    _ => break,
                }
            }
            let above = types.name_of(types.type_name(at).supertype());
            if above != Some(at) || at != types.name_of(Types::ANY).unwrap_or(at) {
                return Err(WireError("a chain of supertypes does not end"));
            }
        }
        for &constant in &self.bits {
            if let ConstData::Bits { ty, bytes } = types.const_data(constant) {
                let fits =
                    types.layout(*ty).is_some_and(|it| it.size as usize == bytes.len() && it.pointer_free);
                if !fits || types.is_mutable(*ty) {
                    return Err(WireError("a constant has not the size of its type"));
                }
            }
        }
        Ok(())
    }
}
