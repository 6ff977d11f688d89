//! `Value`: the contents of a register of the interpreter.

use kiln_types::{CoreTypes, Module, Symbol, Type, TypeName};

/// A Julia value, with its exact type. Small immutable values are held in the register itself
/// ([`Value::is_inline`]); every other value is the address of an object of the [`Heap`](super::Heap).
///
/// Inline are: isbits types of at most 8 bytes (numbers, `Bool`, `Char`, `Ptr`, small structs; 0 for
/// ghosts), padded with zeros; `Symbol`, `Module`, types of every kind, `TypeVar`, `Vararg`, `TypeName`,
/// `Method` and `MethodInstance` (the number that names them).
///
/// Two inline values are `===` exactly if type and bits are equal.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    ty: Type,
    held: Held,
    bits: u64,
}

/// Where a value is. Two variants in four bytes leave a `Result` of a value as small as the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Held {
    Inline,
    Object,
}

const _: () = assert!(size_of::<Value>() == 16 && size_of::<crate::Run>() == 16);

impl Value {
    /// An inline value. `bits` beyond the type's size must be zero, and the type must be one that is held
    /// inline; the heap asserts both where it matters.
    #[inline]
    pub const fn inline(ty: Type, bits: u64) -> Self {
        Self { ty, held: Held::Inline, bits }
    }
    /// The object at `address`, whose header names `ty`.
    #[inline]
    pub(super) const fn object(ty: Type, address: u64) -> Self {
        Self { ty, held: Held::Object, bits: address }
    }
    /// `typeof(self)`: for a type used as a value its kind (`DataType`, `UnionAll`, ...).
    #[inline]
    pub const fn ty(self) -> Type {
        self.ty
    }
    /// Whether `bits` is the value itself.
    #[inline]
    pub const fn is_inline(self) -> bool {
        matches!(self.held, Held::Inline)
    }
    /// The bits of an inline value, the address of any other.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.bits
    }
    /// The very same register contents: `===` for inline and mutable values, sufficient for `===` otherwise.
    #[inline]
    pub fn same(self, other: Value) -> bool {
        self.ty == other.ty && self.bits == other.bits
    }
    /// A symbol as a value.
    pub fn symbol(core: &CoreTypes, symbol: Symbol) -> Self {
        Self::inline(core.symbol, symbol.index() as u64)
    }
    /// A module as a value.
    pub fn module(core: &CoreTypes, module: Module) -> Self {
        Self::inline(core.module, module.index() as u64)
    }
    /// A definition as a value.
    pub fn type_name(core: &CoreTypes, name: TypeName) -> Self {
        Self::inline(core.type_name, name.index() as u64)
    }
    /// An `Int64`.
    pub fn int(core: &CoreTypes, value: i64) -> Self {
        Self::inline(core.int64, value as u64)
    }
    /// A `Bool`.
    pub fn bool(core: &CoreTypes, value: bool) -> Self {
        Self::inline(core.bool, u64::from(value))
    }
    /// `nothing`.
    pub fn nothing(core: &CoreTypes) -> Self {
        Self::inline(core.nothing, 0)
    }
    /// Returns the symbol, if the value is one.
    pub fn as_symbol(self, core: &CoreTypes) -> Option<Symbol> {
        (self.ty == core.symbol).then(|| Symbol::from_index(self.bits as usize))
    }
    /// Returns the module, if the value is one.
    pub fn as_module(self, core: &CoreTypes) -> Option<Module> {
        (self.ty == core.module).then(|| Module::from_index(self.bits as usize))
    }
    /// Returns the definition, if the value is one.
    pub fn as_type_name(self, core: &CoreTypes) -> Option<TypeName> {
        (self.ty == core.type_name).then(|| TypeName::from_index(self.bits as usize))
    }
    /// Returns the type, if the value is one (of any kind; neither a `TypeVar` nor a `Vararg`).
    pub fn as_type(self, core: &CoreTypes) -> Option<Type> {
        let kind = self.ty == core.data_type
            || self.ty == core.union_all
            || self.ty == core.union_type
            || self.ty == core.typeof_bottom;
        kind.then(|| Type::from_index(self.bits as usize))
    }
    /// Returns the type, `TypeVar` or `Vararg`, if the value is one: anything with a [`Type`] id.
    pub fn as_type_like(self, core: &CoreTypes) -> Option<Type> {
        if self.ty == core.type_var || self.ty == core.typeof_vararg {
            return Some(Type::from_index(self.bits as usize));
        }
        self.as_type(core)
    }
    /// Returns the `Int64`, if the value is one.
    pub fn as_int(self, core: &CoreTypes) -> Option<i64> {
        (self.ty == core.int64).then_some(self.bits as i64)
    }
    /// Returns the `Bool`, if the value is one.
    pub fn as_bool(self, core: &CoreTypes) -> Option<bool> {
        (self.ty == core.bool).then_some(self.bits & 1 != 0)
    }
    /// Whether it is `nothing`.
    pub fn is_nothing(self, core: &CoreTypes) -> bool {
        self.ty == core.nothing
    }
}
