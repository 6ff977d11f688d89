//! `Array`s, tuples and `Expr`s made and read from Rust.

use super::{Heap, Value};
use kiln_types::{Symbol, Type};

/// Longest tuple whose type is remembered.
pub(super) const SHORT: usize = 4;

impl Heap {
    /// `Memory{elem}`.
    pub fn memory_type(&self, elem: Type) -> Type {
        self.applied(self.core.memory, &[elem])
    }
    /// `Array{elem, 1}`.
    pub fn vector_type(&self, elem: Type) -> Type {
        let one = self.types.const_param(self.types.const_int(1));
        self.applied(self.core.array, &[elem, one])
    }
    /// `GenericMemoryRef` with the parameters of a `GenericMemory` type.
    pub fn ref_type(&self, memory_ty: Type) -> Type {
        match self.element(memory_ty) {
            Some(element) => element.ref_type,
            None => panic!("{} is no memory type", self.types.display(memory_ty)),
        }
    }

    fn applied(&self, wrapper: Type, params: &[Type]) -> Type {
        match self.types.apply(wrapper, params) {
            Ok(ty) => ty,
            Err(_) => panic!("{} does not take these parameters", self.types.display(wrapper)),
        }
    }

    /// A `Vector{elem}` of these values.
    pub fn new_vector(&self, elem: Type, values: &[Value]) -> Value {
        let memory = self.new_memory(self.memory_type(elem), values.len());
        for (index, &value) in values.iter().enumerate() {
            self.memory_set(memory, index, value);
        }
        self.vector_over(elem, memory, values.len())
    }

    /// A `Vector{Any}` of these values.
    pub fn any_vector(&self, values: &[Value]) -> Value {
        self.new_vector(self.core.any, values)
    }

    /// A `Vector{UInt8}` of these bytes.
    pub fn byte_vector(&self, bytes: &[u8]) -> Value {
        let elem = self.core.uint8;
        let memory = self.new_memory(self.memory_type(elem), bytes.len());
        for (index, &byte) in bytes.iter().enumerate() {
            self.memory_set(memory, index, Value::inline(elem, u64::from(byte)));
        }
        self.vector_over(elem, memory, bytes.len())
    }

    fn vector_over(&self, elem: Type, memory: Value, length: usize) -> Value {
        let reference = self.new_ref(self.ref_type(memory.ty()), memory, 0);
        let size = self.tuple(&[self.int(length as i64)]);
        self.new_struct(self.vector_type(elem), &[reference, size])
    }

    /// Whether a value is an `Array`.
    pub fn is_array(&self, value: Value) -> bool {
        !value.is_inline() && self.types.name_of(value.ty()) == self.types.name_of(self.core.array)
    }

    /// Number of elements of an `Array`.
    pub fn array_len(&self, array: Value) -> usize {
        let size = self.get_field(array, 1);
        let dims = size.map(|size| self.tuple_values(size)).unwrap_or_default();
        dims.iter().map(|it| it.bits() as usize).product()
    }

    /// Element `index` (from 0, in memory order) of an `Array`; `None` when it is undefined.
    pub fn array_get(&self, array: Value, index: usize) -> Option<Value> {
        let (memory, at) = self.array_slot(array, index);
        self.memory_get(memory, at)
    }

    /// Sets element `index` (from 0, in memory order) of an `Array`; the value must fit the element type.
    pub fn array_set(&self, array: Value, index: usize, value: Value) {
        let (memory, at) = self.array_slot(array, index);
        self.memory_set(memory, at, value);
    }

    fn array_slot(&self, array: Value, index: usize) -> (Value, usize) {
        assert!(self.is_array(array), "{} as an array", self.types.display(array.ty()));
        let parts = self.get_field(array, 0).and_then(|it| self.ref_parts(it));
        match parts {
            Some(parts) => (parts.memory, (parts.index + index as i64) as usize),
            None => panic!("an array without memory"),
        }
    }

    /// The elements of an `Array`, which must all be defined.
    pub fn array_values(&self, array: Value) -> Vec<Value> {
        (0..self.array_len(array)).filter_map(|index| self.array_get(array, index)).collect()
    }

    /// `(values...,)`.
    pub fn tuple(&self, values: &[Value]) -> Value {
        self.new_struct(self.tuple_type(values), values)
    }

    /// The type of `(values...,)`. Short ones are remembered: interning a type costs more than making a tuple.
    fn tuple_type(&self, values: &[Value]) -> Type {
        let intern = || self.types.tuple(&values.iter().map(|it| it.ty()).collect::<Vec<_>>());
        if values.len() > SHORT {
            return intern();
        }
        let mut key = [u32::MAX; SHORT];
        for (slot, value) in key.iter_mut().zip(values) {
            *slot = value.ty().index() as u32;
        }
        if let Some(&known) = self.tuple_types.read().get(&key) {
            return known;
        }
        let ty = intern();
        self.tuple_types.write().insert(key, ty);
        ty
    }

    /// The fields of a tuple, named tuple or struct, up to the first undefined one.
    pub fn tuple_values(&self, tuple: Value) -> Vec<Value> {
        (0..self.field_count(tuple)).map_while(|index| self.get_field(tuple, index)).collect()
    }

    /// A named tuple.
    pub fn named_tuple(&self, names: &[Symbol], values: &[Value]) -> Value {
        let elems: Vec<Type> = values.iter().map(|it| it.ty()).collect();
        let types = self.types.tuple(&elems);
        self.new_struct(self.types.named_tuple(names, types), values)
    }

    /// `Expr(head, args...)`.
    pub fn expr(&self, head: Symbol, args: &[Value]) -> Value {
        let head = Value::symbol(&self.core, head);
        self.new_struct(self.core.expr, &[head, self.any_vector(args)])
    }

    /// Whether an argument of an `Expr` is undefined.
    pub(crate) fn has_undefined_part(&self, value: Value) -> bool {
        let args = (value.ty() == self.core.expr).then(|| self.get_field(value, 1)).flatten();
        args.is_some_and(|it| (0..self.array_len(it)).any(|at| self.array_get(it, at).is_none()))
    }

    /// Head and arguments, if the value is an `Expr`.
    pub fn as_expr(&self, value: Value) -> Option<(Symbol, Vec<Value>)> {
        if value.ty() != self.core.expr {
            return None;
        }
        let head = self.get_field(value, 0)?.as_symbol(&self.core)?;
        Some((head, self.array_values(self.get_field(value, 1)?)))
    }
}
