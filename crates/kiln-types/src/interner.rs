//! The `Types` interner: what exists, and the queries every other crate asks.

use crate::{Const, ConstData, CoreTypes, Module, Symbol, Type, TypeName};

/// What a [`Type`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeData {
    /// `Union{}`.
    Bottom,
    /// An instance of a type definition (Julia's `DataType`): `Int64`, `Array{T, 1}`, `Tuple{Int64, Vararg{Any}}`.
    Data {
        /// The definition.
        name: TypeName,
        /// Its parameters; a tuple's are its element types, the last of which may be a `Vararg`.
        params: Box<[Type]>,
    },
    /// A union of at least two types, flattened, in Julia's canonical order.
    Union(Box<[Type]>),
    /// `body where lb <: var <: ub`.
    UnionAll {
        /// A [`TypeData::Var`].
        var: Type,
        /// The type it scopes over.
        body: Type,
    },
    /// A type variable. Identity is the id.
    Var {
        /// The name it was written with.
        name: Symbol,
        /// Lower bound.
        lower: Type,
        /// Upper bound.
        upper: Type,
        /// Distinguishes variables of one name and bounds.
        ordinal: u32,
    },
    /// `Vararg{elem, count}`, only as the last parameter of a tuple.
    Vararg {
        /// `Any` when left out.
        elem: Type,
        /// A `Value` of `Int64`, a variable, or absent.
        count: Option<Type>,
    },
    /// A value in parameter position: `3` in `Array{T, 3}`, `:x` in `Val{:x}`.
    Value(Const),
}

/// How instances of a type definition come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeNameKind {
    /// No instances of its own.
    Abstract,
    /// Plain bits.
    Primitive {
        /// Size in bits, a multiple of 8.
        bits: u32,
    },
    /// Fields.
    Struct {
        /// Instances have identity.
        mutable: bool,
    },
    /// `Tuple`.
    Tuple,
    /// `NamedTuple`.
    NamedTuple,
}

/// A type definition as it is declared: `struct`, `mutable struct`, `abstract type`, `primitive type`.
#[derive(Clone, Debug)]
pub struct StructDef {
    /// Its name.
    pub name: Symbol,
    /// Where it is defined.
    pub module: Module,
    /// What it is.
    pub kind: TypeNameKind,
    /// Its parameters, as [`TypeData::Var`]s.
    pub params: Vec<Type>,
    /// Field names (structs only).
    pub field_names: Vec<Symbol>,
    /// How many leading fields `new` must set.
    pub fields_init_min: usize,
    /// `const` fields of a mutable struct.
    pub const_fields: Vec<bool>,
    /// `@atomic` fields.
    pub atomic_fields: Vec<bool>,
}

/// What is known of a type definition. Supertype and field types arrive later than the rest
/// (`Types::set_supertype`, `Types::set_fields`), so that definitions may mention themselves.
#[derive(Clone, Debug)]
pub struct TypeNameData {
    /// The definition as declared.
    pub def: StructDef,
    /// The type with its parameters free: the `DataType` inside the wrapper.
    pub primary: Type,
    /// The `UnionAll` over all parameters (`primary` itself if there are none): what the name is bound to.
    pub wrapper: Type,
    /// The supertype, in terms of `params`; `Any` until set.
    pub supertype: Type,
    /// Field types, in terms of `params`; `None` until set.
    pub field_types: Option<std::sync::Arc<[Type]>>,
}

/// Where a field lies in an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldLayout {
    /// Bytes from the start of the object's data.
    pub offset: u32,
    /// Bytes it occupies, the selector byte of an inline union included.
    pub size: u32,
    /// How it is stored.
    pub storage: FieldStorage,
}

/// How a field is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FieldStorage {
    /// The bits of an isbits (or inline immutable) value.
    Inline,
    /// A pointer to a heap object, null when undefined.
    Pointer,
    /// The bits of one member of a union of isbits types, followed by a `u8` index into `members`.
    Union {
        /// The members, in the union's order.
        members: Box<[Type]>,
    },
}

/// Size and shape of an instance of a concrete type, Julia's rules.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Bytes of the data (without any header).
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// No pointers inside: an isbits type if it is immutable too.
    pub pointer_free: bool,
    /// One a field; empty for primitive types.
    pub fields: Box<[FieldLayout]>,
}

/// Why a type could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeError {
    /// More parameters than the type has.
    TooManyParams {
        /// The type applied.
        wrapper: Type,
    },
    /// A parameter outside the bounds of its variable.
    OutOfBounds {
        /// The type applied.
        wrapper: Type,
        /// The variable.
        var: Type,
        /// What was given.
        given: Type,
    },
    /// The thing applied takes no parameters.
    NotParametric(Type),
    /// A value that can not be a type parameter, or a `Vararg` out of place.
    InvalidParam(Type),
}

/// The interner. See the crate documentation.
#[derive(Debug)]
pub struct Types {}

#[expect(clippy::todo, unused_variables, missing_docs, reason = "signatures only; the bodies follow")]
impl Types {
    pub fn new() -> Self {
        todo!()
    }
    pub fn core(&self) -> &CoreTypes {
        todo!()
    }

    // Symbols, modules, constants.
    pub fn symbol(&self, name: &str) -> Symbol {
        todo!()
    }
    pub fn name(&self, symbol: Symbol) -> &str {
        todo!()
    }
    /// `parent` of `None` is for roots (`Main`, `Core`, packages): they are their own parent.
    pub fn new_module(&self, name: Symbol, parent: Option<Module>) -> Module {
        todo!()
    }
    pub fn module_name(&self, module: Module) -> Symbol {
        todo!()
    }
    pub fn module_parent(&self, module: Module) -> Module {
        todo!()
    }
    /// Pre-registered: `Core`, `Base`, `Main`, in that order.
    pub fn core_module(&self) -> Module {
        todo!()
    }
    pub fn base_module(&self) -> Module {
        todo!()
    }
    pub fn main_module(&self) -> Module {
        todo!()
    }
    pub fn constant(&self, data: ConstData) -> Const {
        todo!()
    }
    pub fn const_data(&self, constant: Const) -> &ConstData {
        todo!()
    }
    pub fn typeof_const(&self, constant: Const) -> Type {
        todo!()
    }
    pub fn const_int(&self, value: i64) -> Const {
        todo!()
    }
    pub fn const_bool(&self, value: bool) -> Const {
        todo!()
    }
    pub fn const_symbol(&self, symbol: Symbol) -> Const {
        todo!()
    }
    pub fn const_type(&self, ty: Type) -> Const {
        todo!()
    }
    pub fn const_nothing(&self) -> Const {
        todo!()
    }
    /// The instance of a singleton type, if `ty` is one.
    pub fn singleton(&self, ty: Type) -> Option<Const> {
        todo!()
    }
    /// The constant as a type parameter: the type itself for `ConstData::Type`, else a `TypeData::Value`.
    pub fn const_param(&self, constant: Const) -> Type {
        todo!()
    }
    /// The inverse of `const_param`: any parameter as a constant.
    pub fn param_const(&self, param: Type) -> Const {
        todo!()
    }

    // Definitions.
    pub fn define(&self, def: StructDef) -> TypeName {
        todo!()
    }
    pub fn set_supertype(&self, name: TypeName, supertype: Type) {
        todo!()
    }
    pub fn set_fields(&self, name: TypeName, field_types: &[Type]) {
        todo!()
    }
    /// A snapshot of what is known now.
    pub fn type_name(&self, name: TypeName) -> &TypeNameData {
        todo!()
    }
    /// The definition of a `DataType` or of what a `UnionAll` wraps.
    pub fn name_of(&self, ty: Type) -> Option<TypeName> {
        todo!()
    }
    /// Makes a singleton type `name <: supertype` (the type of a function) and returns it.
    pub fn define_singleton(&self, name: Symbol, module: Module, supertype: Type) -> Type {
        todo!()
    }

    // Constructors.
    pub fn data(&self, ty: Type) -> &TypeData {
        todo!()
    }
    pub fn apply(&self, wrapper: Type, params: &[Type]) -> Result<Type, TypeError> {
        todo!()
    }
    pub fn tuple(&self, elems: &[Type]) -> Type {
        todo!()
    }
    pub fn named_tuple(&self, names: &[Symbol], types: Type) -> Type {
        todo!()
    }
    pub fn union(&self, members: &[Type]) -> Type {
        todo!()
    }
    pub fn type_var(&self, name: Symbol, lower: Type, upper: Type) -> Type {
        todo!()
    }
    pub fn union_all(&self, var: Type, body: Type) -> Type {
        todo!()
    }
    pub fn vararg(&self, elem: Type, count: Option<Type>) -> Type {
        todo!()
    }
    /// `Type{T}`.
    pub fn type_type(&self, ty: Type) -> Type {
        todo!()
    }
    /// `body` with `var` replaced.
    pub fn substitute(&self, body: Type, var: Type, with: Type) -> Type {
        todo!()
    }
    pub fn unwrap_unionall(&self, ty: Type) -> Type {
        todo!()
    }
    /// `ty` inside the `UnionAll`s that `like` has.
    pub fn rewrap_unionall(&self, ty: Type, like: Type) -> Type {
        todo!()
    }

    // Facts about one type.
    pub fn supertype(&self, ty: Type) -> Type {
        todo!()
    }
    pub fn params(&self, ty: Type) -> &[Type] {
        todo!()
    }
    /// Field types of a `DataType` with its parameters substituted; a tuple's are its elements.
    pub fn field_types(&self, ty: Type) -> &[Type] {
        todo!()
    }
    pub fn field_names(&self, ty: Type) -> &[Symbol] {
        todo!()
    }
    pub fn field_index(&self, ty: Type, field: Symbol) -> Option<usize> {
        todo!()
    }
    pub fn has_free_vars(&self, ty: Type) -> bool {
        todo!()
    }
    /// Something can have exactly this type.
    pub fn is_concrete(&self, ty: Type) -> bool {
        todo!()
    }
    pub fn is_abstract(&self, ty: Type) -> bool {
        todo!()
    }
    pub fn is_mutable(&self, ty: Type) -> bool {
        todo!()
    }
    pub fn is_primitive(&self, ty: Type) -> bool {
        todo!()
    }
    /// Concrete, immutable, pointer-free: values are plain bits.
    pub fn is_bits(&self, ty: Type) -> bool {
        todo!()
    }
    /// A `Tuple` type.
    pub fn is_tuple(&self, ty: Type) -> bool {
        todo!()
    }
    pub fn is_named_tuple(&self, ty: Type) -> bool {
        todo!()
    }
    /// `Type{T}` for some closed `T`: that `T`.
    pub fn type_type_param(&self, ty: Type) -> Option<Type> {
        todo!()
    }
    /// A tuple of concrete types and `Type{..}`s: a signature dispatch can cache.
    pub fn is_dispatch_tuple(&self, ty: Type) -> bool {
        todo!()
    }
    /// `None` unless concrete.
    pub fn layout(&self, ty: Type) -> Option<&Layout> {
        todo!()
    }
    /// A structural hash, equal in every process, that no id enters.
    pub fn hash128(&self, ty: Type) -> u128 {
        todo!()
    }

    // Relations.
    pub fn subtype(&self, a: Type, b: Type) -> bool {
        todo!()
    }
    /// Subtypes both ways (Julia's `==` on types).
    pub fn equal(&self, a: Type, b: Type) -> bool {
        todo!()
    }
    /// `isa(constant, ty)`.
    pub fn isa(&self, constant: Const, ty: Type) -> bool {
        todo!()
    }
    pub fn intersect(&self, a: Type, b: Type) -> Type {
        todo!()
    }
    /// `typeintersect` with the values that `b`'s outer variables take, in order: the static parameters of a
    /// method with signature `b` called with `a`. A variable left undetermined stays a `Var`.
    pub fn intersect_env(&self, a: Type, b: Type) -> (Type, Vec<Type>) {
        todo!()
    }
    /// `subtype(a, b)` with the environment as above.
    pub fn subtype_env(&self, a: Type, b: Type) -> Option<Vec<Type>> {
        todo!()
    }
    /// Disjoint for sure (cheap; `false` means unknown).
    pub fn obviously_disjoint(&self, a: Type, b: Type) -> bool {
        todo!()
    }
    /// Julia's `morespecific` for method signatures.
    pub fn more_specific(&self, a: Type, b: Type) -> bool {
        todo!()
    }
    pub fn typejoin(&self, a: Type, b: Type) -> Type {
        todo!()
    }

    /// The type as `print` shows it, module prefixes left out when `Main` sees the name.
    pub fn display(&self, ty: Type) -> String {
        todo!()
    }
    /// The constant as `repr` shows it, as far as can be told without running code.
    pub fn display_const(&self, constant: Const) -> String {
        todo!()
    }
}
