//! Names that `Base` and `Core` give to partly applied types: `Vector{T}` for `Array{T, 1}`.

use crate::{Type, TypeData, Types};

impl Types {
    /// The alias that a `DataType` is an instance of, and the parameters it leaves.
    pub(crate) fn alias_of(&self, ty: Type) -> Option<(&'static str, Vec<Type>)> {
        let params = self.params(ty);
        let name = self.name_of(ty)?;
        let is = |core: Type| self.name_of(core) == Some(name);
        let names = if is(self.core.array) {
            ["Vector", "Matrix"]
        } else if is(self.core.abstract_array) {
            ["AbstractVector", "AbstractMatrix"]
        } else if is(self.core.dense_array) {
            ["DenseVector", "DenseMatrix"]
        } else if is(self.core.generic_memory) {
            return self.memory_alias(params, self.core.memory, ["Memory", "AtomicMemory"]);
        } else if is(self.core.generic_memory_ref) {
            return self.memory_alias(params, self.core.memory_ref, ["MemoryRef", "AtomicMemoryRef"]);
        } else {
            return self.base_alias(ty, params);
        };
        let TypeData::Value(rank) = self.data(*params.get(1)?) else { return None };
        match self.const_as_int(*rank) {
            Some(1) => Some((names[0], vec![params[0]])),
            Some(2) => Some((names[1], vec![params[0]])),
            _ => None,
        }
    }

    /// Aliases of types that Base itself defines.
    fn base_alias(&self, ty: Type, params: &[Type]) -> Option<(&'static str, Vec<Type>)> {
        let def = &self.type_name(self.name_of(ty)?).def;
        let &[only] = params else { return None };
        if def.module != self.base_module() {
            return None;
        }
        let core = &self.core;
        let alias = match (self.name(def.name), self.data(only)) {
            ("Complex", _) if only == core.float64 => "ComplexF64",
            ("Complex", _) if only == core.float32 => "ComplexF32",
            ("Complex", _) if only == core.float16 => "ComplexF16",
            ("BitArray", TypeData::Value(rank)) => match self.const_as_int(*rank)? {
                1 => "BitVector",
                2 => "BitMatrix",
                _ => return None,
            },
            ("GenericIOBuffer", _) if Some(("Memory", vec![core.uint8])) == self.alias_of(only) => "IOBuffer",
            _ => return None,
        };
        Some((alias, Vec::new()))
    }

    /// Memory in the address space of the CPU.
    fn memory_alias(
        &self,
        params: &[Type],
        plain: Type,
        names: [&'static str; 2],
    ) -> Option<(&'static str, Vec<Type>)> {
        let &[kind, elem, space] = params else { return None };
        let &[plain_kind, _, plain_space] = self.params(self.unwrap_unionall(plain)) else { return None };
        let atomic = self.const_param(self.const_symbol(self.symbol("atomic")));
        if space != plain_space {
            None
        } else if kind == plain_kind {
            Some((names[0], vec![elem]))
        } else {
            (kind == atomic).then(|| (names[1], vec![elem]))
        }
    }
}
