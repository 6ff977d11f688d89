//! Folding: copies, constants, branches on constants, fields of new objects, phis with equal operands.
//!
//! One walk in reverse postorder, repeated while branches fold away. A statement with a known value becomes a
//! substitution; `adce` removes it afterwards if it has no effect. Blocks that a folded branch cuts off are emptied,
//! and phis drop the edges from them.

use crate::Callees;
use crate::value::{as_bool, const_field, definition, field_number, only_value, type_of};
use cranelift_entity::SecondaryMap;
use kiln_ir::{Block, Builtin, Cfg, IrCode, Op, Stmt, Value};
use kiln_types::{Const, Type, Types, consts, datatype, definition, intersect};

/// Rounds at most; each but the last folds at least one branch.
const ROUNDS_MAX: usize = 8;

/// Returns `code` with computations of known values replaced by the values.
pub fn fold(mut code: IrCode, types: &Types, callees: &dyn Callees) -> IrCode {
    for _ in 0..ROUNDS_MAX {
        let known = substitutions(&code, types, callees);
        substitute(&mut code, &known);
        if !fold_branches(&mut code, types) {
            break;
        }
        crate::edges::prune(&mut code, types);
    }
    code
}

type Known = SecondaryMap<Stmt, Option<Value>>;

fn resolve(known: &Known, mut value: Value) -> Value {
    while let Value::Stmt(stmt) = value {
        match known[stmt] {
            Some(next) => value = next,
            None => break,
        }
    }
    value
}

fn substitutions(code: &IrCode, types: &Types, callees: &dyn Callees) -> Known {
    let mut known: Known = SecondaryMap::new();
    let cfg = Cfg::new(code);
    for &block in &cfg.reverse_postorder {
        for &stmt in &code.blocks[block].stmts {
            if let Some(value) = fold_stmt(code, types, callees, &cfg, &known, (block, stmt)) {
                known[stmt] = Some(value);
            }
        }
    }
    known
}

fn substitute(code: &mut IrCode, known: &Known) {
    for data in code.stmts.values_mut() {
        data.op.each_operand_mut(|it| *it = resolve(known, *it));
    }
}

fn fold_stmt(
    code: &IrCode,
    types: &Types,
    callees: &dyn Callees,
    cfg: &Cfg,
    known: &Known,
    (block, stmt): (Block, Stmt),
) -> Option<Value> {
    let data = &code.stmts[stmt];
    let at = |value: &Value| resolve(known, *value);
    match &data.op {
        Op::Pi(value) => fold_pi(code, types, at(value), data.ty),
        Op::Phi(edges) => fold_phi(cfg, block, stmt, edges, &at),
        Op::PhiC(kept) => fold_kept(code, kept, &at),
        Op::Intrinsic(intrinsic, args) => {
            let constants: Option<Vec<Const>> = args.iter().map(|it| as_const(code, types, at(it))).collect();
            callees.fold_intrinsic(*intrinsic, &constants?).map(Value::Const)
        }
        Op::Builtin(builtin, args) => {
            let args: Vec<Value> = args.iter().map(at).collect();
            fold_builtin(code, types, *builtin, &args)
        }
        Op::New(args) if args.is_empty() => definition::singleton(types, data.ty).map(Value::Const),
        _ => None, // has an effect, or a value only known when run
    }
}

fn as_const(code: &IrCode, types: &Types, value: Value) -> Option<Const> {
    match value {
        Value::Const(constant) => Some(constant),
        Value::Stmt(_) | Value::Arg(_) => only_value(types, type_of(code, types, value)),
    }
}

fn fold_pi(code: &IrCode, types: &Types, value: Value, ty: Type) -> Option<Value> {
    if let Some(constant) = as_const(code, types, value) {
        return Some(Value::Const(constant));
    }
    if let Some(constant) = only_value(types, ty) {
        return Some(Value::Const(constant));
    }
    types.subtype(type_of(code, types, value), ty).then_some(value)
}

fn fold_phi(
    cfg: &Cfg,
    block: Block,
    stmt: Stmt,
    edges: &[(Block, Value)],
    at: &dyn Fn(&Value) -> Value,
) -> Option<Value> {
    let mut only = None;
    let whole = edges.len() == cfg.predecessors[block].len();
    for (_, value) in edges {
        let value = at(value);
        if value == Value::Stmt(stmt) {
            continue;
        }
        if only.is_some_and(|it| it != value) {
            return None;
        }
        only = Some(value);
    }
    // What comes in by every way was made before every way; where one has no value, it need not have been.
    match only? {
        it @ (Value::Const(_) | Value::Arg(_)) => Some(it),
        it @ Value::Stmt(_) => whole.then_some(it),
    }
}

/// The value that all `Upsilon`s of a `PhiC` keep, if it is there wherever the handler may come from.
fn fold_kept(code: &IrCode, kept: &[Value], at: &dyn Fn(&Value) -> Value) -> Option<Value> {
    let mut only = None;
    for upsilon in kept {
        let Value::Stmt(upsilon) = upsilon else { return None };
        let Op::Upsilon(value) = &code.stmts[*upsilon].op else { return None };
        let value = at(value);
        if only.is_some_and(|it| it != value) {
            return None;
        }
        only = Some(value);
    }
    only.filter(|it| !matches!(it, Value::Stmt(_)))
}

fn fold_builtin(code: &IrCode, types: &Types, builtin: Builtin, args: &[Value]) -> Option<Value> {
    match (builtin, args) {
        (Builtin::Getfield, [object, Value::Const(field), ..]) => fold_getfield(code, types, *object, *field),
        (Builtin::Typeof, [value]) => {
            let ty = type_of(code, types, *value);
            let exact = datatype::is_concrete(types, ty) && datatype::type_type_param(types, ty).is_none();
            exact.then(|| Value::Const(consts::of_type(types, ty)))
        }
        (Builtin::Isa, [value, Value::Const(of)]) => {
            let of = consts::to_param(types, *of);
            let ty = type_of(code, types, *value);
            if types.subtype(ty, of) {
                return Some(Value::Const(consts::bool(types, true)));
            }
            let apart = intersect::meet(types, ty, of) == types.core().bottom;
            apart.then(|| Value::Const(consts::bool(types, false)))
        }
        (Builtin::Is, [a, b]) => fold_is(code, types, *a, *b),
        (Builtin::Typeassert, [value, Value::Const(of)]) => {
            types.subtype(type_of(code, types, *value), consts::to_param(types, *of)).then_some(*value)
        }
        (Builtin::Ifelse, [cond, a, b]) => match as_bool(types, *cond) {
            Some(true) => Some(*a),
            Some(false) => Some(*b),
            None => (a == b).then_some(*a),
        },
        (Builtin::Compilerbarrier | Builtin::Donotdelete, _) => None,
        _ => None, // has an effect, or a value only known when run
    }
}

fn fold_getfield(code: &IrCode, types: &Types, object: Value, field: Const) -> Option<Value> {
    let ty = type_of(code, types, object);
    let number = field_number(types, ty, field)?;
    if let Value::Const(constant) = object {
        return const_field(types, constant, number).map(Value::Const);
    }
    match definition(code, object) {
        Some(Op::Builtin(Builtin::Tuple, fields)) => {
            let value = *fields.get(number)?;
            // A π around the tuple may know more of the value than the value's own type says.
            let known = datatype::field_types(types, ty).get(number);
            known.is_none_or(|it| types.subtype(type_of(code, types, value), *it)).then_some(value)
        }
        Some(Op::New(fields)) if datatype::is_concrete(types, ty) && !datatype::is_mutable(types, ty) => {
            let value = *fields.get(number)?;
            // `new` converts nothing: the value has the field's type or the statement throws.
            let declared = *datatype::field_types(types, ty).get(number)?;
            types.subtype(type_of(code, types, value), declared).then_some(value)
        }
        _ => {
            let declared = *datatype::field_types(types, ty).get(number)?;
            only_value(types, declared).map(Value::Const)
        }
    }
}

fn fold_is(code: &IrCode, types: &Types, a: Value, b: Value) -> Option<Value> {
    let answer = |it: bool| Some(Value::Const(consts::bool(types, it)));
    if let (Some(a), Some(b)) = (as_const(code, types, a), as_const(code, types, b)) {
        return answer(a == b);
    }
    let (ta, tb) = (type_of(code, types, a), type_of(code, types, b));
    if intersect::meet(types, ta, tb) == types.core().bottom {
        return answer(false);
    }
    None
}

/// Turns branches on constants into jumps, and drops checks of defined values. Returns whether anything changed.
fn fold_branches(code: &mut IrCode, types: &Types) -> bool {
    let mut changed = false;
    for block in code.blocks.keys() {
        for at in 0..code.blocks[block].stmts.len() {
            let data = &mut code.stmts[code.blocks[block].stmts[at]];
            if let Op::ThrowUndefIfNot(_, flag) = data.op
                && as_bool(types, flag) == Some(true)
            {
                data.op = Op::Pi(flag);
                data.ty = types.core().bool;
            }
        }
        let Some(&last) = code.blocks[block].stmts.last() else { continue };
        let Op::Branch { cond, then, other } = code.stmts[last].op else { continue };
        let taken = match as_bool(types, cond) {
            Some(true) => then,
            Some(false) => other,
            None if then == other => then,
            None => continue,
        };
        code.stmts[last].op = Op::Goto(taken);
        changed = true;
    }
    changed
}

#[cfg(test)]
mod tests {
    use crate::testing::{Body, NoCallees, run};

    /// A branch on a constant is a jump, and the phi behind it forgets the other way.
    #[test]
    fn a_constant_branch_is_a_jump() {
        let body = Body::new(
            "f(_0::Int64)::Int64\n\
             bb0:\n  branch true ? bb1 : bb2\n\
             bb1:\n  goto bb3\n\
             bb2:\n  goto bb3\n\
             bb3:\n  %3 = φ (bb1 => _0, bb2 => 0)::Int64\n  return %3\n",
        );
        let text = run(body, |code, types| crate::simplify_cfg(super::fold(code, types, &NoCallees)));
        assert_eq!(text, "f(_0::Int64)::Int64\nbb0:\n  return _0\n");
    }

    /// A loop behind a branch that is never taken has no say in the phi where its way came back, not even through the
    /// blocks in between: right after folding, before anything cleans up.
    #[test]
    fn a_way_cut_off_early_is_forgotten_late() {
        let body = Body::new(
            "f(_0::Int64, _1::Bool)::Int64\n\
             bb0:\n  branch false ? bb1 : bb3\n\
             bb1:\n  %1 = Intrinsics.add_int(_0, 1)::Int64\n  branch _1 ? bb1 : bb2\n\
             bb2:\n  goto bb3\n\
             bb3:\n  %4 = φ (bb0 => _0, bb2 => %1)::Int64\n  %5 = Intrinsics.add_int(%4, 2)::Int64\n  return %5\n",
        );
        let folded = super::fold(body.code.clone(), &body.types, &NoCallees);
        assert_eq!(kiln_ir::verify(&folded, &body.types), []);
        assert_eq!(
            kiln_ir::compact(folded).display(&body.types).to_string(),
            "f(_0::Int64, _1::Bool)::Int64\n\
             bb0:\n  goto bb1\n\
             bb1:\n  %1 = φ (bb0 => _0)::Int64\n  %2 = Intrinsics.add_int(_0, 2)::Int64\n  return %2\n"
        );
    }

    /// Fields of a tuple made here, `isa` that types decide, and equal ways of an `ifelse`.
    #[test]
    fn what_types_decide_is_folded() {
        let body = Body::new(
            "f(_0::Int64, _1::Bool)::Int64\n\
             bb0:\n  %0 = Core.tuple(_0, 2)::Tuple{Int64, Int64}\n  %1 = Core.getfield(%0, 1)::Int64\n  \
             %2 = Core.isa(%1, Int64)::Bool\n  %3 = Core.ifelse(%2, %1, 0)::Int64\n  \
             %4 = Core.ifelse(_1, %3, %3)::Int64\n  return %4\n",
        );
        assert_eq!(run(body, |code, _| code), "f(_0::Int64, _1::Bool)::Int64\nbb0:\n  return _0\n");
    }

    /// A phi of one value is that value, whatever its definition.
    #[test]
    fn a_phi_of_one_value_is_the_value() {
        let body = Body::new(
            "f(_0::Int64, _1::Bool)::Int64\n\
             bb0:\n  %0 = Intrinsics.add_int(_0, 1)::Int64\n  goto bb1\n\
             bb1:\n  %2 = φ (bb0 => %0, bb1 => %2)::Int64\n  branch _1 ? bb1 : bb2\n\
             bb2:\n  return %2\n",
        );
        let text = run(body, |code, _| code);
        assert!(!text.contains('φ') && text.contains("return %0"), "{text}");
    }
}
