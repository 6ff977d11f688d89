//! The `Types` interner: symbols, modules, constants, and the data of every type.

use crate::definition::TypeNameData;
use crate::freeze::FrozenTypes;
use crate::gensym::GensymTable;
use crate::layout::Layout;
use crate::memo::{Applications, Memo};
use crate::pool::{Pool, pool_hash};
use crate::{
    Const, ConstData, CoreTypes, FrontMutant, Module, Symbol, Type, TypeData, TypeName, TypeNameKind,
};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Ordinals from here on belong to variables that `Types::type_var` made.
pub(crate) const FIRST_FRESH_ORDINAL: u32 = 1 << 31;
/// Ordinals from here on are for variables that substitution and subtyping rename bound variables to.
pub(crate) const FIRST_SCRATCH_ORDINAL: u32 = 1 << 30;

/// A type, with cached facts.
pub(crate) struct TypeEntry {
    pub(crate) data: TypeData,
    /// Free variables, sorted.
    pub(crate) free: Box<[Type]>,
    /// Above the ordinal of every variable bound inside.
    pub(crate) height: u32,
    /// Constructors nested inside each other.
    pub(crate) nesting: u32,
    pub(crate) concrete: bool,
    /// Built from `DataType`s and values alone, without `Type`, `Vararg` and variables: two such types are equal only
    /// if they are identical.
    pub(crate) plain: bool,
    pub(crate) supertype: OnceLock<Type>,
    pub(crate) fields: OnceLock<Box<[Type]>>,
    pub(crate) field_names: OnceLock<Box<[Symbol]>>,
    pub(crate) layout: OnceLock<Option<Layout>>,
    pub(crate) hash: OnceLock<u128>,
}

pub(crate) struct ModuleEntry {
    name: Symbol,
    parent: Module,
}

/// A definition, complete or while its own types are being made.
pub(crate) struct NameEntry {
    kind: TypeNameKind,
    pub(crate) data: OnceLock<TypeNameData>,
}

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
    /// Answers of `subtype` about closed types.
    pub(crate) subtypes: Memo<bool>,
    /// Answers of `more_specific`.
    pub(crate) orders: Memo<bool>,
    /// Intersections of closed types.
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
        types.bootstrap();
        types
    }

    /// Tables without entries, which [`Types::bootstrap`] or an image fills.
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

    /// Returns the bindings of `Core` to types, in a fixed order.
    pub fn core_bindings(&self) -> &[(Symbol, Type)] {
        &self.bindings
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

    /// `parent` of `None` is for roots (`Main`, `Core`, packages): they are their own parent.
    pub fn new_module(&self, name: Symbol, parent: Option<Module>) -> Module {
        Module::from_index(
            self.modules
                .push_with(|index| ModuleEntry { name, parent: parent.unwrap_or(Module::from_index(index)) }),
        )
    }

    /// The last component of the path of a module.
    pub fn module_name(&self, module: Module) -> Symbol {
        self.modules[module.index()].name
    }

    /// The module around a module; a root's is itself.
    pub fn module_parent(&self, module: Module) -> Module {
        self.modules[module.index()].parent
    }

    /// `Core`.
    pub fn core_module(&self) -> Module {
        Module::from_index(0)
    }

    /// `Base`.
    pub fn base_module(&self) -> Module {
        Module::from_index(1)
    }

    /// `Main`.
    pub fn main_module(&self) -> Module {
        Module::from_index(2)
    }

    /// The constant with this content. An `Aggregate` of an isbits type becomes `Bits`.
    pub fn constant(&self, data: ConstData) -> Const {
        let data = self.normalize_const(data);
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
            return self.frozen.types.get(at).unwrap_or_else(|| self.thaw_type(at));
        }
        self.types.get(at)
    }

    /// Returns a definition.
    pub fn type_name(&self, name: TypeName) -> &TypeNameData {
        if let Some(data) = self.frozen_name(name) {
            return data;
        }
        self.own_name(name).data.get().expect("a definition is filled in before its id is known")
    }

    pub(crate) fn name_kind(&self, name: TypeName) -> TypeNameKind {
        if name.index() < self.frozen.names.len() {
            return self.frozen.name_kind(name.index());
        }
        self.own_name(name).kind
    }

    pub(crate) fn reserve_name(&self, kind: TypeNameKind) -> TypeName {
        TypeName::from_index(
            self.frozen.names.len() + self.names.push(NameEntry { kind, data: OnceLock::new() }),
        )
    }

    /// For the definitions of `Core`, while the interner has one owner.
    pub(crate) fn type_name_mut(&mut self, name: TypeName) -> Option<&mut TypeNameData> {
        self.names.get_mut(name.index() - self.frozen.names.len())?.data.get_mut()
    }

    pub(crate) fn fill_name(&self, name: TypeName, data: TypeNameData) {
        let _ = self.own_name(name).data.set(data);
    }

    /// A definition made since the image.
    fn own_name(&self, name: TypeName) -> &NameEntry {
        &self.names[name.index() - self.frozen.names.len()]
    }

    /// A number not given before, for names that a macro's result makes up (`#12#x`).
    pub fn fresh_number(&self) -> u32 {
        self.next_number.fetch_add(1, Ordering::Relaxed)
    }

    /// A new variable, distinct from all others.
    pub fn type_var(&self, name: Symbol, lower: Type, upper: Type) -> Type {
        let ordinal = self.next_ordinal.fetch_add(1, Ordering::Relaxed);
        let data = TypeData::Var { name, lower, upper, ordinal };
        Type::from_index(self.types.push(self.make_entry(data)))
    }

    /// Interns a type with this data, as read from another interner, for readers of serialized types: before the
    /// definitions are complete, unions must not be sorted or bounds checked. Not for `Var` and `UnionAll`, whose
    /// identity an interner chooses itself.
    pub fn intern_as_read(&self, data: TypeData) -> Type {
        debug_assert!(!matches!(data, TypeData::Var { .. } | TypeData::UnionAll { .. }));
        self.intern(data)
    }

    /// The type with this data, which must be in normal form already.
    pub(crate) fn intern(&self, data: TypeData) -> Type {
        let hash = pool_hash(&data);
        if let Some(found) = self.find_frozen(hash, &data) {
            return found;
        }
        Type::from_index(self.types.intern(hash, |it| it.data == data, || self.make_entry(data.clone())))
    }

    pub(crate) fn make_entry(&self, data: TypeData) -> TypeEntry {
        let (free, height) = self.free_and_height(&data);
        TypeEntry {
            concrete: free.is_empty() && self.concrete_data(&data),
            plain: self.plain_data(&data),
            free,
            height,
            nesting: self.nesting(&data),
            data,
            supertype: OnceLock::new(),
            fields: OnceLock::new(),
            field_names: OnceLock::new(),
            layout: OnceLock::new(),
            hash: OnceLock::new(),
        }
    }

    fn free_and_height(&self, data: &TypeData) -> (Box<[Type]>, u32) {
        let mut free = Vec::new();
        let mut height = 0;
        let mut add = |ty: Type| {
            // A variable's own entry lists nothing.
            if matches!(self.data(ty), TypeData::Var { .. }) {
                free.push(ty);
            }
            free.extend_from_slice(&self.entry(ty).free);
            height = height.max(self.entry(ty).height);
        };
        match data {
            TypeData::Bottom | TypeData::Value(_) => {}
            TypeData::Data { params: parts, .. } | TypeData::Union(parts) => {
                parts.iter().copied().for_each(&mut add);
            }
            TypeData::Vararg { elem, count } => {
                add(*elem);
                count.iter().copied().for_each(&mut add);
            }
            // Bounds count where the variable is bound, not where it occurs.
            TypeData::Var { lower, upper, .. } => {
                return (Box::default(), self.entry(*lower).height.max(self.entry(*upper).height));
            }
            TypeData::UnionAll { var, body } => {
                add(*body);
                let bound = *var;
                free.retain(|&it| it != bound);
                if let TypeData::Var { lower, upper, ordinal, .. } = self.data(bound) {
                    for bound in [*lower, *upper] {
                        if matches!(self.data(bound), TypeData::Var { .. }) {
                            free.push(bound);
                        }
                        free.extend_from_slice(&self.entry(bound).free);
                        height = height.max(self.entry(bound).height);
                    }
                    if *ordinal < FIRST_SCRATCH_ORDINAL {
                        height = height.max(ordinal + 1);
                    }
                }
            }
        }
        free.sort_unstable();
        free.dedup();
        (free.into(), height)
    }

    fn nesting(&self, data: &TypeData) -> u32 {
        let of = |ty: Type| self.entry(ty).nesting;
        let inside = match data {
            TypeData::Bottom | TypeData::Value(_) => 0,
            TypeData::Data { params: parts, .. } | TypeData::Union(parts) => {
                parts.iter().map(|&it| of(it)).max().unwrap_or(0)
            }
            TypeData::UnionAll { var, body } => of(*var).max(of(*body)),
            TypeData::Var { lower, upper, .. } => of(*lower).max(of(*upper)),
            TypeData::Vararg { elem, count } => of(*elem).max(count.map_or(0, of)),
        };
        inside + 1
    }

    fn concrete_data(&self, data: &TypeData) -> bool {
        let TypeData::Data { name, params } = data else { return false };
        match self.name_kind(*name) {
            TypeNameKind::Abstract => false,
            TypeNameKind::Primitive { .. } | TypeNameKind::Struct { .. } => true,
            TypeNameKind::Tuple => params.iter().all(|&it| self.entry(it).concrete),
            TypeNameKind::NamedTuple => {
                matches!(params[..], [names, tuple] if self.lists_fields(tuple)
                    && matches!(self.data(names), TypeData::Value(_)))
            }
        }
    }

    /// Whether a tuple type has a known number of elements.
    fn lists_fields(&self, tuple: Type) -> bool {
        let is_vararg = |it: &Type| matches!(self.data(*it), TypeData::Vararg { .. });
        let TypeData::Data { name, params } = self.data(tuple) else { return false };
        self.name_kind(*name) == TypeNameKind::Tuple && !params.last().is_some_and(is_vararg)
    }

    fn plain_data(&self, data: &TypeData) -> bool {
        match data {
            TypeData::Data { name, params } => {
                *name != self.type_type_name() && params.iter().all(|&it| self.entry(it).plain)
            }
            TypeData::Value(_) => true,
            TypeData::Bottom
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. } => false,
        }
    }

    pub(crate) fn is_plain(&self, ty: Type) -> bool {
        self.entry(ty).plain
    }

    /// Whether variables occur that no `UnionAll` inside `ty` binds.
    pub fn has_free_vars(&self, ty: Type) -> bool {
        !self.entry(ty).free.is_empty() || matches!(self.data(ty), TypeData::Var { .. })
    }

    /// Whether this variable occurs free.
    pub fn occurs(&self, var: Type, ty: Type) -> bool {
        ty == var || self.entry(ty).free.binary_search(&var).is_ok()
    }

    /// The free variables of a type, in no particular but a fixed order.
    pub fn free_vars(&self, ty: Type) -> Vec<Type> {
        if matches!(self.data(ty), TypeData::Var { .. }) { vec![ty] } else { self.entry(ty).free.to_vec() }
    }

    /// Returns the variable that a `UnionAll` over `body` binds in place of `var`: the first of this name and bounds
    /// that neither occurs in the body nor is bound in it. It depends on the structure of the body only, so types
    /// that are equal up to renaming have one id.
    pub(crate) fn canonical_var(
        &self,
        name: Symbol,
        lower: Type,
        upper: Type,
        body: Type,
        var: Type,
    ) -> Type {
        let mut ordinal = self.entry(body).height;
        loop {
            let candidate = self.intern(TypeData::Var { name, lower, upper, ordinal });
            if candidate == var || !self.occurs(candidate, body) {
                return candidate;
            }
            ordinal += 1;
        }
    }
}
