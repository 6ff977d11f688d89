//! Code instances and their results, by owner and world.

use crate::program::{Compiled, Program};
use kiln_runtime::caching::{CacheView, NewCode, Results, Stored, StoredFields};
use kiln_runtime::tables::{CacheOwner, TableId, World};
use kiln_types::{Module, datatype, display};
use std::sync::Arc;

/// Another consumer's results on the same code.
#[derive(Default)]
struct Counted {
    lines: Stored<String>,
}

impl Results for Counted {
    const NAME: &'static str = "counted";
    fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
        let Self { lines } = self;
        to.add("lines", lines);
    }
}

/// MISSION C1. CompilerCaching "basic caching": made once, found ever after; a look-up of what is not there finds nothing;
/// two types of results live on one code instance.
#[test]
fn what_is_made_is_found() {
    let it = Program::new();
    it.define("f", &[it.int()], "body");
    it.define("other", &[it.int()], "body");
    let view = it.view("Test");
    let [f, other] = ["f", "other"].map(|name| view.method_instance(&it.call(name, &[it.int()])).unwrap());
    assert!(view.get(f).is_none());
    assert!(view.results::<Compiled>(f).is_none());
    let code = view.get_or_insert_with(f, NewCode::new);
    assert!(view.results::<Compiled>(f).unwrap().text.get().is_none(), "empty at first");
    let first = it.compiled(&view, "f", &[it.int()]);
    assert_eq!(first.text.get().unwrap().as_str(), "BODY");
    let again = it.compiled(&view, "f", &[it.int()]);
    assert!(Arc::ptr_eq(&first, &again));
    assert!(Arc::ptr_eq(&code, &view.get_or_insert_with(f, || unreachable!("there is one"))));
    assert_eq!(it.compiles.get(), 1);
    assert!(view.results::<Compiled>(other).is_none());

    let counted = view.results::<Counted>(f).unwrap();
    assert!(counted.lines.get().is_none());
    assert!(Arc::ptr_eq(&counted, &view.results::<Counted>(f).unwrap()));
    assert!(Arc::ptr_eq(&first, &view.results::<Compiled>(f).unwrap()));
}

/// MISSION C1. CompilerCaching "cache partitioning": a tuple of owners makes shards, which share nothing.
#[test]
fn a_tuple_of_owners_makes_shards() {
    let it = Program::new();
    it.define("f", &[it.float()], "body");
    let shard = |level: u32| CacheView::new(&it.tables, &("Shards", level), &[]);
    let (one, two) = (shard(1), shard(2));
    let first = it.compiled(&one, "f", &[it.float()]);
    let second = it.compiled(&two, "f", &[it.float()]);
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!(it.compiles.get(), 2);
    assert!(Arc::ptr_eq(&first, &it.compiled(&shard(1), "f", &[it.float()])));
    assert_eq!(it.compiles.get(), 2);
}

/// MISSION C1: the owner is the same in every process and in every order of definitions.
#[test]
fn owners_are_the_same_in_every_session() {
    let owner = |noise: &[&str]| -> CacheOwner {
        let it = Program::new();
        noise.iter().for_each(|it_is| {
            it.table(it_is);
        });
        let table = it.table("DEVICE");
        CacheView::new(&it.tables, &("Test", 3, "x"), &[table]).owner()
    };
    assert_eq!(owner(&[]), owner(&["A", "B"]));
    assert_ne!(owner(&[]), owner(&["DEVICE"]), "the second of that name is another table");
}

/// MISSION C1, O4. CompilerCaching "overlay method tables": a method that exists in an overlay only is found through it
/// and kept; a compiler that sees other tables shares nothing, whatever it calls itself.
#[test]
fn an_overlay_is_seen_and_kept_apart() {
    let it = Program::new();
    let (a, b) = (it.table("A"), it.table("B"));
    it.define_in(a, "twice", &[it.int()], "overlay");
    let call = it.call("twice", &[it.int()]);
    let [seen, unseen] = [a, b].map(|table| CacheView::new(&it.tables, "Same", &[table]));
    assert!(unseen.method_instance(&call).is_err());
    assert_eq!(it.compiled(&seen, "twice", &[it.int()]).text.get().unwrap().as_str(), "OVERLAY");
    it.compiled(&seen, "twice", &[it.int()]);
    assert_eq!(it.compiles.get(), 1);
    assert_ne!(seen.owner(), unseen.owner());
    let instance = seen.method_instance(&call).unwrap();
    assert!(unseen.get(instance).is_none());
}

/// MISSION C13. CompilerCaching "method table isolation": one function, two tables, two bodies.
#[test]
fn two_tables_have_two_bodies() {
    let it = Program::new();
    let (a, b) = (it.table("A"), it.table("B"));
    it.define_in(a, "f", &[it.int()], "in a");
    it.define_in(b, "f", &[it.int()], "in b");
    let said = |table| {
        let view = CacheView::new(&it.tables, "Same", &[table]);
        it.compiled(&view, "f", &[it.int()]).text.get().unwrap().to_string()
    };
    assert_eq!([said(a), said(b)], ["IN A", "IN B"]);
}

/// MISSION O1. CompilerCaching "StackedMethodTable": a stack finds what the global table has, alone or stacked; what an
/// overlay adds is merged by specificity, and worlds say since when.
#[test]
fn stacks_are_merged_with_the_global_table() {
    let it = Program::new();
    let (test, other) = (it.table("Test"), it.table("Other"));
    let number = it.types().core().any;
    it.define("sin", &[number], "global");
    it.define("sin", &[it.float()], "global of floats");
    let found = |tables: &[TableId], arg| {
        let view = CacheView::new(&it.tables, "Test", tables);
        let call = datatype::tuple(it.types(), &it.call("sin", &[arg]));
        it.tables.find_matches_in(view.method_tables(), call, view.world(), 10).unwrap()
    };
    for arg in [it.float(), number] {
        assert_eq!(found(&[test], arg), found(&[], arg));
        assert_eq!(found(&[other, test], arg), found(&[], arg));
    }
    assert_eq!(found(&[test], number).matches.len(), 2);
    let before = it.tables.world();
    let overlay = it.define_in(test, "sin", &[it.float()], "overlay");
    for tables in [&[test][..], &[other, test]] {
        let exact = found(tables, it.float());
        assert_eq!(exact.matches[0].method, overlay);
        assert!(exact.worlds.min > before);
        assert_eq!(found(tables, number).matches.len(), 2, "the overlay hides the method it equals");
    }
    assert_ne!(found(&[other], it.float()).matches[0].method, overlay);
    assert!(CacheView::new(&it.tables, "Test", &[test]).method_tables().rank(test).is_some());
}

/// CompilerCaching "compileable signatures": the instance of a call is for wider types where the language says so, and
/// for exactly those of the call if that is asked for ("exact specializations").
#[test]
fn instances_are_as_wide_as_the_language_says() {
    let it = Program::new();
    let types = it.types();
    let any = types.core().any;
    let sig = datatype::tuple(types, &[it.function("show"), datatype::vararg(types, any, None)]);
    let stub = it.define("stub", &[], "");
    // A method of kiln, so that kiln may choose.
    let code = (*it.tables.method(stub).code).clone();
    let def = kiln_runtime::tables::MethodDef {
        name: types.symbol("show"),
        module: Module::MAIN,
        sig,
        code,
        loc: kiln_ir::SourceLoc::NONE,
    };
    it.tables.add_method(TableId::GLOBAL, def);
    let call = it.call("show", &[it.int(); 4]);
    let view = it.view("Test");
    let signature = |instance| display::of_type(types, it.tables.instance_data(instance).spec_types);
    let wide = signature(view.method_instance(&call).unwrap());
    assert_eq!(wide, "Tuple{typeof(show), Int64, Vararg{Int64}}");
    let exact = view.exact_instance(&call).unwrap();
    assert_eq!(it.tables.instance_data(exact).spec_types, datatype::tuple(types, &call));
}

/// CompilerCaching "type-valued callees and arguments".
#[test]
fn types_are_called_and_passed() {
    let it = Program::new();
    let types = it.types();
    let core = types.core();
    let int_type = datatype::type_type(types, it.int());
    it.define("identity", &[core.any], "body");
    let constructor = datatype::tuple(types, &[int_type, it.float()]);
    it.tables.add_foreign_method(TableId::GLOBAL, constructor, crate::program::Text("convert".into()));
    let view = it.view("Test");
    assert!(view.method_instance(&it.call("identity", &[int_type])).is_ok());
    assert!(view.method_instance(&[int_type, it.float()]).is_ok());
}

/// MISSION C1: a view of an earlier world goes on seeing what was good there.
#[test]
fn an_earlier_world_keeps_its_results() {
    let it = Program::new();
    it.define("f", &[it.int()], "old");
    let before = it.view("Test");
    let old = it.compiled(&before, "f", &[it.int()]);
    it.define("f", &[it.int()], "new");
    assert_eq!(it.compiled(&it.view("Test"), "f", &[it.int()]).text.get().unwrap().as_str(), "NEW");
    assert!(Arc::ptr_eq(&old, &it.compiled(&before, "f", &[it.int()])));
    assert_eq!(before.world(), it.tables.world().previous());
    assert!(it.view("Test").in_world(World::FIRST).method_instance(&it.call("f", &[it.int()])).is_err());
}

/// MISSION O2: the runtime's own table cannot be written to through anything a back end can get hold of.
#[test]
#[should_panic(expected = "takes no methods")]
fn the_runtimes_table_takes_no_methods() {
    let it = Program::new();
    it.tables.seal();
    let view = it.view("Test");
    let own = view.method_tables().overlays()[0];
    it.define_in(own, "f", &[it.int()], "body");
}

/// MISSION C13: what a compiler knows of its own body is there when the code instance is, also for a thread that lost the
/// race to make it; a new definition ends it with the code.
#[test]
fn what_is_known_of_a_body_comes_with_its_code() {
    #[derive(Debug, PartialEq)]
    struct Tree(&'static str);
    let it = Program::new();
    it.define("f", &[it.int()], "body");
    let view = it.view("Test");
    let f = view.method_instance(&it.call("f", &[it.int()])).unwrap();
    let first = view.get_or_insert_with(f, || {
        let mut late = NewCode::new();
        late.set_result(Tree("first"));
        view.get_or_insert_with(f, || late);
        let mut code = NewCode::new();
        code.set_result(Tree("second"));
        code
    });
    assert_eq!(first.result::<Tree>().as_deref(), Some(&Tree("first")));
    assert!(Arc::ptr_eq(&first, &view.get(f).unwrap()));
    it.define("f", &[it.int()], "another");
    let again = it.view("Test").get_or_insert_with(f, NewCode::new);
    assert_eq!(again.result::<Tree>(), None);
}
