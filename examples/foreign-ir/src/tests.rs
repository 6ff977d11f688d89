//! Recompilations, counted.

use crate::compiler::{Compiler, Counts, Machine};
use crate::formula::{Formula, Kind, Number, read};
use crate::{Folder, PROGRAM, story};
use kiln_caching::Portable;

const CPU: Machine = Machine("cpu");

fn compiler(text: &str) -> Compiler {
    let it = Compiler::new(None);
    it.define(text).unwrap();
    it
}

/// Returns the result of a call on the host, and its cost.
fn run(it: &Compiler, name: &str, args: &[Number]) -> (String, Counts) {
    let value = it.run(&it.view(false), &CPU, name, args).map_or_else(|why| why, |it| it.to_string());
    (value, it.counts())
}

fn counts(checked: u32, made: u32, linked: u32) -> Counts {
    Counts { checked, made, linked }
}

#[test]
fn the_readme_shows_what_is_printed() {
    let readme = include_str!("../README.md");
    let told = story().unwrap();
    assert!(readme.contains(&told), "README.md does not show this:\n{told}");
}

/// MISSION C13: a definition ends what calls it, through all calls, and nothing else.
#[test]
fn a_leaf_ends_its_callers_and_nothing_else() {
    let it = compiler(
        "(fn (leaf x) x) (fn (other x) x) (fn (middle x) (leaf x)) (fn (top x) (+ (middle x) (other x)))",
    );
    assert_eq!(run(&it, "top", &[Number::Int(2)]), ("4".into(), counts(4, 4, 1)));
    assert_eq!(run(&it, "other", &[Number::Int(2)]), ("2".into(), counts(0, 0, 1)));
    it.define("(fn (leaf x) (* x 10))").unwrap();
    assert_eq!(run(&it, "other", &[Number::Int(2)]), ("2".into(), counts(0, 0, 0)));
    assert_eq!(run(&it, "top", &[Number::Int(2)]), ("22".into(), counts(3, 3, 1)));
}

/// A method that comes before another one ends the calls it takes over.
#[test]
fn a_more_specific_method_ends_the_calls_it_takes() {
    let it = compiler("(fn (half x) (/ x 2)) (fn (f x) (half x))");
    let (int, float) = ([Number::Int(3)], [Number::Float(3.0)]);
    assert_eq!((run(&it, "f", &int).0, run(&it, "f", &float).0), ("1.5".into(), "1.5".into()));
    it.define("(fn (half (Int x)) 1)").unwrap();
    assert_eq!(run(&it, "f", &float), ("1.5".into(), counts(0, 0, 0)));
    assert_eq!(
        run(&it, "f", &int),
        ("1".into(), counts(2, 1, 1)),
        "its value is always 1, so nothing is called"
    );
}

/// MISSION C18: results per constant argument, all ended by a new definition.
#[test]
fn each_constant_has_code_of_its_own() {
    let it = compiler(PROGRAM);
    it.define("(fn (square x) (power x 2)) (fn (cube x) (power x 3))").unwrap();
    let x = [Number::Int(3)];
    assert_eq!(run(&it, "square", &x), ("9".into(), counts(4, 3, 1)));
    assert_eq!(run(&it, "cube", &x), ("27".into(), counts(2, 2, 1)), "`power` for 0, 1 and 2 is there");
    assert_eq!(run(&it, "cube", &[Number::Float(3.0)]).0, "27.0");
    it.define("(fn (power x (Int n)) (* x n))").unwrap();
    assert_eq!(run(&it, "cube", &x), ("9".into(), counts(2, 2, 1)));
}

/// MISSION O4: what the device sees is compiled apart, and what is the device's ends nothing of the host.
#[test]
fn the_device_has_methods_of_its_own() {
    let it = compiler("(fn (f x) (g x)) (fn (g x) 1) (on-gpu (g x) 2)");
    let on_gpu = |it: &Compiler| it.run(&it.view(true), &Machine("gpu"), "f", &[Number::Int(0)]).unwrap();
    assert_eq!((run(&it, "f", &[Number::Int(0)]).0, on_gpu(&it)), ("1".into(), Number::Int(2)));
    it.counts();
    it.define("(on-gpu (g x) 3)").unwrap();
    assert_eq!(run(&it, "f", &[Number::Int(0)]), ("1".into(), counts(0, 0, 0)));
    assert_eq!((on_gpu(&it), it.counts()), (Number::Int(3), counts(2, 1, 1)));
}

/// MISSION C6 and two types of results: a listing is made once for two machines, and C is made beside it.
#[test]
fn consumers_share_code_and_not_results() {
    let it = compiler("(fn (f x) (+ x 1))");
    assert_eq!(run(&it, "f", &[Number::Int(1)]).1, counts(1, 1, 1));
    it.run(&it.view(false), &Machine("another"), "f", &[Number::Int(1)]).unwrap();
    assert_eq!(it.counts(), counts(0, 0, 1));
    let c = it.c(&it.view(false), "f", &[Kind::Int]).unwrap();
    assert_eq!((&*c, it.counts()), ("long f_i(long x0) { return (x0 + 1); }\n", counts(0, 1, 0)));
}

/// MISSION C5: listings survive to the next session, for the functions that are still the same there; what machines
/// linked does not.
#[test]
fn the_next_session_makes_what_has_changed() {
    let folder = Folder::new("next");
    let first = Compiler::new(Some(folder.store().unwrap()));
    first.define(PROGRAM).unwrap();
    let args = [1.0, 2.0, 3.0].map(Number::Float);
    run(&first, "energy", &args);
    first.save(&first.view(false), "energy", &[Kind::Float; 3]).unwrap();
    let second = Compiler::new(Some(folder.store().unwrap()));
    second.define("(fn (unrelated x) x)").unwrap();
    second.define(PROGRAM).unwrap();
    assert_eq!(run(&second, "energy", &args).1, counts(7, 0, 1));
    second.define("(fn (half x) (* x 0.5))").unwrap();
    assert_eq!(run(&second, "energy", &args).1, counts(3, 1, 1), "its callers are what they were");
}

/// A failed compilation leaves nothing behind, and succeeds when the program has changed.
#[test]
fn mistakes_are_said_and_mended() {
    let it = compiler("(fn (f x) (g x)) (fn (endless (Int n)) (endless (+ n 1))) (fn (start) (endless 0))");
    assert_eq!(run(&it, "f", &[Number::Int(1)]).0, "no method of `g` for [Int]");
    it.define("(fn (g x) (missing))").unwrap();
    assert_eq!(run(&it, "f", &[Number::Int(1)]).0, "no method of `missing` for []");
    it.define("(fn (g x) constant)").unwrap();
    assert_eq!(run(&it, "f", &[Number::Int(1)]).0, "`constant` means nothing");
    it.define("(let constant 5)").unwrap();
    assert_eq!(run(&it, "f", &[Number::Int(1)]).0, "5");
    assert_eq!(run(&it, "start", &[]).0, "calls that do not end");
    it.define("(fn (g (Int x)) 6)").unwrap();
    assert_eq!(run(&it, "f", &[Number::Int(1)]).0, "6");
    assert!(it.define("(fn g 1)").is_err() && it.define("(fn (g x) 1").is_err() && it.define(")").is_err());
}

/// The body of a method is what was read, in another process too.
#[test]
fn formulas_are_portable() {
    let text = "((Int n) x) (if (< n 0.5) (f x -1) (* x 2.0))";
    let formula = Formula::from_bytes(text.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(formula.to_bytes()).unwrap(), text);
    assert_eq!(read(text).unwrap().len(), 2);
    assert_eq!(Formula::from_bytes(b"(x"), None);
}
