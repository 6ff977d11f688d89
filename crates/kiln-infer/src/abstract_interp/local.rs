//! Local inference: runs one body on lattice elements, statement by statement, to a fixed point. Julia calls it
//! `typeinf_local`.

use super::interpreter::AbstractInterpreter;
use super::state::{InferenceState, VarState, VarTable};
use crate::explain::Widening;
use crate::lattice::{Conditional, Lattice, field, join, le, meet_type};
use crate::tfuncs::{ALLOC, PURE, READ, instance_type};
use kiln_ir::{Effects, Lowered, LoweredStmt};
use kiln_runtime::heap::constants;
use kiln_runtime::tables::{Binding, Edge};
use kiln_types::{Module, Symbol, Type, TypeData, Types, consts, datatype, layout, typevar, unionall};
use std::collections::BTreeSet;
use std::sync::Arc;

/// An operand: its lattice element, and the slot it was read from.
#[derive(Clone, Debug)]
pub(crate) struct Arg {
    /// The lattice element.
    pub(crate) ty: Lattice,
    /// The slot, and the definition of it that was read.
    pub(crate) slot: Option<(u32, u32)>,
}

/// The inference of one body. See the [module](self).
pub(crate) struct LocalInference<'s, 'a> {
    /// The interpreter of all bodies.
    pub(crate) interp: &'s mut AbstractInterpreter<'a>,
    /// The state of the body.
    pub(crate) frame: InferenceState,
    /// The slots at the current statement.
    pub(crate) state: VarTable,
    /// The current statement.
    pub(crate) pc: usize,
    work: BTreeSet<u32>,
}

/// The way control leaves a statement.
enum Flow {
    Next,
    Stop,
}

impl<'s, 'a> LocalInference<'s, 'a> {
    /// Prepares to run a body from its entry block.
    pub(crate) fn new(interp: &'s mut AbstractInterpreter<'a>, frame: InferenceState) -> Self {
        Self { interp, frame, state: Vec::new(), pc: 0, work: BTreeSet::from([0]) }
    }

    /// Runs until no state changes any more.
    pub(crate) fn run(mut self) -> InferenceState {
        while let Some(block) = self.work.pop_first() {
            let Some(state) = self.frame.entry[block as usize].clone() else { continue };
            self.state = state;
            self.run_block(block);
        }
        self.finish_effects();
        self.frame
    }

    fn run_block(&mut self, block: u32) {
        let range = self.frame.blocks.range(block);
        let end = range.end;
        let code = self.frame.code.clone();
        for pc in range {
            self.pc = pc;
            if matches!(self.stmt(&code.stmts[pc]), Flow::Stop) {
                return;
            }
        }
        if end < code.stmts.len() {
            self.go(end as u32);
        }
    }

    /// Passes control, and the slots, to the statement that begins a block.
    fn go(&mut self, target: u32) {
        let block = self.frame.blocks.block_of(target as usize);
        let here = self.frame.blocks.block_of(self.pc);
        if block <= here {
            self.frame.loops = true;
        }
        let handlers = self.handlers_here();
        if self.frame.flow(self.interp.env.types, block, &self.state) {
            self.frame.handlers[block as usize] = handlers;
            self.work.insert(block);
        }
    }

    pub(crate) fn handlers_here(&self) -> Vec<u32> {
        if !self.frame.has_handlers {
            return Vec::new();
        }
        let block = self.frame.blocks.block_of(self.pc);
        let mut handlers = self.frame.handlers[block as usize].clone();
        let range = self.frame.blocks.range(block);
        for pc in range.start..=self.pc {
            match &self.frame.code.stmts[pc] {
                LoweredStmt::Enter(_) => handlers.push(pc as u32),
                LoweredStmt::Leave(tokens) => handlers.truncate(handlers.len().saturating_sub(tokens.len())),
                _ => {}
            }
        }
        handlers
    }

    /// Passes the slots to the handlers of all `try` blocks around: the innermost may run after any statement, and the one
    /// around it after any statement of that handler.
    fn flow_to_handlers(&mut self) {
        let handlers = self.handlers_here();
        for (at, &enter) in handlers.iter().enumerate().rev() {
            let LoweredStmt::Enter(target) = self.frame.code.stmts[enter as usize] else { continue };
            let block = self.frame.blocks.block_of(target as usize);
            if self.frame.flow(self.interp.env.types, block, &self.state) {
                self.frame.handlers[block as usize] = handlers[..at].to_vec();
                self.work.insert(block);
            }
        }
    }

    /// Sets the value of the current statement, and queues the blocks that use it.
    fn set_value(&mut self, value: Lattice) -> Flow {
        let types = self.interp.env.types;
        let stop = value.is_bottom(types);
        let old = &mut self.frame.values[self.pc];
        let new = match &*old {
            Some(old) if *old == value => return if stop { Flow::Stop } else { Flow::Next },
            Some(old) => rejoin(types, old, value),
            None => value,
        };
        if old.as_ref() != Some(&new) {
            *old = Some(new);
            for user in self.frame.users[self.pc].clone() {
                if self.frame.entry[user as usize].is_some() {
                    self.work.insert(user);
                }
            }
        }
        if stop { Flow::Stop } else { Flow::Next }
    }

    fn set_slot(&mut self, slot: u32, value: Lattice) -> Flow {
        let stop = value.is_bottom(self.interp.env.types);
        if !stop {
            let def = self.pc as u32 + 1;
            self.state[slot as usize] = VarState { ty: value, undef: false, def };
            self.flow_to_handlers();
        }
        if stop { Flow::Stop } else { Flow::Next }
    }

    fn stmt(&mut self, stmt: &LoweredStmt) -> Flow {
        let types = self.interp.env.types;
        self.frame.widened[self.pc] = None;
        match stmt {
            LoweredStmt::Value(it) => {
                let arg = self.operand(*it);
                self.frame.read_from[self.pc] = arg.slot;
                self.set_value(arg.ty)
            }
            LoweredStmt::SetSlot(slot, it) => {
                let arg = self.operand(*it);
                if matches!(self.set_slot(*slot, arg.ty.clone()), Flow::Stop) {
                    return Flow::Stop;
                }
                self.set_value(arg.ty)
            }
            LoweredStmt::NewVar(slot) => {
                self.undefine(*slot);
                Flow::Next
            }
            LoweredStmt::Call(args) => {
                let args: Vec<Arg> = args.iter().map(|it| self.operand(*it)).collect();
                let result = self.call(&args);
                self.merge_call_effects(&result);
                self.frame.resolved[self.pc] = result.resolution;
                self.set_value(result.ty)
            }
            LoweredStmt::New(args) => {
                let args: Vec<Arg> = args.iter().map(|it| self.operand(*it)).collect();
                let value = self.new_struct(&args);
                self.set_value(value)
            }
            LoweredStmt::SplatNew(ty, tuple) => {
                let (ty, tuple) = (self.operand(*ty), self.operand(*tuple));
                let value = self.splat_new(&ty.ty, &tuple.ty);
                self.set_value(value)
            }
            LoweredStmt::IsDefined(it) => {
                let value = self.is_defined(*it);
                self.set_value(value)
            }
            LoweredStmt::Goto(target) => {
                self.go(*target);
                Flow::Stop
            }
            LoweredStmt::GotoIfNot(cond, target) => self.branch(*cond, *target),
            LoweredStmt::Return(it) => {
                let arg = self.operand(*it);
                self.returns(arg);
                Flow::Stop
            }
            LoweredStmt::Enter(_) => {
                self.flow_to_handlers();
                self.merge_effects(Effects { consistent: false, ..Effects::TOTAL });
                self.set_value(Lattice::any(types))
            }
            LoweredStmt::TheException
            | LoweredStmt::CopyAst(_)
            | LoweredStmt::BoundsCheck
            | LoweredStmt::Leave(_)
            | LoweredStmt::PopException(_)
            | LoweredStmt::InboundsBegin
            | LoweredStmt::InboundsEnd
            | LoweredStmt::LoopInfo(_)
            | LoweredStmt::LatestWorld
            | LoweredStmt::GenericFunction(..)
            | LoweredStmt::Method { .. }
            | LoweredStmt::DeclareGlobal { .. }
            | LoweredStmt::TopLevel(_) => self.other_stmt(stmt),
        }
    }

    fn undefine(&mut self, slot: u32) {
        let def = self.pc as u32 + 1;
        let ty = Lattice::bottom(self.interp.env.types);
        self.state[slot as usize] = VarState { ty, undef: true, def };
        self.flow_to_handlers();
    }

    /// Interprets a statement whose operands do not matter.
    fn other_stmt(&mut self, stmt: &LoweredStmt) -> Flow {
        let types = self.interp.env.types;
        match stmt {
            LoweredStmt::TheException => {
                self.merge_effects(Effects { consistent: false, ..Effects::TOTAL });
                self.set_value(Lattice::any(types))
            }
            LoweredStmt::CopyAst(_) => {
                self.merge_effects(ALLOC);
                self.set_value(Lattice::any(types))
            }
            LoweredStmt::BoundsCheck => {
                self.merge_effects(Effects { noub_unless_inbounds: false, ..Effects::TOTAL });
                self.set_value(Lattice::Type(types.core().bool))
            }
            LoweredStmt::GenericFunction(..)
            | LoweredStmt::Method { .. }
            | LoweredStmt::DeclareGlobal { .. }
            | LoweredStmt::TopLevel(_) => {
                self.merge_effects(Effects::NONE);
                self.set_value(Lattice::any(types))
            }
            _ => Flow::Next,
        }
    }

    /// Returns the lattice element of an operand at the current statement; bottom if reading it always throws.
    pub(crate) fn operand(&mut self, operand: Lowered) -> Arg {
        let types = self.interp.env.types;
        match operand {
            Lowered::Ssa(n) => {
                let ty = self.frame.values[n as usize].clone().unwrap_or_else(|| Lattice::bottom(types));
                let slot = self.frame.read_from[n as usize]
                    .filter(|&(slot, def)| self.state[slot as usize].def == def);
                // Branches in between may have refined the slot.
                let ty = match slot {
                    Some((slot, _)) if le(types, &self.state[slot as usize].ty, &ty) => {
                        self.state[slot as usize].ty.clone()
                    }
                    _ => ty,
                };
                Arg { ty, slot }
            }
            Lowered::Slot(n) => {
                let slot = self.state[n as usize].clone();
                if slot.undef {
                    self.merge_effects_throwing(PURE, types.core().undef_var_error);
                }
                Arg { ty: slot.ty, slot: Some((n, slot.def)) }
            }
            Lowered::Const(it) => {
                self.use_constant(it);
                Arg { ty: Lattice::Const(it), slot: None }
            }
            Lowered::Global(module, name) => Arg { ty: self.global(module, name), slot: None },
            Lowered::StaticParam(n) => Arg { ty: self.static_param(n), slot: None },
        }
    }

    fn static_param(&mut self, n: u32) -> Lattice {
        let types = self.interp.env.types;
        let Some(param) = self.frame.static_params.get(n as usize).copied().flatten() else {
            self.merge_effects_throwing(PURE, types.core().undef_var_error);
            return Lattice::bottom(types);
        };
        match types.data(param) {
            TypeData::Var { upper, .. } => {
                self.merge_effects_throwing(PURE, types.core().undef_var_error);
                let upper = *upper;
                if typevar::has_free_vars(types, upper) || upper == types.core().any {
                    return Lattice::any(types);
                }
                let var = typevar::new(types, types.symbol("T"), types.core().bottom, upper);
                Lattice::Type(unionall::new(types, var, datatype::type_type(types, var)))
            }
            _ if typevar::has_free_vars(types, param) => Lattice::any(types),
            _ => Lattice::Const(consts::of_type(types, param)),
        }
    }

    /// Returns the lattice element of a global.
    pub(crate) fn global(&mut self, module: Module, name: Symbol) -> Lattice {
        let (ty, effects) = self.look_up_global(module, name);
        let core = self.interp.env.types.core();
        let open = effects == Effects::NONE;
        self.merge_effects_throwing(effects, if open { core.any } else { core.undef_var_error });
        ty
    }

    /// Returns the lattice element of a global, and the effects of reading it. A constant that is mutable counts as
    /// shared memory.
    pub(crate) fn look_up_global(&mut self, module: Module, name: Symbol) -> (Lattice, Effects) {
        let (ty, effects) = self.binding(module, name);
        self.frame.globals.insert((module, name), ty.clone());
        if let Lattice::Const(it) = ty {
            self.use_constant(it);
        }
        (ty, effects)
    }

    pub(super) fn depend_on_binding(&mut self, module: Module, name: Symbol) {
        let rt = self.interp.env.rt;
        let (_, worlds) = rt.tables.bindings.binding(module, name, self.interp.inputs.world);
        self.frame.depend(Edge::Binding(module, name), worlds);
    }

    fn binding(&mut self, module: Module, name: Symbol) -> (Lattice, Effects) {
        let types = self.interp.env.types;
        let (binding, worlds) =
            self.interp.env.rt.tables.bindings.binding(module, name, self.interp.inputs.world);
        self.frame.depend(Edge::Binding(module, name), worlds);
        match binding {
            Binding::Const(value) => {
                (Lattice::Const(constants::const_of(&self.interp.env.rt.heap, value)), Effects::TOTAL)
            }
            Binding::Global(cell, ty) => {
                if !datatype::is_concrete(types, ty) {
                    self.frame.widened[self.pc] = Some(Widening::GlobalNotConst(module, name));
                }
                (Lattice::normalize(types, ty), Effects { nothrow: cell.is_set(), ..READ })
            }
            // A later definition decides what the name means.
            Binding::Undefined | Binding::Ambiguous(..) => (Lattice::bottom(types), Effects::NONE),
        }
    }

    fn is_defined(&mut self, operand: Lowered) -> Lattice {
        let types = self.interp.env.types;
        match operand {
            Lowered::Slot(n) => {
                let slot = &self.state[n as usize];
                match (slot.undef, slot.ty.is_bottom(types)) {
                    (false, _) => Lattice::bool(types, true),
                    (true, true) => Lattice::bool(types, false),
                    (true, false) => Lattice::Type(types.core().bool),
                }
            }
            Lowered::Global(module, name) => self.is_defined_global(module, name),
            Lowered::StaticParam(n) => {
                match self.frame.static_params.get(n as usize).copied().flatten().map(|it| types.data(it)) {
                    Some(TypeData::Var { .. }) => Lattice::Type(types.core().bool),
                    Some(_) => Lattice::bool(types, true),
                    None => Lattice::bool(types, false),
                }
            }
            Lowered::Ssa(_) | Lowered::Const(_) => Lattice::bool(types, true),
        }
    }

    /// Interprets `isdefined` of a global.
    pub(crate) fn is_defined_global(&mut self, module: Module, name: Symbol) -> Lattice {
        let types = self.interp.env.types;
        let (binding, worlds) =
            self.interp.env.rt.tables.bindings.binding(module, name, self.interp.inputs.world);
        self.frame.depend(Edge::Binding(module, name), worlds);
        match binding {
            Binding::Const(_) => Lattice::bool(types, true),
            Binding::Global(cell, _) if cell.is_set() => Lattice::bool(types, true),
            // The variable may be assigned while the code runs. A name without a binding in a world has none later in
            // it.
            Binding::Global(..) => {
                self.merge_effects(READ);
                Lattice::Type(types.core().bool)
            }
            Binding::Undefined | Binding::Ambiguous(..) => Lattice::bool(types, false),
        }
    }

    fn branch(&mut self, cond: Lowered, target: u32) -> Flow {
        let types = self.interp.env.types;
        let arg = self.operand(cond);
        if arg.ty.is_bottom(types) {
            return Flow::Stop;
        }
        let bool_ty = types.core().bool;
        if !types.subtype(arg.ty.widenconst(types), bool_ty) {
            self.merge_effects_throwing(PURE, types.core().type_error);
            if meet_type(types, &arg.ty, bool_ty).is_bottom(types) {
                return Flow::Stop;
            }
        }
        let known = arg.ty.as_bool(types);
        let before = self.state.clone();
        if known != Some(true) {
            self.frame.taken[self.pc] |= 2;
            self.refine(&arg, false);
            self.go(target);
            self.state = before;
        }
        if known == Some(false) {
            return Flow::Stop;
        }
        self.frame.taken[self.pc] |= 1;
        self.refine(&arg, true);
        self.go(self.pc as u32 + 1);
        Flow::Stop
    }

    /// Refines the slots under the assumption that the condition is `value`.
    fn refine(&mut self, cond: &Arg, value: bool) {
        let types = self.interp.env.types;
        if let Some((slot, def)) = cond.slot
            && self.state[slot as usize].def == def
            && !matches!(cond.ty, Lattice::Conditional(_))
        {
            self.state[slot as usize].ty = Lattice::bool(types, value);
        }
        let Lattice::Conditional(it) = &cond.ty else { return };
        let state = &mut self.state[it.slot as usize];
        if state.def != it.def {
            return;
        }
        let told = if value { &it.then } else { &it.other };
        if le(types, told, &state.ty) {
            state.ty = told.clone();
        } else if !le(types, &state.ty, told) {
            let met = meet_type(types, &state.ty, told.widenconst(types));
            if !met.is_bottom(types) {
                state.ty = met;
            }
        }
        state.undef = false;
    }

    fn returns(&mut self, arg: Arg) {
        let types = self.interp.env.types;
        if arg.ty.is_bottom(types) {
            return;
        }
        let nargs = self.frame.args.len();
        let ty = match &arg.ty {
            Lattice::Conditional(it)
                if (it.slot as usize) < nargs && it.def == 0 && self.state[it.slot as usize].def == 0 =>
            {
                Lattice::InterConditional(it.clone())
            }
            Lattice::Conditional(_) => arg.ty.clone().widenconditional(types),
            Lattice::Const(_) if arg.ty.as_bool(types).is_some() => self.returned_bool(&arg.ty),
            other => other.clone(),
        };
        self.frame.ret = join(types, &self.frame.ret, &ty);
    }

    /// Returns a conditional for `return true` or `return false` where the type of an argument has been refined: the
    /// result then tells the argument's type.
    fn returned_bool(&self, ty: &Lattice) -> Lattice {
        let types = self.interp.env.types;
        let narrowed = |&slot: &usize| {
            let (state, arg) = (&self.state[slot], &self.frame.args[slot]);
            state.def == 0 && matches!(arg, Lattice::Type(_)) && state.ty != *arg && le(types, &state.ty, arg)
        };
        let slot = match &self.frame.ret {
            Lattice::InterConditional(it) => Some(it.slot as usize).filter(|&slot| self.state[slot].def == 0),
            Lattice::Type(it) if *it == types.core().bottom => (1..self.frame.args.len()).find(narrowed),
            _ => None,
        };
        let Some(slot) = slot else { return ty.clone() };
        let here = self.state[slot].ty.clone().widenconditional(types);
        let bottom = Lattice::bottom(types);
        let (then, other) = if ty.as_bool(types) == Some(true) { (here, bottom) } else { (bottom, here) };
        Lattice::InterConditional(Arc::new(Conditional { slot: slot as u32, def: 0, then, other }))
    }

    fn new_struct(&mut self, args: &[Arg]) -> Lattice {
        let types = self.interp.env.types;
        let Some((head, fields)) = args.split_first() else { return Lattice::bottom(types) };
        if args.iter().any(|it| it.ty.is_bottom(types)) {
            return Lattice::bottom(types);
        }
        let fields: Vec<Lattice> = fields.iter().map(|it| it.ty.clone()).collect();
        match head.ty.as_type(types) {
            Some(ty) if datatype::is_concrete(types, ty) => self.new_of(ty, fields),
            _ => {
                self.merge_effects(ALLOC);
                Lattice::normalize(types, instance_type(self.interp.env, &head.ty))
            }
        }
    }

    fn new_of(&mut self, ty: Type, fields: Vec<Lattice>) -> Lattice {
        let types = self.interp.env.types;
        let declared = datatype::field_types(types, ty);
        if fields.len() > declared.len() {
            self.merge_effects(PURE);
            return Lattice::bottom(types);
        }
        let fits = fields.iter().zip(declared).all(|(it, &ty)| le(types, it, &Lattice::Type(ty)));
        let mutable = datatype::is_mutable(types, ty);
        // Bits that `new` leaves uninitialized differ between calls.
        let consistent = declared[fields.len()..].iter().all(|&it| !layout::is_bits(types, it));
        let effects = Effects { nothrow: fits, consistent, no_new_object: !mutable, ..PURE };
        self.merge_effects_throwing(effects, types.core().type_error);
        let fields: Vec<Lattice> = fields
            .into_iter()
            .zip(declared)
            .map(|(it, &ty)| meet_type(types, &it.widenconditional(types), ty))
            .collect();
        if fields.iter().any(|it| it.is_bottom(types)) {
            return Lattice::bottom(types);
        }
        if mutable { Lattice::Type(ty) } else { Lattice::partial_struct(types, ty, fields) }
    }

    fn splat_new(&mut self, head: &Lattice, tuple: &Lattice) -> Lattice {
        let types = self.interp.env.types;
        if head.is_bottom(types) || tuple.is_bottom(types) {
            return Lattice::bottom(types);
        }
        let of = tuple.exact_type(types).filter(|&it| datatype::is_tuple(types, it));
        if let (Some(ty), Some(tuple_ty)) =
            (head.as_type(types).filter(|&it| datatype::is_concrete(types, it)), of)
        {
            let count = datatype::field_types(types, tuple_ty).len();
            let fields: Vec<Lattice> = (0..count).filter_map(|n| field(types, tuple, n)).collect();
            return self.new_of(ty, fields);
        }
        self.merge_effects(ALLOC);
        Lattice::normalize(types, instance_type(self.interp.env, head))
    }
}

/// Joins a statement's value with that of an earlier visit. A conditional is about the slot's definition of this
/// visit: at a loop header the first visit sees the definition before the loop, the second the merged one.
fn rejoin(types: &Types, old: &Lattice, new: Lattice) -> Lattice {
    match (old, &new) {
        (Lattice::Conditional(before), Lattice::Conditional(now))
            if before.slot == now.slot && before.def != now.def =>
        {
            Lattice::Conditional(Arc::new(Conditional {
                slot: now.slot,
                def: now.def,
                then: join(types, &before.then, &now.then),
                other: join(types, &before.other, &now.other),
            }))
        }
        (Lattice::Const(_), Lattice::Conditional(_)) if old.as_bool(types).is_some() => new,
        _ => join(types, old, &new),
    }
}
