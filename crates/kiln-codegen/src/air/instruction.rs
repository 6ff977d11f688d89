//! Instructions, and constant expressions, which are computed as instructions.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "LLVM has many types and operations: those that are not named are refused"
)]

use super::body::Body;
use super::symbol::{is_hint, is_plain};
use crate::error::AirUnsupported;
use crate::llvm::Val;
use kiln_air::{
    AirOperation, ArithmeticFlags, BinaryOp, CastOp, Comparison, ConstantValue, Type, TypeId, Value,
};
use llvm_sys::LLVMOpcode as Op;

/// LLVM's bit that operations of floats may be reordered. The others are those of LLVM 14.
const REASSOCIATE: u32 = 1;

/// Operations of two numbers.
const BINARY: [(Op, BinaryOp); 18] = [
    (Op::LLVMAdd, BinaryOp::Add),
    (Op::LLVMSub, BinaryOp::Sub),
    (Op::LLVMMul, BinaryOp::Mul),
    (Op::LLVMUDiv, BinaryOp::UDiv),
    (Op::LLVMSDiv, BinaryOp::SDiv),
    (Op::LLVMURem, BinaryOp::URem),
    (Op::LLVMSRem, BinaryOp::SRem),
    (Op::LLVMShl, BinaryOp::Shl),
    (Op::LLVMLShr, BinaryOp::LShr),
    (Op::LLVMAShr, BinaryOp::AShr),
    (Op::LLVMAnd, BinaryOp::And),
    (Op::LLVMOr, BinaryOp::Or),
    (Op::LLVMXor, BinaryOp::Xor),
    (Op::LLVMFAdd, BinaryOp::FAdd),
    (Op::LLVMFSub, BinaryOp::FSub),
    (Op::LLVMFMul, BinaryOp::FMul),
    (Op::LLVMFDiv, BinaryOp::FDiv),
    (Op::LLVMFRem, BinaryOp::FRem),
];

/// Conversions. An address in memory is the number of a pointer.
const CASTS: [(Op, CastOp); 14] = [
    (Op::LLVMTrunc, CastOp::Trunc),
    (Op::LLVMZExt, CastOp::ZExt),
    (Op::LLVMSExt, CastOp::SExt),
    (Op::LLVMFPToUI, CastOp::FpToUi),
    (Op::LLVMFPToSI, CastOp::FpToSi),
    (Op::LLVMUIToFP, CastOp::UiToFp),
    (Op::LLVMSIToFP, CastOp::SiToFp),
    (Op::LLVMFPTrunc, CastOp::FpTrunc),
    (Op::LLVMFPExt, CastOp::FpExt),
    (Op::LLVMPtrToInt, CastOp::PtrToInt),
    (Op::LLVMPtrToAddr, CastOp::PtrToInt),
    (Op::LLVMIntToPtr, CastOp::IntToPtr),
    (Op::LLVMBitCast, CastOp::BitCast),
    (Op::LLVMAddrSpaceCast, CastOp::AddrSpaceCast),
];

fn find<T: Copy>(table: &[(Op, T)], opcode: Op) -> Option<T> {
    table.iter().find(|it| it.0 == opcode).map(|it| it.1)
}

impl Body<'_, '_> {
    /// Translates an instruction.
    pub(super) fn instruction(&mut self, it: Val) -> Result<(), AirUnsupported> {
        let module = self.bridge.module;
        let opcode = module.opcode(it).ok_or_else(|| self.refusal(it))?;
        let made = self.value(it)?;
        match opcode {
            Op::LLVMCall => self.call(it, made),
            Op::LLVMPHI => self.phi(it, made),
            Op::LLVMRet | Op::LLVMBr | Op::LLVMSwitch | Op::LLVMUnreachable => self.terminator(it, opcode),
            _ => self.operation(it, opcode, made),
        }
    }

    fn refusal(&self, it: Val) -> AirUnsupported {
        AirUnsupported::Instruction(self.bridge.module.text_of(it))
    }

    /// Translates an operation, of an instruction or of a constant expression.
    pub(super) fn operation(&mut self, it: Val, opcode: Op, made: Value) -> Result<(), AirUnsupported> {
        let module = self.bridge.module;
        let operands = module.operands(it);
        match opcode {
            Op::LLVMLoad => return self.load(it, &operands, made),
            Op::LLVMStore => return self.store(it, &operands),
            Op::LLVMAlloca => return self.allocate(it, made),
            Op::LLVMGetElementPtr => return self.element_address(it, &operands, made),
            _ => {}
        }
        let ty = self.bridge.type_of(it)?;
        let op = if let Some(op) = find(&BINARY, opcode) {
            let (left, right) = (self.value(operands[0])?, self.value(operands[1])?);
            AirOperation::Binary { op, left, right, flags: self.binary_flags(it, op) }
        } else if let Some(op) = find(&CASTS, opcode) {
            AirOperation::Cast { op, value: self.value(operands[0])? }
        } else {
            self.other(it, opcode, &operands, ty)?
        };
        self.builder.place(self.block, made, Some(ty), op);
        Ok(())
    }

    /// Returns the flags of an operation of two numbers. Constant expressions have none that are kept.
    fn binary_flags(&self, it: Val, op: BinaryOp) -> u8 {
        let module = self.bridge.module;
        if module.opcode(it).is_none() {
            return 0;
        }
        if op.is_float() {
            return self.fast(it);
        }
        let allowed = op.flags();
        if allowed == ArithmeticFlags::EXACT {
            return u8::from(module.is_exact(it)) * ArithmeticFlags::EXACT;
        }
        if allowed == 0 {
            return 0;
        }
        let [unsigned, signed] = module.wrap_flags(it);
        let unsigned = if unsigned { ArithmeticFlags::NO_UNSIGNED_WRAP } else { 0 };
        unsigned | if signed { ArithmeticFlags::NO_SIGNED_WRAP } else { 0 }
    }

    /// Returns the flags of floats.
    fn fast(&self, it: Val) -> u8 {
        let flags = self.bridge.module.fast_flags(it);
        let reassociate = if flags & REASSOCIATE != 0 { ArithmeticFlags::REASSOCIATE } else { 0 };
        flags as u8 & (ArithmeticFlags::FAST & !ArithmeticFlags::REASSOCIATE) | reassociate
    }
    /// Returns the flags of floats, if the result is one.
    fn fast_result(&self, it: Val, ty: TypeId) -> u8 {
        let types = &self.bridge.out.types;
        if types.float_bits(types.scalar(ty)).is_some() { self.fast(it) } else { 0 }
    }

    fn other(
        &mut self,
        it: Val,
        opcode: Op,
        operands: &[Val],
        ty: TypeId,
    ) -> Result<AirOperation, AirUnsupported> {
        let module = self.bridge.module;
        Ok(match opcode {
            Op::LLVMFNeg => AirOperation::Negate { value: self.value(operands[0])?, flags: self.fast(it) },
            Op::LLVMICmp | Op::LLVMFCmp => {
                let (number, flags) = match opcode {
                    Op::LLVMICmp => (module.int_predicate(it) as u64, 0),
                    _ => (module.real_predicate(it) as u64, self.fast(it)),
                };
                let comparison = Comparison::from_number(number).ok_or_else(|| self.refusal(it))?;
                let (left, right) = (self.value(operands[0])?, self.value(operands[1])?);
                AirOperation::Compare { comparison, left, right, flags }
            }
            Op::LLVMSelect => AirOperation::Select {
                condition: self.value(operands[0])?,
                then: self.value(operands[1])?,
                otherwise: self.value(operands[2])?,
                flags: self.fast_result(it, ty),
            },
            Op::LLVMFreeze => AirOperation::Freeze { value: self.value(operands[0])? },
            Op::LLVMExtractElement => AirOperation::ExtractElement {
                vector: self.value(operands[0])?,
                index: self.value(operands[1])?,
            },
            Op::LLVMInsertElement => AirOperation::InsertElement {
                vector: self.value(operands[0])?,
                value: self.value(operands[1])?,
                index: self.value(operands[2])?,
            },
            Op::LLVMShuffleVector => AirOperation::Shuffle {
                left: self.value(operands[0])?,
                right: self.value(operands[1])?,
                mask: self.mask(it),
            },
            Op::LLVMExtractValue => {
                AirOperation::ExtractValue { aggregate: self.value(operands[0])?, path: module.path(it) }
            }
            Op::LLVMInsertValue => AirOperation::InsertValue {
                aggregate: self.value(operands[0])?,
                value: self.value(operands[1])?,
                path: module.path(it),
            },
            _ => return Err(self.refusal(it)),
        })
    }

    /// Returns the mask of a shuffle, a constant.
    fn mask(&mut self, it: Val) -> Value {
        let lanes = self.bridge.module.shuffle_mask(it);
        let out = &mut self.bridge.out;
        let element = out.types.intern(Type::Int(32));
        let ty = out.types.intern(Type::Vector { count: lanes.len() as u32, element });
        if let Some(all) = lanes.iter().map(|it| it.map(u64::from)).collect::<Option<Vec<_>>>() {
            return out.constant(ty, ConstantValue::Data(all));
        }
        let any = out.constant(element, ConstantValue::Undef);
        let lane = |it: &Option<u32>| it.map_or(any, |it| out.int(32, u64::from(it)));
        let elements = lanes.iter().map(lane).collect();
        out.constant(ty, ConstantValue::Aggregate(elements))
    }

    fn phi(&mut self, it: Val, made: Value) -> Result<(), AirUnsupported> {
        let ty = self.bridge.type_of(it)?;
        let mut incoming = Vec::new();
        for (block, value) in self.bridge.module.incoming(it) {
            incoming.push((self.value(value)?, self.target(block)));
        }
        let flags = self.fast_result(it, ty);
        self.builder.place(self.block, made, Some(ty), AirOperation::Phi { incoming, flags });
        Ok(())
    }

    fn call(&mut self, it: Val, made: Value) -> Result<(), AirUnsupported> {
        let module = self.bridge.module;
        let callee = module.callee(it).ok_or_else(|| self.refusal(it))?;
        let name = module.symbol_name(callee);
        if is_hint(&name) {
            return Ok(());
        }
        let (convention, ty) = module.call_form(it);
        if module.is_special_call(it) || !is_plain(convention) || ty != module.value_type(callee) {
            return Err(self.refusal(it));
        }
        let function = self.bridge.symbol(callee)?;
        let address = self.bridge.out.type_of(function);
        let pointee = address.and_then(|it| self.bridge.out.types.pointer_parts(it));
        let (signature, _) = pointee.ok_or_else(|| self.refusal(it))?;
        let parts = self.bridge.out.types.signature(signature);
        let (result, params, _) = parts.ok_or_else(|| self.refusal(it))?;
        let params = params.to_vec();
        let mut arguments = Vec::new();
        let operands = module.operands(it);
        for (index, argument) in operands[..module.argument_count(it)].iter().enumerate() {
            let (value, from) = (self.value(*argument)?, self.bridge.type_of(*argument)?);
            let to = params.get(index).copied().unwrap_or(from);
            arguments.push(self.converted(value, Some(from), to));
        }
        let attributes = self.bridge.attributes(it, &name)?;
        let is_tail = module.is_tail_call(it);
        let flags = self.fast_result(it, result);
        let op = AirOperation::Call { callee: function, signature, arguments, attributes, is_tail, flags };
        let ty = (self.bridge.out.types.get(result) != Some(&Type::Void)).then_some(result);
        self.builder.place(self.block, made, ty, op);
        Ok(())
    }

    fn terminator(&mut self, it: Val, opcode: Op) -> Result<(), AirUnsupported> {
        let module = self.bridge.module;
        let op = match opcode {
            Op::LLVMRet => {
                let value = module.operands(it).first().map(|it| self.value(*it)).transpose()?;
                AirOperation::Return { value }
            }
            Op::LLVMBr => {
                let targets = module.successors(module.block_of(it));
                let targets: Vec<u32> = targets.into_iter().map(|it| self.target(it)).collect();
                match (module.condition(it), &targets[..]) {
                    (Some(condition), &[then, otherwise]) => {
                        AirOperation::BranchIf { condition: self.value(condition)?, then, otherwise }
                    }
                    (None, &[target]) => AirOperation::Branch { target },
                    _ => return Err(self.refusal(it)),
                }
            }
            Op::LLVMSwitch => {
                let value = self.value(module.operands(it)[0])?;
                let mut cases = Vec::new();
                for (case, block) in module.cases(it) {
                    cases.push((self.value(case)?, self.target(block)));
                }
                AirOperation::Switch { value, default: self.target(module.default_target(it)), cases }
            }
            _ => AirOperation::Unreachable,
        };
        self.builder.push(self.block, None, op);
        Ok(())
    }
}
