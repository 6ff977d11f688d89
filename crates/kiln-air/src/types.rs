//! Types, with typed pointers.

use crate::table::Table;

/// A type, by its number in the table of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub(crate) u32);

impl TypeId {
    /// Returns the number.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A type. The types it mentions are in the table before it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// A float of 16 bits.
    Half,
    /// The upper half of a float of 32 bits.
    BFloat,
    /// A float of 32 bits.
    Float,
    /// A float of 64 bits. AIR has no arithmetic on it.
    Double,
    /// An integer of 1 to 64 bits.
    Int(u32),
    /// An address of a value, in an address space.
    Pointer {
        /// The type of the value.
        pointee: TypeId,
        /// The address space.
        space: u32,
    },
    /// Several values in a row.
    Array {
        /// The number of values.
        count: u64,
        /// Their type.
        element: TypeId,
    },
    /// Several numbers or addresses that are computed with together.
    Vector {
        /// The number of elements, not 0.
        count: u32,
        /// Their type.
        element: TypeId,
    },
    /// Fields.
    Struct {
        /// The name, if it has one.
        name: Option<String>,
        /// Whether there is no padding.
        is_packed: bool,
        /// The types of the fields.
        fields: Vec<TypeId>,
    },
    /// A named structure of which nothing else is known, such as a texture.
    Opaque {
        /// The name.
        name: String,
    },
    /// A function.
    Function {
        /// The type of the result.
        result: TypeId,
        /// The types of the parameters.
        params: Vec<TypeId>,
        /// Whether calls may have more arguments.
        is_variadic: bool,
    },
}

/// The types of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AirTypes {
    table: Table<Type>,
    /// Whether a value of each type has a size.
    sized: Vec<bool>,
}

impl AirTypes {
    /// Returns the number of a type, which is added if it is new.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        let id = TypeId(self.table.intern(ty));
        if id.0 as usize == self.sized.len() {
            self.sized.push(self.has_size(id));
        }
        id
    }
    /// Returns the type `pointee addrspace(space)*`.
    pub fn pointer(&mut self, pointee: TypeId, space: u32) -> TypeId {
        self.intern(Type::Pointer { pointee, space })
    }
    /// Appends a type; `None` if it is there already.
    pub(crate) fn append(&mut self, ty: Type) -> Option<TypeId> {
        let next = self.table.list().len() as u32;
        Some(self.intern(ty)).filter(|it| it.0 == next)
    }
    /// Returns the number of a type that is in the table.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.table.find(ty).map(TypeId)
    }
    /// Returns the type with a number of this table.
    pub fn get(&self, id: TypeId) -> Option<&Type> {
        self.table.get(id.0)
    }
    /// Returns all types, in order.
    pub fn list(&self) -> &[Type] {
        self.table.list()
    }

    /// Returns pointee and address space of a pointer type.
    pub fn pointer_parts(&self, id: TypeId) -> Option<(TypeId, u32)> {
        let Type::Pointer { pointee, space } = self.get(id)? else { return None };
        Some((*pointee, *space))
    }
    /// Returns result, parameters and whether there may be more, of a function type.
    pub fn signature(&self, id: TypeId) -> Option<(TypeId, &[TypeId], bool)> {
        let Type::Function { result, params, is_variadic } = self.get(id)? else { return None };
        Some((*result, params, *is_variadic))
    }
    /// Returns count and element type of a vector type.
    pub fn vector_parts(&self, id: TypeId) -> Option<(u32, TypeId)> {
        let Type::Vector { count, element } = self.get(id)? else { return None };
        Some((*count, *element))
    }
    /// Returns the element type of a vector type, and other types as they are.
    pub fn scalar(&self, id: TypeId) -> TypeId {
        self.vector_parts(id).map_or(id, |it| it.1)
    }
    /// Returns the bits of an integer type.
    pub fn int_bits(&self, id: TypeId) -> Option<u32> {
        let Type::Int(bits) = self.get(id)? else { return None };
        Some(*bits)
    }
    /// Returns the bits of a floating-point type.
    pub fn float_bits(&self, id: TypeId) -> Option<u32> {
        let table = [(Type::Half, 16), (Type::BFloat, 16), (Type::Float, 32), (Type::Double, 64)];
        let ty = self.get(id)?;
        table.iter().find(|it| it.0 == *ty).map(|it| it.1)
    }
    /// Returns the type of the field or element with an index.
    pub fn element(&self, id: TypeId, index: u64) -> Option<TypeId> {
        match self.get(id)? {
            Type::Struct { fields, .. } => fields.get(usize::try_from(index).ok()?).copied(),
            Type::Array { count, element } => (index < *count).then_some(*element),
            Type::Vector { count, element } => (index < u64::from(*count)).then_some(*element),
            Type::Void
            | Type::Half
            | Type::BFloat
            | Type::Float
            | Type::Double
            | Type::Int(_)
            | Type::Pointer { .. }
            | Type::Opaque { .. }
            | Type::Function { .. } => None,
        }
    }
    /// Whether a value of this type has a size: it can be loaded, stored and allocated.
    pub fn is_sized(&self, id: TypeId) -> bool {
        self.sized.get(id.0 as usize) == Some(&true)
    }
    /// Whether the last type has a size: those of its parts are known.
    fn has_size(&self, id: TypeId) -> bool {
        match self.get(id) {
            Some(Type::Array { element, .. }) => self.is_sized(*element),
            Some(Type::Struct { fields, .. }) => fields.iter().all(|it| self.is_sized(*it)),
            Some(Type::Void | Type::Opaque { .. } | Type::Function { .. }) | None => false,
            Some(
                Type::Half
                | Type::BFloat
                | Type::Float
                | Type::Double
                | Type::Int(_)
                | Type::Pointer { .. }
                | Type::Vector { .. },
            ) => true,
        }
    }
    /// Returns the type of a comparison of values of a type: `i1`, or as many of them, if it is in the table.
    pub fn comparison(&self, id: TypeId) -> Option<TypeId> {
        let bit = self.find(&Type::Int(1))?;
        match self.vector_parts(id) {
            Some((count, _)) => self.find(&Type::Vector { count, element: bit }),
            None => Some(bit),
        }
    }
    /// Returns the type that an address computation leads to: the first index steps over whole elements, the others go
    /// into them. `index` returns a constant index.
    pub(crate) fn indexed(&self, element: TypeId, indices: &[Option<u64>]) -> Option<TypeId> {
        let mut ty = element;
        for index in indices.iter().skip(1) {
            ty = match self.get(ty)? {
                Type::Struct { .. } => self.element(ty, (*index)?)?,
                Type::Array { element, .. } | Type::Vector { element, .. } => *element,
                Type::Void
                | Type::Half
                | Type::BFloat
                | Type::Float
                | Type::Double
                | Type::Int(_)
                | Type::Pointer { .. }
                | Type::Opaque { .. }
                | Type::Function { .. } => return None,
            };
        }
        Some(ty)
    }
}
