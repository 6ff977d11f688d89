//! Objects that an item makes and that others may see: values with an identity, in memory that the launch gives. It is
//! taken from the start on and never given back, so that to take it is one addition.
//!
//! What nobody else can see is no object by the time it comes here: the optimizer has made values of its fields.

use crate::function::Emitter;
use crate::limits::limit;
use crate::llvm::{Atomic, Order, Val};
use crate::value::{Value, align_at};
use kiln_types::{FieldStorage, Type};
use kiln_unit::{LaunchContext, LaunchHeap, SITE_MEMORY};
use llvm_sys::LLVMIntPredicate as Int;
use std::mem::offset_of;

/// What the memory of an object is aligned to.
const ALIGN: u32 = 16;

impl Emitter<'_, '_> {
    /// An object with these fields. Those left out have no value: references are null.
    pub(crate) fn new_object(&self, values: &[Value], ty: Type) -> Result<Value, String> {
        let (module, types) = (self.module(), self.types());
        let layout = types.layout(ty).ok_or("an object of a type only known at run time")?;
        let address = self.allocate(layout.size, ty)?;
        for (index, (place, field)) in layout.fields.iter().zip(types.field_types(ty)).enumerate() {
            let at = module.field(address, place.offset.into());
            match (values.get(index), &place.storage) {
                (Some(value), FieldStorage::Pointer) => {
                    self.object_type(value.ty, value.ty)?;
                    module.store(self.materialize(*value)?, at, 8);
                }
                (Some(value), FieldStorage::Inline | FieldStorage::Union { .. }) => {
                    self.store(self.convert(*value, *field)?, at, align_at(ALIGN, place.offset))?;
                }
                (None, FieldStorage::Pointer) => module.store(module.zero(module.ptr()), at, 8),
                (None, FieldStorage::Inline | FieldStorage::Union { .. }) => {}
            }
        }
        Ok(self.register(ty, address))
    }

    /// Memory for an object of `size` bytes. The item fails if there is none.
    fn allocate(&self, size: u32, ty: Type) -> Result<Val, String> {
        let (module, unit) = (self.module(), self.unit);
        // An object without fields has an identity too.
        let bytes = size.max(1).next_multiple_of(ALIGN);
        let wanted = self.constant(self.types().const_int(bytes.into()));
        if unit.device.is_some() {
            let runtime = unit.runtime.allocate.ok_or_else(|| {
                let (shown, name) = (self.types().display(ty), &unit.facts.name);
                limit(format_args!(
                    "an object, a `{shown}`, that others may see: {name} has no memory for any"
                ))
            })?;
            let block = self.call_runtime(runtime, &[self.materialize(wanted)?])?;
            let block = block.ok_or("the runtime allocates nothing")?;
            let given = module.icmp(Int::LLVMIntNE, block, module.zero(module.type_of(block)));
            self.check(given, SITE_MEMORY, &[wanted])?;
            return Ok(block);
        }
        if !unit.in_kernel {
            return Err(format!("an allocation of a {}", self.types().display(ty)));
        }
        let (ptr, word) = (module.ptr(), module.int(64));
        let heap = module.field(self.state().ctx(), offset_of!(LaunchContext, heap) as u64);
        let heap = module.load(ptr, heap, 8);
        let part = |offset: usize| module.field(heap, offset as u64);
        let count = self.materialize(wanted)?;
        let used = module.rmw(Atomic::Add, part(offset_of!(LaunchHeap, used)), count, Order::Monotonic);
        let room = module.load(word, part(offset_of!(LaunchHeap, bytes)), 8);
        let fits = module.icmp(Int::LLVMIntULE, module.add(used, count), room);
        self.check(fits, SITE_MEMORY, &[wanted])?;
        Ok(module.gep_bytes(module.load(ptr, part(offset_of!(LaunchHeap, base)), 8), used))
    }
}
