//! Calls through the address of a local look-up become direct calls, and look-ups with known arguments become static
//! references to their instance.
//!
//! The pass skips a call whose arguments differ from those of the look-up, or that expects another type than the
//! function returns: its behaviour is not for this pass to decide. It also skips functions that never return.

use crate::devirtualize::{is_exact, make_static};
use crate::value::{definition, only_value, type_of};
use crate::{Callees, Resolved};
use kiln_ir::{Block, Builtin, Instance, IrCode, Op, Stmt, Value};
use kiln_types::{ConstData, Type, Types, consts, datatype};

/// Returns `code` with fewer calls through addresses, and whether there are.
pub fn devirtualize_addresses(mut code: IrCode, types: &Types, callees: &dyn Callees) -> (IrCode, bool) {
    let mut changed = false;
    for block in code.blocks.keys() {
        let mut at = 0;
        // A call of a vararg method puts its tuple before it.
        while let Some(&stmt) = code.blocks[block].stmts.get(at) {
            at += 1;
            match &code.stmts[stmt].op {
                Op::Builtin(Builtin::Deferred, _) => changed |= look_up(&mut code, types, callees, stmt),
                Op::Builtin(Builtin::DeferredCall, _) => {
                    let before = code.blocks[block].stmts.len();
                    changed |= call_directly(&mut code, types, callees, (block, stmt));
                    at += code.blocks[block].stmts.len() - before;
                }
                _ => {} // no address
            }
        }
    }
    (code, changed)
}

fn look_up(code: &mut IrCode, types: &Types, callees: &dyn Callees, stmt: Stmt) -> bool {
    let operands = code.stmts[stmt].op.operands();
    // A type that is not known yet may be once this is inlined.
    if operands.iter().any(|it| datatype::is_kind(types, exact_type(code, types, *it))) {
        return false;
    }
    let Some(found) = resolve(code, types, callees, &operands, None) else { return false };
    code.stmts[stmt].op = Op::Lookup(found.instance, operands);
    true
}

fn call_directly(
    code: &mut IrCode,
    types: &Types,
    callees: &dyn Callees,
    (block, stmt): (Block, Stmt),
) -> bool {
    let args = code.stmts[stmt].op.operands();
    let [address, _, args @ ..] = args.as_slice() else { return false };
    let Some(Op::Lookup(instance, looked_up)) = definition(code, *address) else { return false };
    let (instance, looked_up) = (*instance, looked_up.clone());
    let exact = |it: &[Value]| it.iter().map(|it| exact_type(code, types, *it)).collect::<Vec<Type>>();
    let wanted = exact(&looked_up);
    let mut call = args.to_vec();
    if call.len() + 1 == wanted.len() {
        // Which function it is follows from its type, or it had to be given.
        let Some(function) = only_value(types, wanted[0]) else { return false };
        call.insert(0, Value::Const(function));
    }
    if exact(&call) != wanted {
        return false;
    }
    let Some(found) = resolve(code, types, callees, &call, Some(instance)) else { return false };
    let returned = code.stmts[stmt].ty;
    if found.returns == types.core().bottom || !types.subtype(found.returns, returned) {
        return false;
    }
    code.stmts[stmt].op = Op::Call(call);
    make_static(code, types, (block, stmt), &found);
    true
}

/// Returns the target of a call of these operands.
fn resolve(
    code: &IrCode,
    types: &Types,
    callees: &dyn Callees,
    operands: &[Value],
    of: Option<Instance>,
) -> Option<Resolved> {
    let call: Vec<Type> = operands.iter().map(|it| exact_type(code, types, *it)).collect();
    (!call.is_empty() && call.iter().all(|it| is_exact(types, *it))).then(|| callees.resolve(&call, of))?
}

/// The type that dispatch sees.
fn exact_type(code: &IrCode, types: &Types, value: Value) -> Type {
    match value {
        Value::Const(constant) => match types.const_data(constant) {
            ConstData::Type(ty) => datatype::type_type(types, *ty),
            _ => consts::type_of(types, constant), // its type is one of values
        },
        Value::Stmt(_) | Value::Arg(_) => type_of(code, types, value),
    }
}
