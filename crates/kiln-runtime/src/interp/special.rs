//! The builtins that call back into the interpreter or look at the world; the others are in
//! [`builtins`](crate::builtins).

use super::decode::CallSite;
use super::frames::FrameGuard;
use super::task::{self, Machine};
use crate::heap::{MemoryOrder, Registers, Value, arrays, fields, svecs, tuples};
use crate::intrinsics::memory_order;
use crate::runtime::Runtime;
use crate::tables::World;
use crate::thrown::{Run, Thrown};
use kiln_ir::Builtin;
use kiln_types::{Module, Symbol, Type};

/// Arguments of one call at most: more do not fit on a stack.
const ARGUMENTS_MAX: usize = 1 << 22;

impl Runtime {
    /// Calls a builtin with the arguments pushed after `top`.
    pub(super) fn call_builtin(&self, machine: &mut Machine, top: usize, builtin: Builtin) -> Run {
        let core = self.types.core();
        let count = machine.stack.len() - top - 1;
        let arg = |machine: &Machine, at: usize| machine.stack[top + 1 + at];
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "the others, and wrong counts, are told apart there"
        )]
        match builtin {
            Builtin::Throw if count == 1 => Err(Thrown::new(arg(machine, 0))),
            Builtin::ApplyIterate if count >= 2 => self.apply_iterate(machine, top),
            Builtin::Invokelatest if count >= 1 => {
                machine.stack.remove(top);
                self.in_world(machine, self.tables.world(), |machine| self.call_fresh(machine, top))
            }
            Builtin::Invoke if count >= 2 => self.invoke(machine, top),
            Builtin::Deferred if count >= 1 => self.deferred(&machine.stack[top + 1..], machine.world),
            Builtin::DeferredCall if count >= 2 => self.call_deferred(&machine.stack[top + 1..]),
            Builtin::Applicable if count >= 1 => {
                let found = self.is_applicable(&machine.stack[top + 1..], machine.world);
                Ok(self.heap.bool(found))
            }
            Builtin::Getfield if count >= 2 && arg(machine, 0).ty() == core.module => {
                let (module, name) = self.module_and_name(&machine.stack[top + 1..], "getfield")?;
                self.get_global(module, name)
            }
            Builtin::Getfield if count >= 2 && self.is_method(arg(machine, 0)) => {
                crate::host::method_field(self, arg(machine, 0), arg(machine, 1))
            }
            Builtin::Getglobal if count >= 2 => {
                if count >= 3 {
                    self.check_binding_order("getglobal", "read", arg(machine, 2), false)?;
                }
                let (module, name) = self.module_and_name(&machine.stack[top + 1..], "getglobal")?;
                self.get_global(module, name)
            }
            Builtin::Setglobal if count >= 3 => self.call_setglobal(&machine.stack[top + 1..]),
            Builtin::Isdefinedglobal if count >= 2 => {
                let (module, name) = self.module_and_name(&machine.stack[top + 1..], "isdefinedglobal")?;
                let own = count >= 3 && arg(machine, 2).as_bool(self.types.core()) == Some(false);
                let found = !own || self.is_own_binding(module, name);
                Ok(self.heap.bool(found && self.is_defined_global(module, name)))
            }
            Builtin::Isdefined if count >= 2 && arg(machine, 0).ty() == core.module => {
                let (module, name) = self.module_and_name(&machine.stack[top + 1..], "isdefined")?;
                if count >= 3 {
                    self.check_binding_order("isdefined", "accessed", arg(machine, 2), false)?;
                }
                Ok(self.heap.bool(self.is_defined_global(module, name)))
            }
            Builtin::Isdefined if count >= 2 && self.is_method(arg(machine, 0)) => {
                let found = crate::host::method_field(self, arg(machine, 0), arg(machine, 1));
                Ok(self.heap.bool(found.is_ok()))
            }
            Builtin::Modifyfield if count >= 4 => self.modify_field(&machine.stack[top + 1..]),
            Builtin::Memorynew => {
                if let (true, Some(ty)) = (count >= 2, arg(machine, 0).as_type(core)) {
                    self.make_room(ty, arg(machine, 1).as_int(core).unwrap_or(0));
                }
                self.with_memory(|| crate::builtins::call(&self.heap, builtin, &machine.stack[top + 1..]))
            }
            _ => {
                let done = crate::builtins::call(&self.heap, builtin, &machine.stack[top + 1..]);
                self.after_async_errors(done)
            }
        }
    }

    /// Gives a global a value. An assignment converts; a call that names an order does not.
    fn call_setglobal(&self, args: &[Value]) -> Run {
        let (module, name) = self.module_and_name(args, "setglobal!")?;
        let value = args[2];
        let Some(&order) = args.get(3) else {
            self.check_declared(module, name)?;
            self.set_global(module, name, value)?;
            return Ok(value);
        };
        self.check_binding_order("setglobal!", "written", order, true)?;
        self.check_declared(module, name)?;
        self.set_global_exactly(module, name, value)?;
        Ok(value)
    }

    /// Throws unless a global may be read, or written, in this order.
    fn check_binding_order(&self, function: &str, done: &str, order: Value, stores: bool) -> Run<()> {
        if memory_order(&self.heap, function, order, !stores, stores)? != MemoryOrder::NotAtomic {
            return Ok(());
        }
        let message = format!("{function}: module binding cannot be {done} non-atomically");
        Err(crate::exceptions::concurrency_error(&self.heap, &message))
    }

    fn is_method(&self, value: Value) -> bool {
        let core = self.types.core();
        [core.method, core.method_instance, core.code_instance].contains(&value.ty())
    }

    /// Calls the function at `top`, without a call site.
    fn call_fresh(&self, machine: &mut Machine, top: usize) -> Run {
        self.call_pushed(machine, top, &CallSite::default())
    }

    fn in_world(&self, machine: &mut Machine, world: World, work: impl FnOnce(&mut Machine) -> Run) -> Run {
        let outer = machine.world;
        machine.world = world;
        machine.inbounds = false;
        task::set_world(world);
        let result = work(machine);
        machine.world = outer;
        task::set_world(outer);
        result
    }

    fn module_and_name(&self, args: &[Value], function: &str) -> Run<(Module, Symbol)> {
        let core = self.types.core();
        let module =
            args[0].as_module(core).ok_or_else(|| self.type_error(function, "", core.module, args[0]))?;
        let name =
            args[1].as_symbol(core).ok_or_else(|| self.type_error(function, "", core.symbol, args[1]))?;
        Ok((module, name))
    }

    /// `_apply_iterate(iterate, f, args...)`: `f` with the elements of every argument.
    fn apply_iterate(&self, machine: &mut Machine, top: usize) -> Run {
        let iterate = machine.stack[top + 1];
        let mut args = Registers::new();
        args.extend_from_slice(&machine.stack[top + 3..]);
        machine.stack[top] = machine.stack[top + 2];
        machine.stack.truncate(top + 1);
        for &arg in args.iter() {
            self.push_elements(machine, iterate, arg)?;
            if machine.stack.len() - top > ARGUMENTS_MAX {
                return Err(self.stack_overflow());
            }
        }
        self.call_fresh(machine, top)
    }

    fn push_elements(&self, machine: &mut Machine, iterate: Value, arg: Value) -> Run<()> {
        let core = self.types.core();
        if self.types.is_tuple(arg.ty()) || self.types.is_named_tuple(arg.ty()) {
            for at in 0..fields::count(&self.heap, arg) {
                machine.stack.extend(fields::get(&self.heap, arg, at));
            }
            return Ok(());
        }
        if arg.ty() == core.simple_vector {
            machine.stack.extend(svecs::values(&self.heap, arg));
            return Ok(());
        }
        if arrays::is_array(&self.heap, arg) {
            for at in 0..arrays::len(&self.heap, arg) {
                match arrays::get(&self.heap, arg, at) {
                    Some(value) => machine.stack.push(value),
                    None => return Err(self.exception(core.undef_ref_error, &[])),
                }
            }
            return Ok(());
        }
        self.push_iterated(machine, iterate, arg)
    }

    fn push_iterated(&self, machine: &mut Machine, iterate: Value, arg: Value) -> Run<()> {
        let core = self.types.core();
        let mut next = self.call(iterate, &[arg])?;
        while !next.is_nothing(core) {
            let value = self.iterated(next, 0)?;
            let state = self.iterated(next, 1)?;
            machine.stack.push(value);
            next = self.call(iterate, &[arg, state])?;
        }
        Ok(())
    }

    /// Returns a part of the result of `iterate`: the element or the state.
    fn iterated(&self, next: Value, at: usize) -> Run {
        if at >= fields::count(&self.heap, next) {
            return Err(self.bounds_error(next, self.heap.int(at as i64 + 1)));
        }
        let part = fields::get(&self.heap, next, at);
        part.ok_or_else(|| self.exception(self.types.core().undef_ref_error, &[]))
    }

    /// `invoke(f, Tuple{...}, args...)` or `invoke(f, method, args...)`.
    fn invoke(&self, machine: &mut Machine, top: usize) -> Run {
        let core = self.types.core();
        let callee = machine.stack[top + 1];
        let which = machine.stack[top + 2];
        let world = machine.world;
        machine.stack.drain(top..=top + 2);
        machine.stack.insert(top, callee);
        let mut declared = None;
        let id = if which.ty() == core.method {
            crate::tables::MethodId::from_index(which.bits() as usize)
        } else if which.ty() == core.code_instance {
            let instance = self.tables.instance_data(crate::host::invoked(self, which)?);
            declared = Some(instance.spec_types);
            instance.method
        } else {
            let Some(given) = which.as_type(core) else {
                return Err(self.type_error("invoke", "", core.type_, which));
            };
            if self.is_special(callee) {
                self.check_invoked(given, &machine.stack[top + 1..])?;
                return self.call_fresh(machine, top);
            }
            let sig = self.signature(callee, given)?;
            declared = Some(sig);
            let view = self.tables.calls.view(machine.view);
            match self.tables.methods.find_covering(&view, sig, world) {
                Some(found) => found.method,
                None => return Err(self.no_invoked_method(callee, which)),
            }
        };
        let method = self.tables.method(id);
        let keys: Vec<_> = machine.stack[top..].iter().map(|&it| self.arg_key(it)).collect();
        let actual = self.tables.calls.keys_tuple(&keys);
        // Arguments of the types that were given; those of the method may be wider.
        let wanted = declared.unwrap_or(method.sig);
        if !self.types.subtype(actual, wanted) {
            let given = tuples::new(&self.heap, &machine.stack[top..]);
            return Err(self.type_error("invoke: argument type error", "", wanted, given));
        }
        let Some(params) = self.types.subtype_env(actual, method.sig) else {
            return Err(self.type_error("invoke: argument type error", "", method.sig, callee));
        };
        let body = self.method_body(&method, actual, &params)?;
        let params = self.param_values(&params);
        let _frame = FrameGuard::other(&body.code, Some(id));
        self.run_prepared(machine, top, &body, &params, self.checks_bounds())
    }

    /// Throws unless the arguments are those that the types given to `invoke` of a builtin allow.
    fn check_invoked(&self, given: Type, args: &[Value]) -> Run<()> {
        let keys: Vec<_> = args.iter().map(|&it| self.arg_key(it)).collect();
        let actual = self.tables.calls.keys_tuple(&keys);
        if !self.types.is_tuple(self.types.unwrap_unionall(given)) {
            return Err(self.type_error("invoke", "", self.types.core().tuple, self.heap.type_value(given)));
        }
        if self.types.subtype(actual, given) {
            return Ok(());
        }
        let args = tuples::new(&self.heap, args);
        if self.heap.isa(args, given) {
            return Ok(());
        }
        Err(self.type_error("invoke: argument type error", "", given, args))
    }

    /// Whether a value is called without methods.
    fn is_special(&self, callee: Value) -> bool {
        callee.ty() == self.types.core().intrinsic_function || self.callees.of_type(callee.ty()).is_some()
    }

    /// The signature of a call of `callee` with arguments of the tuple type `args`.
    pub fn signature(&self, callee: Value, args: Type) -> Run<Type> {
        let body = self.types.unwrap_unionall(args);
        if !self.types.is_tuple(body) {
            let core = self.types.core();
            return Err(self.type_error("signature", "", core.tuple, self.heap.type_value(args)));
        }
        let mut elems = vec![self.heap.dispatch_type(callee)];
        elems.extend_from_slice(self.types.params(body));
        Ok(self.types.rewrap_unionall(self.types.tuple(&elems), args))
    }

    /// Whether a call has a method in `world`.
    pub(super) fn is_applicable(&self, call: &[Value], world: World) -> bool {
        let callee = call[0].ty();
        callee == self.types.core().intrinsic_function
            || self.callees.of_type(callee).is_some()
            || self.find_entry(call, world).is_ok()
    }

    /// `modifyfield!(x, field, op, value[, order])`: returns `old => new`.
    fn modify_field(&self, args: &[Value]) -> Run {
        let mut modify = |old, new| self.call(args[2], &[old, new]);
        let (old, new, ty) = crate::builtins::modify_field(&self.heap, args, &mut modify)?;
        self.pair(old, new, ty)
    }

    /// `atomic_pointermodify(pointer, op, x, order)`.
    pub(super) fn atomic_pointermodify(&self, args: &[Value]) -> Run {
        let op = args.get(1).copied().unwrap_or_else(|| self.heap.nothing());
        let mut modify = |old, new| self.call(op, &[old, new]);
        let (old, new, ty) = crate::intrinsics::atomic_pointermodify(&self.heap, args, &mut modify)?;
        self.pair(old, new, ty)
    }

    /// `old => new`, of the type `Pair{ty, ty}` that boot code defines.
    pub(super) fn pair(&self, old: Value, new: Value, ty: Type) -> Run {
        let pair = self.base_global("Pair").and_then(|it| it.as_type(self.types.core()));
        let Some(pair) = pair else { return Ok(tuples::new(&self.heap, &[old, new])) };
        let made = self.types.apply(pair, &[ty, ty]);
        made.map(|ty| fields::new_struct(&self.heap, ty, &[old, new]))
            .map_err(|_| self.error("Pair can not be made"))
    }
}
