//! Conditions for making a type from a definition, and the normal form of its parameters.

use crate::{Const, ConstData, Type, TypeData, TypeError, TypeNameKind, Types};

impl Types {
    /// Checks the parameters of a type and of its supertypes against their declared bounds, and the names of a
    /// `NamedTuple`. Incomplete definitions are not checked.
    pub(crate) fn check_instance(&self, ty: Type) -> Result<(), TypeError> {
        let mut ty = self.unwrap_unionall(ty);
        while let TypeData::Data { name, params } = self.data(ty) {
            if params.is_empty() || ty == Self::ANY {
                return Ok(());
            }
            match self.name_kind(*name) {
                TypeNameKind::NamedTuple => return self.check_named_tuple(params[0], params[1]),
                TypeNameKind::Tuple => return Ok(()),
                TypeNameKind::Abstract | TypeNameKind::Primitive { .. } | TypeNameKind::Struct { .. } => {}
            }
            let def = self.type_name(*name);
            let vars = &def.def.params;
            for (i, (&var, &given)) in vars.iter().zip(params).enumerate() {
                self.check_bounds(def.wrapper, var, given, &vars[..i], &params[..i])?;
            }
            if !def.has_supertype() {
                return Ok(());
            }
            ty = self.supertype(ty);
        }
        Ok(())
    }

    /// The elements of a type parameter that is a tuple of constants.
    fn tuple_constant(&self, param: Type) -> Option<&[Const]> {
        let TypeData::Value(constant) = self.data(param) else { return None };
        let constant = self.const_data(*constant);
        if let ConstData::Aggregate { ty, fields } = constant {
            return self.is_tuple(*ty).then_some(fields);
        }
        matches!(constant, ConstData::Bits { ty, .. } if *ty == self.tuple(&[])).then_some(&[])
    }

    fn check_named_tuple(&self, names: Type, fields: Type) -> Result<(), TypeError> {
        let not_a =
            |part, expected, given| Err(TypeError::NotA { what: "NamedTuple", part, expected, given });
        if matches!(self.data(names), TypeData::Var { .. }) {
            return Ok(());
        }
        let Some(list) = self.tuple_constant(names) else {
            return not_a("names", self.core.tuple, names);
        };
        for (i, &name) in list.iter().enumerate() {
            let ConstData::Symbol(symbol) = self.const_data(name) else {
                return not_a("name", self.core.symbol, self.const_param(name));
            };
            if list[..i].contains(&name) {
                let name = self.name(*symbol);
                let text = format!("duplicate field name in NamedTuple: \"{name}\" is not unique");
                return Err(TypeError::Malformed(text));
            }
        }
        let malformed = |text: &str| Err(TypeError::Malformed(text.to_owned()));
        if matches!(self.data(fields), TypeData::Bottom) && list.is_empty() {
            return malformed("NamedTuple without fields cannot have the field types Union{}");
        }
        let may_be_any =
            matches!(self.data(fields), TypeData::Var { .. } | TypeData::Bottom | TypeData::UnionAll { .. });
        if may_be_any || self.has_free_vars(fields) {
            return Ok(());
        }
        if !self.is_tuple(fields) {
            return malformed("NamedTuple field type must be a tuple datatype");
        }
        let elems = self.params(fields);
        let is_open = matches!(elems.last().map(|&it| self.data(it)), Some(TypeData::Vararg { .. }));
        if is_open || elems.len() != list.len() {
            return malformed("NamedTuple names and field types must have matching lengths");
        }
        Ok(())
    }

    /// A parameter without variables that say nothing: `Tuple{T} where T` is `Tuple{Any}`.
    pub(crate) fn without_idle_vars(&self, ty: Type) -> Type {
        match self.data(ty) {
            TypeData::Union(members) => {
                let normal: Vec<Type> = members.iter().map(|&it| self.without_idle_vars(it)).collect();
                if normal[..] == members[..] { ty } else { self.union(&normal) }
            }
            &TypeData::UnionAll { var, body } => {
                let normal = self.without_idle_vars(body);
                let ty = if normal == body { ty } else { self.union_all(var, normal) };
                let (&TypeData::UnionAll { var, body }, &TypeData::Var { lower, upper, .. }) =
                    (self.data(ty), self.data(var))
                else {
                    return ty;
                };
                if lower == upper {
                    return self.apply(ty, &[upper]).unwrap_or(ty);
                }
                if let Some(open) = self.without_idle_length(body, var) {
                    return open;
                }
                if self.is_idle(body, var, upper, false, &mut 0) {
                    return self.substitute(body, var, upper);
                }
                ty
            }
            TypeData::Bottom
            | TypeData::Data { .. }
            | TypeData::Var { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => ty,
        }
    }

    /// Returns `Tuple{P..., Vararg{T, N}}` with any length, if nothing else refers to `N`.
    fn without_idle_length(&self, body: Type, var: Type) -> Option<Type> {
        let (&last, fixed) = self.is_tuple(body).then(|| self.params(body).split_last())??;
        let &TypeData::Vararg { elem, count } = self.data(last) else { return None };
        let is_empty = elem == Self::BOTTOM;
        if is_empty
            || count != Some(var)
            || self.occurs(var, elem)
            || fixed.iter().any(|&it| self.occurs(var, it))
        {
            return None;
        }
        Some(self.tuple(&[fixed, &[self.vararg(elem, None)]].concat()))
    }

    /// Whether this type is the only one equal to it: it has no free variable, and no `UnionAll` inside it constrains
    /// a variable beyond its definition.
    pub fn has_one_form(&self, ty: Type) -> bool {
        let of = |it: &Type| self.has_one_form(*it);
        match self.data(ty) {
            TypeData::Data { params, .. } => params.iter().all(of),
            TypeData::Union(members) => members.iter().all(of),
            TypeData::UnionAll { .. } => self.name_of(ty).is_some_and(|it| self.type_name(it).wrapper == ty),
            TypeData::Vararg { elem, count } => of(elem) && count.as_ref().is_none_or(of),
            TypeData::Bottom | TypeData::Value(_) => true,
            TypeData::Var { .. } => false,
        }
    }

    /// Whether a variable may be replaced by its upper bound: it occurs in covariant position alone, and once, or its bound
    /// is concrete.
    fn is_idle(&self, ty: Type, var: Type, upper: Type, invariant: bool, count: &mut u32) -> bool {
        if ty == var {
            *count += 1;
            return !invariant && (*count <= 1 || self.is_concrete(upper));
        }
        if !self.occurs(var, ty) {
            return true;
        }
        match self.data(ty) {
            TypeData::Data { params, .. } => {
                let invariant = invariant || !self.is_tuple(ty);
                params.iter().all(|&it| self.is_idle(it, var, upper, invariant, count))
            }
            TypeData::Union(members) => {
                members.iter().all(|&it| self.is_idle(it, var, upper, invariant, count))
            }
            TypeData::UnionAll { var: inner, body } => {
                let TypeData::Var { lower, upper: bound, .. } = self.data(*inner) else {
                    unreachable!("a UnionAll binds a variable")
                };
                [lower, bound].iter().all(|&&it| self.is_idle(it, var, upper, invariant, count))
                    && self.is_idle(*body, var, upper, invariant, count)
            }
            TypeData::Vararg { elem, count: length } => {
                *length != Some(var)
                    && self.is_idle(*elem, var, upper, invariant || !self.is_concrete(upper), count)
            }
            TypeData::Bottom | TypeData::Var { .. } | TypeData::Value(_) => true,
        }
    }
}
