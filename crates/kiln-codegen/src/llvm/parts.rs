//! The scalar parts of structs and arrays.

use super::{Module, Ty, Val};
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;

/// Returns the types of the fields of a struct or an array.
fn fields(ty: Ty) -> Option<Vec<Ty>> {
    // SAFETY: each question is asked of the kind of type that answers it.
    unsafe {
        let kind = LLVMGetTypeKind(ty.0);
        if kind == LLVMTypeKind::LLVMStructTypeKind {
            let count = LLVMCountStructElementTypes(ty.0);
            Some((0..count).map(|at| Ty(LLVMStructGetTypeAtIndex(ty.0, at))).collect())
        } else if kind == LLVMTypeKind::LLVMArrayTypeKind {
            let count = usize::try_from(LLVMGetArrayLength2(ty.0)).ok()?;
            Some(vec![Ty(LLVMGetElementType(ty.0)); count])
        } else {
            None
        }
    }
}

impl Module {
    /// Returns the scalars in a struct or an array, with the path to each; `None` for other types, or for more than
    /// `max`.
    pub(crate) fn parts(&self, ty: Ty, max: usize) -> Option<Vec<(Vec<u32>, Ty)>> {
        let mut parts = Vec::new();
        let mut left = vec![(Vec::new(), ty)];
        // The first part is on top of the stack.
        while let Some((path, ty)) = left.pop() {
            match fields(ty) {
                None => parts.push((path, ty)),
                Some(fields) if fields.len() > max => return None,
                Some(fields) => {
                    let of = |(at, ty): (usize, Ty)| ([path.as_slice(), &[at as u32]].concat(), ty);
                    left.extend(fields.into_iter().enumerate().rev().map(of));
                }
            }
            if parts.len() + left.len() > max {
                return None;
            }
        }
        parts.first().is_some_and(|it| !it.0.is_empty()).then_some(parts)
    }
    /// Extracts the part at the end of a path.
    pub(crate) fn take(&self, value: Val, path: &[u32]) -> Val {
        path.iter().fold(value, |value, at| self.extract(value, *at))
    }
    /// Assembles a value from its parts, in order.
    pub(crate) fn assemble(&self, ty: Ty, parts: &mut impl Iterator<Item = Val>) -> Val {
        let Some(fields) = fields(ty) else {
            return parts.next().expect("there are as many parts as the type has scalars");
        };
        let fields = fields.into_iter().enumerate();
        fields.fold(self.poison(ty), |whole, (at, field)| {
            let field = self.assemble(field, parts);
            self.insert(whole, field, at as u32)
        })
    }
}
