//! `return`, `break`, `@goto`, `try`: exits, and the code that runs on the way out.

use super::body::{Finally, Handler, Label, Leaving};
use super::{Dest, Linearizer};
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode, TryData};
use kiln_ir::{Lowered, LoweredStmt, SourceLoc};
use kiln_types::{Symbol, consts};

impl Linearizer<'_> {
    /// Returns a value, converted to the declared return type.
    pub(super) fn return_value(&mut self, value: Lowered, loc: SourceLoc) {
        if self.body().is_unreachable() {
            return;
        }
        self.leave_with(value, loc);
    }

    /// Returns, out of every handler: no `catch` of the body sees an exception of the conversion to the declared type.
    fn leave_with(&mut self, value: Lowered, loc: SourceLoc) {
        let value = if self.body().handlers.is_empty() { value } else { self.settled(value, loc) };
        if self.unwind(0, Leaving::Return, Some(value), loc) {
            let value = match self.body().ret {
                Some(ty) => self.convert(ty, value, true, loc),
                None => value,
            };
            self.push(LoweredStmt::Return(value), loc);
        }
    }

    /// Jumps to a label at a depth of handlers.
    pub(super) fn leave_to(&mut self, label: Label, depth: usize, loc: SourceLoc) {
        if self.unwind(depth, Leaving::Jump(label, depth), None, loc) {
            self.body().goto(label, loc);
        }
    }

    /// Leaves handlers down to `depth`. At a `finally` it emits a jump there and returns `false`: the code after the
    /// `finally` continues leaving.
    fn unwind(&mut self, depth: usize, leaving: Leaving, value: Option<Lowered>, loc: SourceLoc) -> bool {
        let mut tokens: Vec<Lowered> = Vec::new();
        for index in (depth..self.body().handlers.len()).rev() {
            match self.body().handlers[index].clone() {
                Handler::Try(token) => tokens.push(token),
                Handler::Catch(token) => {
                    self.leave(&mut tokens, loc);
                    self.push(LoweredStmt::PopException(token), loc);
                }
                Handler::Finally(finally) => {
                    tokens.push(finally.token);
                    self.leave(&mut tokens, loc);
                    self.enter_finally(index, &finally, leaving, value, loc);
                    return false;
                }
            }
        }
        self.leave(&mut tokens, loc);
        true
    }

    fn leave(&mut self, tokens: &mut Vec<Lowered>, loc: SourceLoc) {
        if !tokens.is_empty() {
            self.push(LoweredStmt::Leave(std::mem::take(tokens).into()), loc);
        }
    }

    fn enter_finally(
        &mut self,
        index: usize,
        finally: &Finally,
        leaving: Leaving,
        value: Option<Lowered>,
        loc: SourceLoc,
    ) {
        let mut number = finally.exits.iter().position(|it| *it == leaving);
        if number.is_none() {
            if let Handler::Finally(it) = &mut self.body().handlers[index] {
                it.exits.push(leaving);
            }
            number = Some(finally.exits.len());
        }
        if let Some(value) = value {
            self.push(LoweredStmt::SetSlot(finally.result, value), loc);
        }
        let tag = self.int(number.unwrap_or(0) as i64 + 1);
        self.push(LoweredStmt::SetSlot(finally.tag, tag), loc);
        self.body().goto(finally.label, loc);
    }

    pub(super) fn try_catch(&mut self, data: &TryData, dest: Dest, loc: SourceLoc) -> Lowering<Lowered> {
        let returns = dest == Dest::Return;
        let dest = self.joining(if returns { Dest::Value } else { dest });
        let result = match &data.finally {
            Some(finally) => self.try_finally(data, finally, dest, loc)?,
            None => self.catching(data, dest, loc)?,
        };
        // What a handler protects is over before its value is returned.
        if returns {
            self.return_value(result, loc);
        }
        Ok(result)
    }

    /// As [`Self::try_catch`], without `finally`.
    fn catching(&mut self, data: &TryData, dest: Dest, loc: SourceLoc) -> Lowering<Lowered> {
        let (caught, done) = (self.body().label(), self.body().label());
        let Some(catch) = &data.catch else {
            if let Some(or_else) = &data.or_else {
                self.effect(&data.body)?;
                self.node(or_else, dest)?;
            } else if self.body().handlers.last().is_some_and(|it| matches!(it, Handler::Finally(_))) {
                self.node(&data.body, dest)?;
            } else {
                return self.swallowing(data, dest, loc);
            }
            return Ok(self.joined(dest));
        };
        let token = self.push(LoweredStmt::Enter(caught.0), loc);
        self.body().handlers.push(Handler::Try(token));
        let body_dest = if data.or_else.is_some() { Dest::Effect } else { dest };
        self.node(&data.body, body_dest)?;
        self.body().handlers.pop();
        self.push(LoweredStmt::Leave([token].into()), loc);
        if let Some(or_else) = &data.or_else {
            self.node(or_else, dest)?;
        }
        self.body().goto(done, loc);
        self.body().place(caught);
        self.body().handlers.push(Handler::Catch(token));
        self.node(catch, dest)?;
        self.body().handlers.pop();
        self.push(LoweredStmt::PopException(token), loc);
        self.body().place(done);
        Ok(self.joined(dest))
    }

    /// `try` with neither `catch` nor `finally`: an exception ends it, with the value `nothing`.
    fn swallowing(&mut self, data: &TryData, dest: Dest, loc: SourceLoc) -> Lowering<Lowered> {
        let nothing = HirNode::new(HirKind::Const(consts::nothing(self.types)), loc);
        let with_catch = TryData { catch: Some(nothing), ..data.clone() };
        self.catching(&with_catch, dest, loc)
    }

    fn try_finally(
        &mut self,
        data: &TryData,
        finally: &HirNode,
        dest: Dest,
        loc: SourceLoc,
    ) -> Lowering<Lowered> {
        let (caught, start) = (self.body().label(), self.body().label());
        let name = self.sym("");
        let (tag, result) = (self.body().new_slot(name, false), self.body().new_slot(name, false));
        let token = self.push(LoweredStmt::Enter(caught.0), loc);
        let entry = Finally { token, label: start, tag, result, exits: Vec::new() };
        self.body().handlers.push(Handler::Finally(entry));
        self.catching(data, dest, loc)?;
        let exits = match self.body().handlers.pop() {
            Some(Handler::Finally(it)) => it.exits,
            Some(Handler::Try(_) | Handler::Catch(_)) | None => Vec::new(),
        };
        self.push(LoweredStmt::Leave([token].into()), loc);
        let zero = self.int(0);
        self.push(LoweredStmt::SetSlot(tag, zero), loc);
        self.body().goto(start, loc);
        self.body().place(caught);
        let thrown = self.int(-1);
        self.push(LoweredStmt::SetSlot(tag, thrown), loc);
        self.body().place(start);
        // A jump out of it ends the exception that it may have been entered with.
        self.body().handlers.push(Handler::Catch(token));
        self.effect(finally)?;
        self.body().handlers.pop();
        self.after_finally(tag, result, &exits, loc);
        Ok(self.joined(dest))
    }

    /// Continues at the position selected by the tag.
    fn after_finally(&mut self, tag: u32, result: u32, exits: &[Leaving], loc: SourceLoc) {
        let next = self.tag_test(tag, -1, loc);
        self.base_call("rethrow", &[], loc);
        self.push(LoweredStmt::Return(self.nothing()), loc);
        self.body().place(next);
        for (index, exit) in exits.iter().enumerate() {
            let next = self.tag_test(tag, index as i64 + 1, loc);
            match *exit {
                Leaving::Return => self.leave_with(Lowered::Slot(result), loc),
                Leaving::Jump(label, depth) => self.leave_to(label, depth, loc),
            }
            self.body().place(next);
        }
    }

    /// Falls through if the tag has this value; gives the label of the other case.
    fn tag_test(&mut self, tag: u32, value: i64, loc: SourceLoc) -> Label {
        let next = self.body().label();
        let value = self.int(value);
        let same = self.core_call("===", &[Lowered::Slot(tag), value], loc);
        self.push(LoweredStmt::GotoIfNot(same, next.0), loc);
        next
    }

    /// Notes the labels of a body, each with the handlers around it.
    pub(super) fn collect_labels(&mut self, node: &HirNode) -> Lowering<()> {
        let crate::hir::LambdaId(lambda) = self.body().lambda;
        if self.resolved.lambdas[lambda as usize].has_labels {
            let mut twice = None;
            self.labels_in(node, 0, &mut twice);
            if let Some(name) = twice {
                let message = format!("label \"{}\" defined multiple times", self.types.name(name));
                return Err(problem("duplicate-label", message, node.loc));
            }
        }
        Ok(())
    }

    fn labels_in(&mut self, node: &HirNode, depth: usize, twice: &mut Option<Symbol>) {
        match &node.kind {
            HirKind::Label(name) => {
                let label = self.body().label();
                if self.body().user_labels.insert(*name, (label, depth)).is_some() {
                    twice.get_or_insert(*name);
                }
            }
            HirKind::TryCatch(data) => {
                let inner = depth + usize::from(data.finally.is_some());
                let protected = inner + usize::from(data.catch.is_some() || data.finally.is_none());
                self.labels_in(&data.body, protected, twice);
                data.catch.iter().for_each(|it| self.labels_in(it, inner + 1, twice));
                data.or_else.iter().for_each(|it| self.labels_in(it, inner, twice));
                data.finally.iter().for_each(|it| self.labels_in(it, depth + 1, twice));
            }
            other => other.children(&mut |child| self.labels_in(child, depth, twice)),
        }
    }

    pub(super) fn place_user_label(&mut self, name: Symbol, loc: SourceLoc) -> Lowering<()> {
        match self.body().user_labels.get(&name).copied() {
            Some((label, _)) => self.body().place_reachable(label),
            None => return Err(self.no_label(name, loc)),
        }
        Ok(())
    }

    pub(super) fn goto_user_label(&mut self, name: Symbol, loc: SourceLoc) -> Lowering<()> {
        match self.body().user_labels.get(&name).copied() {
            Some((label, depth)) if depth <= self.body().handlers.len() => self.leave_to(label, depth, loc),
            // A jump into a `try` block.
            Some(_) => return Err(problem("goto-into-try", "misplaced label", loc)),
            None => return Err(self.no_label(name, loc)),
        }
        Ok(())
    }

    fn no_label(&self, name: Symbol, loc: SourceLoc) -> Box<crate::LowerError> {
        let message = format!("label \"{}\" referenced but not defined", self.types.name(name));
        problem("undefined-label", message, loc)
    }
}
