//! Instructions, which are appended at the builder's position.

use super::{Block, Function, Module, Ty, Val};
use crate::loop_hints::Hint;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

/// The property of loops over items.
pub(super) const ITEM_LOOP: &str = "kiln.loop.items";

/// The property of the loops of a region, followed by its number.
pub(super) const REGION_LOOP: &str = "kiln.loop.region.";

/// The property of loops over the rows of a column of items.
pub(crate) const ROWS: &str = "kiln.loop.rows";

/// The property of such a loop that takes several rows in a turn.
pub(crate) const SEVERAL_ROWS: &str = "kiln.loop.rows.several";

/// The property of loops that LLVM does not unroll.
pub(crate) const NOT_UNROLLED: &str = "llvm.loop.unroll.disable";
/// Says of a loop that it is unrolled only where its iterations are a constant number.
pub(crate) const UNROLLED_WHOLE: &str = "llvm.loop.unroll.runtime.disable";

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

/// The memory order of an atomic access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Accesses are not torn.
    Unordered,
    /// Accesses of one location have a total order.
    Monotonic,
    /// Later accesses stay after it.
    Acquire,
    /// Earlier accesses stay before it.
    Release,
    /// Acquire and release.
    AcquireRelease,
    /// Acquire and release, with a total order of all such accesses.
    SequentiallyConsistent,
}

impl Order {
    fn raw(self) -> LLVMAtomicOrdering {
        match self {
            Order::Unordered => LLVMAtomicOrdering::LLVMAtomicOrderingUnordered,
            Order::Monotonic => LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic,
            Order::Acquire => LLVMAtomicOrdering::LLVMAtomicOrderingAcquire,
            Order::Release => LLVMAtomicOrdering::LLVMAtomicOrderingRelease,
            Order::AcquireRelease => LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease,
            Order::SequentiallyConsistent => LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent,
        }
    }
}

/// The operation of an atomic read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Atomic {
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    SignedMax,
    SignedMin,
    UnsignedMax,
    UnsignedMin,
    FloatAdd,
    FloatSub,
}

/// The fast-math flags of floating-point instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fast {
    /// None.
    Exact,
    /// All (`@fastmath`).
    All,
}

/// The metadata of a loop over items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ItemLoop {
    /// Items run one after the other: they may wait for each other in callees, or report.
    Serial,
    /// Nothing.
    Ordered,
    /// Marked accesses of different items are independent.
    Parallel,
    /// Marked accesses of different items are independent, and rows may be short: one vector at a time. The items run the region
    /// of this number.
    Region(u32),
    /// As [`Region`](Self::Region), with atomic operations: accesses of one item may depend on another's.
    AtomicRegion(u32),
    /// The loop runs few items: it is optimized for size.
    Rare,
}

impl Module {
    /// Continues at the end of a block.
    pub(crate) fn at_end(&self, block: Block) {
        // SAFETY: the handle is valid.
        unsafe { LLVMPositionBuilderAtEnd(self.builder, block.0) }
        self.locate();
    }
    /// Returns the current block.
    pub(crate) fn here(&self) -> Block {
        // SAFETY: emission stands in a block whenever it asks.
        Block(unsafe { LLVMGetInsertBlock(self.builder) })
    }
    pub(crate) fn binary(&self, opcode: LLVMOpcode, a: Val, b: Val) -> Val {
        // SAFETY: emission gives operands of one type.
        Val(unsafe { LLVMBuildBinOp(self.builder, opcode, a.0, b.0, NO_NAME) })
    }
    /// Returns the sum of two integers.
    pub fn add(&self, a: Val, b: Val) -> Val {
        self.binary(LLVMOpcode::LLVMAdd, a, b)
    }
    /// Returns a sum that overflows neither signed nor unsigned.
    pub(crate) fn add_exact(&self, a: Val, b: Val) -> Val {
        let sum = self.add(a, b);
        // SAFETY: constant folding may have given something that is no instruction.
        unsafe {
            if !LLVMIsAInstruction(sum.0).is_null() {
                LLVMSetNSW(sum.0, 1);
                LLVMSetNUW(sum.0, 1);
            }
        }
        sum
    }
    /// Returns the difference of two integers.
    pub fn sub(&self, a: Val, b: Val) -> Val {
        self.binary(LLVMOpcode::LLVMSub, a, b)
    }
    /// Returns the product of two integers.
    pub fn mul(&self, a: Val, b: Val) -> Val {
        self.binary(LLVMOpcode::LLVMMul, a, b)
    }
    /// Returns the bitwise and of two integers.
    pub fn and(&self, a: Val, b: Val) -> Val {
        self.binary(LLVMOpcode::LLVMAnd, a, b)
    }
    /// Returns the bitwise or of two integers.
    pub fn or(&self, a: Val, b: Val) -> Val {
        self.binary(LLVMOpcode::LLVMOr, a, b)
    }
    /// Returns the bitwise exclusive or of two integers.
    pub fn xor(&self, a: Val, b: Val) -> Val {
        self.binary(LLVMOpcode::LLVMXor, a, b)
    }
    /// Returns the result of a floating-point operation.
    pub(crate) fn float_binary(&self, opcode: LLVMOpcode, a: Val, b: Val, fast: Fast) -> Val {
        let value = self.binary(opcode, a, b);
        self.set_fast(value, fast);
        value
    }
    pub(crate) fn set_fast(&self, value: Val, fast: Fast) {
        let flags = match fast {
            Fast::Exact => return,
            Fast::All => llvm_sys::LLVMFastMathAll,
        };
        // SAFETY: the flags are set on instructions that may have them; a folded constant has none.
        unsafe {
            if !LLVMIsAInstruction(value.0).is_null() && LLVMCanValueUseFastMathFlags(value.0) != 0 {
                LLVMSetFastMathFlags(value.0, flags);
            }
        }
    }
    pub(crate) fn float_neg(&self, a: Val) -> Val {
        // SAFETY: the operand is a float.
        Val(unsafe { LLVMBuildFNeg(self.builder, a.0, NO_NAME) })
    }
    pub(crate) fn icmp(&self, predicate: LLVMIntPredicate, a: Val, b: Val) -> Val {
        // SAFETY: emission gives operands of one type.
        Val(unsafe { LLVMBuildICmp(self.builder, predicate, a.0, b.0, NO_NAME) })
    }
    /// Returns whether two integers are equal, an `i1`.
    pub fn int_eq(&self, a: Val, b: Val) -> Val {
        self.icmp(LLVMIntPredicate::LLVMIntEQ, a, b)
    }
    pub(crate) fn fcmp(&self, predicate: LLVMRealPredicate, a: Val, b: Val) -> Val {
        // SAFETY: emission gives operands of one type.
        Val(unsafe { LLVMBuildFCmp(self.builder, predicate, a.0, b.0, NO_NAME) })
    }
    pub(crate) fn cast(&self, opcode: LLVMOpcode, value: Val, ty: Ty) -> Val {
        // SAFETY: emission chooses an opcode that fits both types.
        Val(unsafe { LLVMBuildCast(self.builder, opcode, value.0, ty.0, NO_NAME) })
    }
    /// Truncates or zero-extends an integer.
    pub fn resize(&self, value: Val, ty: Ty) -> Val {
        let (from, to) = (self.int_bits(self.type_of(value)), self.int_bits(ty));
        match from.cmp(&to) {
            std::cmp::Ordering::Less => self.cast(LLVMOpcode::LLVMZExt, value, ty),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.cast(LLVMOpcode::LLVMTrunc, value, ty),
        }
    }
    /// Returns the first value if an `i1` is true, else the other.
    pub fn select(&self, cond: Val, then: Val, other: Val) -> Val {
        // SAFETY: emission gives a condition and two operands of one type.
        Val(unsafe { LLVMBuildSelect(self.builder, cond.0, then.0, other.0, NO_NAME) })
    }
    pub(crate) fn freeze(&self, value: Val) -> Val {
        // SAFETY: any first-class value can be frozen.
        Val(unsafe { LLVMBuildFreeze(self.builder, value.0, NO_NAME) })
    }
    pub(crate) fn extract(&self, value: Val, index: u32) -> Val {
        // SAFETY: the index is in range by the shape of the value.
        Val(unsafe { LLVMBuildExtractValue(self.builder, value.0, index, NO_NAME) })
    }
    pub(crate) fn insert(&self, into: Val, value: Val, index: u32) -> Val {
        // SAFETY: the index is in range by the shape of the value.
        Val(unsafe { LLVMBuildInsertValue(self.builder, into.0, value.0, index, NO_NAME) })
    }

    /// Returns `base` plus a number of bytes.
    pub(crate) fn gep_bytes(&self, base: Val, bytes: Val) -> Val {
        self.gep(self.int(8), base, bytes)
    }
    /// Returns `base` plus a constant number of bytes inside one object.
    pub fn field(&self, base: Val, offset: u64) -> Val {
        if offset == 0 {
            return base;
        }
        let address = self.gep_bytes(base, self.const_i64(offset as i64));
        // SAFETY: only instructions have the flag.
        unsafe {
            if !LLVMIsAGetElementPtrInst(address.0).is_null() {
                LLVMSetIsInBounds(address.0, 1);
            }
        }
        address
    }
    /// Returns `&base[index]`.
    pub(crate) fn gep(&self, elem: Ty, base: Val, index: Val) -> Val {
        let mut indices = [index.0];
        // SAFETY: one index is given.
        Val(unsafe { LLVMBuildGEP2(self.builder, elem.0, base.0, indices.as_mut_ptr(), 1, NO_NAME) })
    }
    /// Loads a value; `align` is the alignment of the address.
    pub fn load(&self, ty: Ty, address: Val, align: u32) -> Val {
        // SAFETY: the address is a pointer, the type is sized.
        unsafe {
            let value = LLVMBuildLoad2(self.builder, ty.0, address.0, NO_NAME);
            LLVMSetAlignment(value, align);
            self.mark(value);
            Val(value)
        }
    }
    /// Stores a value; `align` is the alignment of the address.
    pub fn store(&self, value: Val, address: Val, align: u32) {
        self.stored(value, address, align);
    }
    /// As [`Module::store`]; returns the instruction.
    pub(crate) fn stored(&self, value: Val, address: Val, align: u32) -> Val {
        // SAFETY: the address is a pointer.
        unsafe {
            let store = LLVMBuildStore(self.builder, value.0, address.0);
            LLVMSetAlignment(store, align);
            self.mark(store);
            Val(store)
        }
    }
    /// Marks an access as independent of those of other items, if marking is on.
    fn mark(&self, access: llvm_sys::prelude::LLVMValueRef) {
        if self.mark_accesses.get() {
            // SAFETY: the group is a node of this context.
            unsafe { LLVMSetMetadata(access, self.access_kind, self.access_group) }
        }
        self.mark_frames(access);
        super::memory_class::mark_class(self, access);
    }
    pub(crate) fn load_atomic(&self, ty: Ty, address: Val, align: u32, order: Order) -> Val {
        let value = self.load(ty, address, align);
        // SAFETY: it is a load.
        unsafe { LLVMSetOrdering(value.0, order.raw()) }
        self.set_scope(value)
    }
    pub(crate) fn store_atomic(&self, value: Val, address: Val, align: u32, order: Order) {
        // SAFETY: it is a store.
        unsafe {
            let store = LLVMBuildStore(self.builder, value.0, address.0);
            LLVMSetAlignment(store, align);
            LLVMSetOrdering(store, order.raw());
            self.set_scope(Val(store));
        }
    }
    /// Emits a fence for all threads.
    pub fn fence(&self, order: Order) {
        // SAFETY: emission gives an order that fences have.
        self.set_scope(Val(unsafe { LLVMBuildFence(self.builder, order.raw(), 0, NO_NAME) }));
    }
    pub(crate) fn rmw(&self, op: Atomic, address: Val, value: Val, order: Order) -> Val {
        let op = match op {
            Atomic::Exchange => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXchg,
            Atomic::Add => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd,
            Atomic::Sub => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpSub,
            Atomic::And => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAnd,
            Atomic::Or => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpOr,
            Atomic::Xor => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXor,
            Atomic::SignedMax => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpMax,
            Atomic::SignedMin => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpMin,
            Atomic::UnsignedMax => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUMax,
            Atomic::UnsignedMin => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUMin,
            Atomic::FloatAdd => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFAdd,
            Atomic::FloatSub => LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFSub,
        };
        // SAFETY: address and value fit the operation.
        self.set_scope(Val(unsafe {
            LLVMBuildAtomicRMW(self.builder, op, address.0, value.0, order.raw(), 0)
        }))
    }
    /// Returns `{ old, success }`.
    pub(crate) fn compare_exchange(
        &self,
        address: Val,
        expected: Val,
        new: Val,
        success: Order,
        failure: Order,
    ) -> Val {
        // SAFETY: both values are integers or pointers of one type.
        self.set_scope(Val(unsafe {
            let (success, failure) = (success.raw(), failure.raw());
            LLVMBuildAtomicCmpXchg(self.builder, address.0, expected.0, new.0, success, failure, 0)
        }))
    }

    /// Allocates memory of the function in the entry block, where emission stands.
    pub(crate) fn alloca(&self, ty: Ty, align: u32) -> Val {
        // SAFETY: the type is sized.
        let address = unsafe {
            let address = LLVMBuildAlloca(self.builder, ty.0, NO_NAME);
            LLVMSetAlignment(address, align);
            Val(address)
        };
        self.in_space(address, self.ptr())
    }
    /// Allocates memory at the start of the first block of `function`, from anywhere.
    pub(crate) fn alloca_in(&self, function: Function, ty: Ty, align: u32) -> Val {
        let back = self.here();
        // SAFETY: the function has a first block; a builder may stand before an instruction or at the end.
        unsafe {
            let entry = LLVMGetEntryBasicBlock(function.value);
            let first = LLVMGetFirstInstruction(entry);
            if first.is_null() {
                LLVMPositionBuilderAtEnd(self.builder, entry);
            } else {
                LLVMPositionBuilderBefore(self.builder, first);
            }
        }
        let address = self.alloca(ty, align);
        self.at_end(back);
        address
    }

    /// Emits a call and returns its result.
    pub fn call(&self, function: Function, args: &[Val]) -> Val {
        let mut args: Vec<_> = args.iter().map(|it| it.0).collect();
        // SAFETY: emission gives arguments of the declared types.
        Val(unsafe {
            let count = args.len() as u32;
            LLVMBuildCall2(self.builder, function.ty, function.value, args.as_mut_ptr(), count, NO_NAME)
        })
    }
    /// Returns the address of a function.
    pub(crate) fn address_of(&self, function: Function) -> Val {
        Val(function.value)
    }
    /// Emits a call through an address.
    pub(crate) fn call_pointer(&self, address: Val, result: Ty, params: &[Ty], args: &[Val]) -> Val {
        let mut params: Vec<_> = params.iter().map(|it| it.0).collect();
        // SAFETY: the lists have the given lengths.
        let ty = unsafe { LLVMFunctionType(result.0, params.as_mut_ptr(), params.len() as u32, 0) };
        self.call(Function { value: address.0, ty }, args)
    }
    /// Emits a call of the intrinsic `name`, overloaded on `types`.
    ///
    /// # Panics
    /// Panics if LLVM has no intrinsic of that name.
    pub fn intrinsic(&self, name: &str, types: &[Ty], args: &[Val]) -> Val {
        let mut types: Vec<_> = types.iter().map(|it| it.0).collect();
        // SAFETY: names and overloads are emission's own, the lists have the given lengths.
        let function = unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            assert!(id != 0, "LLVM knows the intrinsic {name}");
            let value = LLVMGetIntrinsicDeclaration(self.module, id, types.as_mut_ptr(), types.len());
            Function { value, ty: LLVMGlobalGetValueType(value) }
        };
        self.call(function, args)
    }

    /// Adds an empty phi.
    pub(crate) fn phi(&self, ty: Ty) -> Val {
        // SAFETY: the type is first-class.
        Val(unsafe { LLVMBuildPhi(self.builder, ty.0, NO_NAME) })
    }
    pub(crate) fn add_incoming(&self, phi: Val, value: Val, from: Block) {
        let (mut values, mut blocks) = ([value.0], [from.0]);
        // SAFETY: one of each is given.
        unsafe { LLVMAddIncoming(phi.0, values.as_mut_ptr(), blocks.as_mut_ptr(), 1) }
    }
    pub(crate) fn br(&self, to: Block) {
        // SAFETY: the handle is valid.
        unsafe { LLVMBuildBr(self.builder, to.0) };
    }
    pub(crate) fn cond_br(&self, cond: Val, then: Block, other: Block) {
        // SAFETY: the handles are valid.
        unsafe { LLVMBuildCondBr(self.builder, cond.0, then.0, other.0) };
    }
    /// Emits the back edge of an item loop.
    pub(crate) fn item_loop_br(&self, cond: Val, again: Block, done: Block, kind: ItemLoop) {
        // SAFETY: nodes are of this context; the temporary node is replaced, which disposes it.
        unsafe {
            let branch = LLVMBuildCondBr(self.builder, cond.0, again.0, done.0);
            let mut nodes =
                vec![llvm_sys::debuginfo::LLVMTemporaryMDNode(self.context, std::ptr::null_mut(), 0)];
            if !matches!(kind, ItemLoop::Rare | ItemLoop::Serial) {
                nodes.push(self.node(ITEM_LOOP, None));
            }
            match kind {
                ItemLoop::Ordered | ItemLoop::Serial => {}
                ItemLoop::Parallel => {
                    let group = LLVMValueAsMetadata(self.access_group);
                    nodes.push(self.node("llvm.loop.parallel_accesses", Some(group)));
                }
                ItemLoop::Region(number) | ItemLoop::AtomicRegion(number) => {
                    nodes.push(self.node(&format!("{REGION_LOOP}{number}"), None));
                    if matches!(kind, ItemLoop::Region(_)) {
                        let group = LLVMValueAsMetadata(self.access_group);
                        nodes.push(self.node("llvm.loop.parallel_accesses", Some(group)));
                    }
                    let one = LLVMValueAsMetadata(self.const_u32(1).0);
                    nodes.push(self.node("llvm.loop.interleave.count", Some(one)));
                    nodes.push(self.node(NOT_UNROLLED, None));
                }
                ItemLoop::Rare => {
                    let no = LLVMValueAsMetadata(self.const_int(self.int(1), 0).0);
                    nodes.push(self.node("llvm.loop.vectorize.enable", Some(no)));
                    nodes.push(self.node(NOT_UNROLLED, None));
                }
            }
            self.set_loop(branch, nodes);
        }
    }
    /// Sets properties of the loop whose back edge ends the current block.
    pub(crate) fn hint_loop(&self, hints: &[Hint]) {
        // SAFETY: the current block has a terminator; nodes are of this context.
        unsafe {
            let branch = LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(self.builder));
            let mut nodes =
                vec![llvm_sys::debuginfo::LLVMTemporaryMDNode(self.context, std::ptr::null_mut(), 0)];
            for (name, number) in hints {
                let number = number.map(|it| LLVMValueAsMetadata(self.const_int(self.int(32), it.into()).0));
                nodes.push(self.node(name, number));
            }
            self.set_loop(branch, nodes);
        }
    }
    /// Sets `!llvm.loop`: a node whose first operand is itself, in place of the temporary node that is first in `nodes`.
    ///
    /// # Safety
    /// `branch` and `nodes` are of this context, `nodes[0]` is a temporary node.
    unsafe fn set_loop(&self, branch: LLVMValueRef, mut nodes: Vec<LLVMMetadataRef>) {
        // SAFETY: the caller's promise; replacing the temporary node disposes it.
        unsafe {
            let id = LLVMMDNodeInContext2(self.context, nodes.as_mut_ptr(), nodes.len());
            llvm_sys::debuginfo::LLVMMetadataReplaceAllUsesWith(nodes[0], id);
            let kind = LLVMGetMDKindIDInContext(self.context, c"llvm.loop".as_ptr(), 9);
            LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(self.context, id));
        }
    }
    /// Makes `!{!"name", operand}`.
    fn node(&self, name: &str, operand: Option<LLVMMetadataRef>) -> LLVMMetadataRef {
        // SAFETY: the list has the given length.
        unsafe {
            let mut nodes = vec![LLVMMDStringInContext2(self.context, name.as_ptr().cast(), name.len())];
            nodes.extend(operand);
            LLVMMDNodeInContext2(self.context, nodes.as_mut_ptr(), nodes.len())
        }
    }
    /// Loads an `i64` in `range`.
    pub(crate) fn load_within(&self, address: Val, range: std::ops::Range<i64>) -> Val {
        self.within(self.load(self.int(64), address, 8), range)
    }
    /// Marks the result of a load or a call as being in `range`.
    pub fn within(&self, value: Val, range: std::ops::Range<i64>) -> Val {
        let ty = self.type_of(value);
        // SAFETY: the list has the given length; `!range` takes two constants of the type.
        unsafe {
            let constant = |it: i64| LLVMValueAsMetadata(self.const_int(ty, it as i128 as u128).0);
            let mut ends = [range.start, range.end].map(constant);
            let node = LLVMMDNodeInContext2(self.context, ends.as_mut_ptr(), ends.len());
            let kind = LLVMGetMDKindIDInContext(self.context, c"range".as_ptr(), 5);
            LLVMSetMetadata(value.0, kind, LLVMMetadataAsValue(self.context, node));
        }
        value
    }
    /// Marks a load as invariant: the memory is never written while the program runs.
    pub fn invariant(&self, value: Val) -> Val {
        // SAFETY: `!invariant.load` takes a node without operands.
        unsafe {
            let node = LLVMMDNodeInContext2(self.context, std::ptr::null_mut(), 0);
            let kind = LLVMGetMDKindIDInContext(self.context, c"invariant.load".as_ptr(), 14);
            LLVMSetMetadata(value.0, kind, LLVMMetadataAsValue(self.context, node));
        }
        value
    }
    /// Extends a non-negative `i32` to `i64`.
    pub fn widen(&self, value: Val) -> Val {
        let wide = self.cast(LLVMOpcode::LLVMZExt, value, self.int(64));
        // SAFETY: only the instruction has the flag.
        unsafe {
            if !LLVMIsAZExtInst(wide.0).is_null() {
                LLVMSetNNeg(wide.0, 1);
            }
        }
        wide
    }
    pub(crate) fn ret(&self, value: Option<Val>) {
        // SAFETY: the value is of the function's type.
        unsafe {
            match value {
                Some(value) => LLVMBuildRet(self.builder, value.0),
                None => LLVMBuildRetVoid(self.builder),
            };
        }
    }
    pub(crate) fn unreachable(&self) {
        // SAFETY: emission stands in a block.
        unsafe { LLVMBuildUnreachable(self.builder) };
    }
}
