//! A program whose packages were loaded before begins with them, and notices each change of their files.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use project::{Project, total};
use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

/// A program in a folder of packages, which is its load path.
struct Packages(Project);

/// The output of a run, and how many files it parsed.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    out: String,
    errors: String,
    parses: u64,
}

impl Packages {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let all = Self(Project::new(name));
        files.iter().for_each(|(path, text)| all.write(path, text));
        all
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run_with(&self, mode: &str, program: &str, more: &[&str], variables: &[(&str, &str)]) -> Run {
        self.write("program.jl", program);
        let mut command = self.0.command(mode, &["run", "--timings=json", "program.jl"]);
        command.args(more).env("JULIA_LOAD_PATH", format!("{}:@stdlib", self.0.dir.display()));
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let errors = said.lines().filter(|it| !it.starts_with('{')).collect::<Vec<_>>().join("\n");
        Run { out: String::from_utf8(output.stdout).unwrap(), errors, parses: total(&said, "parses") }
    }

    /// The output of a program that ends well, and the files that were parsed.
    fn run(&self, program: &str) -> (String, u64) {
        let run = self.run_with("rw", program, &[], &[]);
        assert_eq!(run.errors, "", "{}", run.out);
        (run.out, run.parses)
    }

    /// After a change the program loads its packages, and prints this; the next process keeps them and begins with them.
    fn notes_and_keeps(&self, program: &str, expected: &str) {
        self.prints(program, expected, true);
        self.prints(program, expected, false);
    }

    /// The program prints this, and had its packages, `loaded` of which were read again.
    fn prints(&self, program: &str, expected: &str, loads: bool) {
        let (out, parses) = self.run(program);
        assert_eq!(out, expected);
        assert_eq!(parses > 1, loads, "{parses} files parsed for {program}");
    }
}

const COUNTED: &str = "module Counted
export tally!, Pair2
include(\"part.jl\")
struct Pair2{T} a::T; b::T end
Base.:+(x::Pair2, y::Pair2) = Pair2(x.a + y.a, x.b + y.b)
const seen = Dict{Any, Int}(:a => 1, Int => 2, \"text\" => 3, sum => 4, Counted => 5)
const all = Vector{Any}()
end";
const PART: &str = "\"Counts.\"\nfunction tally!(x)\n    push!(all, x)\n    length(all)\nend";

/// The second process reads no file of the packages, and has all that they define: methods, types, dictionaries, documentation.
#[test]
fn packages_are_loaded_once() {
    let it = Packages::new("once", &[("Counted/src/Counted.jl", COUNTED), ("Counted/src/part.jl", PART)]);
    let program = "using Counted
import Counted as Again
print(tally!(1), tally!(2), \" \", Pair2(1, 2) + Pair2(3, 4), [Counted.seen[it] for it in (:a, Int, \"text\", sum, Counted)])
print(\" \", basename(pathof(Counted)), \" \", @doc(tally!), Again === Counted)";
    let expected = "12 Pair2{Int64}(4, 6)[1, 2, 3, 4, 5] Counted.jl Counts.\ntrue";
    let first = it.run(program);
    assert_eq!(first.0, expected);
    it.prints(program, expected, false);
    // Another program that begins with the package.
    it.prints("# A remark.\nimport Counted: tally!\nprint(tally!(0))", "1", false);
    // Nothing is kept for one that does something first.
    it.prints("x = 1\nusing Counted\nprint(tally!(0))", "1", true);
}

/// Each change of a file that was read, added or taken away is seen; so is a variable that was looked at.
#[test]
fn changes_are_seen() {
    let it = Packages::new("changes", &[]);
    let main = "module Changing
include(\"part.jl\")
const chosen = get(ENV, \"CHOSEN\", \"none\")
const listed = join(readdir(joinpath(@__DIR__, \"data\")), ',')
const there = isfile(joinpath(@__DIR__, \"marker\"))
const held = read(joinpath(@__DIR__, \"data\", \"a\"), String)
end";
    it.write("Changing/src/Changing.jl", main);
    it.write("Changing/src/part.jl", "part() = 1");
    it.write("Changing/src/data/a", "A");
    let program = "using Changing\nprint(Changing.part(), Changing.chosen, Changing.listed, Changing.there, Changing.held)";
    it.run(program);
    it.prints(program, "1noneafalseA", false);
    it.write("Changing/src/part.jl", "part() = 2");
    it.notes_and_keeps(program, "2noneafalseA");
    it.prints(program, "2noneafalseA", false);
    it.write("Changing/src/data/a", "B");
    it.notes_and_keeps(program, "2noneafalseB");
    it.prints(program, "2noneafalseB", false);
    it.write("Changing/src/data/b", "");
    it.notes_and_keeps(program, "2nonea,bfalseB");
    it.prints(program, "2nonea,bfalseB", false);
    it.write("Changing/src/marker", "");
    it.notes_and_keeps(program, "2nonea,btrueB");
    it.prints(program, "2nonea,btrueB", false);
    let chosen = it.run_with("rw", program, &[], &[("CHOSEN", "one")]);
    assert_eq!(chosen.out, "2onea,btrueB");
    fs::remove_file(it.0.dir.join("Changing/src/marker")).unwrap();
    it.notes_and_keeps(program, "2nonea,bfalseB");
    it.prints(program, "2nonea,bfalseB", false);
}

/// `__init__` runs in each process, in order, and sees that process.
#[test]
fn packages_are_initialized_in_each_process() {
    let inner = "module Inner\nconst state = Ref(0)\n__init__() = state[] = 41\nend";
    let outer = "module Outer\nusing Inner\nconst at_load = Inner.state[]\nconst who = Ref(\"\")\n__init__() = who[] = get(ENV, \"WHO\", \"\")\nend";
    let it = Packages::new("initialized", &[("Inner.jl", inner), ("Outer.jl", outer)]);
    let program = "using Outer\nprint(Outer.at_load, Outer.Inner.state[] + 1, Outer.who[])";
    it.run(program);
    it.prints(program, "4142", false);
    let variables = [("WHO", "me")];
    assert_eq!(it.run_with("rw", program, &[], &variables).out, "4142me");
}

/// A package whose `__init__` adds to a list is loaded by each process.
#[test]
fn what_init_adds_is_there_once() {
    let text = "module Adding\nconst all = Int[]\n__init__() = push!(all, length(all))\nend";
    let it = Packages::new("adding", &[("Adding.jl", text)]);
    for _ in 0..3 {
        it.prints("using Adding\nprint(Adding.all)", "[0]", true);
    }
    let verified = it.run_with("verify", "using Adding\nprint(Adding.all)", &[], &[]);
    assert_eq!(verified.out, "[0]");
    assert!(verified.errors.contains("changes more when it runs again"), "{}", verified.errors);
}

/// Tables by where objects lie, and objects with finalizers, are of one process: such packages are loaded by each.
#[test]
fn what_belongs_to_a_process_is_not_kept() {
    let text = "module Placed
mutable struct Key end
const key = Key()
const table = IdDict{Any, Int}(key => 7)
end";
    let finalized = "module Ended
mutable struct Thing end
const thing = finalizer(it -> nothing, Thing())
end";
    let it = Packages::new("placed", &[("Placed.jl", text), ("Ended.jl", finalized)]);
    for _ in 0..2 {
        it.prints("using Placed\nprint(Placed.table[Placed.key])", "7", true);
        it.prints("using Ended\nprint(Ended.thing)", "Ended.Thing()", true);
    }
}

/// A package that does more than ask while it loads does it once in each process: it prints, writes, reads the time, chance or
/// standard input, starts a process, changes the directory, leaves a task.
#[test]
fn what_acts_is_loaded_by_each_process() {
    let acts = [
        ("print(\"loading \")", "print(Acting.x)", "loading 1"),
        ("__init__() = print(\"begun \")", "print(Acting.x)", "begun 1"),
        ("const t = time()", "print(Acting.t > 0)", "true"),
        ("const r = rand(1:9)", "print(Acting.r in 1:9)", "true"),
        ("const l = readline()", "print(Acting.l == \"\")", "true"),
        ("const d = mktempdir()", "print(isdir(Acting.d))", "true"),
        ("const c = success(`true`)", "print(Acting.c)", "true"),
        ("cd(dirname(@__DIR__))", "print(Acting.x)", "1"),
        (
            "const w = Channel{Int}(1); @async put!(w, take!(w)); yield()",
            "put!(Acting.w, 3); print(take!(Acting.w))",
            "3",
        ),
        ("const a = [1, 2]; const p = pointer(a, 2)", "print(unsafe_load(Acting.p))", "2"),
        ("const n = time_ns()", "print(time_ns() > Acting.n)", "true"),
        ("const k = WeakRef(Ref(1))", "print(Acting.k isa WeakRef)", "true"),
    ];
    let it = Packages::new("acting", &[]);
    for (act, program, expected) in acts {
        it.write("Acting/src/Acting.jl", &format!("module Acting\nconst x = 1\n{act}\nend"));
        let program = format!("using Acting\n{program}");
        for _ in 0..3 {
            it.prints(&program, expected, true);
        }
    }
}

/// A package that acts and then fails does it once in each process, also after a change and in `__init__`.
#[test]
fn what_acts_and_fails_acts_once() {
    let it = Packages::new("acting_once", &[]);
    let ways = [
        ("println(\"once\"); error(\"no\")", 1),
        ("println(\"once\"); exit(3)", 3),
        ("__init__() = (println(\"once\"); error(\"no\"))", 1),
        ("__init__() = (println(\"once\"); exit(4))", 4),
        ("__init__() = \"fail\" in ARGS && (println(\"once\"); exit(5))", 5),
    ];
    for (act, status) in ways {
        it.write("Acting.jl", &format!("module Acting\n{act}\nend"));
        for _ in 0..3 {
            it.write("program.jl", "using Acting\nprint(\"not reached\")");
            let mut command = it.0.command("rw", &["run", "program.jl", "fail"]);
            command.env("JULIA_LOAD_PATH", format!("{}:@stdlib", it.0.dir.display()));
            let output = command.output().unwrap();
            assert_eq!(output.stdout, b"once\n", "{act}");
            assert_eq!(output.status.code(), Some(status), "{act}");
        }
    }
}

/// A program comes through a pipe, and on the command line.
#[test]
fn programs_need_no_file() {
    let it = Packages::new("no_file", &[("Plain.jl", "module Plain\nanswer() = 42\nend")]);
    let text = "using Plain; print(Plain.answer())";
    let path = format!("{}:@stdlib", it.0.dir.display());
    for parses in [2, 1] {
        let mut command = it.0.command("rw", &["run", "--timings=json", "/dev/stdin"]);
        let mut child = command
            .env("JULIA_LOAD_PATH", &path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.stdout, b"42");
        // The process that keeps the packages begins with them, too.
        assert!(total(&String::from_utf8(output.stderr).unwrap(), "parses") <= parses);
        let mut command = it.0.command("rw", &["-e", text]);
        assert_eq!(command.env("JULIA_LOAD_PATH", &path).output().unwrap().stdout, b"42");
    }
}

/// The exception of a package is told where it is loaded, in each process.
#[test]
fn failures_are_told_at_the_statement() {
    let it = Packages::new("failing", &[("Failing.jl", "module Failing\nsqrt(-1.0)\nend")]);
    let first = it.run_with("rw", "using Failing", &[], &[]);
    assert!(
        first.errors.contains("DomainError") && first.errors.contains("Failing.jl:2:1"),
        "{}",
        first.errors
    );
    let second = it.run_with("rw", "using Failing", &[], &[]);
    assert_eq!(second.errors, first.errors);
    // The time of a file is nothing that the package was made from.
    let init =
        "module Failing\n__init__() = mtime(joinpath(@__DIR__, \"mark\")) > 2e9 && error(\"not today\")\nend";
    it.write("Failing.jl", init);
    it.write("mark", "");
    it.notes_and_keeps("using Failing", "");
    it.prints("using Failing", "", false);
    let late = SystemTime::UNIX_EPOCH + Duration::from_secs(3_000_000_000);
    fs::File::options().append(true).open(it.0.dir.join("mark")).unwrap().set_modified(late).unwrap();
    let failed = it.run_with("rw", "using Failing", &[], &[]);
    assert!(failed.errors.contains("InitError: not today"), "{}", failed.errors);
    assert!(failed.errors.contains("Failing.jl:2"), "{}", failed.errors);
}

/// Errors in code of a package show its text, with the file and the line.
#[test]
fn errors_show_the_package() {
    let text = "module Shown\nfirst_of(xs) = xs[1]\n__init__() = nothing\nend";
    let it = Packages::new("shown", &[("Shown.jl", text)]);
    let program = "using Shown\nShown.first_of(Int[])";
    let first = it.run_with("rw", program, &[], &[]);
    assert!(first.errors.contains("Shown.jl:2"), "{}", first.errors);
    let second = it.run_with("rw", program, &[], &[]);
    assert_eq!((second.errors, second.parses), (first.errors, 1));
}

/// Programs that begin with packages go on as if they had loaded them: methods replaced, packages loaded after, extensions.
#[test]
fn programs_go_on_from_kept_packages() {
    let it = Packages::new(
        "going_on",
        &[
            (
                "First.jl",
                "module First\ntwice(x) = 2x\nuse(x) = twice(x) + 1\n@generated width(x) = sizeof(x)\nend",
            ),
            ("Second.jl", "module Second\nusing First\nfour(x) = First.twice(First.twice(x))\nend"),
        ],
    );
    let program = "using First
print(First.use(1), First.width(1.0), PROGRAM_FILE, ARGS, \" \")
First.twice(x::Int) = 10x
print(First.use(1), \" \")
using Second
print(Second.four(1), \" \", Base.loaded_modules[Base.identify_package(\"First\")] === Second.First)";
    let run = |more: &[&str]| it.run_with("rw", program, more, &[]);
    run(&[]);
    let second = run(&[]);
    assert_eq!(second.out, "38program.jlString[] 11 100 true");
    // The program and the package that it loads later.
    assert_eq!(second.parses, 2);
    assert_eq!(run(&["one", "two"]).out, "38program.jl[\"one\", \"two\"] 11 100 true");
}

/// A damaged entry is as none; without a store nothing is kept.
#[test]
fn a_store_may_be_damaged_or_absent() {
    let it = Packages::new("damaged", &[("Plain.jl", "module Plain\nanswer() = 42\nend")]);
    let program = "using Plain\nprint(Plain.answer())";
    it.run(program);
    it.prints(program, "42", false);
    let off = it.run_with("off", program, &[], &[]);
    assert_eq!((off.out.as_str(), off.parses), ("42", 2));
    let mut damaged = 0;
    for entry in walk(&it.0.dir.join("cache")) {
        let mut bytes = fs::read(&entry).unwrap();
        if bytes.len() > 1 << 16 {
            for at in (4096..bytes.len()).step_by(1021) {
                bytes[at] ^= 0x55;
            }
            fs::write(&entry, bytes).unwrap();
            damaged += 1;
        }
    }
    assert!(damaged > 0, "the store has a large file");
    for _ in 0..2 {
        assert_eq!(it.run_with("rw", program, &[], &[]).out, "42");
    }
}

fn walk(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|it| it.unwrap().path());
    entries.flat_map(|it| if it.is_dir() { walk(&it) } else { vec![it] }).collect()
}
