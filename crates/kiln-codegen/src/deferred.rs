//! Function pointers: adapters of functions whose address is taken, and calls through them.
//!
//! The calling convention of a function depends on its [`Traits`](kiln_unit::Traits) and its types, which the holder
//! of an address does not know. So the address is that of an *adapter*, an internal function of the unit that takes
//! it. All adapters have one type:
//!
//! ```text
//! i32 adapter(state..., i64 arguments, i64 returned, ptr result, ptr args)
//! ```
//!
//! `state` is the state of the item. `arguments` and `returned` are hashes of the types that the caller passes and
//! expects: an adapter for other types returns [`OTHER_TYPES`] and does nothing. The value is stored at `result`,
//! unless that is null. `args` are the arguments that are not ghosts, the function first, one after the other in
//! memory. The adapter returns the site, or 0; the caller returns a site in turn.
//!
//! The *kernel* of an adapter is launched by items: see [`kiln_ir::Intrinsic::KernelEntry`].
//!
//! LLVM inlines an adapter whose address does not leave the function, if the optimizer has not made the call direct
//! before.

use super::signatures;
use crate::error::{EmitError, InvalidBody, Operation, TargetLimit, TypeRole, Unsupported};
use crate::function::{Emitter, Mode};
use crate::item_state::ItemState;
use crate::llvm::{Ty, Val};
use crate::unit::{Adapter, Unit};
use crate::value::Value;
use kiln_ir::{Op, Value as Operand};
use kiln_targets::ByAddress;
use kiln_types::{ConstData, Type, Types, datatype, definition, display};
use kiln_unit::Traits;

/// The result of an adapter for other types. It is no site's number.
const OTHER_TYPES: u32 = u32::MAX;
/// The alignment of the argument block.
const ARGS_ALIGN: u32 = 16;

/// Defines the adapters of a unit.
pub(crate) fn define(unit: &Unit<'_>) -> Result<(), EmitError> {
    for adapter in unit.adapters.borrow().iter() {
        let mut emitter = Emitter::new(unit, adapter.target, adapter.function, Mode::Record);
        emitter.adapter(&adapter.args)?;
        if let Some(kernel) = adapter.kernel {
            let emitter = Emitter::new(unit, adapter.target, kernel, Mode::Record);
            emitter.launched(adapter)?;
        }
    }
    Ok(())
}

impl Emitter<'_, '_> {
    /// Returns the address of the function `target` for calls with these arguments.
    pub(crate) fn lookup(&self, target: u32, args: &[Operand], ty: Type) -> Result<Value, EmitError> {
        let at = self.adapter_of(target, args)?;
        let function = self.unit.adapters.borrow()[at].function;
        Ok(self.register(ty, self.module().address_of(function)))
    }

    /// Returns the index of the adapter for a look-up.
    fn adapter_of(&self, target: u32, args: &[Operand]) -> Result<usize, EmitError> {
        let args: Result<Vec<Type>, EmitError> =
            args.iter().map(|it| Ok(self.passed_type(&self.operand(*it)?))).collect();
        let args = args?;
        let mut adapters = self.unit.adapters.borrow_mut();
        if let Some(known) = adapters.iter().position(|it| it.target == target && it.args == args) {
            return Ok(known);
        }
        let params = self.pointer_params();
        let name = format!("adapter{}", adapters.len());
        let function = self.module().function(&name, self.module().int(32), &params);
        self.module().set_internal(function);
        self.module().set_attribute(function, "nounwind");
        adapters.push(Adapter { target, args, function, kernel: None });
        Ok(adapters.len() - 1)
    }

    /// Emits `kiln_kernel_entry(pointer)`: the address of the kernel of a look-up.
    pub(crate) fn kernel_entry(&self, pointer: Operand, ty: Type) -> Result<Value, EmitError> {
        let convention = self.unit.device.and_then(|it| it.launched());
        let convention =
            convention.ok_or_else(|| TargetLimit::Launch { target: self.unit.facts.name.clone() })?;
        let looked_up = match pointer {
            Operand::Stmt(stmt) => Some(&self.code().stmts[stmt].op),
            Operand::Arg(_) | Operand::Const(_) => None,
        };
        let Some(Op::Lookup(instance, args)) = looked_up else {
            return Err(Operation::KernelOfPointer.into());
        };
        let callees = &self.unit.sources[self.ordinal as usize].callees;
        let target = *callees.get(instance.as_u32() as usize).ok_or(InvalidBody::UnknownCallee)?;
        let returned = self.unit.sources[target as usize].code.return_type;
        if self.unit.shapes.of(returned)?.llvm.is_some() {
            return Err(Unsupported::of_type(
                TypeRole::KernelResult,
                display::of_type(self.types(), returned),
            ));
        }
        let at = self.adapter_of(target, args)?;
        let module = self.module();
        let kernel = *self.unit.adapters.borrow_mut()[at].kernel.get_or_insert_with(|| {
            let params = [module.ptr_in(self.unit.facts.spaces.global), module.ptr()];
            let kernel = module.function(&format!("kernel{at}"), module.void(), &params);
            module.set_internal(kernel);
            module.set_attribute(kernel, "nounwind");
            module.set_convention(kernel, convention);
            kernel
        });
        Ok(self.register(ty, module.address_of(kernel)))
    }

    /// Emits the kernel of an adapter: a call with its own types that drops the result.
    fn launched(&self, adapter: &Adapter) -> Result<(), EmitError> {
        let module = self.module();
        let places = self.argument_places(&adapter.args)?;
        let bytes = module.array(module.int(8), places.end.max(1).into());
        module.set_by_address(self.function, 1, bytes, ARGS_ALIGN, ByAddress::Value);
        module.at_end(module.block(self.function));
        let returned = display::of_type(self.types(), self.code().return_type);
        let (state, block) = (module.param(self.function, 0), module.param(self.function, 1));
        let nowhere = module.zero(module.ptr());
        let values = [state, self.kind_value(&places.kind), self.kind_value(&returned), nowhere, block];
        module.call(adapter.function, &values);
        module.ret(None);
        Ok(())
    }

    /// Emits `deferred_call(address, ty, args...)`.
    pub(crate) fn call_through(&self, args: &[Operand], ty: Type) -> Result<Option<Value>, EmitError> {
        let [address, _, args @ ..] = args else { return Err(InvalidBody::MissingAddress.into()) };
        let module = self.module();
        let address = self.materialize(self.operand(*address)?)?;
        let shape = self.unit.shapes.of(ty)?;
        let result = match shape.llvm {
            Some(llvm) => module.alloca_in(self.function, llvm, shape.align.max(1)),
            None => module.zero(module.ptr()),
        };
        let args: Result<Vec<Value>, EmitError> = args.iter().map(|it| self.operand(*it)).collect();
        let args = args?;
        let types: Vec<Type> = args.iter().map(|it| self.passed_type(it)).collect();
        let places = self.argument_places(&types)?;
        let bytes = places.end.max(1).into();
        let block = module.alloca_in(self.function, module.array(module.int(8), bytes), ARGS_ALIGN);
        for ((value, &ty), offset) in args.iter().zip(&types).zip(&places.offsets) {
            let Some(offset) = offset else { continue };
            let shape = self.unit.shapes.of(ty)?;
            let value = self.materialize(*value)?;
            self.store_shape(&shape, value, module.field(block, (*offset).into()), shape.align)?;
        }
        let mut values = self.state_for_any()?;
        values.extend([
            self.kind_value(&places.kind),
            self.kind_value(&display::of_type(self.types(), ty)),
            result,
            block,
        ]);
        let site = module.call_pointer(address, module.int(32), &self.pointer_params(), &values);
        let other = module.int_eq(site, module.const_u32(OTHER_TYPES));
        let same = module.int_eq(other, module.const_int(module.int(1), 0));
        self.check(same, kiln_unit::SITE_TYPE, &[])?;
        self.pass_site_on(site)?;
        if ty == Types::BOTTOM {
            return Ok(None);
        }
        self.load(ty, result, shape.align).map(Some)
    }

    /// Returns a site other than 0, else continues.
    fn pass_site_on(&self, site: Val) -> Result<(), EmitError> {
        let module = self.module();
        let ok = module.int_eq(site, module.const_u32(0));
        let (go_on, failing) = (module.block(self.function), module.block(self.function));
        module.cond_br(ok, go_on, failing);
        module.at_end(failing);
        self.return_site(site)?;
        module.at_end(go_on);
        Ok(())
    }

    /// Returns the type that determines how an argument is passed. A type as a value has no representation.
    fn passed_type(&self, value: &Value) -> Type {
        let types = self.types();
        match value.constant.map(|it| types.const_data(it)) {
            Some(ConstData::Type(ty)) => datatype::type_type(types, *ty),
            _ => value.ty, // of the value's own type
        }
    }

    /// Returns the state arguments of a call through an address.
    fn state_for_any(&self) -> Result<Vec<Val>, EmitError> {
        if self.unit.device.is_none() {
            return Ok(self.state().values().to_vec());
        }
        let kernel = self.device_state.kernel.ok_or(InvalidBody::PointerCallerState)?;
        let types = signatures::hidden_params(self.unit, takes_all());
        let shared = types.get(1).map(|it| {
            // A function without it is in no kernel that uses it.
            self.device_state.dynamic_shared.unwrap_or_else(|| self.module().poison(*it))
        });
        Ok(std::iter::once(kernel).chain(shared).collect())
    }

    /// Takes the state parameters of an adapter; returns their number.
    fn take_state(&mut self) -> usize {
        let hidden = signatures::hidden_params(self.unit, takes_all()).len();
        let module = self.module();
        if self.unit.device.is_none() {
            self.state = Some(ItemState::params(module, self.function));
        } else {
            self.device_state.kernel = Some(module.param(self.function, 0));
            self.device_state.dynamic_shared = (hidden > 1).then(|| module.param(self.function, 1));
        }
        hidden
    }

    fn pointer_params(&self) -> Vec<Ty> {
        let (int, ptr) = (self.module().int(64), self.module().ptr());
        let mut params = signatures::hidden_params(self.unit, takes_all());
        params.extend([int, int, ptr, ptr]);
        params
    }

    /// Returns the layout of arguments of these types, and the text of their types.
    fn argument_places(&self, args: &[Type]) -> Result<Places, EmitError> {
        let mut places = Places { offsets: Vec::with_capacity(args.len()), end: 0, kind: String::new() };
        for &ty in args {
            let shape = self.unit.shapes.of(ty)?;
            let offset = shape.llvm.map(|_| {
                let offset = places.end.next_multiple_of(shape.align.max(1));
                places.end = offset + shape.size;
                places.kind += &display::of_type(self.types(), ty);
                places.kind.push(';');
                offset
            });
            places.offsets.push(offset);
        }
        Ok(places)
    }

    /// Returns the hash of a type's text, the same in every unit.
    fn kind_value(&self, kind: &str) -> Val {
        let hash = |sum: u64, it: u8| (sum ^ u64::from(it)).wrapping_mul(0x0000_0100_0000_01b3);
        let hash = kind.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
        self.module().const_i64(hash.cast_signed())
    }

    /// Emits the adapter of this function for arguments of these types.
    fn adapter(&mut self, args: &[Type]) -> Result<(), EmitError> {
        let module = self.module();
        module.at_end(module.block(self.function));
        let hidden = self.take_state();
        let param = |n: usize| module.param(self.function, hidden + n);
        let (result, block) = (param(2), param(3));
        let target = self.code();
        let places = self.argument_places(args)?;
        self.expect_kind(param(0), &places.kind, None);
        let returned = display::of_type(self.types(), target.return_type);
        // A function that never returns fails, whatever type its caller expects.
        if target.return_type != Types::BOTTOM {
            self.expect_kind(param(1), &returned, Some(result));
        }
        let mut given = Vec::with_capacity(args.len());
        for (&ty, offset) in args.iter().zip(&places.offsets) {
            let address = module.field(block, offset.unwrap_or(0).into());
            given.push(self.load(ty, address, self.unit.shapes.of(ty)?.align)?);
        }
        if is_packed(self.types(), args, &target.args) {
            let fixed = target.args.len() - 1;
            let rest = given.split_off(fixed.min(given.len()));
            given.push(self.build(&rest, target.args[fixed])?);
        }
        if given.len() != target.args.len() {
            return Err(InvalidBody::LookupArguments.into());
        }
        self.call_target(&given, result)
    }

    /// Continues only if the caller passes these types, or no `place` for a value.
    fn expect_kind(&self, given: Val, kind: &str, place: Option<Val>) {
        let module = self.module();
        let mut ok = module.int_eq(given, self.kind_value(kind));
        if let Some(place) = place {
            let ignored = module.int_eq(place, module.zero(module.ptr()));
            ok = module.select(ok, ok, ignored);
        }
        let (go_on, other) = (module.block(self.function), module.block(self.function));
        module.cond_br(ok, go_on, other);
        module.at_end(other);
        module.ret(Some(module.const_u32(OTHER_TYPES)));
        module.at_end(go_on);
    }

    /// Calls the function, stores its value and returns its site.
    fn call_target(&self, given: &[Value], result: Val) -> Result<(), EmitError> {
        let module = self.module();
        let (target, traits) = (self.code(), self.unit.traits[self.ordinal as usize]);
        let mut values = self.passed_on(traits)?;
        for (value, &param) in given.iter().zip(&target.args) {
            if self.unit.shapes.of(param)?.llvm.is_some() {
                values.push(self.materialize(self.convert(*value, param)?)?);
            }
        }
        let returned = module.call(self.unit.functions[self.ordinal as usize], &values);
        let shape = self.unit.shapes.of(target.return_type)?;
        let (value, site) = match (shape.llvm, traits.may_fail) {
            (Some(_), true) => (Some(module.extract(returned, 0)), module.extract(returned, 1)),
            (Some(_), false) => (Some(returned), module.const_u32(0)),
            (None, true) => (None, returned),
            (None, false) => (None, module.const_u32(0)),
        };
        if let Some(value) = value {
            let (wanted, end) = (module.block(self.function), module.block(self.function));
            let ignored = module.int_eq(result, module.zero(module.ptr()));
            module.cond_br(ignored, end, wanted);
            module.at_end(wanted);
            self.store_shape(&shape, value, result, shape.align)?;
            module.br(end);
            module.at_end(end);
        }
        module.ret(Some(site));
        Ok(())
    }
}

/// The traits of an adapter, which takes all state that its function may need.
fn takes_all() -> Traits {
    Traits { needs_state: true, has_dynamic_shared: true, ..Traits::default() }
}

/// The layout of the arguments of a call through an address.
struct Places {
    /// The offset of each argument; `None` for ghosts.
    offsets: Vec<Option<u32>>,
    end: u32,
    kind: String,
}

/// Whether the last parameter is a tuple of the trailing arguments.
fn is_packed(types: &Types, args: &[Type], params: &[Type]) -> bool {
    let (Some(last), Some(param)) = (args.last(), params.last()) else { return false };
    args.len() != params.len()
        || (datatype::is_tuple(types, *param)
            && last != param
            && definition::singleton(types, *last).is_none())
}
