//! Outlining of what throws: `throw(BoundsError(a, i))` in a kernel becomes `Fail(site, operands)`.
//!
//! For every block that ends in `Unreachable`, the statement that throws (a `throw`, or a call that never returns)
//! and whatever it computes from values that are not plain bits become the site's thunk, which the host runs when
//! an item has failed; the plain bits they read become the site's operands. So no string, exception object or dynamic call
//! on an error path reaches the device. A site whose thunk cannot be expressed (it reads a value that is neither bits, nor
//! constant, nor made on the error path) is left as it is, for the kernel check to report.

use crate::Callees;
use crate::value::{only_value, type_of};
use kiln_ir::{Block, Builtin, Cfg, IrCode, Op, Stmt, StmtData, ThrowSiteData, ThunkStep, ThunkValue, Value};
use kiln_types::Types;
use rustc_hash::FxHashMap;

/// Steps a thunk may have: more is a program, not an error message.
const STEPS_MAX: usize = 200;

/// Returns `code` with its throwing ends as `Fail`.
///
/// Where objects may be operands (`objects`: host code has their addresses), values that are no bits are handed over too
/// instead of being computed again.
pub fn outline_throws(mut code: IrCode, types: &Types, callees: &dyn Callees, objects: bool) -> IrCode {
    let cfg = Cfg::new(&code);
    for &block in &cfg.reverse_postorder {
        if let Some(cause) = cause(&code, types, block) {
            outline(&mut code, types, callees, block, cause, objects);
        }
    }
    let code = kiln_ir::compact(crate::eliminate_dead_stmts(code, types, callees));
    crate::verified("outline_throws", code, types)
}

/// Position in the block of the statement that throws.
fn cause(code: &IrCode, types: &Types, block: Block) -> Option<usize> {
    let stmts = &code.blocks[block].stmts;
    let bottom = types.core().bottom;
    if !matches!(code.terminator(block), Op::Unreachable) {
        return None;
    }
    stmts.iter().position(|it| {
        let data = &code.stmts[*it];
        let may = matches!(
            data.op,
            Op::Builtin(..) | Op::Invoke(..) | Op::Call(_) | Op::Host(..) | Op::Intrinsic(..)
        );
        may && data.ty == bottom
    })
}

fn outline(code: &mut IrCode, types: &Types, callees: &dyn Callees, block: Block, at: usize, objects: bool) {
    let stmt = code.blocks[block].stmts[at];
    let of = FxHashMap::default();
    let mut thunk = Thunk { types, callees, objects, operands: Vec::new(), steps: Vec::new(), of };
    if thunk.step(code, stmt).is_none() {
        return;
    }
    let data = code.stmts[stmt].clone();
    let site = code.throw_sites.push(ThrowSiteData {
        operands: thunk.operands.iter().map(|it| type_of(code, types, *it)).collect(),
        thunk: thunk.steps,
        loc: data.loc,
        inlined: data.inlined,
    });
    let fail = code.stmts.push(StmtData { op: Op::Fail(site, thunk.operands), ..data });
    code.blocks[block].stmts.truncate(at);
    code.blocks[block].stmts.push(fail);
    // What only the thunk used would otherwise stay for its effects (building a string, say).
    let mut outlined: Vec<Stmt> = thunk.of.keys().copied().collect();
    outlined.sort_unstable();
    for stmt in outlined.into_iter().rev() {
        if !is_used(code, stmt) {
            code.stmts[stmt].op = Op::Nop;
        }
    }
}

fn is_used(code: &IrCode, stmt: Stmt) -> bool {
    let mut used = false;
    for body in code.blocks.values() {
        for other in &body.stmts {
            code.stmts[*other].op.each_operand(|it| used |= it == Value::Stmt(stmt));
        }
    }
    used
}

struct Thunk<'a> {
    types: &'a Types,
    callees: &'a dyn Callees,
    objects: bool,
    operands: Vec<Value>,
    steps: Vec<ThunkStep>,
    /// The step that a statement became.
    of: FxHashMap<Stmt, u32>,
}

impl Thunk<'_> {
    /// The operand, as the thunk reads it.
    fn value(&mut self, code: &IrCode, value: Value) -> Option<ThunkValue> {
        let ty = type_of(code, self.types, value);
        if let Value::Const(constant) = value {
            return Some(ThunkValue::Const(constant));
        }
        if let Some(constant) = only_value(self.types, ty) {
            return Some(ThunkValue::Const(constant));
        }
        if self.types.is_bits(ty) || self.is_handed_over(code, value) {
            let known = self.operands.iter().position(|it| *it == value);
            let index = known.unwrap_or_else(|| {
                self.operands.push(value);
                self.operands.len() - 1
            });
            return Some(ThunkValue::Operand(index as u32));
        }
        let Value::Stmt(stmt) = value else { return None };
        if let Some(step) = self.of.get(&stmt) {
            return Some(ThunkValue::Step(*step));
        }
        self.step(code, stmt).map(ThunkValue::Step)
    }

    /// Whether an object, or what holds one, becomes an operand: it is there whatever happens, so that handing it over
    /// costs nothing. What is made for the error alone becomes a step.
    fn is_handed_over(&self, code: &IrCode, value: Value) -> bool {
        if !self.objects || self.types.type_type_param(type_of(code, self.types, value)).is_some() {
            return false;
        }
        let Value::Stmt(stmt) = value else { return true };
        let op = &code.stmts[stmt].op;
        if let Op::Pi(inner) = op {
            return self.is_handed_over(code, *inner);
        }
        !matches!(
            op,
            Op::New(_)
                | Op::Call(_)
                | Op::Invoke(..)
                | Op::Builtin(Builtin::Tuple, _)
                | Op::Host(..)
                | Op::NewDynamic(_)
                | Op::SplatNew(..)
                | Op::Global(..)
        )
    }

    fn values(&mut self, code: &IrCode, values: &[Value]) -> Option<Vec<ThunkValue>> {
        values.iter().map(|it| self.value(code, *it)).collect()
    }

    /// The statement as a step; its operands' steps come first.
    fn step(&mut self, code: &IrCode, stmt: Stmt) -> Option<u32> {
        let data = &code.stmts[stmt];
        let step = match &data.op {
            Op::New(fields) => ThunkStep::New(data.ty, self.values(code, fields)?),
            Op::Call(args) => ThunkStep::Call(self.values(code, args)?),
            Op::Builtin(builtin, args) => self.builtin(code, *builtin, args)?,
            Op::Invoke(instance, args) if self.callees.is_vararg(*instance) => self.splat(code, args)?,
            Op::Invoke(_, args) => ThunkStep::Call(self.values(code, args)?),
            Op::Pi(inner) => {
                let ThunkValue::Step(step) = self.value(code, *inner)? else { return None };
                self.of.insert(stmt, step);
                return Some(step);
            }
            _ => return None, // a phi, or something only the device can do
        };
        if self.steps.len() >= STEPS_MAX {
            return None;
        }
        self.steps.push(step);
        let number = self.steps.len() as u32 - 1;
        self.of.insert(stmt, number);
        Some(number)
    }

    fn builtin(&mut self, code: &IrCode, builtin: Builtin, args: &[Value]) -> Option<ThunkStep> {
        let writes = matches!(builtin, Builtin::Setfield | Builtin::Memoryrefset | Builtin::Setglobal);
        if writes {
            return None;
        }
        let mut call = vec![ThunkValue::Const(self.callees.builtin(builtin))];
        call.extend(self.values(code, args)?);
        Some(ThunkStep::Call(call))
    }

    /// A call of a vararg method: the packed tuple is splatted again.
    fn splat(&mut self, code: &IrCode, args: &[Value]) -> Option<ThunkStep> {
        let (function, rest) = args.split_first()?;
        let (last, fixed) = rest.split_last()?;
        let mut tuple = vec![ThunkValue::Const(self.callees.builtin(Builtin::Tuple))];
        tuple.extend(self.values(code, fixed)?);
        let function = self.value(code, *function)?;
        let last = self.value(code, *last)?;
        self.steps.push(ThunkStep::Call(tuple));
        let fixed = ThunkValue::Step(self.steps.len() as u32 - 1);
        let apply = ThunkValue::Const(self.callees.builtin(Builtin::ApplyIterate));
        let iterate = ThunkValue::Const(self.callees.iterate()?);
        Some(ThunkStep::Call(vec![apply, iterate, function, fixed, last]))
    }
}

#[cfg(test)]
mod tests;
