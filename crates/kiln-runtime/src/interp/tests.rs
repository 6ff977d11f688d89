//! Bodies written by hand: control flow, calls, exceptions, worlds, limits.

use super::{call, globals};
use crate::collecting;
use crate::eval::{quote, toplevel};
use crate::heap::{Value, arrays, constants, fields, text, tuples};
use crate::runtime::Runtime;
use crate::testing::session;
use crate::thrown::Abort;
use kiln_ir::{CodeInfo, Declaration, Lowered, LoweredStmt};
use kiln_testing::CodeBuilder;
use kiln_types::{Module, Type, consts, datatype, display, typevar, unionall};

const ARG: Lowered = Lowered::Slot(1);

/// `f(n) = n == 0 ? base : step(n, f(n - 1))`, with `step` given by `combine`.
fn recursive(
    rt: &Runtime,
    base: i64,
    combine: impl Fn(&mut CodeBuilder<'_>, Lowered) -> Lowered,
) -> CodeInfo {
    let mut code = CodeBuilder::new(&rt.types, "f", &["n"]);
    let eq = [code.intrinsic("eq_int"), ARG, code.int(0)];
    let done = code.call(&eq);
    let branch = code.push(LoweredStmt::GotoIfNot(done, 0));
    let value = code.int(base);
    code.ret(value);
    let target = code.here();
    code.patch(branch, LoweredStmt::GotoIfNot(done, target));
    let less = [code.intrinsic("sub_int"), ARG, code.int(1)];
    let less = code.call(&less);
    let inner = [code.main("f"), less];
    let inner = code.call(&inner);
    let value = combine(&mut code, inner);
    code.ret(value);
    code.finish()
}

fn plus_one(code: &mut CodeBuilder<'_>, inner: Lowered) -> Lowered {
    let sum = [code.intrinsic("add_int"), inner, code.int(1)];
    code.call(&sum)
}

fn int(rt: &Runtime) -> Type {
    rt.types.core().int64
}

fn thrown_type(rt: &Runtime, f: Value, args: &[Value]) -> String {
    display::of_type(&rt.types, rt.call(f, args).unwrap_err().exception.ty())
}

#[test]
fn a_loop_sums() {
    let rt = session();
    let mut code = CodeBuilder::new(&rt.types, "sum", &["n"]);
    let (sum, at) = (code.local("sum"), code.local("i"));
    let zero = code.int(0);
    code.push(LoweredStmt::SetSlot(sum, zero));
    code.push(LoweredStmt::SetSlot(at, zero));
    let head = code.here();
    let test = [code.intrinsic("slt_int"), Lowered::Slot(at), ARG];
    let more = code.call(&test);
    let exit = code.push(LoweredStmt::Goto(0));
    for (slot, by) in [(at, code.int(1)), (sum, Lowered::Slot(at))] {
        let add = [code.intrinsic("add_int"), Lowered::Slot(slot), by];
        let next = code.call(&add);
        code.push(LoweredStmt::SetSlot(slot, next));
    }
    code.push(LoweredStmt::Goto(head));
    let end = code.here();
    code.patch(exit, LoweredStmt::GotoIfNot(more, end));
    code.ret(Lowered::Slot(sum));
    rt.add("sum", &[int(&rt)], code.finish());
    assert_eq!(rt.int_of(rt.call(rt.function("sum"), &[rt.heap.int(100)])), 5050);
}

/// 10,000 frames work; endless recursion is a `StackOverflowError`, and the session continues.
#[test]
fn deep_recursion_works_and_endless_recursion_is_an_exception() {
    let rt = session();
    rt.add("f", &[int(&rt)], recursive(&rt, 0, plus_one));
    let f = rt.function("f");
    assert_eq!(rt.int_of(rt.call(f, &[rt.heap.int(10_000)])), 10_000);
    assert_eq!(thrown_type(&rt, f, &[rt.heap.int(-1)]), "StackOverflowError");
    assert_eq!(rt.int_of(rt.call(f, &[rt.heap.int(3)])), 3);
}

/// A budget ends code that does not end, and no handler sees it.
#[test]
fn a_budget_stops_endless_code() {
    let rt = session();
    let mut code = CodeBuilder::new(&rt.types, "spin", &[]);
    code.push(LoweredStmt::Enter(2));
    code.push(LoweredStmt::Goto(1));
    let caught = code.int(1);
    code.ret(caught);
    rt.add("spin", &[], code.finish());
    let world = rt.tables.world();
    let ended = call::call_with_budget(&rt, rt.function("spin"), &[], world, 1000).unwrap_err();
    assert_eq!(ended.abort, Some(Abort::Budget));
    rt.add("quick", &[], rt.returns("quick", &[], 7));
    let quick = rt.function("quick");
    assert_eq!(rt.int_of(call::call_with_budget(&rt, quick, &[], rt.tables.world(), 10)), 7);
}

/// `try throw(x) catch e; e end`, with the frame that threw in the trace.
#[test]
fn a_handler_gets_the_exception() {
    let rt = session();
    let mut code = CodeBuilder::new(&rt.types, "f", &["x"]);
    let enter = code.push(LoweredStmt::Enter(0));
    let throw = [code.core("throw"), ARG];
    code.call(&throw);
    code.push(LoweredStmt::Leave(Box::new([enter])));
    let nothing = code.int(0);
    code.ret(nothing);
    let handler = code.here();
    code.patch(enter, LoweredStmt::Enter(handler));
    let caught = code.push(LoweredStmt::TheException);
    code.push(LoweredStmt::PopException(enter));
    code.ret(caught);
    rt.add("f", &[int(&rt)], code.finish());
    assert_eq!(rt.int_of(rt.call(rt.function("f"), &[rt.heap.int(42)])), 42);
    assert!(call::current_exceptions().is_empty());

    let mut code = CodeBuilder::new(&rt.types, "g", &["x"]);
    let throw = [code.core("throw"), ARG];
    code.call(&throw);
    rt.add("g", &[int(&rt)], code.finish());
    let thrown = rt.call(rt.function("g"), &[rt.heap.int(1)]).unwrap_err();
    assert_eq!(thrown.trace.len(), 1);
    assert_eq!(rt.types.name(thrown.trace[0].name), "g");
}

#[test]
fn what_is_not_there_is_named() {
    let rt = session();
    let mut code = CodeBuilder::new(&rt.types, "f", &[]);
    let slot = code.local("x");
    code.ret(Lowered::Slot(slot));
    rt.add("f", &[], code.finish());
    let mut code = CodeBuilder::new(&rt.types, "g", &[]);
    let missing = code.main("nowhere");
    code.ret(missing);
    rt.add("g", &[], code.finish());
    for (function, name) in [("f", "x"), ("g", "nowhere")] {
        let thrown = rt.call(rt.function(function), &[]).unwrap_err();
        assert_eq!(thrown.exception.ty(), rt.types.core().undef_var_error);
        let field = fields::get(&rt.heap, thrown.exception, 0).unwrap();
        assert_eq!(rt.types.name(field.as_symbol(rt.types.core()).unwrap()), name);
    }
    let call = rt.call(rt.function("f"), &[rt.heap.int(1)]).unwrap_err();
    assert_eq!(call.exception.ty(), rt.types.core().method_error);
}

/// A method that running code defines is not seen by that code, except through `invokelatest`.
#[test]
fn a_running_function_stays_in_its_world() {
    let rt = session();
    rt.add("late", &[], rt.returns("late", &[], 1));
    let late = rt.function("late");
    // define() = (late() = 2 is evaluated; late())
    for (name, latest) in [("here", false), ("newest", true)] {
        let mut code = CodeBuilder::new(&rt.types, name, &[]);
        let types =
            [code.core("svec"), code.constant(constants::const_of(&rt.heap, rt.heap.type_value(late.ty())))];
        let types = code.call(&types);
        let none = [code.core("svec")];
        let none = code.call(&none);
        let signature = [code.core("svec"), types, none];
        let signature = code.call(&signature);
        let body = code.nest(rt.returns("late", &[], 2));
        code.push(LoweredStmt::Method { signature, body, table: None });
        let callee =
            if latest { vec![code.core("invokelatest"), code.main("late")] } else { vec![code.main("late")] };
        let value = code.call(&callee);
        code.ret(value);
        rt.add(name, &[], code.finish());
    }
    assert_eq!(rt.int_of(rt.call(rt.function("here"), &[])), 1);
    rt.add("late", &[], rt.returns("late", &[], 1));
    assert_eq!(rt.int_of(rt.call(rt.function("newest"), &[])), 2);
    assert_eq!(rt.int_of(rt.call(late, &[])), 2, "afterwards everyone sees it");
}

/// A call site that has seen one type must notice another one, and a new method.
#[test]
fn call_sites_follow_types_and_worlds() {
    let rt = session();
    let core = *rt.types.core();
    rt.add("g", &[core.int64], rt.returns("g", &["x"], 1));
    rt.add("g", &[core.bool], rt.returns("g", &["x"], 2));
    let mut code = CodeBuilder::new(&rt.types, "f", &["x"]);
    let call = [code.main("g"), ARG];
    let value = code.call(&call);
    code.ret(value);
    rt.add("f", &[core.any], code.finish());
    let f = rt.function("f");
    for _ in 0..2 {
        assert_eq!(rt.int_of(rt.call(f, &[rt.heap.int(0)])), 1);
        assert_eq!(rt.int_of(rt.call(f, &[rt.heap.bool(true)])), 2);
    }
    rt.add("g", &[core.bool], rt.returns("g", &["x"], 3));
    assert_eq!(rt.int_of(rt.call(f, &[rt.heap.bool(true)])), 3);
}

#[test]
fn varargs_static_parameters_and_splatting() {
    let rt = session();
    let core = *rt.types.core();
    // count(xs...) = nfields(xs)
    let mut code = CodeBuilder::new(&rt.types, "count", &["xs"]).vararg();
    let fields = [code.core("nfields"), ARG];
    let fields = code.call(&fields);
    code.ret(fields);
    let count = rt.function("count");
    rt.add_sig(
        datatype::tuple(&rt.types, &[count.ty(), datatype::vararg(&rt.types, core.any, None)]),
        code.finish(),
    );
    assert_eq!(rt.int_of(rt.call(count, &[])), 0);
    assert_eq!(rt.int_of(rt.call(count, &[rt.heap.int(1), rt.heap.bool(true)])), 2);
    // spread(t, v) = count(t..., v...)
    let mut code = CodeBuilder::new(&rt.types, "spread", &["t", "v"]);
    let apply = [code.core("_apply_iterate"), code.int(0), code.main("count"), ARG, Lowered::Slot(2)];
    let value = code.call(&apply);
    code.ret(value);
    rt.add("spread", &[core.any, core.any], code.finish());
    let tuple = tuples::new(&rt.heap, &[rt.heap.int(1), rt.heap.int(2)]);
    let vector = arrays::any_vector(&rt.heap, &[rt.heap.nothing(), rt.heap.int(1), rt.heap.int(2)]);
    assert_eq!(rt.int_of(rt.call(rt.function("spread"), &[tuple, vector])), 5);
    // element(::T) where T = T
    let var = typevar::new(&rt.types, rt.types.symbol("T"), core.bottom, core.any);
    let mut code = CodeBuilder::new(&rt.types, "element", &["x"]).static_param("T");
    code.ret(Lowered::StaticParam(0));
    let element = rt.function("element");
    let sig = unionall::new(&rt.types, var, datatype::tuple(&rt.types, &[element.ty(), var]));
    rt.add_sig(sig, code.finish());
    let found = rt.call(element, &[rt.heap.int(1)]).unwrap();
    assert_eq!(found.as_type(&core), Some(core.int64));
}

/// `f(x; k)` is `kwcall((k = ..,), f, x)`: an ordinary method of an ordinary function.
#[test]
fn keyword_calls_are_calls_of_kwcall() {
    let rt = session();
    let core = *rt.types.core();
    let (f, kwcall) = (rt.function("f"), rt.function("kwcall"));
    let mut code = CodeBuilder::new(&rt.types, "f", &["kw", "f", "x"]);
    let key = code.constant(constants::const_of(&rt.heap, rt.heap.symbol("k")));
    let field = [code.core("getfield"), ARG, key];
    let field = code.call(&field);
    let sum = [code.intrinsic("add_int"), field, Lowered::Slot(3)];
    let sum = code.call(&sum);
    code.ret(sum);
    rt.add("kwcall", &[core.named_tuple, f.ty(), core.int64], code.finish());
    let keywords = tuples::named(&rt.heap, &[rt.types.symbol("k")], &[rt.heap.int(40)]);
    assert_eq!(rt.int_of(rt.call(kwcall, &[keywords, f, rt.heap.int(2)])), 42);
}

/// `invoke` calls the method for the types it is given, not those of the arguments.
#[test]
fn invoke_takes_the_method_it_is_told() {
    let rt = session();
    let core = *rt.types.core();
    rt.add("f", &[core.any], rt.returns("f", &["x"], 1));
    rt.add("f", &[core.int64], rt.returns("f", &["x"], 2));
    let f = rt.function("f");
    let invoke = rt.global(Module::CORE, rt.types.symbol("invoke")).unwrap();
    let types = rt.heap.type_value(datatype::tuple(&rt.types, &[core.any]));
    assert_eq!(rt.int_of(rt.call(invoke, &[f, types, rt.heap.int(0)])), 1);
    let types = rt.heap.type_value(datatype::tuple(&rt.types, &[core.int64]));
    assert_eq!(rt.int_of(rt.call(invoke, &[f, types, rt.heap.int(0)])), 2);
    assert_eq!(thrown_type(&rt, invoke, &[f, types, rt.heap.bool(true)]), "TypeError");
}

/// Top-level code continues in the newest world after each definition.
#[test]
fn top_level_code_sees_its_own_definitions() {
    let rt = session();
    let (main, name) = rt.main("answer");
    let mut code = CodeBuilder::new(&rt.types, "top", &[]);
    let value = code.int(42);
    code.push(LoweredStmt::DeclareGlobal {
        module: main,
        name,
        value: Some(value),
        kind: Declaration::Constant,
    });
    code.push(LoweredStmt::LatestWorld);
    let read = code.main("answer");
    code.ret(read);
    assert_eq!(rt.int_of(toplevel::run_thunk(&rt, code.thunk())), 42);
}

/// Quoted code keeps its shape on the way to a value and back.
#[test]
fn expressions_convert_both_ways() {
    use kiln_ir::{Ast, Expr, SourceLoc};
    let rt = session();
    let mut ast = Ast::new();
    let place = SourceLoc::new(1, 7, 3);
    let symbol = |it: &str| rt.types.symbol(it);
    let x = ast.push(Expr::Symbol(symbol("x")), place);
    let quoted = ast.push(Expr::Quote(x), place);
    let line = ast.push(Expr::Line { line: 3, file: Some(symbol("a.jl")) }, place);
    let number = ast.push(Expr::Const(consts::int(&rt.types, 5)), place);
    let global = ast.push(Expr::Global(Module::BASE, symbol("y")), place);
    let node = ast.node(symbol("call"), vec![x, quoted, line, number, global], place);
    let mut places = crate::eval::QuoteLocations::default();
    let value = quote::expr_value_with(&rt, &ast, node, &mut places);
    let mut copy = Ast::new();
    let back = quote::value_expr(&rt, &mut copy, value, SourceLoc::NONE, &places);
    assert_eq!(copy.loc(back), place, "an unchanged part keeps its place");
    let (head, args) = copy.as_node(back).unwrap();
    assert_eq!(head, symbol("call"));
    let shapes: Vec<&Expr> = args.iter().map(|&it| copy.expr(it)).collect();
    assert_eq!(*shapes[0], Expr::Symbol(symbol("x")));
    assert!(matches!(shapes[1], Expr::Quote(it) if *copy.expr(*it) == Expr::Symbol(symbol("x"))));
    assert_eq!(*shapes[2], Expr::Line { line: 3, file: Some(symbol("a.jl")) });
    assert_eq!(*shapes[3], Expr::Const(consts::int(&rt.types, 5)));
    assert_eq!(*shapes[4], Expr::Global(Module::BASE, symbol("y")));
}

/// A stand-in for the host compiler: every hot function returns 7, as long as nothing is defined.
struct Sevens;

#[derive(Debug)]
struct Seven(crate::tables::WorldRange);

impl crate::services::HostCompiler for Sevens {
    fn compile(
        &self,
        _: &Runtime,
        _: kiln_ir::Instance,
        world: crate::tables::World,
    ) -> Option<Box<dyn crate::services::CompiledBody>> {
        Some(Box::new(Seven(crate::tables::WorldRange { min: world, max: world })))
    }
}

impl crate::services::CompiledBody for Seven {
    fn worlds(&self) -> crate::tables::WorldRange {
        self.0
    }
    fn call(&self, rt: &Runtime, _: &[Value]) -> crate::thrown::Run {
        Ok(rt.heap.int(7))
    }
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A hot function is handed to the host compiler; its body is used in the worlds it is good for.
#[test]
fn hot_functions_are_compiled() {
    let rt = session();
    rt.add("f", &[], rt.returns("f", &[], 1));
    let f = rt.function("f");
    let _ = rt.compiler.set(std::sync::Arc::new(Sevens));
    let results: Vec<i64> = (0..500_000).map(|_| rt.int_of(rt.call(f, &[]))).collect();
    assert_eq!((results[0], results[499_999]), (1, 7));
    rt.add("g", &[], rt.returns("g", &[], 1));
    assert_eq!(rt.int_of(rt.call(f, &[])), 1, "a new world: interpreted until it is hot again");
}

/// Values of globals survive a collection, and so do those that code mentions.
#[test]
fn collection_keeps_globals_and_literals() {
    let rt = session();
    let (main, name) = rt.main("kept");
    globals::set(&rt, main, name, text::string(&rt.heap, "global")).unwrap();
    let mut code = CodeBuilder::new(&rt.types, "f", &[]);
    let literal = code.constant(constants::const_of(&rt.heap, text::string(&rt.heap, "literal")));
    code.ret(literal);
    rt.add("f", &[], code.finish());
    let text = |value: Value| text::read(&rt.heap, value).unwrap();
    assert_eq!(text(rt.call(rt.function("f"), &[]).unwrap()), "literal");
    collecting::collect(&rt);
    assert_eq!(text(rt.global(main, name).unwrap()), "global");
    assert_eq!(text(rt.call(rt.function("f"), &[]).unwrap()), "literal");
}
