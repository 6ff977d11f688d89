//! Reading and assigning variables, wherever they live.

use super::Linearizer;
use crate::error::{Lowering, problem};
use crate::hir::{HirNode, LambdaId, ScopeData, VarId};
use crate::resolve::VarKind;
use kiln_ir::{Declaration, Lowered, LoweredStmt, SourceLoc};
use kiln_types::{Module, Symbol, consts};

/// Where a variable lives, seen from the current body.
#[derive(Clone, Copy, Debug)]
enum Place {
    Operand(Lowered),
    Slot(u32),
    /// A field of the closure.
    Field(Lowered, Symbol),
    /// The constant that the definition of a global function's method captured it in.
    Captured(Lowered),
}

impl Linearizer<'_> {
    fn place(&mut self, var: VarId, loc: SourceLoc) -> Lowering<Place> {
        if let Some(&operand) = self.overrides.get(&var) {
            return Ok(Place::Operand(operand));
        }
        let info = self.var(var).clone();
        if let Some(&slot) = self.body().var_slots.get(&var) {
            return Ok(Place::Slot(slot));
        }
        if let Some(index) = self.body().static_params.iter().position(|&it| it == var) {
            return Ok(Place::Operand(Lowered::StaticParam(index as u32)));
        }
        if let Some(field) = self.body().captured.get(&var) {
            return Ok(Place::Field(Lowered::Slot(field.self_slot), field.field));
        }
        let LambdaId(lambda) = self.body().lambda;
        if let Some(hidden) = info.hidden
            && self.resolved.lambdas[lambda as usize].global
            && info.owner != LambdaId(lambda)
        {
            return Ok(Place::Captured(Lowered::Global(self.module, hidden)));
        }
        if info.owner == self.body().lambda && info.kind == VarKind::Local {
            let once = info.assignments + u32::from(info.group.is_some()) == 1;
            let single = once && !info.maybe_undefined && !info.boxed;
            let slot = self.body().new_slot(info.name, single);
            self.body().var_slots.insert(var, slot);
            return Ok(Place::Slot(slot));
        }
        let message =
            format!("local variable {} cannot be used in closure declaration", self.types.name(info.name));
        Err(problem("local-in-signature", message, loc))
    }

    /// The value of a variable.
    pub(super) fn read(&mut self, var: VarId, loc: SourceLoc) -> Lowering<Lowered> {
        let boxed = self.var(var).boxed;
        let place = self.place(var, loc)?;
        let raw = self.raw(place, loc);
        if !boxed || matches!(place, Place::Operand(_)) {
            return Ok(raw);
        }
        let contents = self.symbol(self.sym("contents"));
        if self.var(var).kind == VarKind::Local {
            self.check_box(var, raw, loc);
        }
        let value = self.core_call("getfield", &[raw, contents], loc);
        match self.declared_type(var)? {
            Some(ty) => Ok(self.core_call("typeassert", &[value, ty], loc)),
            None => Ok(value),
        }
    }

    /// Evaluates the declared type of a variable. Inside that type the variable is as one without: a type that depends on
    /// itself has no end.
    fn declared_type(&mut self, var: VarId) -> Lowering<Option<Lowered>> {
        if self.types_around.contains(&var) {
            return Ok(None);
        }
        let Some(ty) = self.var(var).ty.clone() else { return Ok(None) };
        self.types_around.push(var);
        let ty = self.value(&ty);
        self.types_around.pop();
        ty.map(Some)
    }

    /// An empty box is an unassigned variable: reading a slot of its name that is never assigned throws the
    /// exception.
    fn check_box(&mut self, var: VarId, raw: Lowered, loc: SourceLoc) {
        let contents = self.symbol(self.sym("contents"));
        let full = self.core_call("isdefined", &[raw, contents], loc);
        let (empty, done) = (self.body().label(), self.body().label());
        self.push(LoweredStmt::GotoIfNot(full, empty.0), loc);
        self.body().goto(done, loc);
        self.body().place(empty);
        let name = self.var(var).name;
        let slot = self.body().new_slot(name, false);
        self.push(LoweredStmt::NewVar(slot), loc);
        self.push(LoweredStmt::Value(Lowered::Slot(slot)), loc);
        self.body().place(done);
    }

    fn raw(&mut self, place: Place, loc: SourceLoc) -> Lowered {
        match place {
            Place::Operand(operand) | Place::Captured(operand) => operand,
            Place::Slot(slot) => Lowered::Slot(slot),
            Place::Field(object, field) => {
                let field = self.symbol(field);
                self.core_call("getfield", &[object, field], loc)
            }
        }
    }

    /// Returns the part of a variable that a closure keeps: its box, or its value.
    pub(super) fn captured_value(&mut self, var: VarId, loc: SourceLoc) -> Lowering<Lowered> {
        let place = self.place(var, loc)?;
        Ok(self.raw(place, loc))
    }

    /// `var = value`, converting to the declared type.
    pub(super) fn assign_var(&mut self, var: VarId, value: Lowered, loc: SourceLoc) -> Lowering<()> {
        let mut value = value;
        if let Some(ty) = self.declared_type(var)? {
            value = self.convert(ty, value, true, loc);
        }
        let boxed = self.var(var).boxed;
        self.adopt(var);
        match self.place(var, loc)? {
            Place::Slot(slot) if !boxed => {
                self.push(LoweredStmt::SetSlot(slot, value), loc);
            }
            place => {
                let raw = self.raw(place, loc);
                let contents = self.symbol(self.sym("contents"));
                self.core_call("setfield!", &[raw, contents, value], loc);
            }
        }
        Ok(())
    }

    /// Adopts a variable that is assigned here and belongs to no surrounding function: one that a signature
    /// introduces, as the `T` of `Vector{T} where T`. A closure's signature is evaluated at top level, not at the
    /// closure.
    fn adopt(&mut self, var: VarId) {
        let info = self.var(var).clone();
        let body = self.body();
        let known = info.owner == body.lambda
            || body.captured.contains_key(&var)
            || body.var_slots.contains_key(&var);
        if !known && !info.boxed && info.kind == VarKind::Local && !self.overrides.contains_key(&var) {
            let slot = self.body().new_slot(info.name, info.assignments == 1);
            self.body().var_slots.insert(var, slot);
        }
    }

    /// `module.name = value`.
    pub(super) fn assign_global(&mut self, module: Module, name: Symbol, value: Lowered, loc: SourceLoc) {
        self.declare_global(module, name, Declaration::Variable, loc);
        let args = [self.module_value(module), self.symbol(name), value];
        self.core_call("setglobal!", &args, loc);
    }

    /// Declares a global once, before the statement of the thunk that mentions (weakly) or assigns it.
    pub(super) fn declare_global(&mut self, module: Module, name: Symbol, kind: Declaration, loc: SourceLoc) {
        let known = |kind| self.declared.contains(&(module, name, kind));
        if known(kind) || known(Declaration::Variable) {
            return;
        }
        self.declared.push((module, name, kind));
        let declare = LoweredStmt::DeclareGlobal { module, name, value: None, kind };
        let lifted = self.lift(|this| {
            this.push(declare, loc);
            this.push(LoweredStmt::LatestWorld, loc);
            Ok(())
        });
        debug_assert!(lifted.is_ok(), "a declaration can not fail");
    }

    /// `@isdefined var`.
    pub(super) fn is_defined(&mut self, var: VarId, loc: SourceLoc) -> Lowering<Lowered> {
        let boxed = self.var(var).boxed;
        let place = self.place(var, loc)?;
        if boxed {
            let raw = self.raw(place, loc);
            let contents = self.symbol(self.sym("contents"));
            return Ok(self.core_call("isdefined", &[raw, contents], loc));
        }
        Ok(match place {
            Place::Operand(operand) => self.push(LoweredStmt::IsDefined(operand), loc),
            Place::Slot(slot) => self.push(LoweredStmt::IsDefined(Lowered::Slot(slot)), loc),
            Place::Field(..) | Place::Captured(_) => Lowered::Const(consts::bool(self.types, true)),
        })
    }

    /// Makes the variables of a scope afresh.
    pub(super) fn enter_scope(&mut self, scope: &ScopeData, loc: SourceLoc) -> Lowering<()> {
        for &var in &scope.vars {
            let info = self.var(var);
            let (boxed, undefined) = (info.boxed, info.maybe_undefined);
            if boxed {
                self.fresh_box(var, loc)?;
            } else if undefined && self.may_repeat() {
                let place = self.place(var, loc)?;
                if let Place::Slot(slot) = place {
                    self.push(LoweredStmt::NewVar(slot), loc);
                }
            }
        }
        Ok(())
    }

    fn may_repeat(&mut self) -> bool {
        let LambdaId(lambda) = self.body().lambda;
        self.body().loops > 0 || self.resolved.lambdas[lambda as usize].has_labels
    }

    fn fresh_box(&mut self, var: VarId, loc: SourceLoc) -> Lowering<()> {
        let made = self.core_call("Box", &[], loc);
        if let Place::Slot(slot) = self.place(var, loc)? {
            self.push(LoweredStmt::SetSlot(slot, made), loc);
        }
        Ok(())
    }

    /// Locals of the thunk itself have no scope around them.
    pub(super) fn box_thunk_locals(&mut self) {
        let own: Vec<VarId> = (0..self.resolved.vars.len() as u32)
            .map(VarId)
            .take_while(|&it| self.var(it).owner == LambdaId(0))
            .filter(|&it| self.var(it).boxed && self.resolved.thunk_locals.contains(&it))
            .collect();
        for var in own {
            let boxed = self.fresh_box(var, SourceLoc::NONE);
            debug_assert!(boxed.is_ok(), "a local of the thunk has a slot");
        }
    }

    /// `value isa ty ? value : convert(ty, value)`.
    pub(super) fn convert(&mut self, ty: Lowered, value: Lowered, assert: bool, loc: SourceLoc) -> Lowered {
        let any = consts::of_type(self.types, self.types.core().any);
        if ty == Lowered::Const(any) {
            return value;
        }
        let name = self.sym("");
        let slot = self.body().new_slot(name, false);
        self.push(LoweredStmt::SetSlot(slot, value), loc);
        let done = self.body().label();
        let convert = self.body().label();
        let fits = self.core_call("isa", &[Lowered::Slot(slot), ty], loc);
        self.push(LoweredStmt::GotoIfNot(fits, convert.0), loc);
        self.body().goto(done, loc);
        self.body().place(convert);
        let mut converted = self.base_call("convert", &[ty, Lowered::Slot(slot)], loc);
        if assert {
            converted = self.core_call("typeassert", &[converted, ty], loc);
        }
        self.push(LoweredStmt::SetSlot(slot, converted), loc);
        self.body().place(done);
        Lowered::Slot(slot)
    }

    /// A node that must be one of the targets of an assignment.
    pub(super) fn invalid_target(&self, node: &HirNode) -> Box<crate::LowerError> {
        problem("invalid-assignment", "invalid assignment location", node.loc)
    }
}
