//! Bodies under construction, in which a value may be mentioned before its instruction is there.

use crate::model::{AirInstruction, AirOperation, Value};
use crate::types::TypeId;

/// The body of a function under construction.
///
/// Values of instructions that [`push`](Self::push) and [`reserve`](Self::reserve) return are numbers of the builder;
/// [`finish`](Self::finish) replaces them by the order of the blocks.
#[derive(Clone, Debug, Default)]
pub struct BodyBuilder {
    slots: Vec<Option<AirInstruction>>,
    blocks: Vec<Vec<u32>>,
}

impl BodyBuilder {
    /// Returns a body with so many empty blocks.
    pub fn new(blocks: u32) -> Self {
        Self { slots: Vec::new(), blocks: vec![Vec::new(); blocks as usize] }
    }
    /// Returns the value of an instruction that is placed later.
    pub fn reserve(&mut self) -> Value {
        self.slots.push(None);
        Value::Instruction(self.slots.len() as u32 - 1)
    }
    /// Appends an instruction to a block.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn push(&mut self, block: u32, ty: Option<TypeId>, op: AirOperation) -> Value {
        let value = self.reserve();
        self.place(block, value, ty, op);
        value
    }
    /// Appends the instruction of a reserved value to a block.
    ///
    /// # Panics
    /// If there is no such block, or if the value is not reserved.
    pub fn place(&mut self, block: u32, value: Value, ty: Option<TypeId>, op: AirOperation) {
        let Value::Instruction(slot) = value else { panic!("a reserved value is that of an instruction") };
        let old = self.slots[slot as usize].replace(AirInstruction { ty, op });
        assert!(old.is_none(), "a value has one instruction");
        self.blocks[block as usize].push(slot);
    }
    /// Returns the type of an instruction that has been placed.
    pub fn type_of(&self, value: Value) -> Option<TypeId> {
        let Value::Instruction(slot) = value else { return None };
        self.slots.get(slot as usize)?.as_ref()?.ty
    }
    /// Returns the blocks; `None` if a reserved value that is mentioned has no instruction.
    pub fn finish(mut self) -> Option<Vec<Vec<AirInstruction>>> {
        let mut numbers = vec![None; self.slots.len()];
        for (number, slot) in self.blocks.iter().flatten().enumerate() {
            numbers[*slot as usize] = Some(number as u32);
        }
        let mut blocks = Vec::new();
        for slots in &self.blocks {
            let mut block = Vec::new();
            for slot in slots {
                let mut it = self.slots[*slot as usize].take().expect("each slot is in one block");
                for value in it.op.values_mut() {
                    if let Value::Instruction(slot) = value {
                        *slot = numbers.get(*slot as usize).copied().flatten()?;
                    }
                }
                block.push(it);
            }
            blocks.push(block);
        }
        Some(blocks)
    }
}
