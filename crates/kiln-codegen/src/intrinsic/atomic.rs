//! Atomic operations on memory, on one machine word.

use crate::checked::CheckCalls;
use crate::error::{EmitError, InvalidBody, NameRole, Operation, TargetLimit, TypeRole, Unsupported};
use crate::function::{Emitter, Mode};
use crate::items::Scope;
use crate::llvm::{Atomic, Order, Ty, Val};
use crate::shape::Form;
use crate::value::Value;
use kiln_ir::{Intrinsic as I, Value as Operand};
use kiln_types::{Type, datatype, display};
use kiln_unit::{ACCESS_READ, ACCESS_WRITE};
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Opcode};

/// The operand in memory of an atomic operation.
struct Cell {
    elem: Type,
    address: Val,
    int: Ty,
    bytes: u32,
}

/// Emits the check of an atomic operation. An exchange under a condition counts as one that takes place.
fn check_cell(it: &Emitter<'_, '_>, cell: &mut Cell, op: I, args: &[Operand]) -> Result<(), EmitError> {
    let (access, order) = match op {
        I::AtomicPointerref => (ACCESS_READ, args[1]),
        I::AtomicPointerset => (ACCESS_WRITE, args[2]),
        I::AtomicPointerswap => (ACCESS_READ | ACCESS_WRITE, args[2]),
        _ => (ACCESS_READ | ACCESS_WRITE, args[3]), // of an exchange under a condition, the order of success
    };
    let (bytes, order) = (it.module().const_i64(cell.bytes.into()), it.order(order)?);
    cell.address = CheckCalls(it).bytes(cell.address, bytes, (access, Some(order)));
    Ok(())
}

impl Emitter<'_, '_> {
    pub(super) fn atomic(&self, op: I, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let module = self.module();
        if op == I::AtomicFence {
            let (order, scope) = (self.order(args[0])?, self.scope(args.get(1))?);
            if !self.unit.facts.abilities.has_fences {
                return Err(TargetLimit::Fence.into());
            }
            if !matches!(order, Order::Unordered | Order::Monotonic) {
                CheckCalls(self).fence(order, scope == Scope::WorkGroup);
                match self.unit.device {
                    Some(it) => it.fence(module, self.unit.facts, order, scope),
                    None => module.fence(order),
                }
            }
            return Ok(self.ghost(ty));
        }
        let pointer = self.operand(args[0])?;
        let mut cell = self.cell(pointer)?;
        check_cell(self, &mut cell, op, args)?;
        if self.mode == Mode::Replay && op != I::AtomicPointerref {
            return Err(InvalidBody::AtomicReplay.into());
        }
        match op {
            I::AtomicPointerref => {
                let order = self.order(args[1])?;
                let value = self.beside_fences(order, |order| {
                    module.load_atomic(cell.int, cell.address, cell.bytes, order)
                });
                self.value_of_bits(value, cell.elem)
            }
            I::AtomicPointerset => {
                let (value, order) = (self.word(&cell, args[1])?, self.order(args[2])?);
                self.beside_fences(order, |order| {
                    module.store_atomic(value, cell.address, cell.bytes, order);
                });
                Ok(pointer)
            }
            I::AtomicPointerswap => {
                let (value, order) = (self.word(&cell, args[1])?, self.order(args[2])?);
                let old = module.rmw(Atomic::Exchange, cell.address, value, self.at_least_monotonic(order));
                self.value_of_bits(old, cell.elem)
            }
            I::AtomicPointermodify => self.modify(&cell, args, ty),
            _ => {
                let (expected, new) = (self.word(&cell, args[1])?, self.word(&cell, args[2])?);
                let success = self.at_least_monotonic(self.order(args[3])?);
                let failure = self.at_least_monotonic(self.order(args[4])?);
                let both = module.compare_exchange(cell.address, expected, new, success, failure);
                let old = self.value_of_bits(module.extract(both, 0), cell.elem)?;
                self.build(&[old, self.bool_value(module.extract(both, 1))], ty)
            }
        }
    }

    /// Emits an access of this order, or between fences if the target has no ordered accesses.
    fn beside_fences<T>(&self, order: Order, access: impl FnOnce(Order) -> T) -> T {
        let module = self.module();
        let is_ordered = !matches!(order, Order::Unordered | Order::Monotonic);
        if !is_ordered || self.unit.facts.abilities.orders_accesses {
            return access(order);
        }
        if order != Order::Acquire {
            module.fence(order);
        }
        let result = access(Order::Monotonic);
        if order != Order::Release {
            module.fence(order);
        }
        result
    }

    fn cell(&self, pointer: Value) -> Result<Cell, EmitError> {
        let (module, elem) = (self.module(), self.pointee(pointer)?);
        let shape = self.unit.shapes.of(elem)?;
        let primitive = matches!(shape.form, Form::Bool | Form::Int(_) | Form::Float(..) | Form::Pointer);
        if !primitive || !matches!(shape.size, 1 | 2 | 4 | 8) {
            return Err(Unsupported::of_type(TypeRole::Atomic, display::of_type(self.types(), elem)));
        }
        let bytes_min = self.unit.facts.abilities.atomic_bytes_min;
        if shape.size < bytes_min {
            let (least, target) = (8 * bytes_min, self.unit.facts.name.clone());
            return Err(
                TargetLimit::AtomicBits { ty: display::of_type(self.types(), elem), target, least }.into()
            );
        }
        let bytes_max = self.unit.facts.abilities.atomic_bytes_max;
        if shape.size > bytes_max {
            let (most, target) = (8 * bytes_max, self.unit.facts.name.clone());
            return Err(
                TargetLimit::WideAtomic { ty: display::of_type(self.types(), elem), target, most }.into()
            );
        }
        Ok(Cell { elem, address: self.address(pointer)?, int: module.int(shape.size * 8), bytes: shape.size })
    }

    fn word(&self, cell: &Cell, operand: Operand) -> Result<Val, EmitError> {
        self.as_int(self.convert(self.operand(operand)?, cell.elem)?)
    }

    fn order(&self, operand: Operand) -> Result<Order, EmitError> {
        let name = self.symbol_operand(operand).ok_or(Operation::DynamicAtomicOrder)?;
        Ok(match self.types().name(name) {
            "not_atomic" | "unordered" => Order::Unordered,
            "monotonic" => Order::Monotonic,
            "acquire" => Order::Acquire,
            "release" => Order::Release,
            "acquire_release" => Order::AcquireRelease,
            "sequentially_consistent" => Order::SequentiallyConsistent,
            other => return Err(Unsupported::of_name(NameRole::AtomicOrder, other)),
        })
    }

    fn scope(&self, operand: Option<&Operand>) -> Result<Scope, EmitError> {
        let Some(&operand) = operand else { return Ok(Scope::Device) };
        let name = self.symbol_operand(operand).ok_or(Operation::DynamicAtomicScope)?;
        match self.types().name(name) {
            "workgroup" => Ok(Scope::WorkGroup),
            "device" => Ok(Scope::Device),
            "system" => Ok(Scope::System),
            other => Err(Unsupported::of_name(NameRole::AtomicScope, other)),
        }
    }

    fn at_least_monotonic(&self, order: Order) -> Order {
        if order == Order::Unordered { Order::Monotonic } else { order }
    }

    /// Emits `atomic_pointermodify(p, op, x, order)`: a `Pair` of the old and the new value.
    fn modify(&self, cell: &Cell, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let module = self.module();
        let function = self.operand(args[1])?;
        let name = datatype::name_of(self.types(), function.ty).map(|it| self.types().type_name(it).def.name);
        let name = name.map_or("", |it| self.types().name(it)).trim_start_matches('#').to_owned();
        let x = self.convert(self.operand(args[2])?, cell.elem)?;
        let order = self.at_least_monotonic(self.order(args[3])?);
        let is_float = matches!(self.unit.shapes.of(cell.elem)?.form, Form::Float(..));
        let adds_floats = self.unit.facts.abilities.adds_floats;
        let has_extrema = self.unit.facts.abilities.has_extrema && cell.bytes >= 4;
        let is_unsigned = self.is_unsigned(cell.elem);
        let instruction = match (&*name, is_float) {
            ("+", false) => Some(Atomic::Add),
            ("-", false) => Some(Atomic::Sub),
            ("&", false) => Some(Atomic::And),
            ("|", false) => Some(Atomic::Or),
            ("xor" | "⊻", false) => Some(Atomic::Xor),
            ("max", false) if has_extrema && is_unsigned => Some(Atomic::UnsignedMax),
            ("max", false) if has_extrema => Some(Atomic::SignedMax),
            ("min", false) if has_extrema && is_unsigned => Some(Atomic::UnsignedMin),
            ("min", false) if has_extrema => Some(Atomic::SignedMin),
            ("+", true) if cell.bytes >= 4 && adds_floats => Some(Atomic::FloatAdd),
            ("-", true) if cell.bytes >= 4 && adds_floats => Some(Atomic::FloatSub),
            _ => None,
        };
        let old = match instruction {
            Some(op @ (Atomic::FloatAdd | Atomic::FloatSub)) => {
                let old = module.rmw(op, cell.address, self.materialize(x)?, order);
                self.register(cell.elem, old)
            }
            Some(op) => {
                self.value_of_bits(module.rmw(op, cell.address, self.as_int(x)?, order), cell.elem)?
            }
            None => self.exchange_loop(cell, &name, x, order)?,
        };
        let new = self.combine(&name, old, x)?;
        self.build(&[old, new], ty)
    }

    /// Emits a compare-and-exchange loop.
    fn exchange_loop(&self, cell: &Cell, name: &str, x: Value, order: Order) -> Result<Value, EmitError> {
        let module = self.module();
        let first = module.load_atomic(cell.int, cell.address, cell.bytes, Order::Monotonic);
        let (before, again, done) = (module.here(), module.block(self.function), module.block(self.function));
        module.br(again);
        module.at_end(again);
        let seen = module.phi(cell.int);
        module.add_incoming(seen, first, before);
        let old = self.value_of_bits(seen, cell.elem)?;
        let new = self.as_int(self.combine(name, old, x)?)?;
        let both = module.compare_exchange(cell.address, seen, new, order, Order::Monotonic);
        module.add_incoming(seen, module.extract(both, 0), module.here());
        module.cond_br(module.extract(both, 1), done, again);
        module.at_end(done);
        Ok(old)
    }

    fn is_unsigned(&self, ty: Type) -> bool {
        let core = self.types().core();
        [core.uint8, core.uint16, core.uint32, core.uint64, core.bool].contains(&ty)
    }

    /// Emits `op(old, x)`.
    fn combine(&self, name: &str, old: Value, x: Value) -> Result<Value, EmitError> {
        let module = self.module();
        if matches!(self.unit.shapes.of(old.ty)?.form, Form::Float(..)) {
            let op = match name {
                "+" => I::AddFloat,
                "-" => I::SubFloat,
                "*" => I::MulFloat,
                "/" => I::DivFloat,
                "max" => I::MaxFloat,
                "min" => I::MinFloat,
                other => return Err(Unsupported::of_name(NameRole::AtomicFunction, other)),
            };
            return self.float_binary(op, (old, x));
        }
        let (a, b) = (self.as_int(old)?, self.as_int(x)?);
        let less =
            module.icmp(if self.is_unsigned(old.ty) { Int::LLVMIntULT } else { Int::LLVMIntSLT }, a, b);
        let bits = match name {
            "+" => module.add(a, b),
            "-" => module.sub(a, b),
            "*" => module.binary(Opcode::LLVMMul, a, b),
            "&" => module.and(a, b),
            "|" => module.or(a, b),
            "xor" | "⊻" => module.xor(a, b),
            "max" => module.select(less, b, a),
            "min" => module.select(less, a, b),
            other => return Err(Unsupported::of_name(NameRole::AtomicFunction, other)),
        };
        self.value_of_bits(bits, old.ty)
    }
}
