//! Making `DataType`s and asking about them: application, tuples, fields, supertypes.

use crate::{Const, ConstData, Symbol, Type, TypeData, TypeError, TypeName, TypeNameKind, Types};
use std::sync::atomic::Ordering;

/// Longest tuple that a constant length is expanded to.
const MAX_EXPANDED: i64 = 1 << 20;

/// Deepest nesting of constructors a parameter may have: everything that walks through types is recursive.
const MAX_NESTING: u32 = 1000;

impl Types {
    /// `wrapper{params...}`: fewer parameters than it has leave the rest as a `UnionAll`.
    pub fn apply(&self, wrapper: Type, params: &[Type]) -> Result<Type, TypeError> {
        if params.is_empty() && wrapper != self.core.tuple && wrapper != self.core.union_type {
            return Ok(wrapper);
        }
        if wrapper == self.core.tuple {
            return self.checked_tuple(params);
        }
        if wrapper == self.core.union_type {
            return Ok(self.union(params));
        }
        if let &TypeData::Vararg { elem, count } = self.data(wrapper) {
            return self.apply_vararg(wrapper, elem, count, params);
        }
        if !matches!(self.data(wrapper), TypeData::UnionAll { .. }) {
            return Err(TypeError::NotParametric(wrapper));
        }
        if let Some(known) = self.applications.get(wrapper, params) {
            return Ok(known);
        }
        let applied = self.instantiate(wrapper, params)?;
        // Of definitions that are not finished not everything is checked; variables are new each time.
        if !self.has_free_vars(applied) && self.unfinished.load(Ordering::Acquire) == 0 {
            self.applications.insert(wrapper, params, applied);
        }
        Ok(applied)
    }

    fn instantiate(&self, wrapper: Type, params: &[Type]) -> Result<Type, TypeError> {
        let (mut body, mut vars) = (wrapper, Vec::with_capacity(params.len()));
        for _ in params {
            let &TypeData::UnionAll { var, body: inner } = self.data(body) else {
                return Err(TypeError::TooManyParams { wrapper });
            };
            vars.push(var);
            body = inner;
        }
        for (i, (&var, &given)) in vars.iter().zip(params).enumerate() {
            self.check_param(given)?;
            self.check_bounds(wrapper, var, given, &vars[..i], &params[..i])?;
        }
        // The types that `Type{..}` names stay as they are, but for other spellings of a type without its parameters.
        let is_type = wrapper == self.core.type_;
        let normal = |&it: &Type| self.as_wrapper(if is_type { it } else { self.without_idle_vars(it) });
        let params: Vec<Type> = params.iter().map(normal).collect();
        let applied = self.substitute_all(body, &vars, &params);
        if applied == Self::BOTTOM && matches!(self.data(body), TypeData::Data { .. }) {
            let error = self.tuple_error(body, &vars, &params);
            return Err(error.unwrap_or(TypeError::InvalidParam(params[params.len() - 1])));
        }
        self.check_union_members(body, &vars, &params)?;
        self.check_instance(applied)?;
        Ok(applied)
    }

    /// A type that equals its definition without parameters, as that: `Array{<:Any}` is `Array`.
    fn as_wrapper(&self, ty: Type) -> Type {
        if !matches!(self.data(ty), TypeData::UnionAll { .. }) || self.has_free_vars(ty) {
            return ty;
        }
        let TypeData::Data { name, .. } = self.data(self.unwrap_unionall(ty)) else { return ty };
        let wrapper = self.type_name(*name).wrapper;
        if wrapper != ty && self.equal(wrapper, ty) { wrapper } else { ty }
    }

    fn apply_vararg(
        &self,
        wrapper: Type,
        elem: Type,
        count: Option<Type>,
        params: &[Type],
    ) -> Result<Type, TypeError> {
        let (elem, count) = match (params, count) {
            (&[one], None) if elem == Self::ANY => (one, None),
            (&[count], None) => (elem, Some(count)),
            (&[elem, count], None) => (elem, Some(count)),
            _ => return Err(TypeError::TooManyParams { wrapper }),
        };
        self.check_vararg(elem, count)?;
        Ok(self.vararg(self.without_idle_vars(elem), count))
    }

    /// The length has to be a variable or an `Int` that is not negative, and nothing holds values of `Union{}`.
    fn check_vararg(&self, elem: Type, count: Option<Type>) -> Result<(), TypeError> {
        let Some(count) = count else { return Ok(()) };
        let TypeData::Value(constant) = self.data(count) else {
            let is_var = matches!(self.data(count), TypeData::Var { .. });
            return if is_var { Ok(()) } else { Err(self.not_a("Vararg", "count", self.core.int64, count)) };
        };
        match self.const_as_int(*constant) {
            None => Err(self.not_a("Vararg", "count", self.core.int64, count)),
            Some(len) if len < 0 => Err(TypeError::Malformed(format!("Vararg length is negative: {len}"))),
            Some(len) if len > 0 && elem == Self::BOTTOM => Err(bottom_field()),
            Some(_) => Ok(()),
        }
    }

    /// Why a tuple type that was written as `body` does not exist.
    fn tuple_error(&self, body: Type, vars: &[Type], params: &[Type]) -> Option<TypeError> {
        let last = self.is_tuple(body).then(|| self.params(body).last().copied())??;
        let &TypeData::Vararg { elem, count } = self.data(last) else { return None };
        let with = |it: Type| self.substitute_all(it, vars, params);
        self.check_vararg(with(elem), count.map(with)).err()
    }

    fn not_a(&self, what: &'static str, part: &'static str, expected: Type, given: Type) -> TypeError {
        TypeError::NotA { what, part, expected, given }
    }

    /// The members of a union have to be types: `P{1}` of `P{T} = Union{T, Int}` has one that is not.
    fn check_union_members(&self, body: Type, vars: &[Type], params: &[Type]) -> Result<(), TypeError> {
        let TypeData::Union(members) = self.data(body) else { return Ok(()) };
        for (&var, &given) in vars.iter().zip(params) {
            if members.contains(&var) && matches!(self.data(given), TypeData::Value(_)) {
                return Err(self.not_a("Union", "", self.core.type_, given));
            }
        }
        Ok(())
    }

    fn check_param(&self, param: Type) -> Result<(), TypeError> {
        if self.entry(param).nesting > MAX_NESTING {
            return Err(TypeError::TooDeep);
        }
        let valid = match self.data(param) {
            TypeData::Vararg { .. } => false,
            TypeData::Value(constant) => self.is_param_const(self.const_data(*constant)),
            TypeData::Bottom
            | TypeData::Data { .. }
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. } => true,
        };
        if valid { Ok(()) } else { Err(TypeError::InvalidParam(param)) }
    }

    fn is_param_const(&self, data: &ConstData) -> bool {
        match data {
            ConstData::Bits { .. } | ConstData::Symbol(_) | ConstData::Type(_) | ConstData::Module(_) => true,
            ConstData::Aggregate { fields, .. } => {
                fields.iter().all(|&field| self.is_param_const(self.const_data(field)))
            }
            ConstData::String(_) | ConstData::Object { .. } => false,
        }
    }

    pub(crate) fn check_bounds(
        &self,
        wrapper: Type,
        var: Type,
        given: Type,
        vars: &[Type],
        params: &[Type],
    ) -> Result<(), TypeError> {
        let &TypeData::Var { name, lower, upper, .. } = self.data(var) else { return Ok(()) };
        if (lower, upper) == (Self::BOTTOM, Self::ANY) || self.has_free_vars(given) {
            return Ok(());
        }
        let lower = self.substitute_all(lower, vars, params);
        let upper = self.substitute_all(upper, vars, params);
        let is_value = matches!(self.data(given), TypeData::Value(_));
        let above = self.has_free_vars(lower) || lower == Self::BOTTOM || self.subtype(lower, given);
        let below = upper == Self::ANY || self.has_free_vars(upper) || self.subtype(given, upper);
        if above && below && (!is_value || (lower, upper) == (Self::BOTTOM, Self::ANY)) {
            Ok(())
        } else {
            // The message has the bounds as the other parameters make them.
            let var = self.type_var(name, lower, upper);
            Err(TypeError::OutOfBounds { wrapper, var, given })
        }
    }

    fn checked_tuple(&self, elems: &[Type]) -> Result<Type, TypeError> {
        for (i, &elem) in elems.iter().enumerate() {
            if self.entry(elem).nesting > MAX_NESTING {
                return Err(TypeError::TooDeep);
            }
            let valid = match self.data(elem) {
                TypeData::Vararg { count: None, .. } => i + 1 == elems.len(),
                TypeData::Vararg { elem, count: Some(count) } => {
                    self.check_vararg(*elem, Some(*count))?;
                    i + 1 == elems.len() || !matches!(self.data(*count), TypeData::Var { .. })
                }
                TypeData::Bottom
                | TypeData::Value(_)
                | TypeData::Data { .. }
                | TypeData::Union(_)
                | TypeData::UnionAll { .. }
                | TypeData::Var { .. } => true,
            };
            if !valid {
                return Err(TypeError::InvalidParam(elem));
            }
        }
        let elems: Vec<Type> = elems.iter().map(|&it| self.without_idle_vars(it)).collect();
        Ok(self.tuple(&elems))
    }

    /// `Tuple{elems...}`; only the last may be a `Vararg`. A `Vararg` with a constant length is written out;
    /// with an impossible one the result is `Union{}`.
    pub fn tuple(&self, elems: &[Type]) -> Type {
        let mut params = Vec::with_capacity(elems.len());
        for &elem in elems {
            let &TypeData::Vararg { elem: ty, count } = self.data(elem) else {
                params.push(elem);
                continue;
            };
            let Some(count) = count else {
                // Nothing is of type `Union{}`: no more elements.
                if ty != Self::BOTTOM {
                    params.push(elem);
                }
                continue;
            };
            match self.data(count) {
                TypeData::Var { .. } => params.push(elem),
                TypeData::Value(constant) => match self.const_as_int(*constant) {
                    Some(n @ 0..=MAX_EXPANDED) => params.extend(std::iter::repeat_n(ty, n as usize)),
                    _ => return Self::BOTTOM,
                },
                TypeData::Bottom
                | TypeData::Data { .. }
                | TypeData::Union(_)
                | TypeData::UnionAll { .. }
                | TypeData::Vararg { .. } => return Self::BOTTOM,
            }
        }
        self.intern(TypeData::Data { name: self.tuple_name(), params: params.into() })
    }

    /// `NamedTuple{names, types}`.
    pub fn named_tuple(&self, names: &[Symbol], types: Type) -> Type {
        let fields: Vec<_> = names.iter().map(|&it| self.const_symbol(it)).collect();
        let ty = self.tuple(&vec![self.core.symbol; names.len()]);
        let names = self.const_param(self.constant(ConstData::Aggregate { ty, fields: fields.into() }));
        self.intern(TypeData::Data { name: self.named_tuple_name(), params: [names, types].into() })
    }

    /// `Vararg{elem, count}`.
    pub fn vararg(&self, elem: Type, count: Option<Type>) -> Type {
        self.intern(TypeData::Vararg { elem, count })
    }

    /// `Type{T}`.
    pub fn type_type(&self, ty: Type) -> Type {
        self.intern(TypeData::Data { name: self.type_type_name(), params: [ty].into() })
    }

    /// The declared supertype with the parameters substituted; of a union, a variable or `Union{}`: `Any`.
    pub fn supertype(&self, ty: Type) -> Type {
        match self.data(ty) {
            TypeData::Data { name, params } => {
                if let Some(&known) = self.entry(ty).supertype.get() {
                    return known;
                }
                let def = self.type_name(*name);
                let general = def.supertype();
                let supertype = self.substitute_all(general, &def.def.params, params);
                if def.has_supertype() {
                    let _ = self.entry(ty).supertype.set(supertype);
                }
                supertype
            }
            TypeData::UnionAll { .. } => self.rewrap_unionall(self.supertype(self.unwrap_unionall(ty)), ty),
            TypeData::Bottom
            | TypeData::Union(_)
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => Self::ANY,
        }
    }

    /// The parameters of a `DataType`; none for anything else.
    pub fn params(&self, ty: Type) -> &[Type] {
        match self.data(ty) {
            TypeData::Data { params, .. } => params,
            TypeData::Bottom
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => &[],
        }
    }

    /// Field types of a `DataType` with its parameters substituted; a tuple's are its elements.
    pub fn field_types(&self, ty: Type) -> &[Type] {
        let TypeData::Data { name, params } = self.data(ty) else { return &[] };
        match self.name_kind(*name) {
            TypeNameKind::Tuple => params,
            TypeNameKind::NamedTuple => self.field_types(params[1]),
            TypeNameKind::Abstract | TypeNameKind::Primitive { .. } => &[],
            TypeNameKind::Struct { .. } => {
                if let Some(known) = self.entry(ty).fields.get() {
                    return known;
                }
                let def = self.type_name(*name);
                let Some(general) = def.field_types() else { return &[] };
                if params.is_empty() {
                    return general;
                }
                let vars = &def.def.params;
                let fields = general.iter().map(|&it| self.substitute_all(it, vars, params)).collect();
                self.entry(ty).fields.get_or_init(|| fields)
            }
        }
    }

    /// Field names of a struct or named tuple; a tuple's fields have none.
    pub fn field_names(&self, ty: Type) -> &[Symbol] {
        let ty = self.unwrap_unionall(ty);
        let TypeData::Data { name, params } = self.data(ty) else { return &[] };
        if self.name_kind(*name) != TypeNameKind::NamedTuple {
            return &self.type_name(*name).def.field_names;
        }
        let TypeData::Value(names) = self.data(params[0]) else { return &[] };
        self.entry(ty).field_names.get_or_init(|| {
            let ConstData::Aggregate { fields, .. } = self.const_data(*names) else { return Box::default() };
            let symbol = |it: &Const| {
                if let ConstData::Symbol(name) = self.const_data(*it) { Some(*name) } else { None }
            };
            fields.iter().filter_map(symbol).collect()
        })
    }

    /// Returns the index of the field with this name.
    pub fn field_index(&self, ty: Type, field: Symbol) -> Option<usize> {
        self.field_names(ty).iter().position(|&it| it == field)
    }

    /// Something can have exactly this type.
    pub fn is_concrete(&self, ty: Type) -> bool {
        self.entry(ty).concrete
    }

    fn kind_of(&self, ty: Type) -> Option<TypeNameKind> {
        match self.data(ty) {
            TypeData::Data { name, .. } => Some(self.name_kind(*name)),
            TypeData::Bottom
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => None,
        }
    }

    /// Declared with `abstract type`.
    pub fn is_abstract(&self, ty: Type) -> bool {
        self.kind_of(self.unwrap_unionall(ty)) == Some(TypeNameKind::Abstract)
    }

    /// Declared with `mutable struct`, or as good as that (`String`, `Symbol`).
    pub fn is_mutable(&self, ty: Type) -> bool {
        self.kind_of(self.unwrap_unionall(ty)) == Some(TypeNameKind::Struct { mutable: true })
    }

    /// Declared with `primitive type`.
    pub fn is_primitive(&self, ty: Type) -> bool {
        matches!(self.kind_of(self.unwrap_unionall(ty)), Some(TypeNameKind::Primitive { .. }))
    }

    /// Concrete, immutable, pointer-free: values are plain bits.
    pub fn is_bits(&self, ty: Type) -> bool {
        self.is_concrete(ty) && !self.is_mutable(ty) && self.layout(ty).is_some_and(|it| it.pointer_free)
    }

    /// `DataType`, `UnionAll`, `Union` or `Core.TypeofBottom`: the type of a type.
    pub fn is_kind(&self, ty: Type) -> bool {
        let core = &self.core;
        [core.data_type, core.union_all, core.union_type, core.typeof_bottom].contains(&ty)
    }

    /// The ancestor of a `DataType` (itself included) that is an instance of `name`.
    pub(crate) fn ancestor(&self, ty: Type, name: TypeName) -> Option<Type> {
        let mut ty = ty;
        while let TypeData::Data { name: own, .. } = self.data(ty) {
            if *own == name {
                return Some(ty);
            }
            if ty == Self::ANY {
                break;
            }
            ty = self.supertype(ty);
        }
        None
    }

    /// Whether some ancestor of a `DataType` is an instance of `name`.
    pub(crate) fn inherits(&self, ty: Type, name: TypeName) -> bool {
        let mut ty = ty;
        let mut is_own = true;
        while let TypeData::Data { name: own, .. } = self.data(ty) {
            if *own == name {
                return true;
            }
            // The definitions on the way up are not read for a type that nothing inherits from.
            if ty == Self::ANY || is_own && self.name_kind(name) != TypeNameKind::Abstract {
                return false;
            }
            is_own = false;
            ty = self.type_name(*own).supertype();
        }
        false
    }

    /// A `Tuple` type.
    pub fn is_tuple(&self, ty: Type) -> bool {
        self.kind_of(ty) == Some(TypeNameKind::Tuple)
    }

    /// A `NamedTuple` type.
    pub fn is_named_tuple(&self, ty: Type) -> bool {
        self.kind_of(ty) == Some(TypeNameKind::NamedTuple)
    }

    /// `Type{T}` for some closed `T`: that `T`.
    pub fn type_type_param(&self, ty: Type) -> Option<Type> {
        match self.data(ty) {
            TypeData::Data { name, params } if *name == self.type_type_name() => {
                Some(params[0]).filter(|&it| !self.has_free_vars(it))
            }
            TypeData::Data { .. }
            | TypeData::Bottom
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => None,
        }
    }

    /// A tuple of concrete types and `Type{..}`s: a signature dispatch can cache.
    pub fn is_dispatch_tuple(&self, ty: Type) -> bool {
        self.is_tuple(ty)
            && self.params(ty).iter().all(|&it| {
                let kind =
                    it == self.core.data_type || it == self.core.union_all || it == self.core.union_type;
                (self.is_concrete(it) && !kind) || self.type_type_param(it).is_some()
            })
    }
}

fn bottom_field() -> TypeError {
    TypeError::Malformed("Tuple field type cannot be Union{}".to_owned())
}
