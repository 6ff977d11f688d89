//! Global variables of host code: each is a cell of the session, which holds the address of an object.

use crate::error::EmitError;
use crate::function::Emitter;
use crate::llvm::{Order, Val};
use crate::session_symbols;
use crate::value::Value;
use kiln_ir::{StmtData, Value as Operand};
use kiln_unit::{GLOBAL_CELL_IS_DIRECT, GlobalRole, HostTable};
use llvm_sys::LLVMIntPredicate as Int;
use std::mem::offset_of;

impl Emitter<'_, '_> {
    fn global_cell(&self) -> Val {
        let role = GlobalRole::Cell { function: self.ordinal, stmt: self.current.get().as_u32() };
        session_symbols::global(self.unit, role)
    }

    /// Emits whether the running world is the newest.
    pub(crate) fn is_newest_world(&self) -> Result<Value, EmitError> {
        let module = self.module();
        let newest = module.load_atomic(
            module.int(64),
            self.host_field(offset_of!(HostTable, newest_world)),
            8,
            Order::Acquire,
        );
        let running = module.load(module.int(64), self.host_place(offset_of!(HostTable, world)), 8);
        let is_newest = module.icmp(Int::LLVMIntEQ, newest, running);
        Ok(self.register(self.types().core().bool, is_newest))
    }

    /// Emits the read of a variable. The host reads one that has no value.
    pub(crate) fn read_global(&self, data: &StmtData) -> Result<Value, EmitError> {
        let (module, any) = (self.module(), self.types().core().any);
        let object = module.load_atomic(module.ptr(), self.global_cell(), 8, Order::Acquire);
        let is_set = module.icmp(Int::LLVMIntNE, object, module.zero(module.ptr()));
        let (missing, go_on, read_from) =
            (module.block(self.function), module.block(self.function), module.here());
        module.cond_br(is_set, go_on, missing);
        module.at_end(missing);
        let other = self.run_by_host(data)?;
        let other = match other {
            Some(value) => Some((self.object_of(value)?, module.here())),
            None => {
                module.unreachable();
                None
            }
        };
        if other.is_some() {
            module.br(go_on);
        }
        module.at_end(go_on);
        let phi = module.phi(module.ptr());
        module.add_incoming(phi, object, read_from);
        if let Some((object, from)) = other {
            module.add_incoming(phi, object, from);
        }
        self.value_of_object(self.register(any, phi), data.ty)
    }

    /// Emits the assignment of a variable. The host assigns one whose type the value does not have for sure.
    pub(crate) fn write_global(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let module = self.module();
        let (cell, value) = (self.global_cell(), self.operand(args[2])?);
        let flag = module.field(cell, GLOBAL_CELL_IS_DIRECT);
        let flag = module.load_atomic(module.int(64), flag, 8, Order::Acquire);
        let is_direct = module.icmp(Int::LLVMIntNE, flag, module.const_i64(0));
        let block = || module.block(self.function);
        let (direct, other, done) = (block(), block(), block());
        module.cond_br(is_direct, direct, other);
        module.at_end(direct);
        module.store_atomic(self.object_of(value)?, cell, 8, Order::Release);
        module.br(done);
        module.at_end(other);
        self.run_by_host(&self.code().stmts[self.current.get()])?;
        module.br(done);
        module.at_end(done);
        Ok(value)
    }
}
