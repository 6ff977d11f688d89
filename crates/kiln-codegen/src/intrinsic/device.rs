//! Queries of an item about itself, barriers, and shared and private memory.

use crate::checked::CheckCalls;
use crate::screen::ScreenCalls;
use crate::error::{EmitError, Operation, TargetLimit, Unsupported};
use crate::function::Emitter;
use crate::items::{DeviceItems, ItemQuery};
use crate::llvm::Val;
use crate::value::Value;
use kiln_ir::{Intrinsic as I, Value as Operand};
use kiln_targets::Items;
use kiln_types::Type;
use kiln_unit::{LaunchContext, PLACE_ANY};
use llvm_sys::LLVMOpcode as Opcode;
use std::mem::offset_of;

/// The private memory of an item on the stack, at most.
const PRIVATE_BYTES_MAX: i64 = 1 << 16;

/// The symbol of the dynamic shared memory, where it is one.
const DYNAMIC_SHARED: &str = "dynamic_shared";
/// The alignment of the dynamic shared memory.
const DYNAMIC_SHARED_ALIGN: u32 = 16;

impl Emitter<'_, '_> {
    /// Emits a query: of the device if it runs the items, else of the item's state.
    pub(super) fn device(&self, op: I, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let module = self.module();
        match op {
            I::InKernel => return Ok(self.constant(self.types().const_bool(self.unit.in_kernel))),
            I::DebugLevel => {
                let level = self.types().const_int(self.unit.debug_level.into());
                return Ok(self.constant(level));
            }
            I::KernelState => {
                if self.unit.facts.items == Items::Loops {
                    return Ok(self.register(ty, self.record()));
                }
                let state = self.device_state.kernel;
                return Ok(self.register(ty, state.map_or(module.zero(module.ptr()), |it| self.generic(it))));
            }
            I::KernelEntry => return self.kernel_entry(args[0], ty),
            I::DeclareConstant => {
                CheckCalls(self).declare_constant(args)?;
                return Ok(self.ghost(ty));
            }
            I::StaticAssertion => {
                let (ordinal, stmt) = self.statement();
                let symbol = crate::assertion::symbol(ordinal, stmt.as_u32());
                let reached = module.declared(&symbol, module.void(), &[], &["cold", "nounwind"]);
                module.call(reached, &[]);
                return Ok(self.ghost(ty));
            }
            I::PrivateMemory => {
                let (bytes, align) = self.block_operands(args)?;
                if bytes > PRIVATE_BYTES_MAX {
                    return Err(Unsupported::PrivateMemory { bytes, most: PRIVATE_BYTES_MAX }.into());
                }
                let flags = self.own_flag_bytes();
                if self.unit.screens && flags.is_none() {
                    ScreenCalls(self).suspect();
                }
                let bytes = bytes + flags.unwrap_or(0);
                if let Some(address) = self.private_place(self.statement().1) {
                    self.forget_private(address);
                    return Ok(self.register(ty, address));
                }
                let block = module.array(module.int(8), bytes as u64);
                let align = (align as u32).clamp(1, 64).next_power_of_two();
                let address = match self.unit.checks.any() {
                    true => CheckCalls(self).private(bytes, align),
                    false => module.alloca_in(self.function, block, align),
                };
                self.forget_private(address);
                return Ok(self.register(ty, address));
            }
            _ => {}
        }
        match self.unit.device {
            Some(device) => {
                let target = || self.unit.facts.name.clone();
                self.asked(device, op, args, ty).map_err(|it| it.of_query(target()))
            }
            None => self.of_state(op, args, ty),
        }
    }

    /// Emits a query that the device answers.
    fn asked(&self, device: &dyn DeviceItems, op: I, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let (module, facts) = (self.module(), self.unit.facts);
        let question = match op {
            I::LocalId => Some(ItemQuery::LocalId),
            I::GroupId => Some(ItemQuery::GroupId),
            I::LocalSize => Some(ItemQuery::LocalSize),
            I::NumGroups => Some(ItemQuery::NumGroups),
            _ => None,
        };
        if let Some(question) = question {
            let answer = device.ask(module, question, self.dim(args[0])?)?;
            return Ok(self.register(self.types().core().int64, answer));
        }
        if matches!(op, I::SharedMemory | I::DynamicSharedMemory | I::DynamicSharedBytes)
            && facts.items == Items::None
        {
            return Err(TargetLimit::GroupMemory.into());
        }
        match op {
            I::Barrier => Ok(device.barrier(module).map(|()| self.ghost(ty))?),
            I::Clock => Ok(self.register(ty, device.clock(module, facts)?)),
            I::WarpBarrier => {
                let is_empty = self.is_zero_operand(args[0]);
                let mask = if is_empty { None } else { Some(self.materialize(self.operand(args[0])?)?) };
                Ok(self.register(ty, device.warp_barrier(module, facts, mask)?))
            }
            I::DynamicSharedBytes => Ok(self.register(ty, device.dynamic_shared_bytes(module))),
            I::SharedMemory => {
                let (bytes, align) = self.block_operands(args)?;
                let (_, number) = self.unit.shared_block(self.statement(), bytes as u64, align as u64);
                let name = format!("shared{number}");
                let block = module.block_in(facts.spaces.shared, &name, bytes as u64, align as u32);
                Ok(self.register(ty, self.generic(block)))
            }
            _ => {
                let block = match self.device_state.dynamic_shared {
                    Some(block) => block,
                    None => {
                        module.external_block_in(facts.spaces.shared, DYNAMIC_SHARED, DYNAMIC_SHARED_ALIGN)
                    }
                };
                Ok(self.register(ty, self.generic(block)))
            }
        }
    }

    /// Converts a pointer to the generic address space.
    pub(crate) fn generic(&self, pointer: Val) -> Val {
        self.module().in_space(pointer, self.module().ptr())
    }

    /// Lets the other items of the group run: by the function for barriers of warps, with a place that none has.
    pub(crate) fn let_others_run(&self) {
        let (module, ctx) = (self.module(), self.state().ctx());
        let at = module.field(ctx, offset_of!(LaunchContext, warp_barrier) as u64);
        let function = module.load(module.ptr(), at, 8);
        let (ptr, int) = (module.ptr(), module.int(32));
        let args = [ctx, module.const_u32(0), module.const_u32(PLACE_ANY)];
        module.call_pointer(function, int, &[ptr, int, int], &args);
    }

    /// Emits a query that the item's state answers.
    fn of_state(&self, op: I, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let (module, types) = (self.module(), self.types());
        let int = types.core().int64;
        match op {
            I::LocalId => Ok(self.register(int, self.state().local_id(self.dim(args[0])?))),
            I::GroupId => Ok(self.register(int, self.state().group_id(self.dim(args[0])?))),
            I::LocalSize => Ok(self.register(int, self.state().local_size(self.dim(args[0])?))),
            I::NumGroups => Ok(self.register(int, self.state().num_groups(self.dim(args[0])?))),
            I::Barrier if self.unit.checks.any() => {
                CheckCalls(self).barrier();
                Ok(self.ghost(ty))
            }
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
            I::DynamicSharedBytes => {
                let at =
                    module.field(self.state().ctx(), offset_of!(LaunchContext, dynamic_shared_bytes) as u64);
                Ok(self.register(ty, module.load(module.int(64), at, 8)))
            }
            I::SharedMemory => {
                let (bytes, align) = self.block_operands(args)?;
                let (offset, _) = self.unit.shared_block(self.statement(), bytes as u64, align as u64);
                let offset = self.unit.shared_value(offset);
                let address = module.gep_bytes(self.state().shared(), offset);
                CheckCalls(self).declare_shared(address, bytes, args[2]);
                Ok(self.register(ty, address))
            }
            _ => Ok(self.register(ty, self.state().dynamic_shared())),
        }
    }

    /// Returns a number for the statement being emitted; collisions are improbable.
    fn place(&self) -> Val {
        let (ordinal, stmt) = self.statement();
        let function = self.unit.site_value(self.unit.own_site(ordinal, kiln_unit::SITE_BOUNDS));
        let module = self.module();
        let scattered = module.binary(Opcode::LLVMMul, function, module.const_u32(0x9e37_79b1));
        module.add(scattered, module.const_u32(stmt.as_u32()))
    }

    fn dim(&self, operand: Operand) -> Result<usize, EmitError> {
        match self.int_operand(operand) {
            Some(dim @ 0..=2) => Ok(dim as usize),
            _ => Err(Operation::Dimension.into()),
        }
    }

    fn block_operands(&self, args: &[Operand]) -> Result<(i64, i64), EmitError> {
        let bytes = self.int_operand(args[0]).filter(|it| (0..1 << 30).contains(it));
        let align = self.int_operand(args[1]).filter(|it| (1..=64).contains(it) && it & (it - 1) == 0);
        match (bytes, align) {
            (Some(bytes), Some(align)) => Ok((bytes, align)),
            _ => Err(Operation::BlockSize.into()),
        }
    }
}
