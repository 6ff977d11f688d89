//! What an item asks about itself, barriers, and memory of groups and items.

use crate::function::Emitter;
use crate::llvm::Val;
use crate::value::Value;
use kiln_ir::{Intrinsic as I, Value as Operand};
use kiln_types::Type;
use kiln_unit::LaunchContext;
use llvm_sys::LLVMOpcode as Opcode;
use std::mem::offset_of;

/// Bytes of memory an item may have of its own: it lives on the stack.
const PRIVATE_BYTES_MAX: i64 = 1 << 16;

impl Emitter<'_, '_> {
    pub(super) fn device(&self, op: I, args: &[Operand], ty: Type) -> Result<Value, String> {
        let (module, types) = (self.module(), self.types());
        let int = types.core().int64;
        match op {
            I::LocalId => Ok(self.register(int, self.state().local_id(self.dim(args[0])?))),
            I::GroupId => Ok(self.register(int, self.state().group_id(self.dim(args[0])?))),
            I::LocalSize => Ok(self.register(int, self.state().local_size(self.dim(args[0])?))),
            I::NumGroups => Ok(self.register(int, self.state().num_groups(self.dim(args[0])?))),
            I::Barrier => {
                let ctx = self.state().ctx();
                let at = module.field(ctx, offset_of!(LaunchContext, barrier) as u64);
                let function = module.load(module.ptr(), at, 8);
                module.call_pointer(function, module.void(), &[module.ptr()], &[ctx]);
                Ok(self.ghost(ty))
            }
            I::Clock => Ok(self.register(ty, module.intrinsic("llvm.readcyclecounter", &[], &[]))),
            I::WarpBarrier => {
                let (ctx, mask) = (self.state().ctx(), self.materialize(self.operand(args[0])?)?);
                let at = module.field(ctx, offset_of!(LaunchContext, warp_barrier) as u64);
                let function = module.load(module.ptr(), at, 8);
                let (ptr, int) = (module.ptr(), module.int(32));
                let place = self.place();
                let met = module.call_pointer(function, int, &[ptr, int, int], &[ctx, mask, place]);
                Ok(self.register(ty, met))
            }
            I::SharedMemory => {
                let (bytes, align) = self.block_operands(args)?;
                let offset = self.unit.shared_block(self.statement(), bytes as u64, align as u64);
                let offset = self.unit.shared_value(offset);
                Ok(self.register(ty, module.gep_bytes(self.state().shared(), offset)))
            }
            I::DynamicSharedMemory => Ok(self.register(ty, self.state().dynamic_shared())),
            I::PrivateMemory => {
                let (bytes, align) = self.block_operands(args)?;
                if bytes > PRIVATE_BYTES_MAX {
                    return Err(format!(
                        "{bytes} bytes of private memory; at most {PRIVATE_BYTES_MAX} are possible"
                    ));
                }
                let block = module.array(module.int(8), bytes as u64);
                let align = (align as u32).clamp(1, 64).next_power_of_two();
                let address = module.alloca_in(self.function, block, align);
                Ok(self.register(ty, address))
            }
            _ => Ok(self.constant(types.const_bool(self.unit.in_kernel))),
        }
    }

    /// A number for the statement being emitted that is another one's only by accident.
    fn place(&self) -> Val {
        let (ordinal, stmt) = self.statement();
        let function = self.unit.site_value(self.unit.own_site(ordinal, kiln_unit::SITE_BOUNDS));
        let module = self.module();
        let scattered = module.binary(Opcode::LLVMMul, function, module.const_u32(0x9e37_79b1));
        module.add(scattered, module.const_u32(stmt.as_u32()))
    }

    fn dim(&self, operand: Operand) -> Result<usize, String> {
        match self.int_operand(operand) {
            Some(dim @ 0..=2) => Ok(dim as usize),
            _ => Err("a dimension is not the constant 0, 1 or 2".into()),
        }
    }

    fn block_operands(&self, args: &[Operand]) -> Result<(i64, i64), String> {
        let bytes = self.int_operand(args[0]).filter(|it| (0..1 << 30).contains(it));
        let align = self.int_operand(args[1]).filter(|it| (1..=64).contains(it) && it & (it - 1) == 0);
        match (bytes, align) {
            (Some(bytes), Some(align)) => Ok((bytes, align)),
            _ => Err("the size or the alignment of a block of memory is not constant".into()),
        }
    }
}
