//! Functions as they are after passes: their blocks and instructions, and instructions made from others.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "LLVM has many types and operations: those that are not named have no elements and no flags"
)]

use super::walk::{chain, functions, name, users};
use super::{Block, Function, Module, Ty, Val};
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMAtomicOrdering, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind};

/// The kind of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TypeKind {
    /// An integer of this many bits.
    Int(u32),
    Float,
    Pointer,
    Struct,
    Array,
    Void,
    Other,
}

/// The list of remarks. `kiln_inspect` reads it in the text of modules.
const REMARKS: &std::ffi::CStr = c"kiln.remarks";

/// Whether a memory access is volatile or atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Plain,
    Ordered,
}

/// LLVM's number for effects on memory that a module has no other access to: both bits of its second location.
const INACCESSIBLE_MEMORY: u64 = 0b11 << 2;

impl Module {
    /// Notes how code was made, for those who ask: in a list of the module.
    pub(crate) fn remark(&self, text: &str) {
        // SAFETY: the text is given with its length; the node is of this context.
        unsafe {
            let text = LLVMMDStringInContext2(self.context, text.as_ptr().cast(), text.len());
            let mut texts = [text];
            let node = LLVMMDNodeInContext2(self.context, texts.as_mut_ptr(), 1);
            let node = LLVMMetadataAsValue(self.context, node);
            LLVMAddNamedMetadataOperand(self.module, REMARKS.as_ptr(), node);
        }
    }
    /// Returns the name of a function.
    pub(crate) fn name_of(&self, function: Function) -> String {
        // SAFETY: the handle is a function of this module.
        unsafe { name(function.value) }
    }
    /// Returns the functions that have a body.
    pub(crate) fn bodies(&self) -> Vec<Function> {
        // SAFETY: handles of this module.
        unsafe {
            let all = functions(self.module).into_iter().filter(|it| LLVMIsDeclaration(*it) == 0);
            all.map(|it| Function { value: it, ty: LLVMGlobalGetValueType(it) }).collect()
        }
    }
    /// Returns the functions without a body whose names begin so.
    pub(crate) fn declarations(&self, prefix: &str) -> Vec<Function> {
        // SAFETY: handles of this module.
        unsafe {
            let all = functions(self.module).into_iter();
            let all = all.filter(|it| LLVMIsDeclaration(*it) != 0 && name(*it).starts_with(prefix));
            all.map(|it| Function { value: it, ty: LLVMGlobalGetValueType(it) }).collect()
        }
    }
    /// Says that a function reads and writes memory that nothing else does.
    pub(crate) fn touches_nothing_known(&self, function: Function) {
        // SAFETY: the handles are of this context.
        unsafe {
            let kind = super::attribute_kind("memory");
            let it = LLVMCreateEnumAttribute(self.context, kind, INACCESSIBLE_MEMORY);
            LLVMAddAttributeAtIndex(function.value, llvm_sys::LLVMAttributeFunctionIndex, it);
        }
    }
    /// The inverse of [`Module::touches_nothing_known`].
    pub(crate) fn forgets_what_it_touches(&self, function: Function) {
        self.remove_attribute(function.value, "memory");
    }
    /// Whether a function is only optimized for size, or not at all.
    pub(crate) fn is_optnone(&self, function: Function) -> bool {
        const OPTNONE: &str = "optnone";
        // SAFETY: the handle is a function.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(OPTNONE.as_ptr().cast(), OPTNONE.len());
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            !LLVMGetEnumAttributeAtIndex(function.value, index, kind).is_null()
        }
    }
    /// Returns the blocks of a function, the entry first.
    pub(crate) fn blocks_of(&self, function: Function) -> Vec<Block> {
        // SAFETY: the function is of this module.
        unsafe {
            let first = LLVMGetFirstBasicBlock(function.value);
            std::iter::successors((!first.is_null()).then_some(first), |it| {
                Some(LLVMGetNextBasicBlock(*it)).filter(|it| !it.is_null())
            })
            .map(Block)
            .collect()
        }
    }
    /// Returns the instructions of a block.
    pub(crate) fn instructions_of(&self, block: Block) -> Vec<Val> {
        // SAFETY: the block is of this module.
        unsafe {
            chain(LLVMGetFirstInstruction(block.0), |it| LLVMGetNextInstruction(it))
                .into_iter()
                .map(Val)
                .collect()
        }
    }
    /// Returns the terminator of a block.
    pub(crate) fn terminator(&self, block: Block) -> Val {
        // SAFETY: complete blocks have one.
        Val(unsafe { LLVMGetBasicBlockTerminator(block.0) })
    }
    /// Returns the successors of a complete block.
    pub(crate) fn successors(&self, block: Block) -> Vec<Block> {
        // SAFETY: the numbers are in range.
        unsafe {
            let end = LLVMGetBasicBlockTerminator(block.0);
            (0..LLVMGetNumSuccessors(end)).map(|it| Block(LLVMGetSuccessor(end, it))).collect()
        }
    }
    /// Returns the opcode of an instruction; `None` for other values.
    pub(crate) fn opcode(&self, value: Val) -> Option<LLVMOpcode> {
        // SAFETY: the opcode is asked of instructions only.
        unsafe { (!LLVMIsAInstruction(value.0).is_null()).then(|| LLVMGetInstructionOpcode(value.0)) }
    }
    /// Returns the block of an instruction.
    pub(crate) fn block_of(&self, instruction: Val) -> Block {
        // SAFETY: the caller has an instruction of this module.
        Block(unsafe { LLVMGetInstructionParent(instruction.0) })
    }
    /// Returns the operands of an instruction that are values: no blocks. A call's function is the last.
    pub(crate) fn operands(&self, value: Val) -> Vec<Val> {
        // SAFETY: the numbers are in range.
        unsafe {
            let all = (0..LLVMGetNumOperands(value.0)).map(|it| LLVMGetOperand(value.0, it as u32));
            all.filter(|it| LLVMValueIsBasicBlock(*it) == 0).map(Val).collect()
        }
    }
    /// Returns the incoming values of a phi.
    pub(crate) fn incoming(&self, phi: Val) -> Vec<(Block, Val)> {
        // SAFETY: the value is a phi; the numbers are in range.
        unsafe {
            let all = 0..LLVMCountIncoming(phi.0);
            all.map(|it| (Block(LLVMGetIncomingBlock(phi.0, it)), Val(LLVMGetIncomingValue(phi.0, it))))
                .collect()
        }
    }
    /// Returns the instructions that use a value.
    pub(crate) fn users_of(&self, value: Val) -> Vec<Val> {
        // SAFETY: the value is alive.
        unsafe { users(value.0) }.into_iter().map(Val).collect()
    }
    /// Returns a constant integer of at most 64 bits, sign-extended.
    pub(crate) fn int_constant(&self, value: Val) -> Option<i64> {
        // SAFETY: the value is asked of constant integers only.
        unsafe {
            let is_int = !LLVMIsAConstantInt(value.0).is_null() && self.int_bits(self.type_of(value)) <= 64;
            is_int.then(|| LLVMConstIntGetSExtValue(value.0))
        }
    }
    /// Returns the kind of a type.
    pub(crate) fn type_kind(&self, ty: Ty) -> TypeKind {
        // SAFETY: the width is asked of integers only.
        unsafe {
            match LLVMGetTypeKind(ty.0) {
                LLVMTypeKind::LLVMIntegerTypeKind => TypeKind::Int(LLVMGetIntTypeWidth(ty.0)),
                LLVMTypeKind::LLVMHalfTypeKind
                | LLVMTypeKind::LLVMBFloatTypeKind
                | LLVMTypeKind::LLVMFloatTypeKind
                | LLVMTypeKind::LLVMDoubleTypeKind => TypeKind::Float,
                LLVMTypeKind::LLVMPointerTypeKind => TypeKind::Pointer,
                LLVMTypeKind::LLVMStructTypeKind => TypeKind::Struct,
                LLVMTypeKind::LLVMArrayTypeKind => TypeKind::Array,
                LLVMTypeKind::LLVMVoidTypeKind => TypeKind::Void,
                _ => TypeKind::Other,
            }
        }
    }
    /// Returns the elements of a struct or an array.
    pub(crate) fn element_types(&self, ty: Ty) -> Vec<Ty> {
        // SAFETY: asked by kind; the numbers are in range.
        unsafe {
            match self.type_kind(ty) {
                TypeKind::Struct => {
                    let all = 0..LLVMCountStructElementTypes(ty.0);
                    all.map(|it| Ty(LLVMStructGetTypeAtIndex(ty.0, it))).collect()
                }
                TypeKind::Array => vec![Ty(LLVMGetElementType(ty.0)); LLVMGetArrayLength2(ty.0) as usize],
                _ => Vec::new(),
            }
        }
    }
    /// Returns the bytes from one element of this type to the next in memory.
    pub(crate) fn bytes_of(&self, ty: Ty) -> u64 {
        // SAFETY: the type is sized; the layout is the module's.
        unsafe {
            llvm_sys::target::LLVMABISizeOfType(llvm_sys::target::LLVMGetModuleDataLayout(self.module), ty.0)
        }
    }
    /// Returns the bytes that a store of this type writes.
    pub(crate) fn stored_bytes_of(&self, ty: Ty) -> u64 {
        // SAFETY: the type is sized; the layout is the module's.
        unsafe {
            llvm_sys::target::LLVMStoreSizeOfType(
                llvm_sys::target::LLVMGetModuleDataLayout(self.module),
                ty.0,
            )
        }
    }
    /// Returns the predicate of an integer comparison.
    pub(crate) fn int_predicate(&self, value: Val) -> LLVMIntPredicate {
        // SAFETY: the caller has such a comparison.
        unsafe { LLVMGetICmpPredicate(value.0) }
    }
    /// Returns the predicate of a floating-point comparison.
    pub(crate) fn real_predicate(&self, value: Val) -> LLVMRealPredicate {
        // SAFETY: the caller has such a comparison.
        unsafe { LLVMGetFCmpPredicate(value.0) }
    }
    /// Returns the alignment of a load, a store or an allocation.
    pub(crate) fn alignment(&self, value: Val) -> u32 {
        // SAFETY: the caller has such an instruction.
        unsafe { LLVMGetAlignment(value.0) }
    }
    /// Whether a load or a store is volatile or atomic.
    pub(crate) fn access(&self, value: Val) -> Access {
        // SAFETY: the caller has such an instruction.
        let plain = unsafe {
            LLVMGetVolatile(value.0) == 0
                && LLVMGetOrdering(value.0) == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
        };
        if plain { Access::Plain } else { Access::Ordered }
    }
    /// Returns the element type of an address computation.
    pub(crate) fn indexed_type(&self, gep: Val) -> Ty {
        // SAFETY: the caller has such an instruction.
        Ty(unsafe { LLVMGetGEPSourceElementType(gep.0) })
    }
    /// Returns the type of an allocation's memory, if it is of constant size.
    pub(crate) fn allocated_type(&self, alloca: Val) -> Option<Ty> {
        // SAFETY: the caller has such an instruction.
        unsafe {
            let count = self.int_constant(Val(LLVMGetOperand(alloca.0, 0)));
            (count == Some(1)).then(|| Ty(LLVMGetAllocatedType(alloca.0)))
        }
    }
    /// Returns the name of the function that a call names; `None` if it calls through an address.
    pub(crate) fn called_name(&self, call: Val) -> Option<String> {
        // SAFETY: the caller has a call.
        unsafe {
            let called = LLVMGetCalledValue(call.0);
            (!LLVMIsAFunction(called).is_null()).then(|| name(called))
        }
    }
    /// Returns the number of arguments of a call.
    pub(crate) fn argument_count(&self, call: Val) -> usize {
        // SAFETY: the caller has a call.
        unsafe { LLVMGetNumArgOperands(call.0) as usize }
    }
    /// Returns the path of an extraction from or an insertion into an aggregate.
    pub(crate) fn path(&self, value: Val) -> Vec<u32> {
        // SAFETY: the caller has such an instruction; the list has the given length.
        unsafe {
            let count = LLVMGetNumIndices(value.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(value.0), count).to_vec()
        }
    }
    /// Returns the constant range of a load or a call: from the first to before the second, signed.
    pub(crate) fn range_of(&self, value: Val) -> Option<(i64, i64)> {
        // SAFETY: a range is a list of constants.
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, c"range".as_ptr(), 5);
            let node = LLVMGetMetadata(value.0, kind);
            if node.is_null() || LLVMGetMDNodeNumOperands(node) != 2 {
                return None;
            }
            let mut ends = [std::ptr::null_mut::<_>(); 2];
            LLVMGetMDNodeOperands(node, ends.as_mut_ptr());
            let [low, high] = ends.map(|it| self.int_constant(Val(it)));
            low.zip(high).filter(|it| it.0 < it.1)
        }
    }
    /// Appends a copy of an instruction with other operands, in the order of [`Module::operands`].
    pub(crate) fn copy_with(&self, instruction: Val, operands: &[Val]) -> Val {
        // SAFETY: the operands have the types of the old ones; the copy has no block yet.
        unsafe {
            let copy = LLVMInstructionClone(instruction.0);
            for (index, it) in operands.iter().enumerate() {
                LLVMSetOperand(copy, index as u32, it.0);
            }
            LLVMInsertIntoBuilder(self.builder, copy);
            Val(copy)
        }
    }
    /// Removes the flags of an integer operation or an address computation that make some results poison.
    pub(crate) fn drop_flags(&self, value: Val) {
        // SAFETY: each flag is set on instructions that have it.
        unsafe {
            match self.opcode(value) {
                Some(
                    LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMMul | LLVMOpcode::LLVMShl,
                ) => {
                    LLVMSetNSW(value.0, 0);
                    LLVMSetNUW(value.0, 0);
                }
                Some(LLVMOpcode::LLVMTrunc) => {
                    LLVMSetNSW(value.0, 0);
                    LLVMSetNUW(value.0, 0);
                }
                Some(LLVMOpcode::LLVMZExt) => LLVMSetNNeg(value.0, 0),
                Some(LLVMOpcode::LLVMGetElementPtr) => {
                    llvm_sys::core::LLVMGEPSetNoWrapFlags(value.0, 0);
                }
                _ => {}
            }
        }
    }
    /// Gives a floating-point instruction the fast-math flags of another.
    pub(crate) fn copy_fast(&self, from: Val, to: Val) {
        // SAFETY: the flags are asked of, and set on, instructions that may have them.
        unsafe {
            if LLVMCanValueUseFastMathFlags(from.0) != 0
                && !LLVMIsAInstruction(to.0).is_null()
                && LLVMCanValueUseFastMathFlags(to.0) != 0
            {
                LLVMSetFastMathFlags(to.0, LLVMGetFastMathFlags(from.0));
            }
        }
    }
    /// Whether an addition, subtraction or multiplication does not overflow, signed.
    pub(crate) fn has_no_signed_wrap(&self, value: Val) -> bool {
        // SAFETY: the flag is asked of instructions that have it.
        unsafe {
            let has = matches!(
                self.opcode(value),
                Some(LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMMul | LLVMOpcode::LLVMShl)
            );
            has && LLVMGetNSW(value.0) != 0
        }
    }
    /// Whether the operands of an `or` have no common bits.
    pub(crate) fn is_disjoint(&self, value: Val) -> bool {
        // SAFETY: the flag is asked of `or` only.
        unsafe { self.opcode(value) == Some(LLVMOpcode::LLVMOr) && LLVMGetIsDisjoint(value.0) != 0 }
    }
    /// Gives the following instructions the place in the source of this one.
    pub(crate) fn locate_as(&self, instruction: Val) {
        // SAFETY: the handles are of this context; no location is a location.
        unsafe {
            LLVMSetCurrentDebugLocation2(
                self.builder,
                llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(instruction.0),
            )
        }
    }
    /// Continues before the first instruction of a block.
    pub(crate) fn at_start(&self, block: Block) {
        // SAFETY: the block has an instruction.
        unsafe { LLVMPositionBuilderBefore(self.builder, LLVMGetFirstInstruction(block.0)) }
    }
    /// Continues before an instruction.
    #[cfg(any(feature = "spirv", feature = "metal"))]
    pub(crate) fn before(&self, instruction: Val) {
        // SAFETY: the instruction is in a block.
        unsafe { LLVMPositionBuilderBefore(self.builder, instruction.0) }
    }
    /// Makes a successor of a block another block.
    #[cfg(feature = "spirv")]
    pub(crate) fn set_successor(&self, block: Block, at: usize, to: Block) {
        // SAFETY: complete blocks have a terminator; the caller has counted its successors.
        unsafe { LLVMSetSuccessor(LLVMGetBasicBlockTerminator(block.0), at as u32, to.0) }
    }
    /// Replaces an operand of an instruction.
    pub(crate) fn set_operand(&self, instruction: Val, index: usize, value: Val) {
        // SAFETY: the instruction has the operand, and the value its type.
        unsafe { LLVMSetOperand(instruction.0, index as u32, value.0) }
    }
    /// Replaces an instruction.
    pub(crate) fn replace(&self, old: Val, new: Val) {
        // SAFETY: both have one type.
        unsafe {
            LLVMReplaceAllUsesWith(old.0, new.0);
            LLVMInstructionEraseFromParent(old.0);
        }
    }
    /// Removes the terminator of a block.
    pub(crate) fn reopen(&self, block: Block) {
        // SAFETY: complete blocks have a terminator, which has no uses.
        unsafe { LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(block.0)) }
    }

    /// Returns the complement of an integer or of a vector of them.
    pub(crate) fn negated(&self, value: Val) -> Val {
        // SAFETY: the caller has such a value.
        Val(unsafe { LLVMBuildNot(self.builder, value.0, c"".as_ptr()) })
    }
    /// Returns a vector of constants.
    pub(crate) fn const_vector(&self, elements: &[Val]) -> Val {
        let mut all: Vec<LLVMValueRef> = elements.iter().map(|it| it.0).collect();
        // SAFETY: the list has the given length.
        Val(unsafe { LLVMConstVector(all.as_mut_ptr(), all.len() as u32) })
    }
    /// Returns one lane of a vector.
    pub(crate) fn lane(&self, vector: Val, lane: Val) -> Val {
        // SAFETY: the lane is below the number of lanes.
        Val(unsafe { LLVMBuildExtractElement(self.builder, vector.0, lane.0, c"".as_ptr()) })
    }
    /// Returns a vector with one other lane.
    pub(crate) fn with_lane(&self, vector: Val, value: Val, lane: Val) -> Val {
        // SAFETY: the lane is below the number of lanes, the value is of the element type.
        Val(unsafe { LLVMBuildInsertElement(self.builder, vector.0, value.0, lane.0, c"".as_ptr()) })
    }
    /// Returns the lanes of a vector in another order.
    pub(crate) fn shuffle(&self, vector: Val, order: &[u32]) -> Val {
        let order: Vec<Val> = order.iter().map(|it| self.const_u32(*it)).collect();
        let order = self.const_vector(&order);
        let other = self.poison(self.type_of(vector));
        // SAFETY: the order names lanes of the vector.
        Val(unsafe { LLVMBuildShuffleVector(self.builder, vector.0, other.0, order.0, c"".as_ptr()) })
    }
    /// Returns a vector that has a value in each lane.
    pub(crate) fn splat(&self, value: Val, lanes: u32) -> Val {
        let ty = self.vector(self.type_of(value), lanes);
        let first = self.with_lane(self.poison(ty), value, self.const_u32(0));
        self.shuffle(first, &vec![0; lanes as usize])
    }
    /// Returns an address computation with one index for each element, of scalars or of vectors.
    pub(crate) fn gep_all(&self, elem: Ty, base: Val, indices: &[Val]) -> Val {
        let mut all: Vec<LLVMValueRef> = indices.iter().map(|it| it.0).collect();
        let count = all.len() as u32;
        // SAFETY: the list has the given length.
        Val(unsafe { LLVMBuildGEP2(self.builder, elem.0, base.0, all.as_mut_ptr(), count, c"".as_ptr()) })
    }
    /// Sets the alignment of the pointer that is an argument of a call.
    pub(crate) fn align_argument(&self, call: Val, index: u32, align: u32) {
        const ALIGN: &str = "align";
        // SAFETY: the argument is a pointer or a vector of them; arguments count from 1.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(ALIGN.as_ptr().cast(), ALIGN.len());
            let it = LLVMCreateEnumAttribute(self.context, kind, align.into());
            LLVMAddCallSiteAttribute(call.0, index + 1, it);
        }
    }
}
