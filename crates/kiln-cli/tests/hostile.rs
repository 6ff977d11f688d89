//! Whatever the command is given, it ends with a message and a status: 1 the program failed, 2 the command line is
//! wrong. Never with a signal, never with a panic.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn kiln() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command
        .env("NO_COLOR", "1")
        .env("KILN_CACHE", "off")
        .env_remove("KILN_CORPUS")
        .env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null());
    command
}

fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, content).unwrap();
    file
}

/// The status and the output.
#[track_caller]
fn ended(output: &Output) -> (i32, String) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(code.is_some(), "ended by a signal: {said}");
    assert!(!said.contains("panicked") && !said.contains("bug in kiln"), "{said}");
    (code.unwrap(), said)
}

#[track_caller]
fn eval(code: &str) -> (i32, String, String) {
    let output = kiln().args(["-e", code]).output().unwrap();
    let (status, said) = ended(&output);
    (status, String::from_utf8_lossy(&output.stdout).into_owned(), said)
}

#[test]
fn files_that_are_no_programs() {
    for (path, status, wanted) in [
        (PathBuf::from("/no/such/file.jl"), 2, "there is no such file"),
        (PathBuf::from(env!("CARGO_TARGET_TMPDIR")), 2, "cannot read"),
        (file("latin1.jl", b"x = \"caf\xe9\"\n"), 1, "is not UTF-8 text"),
        (file("zeros.jl", [0u8; 100_000]), 1, "this character means nothing in Julia"),
        (file("empty.jl", ""), 0, ""),
    ] {
        let output = kiln().arg("run").arg(&path).output().unwrap();
        let (code, said) = ended(&output);
        assert_eq!(code, status, "{}: {said}", path.display());
        assert!(said.contains(wanted), "{}: {said}", path.display());
    }
}

/// Host code runs without a code generator; a kernel says that there is none.
#[test]
fn without_a_code_generator() {
    let kernel =
        "using KernelAbstractions\n@kernel k!(a) = (a[@index(Global)] = 1)\nk!(CPU())(zeros(4); ndrange = 4)";
    for (code, status, wanted) in
        [("exit(sum(1:3) - 6)", 0, ""), (kernel, 1, "the code generator libkiln_codegen.so is missing")]
    {
        let output = kiln().args(["-e", code]).env("KILN_CODEGEN", "/none").output().unwrap();
        let (code, said) = ended(&output);
        assert_eq!(code, status, "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}

/// Starts code that waits for its standard input to end: what happens before that happens before the code.
fn held(code: &str) -> std::process::Child {
    let code = format!("readline(); {code}");
    let mut command = kiln();
    command.args(["-e", &code]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// `kiln ... | head -1`: the program ends, silently, also one that would print for ever.
#[test]
fn a_reader_that_goes_away() {
    for code in ["for i in 1:100_000 println(i) end", "while true println(1) end", "println(1)"] {
        let mut child = held(code);
        drop(child.stdout.take());
        // This closes its standard input.
        let output = child.wait_with_output().unwrap();
        assert_eq!(ended(&output), (141, String::new()), "{code}");
    }
    // A message that is not readable.
    let mut child = held("error(1)");
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn functions_given_to_atexit_run_at_the_end() {
    let program = "atexit(() -> print(\"last\")); atexit(code -> print(code, \" \")); atexit(() -> error(1)); print(\"run \")";
    assert_eq!(eval(program).1, "run 0 last");
    assert_eq!(eval(&format!("{program}; exit(3)")).1, "run 3 last");
    assert_eq!(eval(&format!("{program}; error(2)")).1, "run 1 last");
}

#[test]
fn exit_and_standard_input() {
    assert_eq!(eval("f() = exit(3); g() = (print(1); f(); print(2)); try g() finally print(3) end").0, 3);
    let mut child = kiln()
        .args(["-e", "println(readline(), '|', readline(), '|', eof(stdin))"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"one\ntwo").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "one|two|true\n");
}

/// Text nested or chained without measure is refused, or works.
#[test]
fn deep_and_long_texts() {
    let deep = |open: &str, close: &str, n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
    for (name, text) in [
        ("parentheses", deep("(", ")", 100_000)),
        ("arrays", deep("[", "]", 10_000)),
        ("ifs", deep("if true\n", "\nend", 10_000)),
        ("types", deep("Vector{", "}", 10_000)),
        ("a chain of one operator", format!("a = 1\na{}", " - a".repeat(50_000))),
        ("a chain of fields", format!("a{}", ".a".repeat(50_000))),
        ("many wheres", format!("f(x){} = 1", " where T".repeat(5_000))),
    ] {
        let output = kiln().arg("run").arg(file("deep.jl", text)).output().unwrap();
        let (code, said) = ended(&output);
        assert_eq!(code, 1, "{name}");
        assert!(
            said.contains("nested too deeply")
                || said.contains("nest too deeply")
                || said.contains("not defined"),
            "{name}: {said}"
        );
        assert!(said.len() < 4000, "{name}: {} bytes are said", said.len());
    }
    let operands = file("operands.jl", format!("a = 1\nprintln({})", vec!["a"; 20_000].join(" + ")));
    let output = kiln().arg("run").arg(operands).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "20000\n", "{}", ended(&output).1);
}

/// Values and types that nest without measure.
#[test]
fn deep_values_and_types() {
    for code in [
        "T = Int; for _ in 1:20_000 global T = Vector{T} end; T <: Vector, T == T",
        "T = Int; S = Int; for _ in 1:20_000 global T = Tuple{T, Integer}; global S = Tuple{S, Int} end; S <: T",
        "T = Int; for _ in 1:400 global T = Tuple{T, Integer} end; T <: Tuple, typeintersect(T, Tuple{Any, Int})",
        "e = :x; for _ in 1:20_000 global e = :(f($e)) end; eval(e)",
        "e = :x; for _ in 1:20_000 global e = Expr(:call, :f, e) end; Base.macroexpand(Main, e)",
        "macro q() :(@q) end; eval(:(@q))",
        "x = Any[]; push!(x, x); x == copy(x)",
        "f(x) = f((x,)); f(1)",
        "f(::Val{N}) where {N} = f(Val(N + 1)); f(Val(1))",
        "zeros(Int, 10^15)",
        "\"a\"^10^15",
        "f(n) = n == 0 ? eval(Meta.parse(\"(\"^100 * \"1\" * \")\"^100)) : f(n - 1) + 1; for k in 1:997:19_000 f(k) end",
    ] {
        let (status, _, said) = eval(code);
        assert!(status <= 1, "{code}: {said}");
        assert!(said.len() < 100_000, "{code}: {} bytes are said", said.len());
    }
}

/// The caret is below its text: tabs, wide characters, long lines.
#[test]
fn places_in_odd_lines() {
    let caret = |text: &str| {
        let (_, _, said) = eval(text);
        let lines: Vec<&str> = said.lines().collect();
        let at = lines.iter().position(|it| it.contains('^')).unwrap_or_else(|| panic!("{said}"));
        (lines[at - 1].to_owned(), lines[at].to_owned())
    };
    let (line, mark) = caret("x = \"日本語\" * undefined_thing");
    assert_eq!(line.find("\"日"), Some(mark.find('^').unwrap()), "{line}\n{mark}");
    let (line, mark) = caret("if true\n\t\tundefined_thing()\nend");
    assert_eq!(line.find("undefined"), Some(mark.find('^').unwrap()), "{line}\n{mark}");
    let (line, mark) = caret(&format!("x = \"{}\" + undefined_thing", "a".repeat(100_000)));
    assert!(line.len() < 500 && mark.len() < 500, "{} characters", line.len());
}
