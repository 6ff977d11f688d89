//! The `Types` interner: symbols, modules, constants, and the data of every type.

use crate::entry::{FIRST_FRESH_ORDINAL, TypeEntry};
use crate::freeze::{FrozenTypes, lazy};
use crate::gensym::GensymTable;
use crate::memo::{Applications, Memo};
use crate::module::ModuleEntry;
use crate::name_entry::NameEntry;
use crate::pool::{Pool, pool_hash};
use crate::{
    Const, ConstData, CoreTypes, FrontMutant, Symbol, Type, TypeData, TypeName, TypeNameData, aggregates,
    bootstrap, entry, name_entry,
};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

/// The interner. See the crate documentation.
pub struct Types {
    /// The first entries of every table, from an image.
    pub(crate) frozen: FrozenTypes,
    pub(crate) types: Pool<TypeEntry>,
    pub(crate) symbols: Pool<Box<str>>,
    pub(crate) consts: Pool<ConstData>,
    pub(crate) names: boxcar::Vec<NameEntry>,
    pub(crate) modules: boxcar::Vec<ModuleEntry>,
    pub(crate) next_ordinal: AtomicU32,
    pub(crate) next_number: AtomicU32,
    pub(crate) made_names: GensymTable,
    /// Answers of `Types::subtype` about closed types.
    pub(crate) subtypes: Memo<bool>,
    /// Answers of `specificity::is_more_specific`.
    pub(crate) orders: Memo<bool>,
    /// Answers of `intersect::meet` about closed types.
    pub(crate) meets: Memo<Type>,
    pub(crate) applications: Applications,
    /// The number of definitions whose supertype is not known yet.
    pub(crate) unfinished: AtomicU32,
    /// A mistake to make, in tests of tests.
    pub(crate) mutant: OnceLock<FrontMutant>,
    pub(crate) core: CoreTypes,
    pub(crate) bindings: Vec<(Symbol, Type)>,
}

impl std::fmt::Debug for Types {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Types").field("types", &self.types).finish_non_exhaustive()
    }
}

impl Default for Types {
    fn default() -> Self {
        Self::new()
    }
}

impl Types {
    /// `Union{}`: the first type of every interner.
    pub const BOTTOM: Type = Type::from_index(0);
    /// `Any`: the second.
    pub const ANY: Type = Type::from_index(1);

    /// Returns an interner with the types of `Core`, and the modules `Core`, `Base` and `Main`.
    pub fn new() -> Self {
        let mut types = Self::empty();
        bootstrap::define_core(&mut types);
        types
    }

    /// Tables without entries, which [`bootstrap::define_core`](crate::bootstrap::define_core) or an image fills.
    pub(crate) fn empty() -> Self {
        Self {
            frozen: FrozenTypes::default(),
            types: Pool::new(),
            symbols: Pool::new(),
            consts: Pool::new(),
            names: boxcar::Vec::new(),
            modules: boxcar::Vec::new(),
            next_ordinal: AtomicU32::new(FIRST_FRESH_ORDINAL),
            next_number: AtomicU32::new(1),
            made_names: GensymTable::default(),
            subtypes: Memo::new(),
            orders: Memo::new(),
            meets: Memo::new(),
            applications: Applications::default(),
            unfinished: AtomicU32::new(0),
            mutant: OnceLock::new(),
            core: CoreTypes::placeholder(Self::BOTTOM),
            bindings: Vec::new(),
        }
    }

    /// The types Rust code names.
    pub fn core(&self) -> &CoreTypes {
        &self.core
    }

    /// The symbol of this name.
    pub fn symbol(&self, name: &str) -> Symbol {
        let hash = pool_hash(name);
        self.frozen.find_symbol(hash, name).unwrap_or_else(|| {
            Symbol::from_index(self.symbols.intern(hash, |it| &**it == name, || name.into()))
        })
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        if symbol.index() < self.frozen.counts().symbols {
            return self.frozen.symbol_name(symbol.index());
        }
        self.symbols.get(symbol.index())
    }

    /// The constant with this content. An `Aggregate` of an isbits type becomes `Bits`.
    pub fn constant(&self, data: ConstData) -> Const {
        let data = aggregates::normalized(self, data);
        let hash = pool_hash(&data);
        self.frozen
            .find_const(hash, &data)
            .unwrap_or_else(|| Const::from_index(self.consts.intern(hash, |it| *it == data, || data.clone())))
    }

    /// Returns the contents of a constant.
    pub fn const_data(&self, constant: Const) -> &ConstData {
        if constant.index() < self.frozen.consts.len() {
            return self.frozen.constant(constant.index());
        }
        self.consts.get(constant.index())
    }

    /// Returns the contents of a type.
    pub fn data(&self, ty: Type) -> &TypeData {
        &self.entry(ty).data
    }

    #[inline]
    pub(crate) fn entry(&self, ty: Type) -> &TypeEntry {
        let at = ty.index();
        if at < self.frozen.types.len() {
            return self.frozen.types.get(at).unwrap_or_else(|| lazy::thaw_type(self, at));
        }
        self.types.get(at)
    }

    /// Returns a definition.
    pub fn type_name(&self, name: TypeName) -> &TypeNameData {
        if let Some(data) = lazy::frozen_name(self, name) {
            return data;
        }
        name_entry::own_name(self, name).data.get().expect("a definition is filled in before its id is known")
    }

    /// The type with this data, which must be in normal form already.
    pub(crate) fn intern(&self, data: TypeData) -> Type {
        let hash = pool_hash(&data);
        if let Some(found) = lazy::find_frozen(self, hash, &data) {
            return found;
        }
        Type::from_index(self.types.intern(hash, |it| it.data == data, || entry::new(self, data.clone())))
    }
}
