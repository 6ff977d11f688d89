//! Inference of lowered code written by hand: no parser and no Base are needed.
#![expect(clippy::unwrap_used, reason = "a test may")]

mod session;

use kiln_ir::{Lowered, LoweredStmt, Op};
use kiln_runtime::interp::{define, globals};
use kiln_testing::CodeBuilder;
use kiln_types::{Module, consts, datatype, display};
use session::Program;

/// `x + 1` on two types: the instance's types, not the method's, are inferred.
#[test]
fn an_intrinsic_has_the_type_of_its_operands() {
    let program = Program::new();
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["x"]);
    let sum = code.call(&[code.intrinsic("add_int"), Lowered::Slot(1), code.int(1)]);
    code.ret(sum);
    program.add("f", &[program.core().any], code.finish());
    assert_eq!(program.returns("f", &[program.core().int64]), "Int64");
    assert_eq!(
        program.body("f", &[program.core().int64]),
        "bb0:\n  %0 = Intrinsics.add_int(_1, 1)::Int64\n  return %0\n"
    );
}

/// `while i < n; i = i + 1; end; i`: the slot becomes a phi at the loop's header.
#[test]
fn a_loop_gets_one_phi() {
    let program = Program::new();
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["n"]);
    let i = code.local("i");
    code.push(LoweredStmt::SetSlot(i, code.int(0)));
    let head = code.here();
    let less = code.call(&[code.intrinsic("slt_int"), Lowered::Slot(i), Lowered::Slot(1)]);
    let exit = code.push(LoweredStmt::GotoIfNot(less, 0));
    let next = code.call(&[code.intrinsic("add_int"), Lowered::Slot(i), code.int(1)]);
    code.push(LoweredStmt::SetSlot(i, next));
    code.push(LoweredStmt::Goto(head));
    let end = code.here();
    code.patch(exit, LoweredStmt::GotoIfNot(less, end));
    code.ret(Lowered::Slot(i));
    program.add("f", &[program.core().int64], code.finish());
    assert_eq!(
        program.body("f", &[program.core().int64]),
        "bb0:\n  goto bb1\n\
         bb1:\n  %1 = φ (bb0 => 0, bb2 => %4)::Int64\n  %2 = Intrinsics.slt_int(%1, _1)::Bool\n  \
         branch %2 ? bb2 : bb3\n\
         bb2:\n  %4 = Intrinsics.add_int(%1, 1)::Int64\n  goto bb1\n\
         bb3:\n  return %1\n"
    );
}

/// `x === nothing ? 0 : x` for a union: after the test the type is known.
#[test]
fn a_test_narrows_a_union() {
    let program = Program::new();
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["x"]);
    let nothing = Lowered::Const(consts::nothing(&program.rt.types));
    let test = code.call(&[code.core("==="), Lowered::Slot(1), nothing]);
    let branch = code.push(LoweredStmt::GotoIfNot(test, 0));
    code.ret(code.int(0));
    let other = code.here();
    code.patch(branch, LoweredStmt::GotoIfNot(test, other));
    code.ret(Lowered::Slot(1));
    program.add("f", &[program.core().any], code.finish());
    let maybe = program.rt.types.union(&[program.core().int64, program.core().nothing]);
    assert_eq!(program.returns("f", &[maybe]), "Int64");
    assert!(program.body("f", &[maybe]).contains("π (_1)::Int64"));
}

/// A call with a union argument becomes a test and two static calls, if the function has a method for each member.
#[test]
fn a_call_with_a_union_is_split() {
    let program = Program::new();
    let core = *program.core();
    program.add("g", &[core.int64], program.identity("g"));
    program.add("g", &[core.nothing], program.constant("g", 7));
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["x"]);
    let call = code.call(&[code.main("g"), Lowered::Slot(1)]);
    code.ret(call);
    program.add("f", &[core.any], code.finish());
    let maybe = program.rt.types.union(&[core.int64, core.nothing]);
    assert_eq!(program.returns("f", &[maybe]), "Int64");
    let text = program.body("f", &[maybe]);
    assert!(text.contains("Core.isa(_1, Nothing)") || text.contains("Core.isa(_1, Int64)"), "{text}");
    assert!(!text.contains("dynamic"), "{text}");
}

/// The last case of a split call is not tested, but its argument is narrowed there all the same: bodies inlined later
/// rely on it.
#[test]
fn the_last_case_of_a_split_is_narrowed_too() {
    let program = Program::new();
    let core = *program.core();
    program.add("g", &[core.int64], program.identity("g"));
    program.add("g", &[core.nothing], program.constant("g", 7));
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["x"]);
    let call = code.call(&[code.main("g"), Lowered::Slot(1)]);
    code.ret(call);
    program.add("f", &[core.any], code.finish());
    for members in [[core.int64, core.nothing], [core.nothing, core.int64]] {
        let text = program.body("f", &[program.rt.types.union(&members)]);
        assert!(!text.contains("(_0, _1)") && !text.contains(", _1)::Int64"), "{text}");
    }
}

/// One union is split however long it is; of two unions, the shorter one counts.
#[test]
fn splitting_has_the_limits_of_julia() {
    let program = Program::new();
    let core = *program.core();
    let members = [core.int8, core.int16, core.int32, core.int64, core.float32, core.float64];
    for ty in members {
        program.add("g", &[ty], program.constant("g", 1));
        for other in members {
            let mut code = CodeBuilder::new(&program.rt.types, "h", &["x", "y"]);
            code.ret(Lowered::Slot(1));
            program.add("h", &[ty, other], code.finish());
        }
    }
    for (name, args) in [("g", 1), ("h", 2)] {
        let slots: Vec<Lowered> = (1..=args).map(Lowered::Slot).collect();
        let mut code = CodeBuilder::new(&program.rt.types, "f", &["x", "y"][..args as usize]);
        let call: Vec<Lowered> = std::iter::once(code.main(name)).chain(slots).collect();
        let result = code.call(&call);
        code.ret(result);
        program.add("f", &vec![core.any; args as usize], code.finish());
    }
    let union = |count: usize| program.rt.types.union(&members[..count]);
    let is_static = |args: &[kiln_types::Type]| !program.body("f", args).contains("dynamic");
    assert!(is_static(&[union(6)]));
    assert!(is_static(&[union(2), union(2)]));
    assert!(is_static(&[union(2), union(4)]));
    assert!(is_static(&[union(3), core.int8]));
    assert!(!is_static(&[union(3), union(3)]));
}

/// A call with more than three applicable methods is dispatched at run time; three are told apart by `isa`.
#[test]
fn at_most_three_methods_are_told_apart() {
    for (count, told_apart) in [(3, true), (4, false)] {
        let program = Program::new();
        let core = *program.core();
        let types = [core.int64, core.float64, core.bool, core.symbol];
        for ty in &types[..count - 1] {
            program.add("g", &[*ty], program.identity("g"));
        }
        program.add("g", &[core.any], program.constant("g", 0));
        let mut code = CodeBuilder::new(&program.rt.types, "f", &["x"]);
        let call = code.call(&[code.main("g"), Lowered::Slot(1)]);
        code.ret(call);
        program.add("f", &[core.any], code.finish());
        let text = program.body("f", &[core.any]);
        assert_eq!(!text.contains("dynamic"), told_apart, "{text}");
        assert_eq!(text.matches("Core.isa").count(), if told_apart { count - 1 } else { 0 }, "{text}");
    }
}

/// A tuple enters a loop and another one is made in it. The first visit of the header decides `=== nothing` for the
/// state before the loop, the second cannot; the conditional must be about the merged state.
#[test]
fn a_test_at_a_loops_header_is_about_the_merged_state() {
    for starts_wide in [false, true] {
        let program = Program::new();
        let core = *program.core();
        let types = &program.rt.types;
        let nothing = Lowered::Const(consts::nothing(types));
        let mut code = CodeBuilder::new(&program.rt.types, "f", &["n", "start"]);
        let state = code.local("state");
        let sum = code.local("sum");
        let first = if starts_wide {
            Lowered::Slot(2)
        } else {
            code.call(&[code.core("tuple"), code.int(1), code.int(1)])
        };
        code.push(LoweredStmt::SetSlot(state, first));
        code.push(LoweredStmt::SetSlot(sum, code.int(0)));
        let head = code.here();
        let over = code.call(&[code.core("==="), Lowered::Slot(state), nothing]);
        let over_branch = code.push(LoweredStmt::GotoIfNot(over, 0));
        code.ret(Lowered::Slot(sum));
        let body = code.here();
        code.patch(over_branch, LoweredStmt::GotoIfNot(over, body));
        let item = code.call(&[code.core("getfield"), Lowered::Slot(state), code.int(1)]);
        let total = code.call(&[code.intrinsic("add_int"), Lowered::Slot(sum), item]);
        code.push(LoweredStmt::SetSlot(sum, total));
        let last = code.call(&[code.core("==="), item, Lowered::Slot(1)]);
        let last_branch = code.push(LoweredStmt::GotoIfNot(last, 0));
        code.push(LoweredStmt::SetSlot(state, nothing));
        code.push(LoweredStmt::Goto(head));
        let more = code.here();
        code.patch(last_branch, LoweredStmt::GotoIfNot(last, more));
        let next = code.call(&[code.intrinsic("add_int"), item, code.int(1)]);
        let pair = code.call(&[code.core("tuple"), next, next]);
        code.push(LoweredStmt::SetSlot(state, pair));
        code.push(LoweredStmt::Goto(head));
        program.add("f", &[core.any, core.any], code.finish());
        let pair = datatype::tuple(types, &[core.int64, core.int64]);
        let start = types.union(&[core.nothing, pair]);
        let text = program.body("f", &[core.int64, start]);
        let narrowed = text.lines().any(|it| it.contains("π (") && it.ends_with("::Tuple{Int64, Int64}"));
        assert!(narrowed && text.contains("getfield"), "{text}");
        assert!(!text.contains("::Any") && !text.contains("Core.getfield(%1, 1)"), "{text}");
        assert!(program.infer("f", &[core.int64, start]).effects.nothrow, "{text}");
    }
}

/// The fields of a new struct are known one by one: a constant field decides a branch.
#[test]
fn fields_of_a_partial_struct_are_known() {
    let program = Program::new();
    let core = *program.core();
    let mut code = CodeBuilder::new(&program.rt.types, "g", &["pair"]);
    let flag = code.call(&[code.core("getfield"), Lowered::Slot(1), code.int(2)]);
    let branch = code.push(LoweredStmt::GotoIfNot(flag, 0));
    let number = code.call(&[code.core("getfield"), Lowered::Slot(1), code.int(1)]);
    code.ret(number);
    let other = code.here();
    code.patch(branch, LoweredStmt::GotoIfNot(flag, other));
    code.ret(Lowered::Const(consts::nothing(&program.rt.types)));
    program.add("g", &[core.any], code.finish());
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["x"]);
    let yes = Lowered::Const(consts::bool(&program.rt.types, true));
    let pair = code.call(&[code.core("tuple"), Lowered::Slot(1), yes]);
    let call = code.call(&[code.main("g"), pair]);
    code.ret(call);
    program.add("f", &[core.any], code.finish());
    assert_eq!(program.returns("f", &[core.int64]), "Int64");
    let pair = datatype::tuple(&program.rt.types, &[core.int64, core.bool]);
    assert_eq!(program.returns("g", &[pair]), "Union{Nothing, Int64}");
}

/// Effects follow from statements and callees.
#[test]
fn effects_are_those_of_the_statements() {
    let program = Program::new();
    let core = *program.core();
    let mut code = CodeBuilder::new(&program.rt.types, "total", &["x"]);
    let sum = code.call(&[code.intrinsic("add_int"), Lowered::Slot(1), code.int(1)]);
    code.ret(sum);
    program.add("total", &[core.int64], code.finish());
    let mut code = CodeBuilder::new(&program.rt.types, "divides", &["x"]);
    let quotient = code.call(&[code.intrinsic("checked_sdiv_int"), code.int(6), Lowered::Slot(1)]);
    code.ret(quotient);
    program.add("divides", &[core.int64], code.finish());
    let mut code = CodeBuilder::new(&program.rt.types, "waits", &["x"]);
    code.push(LoweredStmt::GotoIfNot(Lowered::Slot(1), 2));
    code.push(LoweredStmt::Goto(0));
    code.ret(code.int(1));
    program.add("waits", &[core.bool], code.finish());
    let effects = |name: &str, ty| program.infer(name, &[ty]).effects;
    assert!(effects("total", core.int64).is_foldable() && effects("total", core.int64).is_removable());
    assert!(!effects("divides", core.int64).nothrow && effects("divides", core.int64).is_foldable());
    assert!(!effects("waits", core.bool).terminates && effects("waits", core.bool).nothrow);
    for (callee, ty) in [("divides", core.int64), ("waits", core.bool)] {
        let mut code = CodeBuilder::new(&program.rt.types, "calls", &["x"]);
        let call = code.call(&[code.main(callee), Lowered::Slot(1)]);
        code.ret(call);
        program.add("calls", &[ty], code.finish());
        assert_eq!(effects("calls", ty), effects(callee, ty));
    }
}

/// A caller is inferred again if its callee is redefined, and is not if another method is.
#[test]
fn a_new_method_ends_the_code_that_called_the_old_one() {
    let program = Program::new();
    let core = *program.core();
    program.add("g", &[core.int64], program.constant("g", 1));
    program.add("g", &[core.bool], program.constant("g", 2));
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["x"]);
    let call = code.call(&[code.main("g"), Lowered::Slot(1)]);
    code.ret(call);
    program.add("f", &[core.any], code.finish());
    let kept = program.infer("f", &[core.bool]);
    assert_eq!(program.body("f", &[core.int64]), "bb0:\n  return 1\n");
    program.add("g", &[core.int64], program.constant("g", 5));
    assert_eq!(program.body("f", &[core.int64]), "bb0:\n  return 5\n");
    assert!(std::sync::Arc::ptr_eq(&kept, &program.infer("f", &[core.bool])));
}

/// A recursive function has the type of its base case.
#[test]
fn recursion_reaches_a_fixed_point() {
    let program = Program::new();
    let core = *program.core();
    define::generic_function(&program.rt, Module::MAIN, program.rt.types.symbol("f")).unwrap();
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["n"]);
    let zero = code.call(&[code.intrinsic("eq_int"), Lowered::Slot(1), code.int(0)]);
    let branch = code.push(LoweredStmt::GotoIfNot(zero, 0));
    code.ret(code.int(1));
    let other = code.here();
    code.patch(branch, LoweredStmt::GotoIfNot(zero, other));
    let less = code.call(&[code.intrinsic("sub_int"), Lowered::Slot(1), code.int(1)]);
    let inner = code.call(&[code.main("f"), less]);
    let product = code.call(&[code.intrinsic("mul_int"), Lowered::Slot(1), inner]);
    code.ret(product);
    program.add("f", &[core.any], code.finish());
    assert_eq!(program.returns("f", &[core.int64]), "Int64");
    let text = program.body("f", &[core.int64]);
    assert!(text.contains("invoke"), "{text}");
}

/// `g(3)` of a pure `g` is evaluated.
#[test]
fn a_call_of_constants_is_evaluated() {
    let program = Program::new();
    let core = *program.core();
    let mut code = CodeBuilder::new(&program.rt.types, "g", &["x"]);
    let sum = code.call(&[code.intrinsic("mul_int"), Lowered::Slot(1), Lowered::Slot(1)]);
    code.ret(sum);
    program.add("g", &[core.int64], code.finish());
    let mut code = CodeBuilder::new(&program.rt.types, "f", &[]);
    let call = code.call(&[code.main("g"), code.int(3)]);
    code.ret(call);
    program.add("f", &[], code.finish());
    assert_eq!(program.body("f", &[]), "bb0:\n  return 9\n");
}

/// A predicate's result narrows the caller's argument.
#[test]
fn a_predicate_in_a_callee_narrows_in_the_caller() {
    let program = Program::new();
    let core = *program.core();
    let mut code = CodeBuilder::new(&program.rt.types, "isint", &["x"]);
    let test = code.call(&[code.core("isa"), Lowered::Slot(1), code.ty(core.int64)]);
    code.ret(test);
    program.add("isint", &[core.any], code.finish());
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["x"]);
    let test = code.call(&[code.main("isint"), Lowered::Slot(1)]);
    let branch = code.push(LoweredStmt::GotoIfNot(test, 0));
    code.ret(Lowered::Slot(1));
    let other = code.here();
    code.patch(branch, LoweredStmt::GotoIfNot(test, other));
    code.ret(code.int(0));
    program.add("f", &[core.any], code.finish());
    assert_eq!(program.returns("f", &[core.any]), "Int64");
}

/// A call of an unknown function stays dynamic, with its cause recorded.
#[test]
fn a_global_that_may_change_is_the_reason_given() {
    let program = Program::new();
    let main = Module::MAIN;
    let name = program.rt.types.symbol("counter");
    globals::set(&program.rt, main, name, program.rt.heap.int(1)).unwrap_or_else(|_| {
        program.rt.tables.declare_global(main, name, None, kiln_ir::Declaration::Variable).unwrap();
        globals::set(&program.rt, main, name, program.rt.heap.int(1)).unwrap();
    });
    let mut code = CodeBuilder::new(&program.rt.types, "f", &[]);
    let read = code.push(LoweredStmt::Value(Lowered::Global(main, name)));
    code.ret(read);
    program.add("f", &[], code.finish());
    let ci = program.infer("f", &[]);
    assert_eq!(ci.return_type, program.core().any);
    let why = kiln_infer::explain::provenance(&ci);
    assert!(matches!(why.places[0].why, kiln_infer::explain::Widening::GlobalNotConst(..)));
}

/// A slot that is assigned on one path only is checked when it is read.
#[test]
fn a_slot_that_may_be_undefined_is_checked() {
    let program = Program::new();
    let core = *program.core();
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["c"]);
    let x = code.local("x");
    let branch = code.push(LoweredStmt::GotoIfNot(Lowered::Slot(1), 0));
    code.push(LoweredStmt::SetSlot(x, code.int(1)));
    let other = code.here();
    code.patch(branch, LoweredStmt::GotoIfNot(Lowered::Slot(1), other));
    code.ret(Lowered::Slot(x));
    program.add("f", &[core.bool], code.finish());
    let ci = program.infer("f", &[core.bool]);
    let checks = |op: &Op| matches!(op, Op::ThrowUndefIfNot(..));
    assert!(ci.code(&program.rt).unwrap().stmts.values().any(|it| checks(&it.op)));
    assert!(!ci.effects.nothrow);
}

/// `f(t...)` of a tuple of known length becomes a call with its elements; a vararg method gets them in a tuple.
#[test]
fn a_splatted_tuple_is_spread_and_packed_again() {
    let program = Program::new();
    let core = *program.core();
    let mut code = CodeBuilder::new(&program.rt.types, "g", &["a", "rest"]).vararg();
    let second = code.call(&[code.core("getfield"), Lowered::Slot(2), code.int(1)]);
    code.ret(second);
    let any_rest = datatype::vararg(&program.rt.types, core.any, None);
    program.add("g", &[core.any, any_rest], code.finish());
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["t"]);
    let call = code.call(&[code.core("_apply_iterate"), code.int(0), code.main("g"), Lowered::Slot(1)]);
    code.ret(call);
    program.add("f", &[core.any], code.finish());
    let tuple = datatype::tuple(&program.rt.types, &[core.int64, core.float64, core.bool]);
    assert_eq!(program.returns("f", &[tuple]), "Float64");
    let text = program.body("f", &[tuple]);
    assert!(text.contains("Core.tuple("), "{text}");
    assert!(!text.contains("_apply_iterate"), "{text}");
    // Its length is enough.
    let either = program.rt.types.union(&[core.int64, core.nothing]);
    let tuple = datatype::tuple(&program.rt.types, &[either, core.float64, core.bool]);
    assert_eq!(program.returns("f", &[tuple]), "Float64");
    let text = program.body("f", &[tuple]);
    assert!(!text.contains("_apply_iterate"), "{text}");
}

/// `f(t) = f((t, t))` never ends; inferring it does.
#[test]
fn ever_larger_arguments_are_widened() {
    let program = Program::new();
    let core = *program.core();
    define::generic_function(&program.rt, Module::MAIN, program.rt.types.symbol("f")).unwrap();
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["t"]);
    let pair = code.call(&[code.core("tuple"), Lowered::Slot(1), Lowered::Slot(1)]);
    let call = code.call(&[code.main("f"), pair]);
    code.ret(call);
    program.add("f", &[core.any], code.finish());
    assert_eq!(program.returns("f", &[core.int64]), "Union{}");
}

/// The results of a `try` and its handler are joined, and the handler gets the variable that the `try` assigns.
#[test]
fn a_handler_sees_the_slots_of_its_try() {
    let program = Program::new();
    let core = *program.core();
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["y"]);
    let x = code.local("x");
    code.push(LoweredStmt::SetSlot(x, code.int(1)));
    let enter = code.push(LoweredStmt::Enter(0));
    code.push(LoweredStmt::SetSlot(x, Lowered::Slot(1)));
    let sum = code.call(&[code.intrinsic("add_int"), Lowered::Slot(x), code.int(1)]);
    code.push(LoweredStmt::Leave([enter].into()));
    code.ret(sum);
    let handler = code.here();
    code.patch(enter, LoweredStmt::Enter(handler));
    code.push(LoweredStmt::PopException(enter));
    code.ret(Lowered::Slot(x));
    program.add("f", &[core.any], code.finish());
    let ci = program.infer("f", &[core.float64]);
    assert_eq!(display::of_type(&program.rt.types, ci.return_type), "Union{Float64, Int64}");
    let body = program.body("f", &[core.float64]);
    assert!(body.contains("= φᶜ (") && body.contains("= ϒ ("), "{body}");
}

/// A caller inferred when its callee had no method is inferred again once there is one.
#[test]
fn a_call_without_a_method_heals() {
    let program = Program::new();
    let core = *program.core();
    define::generic_function(&program.rt, Module::MAIN, program.rt.types.symbol("g")).unwrap();
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["x"]);
    let call = code.call(&[code.main("g"), Lowered::Slot(1)]);
    code.ret(call);
    program.add("f", &[core.any], code.finish());
    assert_eq!(program.returns("f", &[core.int64]), "Union{}");
    program.add("g", &[core.int64], program.constant("g", 5));
    assert_eq!(program.returns("f", &[core.int64]), "Int64");
    assert_eq!(program.body("f", &[core.int64]), "bb0:\n  return 5\n");
}

/// `pick(p, :b)`: a constant symbol selects the field in the callee.
#[test]
fn a_constant_reaches_into_the_callee() {
    let program = Program::new();
    let core = *program.core();
    let mut code = CodeBuilder::new(&program.rt.types, "pick", &["p", "s"]);
    let field = code.call(&[code.core("getfield"), Lowered::Slot(1), Lowered::Slot(2)]);
    code.ret(field);
    program.add("pick", &[core.any, core.symbol], code.finish());
    let mut code = CodeBuilder::new(&program.rt.types, "f", &["p"]);
    let name = consts::symbol(&program.rt.types, program.rt.types.symbol("got"));
    let call = code.call(&[code.main("pick"), Lowered::Slot(1), Lowered::Const(name)]);
    code.ret(call);
    program.add("f", &[core.any], code.finish());
    assert_eq!(program.returns("f", &[core.inexact_error]), "Union{}");
    let names = consts::symbol(&program.rt.types, program.rt.types.symbol("line"));
    let mut code = CodeBuilder::new(&program.rt.types, "g", &["p"]);
    let call = code.call(&[code.main("pick"), Lowered::Slot(1), Lowered::Const(names)]);
    code.ret(call);
    program.add("g", &[core.any], code.finish());
    assert_eq!(program.returns("g", &[core.line_number_node]), "Int64");
}

/// A foreign call has its declared type and is not evaluated; exact arithmetic on constants is folded.
#[test]
fn a_foreign_call_has_the_type_it_declares() {
    let program = Program::new();
    let types = &program.rt.types;
    let int64 = program.core().int64;
    let call = |name: &str, what: &str, arg: Lowered| {
        let mut code = CodeBuilder::new(&program.rt.types, name, &["x"]);
        let what = Lowered::Const(consts::symbol(types, types.symbol(what)));
        let result = code.ty(int64);
        let declared = code.ty(datatype::tuple(types, &[int64]));
        let value = code.call(&[code.intrinsic("llvmcall"), what, result, declared, arg]);
        code.ret(value);
        program.add(name, &[int64], code.finish());
    };
    let two = Lowered::Const(consts::int(types, 2));
    call("named", "extern f", Lowered::Slot(1));
    call("constant", "llvm.ctpop.i64", two);
    call("external", "extern f", two);
    assert_eq!(program.returns("named", &[int64]), "Int64");
    assert!(!program.infer("named", &[int64]).effects.is_removable());
    assert_eq!(program.body("constant", &[int64]), "bb0:\n  return 1\n");
    assert!(program.body("external", &[int64]).contains("Intrinsics.llvmcall"));
}
