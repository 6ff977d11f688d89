//! Instructions of one item as instructions of all lanes.

use super::compare::LinearTest;
use super::divergence::{Divergence, Shape, is_hint, is_lanewise, lanewise};
use super::masks::Mask;
use super::screen::is_screen;
use super::values::{Values, Wide};
use super::variant::{Callee, is_result};
use crate::llvm::{Access, Fast, Module, Ty, TypeKind, Val};
use llvm_sys::LLVMOpcode as Op;

/// The code of a block for all lanes.
pub(super) struct BlockCode<'a, 'm> {
    pub(super) values: &'a mut Values<'m>,
    pub(super) divergence: &'a Divergence,
    /// The lanes that run the block.
    pub(super) mask: Mask,
    /// Whether values last until the region ends.
    pub(super) lasts: bool,
}

impl BlockCode<'_, '_> {
    /// Emits an instruction that is neither a phi nor a terminator.
    pub(super) fn instruction(&mut self, it: Val) {
        let module = self.values.module;
        module.locate_as(it);
        let opcode = module.opcode(it);
        if opcode == Some(Op::LLVMCall) && is_hint(module, it) {
            return;
        }
        if opcode == Some(Op::LLVMCall) && is_screen(module, it) {
            return self.screen(it);
        }
        let value = match (opcode, self.divergence.shape(it)) {
            (Some(Op::LLVMLoad), _) => Some(self.load(it)),
            (Some(Op::LLVMStore), _) => {
                self.store(it);
                None
            }
            (Some(Op::LLVMFence), _) => {
                module.copy_with(it, &[]);
                None
            }
            (_, Shape::Uniform) => Some(Wide::Scalar(self.scalar(it))),
            (_, Shape::Linear(stride)) => Some(Wide::Linear(self.linear(it), stride)),
            (Some(Op::LLVMCall), Shape::Varying) if let Some(value) = self.values.argument(it) => {
                Some(Wide::Lanes(value))
            }
            (Some(Op::LLVMCall), _) if is_result(module, it) => {
                self.values.result = Some(self.lanes(module.operands(it)[0]));
                None
            }
            (Some(Op::LLVMCall), _) if let Some(callee) = Callee::fitting(module, self.divergence, it) => {
                let mask = self.full_mask();
                callee.call(self.values, self.divergence, it, mask)
            }
            (Some(Op::LLVMCall), Shape::Varying) if is_lanewise(module, it) => {
                Some(Wide::Lanes(self.lanewise_call(it)))
            }
            (Some(Op::LLVMCall | Op::LLVMAtomicRMW | Op::LLVMAtomicCmpXchg), _) => self.lane_by_lane(it),
            (Some(opcode), Shape::Varying) => Some(Wide::Lanes(self.vector(opcode, it))),
            (None, _) => None,
        };
        if let Some(value) = value {
            self.values.define(self.divergence, it, value, self.lasts);
        }
    }

    pub(super) fn base(&mut self, value: Val) -> Val {
        self.values.base(self.divergence, value)
    }

    pub(super) fn lanes(&mut self, value: Val) -> Val {
        self.values.lanes(self.divergence, value)
    }

    /// Copies an instruction whose operands are the same in all lanes.
    pub(super) fn scalar(&mut self, it: Val) -> Val {
        let module = self.values.module;
        let operands: Vec<Val> = module.operands(it).into_iter().map(|it| self.base(it)).collect();
        module.copy_with(it, &operands)
    }

    /// Emits an instruction for lane 0, which need not be active: so no result may be poison.
    fn linear(&mut self, it: Val) -> Val {
        let module = self.values.module;
        let operands: Vec<Val> = module.operands(it).into_iter().map(|it| self.base(it)).collect();
        if module.opcode(it) == Some(Op::LLVMOr) {
            return module.add(operands[0], operands[1]);
        }
        let copy = module.copy_with(it, &operands);
        module.drop_flags(copy);
        copy
    }

    /// Emits an operation on vectors.
    fn vector(&mut self, opcode: Op, it: Val) -> Val {
        let module = self.values.module;
        let operands = module.operands(it);
        match opcode {
            Op::LLVMICmp => {
                let test = LinearTest::new(module, self.divergence, it, true);
                if let Some(made) = test.and_then(|it| it.lanes(self.values, self.divergence)) {
                    return made;
                }
                let (a, b) = (self.lanes(operands[0]), self.lanes(operands[1]));
                module.icmp(module.int_predicate(it), a, b)
            }
            Op::LLVMFCmp => {
                let (a, b) = (self.lanes(operands[0]), self.lanes(operands[1]));
                let made = module.fcmp(module.real_predicate(it), a, b);
                module.copy_fast(it, made);
                made
            }
            Op::LLVMSelect => self.choice(it, &operands),
            Op::LLVMFNeg => {
                let made = module.float_neg(self.lanes(operands[0]));
                module.copy_fast(it, made);
                made
            }
            Op::LLVMFreeze => module.freeze(self.lanes(operands[0])),
            Op::LLVMGetElementPtr => self.address(it, &operands),
            Op::LLVMExtractValue => {
                let whole = self.lanes(operands[0]);
                module.path(it).into_iter().fold(whole, |at, index| module.extract(at, index))
            }
            Op::LLVMInsertValue => {
                let (whole, part) = (self.lanes(operands[0]), self.lanes(operands[1]));
                inserted(module, whole, part, &module.path(it))
            }
            _ if operands.len() == 1 => {
                let ty = self.values.wide_type(module.type_of(it));
                let made = module.cast(opcode, self.lanes(operands[0]), ty);
                module.copy_fast(it, made);
                made
            }
            _ => {
                let (a, mut b) = (self.lanes(operands[0]), self.lanes(operands[1]));
                let may_trap = is_division(opcode)
                    && module.int_constant(operands[1]).is_none_or(|it| matches!(it, 0 | -1));
                if let (true, Some(mask)) = (may_trap, self.mask) {
                    // A division by zero in a lane that is not active is none.
                    let one = module.splat(module.const_int(module.type_of(it), 1), self.values.lanes);
                    b = module.select(mask, b, one);
                }
                let made = module.float_binary(opcode, a, b, Fast::Exact);
                module.copy_fast(it, made);
                made
            }
        }
    }

    fn choice(&mut self, it: Val, operands: &[Val]) -> Val {
        let module = self.values.module;
        let (then, other) = (self.lanes(operands[1]), self.lanes(operands[2]));
        if self.divergence.shape(operands[0]) == Shape::Uniform {
            return module.select(self.base(operands[0]), then, other);
        }
        let condition = self.lanes(operands[0]);
        let made = self.values.blend(condition, then, other);
        module.copy_fast(it, made);
        made
    }

    fn address(&mut self, it: Val, operands: &[Val]) -> Val {
        let module = self.values.module;
        let mut parts = Vec::with_capacity(operands.len());
        for &operand in operands {
            let is_uniform = self.divergence.shape(operand) == Shape::Uniform;
            parts.push(if is_uniform { self.base(operand) } else { self.lanes(operand) });
        }
        module.gep_all(module.indexed_type(it), parts[0], &parts[1..])
    }

    fn lanewise_call(&mut self, it: Val) -> Val {
        let module = self.values.module;
        let name = module.called_name(it).unwrap_or_default();
        let (intrinsic, scalars) = lanewise(&name).unwrap_or((name, 0));
        let count = module.argument_count(it);
        let args = module.operands(it);
        let given: Vec<Val> =
            (0..count).map(|at| if at + scalars < count { self.lanes(args[at]) } else { args[at] }).collect();
        let made = module.intrinsic(&intrinsic, &[module.type_of(given[0])], &given);
        module.copy_fast(it, made);
        made
    }

    fn load(&mut self, it: Val) -> Wide {
        let module = self.values.module;
        let (ty, address) = (module.type_of(it), module.operands(it)[0]);
        if module.access(it) == Access::Plain && self.divergence.shape(it) == Shape::Uniform {
            return Wide::Scalar(self.scalar(it));
        }
        if module.access(it) != Access::Plain || !is_plain(module, ty) {
            let poison = Wide::Lanes(module.poison(self.values.wide_type(ty)));
            return self.lane_by_lane(it).unwrap_or(poison);
        }
        let (align, wide) = (module.alignment(it), self.values.wide_type(ty));
        let bytes = module.bytes_of(ty) as i64;
        if let Some(ways) = self.contiguous_ways(it, address, bytes) {
            return Wide::Lanes(self.load_by_way(it, ways, (wide, align)));
        }
        Wide::Lanes(match self.divergence.shape(address) {
            Shape::Linear(stride) if stride == bytes => {
                let base = self.base(address);
                self.vector_load(it, (wide, base, align), self.mask)
            }
            Shape::Linear(stride) if stride == -bytes => {
                let base = self.last_of(address, stride);
                let loaded = self.vector_load(it, (wide, base, align), self.mask.map(|it| self.reversed(it)));
                self.reversed(loaded)
            }
            _ => {
                let addresses = self.lanes(address);
                let mask = self.full_mask();
                let (types, none) = ([wide, module.type_of(addresses)], module.poison(wide));
                let made = module.intrinsic("llvm.masked.gather", &types, &[addresses, mask, none]);
                module.align_argument(made, 0, align);
                module.copy_marks(it, made);
                made
            }
        })
    }

    /// Returns the condition and the addresses of a choice between two contiguous ones, of which LLVM makes one load where two
    /// branches load.
    fn contiguous_ways(&self, load: Val, address: Val, bytes: i64) -> Option<[Val; 3]> {
        let module = self.values.module;
        let is_here = module.opcode(address) == Some(Op::LLVMSelect)
            && module.block_of(address) == module.block_of(load)
            && self.divergence.shape(address) == Shape::Varying;
        let [condition, then, other] = is_here.then(|| module.operands(address))?[..] else { return None };
        let is_contiguous = |it: Val| self.divergence.shape(it) == Shape::Linear(bytes);
        let differs = self.divergence.shape(condition) == Shape::Varying;
        (differs && is_contiguous(then) && is_contiguous(other)).then_some([condition, then, other])
    }

    /// Emits a load from each of two contiguous addresses, for the lanes that choose it.
    fn load_by_way(&mut self, it: Val, [condition, then, other]: [Val; 3], (wide, align): (Ty, u32)) -> Val {
        let module = self.values.module;
        let (condition, then, other) = (self.lanes(condition), self.base(then), self.base(other));
        let mask = self.full_mask();
        let (first, second) = (module.and(mask, condition), module.and(mask, module.negated(condition)));
        let a = self.vector_load(it, (wide, then, align), Some(first));
        let b = self.vector_load(it, (wide, other, align), Some(second));
        self.values.blend(condition, a, b)
    }

    fn vector_load(&self, it: Val, (wide, base, align): (Ty, Val, u32), mask: Mask) -> Val {
        let module = self.values.module;
        let made = match mask {
            None => module.load(wide, base, align),
            Some(mask) => {
                let (types, none) = ([wide, module.type_of(base)], module.poison(wide));
                let made = module.intrinsic("llvm.masked.load", &types, &[base, mask, none]);
                module.align_argument(made, 0, align);
                made
            }
        };
        module.copy_marks(it, made);
        made
    }

    fn store(&mut self, it: Val) {
        let module = self.values.module;
        let [value, address] = module.operands(it)[..] else { return };
        let ty = module.type_of(value);
        if module.access(it) != Access::Plain || !is_plain(module, ty) {
            self.lane_by_lane(it);
            return;
        }
        let align = module.alignment(it);
        let bytes = module.bytes_of(ty) as i64;
        match self.divergence.shape(address) {
            Shape::Uniform => {
                // The items store to one place: the last one's value stays.
                let place = self.base(address);
                let wide = self.values.get(self.divergence, value);
                let last = match wide {
                    Wide::Scalar(it) => it,
                    _ => self.values.one(wide, self.last_lane()),
                };
                module.copy_with(it, &[last, place]);
            }
            Shape::Linear(stride) if stride == bytes => {
                let (base, value) = (self.base(address), self.lanes(value));
                self.vector_store(it, (value, base, align), self.mask);
            }
            Shape::Linear(stride) if stride == -bytes => {
                let (base, value) = (self.last_of(address, stride), self.lanes(value));
                let value = self.reversed(value);
                self.vector_store(it, (value, base, align), self.mask.map(|it| self.reversed(it)));
            }
            _ => {
                let (addresses, value, mask) = (self.lanes(address), self.lanes(value), self.full_mask());
                let types = [module.type_of(value), module.type_of(addresses)];
                let made = module.intrinsic("llvm.masked.scatter", &types, &[value, addresses, mask]);
                module.align_argument(made, 1, align);
                module.copy_marks(it, made);
            }
        }
    }

    fn vector_store(&self, it: Val, (value, base, align): (Val, Val, u32), mask: Mask) {
        let module = self.values.module;
        let made = match mask {
            None => module.stored(value, base, align),
            Some(mask) => {
                let types = [module.type_of(value), module.type_of(base)];
                let made = module.intrinsic("llvm.masked.store", &types, &[value, base, mask]);
                module.align_argument(made, 1, align);
                made
            }
        };
        module.copy_marks(it, made);
    }

    /// Returns the last lane that is active.
    fn last_lane(&self) -> Val {
        let (module, lanes) = (self.values.module, self.values.lanes);
        let last = module.const_u32(lanes - 1);
        let Some(mask) = self.mask else { return last };
        let bits = module.cast(Op::LLVMBitCast, mask, module.int(lanes));
        let is_zero_poison = module.const_int(module.int(1), 1);
        let unset = module.intrinsic("llvm.ctlz", &[module.int(lanes)], &[bits, is_zero_poison]);
        module.sub(last, module.resize(unset, module.int(32)))
    }

    /// Returns the address of the last lane.
    fn last_of(&mut self, address: Val, stride: i64) -> Val {
        let module = self.values.module;
        let bytes = stride * i64::from(self.values.lanes - 1);
        module.gep_bytes(self.base(address), module.const_i64(bytes))
    }

    fn reversed(&self, value: Val) -> Val {
        let order: Vec<u32> = (0..self.values.lanes).rev().collect();
        self.values.module.shuffle(value, &order)
    }

    pub(super) fn full_mask(&self) -> Val {
        let module = self.values.module;
        self.mask.unwrap_or_else(|| module.splat(module.const_int(module.int(1), 1), self.values.lanes))
    }
}

/// Returns an aggregate of vectors with one other part.
fn inserted(module: &Module, whole: Val, part: Val, path: &[u32]) -> Val {
    match path {
        [] => part,
        [last] => module.insert(whole, part, *last),
        [first, rest @ ..] => {
            let inner = inserted(module, module.extract(whole, *first), part, rest);
            module.insert(whole, inner, *first)
        }
    }
}

/// Whether lanes of a type stand in memory one after the other as elements do.
pub(super) fn is_plain(module: &Module, ty: Ty) -> bool {
    let is_simple = match module.type_kind(ty) {
        TypeKind::Int(bits) => bits % 8 == 0,
        TypeKind::Float | TypeKind::Pointer => true,
        _ => false,
    };
    is_simple && module.bytes_of(ty) == module.stored_bytes_of(ty)
}

/// Whether an operation has no result for some operands.
pub(super) fn is_division(opcode: Op) -> bool {
    matches!(opcode, Op::LLVMSDiv | Op::LLVMUDiv | Op::LLVMSRem | Op::LLVMURem)
}
