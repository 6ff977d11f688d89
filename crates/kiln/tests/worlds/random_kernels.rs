//! MISSION C14, C15, N8: a program of kernels is edited at random. After each edit every kernel computes what it computes
//! in a session that has seen only the program as it is, from the same machine code, byte by byte; the units that an edit
//! does not reach are not made again, and an edit that changes nothing, or nothing of the kernels, costs nothing at all.
//!
//! `KILN_KERNEL_EDITS` sets how many edits there are of each of `KILN_SEEDS` seeds, of which `KILN_SEED` is the first. Both sides have a store of their
//! own, the fresh sessions one that they share, so that a unit is compiled once a side; if a key left something out,
//! they would come to differ.

use crate::edits::Source;
use crate::kernel_source::{KERNELS, edit, start, text};
use kiln::cache::StoreOptions;
use kiln::internals::{SessionInternals as _, TestOptions as _};
use kiln::{LinkedUnit, Session, SessionOptions};
use kiln_ir::Instance;
use kiln_runtime::eval::toplevel;
use kiln_runtime::heap::text;
use kiln_runtime::tables::CacheOwner;
use kiln_testing::random::{Rng, setting};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Edits of one program.
const PER_PROGRAM: u64 = 50;

/// A directory that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("kiln-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The outcome of a kernel, and the code that it is made of.
#[derive(Default)]
struct Outcome {
    /// The number of the kernel; none if it is not compiled.
    handle: Option<u64>,
    said: String,
    units: Vec<LinkedUnit>,
}

struct Program {
    session: Session,
}

impl Program {
    fn new(text: &str, store: &Path) -> Self {
        let store = StoreOptions {
            root: store.to_owned(),
            mode: kiln::cache::StoreMode::ReadWrite,
            bytes_max: None,
            overlays: Vec::new(),
            verify_one_in: 0,
            remote: None,
        };
        let options = SessionOptions::new().interpret_host(true).store(Some(store));
        let it = Self { session: Session::new(options).unwrap() };
        it.run(text);
        it
    }

    fn run(&self, text: &str) {
        if let Err(failure) = self.session.run_text("program", text) {
            panic!("{failure:?} in\n{text}");
        }
    }

    fn outcomes(&self) -> Vec<Outcome> {
        let rt = self.session.runtime();
        let outcome = |n: usize| {
            let value = toplevel::eval_string(rt, self.session.main(), &format!("outcome(k{n}!)")).unwrap();
            let text = text::read(&rt.heap, value).unwrap().to_owned();
            let Some((number, said)) = text.split_once(' ').filter(|it| it.0 != "not") else {
                return Outcome { said: text, ..Outcome::default() };
            };
            let handle = number.parse().unwrap();
            let kernel = kiln_exec::KernelHandle::from_number(handle);
            let units = kiln_inspect::linked_units(self.session.exec_env().exec, kernel).unwrap();
            Outcome { handle: Some(handle), said: said.to_owned(), units }
        };
        (0..KERNELS).map(outcome).collect()
    }

    /// Bodies inferred, and units compiled or found in the store.
    fn work(&self) -> (u64, u64) {
        let timings = self.session.timings();
        let found = timings.image_hits + timings.front_hits + timings.back_hits;
        (self.session.runtime().tables.inference.inferred(), timings.compiles + found)
    }

    /// The results kept in all, after looking that no two of one owner hold for an instance now.
    fn results_kept(&self) -> usize {
        let tables = &self.session.runtime().tables;
        let world = tables.world();
        let mut kept = BTreeSet::new();
        for instance in (0..tables.instances.count()).map(Instance::from_u32) {
            let mut owners: BTreeSet<CacheOwner> = BTreeSet::new();
            for result in tables.instances.results(instance) {
                kept.insert(Arc::as_ptr(&result) as usize); // a method of equal body shares it
                assert!(!result.holds_in(world) || owners.insert(result.owner), "two results: {result:?}");
            }
        }
        kept.len()
    }

    /// Whether none of the functions of a unit is among those named.
    fn is_apart(&self, unit: &LinkedUnit, named: &[String]) -> bool {
        let rt = self.session.runtime();
        unit.functions.iter().all(|it| {
            let method = rt.tables.method(rt.tables.instance_data(*it).method);
            let name = rt.types.name(method.name);
            // A function with keywords has its body under a name made of its own; `part` is that of the modules.
            let is_named = |it: &String| {
                it == name || name.starts_with(&format!("#{it}#")) || (name == "part" && it.starts_with('M'))
            };
            !named.iter().any(is_named)
        })
    }
}

/// The units that are linked to the kernels, by the functions they define.
fn by_functions(outcomes: &[Outcome]) -> BTreeMap<Vec<u32>, &LinkedUnit> {
    let units = outcomes.iter().flat_map(|it| &it.units);
    units.map(|it| (it.functions.iter().map(|it| it.as_u32()).collect(), it)).collect()
}

/// Every object that has been linked to a kernel, by its address: kept, so that no other comes to lie there.
type Seen = BTreeMap<usize, LinkedUnit>;

/// How many of the units are linked for the first time.
fn see(seen: &mut Seen, outcomes: &[Outcome]) -> u64 {
    let before = seen.len();
    for unit in outcomes.iter().flat_map(|it| &it.units) {
        seen.entry(Arc::as_ptr(&unit.body) as usize).or_insert_with(|| unit.clone());
    }
    (seen.len() - before) as u64
}

struct Edited<'a> {
    program: &'a Program,
    /// The kernels that the edit reaches.
    reached: Vec<String>,
    /// It changes nothing, or nothing of the kernels.
    is_nothing: bool,
    source: &'a Source,
    before: &'a [Outcome],
    now: &'a [Outcome],
}

impl Edited<'_> {
    /// Checks that kernels which the edit does not reach are unchanged.
    fn check_kept(&self, what: &str) {
        let old = by_functions(self.before);
        let what = format!("{what}, now\n{}", text(self.source));
        for (n, (before, now)) in self.before.iter().zip(self.now).enumerate() {
            if self.is_nothing || !self.reached.contains(&format!("k{n}!")) {
                assert_eq!((before.handle, &before.said), (now.handle, &now.said), "k{n}! {what}");
                let same = before.units.iter().zip(&now.units).all(|it| Arc::ptr_eq(&it.0.body, &it.1.body));
                assert!(same, "k{n}! {what}");
            }
            for unit in now.units.iter().filter(|it| self.program.is_apart(it, &self.reached)) {
                let functions: Vec<u32> = unit.functions.iter().map(|it| it.as_u32()).collect();
                if let Some(old) = old.get(&functions) {
                    assert!(Arc::ptr_eq(&old.body, &unit.body), "{functions:?} of k{n}! {what}");
                }
            }
        }
    }
}

/// The machine code of a kernel: the entry's unit, then the others in some order.
fn objects(it: &Outcome) -> Vec<Vec<u8>> {
    let mut all: Vec<_> = it.units.iter().map(|it| it.body.to_bytes()).collect();
    if let Some(others) = all.get_mut(1..) {
        others.sort_unstable();
    }
    all
}

fn check_against_fresh(now: &[Outcome], source: &Source, store: &Path, what: &str) {
    let text = text(source);
    let fresh = Program::new(&text, store).outcomes();
    for (n, (kept, made)) in now.iter().zip(&fresh).enumerate() {
        assert_eq!(kept.said, made.said, "k{n}! {what}, in a fresh session of\n{text}");
        assert!(objects(kept) == objects(made), "the machine code of k{n}! {what}, for\n{text}");
    }
}

#[test]
fn after_any_edit_machine_code_is_what_a_fresh_session_makes() {
    let first = setting("KILN_SEED", 1);
    let scratch = Scratch::new("kernel-edits");
    for seed in first..first + setting("KILN_SEEDS", 3) {
        edit_at_random(seed, setting("KILN_KERNEL_EDITS", 50), &scratch);
    }
}

fn edit_at_random(seed: u64, edits: u64, scratch: &Scratch) {
    let (mut compiled, mut launched) = (0, 0);
    let mut rng = Rng::from_state(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for first in (0..edits).step_by(PER_PROGRAM as usize) {
        let mut source = start(&mut rng);
        let program = Program::new(&text(&source), &scratch.0.join("edited"));
        let mut before = program.outcomes();
        let mut seen = Seen::new();
        see(&mut seen, &before);
        for number in first..edits.min(first + PER_PROGRAM) {
            let (edit, is_unrelated) = edit(&mut rng, &source);
            let what = format!("after {} (seed {seed}, edit {number})", edit.text);
            let name = edit.key.split('|').next().unwrap().to_owned();
            let is_equal = source.definitions.get(&edit.key).is_some_and(|it| it.0 == edit.text);
            let mut reached = source.reached_by(&name);
            if !is_unrelated {
                source.definitions.insert(edit.key, (edit.text.clone(), edit.mentions));
            }
            reached.extend(source.reached_by(&name));
            let (work, kept) = (program.work(), program.results_kept());
            program.run(&format!("# moved\n\n{}", edit.text));
            let now = program.outcomes();
            // A module is a new one each time.
            let is_nothing = is_unrelated || (is_equal && !name.starts_with('M'));
            if is_nothing || !reached.iter().any(|it| it.starts_with('k')) {
                assert_eq!(program.work(), work, "{what}");
                assert_eq!(program.results_kept(), kept, "results kept {what}");
            }
            let new = see(&mut seen, &now);
            let made = program.work().1 - work.1;
            if before.iter().chain(&now).all(|it| it.handle.is_some()) {
                // A unit may have been made for a caller whose object came to do without it: of what the edit reaches.
                assert!(made <= new + reached.len() as u64, "{made} units made and {new} linked {what}");
            }
            let source = &source;
            Edited { program: &program, reached, is_nothing, source, before: &before, now: &now }
                .check_kept(&what);
            check_against_fresh(&now, source, &scratch.0.join("fresh"), &what);
            compiled += now.iter().filter(|it| it.handle.is_some()).count();
            launched += now.len();
            before = now;
        }
    }
    assert!(compiled * 4 > launched * 3, "{compiled} of {launched} kernels were compiled");
}
