//! `Memory` and `MemoryRef`, in Julia 1.12's layout: a memory is an object `{ length, ptr }`, a reference the struct
//! `{ ptr_or_offset, mem }`.

use crate::analysis::unchecked;
use crate::checked::CheckCalls;
use crate::error::{EmitError, InvalidBody, Operation, TypeRole, Unsupported};
use crate::function::{Emitter, Mode};
use crate::llvm::{MemoryClass, Val};
use crate::shape::Form;
use crate::value::Value;
use kiln_ir::Value as Operand;
use kiln_types::{Type, Types, consts, datatype, display};
use kiln_unit::{ACCESS_READ, ACCESS_WRITE, SITE_BOUNDS};
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Opcode};

/// The offsets of the length and the data pointer in the object.
const LENGTH: u64 = 0;
const DATA: u64 = 8;

impl Emitter<'_, '_> {
    /// Returns the element type of a memory or a reference.
    fn memory_elem(&self, ty: Type) -> Result<Type, EmitError> {
        datatype::params(self.types(), ty).get(1).copied().ok_or_else(|| Operation::DynamicMemory.into())
    }

    /// Returns the pointer and the memory of a reference.
    fn memory_parts(&self, reference: Value) -> Result<(Val, Val), EmitError> {
        let (module, whole) = (self.module(), self.materialize(reference)?);
        Ok((module.extract(whole, 0), module.extract(whole, 1)))
    }

    /// Returns the bytes from one element to the next; elements that are objects are addresses.
    fn stride(&self, elem: Type) -> Result<u32, EmitError> {
        let shape = self.unit.shapes.of(elem)?;
        match shape.form {
            Form::Union { .. } => {
                Err(Unsupported::of_type(TypeRole::Memory, display::of_type(self.types(), elem)))
            }
            Form::Ghost => {
                Err(Unsupported::of_type(TypeRole::SizelessMemory, display::of_type(self.types(), elem)))
            }
            _ if self.unit.is_host => {
                self.check_element(elem)?;
                Ok(shape.size.next_multiple_of(shape.align))
            }
            _ => Ok(shape.size.next_multiple_of(shape.align)),
        }
    }

    /// Returns the number of elements between the start of the memory and a pointer into it.
    fn distance(&self, pointer: Val, memory: Val, stride: u32) -> Val {
        let module = self.module();
        let start = memory_data(self, memory);
        let int = |it| module.cast(Opcode::LLVMPtrToInt, it, module.int(64));
        let bytes = module.sub(int(pointer), int(start));
        module.binary(Opcode::LLVMUDiv, bytes, module.const_i64(stride.into()))
    }

    /// Emits `memoryrefnew(mem)` and `memoryrefnew(ref, i[, boundscheck])`.
    pub(super) fn memory_ref(&self, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let (module, base) = (self.module(), self.operand(args[0])?);
        let llvm = self.unit.shapes.of(ty)?.llvm.ok_or(InvalidBody::ReferenceBits)?;
        if self.unit.is_host {
            self.stride(self.memory_elem(base.ty)?)?; // others are referred to by number
        }
        let (pointer, memory) = match self.unit.shapes.of(base.ty)?.form {
            Form::Object => {
                let memory = self.materialize(base)?;
                (memory_data(self, memory), memory)
            }
            _ => self.memory_parts(base)?,
        };
        let pointer = match args.get(1) {
            None => pointer,
            Some(index) => {
                let index = module.resize(self.as_int(self.operand(*index)?)?, module.int(64));
                self.moved(base.ty, (pointer, memory), index, unchecked(args, self.types()))?
            }
        };
        let whole = module.insert(module.poison(llvm), pointer, 0);
        Ok(self.register(ty, module.insert(whole, memory, 1)))
    }

    /// Returns the pointer to element `index` (from 1) from `pointer`.
    fn moved(
        &self,
        ty: Type,
        (pointer, memory): (Val, Val),
        index: Val,
        unchecked: bool,
    ) -> Result<Val, EmitError> {
        let (module, elem) = (self.module(), self.memory_elem(ty)?);
        let stride = self.stride(elem)?;
        let offset = module.sub(index, module.const_i64(1));
        if !unchecked {
            let at = module.add(self.distance(pointer, memory, stride), offset);
            let length = || module.load(module.int(64), module.field(memory, LENGTH), 8);
            let length = self.in_memory_of(MemoryClass::ArrayField, length);
            let index = self.register(self.types().core().int64, index);
            self.check(module.icmp(Int::LLVMIntULT, at, length), SITE_BOUNDS, &[index])?;
        }
        self.element_address(elem, pointer, offset)
    }

    pub(super) fn memory_offset(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let (module, reference) = (self.module(), self.operand(args[0])?);
        let (pointer, memory) = self.memory_parts(reference)?;
        let stride = self.stride(self.memory_elem(reference.ty)?)?;
        let offset = module.add(self.distance(pointer, memory, stride), module.const_i64(1));
        Ok(self.register(self.types().core().int64, offset))
    }

    /// Emits `memoryrefget(ref, order, boundscheck)`.
    pub(super) fn memory_get(&self, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let reference = self.operand(args[0])?;
        let elem = self.memory_elem(reference.ty)?;
        self.stride(elem)?;
        let (pointer, _) = self.memory_parts(reference)?;
        let pointer = CheckCalls(self).access(pointer, elem, ACCESS_READ)?;
        if self.unit.is_host {
            self.check_defined(elem, pointer)?;
        }
        let value = self.in_memory_of(MemoryClass::Element, || self.load(elem, pointer, 16))?;
        if !self.unit.is_host && matches!(self.unit.shapes.of(elem)?.form, Form::Object) {
            self.check_set(self.materialize(value)?)?;
        }
        if ty == Types::BOTTOM { Ok(value) } else { self.convert(value, ty) }
    }

    /// Emits `memoryrefset!(ref, value, order, boundscheck)`.
    pub(super) fn memory_set(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let (reference, value) = (self.operand(args[0])?, self.operand(args[1])?);
        let elem = self.memory_elem(reference.ty)?;
        self.stride(elem)?;
        let (pointer, _) = self.memory_parts(reference)?;
        let stored = self.convert(value, elem)?;
        if self.mode != Mode::Replay {
            let pointer = CheckCalls(self).access(pointer, elem, ACCESS_WRITE)?;
            self.overwrite(stored, (MemoryClass::Element, pointer), 16)?;
        }
        Ok(value)
    }

    /// Emits `genericmemory_copyto(dest, src, n)`, a copy between the pointers of two references.
    pub(crate) fn memory_copy(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let &[to, from, count] = args else { return Err(InvalidBody::CopyOperands.into()) };
        let (module, to, from) = (self.module(), self.operand(to)?, self.operand(from)?);
        let elem = self.memory_elem(to.ty)?;
        if self.memory_elem(from.ty)? != elem {
            return Err(Operation::MemoryCopy.into());
        }
        let stride = self.stride(elem)?;
        let (target, source) = (self.memory_parts(to)?.0, self.memory_parts(from)?.0);
        let count = module.resize(self.as_int(self.operand(count)?)?, module.int(64));
        if self.unit.is_host && self.first_reference(elem)?.is_some() {
            return self.copy_references((target, source), (count, stride));
        }
        if self.mode != Mode::Replay {
            let bytes = module.binary(Opcode::LLVMMul, count, module.const_i64(stride.into()));
            let volatile = module.zero(module.int(1));
            let types = [module.ptr(), module.ptr(), module.int(64)];
            let source = CheckCalls(self).bytes(source, bytes, (ACCESS_READ, None));
            let target = CheckCalls(self).bytes(target, bytes, (ACCESS_WRITE, None));
            module.intrinsic("llvm.memmove", &types, &[target, source, bytes, volatile]);
        }
        Ok(self.ghost(self.types().core().nothing))
    }

    /// Emits `string_pointer(s)`: the bytes follow the length.
    pub(crate) fn string_pointer(&self, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let &[string] = args else { return Err(InvalidBody::StringPointerOperands.into()) };
        let address = self.materialize(self.operand(string)?)?;
        Ok(self.register(ty, self.module().field(address, 8)))
    }

    pub(super) fn memory_is_assigned(&self, args: &[Operand]) -> Result<Value, EmitError> {
        let (module, reference) = (self.module(), self.operand(args[0])?);
        let elem = self.memory_elem(reference.ty)?;
        let Some(first) = self.first_reference(elem)? else {
            return Ok(self.constant(consts::bool(self.types(), true)));
        };
        let (pointer, _) = self.memory_parts(reference)?;
        let object = module.load(module.ptr(), module.field(pointer, first.into()), 8);
        Ok(self.bool_value(module.icmp(Int::LLVMIntNE, object, module.zero(module.ptr()))))
    }
}

/// Returns the address of the elements of a memory.
fn memory_data(emitter: &Emitter<'_, '_>, memory: Val) -> Val {
    let module = emitter.module();
    let load = || module.load(module.ptr(), module.field(memory, DATA), 8);
    emitter.in_memory_of(MemoryClass::ArrayField, load)
}
