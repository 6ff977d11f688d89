//! Phis, one for each part of a struct.
//!
//! On a processor a struct has one phi, which LLVM splits. The back ends of devices do this less well, and SPIR-V's
//! has no phis or selects of structs: on a device each part of a struct has its own phi, and a function returns in
//! one block.

use crate::function::Emitter;
use crate::llvm::{Block, Ty, Val};

/// The parts that a value is split into, at most.
const PARTS_MAX: usize = 64;

/// A phi of a value, split into parts.
#[derive(Clone, Debug)]
pub(crate) struct SplitPhi {
    ty: Ty,
    /// The path and the phi of each part; a single part with an empty path is the whole value.
    parts: Vec<(Vec<u32>, Val)>,
}

/// The block in which all returns of a function meet.
#[derive(Clone, Debug)]
pub(crate) struct ReturnBlock {
    block: Block,
    value: SplitPhi,
}

impl Emitter<'_, '_> {
    /// Returns the parts that a value of this type is split into.
    fn parts(&self, ty: Ty) -> Vec<(Vec<u32>, Ty)> {
        let parts = if self.unit.device.is_some() { self.module().parts(ty, PARTS_MAX) } else { None };
        parts.unwrap_or_else(|| vec![(Vec::new(), ty)])
    }

    /// Adds the phis of a value at the start of a block.
    pub(crate) fn new_phi(&self, ty: Ty) -> SplitPhi {
        let phi = |(path, ty)| (path, self.module().phi(ty));
        SplitPhi { ty, parts: self.parts(ty).into_iter().map(phi).collect() }
    }

    /// Returns the value of a phi, behind all phis of the block.
    pub(crate) fn phi_value(&self, phi: &SplitPhi) -> Val {
        match &phi.parts[..] {
            [(path, phi)] if path.is_empty() => *phi,
            parts => self.module().assemble(phi.ty, &mut parts.iter().map(|it| it.1)),
        }
    }

    /// Adds the current block's input to a phi; `None` is never read.
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

    /// Selects one of two values of one type.
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

    /// Emits the return of a value: here if it is in one register, else in the block in which all returns meet.
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

    /// Emits the block in which all returns meet, if there is one.
    pub(crate) fn emit_return_block(&self) {
        if let Some(ReturnBlock { block, value }) = self.return_block.take() {
            self.module().at_end(block);
            self.module().ret(Some(self.phi_value(&value)));
        }
    }
}
