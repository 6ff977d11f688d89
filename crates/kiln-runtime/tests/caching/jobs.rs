//! Results of jobs: the results that configurations share, and the lifetimes of results.

use crate::program::{Compiled, Program};
use kiln_runtime::caching::{
    CacheView, CompilerConfig, CompilerJob, ConfigKey, ConfigOptions, NewCode, Results, StableBytes, Stored,
    StoredFields,
};
use kiln_runtime::tables::CacheOwner;
use std::sync::Arc;

/// Another consumer.
#[derive(Default)]
struct Other {
    data: Stored<String>,
}

impl Results for Other {
    const NAME: &'static str = "other";
    fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
        let Self { data } = self;
        to.add("data", data);
    }
}

/// A kernel and what it calls.
fn program() -> Program {
    let it = Program::new();
    it.define("child", &[it.int()], "child");
    it.define("kernel", &[it.int()], "kernel");
    it
}

fn config(it: &Program, change: impl FnOnce(&mut ConfigOptions)) -> Arc<CompilerConfig> {
    let mut options =
        ConfigOptions { target: StableBytes::from_stable(&("mock", 1)), ..ConfigOptions::default() };
    change(&mut options);
    Arc::new(CompilerConfig::new(&it.tables, options))
}

/// The job of `kernel(::Int)` in the newest world.
fn job(it: &Program, config: &Arc<CompilerConfig>) -> CompilerJob {
    let view = CacheView::with_view(
        &it.tables,
        config.owner(),
        config.options().method_tables.clone(),
        it.tables.world(),
    );
    let source = view.exact_instance(&it.call("kernel", &[it.int()])).unwrap();
    CompilerJob { source, config: config.clone(), world: view.world() }
}

/// Stands in for inference: code that calls `child`.
fn infer(it: &Program, job: &CompilerJob) {
    let view = job.view(&it.tables);
    let child = view.method_instance(&it.call("child", &[it.int()])).unwrap();
    view.get_or_insert_with(child, NewCode::new);
    view.get_or_insert_with(job.source, || {
        it.compiles.set(it.compiles.get() + 1);
        let mut code = NewCode::new();
        code.calls(child);
        code
    });
}

/// MISSION C2, C3. GPUCompiler "cached results": nothing before code exists; then the same object for equal
/// configurations, another one for each consumer, each configuration and each owner; unrelated definitions change
/// nothing; a redefinition begins anew.
#[test]
fn results_are_those_of_a_job() {
    let it = program();
    let plain = config(&it, |_| ());
    let first = job(&it, &plain);
    assert!(it.tables.cached_results::<Compiled>(&first).is_none());
    infer(&it, &first);
    let results = it.tables.cached_results::<Compiled>(&first).unwrap();
    assert!(results.text.get().is_none());
    results.text.get_or_make(|| "compiled".into());
    let same = |job: &CompilerJob| {
        it.tables.cached_results::<Compiled>(job).is_some_and(|it| Arc::ptr_eq(&it, &results))
    };
    assert!(same(&first));
    assert!(it.tables.cached_results::<Other>(&first).unwrap().data.get().is_none());
    assert!(same(&first));

    let named = job(&it, &config(&it, |it| it.name = Some("custom".into())));
    assert_eq!(named.source, first.source);
    assert!(it.tables.cached_results::<Compiled>(&named).unwrap().text.get().is_none());
    assert!(same(&job(&it, &config(&it, |_| ()))), "an equal configuration, made anew");

    it.define("unrelated", &[], "nothing");
    let later = job(&it, &plain);
    assert!(later.world > first.world && same(&later));

    let table = it.table("OTHER");
    let other = job(
        &it,
        &config(&it, |it| {
            it.method_tables = kiln_runtime::tables::MethodTableView::stacked(&[table]);
        }),
    );
    assert!(it.tables.cached_results::<Compiled>(&other).is_none(), "MISSION O4");
    infer(&it, &other);
    assert!(!same(&other));

    it.define("kernel", &[it.int()], "another kernel");
    let new = job(&it, &plain);
    assert!(it.tables.cached_results::<Compiled>(&new).is_none());
    infer(&it, &new);
    assert!(it.tables.cached_results::<Compiled>(&new).unwrap().text.get().is_none());
    assert!(same(&first), "in its own world it is what it was");
}

/// MISSION C3, C4: each option tells results apart; only what inference can see tells owners apart, so all other
/// configurations share one inference.
#[test]
fn every_option_is_in_the_key_and_few_in_the_owner() {
    let it = program();
    let table = it.table("OVERLAYS");
    type Change<'a> = Box<dyn Fn(&mut ConfigOptions) + 'a>;
    let codegen: Vec<Change<'_>> = vec![
        Box::new(|it| it.target = StableBytes::from_stable(&("mock", 2))),
        Box::new(|it| it.params = StableBytes::from_stable(&("max threads", 256))),
        Box::new(|it| it.params = StableBytes::from_stable(&("max threads", 512))),
        Box::new(|it| it.kernel = false),
        Box::new(|it| it.name = Some("a".into())),
        Box::new(|it| it.name = Some("b".into())),
        Box::new(|it| it.opt_level = 3),
        Box::new(|it| it.debug_level = 2),
    ];
    let seen: Vec<Change<'_>> = vec![
        Box::new(|it| it.inference = StableBytes::from_stable(&("in kernel", true))),
        Box::new(|it| it.always_inline = true),
        Box::new(|it| it.method_tables = kiln_runtime::tables::MethodTableView::stacked(&[table])),
    ];
    let plain = config(&it, |_| ());
    infer(&it, &job(&it, &plain));
    let mut keys: Vec<ConfigKey> = vec![plain.key()];
    for change in &codegen {
        let changed = config(&it, change);
        assert_eq!(changed.owner(), plain.owner());
        assert!(!keys.contains(&changed.key()));
        keys.push(changed.key());
        infer(&it, &job(&it, &changed));
        assert!(it.tables.cached_results::<Compiled>(&job(&it, &changed)).unwrap().text.get().is_none());
    }
    assert_eq!(it.compiles.get(), 1, "inferred once for all of them");
    let mut owners: Vec<CacheOwner> = vec![plain.owner()];
    for change in &seen {
        let changed = config(&it, change);
        assert!(!owners.contains(&changed.owner()) && !keys.contains(&changed.key()));
        owners.push(changed.owner());
        keys.push(changed.key());
    }
}

/// MISSION C2: a look-up makes nothing, however often it is done.
#[test]
fn a_look_up_is_only_that() {
    let it = program();
    let job = job(&it, &config(&it, |_| ()));
    for _ in 0..100_000 {
        assert!(it.tables.cached_results::<Compiled>(&job).is_none());
    }
    infer(&it, &job);
    let results = it.tables.cached_results::<Compiled>(&job).unwrap();
    results.text.get_or_make(|| "compiled".into());
    for _ in 0..100_000 {
        assert!(Arc::ptr_eq(&results, &it.tables.cached_results::<Compiled>(&job).unwrap()));
    }
    assert_eq!((it.compiles.get(), it.tables.inference.inferred()), (1, 0));
}

/// MISSION C1, C15: code that a definition ended may turn out to hold. What was made of it and of other bodies is good
/// again if its maker said which, and all of them hold; otherwise it is gone.
#[test]
fn what_was_made_of_other_bodies_says_of_which() {
    let it = program();
    let plain = config(&it, |_| ());
    let first = job(&it, &plain);
    infer(&it, &first);
    let view = first.view(&it.tables);
    let child = view.method_instance(&it.call("child", &[it.int()])).unwrap();
    let parts = [view.get(first.source).unwrap(), view.get(child).unwrap()];
    let silent = it.tables.cached_results::<Other>(&first).unwrap();
    let explicit = it.tables.cached_results::<Compiled>(&first).unwrap();
    it.tables.set_dependencies(&first, &explicit, &parts);

    // An equal body: both hold again, as inference would find out.
    it.define("child", &[it.int()], "child");
    let again = job(&it, &plain);
    assert!(it.tables.cached_results::<Compiled>(&again).is_none());
    let new_child = again.view(&it.tables).method_instance(&it.call("child", &[it.int()])).unwrap();
    it.tables.revive(&parts[1], new_child, again.world);
    it.tables.revive(&parts[0], again.source, again.world);
    assert!(Arc::ptr_eq(&explicit, &it.tables.cached_results::<Compiled>(&again).unwrap()));
    assert!(!Arc::ptr_eq(&silent, &it.tables.cached_results::<Other>(&again).unwrap()));

    // Another body that is used in the same way: the kernel's code holds, what was linked does not.
    it.define("child", &[it.int()], "another child");
    let changed = job(&it, &plain);
    it.tables.revive(&parts[0], changed.source, changed.world);
    assert!(!Arc::ptr_eq(&explicit, &it.tables.cached_results::<Compiled>(&changed).unwrap()));
    assert!(Arc::ptr_eq(&explicit, &it.tables.cached_results::<Compiled>(&first).unwrap()));
}
