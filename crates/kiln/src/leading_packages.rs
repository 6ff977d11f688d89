//! The packages that a program loads before it does anything else.

use kiln_ir::{Ast, Expr, ExprId};
use kiln_syntax::FileId;
use kiln_types::Types;

/// Whether a program may begin by loading packages: a look at its first lines, since most do not.
fn may_load_first(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|it| !it.is_empty() && !it.starts_with('#'));
    // A comment of several lines is read by the parser.
    text.contains("#=") || first.is_some_and(|it| ["using", "import"].iter().any(|word| it.starts_with(word)))
}

/// The packages that the statements at the start of a program load, in order: as many statements as only load packages.
pub(crate) fn leading_packages(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if !may_load_first(text) {
        return names;
    }
    let parse = kiln_syntax::parse(text, FileId::NONE);
    let (types, mut ast) = (Types::new(), Ast::new());
    for statement in kiln_lower::expr::to_ast(&parse, &types, &mut ast) {
        if matches!(ast.expr(statement), Expr::Line { .. }) {
            continue;
        }
        // Statements in one line.
        let in_line = ast.as_node(statement).filter(|it| types.name(it.0) == "toplevel");
        for &statement in in_line.map_or(&[statement][..], |it| it.1) {
            let Some(loaded) = loaded_by(&types, &ast, statement) else { return names };
            for name in loaded {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    names
}

/// The packages that one statement loads; `None` if it does anything else.
fn loaded_by(types: &Types, ast: &Ast, statement: ExprId) -> Option<Vec<String>> {
    let (head, paths) = ast.as_node(statement)?;
    if !matches!(types.name(head), "using" | "import") {
        return None;
    }
    let mut names = Vec::new();
    for &path in paths {
        let mut path = path;
        // `using A: f` and `import A as B` have the path first.
        while let Some((":" | "as", [first, ..])) =
            ast.as_node(path).map(|(head, args)| (types.name(head), args))
        {
            path = *first;
        }
        let (".", [first, ..]) = ast.as_node(path).map(|(head, args)| (types.name(head), args))? else {
            return None;
        };
        let Expr::Symbol(name) = ast.expr(*first) else { return None };
        match types.name(*name) {
            "." => return None,
            "Base" | "Core" | "Main" => {}
            name => names.push(name.to_owned()),
        }
    }
    Some(names)
}
