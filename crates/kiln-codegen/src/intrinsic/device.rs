//! Queries of an item about itself, barriers, and shared and private memory.

use crate::checked::CheckCalls;
use crate::error::{EmitError, Operation, TargetLimit, Unsupported};
use crate::function::Emitter;
use crate::items::{DeviceItems, ItemQuery};
use crate::llvm::{Ty, Val};
use crate::screen::ScreenCalls;
use crate::unit::SharedUse;
use crate::value::Value;
use crate::{shared_memory, sites};
use kiln_ir::{Cfg, Intrinsic as I, Value as Operand};
use kiln_targets::Items;
use kiln_types::{Type, Types, consts};
use kiln_unit::{LaunchContext, MEET_GIVES, MEET_NARROW, PLACE_ANY};
use llvm_sys::LLVMOpcode as Opcode;
use std::mem::offset_of;

/// The private memory of an item on the stack, at most.
const PRIVATE_BYTES_MAX: i64 = 1 << 16;

/// The bits of a place that number the statements of a function.
const STATEMENTS: u32 = 0xffff;

/// The symbol of the dynamic shared memory, where it is one.
const DYNAMIC_SHARED: &str = "dynamic_shared";
/// The alignment of the dynamic shared memory.
const DYNAMIC_SHARED_ALIGN: u32 = 16;

impl Emitter<'_, '_> {
    /// Emits a query: of the device if it runs the items, else of the item's state.
    pub(super) fn device(&self, op: I, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let module = self.module();
        match op {
            I::InKernel => return Ok(self.constant(consts::bool(self.types(), self.unit.in_kernel))),
            I::DebugLevel => {
                let level = consts::int(self.types(), self.unit.options.debug_level.into());
                return Ok(self.constant(level));
            }
            I::Lanes => return Ok(self.constant(consts::int(self.types(), self.unit.options.lanes.into()))),
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
                if args.get(1).is_some_and(|it| !is_true_operand(self.types(), *it)) {
                    return Err(TargetLimit::Lanes.into());
                }
                let is_empty = self.is_zero_operand(args[0]);
                let mask = if is_empty { None } else { Some(self.materialize(self.operand(args[0])?)?) };
                let mask = mask.map(|it| module.resize(it, module.int(32)));
                let met = device.warp_barrier(module, facts, mask)?;
                Ok(self.register(ty, module.resize(met, self.mask_type(ty)?)))
            }
            I::DynamicSharedBytes => Ok(self.register(ty, device.dynamic_shared_bytes(module))),
            I::SharedMemory => {
                let (bytes, align) = self.block_operands(args)?;
                let of = self.shared_use(args[2]);
                let (_, number) = shared_memory::block(self.unit, of, bytes as u64, align as u64);
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
        let args = [ctx, module.const_i64(0), module.const_u32(PLACE_ANY), module.const_u32(0)];
        self.call_warp_barrier(&args);
    }

    /// Calls the launcher's function for barriers of warps.
    fn call_warp_barrier(&self, args: &[Val; 4]) -> Val {
        let module = self.module();
        let at = module.field(self.state().ctx(), offset_of!(LaunchContext, warp_barrier) as u64);
        let function = module.load(module.ptr(), at, 8);
        let (ptr, int, long) = (module.ptr(), module.int(32), module.int(64));
        module.call_pointer(function, long, &[ptr, long, int, int], args)
    }

    /// Emits a barrier of the warp on a fiber.
    fn meet(&self, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let module = self.module();
        let (mask, gives) = self.meeting_operands(args)?;
        let narrow = if self.mask_type(ty)? == module.int(64) { 0 } else { MEET_NARROW };
        let flags = match gives {
            None => module.const_u32(narrow | MEET_GIVES),
            Some(gives) => module.or(module.resize(gives, module.int(32)), module.const_u32(narrow)),
        };
        let met = self.call_warp_barrier(&[self.state().ctx(), mask, self.place(), flags]);
        Ok(self.register(ty, module.resize(met, self.mask_type(ty)?)))
    }

    /// Returns the mask of a barrier of the warp, an `i64`, and the bit that the item gives, unless it always does.
    pub(crate) fn meeting_operands(&self, args: &[Operand]) -> Result<(Val, Option<Val>), EmitError> {
        let module = self.module();
        let mask = module.resize(self.materialize(self.operand(args[0])?)?, module.int(64));
        let votes = args.get(1).filter(|it| !is_true_operand(self.types(), **it));
        Ok((mask, votes.map(|it| self.condition(*it)).transpose()?))
    }

    /// Returns the type of a mask of lanes.
    pub(crate) fn mask_type(&self, ty: Type) -> Result<Ty, EmitError> {
        Ok(self.unit.shapes.of(ty)?.llvm.unwrap_or(self.module().int(32)))
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
            I::WarpBarrier => self.meet(args, ty),
            I::DynamicSharedBytes => {
                let at =
                    module.field(self.state().ctx(), offset_of!(LaunchContext, dynamic_shared_bytes) as u64);
                Ok(self.register(ty, module.load(module.int(64), at, 8)))
            }
            I::SharedMemory => {
                let (bytes, align) = self.block_operands(args)?;
                let of = self.shared_use(args[2]);
                let (offset, _) = shared_memory::block(self.unit, of, bytes as u64, align as u64);
                let offset = shared_memory::value(self.unit, offset);
                let address = module.gep_bytes(self.state().shared(), offset);
                CheckCalls(self).declare_shared(address, bytes, args[2]);
                Ok(self.register(ty, address))
            }
            _ => Ok(self.register(ty, self.state().dynamic_shared())),
        }
    }

    /// Returns a number for the statement being emitted, which grows within a function; collisions are improbable.
    fn place(&self) -> Val {
        let (ordinal, stmt) = self.statement();
        let order = Cfg::new(self.code()).reverse_postorder;
        let mut stmts = order.iter().flat_map(|it| &self.code().blocks[*it].stmts);
        let at = stmts.position(|it| *it == stmt).unwrap_or(0) as u32 & STATEMENTS;
        let function = sites::value(self.unit, sites::own_number(self.unit, ordinal, kiln_unit::SITE_BOUNDS));
        let module = self.module();
        let scattered = module.binary(Opcode::LLVMMul, function, module.const_u32(0x9e37_79b1));
        module.or(module.and(scattered, module.const_u32(!STATEMENTS)), module.const_u32(at))
    }

    /// Returns the use of a block of shared memory, by the name that it was given.
    fn shared_use(&self, name: Operand) -> SharedUse {
        let (ordinal, stmt) = self.statement();
        let is_of_lanes = self.symbol_operand(name).is_some_and(|it| self.types().name(it) == "lane values");
        if is_of_lanes { SharedUse::Lanes } else { SharedUse::Statement(ordinal, stmt) }
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

/// Whether an operand is the constant `true`.
pub(crate) fn is_true_operand(types: &Types, operand: Operand) -> bool {
    matches!(operand, Operand::Const(it) if it == consts::bool(types, true))
}
