//! The write barrier: the collector marks what was reachable when it began, so a reference that is overwritten meanwhile is
//! recorded.

use crate::error::EmitError;
use crate::function::Emitter;
use crate::llvm::{MemoryClass, Val, accessing};
use crate::shape::{Form, Shape};
use crate::value::Value;
use kiln_unit::HostTable;
use llvm_sys::LLVMIntPredicate as Int;
use std::mem::offset_of;

impl Emitter<'_, '_> {
    /// Whether the collector marks.
    pub(crate) fn is_marking(&self) -> Val {
        let module = self.module();
        let byte = module.load(module.int(8), self.host_field(offset_of!(HostTable, marking)), 1);
        module.icmp(Int::LLVMIntNE, byte, module.const_int(module.int(8), 0))
    }

    /// Stores a value over another one in an object that existed before. In kernels, which no collector sees, it is a store.
    pub(crate) fn overwrite(
        &self,
        value: Value,
        (class, address): (MemoryClass, Val),
        align: u32,
    ) -> Result<(), EmitError> {
        let shape = self.unit.shapes.of(value.ty)?;
        if self.unit.is_host {
            self.record_old(&shape, address)?;
        }
        self.in_memory_of(class, || self.store(value, address, align))
    }

    /// Emits accesses of a kind of the heap's memory. Kernels have no heap.
    pub(crate) fn in_memory_of<T>(&self, class: MemoryClass, emit: impl FnOnce() -> T) -> T {
        let class = if self.unit.is_host { class } else { MemoryClass::Any };
        accessing(self.module(), class, emit)
    }

    /// Records the references of a value that is about to be overwritten, if the collector marks.
    fn record_old(&self, shape: &Shape, address: Val) -> Result<(), EmitError> {
        let mut offsets = Vec::new();
        self.references(shape, 0, &mut offsets)?;
        if offsets.is_empty() {
            return Ok(());
        }
        let module = self.module();
        let (record, go_on) = (module.block(self.function), module.block(self.function));
        module.cond_br(self.is_marking(), record, go_on);
        module.at_end(record);
        for offset in offsets {
            let place = module.field(address, offset.into());
            self.call_host(offset_of!(HostTable, record_old), module.void(), &[place]);
        }
        module.br(go_on);
        module.at_end(go_on);
        Ok(())
    }

    /// Emits a copy between memories of elements with references: while the collector marks, the host makes it.
    pub(crate) fn copy_references(
        &self,
        (target, source): (Val, Val),
        (count, stride): (Val, u32),
    ) -> Result<Value, EmitError> {
        let module = self.module();
        let block = || module.block(self.function);
        let (marks, copies, done) = (block(), block(), block());
        module.cond_br(self.is_marking(), marks, copies);
        module.at_end(marks);
        self.run_by_host(&self.code().stmts[self.current.get()])?;
        module.br(done);
        module.at_end(copies);
        let bytes = module.mul(count, module.const_i64(stride.into()));
        let types = [module.ptr(), module.ptr(), module.int(64)];
        module.intrinsic("llvm.memmove", &types, &[target, source, bytes, module.zero(module.int(1))]);
        module.br(done);
        module.at_end(done);
        Ok(self.ghost(self.types().core().nothing))
    }

    /// Adds the offsets of all references in a value of a shape.
    fn references(&self, shape: &Shape, base: u32, offsets: &mut Vec<u32>) -> Result<(), EmitError> {
        match &shape.form {
            Form::Object => offsets.push(base),
            Form::Fields(fields) => {
                for field in fields {
                    let part = self.unit.shapes.of_field(field.ty, field.by_address)?;
                    self.references(&part, base + field.offset, offsets)?;
                }
            }
            Form::Array { elem, count, stride } => {
                let part = self.unit.shapes.of(*elem)?;
                for at in 0..*count {
                    self.references(&part, base + at * stride, offsets)?;
                }
            }
            Form::Ghost
            | Form::Bool
            | Form::Int(_)
            | Form::Float(..)
            | Form::Pointer
            | Form::Union { .. } => {}
        }
        Ok(())
    }
}
