//! Bodies as codegen is given them: without the names of the functions they call and are.
//!
//! The type of a function is a type of its own, so a body that takes or passes a function names it. A value of such a type
//! is nothing at run time; a parameter of one becomes a parameter of type `Nothing`, in callers and callee alike. Then a
//! function that is renamed, or moved to another module, is the same bytes.

use kiln_ir::{Instance, IrCode, Op, Value};
use kiln_types::{Type, Types, consts, definition};

/// `code` without ghost parameters of its own types; `params` are those of what it calls.
pub(crate) fn erase_names(code: &IrCode, types: &Types, params: &dyn Fn(Instance) -> Vec<Type>) -> IrCode {
    let mut code = code.clone();
    let ghosts: Vec<_> = code.args.iter().map(|it| definition::singleton(types, *it)).collect();
    let nothing = definition::singleton(types, types.core().nothing).map(Value::Const);
    code.args.iter_mut().for_each(|it| *it = parameter(types, *it));
    for data in code.stmts.values_mut() {
        data.op.each_operand_mut(|operand| {
            if let Value::Arg(n) = operand
                && let Some(ghost) = ghosts.get(*n as usize).copied().flatten()
            {
                *operand = Value::Const(ghost);
            }
        });
        // A look-up's operands say how it is called, and a ghost is not passed.
        if let (Op::Lookup(_, operands), Some(nothing)) = (&mut data.op, nothing) {
            let is_ghost = |it: &Value| match it {
                Value::Const(it) => definition::singleton(types, consts::type_of(types, *it)).is_some(),
                Value::Stmt(_) | Value::Arg(_) => false,
            };
            operands.iter_mut().filter(|it| is_ghost(it)).for_each(|it| *it = nothing);
        }
        if let Op::Invoke(callee, operands) = &mut data.op
            && let Some(nothing) = nothing
        {
            for (operand, param) in operands.iter_mut().zip(params(*callee)) {
                if definition::singleton(types, param).is_some() {
                    *operand = nothing;
                }
            }
        }
    }
    code
}

/// The type of a parameter as codegen sees it.
pub(crate) fn parameter(types: &Types, ty: Type) -> Type {
    if definition::singleton(types, ty).is_some() { types.core().nothing } else { ty }
}
