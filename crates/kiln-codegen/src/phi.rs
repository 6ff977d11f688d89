//! Values that come from several blocks, part by part.
//!
//! On a processor a struct goes through one phi, which LLVM takes apart. Back ends of devices are not as good at it, and
//! SPIR-V's does not take phis or choices of structs at all: on a device each part of a struct has a phi of its own, and a
//! function returns in one place.

use crate::function::Emitter;
use crate::llvm::{Block, Ty, Val};

/// Parts a value is taken apart into, at most.
const PARTS_MAX: usize = 64;

/// A value that is made of what several blocks give.
#[derive(Clone, Debug)]
pub(crate) struct SplitPhi {
    ty: Ty,
    /// Where each part is, and its phi; one part without a path is the whole.
    parts: Vec<(Vec<u32>, Val)>,
}

/// Where a function returns.
#[derive(Clone, Debug)]
pub(crate) struct ReturnBlock {
    block: Block,
    value: SplitPhi,
}

impl Emitter<'_, '_> {
    /// The parts a value of this type is taken apart into.
    fn parts(&self, ty: Ty) -> Vec<(Vec<u32>, Ty)> {
        let parts = if self.unit.device.is_some() { self.module().parts(ty, PARTS_MAX) } else { None };
        parts.unwrap_or_else(|| vec![(Vec::new(), ty)])
    }

    /// Phis for a value; the block goes on with phis.
    pub(crate) fn new_phi(&self, ty: Ty) -> SplitPhi {
        let phi = |(path, ty)| (path, self.module().phi(ty));
        SplitPhi { ty, parts: self.parts(ty).into_iter().map(phi).collect() }
    }

    /// The value, after all phis of the block.
    pub(crate) fn phi_value(&self, phi: &SplitPhi) -> Val {
        match &phi.parts[..] {
            [(path, phi)] if path.is_empty() => *phi,
            parts => self.module().assemble(phi.ty, &mut parts.iter().map(|it| it.1)),
        }
    }

    /// Says what the block where emission stands gives; `None` if that is never looked at.
    pub(crate) fn add_phi_input(&self, phi: &SplitPhi, value: Option<Val>) {
        let module = self.module();
        for (path, phi) in &phi.parts {
            let part = match value {
                Some(value) => module.take(value, path),
                None => module.poison(module.type_of(*phi)),
            };
            module.add_incoming(*phi, part, module.here());
        }
    }

    /// One of two values of one type.
    pub(crate) fn select(&self, cond: Val, then: Val, other: Val) -> Val {
        let (module, ty) = (self.module(), self.module().type_of(then));
        match &self.parts(ty)[..] {
            [(path, _)] if path.is_empty() => module.select(cond, then, other),
            parts => {
                let part =
                    |path: &[u32]| module.select(cond, module.take(then, path), module.take(other, path));
                module.assemble(ty, &mut parts.iter().map(|it| part(&it.0)))
            }
        }
    }

    /// Returns a value: at once if it is in one register, else where all returns of the function meet.
    pub(crate) fn return_value(&self, value: Val) {
        let (module, ty) = (self.module(), self.module().type_of(value));
        if matches!(&self.parts(ty)[..], [(path, _)] if path.is_empty()) {
            return module.ret(Some(value));
        }
        let mut return_block = self.return_block.borrow_mut();
        let return_block = return_block.get_or_insert_with(|| {
            let (back, block) = (module.here(), module.block(self.function));
            module.at_end(block);
            let value = self.new_phi(ty);
            module.at_end(back);
            ReturnBlock { block, value }
        });
        self.add_phi_input(&return_block.value, Some(value));
        module.br(return_block.block);
    }

    /// Emits the place where all returns meet, if there is one.
    pub(crate) fn emit_return_block(&self) {
        if let Some(ReturnBlock { block, value }) = self.return_block.take() {
            self.module().at_end(block);
            self.module().ret(Some(self.phi_value(&value)));
        }
    }
}
