//! Definitions, look-ups, and which results a definition ends.

use crate::heap::{numbers, text};
use crate::interp::{call, define, globals};
use crate::runtime::Runtime;
use crate::tables::{
    CacheOwner, CodeInstance, CodeResult, Edge, MethodTableView, TableId, World, WorldRange,
};
use crate::testing::session;
use kiln_ir::{Effects, Instance};
use kiln_types::{Module, Type, consts, datatype, display, intersect, module, typevar, unionall};
use std::sync::Arc;

/// The instance of `f(::Int64)`.
fn instance(rt: &Runtime, f: &str, args: &[Type]) -> Instance {
    let mut sig = vec![rt.function(f).ty()];
    sig.extend_from_slice(args);
    rt.tables.dispatch(&sig, rt.tables.world()).unwrap()
}

fn compiled(rt: &Runtime, instance: Instance, edges: Vec<Edge>) -> Arc<CodeInstance> {
    let world = rt.tables.world();
    let result = CodeResult {
        instance,
        owner: CacheOwner::HOST,
        view: MethodTableView::global(),
        worlds: WorldRange::since(world),
        return_type: rt.types.core().int64,
        return_const: None,
        effects: Effects::NONE,
        exception_type: rt.types.core().any,
        code: None,
        edges: edges.into(),
    };
    rt.tables.add_code_instance(result, world)
}

fn is_valid(ci: &CodeInstance) -> bool {
    ci.worlds().max == World::MAX
}

/// A definition ends the code that was compiled from the old one, and nothing else.
#[test]
fn redefining_a_callee_clips_its_callers_only() {
    let rt = session();
    let int = rt.types.core().int64;
    for name in ["callee", "caller", "outer", "bystander"] {
        rt.add(name, &[int], rt.returns(name, &["x"], 1));
    }
    let [callee, caller, outer, bystander] =
        ["callee", "caller", "outer", "bystander"].map(|it| instance(&rt, it, &[int]));
    let callee_code = compiled(&rt, callee, vec![]);
    let caller_code = compiled(&rt, caller, vec![Edge::Instance(callee)]);
    let outer_code = compiled(&rt, outer, vec![Edge::Instance(caller)]);
    let bystander_code = compiled(&rt, bystander, vec![]);
    let before = rt.tables.world();
    rt.add("callee", &[int], rt.returns("callee", &["x"], 2));
    assert_eq!(callee_code.worlds().max, before);
    assert_eq!(caller_code.worlds().max, before);
    assert_eq!(outer_code.worlds().max, before);
    assert!(is_valid(&bystander_code));
    let now = rt.tables.world();
    assert!(rt.tables.code_instance(caller, CacheOwner::HOST, now).is_none());
    assert!(rt.tables.code_instance(caller, CacheOwner::HOST, before).is_some());
}

/// A method that no recorded call can reach changes nothing.
#[test]
fn an_unrelated_method_clips_nothing() {
    let rt = session();
    let core = *rt.types.core();
    rt.add("callee", &[core.int64], rt.returns("callee", &["x"], 1));
    rt.add("caller", &[core.int64], rt.returns("caller", &["x"], 1));
    let callee = instance(&rt, "callee", &[core.int64]);
    let ci = compiled(&rt, instance(&rt, "caller", &[core.int64]), vec![Edge::Instance(callee)]);
    rt.add("callee", &[core.string], rt.returns("callee", &["x"], 2));
    rt.add("callee", &[core.any], rt.returns("callee", &["x"], 3));
    assert!(is_valid(&ci), "neither method comes before the one that was called");
}

/// A look-up that found nothing is a dependency too: when the method appears the code is out of date.
#[test]
fn a_failed_look_up_heals() {
    let rt = session();
    let int = rt.types.core().int64;
    rt.add("caller", &[int], rt.returns("caller", &["x"], 1));
    let missing = rt.function("missing");
    let sig = datatype::tuple(&rt.types, &[missing.ty(), int]);
    let found = rt.tables.find_matches(sig, rt.tables.world(), usize::MAX).unwrap();
    assert!(found.matches.is_empty());
    let edge = Edge::Lookup { sig, found: Default::default() };
    let ci = compiled(&rt, instance(&rt, "caller", &[int]), vec![edge]);
    rt.add("missing", &[rt.types.core().string], rt.returns("missing", &["x"], 1));
    assert!(is_valid(&ci), "a method for other types does not heal the call");
    rt.add("missing", &[rt.types.core().any], rt.returns("missing", &["x"], 1));
    assert!(!is_valid(&ci));
}

/// A result that arrives after the world has moved on is valid later only if nothing it saw has changed.
#[test]
fn a_late_result_is_checked_against_what_was_defined_meanwhile() {
    let rt = session();
    let int = rt.types.core().int64;
    for name in ["callee", "caller"] {
        rt.add(name, &[int], rt.returns(name, &["x"], 1));
    }
    let (callee, caller) = (instance(&rt, "callee", &[int]), instance(&rt, "caller", &[int]));
    let then = rt.tables.world();
    let late = |rt: &Runtime| {
        let result = CodeResult {
            instance: caller,
            owner: CacheOwner::HOST,
            view: MethodTableView::global(),
            worlds: WorldRange::since(then),
            return_type: int,
            return_const: None,
            effects: Effects::NONE,
            exception_type: rt.types.core().any,
            code: None,
            edges: vec![Edge::Instance(callee)].into(),
        };
        rt.tables.add_code_instance(result, then)
    };
    rt.add("elsewhere", &[int], rt.returns("elsewhere", &["x"], 1));
    assert!(is_valid(&late(&rt)));
    rt.add("callee", &[int], rt.returns("callee", &["x"], 2));
    assert_eq!(late(&rt).worlds().max, then);
}

/// A definition and a deletion each change the look-ups that they meet, in the tables that a view sees.
#[test]
fn changes_are_told_by_signature_table_and_world() {
    let rt = session();
    let core = *rt.types.core();
    let overlay = rt.tables.methods.add_table(rt.types.symbol("OVERLAY"), Module::MAIN);
    let f = rt.function("f").ty();
    let sig = |args: &[Type]| datatype::tuple(&rt.types, &[&[f], args].concat());
    let (host, device) = (MethodTableView::global(), MethodTableView::stacked(&[overlay]));
    let begin = rt.tables.world();
    let changed = |view, arg, then| rt.tables.methods.may_have_changed(view, sig(&[arg]), then);
    assert!(!changed(&host, core.int64, begin));
    let method = rt.add_sig(sig(&[core.number]), rt.returns("f", &["x"], 1));
    for meeting in [core.int64, core.number, core.any] {
        assert!(changed(&host, meeting, begin) && changed(&device, meeting, begin));
    }
    assert!(!changed(&host, core.string, begin));
    assert!(!rt.tables.methods.may_have_changed(&host, datatype::tuple(&rt.types, &[core.string]), begin));
    let defined = rt.tables.world();
    assert!(!changed(&host, core.int64, defined));
    rt.add_to(overlay, sig(&[core.int64]), rt.returns("f", &["x"], 2));
    assert!(changed(&device, core.int64, defined) && !changed(&host, core.int64, defined));
    let overlaid = rt.tables.world();
    assert!(rt.tables.delete_method(method));
    assert!(changed(&host, core.int64, overlaid), "a deletion is a change");
    assert!(!changed(&host, core.int64, rt.tables.world()));
}

#[test]
fn dispatch_takes_the_most_specific_method() {
    let rt = session();
    let core = *rt.types.core();
    for (ty, number) in [(core.any, 0), (core.number, 1), (core.integer, 2), (core.int64, 3)] {
        rt.add("f", &[ty], rt.returns("f", &["x"], number));
    }
    let f = rt.function("f");
    assert_eq!(rt.int_of(rt.call(f, &[rt.heap.int(1)])), 3);
    assert_eq!(rt.int_of(rt.call(f, &[rt.heap.bool(true)])), 2);
    assert_eq!(rt.int_of(rt.call(f, &[numbers::float64(&rt.heap, 1.0)])), 1);
    assert_eq!(rt.int_of(rt.call(f, &[text::string(&rt.heap, "s")])), 0);
    let sig = datatype::tuple(&rt.types, &[f.ty(), core.integer]);
    let matches = rt.tables.find_matches(sig, rt.tables.world(), usize::MAX).unwrap();
    assert_eq!(matches.matches.len(), 2, "methods behind one that covers the call are left out");
    assert!(!matches.matches[0].fully_covers && matches.matches[1].fully_covers);
    assert!(rt.tables.find_matches(sig, rt.tables.world(), 1).is_none());
}

#[test]
fn an_ambiguous_call_names_its_candidates() {
    let rt = session();
    let core = *rt.types.core();
    rt.add("f", &[core.int64, core.any], rt.returns("f", &["x", "y"], 1));
    rt.add("f", &[core.any, core.int64], rt.returns("f", &["x", "y"], 2));
    let f = rt.function("f").ty();
    let failure = rt.tables.dispatch(&[f, core.int64, core.int64], rt.tables.world()).unwrap_err();
    assert!(failure.ambiguous);
    assert_eq!(failure.candidates.len(), 2);
    assert!(rt.tables.dispatch(&[f, core.int64, core.string], rt.tables.world()).is_ok());
    rt.add("f", &[core.int64, core.int64], rt.returns("f", &["x", "y"], 3));
    assert!(rt.tables.dispatch(&[f, core.int64, core.int64], rt.tables.world()).is_ok());
}

/// A method of equal signature takes the place of the old one; the old world keeps it.
#[test]
fn a_replaced_method_is_still_there_in_the_old_world() {
    let rt = session();
    let int = rt.types.core().int64;
    rt.add("f", &[int], rt.returns("f", &["x"], 1));
    let f = rt.function("f");
    let old = rt.tables.world();
    assert_eq!(rt.int_of(rt.call(f, &[rt.heap.int(0)])), 1);
    rt.add("f", &[int], rt.returns("f", &["x"], 2));
    assert_eq!(rt.int_of(rt.call(f, &[rt.heap.int(0)])), 2);
    assert_eq!(rt.int_of(call::call_in_world(&rt, f, &[rt.heap.int(0)], old)), 1);
    let sig = datatype::tuple(&rt.types, &[f.ty(), int]);
    assert_eq!(rt.tables.find_matches(sig, old, 9).unwrap().worlds.max, old);
}

/// Tables of a view are merged by specificity; at equal signatures the front one wins.
#[test]
fn overlays_win_at_equal_signatures_only() {
    let rt = session();
    let core = *rt.types.core();
    let overlay = rt.tables.methods.add_table(rt.types.symbol("OVERLAY"), Module::MAIN);
    let f = rt.function("f").ty();
    let exact = datatype::tuple(&rt.types, &[f, core.int64]);
    let general = datatype::tuple(&rt.types, &[f, core.any]);
    let host = rt.add_to(TableId::GLOBAL, exact, rt.returns("f", &["x"], 1));
    let device_general = rt.add_to(overlay, general, rt.returns("f", &["x"], 2));
    let view = MethodTableView::stacked(&[overlay]);
    let first = |sig| {
        let found = rt.tables.find_matches_in(&view, sig, rt.tables.world(), usize::MAX).unwrap();
        assert!(!found.ambiguous);
        found.matches[0].method
    };
    assert_eq!(first(exact), host, "the more specific method wins, in whatever table");
    assert_eq!(first(datatype::tuple(&rt.types, &[f, core.string])), device_general);
    let device_exact = rt.add_to(overlay, exact, rt.returns("f", &["x"], 3));
    assert_eq!(first(exact), device_exact);
    assert_eq!(rt.int_of(rt.call(rt.function("f"), &[rt.heap.int(0)])), 1, "the host sees no overlay");
}

/// A new meaning of a constant ends the code that used the old one.
#[test]
fn redefining_a_constant_clips_its_users() {
    let rt = session();
    let int = rt.types.core().int64;
    let (main, name) = rt.main("limit");
    define::constant(&rt, main, name, rt.heap.int(1)).unwrap();
    rt.add("user", &[int], rt.returns("user", &["x"], 1));
    let ci = compiled(&rt, instance(&rt, "user", &[int]), vec![Edge::Binding(main, name)]);
    define::constant(&rt, main, rt.types.symbol("other"), rt.heap.int(1)).unwrap();
    assert!(is_valid(&ci));
    define::constant(&rt, main, name, rt.heap.int(2)).unwrap();
    assert!(!is_valid(&ci));
}

/// `using` two modules that export one name: the name means neither until it is qualified.
#[test]
fn names_exported_twice_are_ambiguous() {
    let rt = session();
    let main = Module::MAIN;
    let shared = rt.types.symbol("shared");
    let modules = ["A", "B"].map(|it| {
        let module = module::new(&rt.types, rt.types.symbol(it), Some(main));
        rt.tables.define_const(module, shared, text::string(&rt.heap, it)).unwrap();
        rt.tables.mark_public(module, shared, true);
        rt.tables.add_using(main, module);
        module
    });
    let found = rt.tables.bindings.binding(main, shared, rt.tables.world()).0;
    assert!(matches!(found, super::Binding::Ambiguous(a, b) if [a, b] == modules), "{found:?}");
    assert!(globals::get(&rt, main, shared).is_err());
    rt.tables.import_name(main, shared, modules[1], shared, true).unwrap();
    assert!(globals::get(&rt, main, shared).is_ok());
}

#[test]
fn long_varargs_share_a_specialization() {
    let rt = session();
    let core = *rt.types.core();
    let f = rt.function("f").ty();
    let sig = datatype::tuple(&rt.types, &[f, datatype::vararg(&rt.types, core.int64, None)]);
    let code = kiln_testing::CodeBuilder::new(&rt.types, "f", &["xs"]).vararg();
    rt.add_sig(sig, code.finish());
    let of = |count: usize| {
        let mut types = vec![f];
        types.resize(count + 1, core.int64);
        rt.tables.dispatch(&types, rt.tables.world()).unwrap()
    };
    assert_ne!(of(1), of(5));
    assert_eq!(of(5), of(9));
}

/// Types of every kind that the index files in its own way.
fn assorted_types(rt: &Runtime) -> Vec<Type> {
    let (types, core) = (&rt.types, *rt.types.core());
    let var = |upper| typevar::new(types, types.symbol("T"), core.bottom, upper);
    let exists = |ty: &dyn Fn(Type) -> Type, upper| {
        let var = var(upper);
        unionall::new(types, var, ty(var))
    };
    let array =
        |elem| types.apply(core.array, &[elem, consts::to_param(types, consts::int(types, 1))]).unwrap();
    vec![
        core.any,
        core.int64,
        core.float64,
        core.integer,
        core.number,
        core.data_type,
        core.union_all,
        core.type_,
        core.tuple,
        core.abstract_array,
        core.function,
        core.builtin,
        datatype::tuple(types, &[core.int64, core.bool]),
        types.union(&[core.int64, core.string]),
        types.union(&[core.nothing, core.data_type]),
        datatype::type_type(types, core.int64),
        datatype::type_type(types, core.number),
        datatype::type_type(types, core.array),
        datatype::type_type(types, core.bottom),
        datatype::type_type(types, array(core.int64)),
        exists(&|it| datatype::type_type(types, it), core.number),
        exists(&|it| datatype::type_type(types, it), core.any),
        exists(&array, core.any),
        exists(&array, core.integer),
        array(core.bool),
    ]
}

/// The index may name too many methods, never too few.
#[test]
fn the_index_misses_no_method() {
    let rt = session();
    let types = &rt.types;
    let assorted = assorted_types(&rt);
    let functions = ["f", "g"].map(|it| rt.function(it).ty());
    let callees: Vec<Type> = functions.iter().chain(&assorted).copied().collect();
    let mut sigs = Vec::new();
    for &callee in &callees {
        sigs.push(datatype::tuple(types, &[callee]));
        for &argument in &assorted {
            sigs.push(datatype::tuple(types, &[callee, argument]));
        }
        sigs.push(datatype::tuple(types, &[callee, datatype::vararg(types, types.core().int64, None)]));
    }
    for &sig in &sigs {
        rt.add_sig(sig, rt.returns("f", &["x"], 0));
    }
    let index = rt.tables.methods.tables[0].read();
    for &query in &sigs {
        let found = index.candidates(types, query);
        for method in index.methods() {
            let sig = rt.tables.method(method).sig;
            let meets = intersect::meet(types, query, sig) != types.core().bottom;
            let (query, sig) = (display::of_type(types, query), display::of_type(types, sig));
            assert!(!meets || found.contains(&method), "{query} meets {sig}");
        }
    }
}
