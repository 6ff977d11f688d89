//! The construction of a site's thunk: the code that the host runs, from statements of the body.
//!
//! Statements whose values are plain bits stay in the body, and their values become the site's operands; other values
//! (strings, exceptions, types) become steps that the host runs. There is no thunk if it would read a value that is
//! neither bits, nor constant, nor made for the host alone.

use crate::Callees;
use crate::value::{only_value, type_of};
use kiln_ir::{Builtin, IrCode, Op, Stmt, StmtData, ThrowSite, ThrowSiteData, ThunkStep, ThunkValue, Value};
use kiln_types::{Type, TypeData, Types, layout};
use rustc_hash::FxHashMap;

/// Steps a thunk may have: more is a program, not a message.
const STEPS_MAX: usize = 200;
/// Members a union may have to be a payload and a tag in compiled code.
const UNION_MEMBERS_MAX: usize = 4;

/// Removes those of the statements that are now unused: as steps of a thunk they would otherwise stay for their
/// effects (building a string, say).
pub(crate) fn drop_unused(code: &mut IrCode, outlined: &[Stmt]) {
    for &stmt in outlined.iter().rev() {
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

fn is_bits_union(types: &Types, ty: Type) -> bool {
    match types.data(ty) {
        TypeData::Union(members) => {
            members.len() <= UNION_MEMBERS_MAX && members.iter().all(|it| layout::is_bits(types, *it))
        }
        _ => false, // no union
    }
}

/// A thunk being made.
pub(crate) struct Thunk<'a> {
    types: &'a Types,
    callees: &'a dyn Callees,
    operands: Vec<Value>,
    steps: Vec<ThunkStep>,
    /// The step that a statement became.
    of: FxHashMap<Stmt, u32>,
}

impl<'a> Thunk<'a> {
    /// Without steps yet.
    pub(crate) fn new(types: &'a Types, callees: &'a dyn Callees) -> Self {
        Self { types, callees, operands: Vec::new(), steps: Vec::new(), of: FxHashMap::default() }
    }

    /// Its site in `code`, made for `data`; the site's operands; and the statements that have become steps.
    pub(crate) fn finish(self, code: &mut IrCode, data: &StmtData) -> (ThrowSite, Vec<Value>, Vec<Stmt>) {
        let site = code.throw_sites.push(ThrowSiteData {
            operands: self.operands.iter().map(|it| type_of(code, self.types, *it)).collect(),
            thunk: self.steps,
            loc: data.loc,
            inlined: data.inlined,
        });
        let mut outlined: Vec<Stmt> = self.of.keys().copied().collect();
        outlined.sort_unstable();
        (site, self.operands, outlined)
    }

    /// The operand, as the thunk reads it.
    fn value(&mut self, code: &IrCode, value: Value) -> Option<ThunkValue> {
        let ty = type_of(code, self.types, value);
        if let Value::Const(constant) = value {
            return Some(ThunkValue::Const(constant));
        }
        if let Some(constant) = only_value(self.types, ty) {
            return Some(ThunkValue::Const(constant));
        }
        if layout::is_flat(self.types, ty) || is_bits_union(self.types, ty) {
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

    /// A call of `args[0]` with the rest as the last step.
    pub(crate) fn call(&mut self, code: &IrCode, args: &[Value]) -> Option<()> {
        let call = self.values(code, args)?;
        self.steps.push(ThunkStep::Call(call));
        Some(())
    }

    fn values(&mut self, code: &IrCode, values: &[Value]) -> Option<Vec<ThunkValue>> {
        values.iter().map(|it| self.value(code, *it)).collect()
    }

    /// The statement as a step; its operands' steps come first.
    pub(crate) fn step(&mut self, code: &IrCode, stmt: Stmt) -> Option<u32> {
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
