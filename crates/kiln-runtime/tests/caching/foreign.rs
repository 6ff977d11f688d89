//! Methods in the IR of another front end.

use crate::program::{Compiled, Program, Text};
use kiln_runtime::Value;
use kiln_runtime::caching::{CacheView, NewCode};
use kiln_runtime::tables::{Definition, Edge, TableId, World};
use kiln_types::{Module, consts, datatype};
use std::sync::Arc;

/// MISSION C13. CompilerCaching "custom IR / basic caching": compiled once; a new definition is compiled anew.
#[test]
fn a_foreign_method_is_compiled_once_a_definition() {
    let it = Program::new();
    let table = it.table("TABLE");
    it.define_in(table, "node", &[it.int()], "ten");
    let said = || {
        let view = CacheView::new(&it.tables, "Basic", &[table]);
        it.compiled(&view, "node", &[it.int()]).text.get().unwrap().to_string()
    };
    assert_eq!((said(), said(), it.compiles.get()), ("TEN".into(), "TEN".into(), 1));
    it.define_in(table, "node", &[it.int()], "thirty");
    assert_eq!((said(), it.compiles.get()), ("THIRTY".into(), 2));
}

/// MISSION C13. CompilerCaching "custom IR / multiple dispatch": methods are compiled apart, and one that is defined again
/// leaves the other's results alone.
#[test]
fn methods_of_one_function_end_apart() {
    let it = Program::new();
    it.define("node", &[it.int()], "int");
    it.define("node", &[it.float()], "float");
    let compiled = |arg| it.compiled(&it.view("Dispatch"), "node", &[arg]);
    let (int, float) = (compiled(it.int()), compiled(it.float()));
    assert_eq!(it.compiles.get(), 2);
    assert!(Arc::ptr_eq(&int, &compiled(it.int())));
    it.define("node", &[it.int()], "another int");
    assert_eq!(compiled(it.int()).text.get().unwrap().as_str(), "ANOTHER INT");
    assert_eq!(it.compiles.get(), 3);
    assert!(Arc::ptr_eq(&float, &compiled(it.float())));
    assert_eq!(it.compiles.get(), 3);
}

/// CompilerCaching "custom IR / Function-subtype specialization": the effects of a foreign body are unknown with a function it
/// is given, so it is specialized for it.
#[test]
fn foreign_methods_are_specialized_for_functions() {
    let it = Program::new();
    it.define("node", &[it.types().core().any, it.int()], "body");
    let call = it.call("node", &[it.function("callable"), it.int()]);
    let instance = it.view("Test").method_instance(&call).unwrap();
    assert_eq!(it.tables.instance_data(instance).spec_types, datatype::tuple(it.types(), &call));
}

/// CompilerCaching "custom IR / missing method": nothing is found, and when the method appears, what depended on its
/// absence ends. MISSION C14.
#[test]
fn a_missing_method_is_a_dependency() {
    let it = Program::new();
    it.define("caller", &[it.int()], "body");
    let view = it.view("Test");
    let call = it.call("missing", &[it.int()]);
    let failure = view.method_instance(&call).unwrap_err();
    assert!(!failure.ambiguous);
    let caller = view.method_instance(&it.call("caller", &[it.int()])).unwrap();
    view.get_or_insert_with(caller, || {
        let mut code = NewCode::new();
        code.misses(datatype::tuple(it.types(), &call));
        code
    });
    it.define("missing", &[it.float()], "of another type");
    assert!(it.view("Test").get(caller).is_some());
    it.define("missing", &[it.int()], "here");
    assert!(it.view("Test").get(caller).is_none());
}

/// Makes code for `name(::Int)`, which calls those in `callees`, made first.
fn code(it: &Program, view: &CacheView<'_>, name: &str, callees: &[&str]) {
    let instance_of = |name: &str| view.method_instance(&it.call(name, &[it.int()])).unwrap();
    view.get_or_insert_with(instance_of(name), || {
        it.compiles.set(it.compiles.get() + 1);
        let mut code = NewCode::new();
        callees.iter().for_each(|it| {
            code.calls(instance_of(it));
        });
        code
    });
}

/// MISSION C13, C14. CompilerCaching "custom IR / dependency invalidation": a definition ends what calls it, through all
/// calls, and nothing else; the tables say why.
#[test]
fn a_definition_ends_all_that_depends_on_it() {
    let it = Program::new();
    for name in ["grandchild", "child", "parent", "bystander"] {
        it.define(name, &[it.int()], name);
    }
    let compile = || {
        let view = it.view("Dependencies");
        code(&it, &view, "grandchild", &[]);
        code(&it, &view, "child", &["grandchild"]);
        code(&it, &view, "parent", &["child"]);
        code(&it, &view, "bystander", &[]);
    };
    compile();
    compile();
    assert_eq!(it.compiles.get(), 4);
    let view = it.view("Dependencies");
    let parent = view.method_instance(&it.call("parent", &[it.int()])).unwrap();
    let kept = view.results::<Compiled>(parent).unwrap();
    kept.text.get_or_make(String::new);
    it.define("unrelated", &[it.int()], "x");
    let later = it.view("Dependencies");
    assert!(Arc::ptr_eq(&kept, &later.results::<Compiled>(parent).unwrap()));
    let new = it.define("grandchild", &[it.int()], "changed");
    assert!(it.view("Dependencies").results::<Compiled>(parent).is_none());
    let why = it.tables.why_ended(parent, view.owner()).unwrap();
    assert_eq!(why.definition, Definition::Method(new));
    let child = view.method_instance(&it.call("child", &[it.int()])).unwrap();
    let grandchild = view.method_instance(&it.call("grandchild", &[it.int()])).unwrap();
    assert_eq!((why.chain, why.edge), (vec![parent, child], Some(Edge::Instance(grandchild))));
    compile();
    assert_eq!(it.compiles.get(), 7, "all but the bystander");
    assert!(it.view("Dependencies").results::<Compiled>(parent).unwrap().text.get().is_none());
}

/// MISSION C14: a method that comes before the one that was called is a change, too.
#[test]
fn a_more_specific_method_ends_its_callers() {
    let it = Program::new();
    it.define("child", &[it.types().core().any], "any");
    it.define("parent", &[it.int()], "parent");
    let view = it.view("Dependencies");
    code(&it, &view, "parent", &["child"]);
    let parent = view.method_instance(&it.call("parent", &[it.int()])).unwrap();
    it.define("child", &[it.float()], "of floats");
    assert!(it.view("Dependencies").get(parent).is_some());
    let other = it.table("OTHER");
    it.define_in(other, "child", &[it.int()], "unseen");
    assert!(it.view("Dependencies").get(parent).is_some(), "the compiler does not see that table");
    it.define("child", &[it.int()], "of integers");
    assert!(it.view("Dependencies").get(parent).is_none());
}

/// CompilerCaching "CodeInstance dependency invalidation": a dependency is on the code of one owner; that another owner
/// made for the same method instance lives and dies apart.
#[test]
fn owners_depend_on_their_own_code() {
    let it = Program::new();
    for name in ["child", "parent"] {
        it.define(name, &[it.int()], name);
    }
    let limit = it.types().symbol("LIMIT");
    let main = Module::MAIN;
    it.tables.define_const(main, limit, Value::int(it.types().core(), 1)).unwrap();
    let [one, two] = ["One", "Two"].map(|owner| it.view(owner));
    let [child, parent] =
        ["child", "parent"].map(|name| one.method_instance(&it.call(name, &[it.int()])).unwrap());
    // The child of the first owner reads the constant, that of the second does not.
    one.get_or_insert_with(child, || {
        let mut code = NewCode::new();
        code.reads(main, limit);
        code
    });
    two.get_or_insert_with(child, NewCode::new);
    code(&it, &one, "parent", &["child"]);
    code(&it, &two, "parent", &["child"]);
    it.tables.define_const(main, limit, Value::int(it.types().core(), 2)).unwrap();
    let [one, two] = ["One", "Two"].map(|owner| it.view(owner));
    assert!(one.get(child).is_none() && one.get(parent).is_none());
    assert!(two.get(child).is_some() && two.get(parent).is_some());
    it.define("child", &[it.int()], "changed");
    assert!(it.view("Two").get(parent).is_none(), "a new definition ends the code of all owners");
}

/// MISSION C14. CompilerCaching "binding edges": code that captured a global ends when the name comes to mean something
/// else, and only then.
#[test]
fn captured_globals_are_dependencies() {
    let it = Program::new();
    it.define("f", &[it.int()], "reads TRAIT");
    let (main, core) = (Module::MAIN, *it.types().core());
    let [name, other] = ["TRAIT", "OTHER"].map(|name| it.types().symbol(name));
    it.tables.define_const(main, name, Value::int(&core, 1)).unwrap();
    let view = it.view("Test");
    let f = view.method_instance(&it.call("f", &[it.int()])).unwrap();
    let made = view.get_or_insert_with(f, || {
        let mut code = NewCode::new();
        code.reads(main, name);
        code
    });
    assert_eq!(made.worlds().max, World::MAX);
    it.tables.define_const(main, other, Value::int(&core, 1)).unwrap();
    assert!(it.view("Test").get(f).is_some());
    it.tables.define_const(main, name, Value::int(&core, 2)).unwrap();
    assert!(it.view("Test").get(f).is_none());
    assert_ne!(made.worlds().max, World::MAX);
}

/// MISSION C18. CompilerCaching "const-prop inference": results per constant arguments, found again by equal constants;
/// the generic ones stay; a definition ends them all.
#[test]
fn constants_have_results_of_their_own() {
    let it = Program::new();
    it.define("add", &[it.int(), it.int()], "a + b");
    let view = it.view("Constants");
    let generic = view.method_instance(&it.call("add", &[it.int(), it.int()])).unwrap();
    let of = |a: i64, b: Option<i64>| {
        let constant = |it_is: i64| consts::int(it.types(), it_is);
        view.constant_instance(generic, &[None, Some(constant(a)), b.map(constant)])
    };
    for instance in [generic, of(1, Some(2)), of(10, Some(20)), of(1, None)] {
        assert!(view.results::<Compiled>(instance).is_none());
        view.get_or_insert_with(instance, || {
            let mut code = NewCode::new();
            code.calls(generic);
            code
        });
    }
    let results = |instance| view.results::<Compiled>(instance).unwrap();
    assert!(Arc::ptr_eq(&results(of(1, Some(2))), &results(of(1, Some(2)))));
    assert!(!Arc::ptr_eq(&results(of(1, Some(2))), &results(of(10, Some(20)))));
    assert!(!Arc::ptr_eq(&results(of(1, Some(2))), &results(of(1, None))));
    assert!(!Arc::ptr_eq(&results(of(1, Some(2))), &results(generic)));
    assert!(view.results::<Compiled>(of(99, Some(99))).is_none());
    it.define("add", &[it.int(), it.int()], "b + a");
    let view = it.view("Constants");
    assert!([generic, of(1, Some(2)), of(1, None)].iter().all(|it| view.get(*it).is_none()));
}

/// MISSION C13: a body is only read by those who know its language, and its place among the methods is any method's.
#[test]
fn a_body_keeps_its_language() {
    struct Other;
    impl kiln_runtime::caching::Portable for Other {
        fn to_bytes(&self) -> Vec<u8> {
            Vec::new()
        }
        fn from_bytes(_: &[u8]) -> Option<Self> {
            Some(Self)
        }
    }
    impl kiln_runtime::caching::ForeignIr for Other {
        const LANGUAGE: &'static str = "other";
    }
    let it = Program::new();
    let method = it.tables.method(it.define("f", &[it.int()], "body"));
    assert_eq!(method.foreign_language(), Some("text"));
    assert_eq!(method.foreign::<Text>().as_deref(), Some(&Text("body".into())));
    assert!(method.foreign::<Other>().is_none());
    assert_eq!((method.nargs, method.is_va, method.table), (2, false, TableId::GLOBAL));
    let rest = datatype::vararg(it.types(), it.int(), None);
    let method = it.tables.method(it.define("f", &[it.int(), rest], "rest"));
    assert_eq!((method.nargs, method.is_va), (3, true));
}
