//! The files of a build, and how often it compiles.

use crate::project::{Project, SIGNATURES, SYMBOLS};

/// Two builds with caches of their own, in different folders, are equal to the byte.
#[test]
fn builds_are_reproducible() {
    let args = |file: &'static str| ["--cpu", "x86-64-v2", "-o", file, "--header", "kernels.h"];
    let (one, other) = (Project::new("reproducible"), Project::new("reproducible-elsewhere"));
    for file in ["kernels.so", "kernels.a"] {
        for project in [&one, &other] {
            project.build(&args(file), &SIGNATURES);
        }
        assert!(one.read(file) == other.read(file), "{file}");
    }
    assert_eq!(one.read("kernels.h"), other.read("kernels.h"));
    let cached = one.read("kernels.so");
    one.build(&args("kernels.so"), &SIGNATURES);
    assert!(one.read("kernels.so") == cached, "of the cache");
}

/// What was built before is not compiled again; what changed is.
#[test]
fn a_second_build_compiles_nothing() {
    let project = Project::new("again");
    let compiles = |signatures: &[&str]| {
        let (_, err) = project.build(&["--timings=json", "-o", "kernels.so"], signatures);
        let (_, count) = err.split_once("\"compiles\":").unwrap();
        count.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u32>().unwrap()
    };
    assert!(compiles(&SIGNATURES) > 0);
    assert_eq!(compiles(&SIGNATURES), 0);
    assert!(compiles(&["answer()", "other_name=answer()"]) > 0);
    assert_eq!(compiles(&["other_name=answer()"]), 0);
}

/// `--json` lists files, inputs and symbols; `--depfile` is a rule of a Makefile.
#[test]
fn a_build_tells_what_it_read_and_wrote() {
    let project = Project::new("told");
    let text = std::fs::read_to_string(project.0.join("program.jl")).unwrap();
    std::fs::write(project.0.join("program.jl"), format!("include(\"part one.jl\")\n{text}")).unwrap();
    std::fs::write(project.0.join("part one.jl"), "const PART = 1\n").unwrap();
    let args = ["--json", "-o", "out/kernels.a", "--header", "out/kernels.h", "--depfile", "kernels.d"];
    let (said, _) = project.build(&args, &SIGNATURES);
    assert!(said.contains(r#"{"path":"out/kernels.a","kind":"static","bytes":"#), "{said}");
    assert!(said.contains(r#"{"path":"out/kernels.h","kind":"header","bytes":"#), "{said}");
    assert!(
        said.contains(r#""symbol":"root","signature":"root(Float64, Int32)","kind":"function"}"#),
        "{said}"
    );
    assert!(said.contains("part one.jl") && said.contains("program.jl"), "{said}");
    assert_eq!(
        said.matches("\"kind\":\"kernel\"").count() + said.matches("\"kind\":\"function\"").count(),
        SYMBOLS.len()
    );
    let rule = String::from_utf8(project.read("kernels.d")).unwrap();
    assert!(rule.starts_with("out/kernels.a out/kernels.h: ") && rule.ends_with("program.jl\n"), "{rule}");
    assert!(rule.contains("part\\ one.jl "), "{rule}");
}
