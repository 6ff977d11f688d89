//! Checked kernels: a call of the launcher before each access, at each barrier and at each fence.
//!
//! The functions are those of [`CheckTable`], which the launch context points to. An access goes to the address that its call
//! returns: the launcher keeps accesses outside of all memory away from it. A call has the number of a site of codegen's own,
//! [`SITE_ACCESS`], which stands for the statement.
//!
//! Only kernels for processors are checked. They have the form of one item, and every function takes the state of the item.

use super::{shared_memory, sites};
use crate::check_sites::RED_ZONE;
use crate::error::EmitError;
use crate::function::Emitter;
use crate::llvm::{Order, Val};
use crate::screen::ScreenCalls;
use kiln_ir::Value as Operand;
use kiln_types::Type;
use kiln_unit::{
    ACCESS_ACQUIRE, ACCESS_ATOMIC, ACCESS_GROUP, ACCESS_RELEASE, CheckTable, DECLARED_CONSTANT,
    DECLARED_PRIVATE, DECLARED_SHARED, DECLARED_WRITTEN, LaunchContext, SITE_ACCESS,
};
use std::mem::offset_of;

/// Returns the bits of an order.
fn order_bits(order: Order) -> u32 {
    match order {
        Order::Unordered | Order::Monotonic => 0,
        Order::Acquire => ACCESS_ACQUIRE,
        Order::Release => ACCESS_RELEASE,
        Order::AcquireRelease | Order::SequentiallyConsistent => ACCESS_ACQUIRE | ACCESS_RELEASE,
    }
}

/// The calls of the launcher in the function being emitted.
#[derive(Clone, Copy)]
pub(crate) struct CheckCalls<'e, 'u, 'a>(pub(crate) &'e Emitter<'u, 'a>);

impl CheckCalls<'_, '_, '_> {
    /// Returns the number of the statement's site.
    fn access_site(self) -> Val {
        sites::value(self.0.unit, sites::own_number_of(self.0.unit, self.0.statement(), SITE_ACCESS))
    }

    /// Returns the function at an offset of the launcher's table.
    fn check_function(self, offset: usize) -> Val {
        let module = self.0.module();
        let table = module.field(self.0.state().ctx(), offset_of!(LaunchContext, checks) as u64);
        let table = module.invariant(module.load(module.ptr(), table, 8));
        module.invariant(module.load(module.ptr(), module.field(table, offset as u64), 8))
    }

    /// Emits the check of an access to a value of type `ty`; returns the address to access.
    pub(crate) fn access(self, address: Val, ty: Type, access: u32) -> Result<Val, EmitError> {
        if self.0.unit.screens {
            ScreenCalls(self.0).access(address, self.0.unit.shapes.of(ty)?.size, access);
            return Ok(address);
        }
        if !self.0.unit.checks.watches_accesses() {
            return Ok(address);
        }
        match self.0.unit.shapes.of(ty)?.size {
            0 => Ok(address),
            bytes => Ok(self.bytes(address, self.0.module().const_i64(i64::from(bytes)), (access, None))),
        }
    }

    /// Emits the check of an access to `bytes` bytes; returns the address to access.
    pub(crate) fn bytes(self, address: Val, bytes: Val, (access, order): (u32, Option<Order>)) -> Val {
        if self.0.unit.screens {
            let access = access | order.map_or(0, |_| ACCESS_ATOMIC);
            ScreenCalls(self.0).any(address, bytes, access);
            return address;
        }
        if !self.0.unit.checks.watches_accesses() {
            return address;
        }
        let module = self.0.module();
        let access = access | order.map_or(0, |it| ACCESS_ATOMIC | order_bits(it));
        let (ptr, word, long) = (module.ptr(), module.int(32), module.int(64));
        let arguments = [self.0.state().ctx(), address, bytes, module.const_u32(access), self.access_site()];
        let function = self.check_function(offset_of!(CheckTable, access));
        module.call_pointer(function, ptr, &[ptr, ptr, long, word, word], &arguments)
    }

    /// Emits the note of a fence.
    pub(crate) fn fence(self, order: Order, is_of_group: bool) {
        if !self.0.unit.checks.any() {
            return;
        }
        let module = self.0.module();
        let order = order_bits(order) | if is_of_group { ACCESS_GROUP } else { 0 };
        let arguments = [self.0.state().ctx(), module.const_u32(order)];
        let function = self.check_function(offset_of!(CheckTable, fence));
        module.call_pointer(function, module.void(), &[module.ptr(), module.int(32)], &arguments);
    }

    /// Emits a barrier of the group, with its place.
    pub(crate) fn barrier(self) {
        let module = self.0.module();
        let arguments = [self.0.state().ctx(), self.access_site()];
        let function = self.check_function(offset_of!(CheckTable, barrier));
        module.call_pointer(function, module.void(), &[module.ptr(), module.int(32)], &arguments);
    }

    /// Emits the declaration of a block of shared memory. The library's random numbers mark themselves what is written in
    /// theirs.
    pub(crate) fn declare_shared(self, address: Val, bytes: i64, key: Operand) {
        let key = self.0.symbol_operand(key).map_or("", |it| self.0.types().name(it));
        let is_written = key.starts_with("random_");
        if is_written {
            shared_memory::note_written(self.0.unit, self.0.statement());
        }
        let kind = if is_written { DECLARED_WRITTEN } else { DECLARED_SHARED };
        self.declare(address, self.0.module().const_i64(bytes), kind);
    }

    /// Allocates private memory between two red zones, and declares it.
    pub(crate) fn private(self, bytes: i64, align: u32) -> Val {
        let module = self.0.module();
        let block = module.array(module.int(8), bytes as u64 + 2 * RED_ZONE);
        let address = module.field(module.alloca_in(self.0.function, block, align), RED_ZONE);
        self.declare(address, module.const_i64(bytes), DECLARED_PRIVATE);
        address
    }

    /// Emits `kiln_declare_constant(p, bytes)`.
    pub(crate) fn declare_constant(self, args: &[Operand]) -> Result<(), EmitError> {
        if self.0.unit.checks.memory || self.0.unit.screens {
            let (pointer, bytes) = (self.0.operand(args[0])?, self.0.operand(args[1])?);
            let address = self.0.address(pointer)?;
            self.declare(address, self.0.as_int(bytes)?, DECLARED_CONSTANT);
        }
        Ok(())
    }

    /// Emits the note that the item has memory of the kind `DECLARED_*`.
    fn declare(self, address: Val, bytes: Val, kind: u32) {
        if self.0.unit.screens && kind == DECLARED_CONSTANT {
            ScreenCalls(self.0).declare(address, bytes, kind);
        }
        if !self.0.unit.checks.watches_accesses() {
            return;
        }
        let module = self.0.module();
        let (ptr, word, long) = (module.ptr(), module.int(32), module.int(64));
        let arguments = [self.0.state().ctx(), address, bytes, module.const_u32(kind), self.access_site()];
        let function = self.check_function(offset_of!(CheckTable, declare));
        module.call_pointer(function, module.void(), &[ptr, ptr, long, word, word], &arguments);
    }
}
