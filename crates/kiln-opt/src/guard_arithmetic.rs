//! Operators on values of unknown type that are likely machine numbers: `x + 1` where nothing is known of `x`, and `sum + x` where
//! `sum` begins as a number.
//!
//! The pass guards the call with tests that both operands are numbers of that type: where they hold, the method for two such numbers
//! is called, which is inlined; elsewhere the call stays dynamic. The result is the same either way.
//!
//! It is for host code: kernels have no dynamic calls.

use crate::devirtualize::is_exact;
use crate::value::type_of;
use crate::{Callees, InliningClass, OptParams, inlining_class};
use kiln_ir::{Block, BlockData, Builtin, Instance, IrCode, Op, Stmt, StmtData, Value};
use kiln_types::{Type, TypeData, Types, consts, datatype, definition};

/// Operators, and functions used like them, that have words as names: `%` is `rem`.
const WORDS: [&str; 6] = ["div", "max", "min", "mod", "rem", "xor"];

/// Guards of one body at most: each makes a copy of its call.
const GUARDS_MAX: usize = 64;

/// Returns `code` with such calls guarded, and whether there were any: then inlining and folding are due.
pub fn guard_arithmetic(
    mut code: IrCode,
    types: &Types,
    callees: &dyn Callees,
    params: &OptParams,
) -> (IrCode, bool) {
    let returns = |block: &Block| !matches!(code.terminator(*block), Op::Unreachable);
    let stmts =
        |block: Block| code.blocks[block].stmts.iter().enumerate().map(move |(at, it)| (block, at, *it));
    // Each question makes the body depend on the answer, so none is asked in vain.
    let guards: Vec<_> = code
        .blocks
        .keys()
        .filter(returns)
        .flat_map(stmts)
        .filter_map(|(block, at, it)| Some((block, at, Guard::find(&code, types, callees, params, it)?)))
        .take(GUARDS_MAX)
        .collect();
    let any = !guards.is_empty();
    // The last first: a block keeps what stands before the place where it is split.
    for (block, at, guard) in guards.into_iter().rev() {
        guard.insert(&mut code, types, (block, at));
    }
    (code, any)
}

/// Tests of the operands of a call, and the call where they hold.
struct Guard {
    call: Stmt,
    /// The operands that are tested, the function being 0.
    tested: Vec<usize>,
    number: Type,
    /// The method for two numbers, and what it returns.
    instance: Instance,
    returns: Type,
}

impl Guard {
    fn find(
        code: &IrCode,
        types: &Types,
        callees: &dyn Callees,
        params: &OptParams,
        call: Stmt,
    ) -> Option<Self> {
        let Op::Call(args) = &code.stmts[call].op else { return None };
        let [function @ Value::Const(_), a, b] = args[..] else { return None };
        let function = type_of(code, types, function);
        if !is_operator(types, function) {
            return None;
        }
        let exact = [a, b].map(|it| type_of(code, types, it)).into_iter().find(|it| is_number(types, *it));
        let begun = || [a, b].into_iter().find_map(|it| first_number(code, types, it));
        let number = exact.or_else(begun)?;
        let is_open = |it: &usize| type_of(code, types, args[*it]) != number;
        let tested: Vec<usize> = (1..3).filter(is_open).collect();
        let may_hold = |it: &usize| may_be(types, type_of(code, types, args[*it]), number);
        if tested.is_empty() || !tested.iter().all(may_hold) {
            return None;
        }
        let target = callees.resolve(&[function, number, number], None)?;
        let body = callees.body(target.instance)?;
        let inlined = inlining_class(&body.code, body.inlining, types, params) == InliningClass::Always;
        (inlined && target.packed_from.is_none() && is_exact(types, target.returns)).then_some(Self {
            call,
            tested,
            number,
            instance: target.instance,
            returns: target.returns,
        })
    }

    /// Splits the block at the call, which becomes the value of either way.
    fn insert(&self, code: &mut IrCode, types: &Types, (block, at): (Block, usize)) {
        let after = BlockData { stmts: code.blocks[block].stmts.split_off(at) };
        let after = code.blocks.push(after);
        crate::edges::rename(code, block, after);
        let (known, other) = (code.blocks.push(BlockData::default()), code.blocks.push(BlockData::default()));
        let template = code.stmts[self.call].clone();
        let bottom = types.core().bottom;
        let add = |code: &mut IrCode, block: Block, op: Op, ty: Type| {
            let stmt = code.stmts.push(StmtData { op, ty, ..template.clone() });
            code.blocks[block].stmts.push(stmt);
            Value::Stmt(stmt)
        };
        let mut operands = template.op.operands();
        let mut test_in = block;
        for (n, &tested) in self.tested.iter().enumerate() {
            let test = vec![operands[tested], Value::Const(consts::of_type(types, self.number))];
            let cond = add(code, test_in, Op::Builtin(Builtin::Isa, test), types.core().bool);
            let is_last = n + 1 == self.tested.len();
            let then = if is_last { known } else { code.blocks.push(BlockData::default()) };
            add(code, test_in, Op::Branch { cond, then, other }, bottom);
            test_in = then;
        }
        let slow = add(code, other, template.op.clone(), template.ty);
        add(code, other, Op::Goto(after), bottom);
        for &tested in &self.tested {
            operands[tested] = add(code, known, Op::Pi(operands[tested]), self.number);
        }
        let fast = add(code, known, Op::Invoke(self.instance, operands), self.returns);
        add(code, known, Op::Goto(after), bottom);
        code.stmts[self.call].op = Op::Phi(vec![(known, fast), (other, slow)]);
    }
}

/// Whether a function has the name of an operator.
fn is_operator(types: &Types, function: Type) -> bool {
    datatype::name_of(types, function).is_some_and(|it| {
        let name = types.name(definition::function_name(types, it));
        let is_word = name.contains(|it: char| it.is_alphanumeric() || it == '_');
        types.type_name(it).is_of_function() && (!is_word || WORDS.contains(&name))
    })
}

/// The type of the machine number that a variable begins as, or is on another way.
fn first_number(code: &IrCode, types: &Types, value: Value) -> Option<Type> {
    let Value::Stmt(stmt) = value else { return None };
    let Op::Phi(edges) = &code.stmts[stmt].op else { return None };
    edges.iter().map(|it| type_of(code, types, it.1)).find(|it| is_number(types, *it))
}

fn is_number(types: &Types, ty: Type) -> bool {
    let core = types.core();
    [core.int64, core.float64, core.float32, core.int32, core.uint64].contains(&ty)
}

/// Whether values of a type, of which little is known, may be such numbers.
fn may_be(types: &Types, ty: Type, number: Type) -> bool {
    !is_exact(types, ty) && !matches!(types.data(ty), TypeData::Union(_)) && types.subtype(number, ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Body, NoCallees};
    use crate::{Callee, Resolved};
    use std::sync::Arc;

    /// `mi7` is the method of `+` for two `Int64`s.
    struct Program<'a>(&'a Types, Arc<IrCode>);

    impl Callees for Program<'_> {
        fn builtin(&self, builtin: Builtin) -> kiln_types::Const {
            NoCallees.builtin(builtin)
        }
        fn body(&self, _: Instance) -> Option<Callee> {
            Some(Callee {
                code: self.1.clone(),
                inlining: kiln_ir::Inlining::Default,
                propagate_inbounds: false,
            })
        }
        fn resolve(&self, call: &[Type], _: Option<Instance>) -> Option<Resolved> {
            let int = self.0.core().int64;
            let instance = Instance::from_u32(7);
            (call[1..] == [int; 2]).then_some(Resolved { instance, returns: int, packed_from: None })
        }
    }

    fn guarded(text: &str) -> String {
        let body = Body::new(text);
        let sum = body.other(
            "f(_0::Any, _1::Int64, _2::Int64)::Int64\nbb0:\n  %0 = Intrinsics.add_int(_1, _2)::Int64\n  return %0\n",
        );
        let program = Program(&body.types, sum);
        let (code, any) = guard_arithmetic(body.code.clone(), &body.types, &program, &OptParams::default());
        assert_eq!(kiln_ir::verify(&code, &body.types), [], "{}", code.display(&body.types));
        let after = code.display(&body.types).to_string();
        assert_eq!(any, after != text);
        after
    }

    /// Two in one block: what stands before, between and behind keeps its order.
    #[test]
    fn a_number_of_the_same_type_is_added_inline() {
        let text = "f(_0::Any)::Any\n\
                    bb0:\n  %0 = dynamic(+, 1, _0)::Any\n  %1 = dynamic(+, %0, 2)::Any\n  return %1\n";
        assert_eq!(
            guarded(text),
            "f(_0::Any)::Any\n\
             bb0:\n  %10 = Core.isa(_0, Int64)::Bool\n  branch %10 ? bb5 : bb6\n\
             bb1:\n  %1 = φ (bb2 => %8, bb3 => %5)::Any\n  return %1\n\
             bb2:\n  %7 = π (%0)::Int64\n  %8 = invoke mi7(+, %7, 2)::Int64\n  goto bb1\n\
             bb3:\n  %5 = dynamic(+, %0, 2)::Any\n  goto bb1\n\
             bb4:\n  %0 = φ (bb5 => %15, bb6 => %12)::Any\n  %3 = Core.isa(%0, Int64)::Bool\n  branch %3 ? bb2 : bb3\n\
             bb5:\n  %14 = π (_0)::Int64\n  %15 = invoke mi7(+, 1, %14)::Int64\n  goto bb4\n\
             bb6:\n  %12 = dynamic(+, 1, _0)::Any\n  goto bb4\n"
        );
    }

    /// Both operands are tested where one begins as a number.
    #[test]
    fn a_sum_that_begins_as_a_number_is_guessed_to_stay_one() {
        let text = "f(_0::Any, _1::Bool)::Any\n\
                    bb0:\n  goto bb1\n\
                    bb1:\n  %1 = φ (bb0 => 0, bb1 => %2)::Any\n  %2 = dynamic(+, %1, _0)::Any\n  branch _1 ? bb1 : bb2\n\
                    bb2:\n  return %2\n";
        let after = guarded(text);
        assert!(
            after.contains("= Core.isa(%1, Int64)::Bool") && after.contains("= Core.isa(_0, Int64)::Bool"),
            "{after}"
        );
        assert!(after.contains("φ (bb0 => 0, bb3 => %2)::Any"), "{after}");
    }

    /// Other functions, values that are no numbers, and numbers for which there is no method.
    #[test]
    fn other_calls_stay() {
        for call in
            ["dynamic(:a, 1, _0)", "dynamic(+, _0, _0)", "dynamic(+, _0, nothing)", "dynamic(+, 1, _1)"]
        {
            let text = format!("f(_0::Any, _1::Bool)::Any\nbb0:\n  %0 = {call}::Any\n  return %0\n");
            assert_eq!(guarded(&text), text);
        }
    }
}
