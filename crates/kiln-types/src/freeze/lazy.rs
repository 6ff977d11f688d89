//! The entries of a thawed interner, decoded on demand.

use super::read::{read_const, read_facts, read_kind, read_name, read_type};
use super::{FrozenTable, ImageError, TableSizes, Thawed, accepted};
use crate::entry::{FIRST_FRESH_ORDINAL, TypeEntry, TypeFacts};
use crate::pool::pool_hash;
use crate::{Const, ConstData, Symbol, Type, TypeData, TypeName, TypeNameData, TypeNameKind, Types, entry};

/// The tables of the image that an interner was thawed from. Empty in one that was not.
#[derive(Default)]
pub(crate) struct FrozenTypes {
    counts: TableSizes,
    symbols: FrozenTable,
    pub(crate) names: Thawed<TypeNameData>,
    pub(crate) consts: Thawed<ConstData>,
    pub(crate) types: Thawed<TypeEntry>,
    name_table: FrozenTable,
    const_table: FrozenTable,
    type_table: FrozenTable,
}

/// Returns the hash by which a type is looked up. A variable that [`typevar::new`](crate::typevar::new) made equals no other and is not looked up.
pub(super) fn type_hash(data: &TypeData) -> Option<u64> {
    let fresh = matches!(data, TypeData::Var { ordinal, .. } if *ordinal >= FIRST_FRESH_ORDINAL);
    (!fresh).then(|| pool_hash(data))
}

impl FrozenTypes {
    pub(super) fn new(counts: TableSizes, tables: [FrozenTable; 4]) -> Self {
        let [symbols, name_table, const_table, type_table] = tables;
        Self {
            counts,
            symbols,
            names: Thawed::new(counts.names),
            consts: Thawed::new(counts.consts),
            types: Thawed::new(counts.types),
            name_table,
            const_table,
            type_table,
        }
    }

    /// Returns the number of entries of each table.
    pub(crate) fn counts(&self) -> TableSizes {
        self.counts
    }

    fn read_symbol(&self, at: usize) -> Result<&str, ImageError> {
        let bytes = self.symbols.entry(at)?.rest();
        std::str::from_utf8(bytes).map_err(|_| ImageError("a text is not UTF-8"))
    }

    /// The name of symbol `at`.
    pub(crate) fn symbol_name(&self, at: usize) -> &str {
        accepted(self.read_symbol(at))
    }

    /// The symbol of this name, if there is one.
    pub(crate) fn find_symbol(&self, hash: u64, name: &str) -> Option<Symbol> {
        self.symbols.candidates(hash).find(|&it| self.symbol_name(it) == name).map(Symbol::from_index)
    }

    fn read_const(&self, at: usize) -> Result<ConstData, ImageError> {
        let mut entry = self.const_table.entry(at)?;
        let data = read_const(&mut entry, &self.counts, at)?;
        entry.finish()?;
        Ok(data)
    }

    /// Constant `at`.
    #[inline]
    pub(crate) fn constant(&self, at: usize) -> &ConstData {
        self.consts.get(at).unwrap_or_else(|| self.consts.insert(at, accepted(self.read_const(at))))
    }

    /// The constant that is this.
    pub(crate) fn find_const(&self, hash: u64, data: &ConstData) -> Option<Const> {
        self.const_table.candidates(hash).find(|&it| self.constant(it) == data).map(Const::from_index)
    }

    fn read_type(&self, at: usize) -> Result<(TypeData, TypeFacts), ImageError> {
        let mut entry = self.type_table.entry(at)?;
        let read = (read_type(&mut entry, &self.counts, at)?, read_facts(&mut entry, at)?);
        entry.finish()?;
        Ok(read)
    }

    fn read_name(&self, at: usize) -> Result<TypeNameData, ImageError> {
        let mut entry = self.name_table.entry(at)?;
        let data = read_name(&mut entry, &self.counts)?;
        entry.finish()?;
        Ok(data)
    }

    /// Definition `at`.
    #[inline]
    pub(crate) fn name(&self, at: usize) -> &TypeNameData {
        self.names.get(at).unwrap_or_else(|| self.names.insert(at, accepted(self.read_name(at))))
    }

    /// Returns the kind of definition `at`, which is known before its types are.
    pub(crate) fn name_kind(&self, at: usize) -> TypeNameKind {
        match self.names.get(at) {
            Some(data) => data.def.kind,
            None => accepted(self.name_table.entry(at).and_then(|mut it| Ok(read_kind(&mut it)?))),
        }
    }
}

/// Type `at` of the image.
#[cold]
pub(crate) fn thaw_type(types: &Types, at: usize) -> &TypeEntry {
    let (data, facts) = accepted(types.frozen.read_type(at));
    types.frozen.types.insert(at, entry::with_facts(data, facts))
}

/// The type of the image that is this.
pub(crate) fn find_frozen(types: &Types, hash: u64, data: &TypeData) -> Option<Type> {
    types.frozen.type_table.candidates(hash).map(Type::from_index).find(|&it| types.data(it) == data)
}

/// Reads every entry, so that none can turn out to be damaged later.
pub(super) fn check_frozen(types: &Types) -> Result<(), ImageError> {
    let frozen = &types.frozen;
    let mut hashes = Vec::new();
    for at in 0..frozen.counts.symbols {
        hashes.push((pool_hash(frozen.read_symbol(at)?), at as u32));
    }
    frozen.symbols.check_index(&hashes)?;
    for at in 0..frozen.counts.names {
        frozen.read_name(at)?;
    }
    frozen.name_table.check_index(&[])?;
    let needs = check_frozen_consts(types)?;
    hashes.clear();
    for at in 0..frozen.counts.types {
        let (data, facts) = frozen.read_type(at)?;
        if let TypeData::Value(constant) = data
            && needs[constant.index()] > at
        {
            return Err(ImageError("a type parameter mentions a later type"));
        }
        hashes.extend(type_hash(&data).map(|it| (it, at as u32)));
        if facts != entry::facts(types, &data) {
            return Err(ImageError("a type with facts of another"));
        }
        frozen.types.insert(at, entry::with_facts(data, facts));
    }
    frozen.type_table.check_index(&hashes)?;
    (*types.data(Types::BOTTOM) == TypeData::Bottom).then_some(()).ok_or(ImageError("an image without Core"))
}

/// Reads every constant; the number of types that must come before a type that holds it.
fn check_frozen_consts(types: &Types) -> Result<Vec<usize>, ImageError> {
    let frozen = &types.frozen;
    let (mut needs, mut hashes) = (Vec::new(), Vec::new());
    for at in 0..frozen.counts.consts {
        let data = frozen.read_const(at)?;
        needs.push(match &data {
            ConstData::Bits { ty, .. } | ConstData::Type(ty) | ConstData::Object { ty, .. } => ty.index() + 1,
            ConstData::Aggregate { ty, fields } => {
                let inside = fields.iter().map(|it| needs[it.index()]).max().unwrap_or(0);
                inside.max(ty.index() + 1)
            }
            ConstData::Symbol(_) | ConstData::String(_) | ConstData::Module(_) => 0,
        });
        hashes.push((pool_hash(&data), at as u32));
    }
    frozen.const_table.check_index(&hashes)?;
    Ok(needs)
}

/// Continues the numbering after the image.
pub(super) fn continue_after(types: &mut Types, frozen: FrozenTypes) {
    let counts = frozen.counts;
    types.symbols.begin_at(counts.symbols);
    types.consts.begin_at(counts.consts);
    types.types.begin_at(counts.types);
    types.frozen = frozen;
}

/// Returns a definition of the image, which may be incomplete.
pub(crate) fn frozen_name(types: &Types, name: TypeName) -> Option<&TypeNameData> {
    (name.index() < types.frozen.counts.names).then(|| types.frozen.name(name.index()))
}
