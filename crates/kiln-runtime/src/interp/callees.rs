//! Functions that are no generic functions: builtins and host functions by their types, intrinsics by number.

use kiln_ir::{Builtin, HostFunction, Intrinsic};
use kiln_types::Type;
use rustc_hash::FxHashMap;

/// A callee that is not dispatched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// A builtin of `Core`.
    Builtin(Builtin),
    /// A function of `Core.Host`.
    Host(HostFunction),
}

/// The types of builtins and host functions.
#[derive(Debug, Default)]
pub struct BuiltinCallees {
    by_type: FxHashMap<Type, Special>,
    types: Vec<(Special, Type)>,
    first: usize,
    dense: Vec<Option<Special>>,
}

impl BuiltinCallees {
    /// Adds the singleton type of one.
    pub(crate) fn insert(&mut self, ty: Type, special: Special) {
        self.by_type.insert(ty, special);
        self.types.push((special, ty));
    }
    /// Call when all are in: makes look-up by type an array access.
    pub(crate) fn finish(&mut self) {
        self.first = self.types.iter().map(|(_, ty)| ty.index()).min().unwrap_or(0);
        let last = self.types.iter().map(|(_, ty)| ty.index()).max().unwrap_or(0);
        self.dense = (self.first..=last).map(|it| self.by_type.get(&Type::from_index(it)).copied()).collect();
    }
    /// Returns the function of this type.
    #[inline]
    pub fn of_type(&self, ty: Type) -> Option<Special> {
        *self.dense.get(ty.index().wrapping_sub(self.first))?
    }
    /// All of them, in the order they were added.
    pub(crate) fn all(&self) -> &[(Special, Type)] {
        &self.types
    }
    /// The type of a function.
    pub fn type_of(&self, special: Special) -> Option<Type> {
        self.types.iter().find(|(it, _)| *it == special).map(|(_, ty)| *ty)
    }
}

/// The intrinsic that a value of type `Core.IntrinsicFunction` with these bits is.
#[inline]
pub fn intrinsic_of(bits: u64) -> Option<Intrinsic> {
    Intrinsic::ALL.get(bits as usize).copied()
}
