//! Type definitions: `struct`, `abstract type`, `primitive type`, and the parts that are completed later.

use crate::{Const, ConstData, Module, Symbol, Type, TypeData, TypeName, Types};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// The kind of a type definition.
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
    /// The kind of definition.
    pub kind: TypeNameKind,
    /// Its parameters, as [`TypeData::Var`]s.
    pub params: Vec<Type>,
    /// Field names (structs only).
    pub field_names: Vec<Symbol>,
    /// The number of leading fields that `new` must set.
    pub fields_init_min: usize,
    /// `const` fields of a mutable struct.
    pub const_fields: Vec<bool>,
    /// `@atomic` fields.
    pub atomic_fields: Vec<bool>,
}

/// A type definition. Supertype and field types arrive later than the rest
/// (`Types::set_supertype`, `Types::set_fields`), so that definitions may mention themselves.
#[derive(Debug)]
pub struct TypeNameData {
    /// The definition as declared. Its `params` are those of `primary`, which may be other variables than the
    /// ones given to `Types::define`.
    pub def: StructDef,
    /// The type with its parameters free: the `DataType` inside the wrapper.
    pub primary: Type,
    /// The `UnionAll` over all parameters (`primary` itself if there are none): the value of the name.
    pub wrapper: Type,
    /// The variables that the definition was declared with.
    pub(crate) declared: Vec<Type>,
    pub(crate) supertype: OnceLock<Type>,
    pub(crate) field_types: OnceLock<Box<[Type]>>,
    /// Made by `Types::define_singleton`: shown as `typeof(name)`.
    pub(crate) of_function: bool,
}

impl TypeNameData {
    /// The supertype, in terms of `def.params`; `Any` until set.
    pub fn supertype(&self) -> Type {
        self.supertype.get().copied().unwrap_or(Types::ANY)
    }

    /// Whether it is the type of one named function.
    pub fn is_of_function(&self) -> bool {
        self.of_function
    }

    /// Whether the supertype has been set.
    pub fn has_supertype(&self) -> bool {
        self.supertype.get().is_some()
    }

    /// Field types, in terms of `def.params`; `None` until set.
    pub fn field_types(&self) -> Option<&[Type]> {
        self.field_types.get().map(|it| &**it)
    }
}

impl Types {
    /// Registers a definition. `def.params` are the variables its supertype and fields will mention.
    pub fn define(&self, def: StructDef) -> TypeName {
        self.define_as(def, false)
    }

    fn define_as(&self, mut def: StructDef, of_function: bool) -> TypeName {
        // Nothing can ask for the definition before its id is returned, but interning its primary type asks
        // whether that is concrete: the entry comes first, the types made from it second.
        let kind = def.kind;
        let declared = def.params.clone();
        let name = self.reserve_name(kind);
        self.unfinished.fetch_add(1, Ordering::AcqRel);
        let mut wrapper = self.intern(TypeData::Data { name, params: declared.clone().into() });
        for &var in declared.iter().rev() {
            wrapper = self.union_all(var, wrapper);
        }
        let (mut primary, mut params) = (wrapper, Vec::new());
        while let TypeData::UnionAll { var, body } = self.data(primary) {
            params.push(*var);
            primary = *body;
        }
        def.params = params;
        self.fill_name(
            name,
            TypeNameData {
                def,
                primary,
                wrapper,
                declared,
                supertype: OnceLock::new(),
                field_types: OnceLock::new(),
                of_function,
            },
        );
        name
    }

    /// Fills in a definition that is its own wrapper.
    pub(crate) fn fill_builtin_name(&self, name: TypeName, def: StructDef, ty: Type) {
        let supertype = OnceLock::from(Types::ANY);
        let data = TypeNameData {
            def,
            primary: ty,
            wrapper: ty,
            declared: Vec::new(),
            supertype,
            field_types: OnceLock::from(Box::default()),
            of_function: false,
        };
        self.fill_name(name, data);
    }

    /// Sets the supertype, in terms of the variables given to `define` or of `def.params`. Once.
    pub fn set_supertype(&self, name: TypeName, supertype: Type) {
        let data = self.type_name(name);
        let supertype = self.substitute_all(supertype, &data.declared, &data.def.params);
        if data.supertype.set(supertype).is_ok() {
            self.unfinished.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Sets the field types, in terms of the variables given to `define` or of `def.params`. Once.
    pub fn set_fields(&self, name: TypeName, field_types: &[Type]) {
        let data = self.type_name(name);
        let fields = field_types
            .iter()
            .map(|&ty| self.substitute_all(ty, &data.declared, &data.def.params))
            .collect::<Box<[_]>>();
        let _ = data.field_types.set(fields);
    }

    /// Returns the definition of a `DataType`, or of the type inside a `UnionAll`.
    pub fn name_of(&self, ty: Type) -> Option<TypeName> {
        match self.data(self.unwrap_unionall(ty)) {
            TypeData::Data { name, .. } => Some(*name),
            TypeData::Bottom
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => None,
        }
    }

    /// The types made so far by giving values to the parameters of a definition.
    pub fn instances(&self, name: TypeName) -> impl Iterator<Item = Type> {
        let has_params = !self.type_name(name).def.params.is_empty() || name == self.tuple_name();
        let all = (0..if has_params { self.types.len() } else { 0 }).map(Type::from_index);
        let is_instance =
            move |it: &Type| matches!(self.data(*it), TypeData::Data { name: of, .. } if *of == name);
        all.filter(move |it| is_instance(it) && !self.has_free_vars(*it))
    }

    /// Makes a singleton type `name <: supertype` (the type of a function) and returns it.
    pub fn define_singleton(&self, name: Symbol, module: Module, supertype: Type) -> Type {
        let def = StructDef {
            name,
            module,
            kind: TypeNameKind::Struct { mutable: false },
            params: Vec::new(),
            field_names: Vec::new(),
            fields_init_min: 0,
            const_fields: Vec::new(),
            atomic_fields: Vec::new(),
        };
        let of_function = self.subtype(supertype, self.core().function);
        let id = self.define_as(def, of_function);
        self.set_supertype(id, supertype);
        self.set_fields(id, &[]);
        self.type_name(id).wrapper
    }

    /// The name of the functions of a type: of a closure type `#f#1` it is `f`, of that of an anonymous function, `##1#2` or
    /// `#1#2`, it is `##1` or `#1`.
    pub fn function_name(&self, name: TypeName) -> Symbol {
        let data = self.type_name(name);
        let text = self.name(data.def.name);
        if data.of_function || data.supertype() != self.core().function {
            return data.def.name;
        }
        let Some(inner) = text.strip_prefix('#') else { return data.def.name };
        let is_anonymous = inner.starts_with(|it: char| it.is_ascii_digit())
            || inner.contains("##") && {
                // `#f##1#f##2`, as against `#g#f##2`.
                let function = inner.split("##").next().unwrap_or_default();
                inner.matches(&format!("{function}##")).count() > 1
            };
        let said = match (is_anonymous, inner.split_once("##")) {
            (true, Some((function, rest))) => {
                let number = rest.split('#').next().unwrap_or_default();
                return self.symbol(&format!("#{function}##{number}"));
            }
            (true, None) => return self.symbol(&format!("#{}", inner.split('#').next().unwrap_or_default())),
            (false, _) => inner.split('#').next().unwrap_or_default(),
        };
        self.symbol(said)
    }

    /// The instance of a singleton type, if `ty` is one.
    pub fn singleton(&self, ty: Type) -> Option<Const> {
        if ty == self.core().typeof_bottom {
            return Some(self.const_type(Types::BOTTOM));
        }
        if !self.is_concrete(ty) || self.is_mutable(ty) || self.is_primitive(ty) {
            return None;
        }
        let layout = self.layout(ty)?;
        (layout.size == 0 && layout.pointer_free)
            .then(|| self.constant(ConstData::Bits { ty, bytes: Box::default() }))
    }
}
