//! Runs the documents in `tests/lowered`: each piece of source is followed by its lowered code, in `#>` lines.
//!
//! `KILN_BLESS=1` writes what lowering gives now; the difference is the review. Every piece starts from nothing, so
//! made-up names have the same numbers whatever stands before it.

use kiln_ir::{Ast, ExprId, SourceLoc};
use kiln_lower::{LowerError, MacroHost};
use kiln_types::{Module, Types};
use std::fmt::Write as _;
use std::path::Path;

/// No macros exist here.
struct NoMacros;

impl MacroHost for NoMacros {
    fn call_macro(
        &mut self,
        _ast: &mut Ast,
        _module: Module,
        _name: ExprId,
        _args: &[ExprId],
        loc: SourceLoc,
    ) -> Result<(ExprId, Module), LowerError> {
        Err(LowerError::new("no-macros", "there are no macros in these tests", loc))
    }
}

/// What the source lowers to, or why it does not.
fn lowered(source: &str) -> String {
    let types = Types::new();
    let mut files = kiln_syntax::Files::new();
    let file = files.add("test.jl", source).expect("a small file");
    let parse = kiln_syntax::parse(source, file);
    let mut ast = Ast::new();
    let mut text = String::new();
    for e in kiln_lower::expr::to_ast(&parse, &types, &mut ast) {
        if matches!(ast.expr(e), kiln_ir::Expr::Line { .. }) {
            continue;
        }
        let module = types.main_module();
        let code = kiln_lower::expand(&types, &mut ast, module, e, &mut NoMacros)
            .and_then(|it| kiln_lower::lower_toplevel(&types, &mut ast, module, it));
        match code {
            Ok(code) => {
                let _ = write!(text, "{}", code.display(&types));
            }
            Err(error) => {
                let (start, len) = (error.loc.start() as usize, error.loc.len() as usize);
                let at = source.get(start..start + len).and_then(|it| it.lines().next()).unwrap_or("");
                let _ = writeln!(text, "error[{}] at `{at}`: {error}", error.code);
                if let Some(help) = &error.help {
                    let _ = writeln!(text, "help: {help}");
                }
            }
        }
    }
    text
}

/// The document with its expectations as they are now.
fn blessed(document: &str) -> String {
    let mut result = String::new();
    let mut source = String::new();
    let mut expecting = false;
    for line in document.lines().chain([""]) {
        if line.starts_with("#>") {
            expecting = true;
            continue;
        }
        if expecting {
            for it in lowered(&source).lines() {
                let _ = writeln!(result, "{}", format!("#> {it}").trim_end());
            }
            source.clear();
            expecting = false;
        }
        let _ = writeln!(result, "{line}");
        let _ = writeln!(source, "{line}");
    }
    format!("{}\n", result.trim_end())
}

#[test]
fn documents_show_what_lowering_gives() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lowered");
    let mut paths: Vec<_> = std::fs::read_dir(&directory)
        .expect("the documents")
        .map(|it| it.expect("an entry").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no documents in {}", directory.display());
    let mut failures = String::new();
    for path in paths {
        let document = std::fs::read_to_string(&path).expect("a readable document");
        let now = blessed(&document);
        if now == document {
            continue;
        }
        if std::env::var_os("KILN_BLESS").is_some() {
            std::fs::write(&path, now).expect("a writable document");
            continue;
        }
        let differing = document.lines().zip(now.lines()).find(|(old, new)| old != new);
        let _ = writeln!(failures, "{}: {differing:?}", path.display());
    }
    assert!(failures.is_empty(), "run with KILN_BLESS=1 and review the difference:\n{failures}");
}
