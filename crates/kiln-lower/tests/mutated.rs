//! Damaged programs parse, convert and lower, or say why not; deep ones too.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod mutation;

use kiln_ir::Ast;
use kiln_syntax::FileId;
use kiln_types::{Module, Types};

/// As much as the command gives its one thread, and only what is touched of it is there.
const STACK_BYTES: usize = 1 << 30;

fn check(text: &str) {
    let parse = kiln_syntax::parse(text, FileId(1));
    let again: String = parse.pieces().map(|it| &text[it.start as usize..it.end as usize]).collect();
    assert_eq!(again, text, "the tree lost something");
    let types = Types::new();
    let mut ast = Ast::new();
    for expr in kiln_lower::expr::to_ast(&parse, &types, &mut ast) {
        let _ = kiln_lower::lower_toplevel(&types, &mut ast, Module::MAIN, expr, &kiln_lower::NoGlobals);
    }
}

fn on_a_deep_stack(work: fn()) {
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap().join().unwrap();
}

#[test]
fn damaged_programs_lower_or_say_why_not() {
    on_a_deep_stack(|| {
        let folders = [
            "tests/programs",
            "base/core",
            "base/stdlib",
            "base/dialects",
            "crates/kiln-lower/tests/lowered",
        ];
        mutation::for_each_damaged(&folders, check);
    });
}

/// Left-associative chains have no limit in the parser, and are as deep as they are long in everything that comes after.
#[test]
fn long_chains_lower_or_say_why_not() {
    on_a_deep_stack(|| {
        for (first, link) in [
            ("a", " - a"),
            ("a", ".b"),
            ("f", "()"),
            ("a", "[1]"),
            ("a", "'"),
            ("a", " |> f"),
            ("a", " + a"),
            ("a", " < a"),
            ("a", ", a"),
            ("a", "; a"),
            ("a", " where T"),
            ("[a", "; a"),
            ("\"", "$a"),
        ] {
            check(&format!("{first}{}", link.repeat(50_000)));
        }
    });
}
