//! MISSION C14, C15: a program is edited at random. After each edit every result equals that of inference from scratch;
//! results that the edit does not affect are the same objects as before; an edit without effect costs nothing.
//!
//! `KILN_EDITS` sets how many edits there are and `KILN_SEED` where they start.

use crate::edits::{Edit, Source};
use crate::program::Program;
use kiln::internals::SessionInternals as _;
use kiln_runtime::tables::CodeInstance;
use kiln_testing::random::{Rng, setting};
use kiln_types::Type;
use std::sync::Arc;

const FUNCTIONS: usize = 20;
const CONSTANTS: usize = 4;
/// Every so many edits the results are compared with those of a session that has seen only the program as it is.
const FRESH_SESSION_EVERY: u64 = 150;

/// A body for function `n`, which calls functions below it, or itself, with its references.
fn body(rng: &mut Rng, n: usize) -> (String, Vec<String>) {
    let mut mentions = Vec::new();
    let mut term = |rng: &mut Rng, argument: &str| match rng.below(6) {
        0 => {
            let name = format!("C{}", rng.below(CONSTANTS));
            mentions.push(name.clone());
            name
        }
        1 => format!("{}", rng.below(4)),
        2 => argument.to_owned(),
        _ if n == 0 => "x + 1".to_owned(),
        _ => {
            let name = format!("f{}", n - 1 - rng.below(n.min(5)));
            let inner = ["x", "x - 1", "2", "1.5", "C0"][rng.below(5)];
            if inner == "C0" {
                mentions.push("C0".into());
            }
            let text = format!("{name}({inner})");
            mentions.push(name);
            text
        }
    };
    let (a, b) = (term(rng, "x"), term(rng, "x"));
    let text = match rng.below(7) {
        0 => format!("{a} + {b}"),
        1 => format!("x > 2 ? {a} : {b}"),
        2 => format!("({a}) * 2 - ({b})"),
        3 => {
            mentions.push(format!("f{n}"));
            format!("x <= 0 ? {a} : f{n}(x - 1)")
        }
        4 => format!("({a}, {b})[{}]", 1 + rng.below(2)),
        5 => format!("begin s = {a}; for i in 1:3; s += {b}; end; s end"),
        _ => a,
    };
    (text, mentions)
}

fn definition(rng: &mut Rng, n: usize) -> Edit {
    let mark = ["", "@noinline ", "@inline ", ""][rng.below(4)];
    let (table, tag) = if rng.below(5) == 0 { ("Base.Experimental.@overlay T ", "T") } else { ("", "") };
    let ty = ["Int", "Int", "Int", "Float64", "Real"][rng.below(5)];
    let (body, mut mentions) = body(rng, n);
    mentions.sort();
    let text = format!("{table}{mark}f{n}(x::{ty}) = {body}");
    Edit { key: format!("f{n}|{tag}{ty}"), text, mentions }
}

fn edit(rng: &mut Rng, source: &Source) -> Edit {
    match rng.below(10) {
        0..=5 => {
            let n = rng.below(FUNCTIONS);
            definition(rng, n)
        }
        6 => {
            let name = format!("C{}", rng.below(CONSTANTS));
            let value = ["1", "2", "3", "2.5"][rng.below(4)];
            Edit { key: format!("{name}|"), text: format!("const {name} = {value}"), mentions: Vec::new() }
        }
        // The same again, elsewhere in the file.
        7 | 8 => {
            let at = rng.below(source.definitions.len());
            let (key, (text, mentions)) = source.definitions.iter().nth(at).unwrap();
            let text = format!("# again\n\n{text}");
            Edit { key: key.clone(), text, mentions: mentions.clone() }
        }
        _ => {
            let name = format!("unrelated{}", rng.below(3));
            let text = format!("{name}(x) = x + {}", rng.below(9));
            Edit { key: format!("{name}|"), text, mentions: Vec::new() }
        }
    }
}

fn start(rng: &mut Rng) -> (Program, Source) {
    let mut source = Source::default();
    let mut text = String::from("Base.Experimental.@MethodTable T\n");
    for n in 0..CONSTANTS {
        source.definitions.insert(format!("C{n}|"), (format!("const C{n} = {n}"), Vec::new()));
    }
    for n in 0..FUNCTIONS {
        let (body, mentions) = body(rng, n);
        let text = format!("f{n}(x::Int) = {body}");
        source.definitions.insert(format!("f{n}|Int"), (text, mentions));
    }
    for (definition, _) in source.definitions.values() {
        text.push_str(definition);
        text.push('\n');
    }
    (Program::new(&text), source)
}

/// Everything that is compared.
struct Queries {
    calls: Vec<(String, Vec<Type>)>,
}

impl Queries {
    fn new(program: &Program) -> Self {
        let names = (0..FUNCTIONS).map(|n| format!("f{n}(Int)"));
        Self { calls: names.map(|it| (it.clone(), program.call(&it))).collect() }
    }

    /// The results of all calls, on the host and on a device that sees the overlay table.
    fn all(&self, program: &Program, afresh: Option<u128>) -> Vec<(String, Arc<CodeInstance>)> {
        let env = program.session.exec_env();
        let table = [program.table("T")];
        let mut results = Vec::new();
        for (name, device) in [("host", None), ("device", Some(&table[..]))] {
            for (call, types) in &self.calls {
                let made = match afresh {
                    None => kiln_inspect::typed(&env, types, device),
                    Some(n) => {
                        let owner = n << 1 | u128::from(device.is_some());
                        let owner = kiln_runtime::tables::CacheOwner::from_hash(owner);
                        kiln_inspect::typed_afresh(&env, types, device, owner)
                    }
                };
                results.push((format!("{call} on {name}"), made.unwrap()));
            }
        }
        results
    }
}

fn check_against_fresh_session(program: &Program, queries: &Queries, source: &Source) {
    let mut text = String::from("Base.Experimental.@MethodTable T\n");
    for (key, (definition, _)) in &source.definitions {
        if !key.starts_with('f') {
            text.push_str(definition);
            text.push('\n');
        }
    }
    for n in 0..FUNCTIONS {
        text.push_str(&format!("function f{n} end\n"));
    }
    for (key, (definition, _)) in &source.definitions {
        if key.starts_with('f') {
            text.push_str(definition);
            text.push('\n');
        }
    }
    let fresh = Program::new(&text);
    let fresh_queries = Queries::new(&fresh);
    let pairs = queries.all(program, None).into_iter().zip(fresh_queries.all(&fresh, None));
    for ((call, kept), (_, made)) in pairs {
        assert_eq!(program.said(&kept), fresh.said(&made), "{call} in a fresh session of\n{text}");
    }
}

#[test]
fn after_any_edit_what_is_kept_is_what_would_be_made() {
    let edits = setting("KILN_EDITS", 1500);
    let seed = setting("KILN_SEED", 1);
    let mut rng = Rng::from_state(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut program, mut source) = start(&mut rng);
    let mut queries = Queries::new(&program);
    let mut before = queries.all(&program, None);
    let mut equal_edits = 0;
    for number in 0..edits {
        let edit = edit(&mut rng, &source);
        let name = edit.key.split('|').next().unwrap().to_owned();
        let old = source.definitions.get(&edit.key);
        let text = edit.text.trim_start_matches("# again\n\n").to_owned();
        let is_equal = old.is_some_and(|it| it.0 == text);
        let mut reached = source.reached_by(&name);
        source.definitions.insert(edit.key.clone(), (text, edit.mentions));
        reached.extend(source.reached_by(&name));
        program.run(&edit.text);
        let inferred = program.inferences();
        let now = queries.all(&program, None);
        if is_equal {
            equal_edits += 1;
            assert_eq!(program.inferences(), inferred, "seed {seed}, edit {number}: {}", edit.text);
        }
        for ((call, kept), (_, old)) in now.iter().zip(&before) {
            let function = call.split('(').next().unwrap();
            if is_equal || !reached.iter().any(|it| it == function) {
                assert!(Arc::ptr_eq(kept, old), "seed {seed}, edit {number}: {call} after {}", edit.text);
            }
        }
        for ((call, kept), (_, made)) in
            now.iter().zip(queries.all(&program, Some(1000 + u128::from(number))))
        {
            let (kept, made) = (program.said(kept), program.said(&made));
            assert_eq!(kept, made, "seed {seed}, edit {number}: {call} after {}", edit.text);
        }
        before = now;
        if (number + 1) % FRESH_SESSION_EVERY == 0 {
            check_against_fresh_session(&program, &queries, &source);
            (program, source) = start(&mut rng);
            queries = Queries::new(&program);
            before = queries.all(&program, None);
        }
    }
    assert!(equal_edits * 20 > edits, "{equal_edits} of {edits} edits changed nothing");
}
