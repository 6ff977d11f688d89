//! The types of changes.

use kiln::deferred::{Const, ConstData, Type, TypeData, Types, consts, datatype, display, layout};

/// See the [module](self).
#[derive(Clone, Copy)]
pub(crate) struct Changes<'a> {
    pub(crate) types: &'a Types,
}

impl Changes<'_> {
    /// The type of the change of a value of type `ty`; `None` if it does not change.
    ///
    /// # Errors
    /// When it may hold floats in other than tuples.
    pub(crate) fn of(&self, ty: Type) -> Result<Option<Type>, String> {
        let (types, core) = (self.types, self.types.core());
        if ty == core.float32 || ty == core.float64 {
            return Ok(Some(ty));
        }
        if let TypeData::Union(members) = types.data(ty) {
            let holds = members.iter().any(|it| !matches!(self.of(*it), Ok(None)));
            return if holds { self.refuse(ty) } else { Ok(None) };
        }
        if !datatype::is_concrete(types, ty)
            || datatype::is_primitive(types, ty)
            || datatype::is_mutable(types, ty)
        {
            return Ok(None);
        }
        let fields: Result<Vec<Option<Type>>, String> =
            datatype::field_types(types, ty).iter().map(|it| self.of(*it)).collect();
        let fields = fields?;
        if fields.iter().all(Option::is_none) {
            return Ok(None);
        }
        if !datatype::is_tuple(types, ty) {
            return self.refuse(ty);
        }
        let fields: Vec<Type> = fields.into_iter().map(|it| it.unwrap_or(core.nothing)).collect();
        Ok(Some(datatype::tuple(types, &fields)))
    }

    fn refuse(&self, ty: Type) -> Result<Option<Type>, String> {
        Err(format!("changes of a `{}` are not followed", display::of_type(self.types, ty)))
    }

    /// A value and its change.
    pub(crate) fn pair(&self, ty: Type) -> Result<Type, String> {
        Ok(datatype::tuple(self.types, &[ty, self.of(ty)?.unwrap_or(self.types.core().nothing)]))
    }

    /// No change, of the type of a change.
    pub(crate) fn zero(&self, ty: Type) -> Const {
        let types = self.types;
        if ty == types.core().nothing {
            return consts::nothing(types);
        }
        if datatype::is_tuple(types, ty) {
            let fields = datatype::field_types(types, ty).iter().map(|it| self.zero(*it)).collect();
            return types.constant(ConstData::Aggregate { ty, fields });
        }
        let bytes = layout::of(types, ty).map_or(0, |it| it.size as usize);
        types.constant(ConstData::Bits { ty, bytes: vec![0; bytes].into() })
    }
}
