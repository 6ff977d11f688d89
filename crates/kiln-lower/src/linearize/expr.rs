//! Expressions, conditions and loops.

use super::body::Label;
use super::{Dest, Linearizer};
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode, VarId};
use kiln_ir::{Declaration, Lowered, LoweredStmt, SourceLoc};
use kiln_types::consts;

/// Operands of one call at most.
const ARGUMENTS_MAX: usize = 1 << 19;

impl Linearizer<'_> {
    /// The value of an expression, as an operand.
    pub(super) fn value(&mut self, node: &HirNode) -> Lowering<Lowered> {
        self.node(node, Dest::Value)
    }

    pub(super) fn effect(&mut self, node: &HirNode) -> Lowering<()> {
        self.node(node, Dest::Effect).map(|_| ())
    }

    /// Any expression; the operand means something only for [`Dest::Value`].
    pub(super) fn node(&mut self, node: &HirNode, dest: Dest) -> Lowering<Lowered> {
        let loc = node.loc;
        match &node.kind {
            HirKind::Block(nodes) => self.block(nodes, dest, loc),
            HirKind::If(cond, then, other) => self.if_else(cond, then, other, dest, loc),
            HirKind::And(parts) => self.and_or(parts, false, dest, loc),
            HirKind::Or(parts) => self.and_or(parts, true, dest, loc),
            HirKind::While(cond, body) => {
                self.while_loop(cond, body, loc)?;
                Ok(self.finish(self.nothing(), dest, loc))
            }
            HirKind::BreakBlock(exit, body) => {
                let label = self.body().label();
                let depth = self.body().handlers.len();
                self.body().exits.insert(*exit, (label, depth));
                self.effect(body)?;
                self.body().place(label);
                Ok(self.finish(self.nothing(), dest, loc))
            }
            HirKind::Scope(scope) => {
                self.enter_scope(scope, loc)?;
                self.node(&scope.body, dest)
            }
            HirKind::TryCatch(data) => self.try_catch(data, dest, loc),
            HirKind::Return(value) => {
                self.node(value, Dest::Return)?;
                Ok(self.nothing())
            }
            HirKind::Break(exit) => {
                match self.body().exits.get(exit).copied() {
                    Some((label, depth)) => self.leave_to(label, depth, loc),
                    None => return Err(problem("break-outside-loop", "`break` outside a loop", loc)),
                }
                Ok(self.nothing())
            }
            HirKind::Label(name) => {
                self.place_user_label(*name, loc)?;
                Ok(self.finish(self.nothing(), dest, loc))
            }
            HirKind::Goto(name) => {
                self.goto_user_label(*name, loc)?;
                Ok(self.nothing())
            }
            HirKind::Assign(target, value) => {
                let value = self.assign(target, value, loc)?;
                Ok(if dest == Dest::Effect { value } else { self.finish(value, dest, loc) })
            }
            HirKind::ConstDecl(target, value) => {
                let value = self.const_decl(target, value, loc)?;
                Ok(if dest == Dest::Effect { value } else { self.finish(value, dest, loc) })
            }
            _ => {
                let value = self.simple(node, loc)?;
                Ok(self.finish(value, dest, loc))
            }
        }
    }

    /// Sends a value where it is wanted.
    pub(super) fn finish(&mut self, value: Lowered, dest: Dest, loc: SourceLoc) -> Lowered {
        match dest {
            Dest::Value => {}
            // A read by itself still throws if there is nothing to read.
            Dest::Effect => match value {
                Lowered::Slot(_) | Lowered::Global(..) | Lowered::StaticParam(_) => {
                    self.push(LoweredStmt::Value(value), loc);
                }
                Lowered::Ssa(_) | Lowered::Const(_) => {}
            },
            Dest::Slot(slot) => {
                self.push(LoweredStmt::SetSlot(slot, value), loc);
            }
            Dest::Return => self.return_value(value, loc),
        }
        value
    }

    /// Expressions without control flow of their own.
    fn simple(&mut self, node: &HirNode, loc: SourceLoc) -> Lowering<Lowered> {
        Ok(match &node.kind {
            HirKind::Const(value) => Lowered::Const(*value),
            HirKind::Global(module, name) => Lowered::Global(*module, *name),
            HirKind::Var(var) => self.read(*var, loc)?,
            HirKind::Temp(temp) => match self.body().temps.get(temp) {
                Some(&operand) => operand,
                None => return Err(problem("internal-temp", "a value crosses a function boundary", loc)),
            },
            HirKind::Scratch(scratch) => Lowered::Slot(self.scratch_slot(*scratch)),
            HirKind::Call(args) if args.len() > ARGUMENTS_MAX => {
                return Err(problem("expression-too-large", "expression too large", loc));
            }
            HirKind::Call(args) => {
                let args = self.operands(args)?;
                self.push(LoweredStmt::Call(args.into()), loc)
            }
            HirKind::New(args) => {
                let args = self.operands(args)?;
                self.push(LoweredStmt::New(args.into()), loc)
            }
            HirKind::SplatNew(ty, fields) => {
                let ty = self.value(ty)?;
                let fields = self.value(fields)?;
                self.push(LoweredStmt::SplatNew(ty, fields), loc)
            }
            HirKind::ConvertTo { ty, value, assert } => {
                let ty = self.value(ty)?;
                let value = self.value(value)?;
                self.convert(ty, value, *assert, loc)
            }
            HirKind::IsDefined(target) => match target.kind {
                HirKind::Var(var) => self.is_defined(var, loc)?,
                HirKind::Global(module, name) => {
                    self.push(LoweredStmt::IsDefined(Lowered::Global(module, name)), loc)
                }
                _ => return Err(problem("malformed-expression", "`@isdefined` takes a variable", loc)),
            },
            HirKind::TheException => self.push(LoweredStmt::TheException, loc),
            HirKind::BoundsCheck => self.push(LoweredStmt::BoundsCheck, loc),
            _ => return self.definition(node, loc),
        })
    }

    /// Marks and definitions.
    fn definition(&mut self, node: &HirNode, loc: SourceLoc) -> Lowering<Lowered> {
        match &node.kind {
            HirKind::InboundsBegin => self.push(LoweredStmt::InboundsBegin, loc),
            HirKind::InboundsEnd => self.push(LoweredStmt::InboundsEnd, loc),
            HirKind::LoopInfo(marks) => self.push(LoweredStmt::LoopInfo(marks.clone().into()), loc),
            HirKind::LatestWorld => self.push(LoweredStmt::LatestWorld, loc),
            HirKind::LatestWorldAtTopLevel if self.bodies.len() > 1 => return Ok(self.nothing()),
            HirKind::LatestWorldAtTopLevel => self.push(LoweredStmt::LatestWorld, loc),
            HirKind::GlobalDecl(name, module) => {
                let module = module.unwrap_or(self.module);
                if self.bodies.len() > 1 {
                    self.declare_global(module, *name, Declaration::Weak, loc);
                } else {
                    // At top level a declaration takes effect where it stands.
                    let (name, kind) = (*name, Declaration::Weak);
                    self.push(LoweredStmt::DeclareGlobal { module, name, value: None, kind }, loc);
                    self.push(LoweredStmt::LatestWorld, loc);
                }
                return Ok(self.nothing());
            }
            HirKind::GlobalName(name) => {
                self.globals_defined.push(*name);
                return Ok(self.nothing());
            }
            HirKind::GlobalType(module, name, ty) => {
                let ty = Some(self.value(ty)?);
                let (module, name, kind) = (*module, *name, Declaration::Variable);
                self.push(LoweredStmt::DeclareGlobal { module, name, value: ty, kind }, loc);
                self.push(LoweredStmt::LatestWorld, loc)
            }
            HirKind::GenericFunction(name) => {
                // A name that only `using` brings is not extended: the declaration makes a global of this module.
                if let HirKind::Global(module, name) = name.kind
                    && self.bodies.len() == 1
                {
                    let kind = Declaration::Weak;
                    self.push(LoweredStmt::DeclareGlobal { module, name, value: None, kind }, loc);
                }
                return self.generic_function(name, loc);
            }
            HirKind::Function(def) => return self.global_function(def, loc),
            HirKind::Closure(group, methods) => return self.closure(*group, methods.clone(), loc),
            HirKind::TypeOfFunction(name) => return self.type_of_function(name, loc),
            _ => {
                return Err(problem("internal-lowering", "lowering met an expression it does not know", loc));
            }
        };
        Ok(self.nothing())
    }

    fn const_decl(&mut self, target: &HirNode, value: &HirNode, loc: SourceLoc) -> Lowering<Lowered> {
        let HirKind::Global(module, name) = target.kind else { return Err(self.invalid_target(target)) };
        let value = self.value(value)?;
        let kind = Declaration::Constant;
        self.push(LoweredStmt::DeclareGlobal { module, name, value: Some(value), kind }, loc);
        self.push(LoweredStmt::LatestWorld, loc);
        Ok(value)
    }

    fn block(&mut self, nodes: &[HirNode], dest: Dest, loc: SourceLoc) -> Lowering<Lowered> {
        let Some((last, first)) = nodes.split_last() else {
            return Ok(self.finish(self.nothing(), dest, loc));
        };
        for it in first {
            self.effect(it)?;
        }
        self.node(last, dest)
    }

    fn if_else(
        &mut self,
        cond: &HirNode,
        then: &HirNode,
        other: &HirNode,
        dest: Dest,
        loc: SourceLoc,
    ) -> Lowering<Lowered> {
        let dest = self.joining(dest);
        let (otherwise, done) = (self.body().label(), self.body().label());
        self.branch(cond, otherwise)?;
        self.node(then, dest)?;
        self.body().goto(done, loc);
        self.body().place(otherwise);
        self.node(other, dest)?;
        self.body().place(done);
        Ok(self.joined(dest))
    }

    /// A destination that several branches can write to.
    pub(super) fn joining(&mut self, dest: Dest) -> Dest {
        match dest {
            Dest::Value => {
                let name = self.sym("");
                Dest::Slot(self.body().new_slot(name, false))
            }
            Dest::Effect | Dest::Slot(_) | Dest::Return => dest,
        }
    }

    pub(super) fn joined(&self, dest: Dest) -> Lowered {
        match dest {
            Dest::Slot(slot) => Lowered::Slot(slot),
            Dest::Effect | Dest::Value | Dest::Return => self.nothing(),
        }
    }

    /// `&&` (`stop` is false) and `||` (`stop` is true) as values.
    fn and_or(&mut self, parts: &[HirNode], stop: bool, dest: Dest, loc: SourceLoc) -> Lowering<Lowered> {
        let Some((last, first)) = parts.split_last() else {
            return Ok(self.finish(Lowered::Const(consts::bool(self.types, !stop)), dest, loc));
        };
        let dest = self.joining(dest);
        let (stopped, done) = (self.body().label(), self.body().label());
        for part in first {
            if stop {
                let next = self.body().label();
                self.branch(part, next)?;
                self.body().goto(stopped, loc);
                self.body().place(next);
            } else {
                self.branch(part, stopped)?;
            }
        }
        self.node(last, dest)?;
        self.body().goto(done, loc);
        self.body().place(stopped);
        let value = Lowered::Const(consts::bool(self.types, stop));
        self.finish(value, dest, loc);
        self.body().place(done);
        Ok(self.joined(dest))
    }

    /// Falls through if the condition holds, else jumps.
    pub(super) fn branch(&mut self, cond: &HirNode, if_false: Label) -> Lowering<()> {
        let loc = cond.loc;
        match &cond.kind {
            HirKind::Const(value) if *value == consts::bool(self.types, true) => {}
            HirKind::Const(value) if *value == consts::bool(self.types, false) => {
                self.body().goto(if_false, loc)
            }
            HirKind::And(parts) => {
                for part in parts {
                    self.branch(part, if_false)?;
                }
            }
            HirKind::Or(parts) => {
                let Some((last, first)) = parts.split_last() else {
                    self.body().goto(if_false, loc);
                    return Ok(());
                };
                let holds = self.body().label();
                for part in first {
                    let next = self.body().label();
                    self.branch(part, next)?;
                    self.body().goto(holds, loc);
                    self.body().place(next);
                }
                self.branch(last, if_false)?;
                self.body().place(holds);
            }
            HirKind::If(inner, then, other) => {
                let (otherwise, done) = (self.body().label(), self.body().label());
                self.branch(inner, otherwise)?;
                self.branch(then, if_false)?;
                self.body().goto(done, loc);
                self.body().place(otherwise);
                self.branch(other, if_false)?;
                self.body().place(done);
            }
            HirKind::Block(nodes) if !nodes.is_empty() => {
                if let Some((last, first)) = nodes.split_last() {
                    for it in first {
                        self.effect(it)?;
                    }
                    self.branch(last, if_false)?;
                }
            }
            _ => {
                let value = self.value(cond)?;
                self.push(LoweredStmt::GotoIfNot(value, if_false.0), loc);
            }
        }
        Ok(())
    }

    fn while_loop(&mut self, cond: &HirNode, body: &HirNode, loc: SourceLoc) -> Lowering<()> {
        let (head, done) = (self.body().label(), self.body().label());
        self.body().place(head);
        self.body().loops += 1;
        self.branch(cond, done)?;
        self.effect(body)?;
        self.body().goto(head, loc);
        self.body().loops -= 1;
        self.body().place(done);
        Ok(())
    }

    fn assign(&mut self, target: &HirNode, value: &HirNode, loc: SourceLoc) -> Lowering<Lowered> {
        match &target.kind {
            HirKind::Temp(temp) => {
                let operand = self.value(value)?;
                let operand = self.settled(operand, loc);
                self.body().temps.insert(*temp, operand);
                Ok(operand)
            }
            HirKind::Scratch(scratch) => {
                let slot = self.scratch_slot(*scratch);
                let operand = self.value(value)?;
                self.push(LoweredStmt::SetSlot(slot, operand), loc);
                Ok(operand)
            }
            HirKind::Var(var) => {
                let operand = self.value(value)?;
                self.assign_var(*var, operand, loc)?;
                Ok(operand)
            }
            HirKind::Global(module, name) => {
                let operand = self.value(value)?;
                self.assign_global(*module, *name, operand, loc);
                Ok(operand)
            }
            _ => Err(self.invalid_target(target)),
        }
    }

    /// The operand as it is now, whatever is assigned later.
    pub(super) fn settled(&mut self, operand: Lowered, loc: SourceLoc) -> Lowered {
        match operand {
            Lowered::Slot(_) | Lowered::Global(..) => self.push(LoweredStmt::Value(operand), loc),
            Lowered::Ssa(_) | Lowered::Const(_) | Lowered::StaticParam(_) => operand,
        }
    }

    fn scratch_slot(&mut self, scratch: crate::hir::Scratch) -> u32 {
        if let Some(&slot) = self.body().scratch.get(&scratch) {
            return slot;
        }
        let name = self.sym("");
        let slot = self.body().new_slot(name, false);
        self.body().scratch.insert(scratch, slot);
        slot
    }

    /// Evaluates arguments in order.
    pub(super) fn operands(&mut self, nodes: &[HirNode]) -> Lowering<Vec<Lowered>> {
        let mut operands = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let mut operand = self.value(node)?;
            let later = &nodes[index + 1..];
            let reassigned = match (&node.kind, operand) {
                (HirKind::Var(var), Lowered::Slot(_)) => {
                    self.var(*var).assignments > 0 && later.iter().any(|it| assigns(it, *var))
                }
                (HirKind::Scratch(_), Lowered::Slot(_)) => later.iter().any(|it| !it.is_stable()),
                (HirKind::Global(module, name), _) => {
                    later.iter().any(|it| assigns_global(it, (*module, *name)))
                }
                (HirKind::Var(_), _) => false,
                // A block or an assignment that ends in a variable: its value is the one of now.
                (_, Lowered::Slot(_) | Lowered::Global(..)) => later.iter().any(|it| !it.is_stable()),
                _ => false,
            };
            if reassigned {
                operand = self.settled(operand, node.loc);
            }
            operands.push(operand);
        }
        Ok(operands)
    }
}

/// Whether evaluating a node may assign the variable.
fn assigns(node: &HirNode, var: VarId) -> bool {
    if let HirKind::Assign(target, _) = &node.kind
        && matches!(target.kind, HirKind::Var(it) if it == var)
    {
        return true;
    }
    let mut found = false;
    node.kind.children(&mut |child| found = found || assigns(child, var));
    found
}

/// Whether a node assigns the global by itself, not through a call.
fn assigns_global(node: &HirNode, global: (kiln_types::Module, kiln_types::Symbol)) -> bool {
    if let HirKind::Assign(target, _) = &node.kind
        && matches!(target.kind, HirKind::Global(module, name) if (module, name) == global)
    {
        return true;
    }
    let mut found = false;
    node.kind.children(&mut |child| found = found || assigns_global(child, global));
    found
}
