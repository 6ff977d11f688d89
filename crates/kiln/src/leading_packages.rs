//! The packages that a program loads before it does anything else.

use kiln_syntax::{FileId, Parse, SyntaxKind};

/// Whether a program may begin by loading packages: a look at its first lines, since most do not.
fn may_load_first(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|it| !it.is_empty() && !it.starts_with('#'));
    // A comment of several lines is read by the parser.
    text.contains("#=") || first.is_some_and(|it| ["using", "import"].iter().any(|word| it.starts_with(word)))
}

/// The packages that the statements at the start of a program load, in order: as many statements as only load packages. None of a
/// program with syntax errors.
pub(crate) fn leading_packages(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if !may_load_first(text) {
        return names;
    }
    // Names are read from the tree: to make expressions of it takes an interner, which takes longer than to parse a program.
    let parse = kiln_syntax::parse(text, FileId::NONE);
    if parse.has_errors() {
        return names;
    }
    for line in parse.children(parse.nodes.len() - 1) {
        let is_several = parse.nodes[line].kind == SyntaxKind::Toplevel;
        for statement in if is_several { parse.children(line) } else { vec![line] } {
            let Some(loaded) = loaded_by(&parse, statement) else { return names };
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
fn loaded_by(parse: &Parse, statement: usize) -> Option<Vec<String>> {
    let kind = |at: usize| parse.nodes[at].kind;
    if !matches!(kind(statement), SyntaxKind::UsingStmt | SyntaxKind::ImportStmt) {
        return None;
    }
    let mut names = Vec::new();
    for mut path in parse.children(statement) {
        // `using A: f` and `import A as B` have the path first.
        while matches!(kind(path), SyntaxKind::ImportFrom | SyntaxKind::ImportAs) {
            path = *parse.children(path).first()?;
        }
        let first = *parse.children(path).first()?;
        if kind(path) != SyntaxKind::ImportPath || kind(first) != SyntaxKind::Ident {
            return None;
        }
        match parse.node_text(&parse.nodes[first]) {
            "Base" | "Core" | "Main" => {}
            // The parser may write such a name in another form: reading ends here.
            name if !name.is_ascii() => return None,
            name => names.push(name.to_owned()),
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::leading_packages;

    #[test]
    fn statements_that_load_packages_are_read() {
        let found = |text| leading_packages(text).join(" ");
        assert_eq!(
            found("# a\nusing A, B.C; import D: e as f\n#= b =#\nimport G as H, A\nx = 1\nusing I"),
            "A B D G"
        );
        assert_eq!(found("using Base.Threads, Main\nimport A: @m, +\nusing .B"), "A");
        assert_eq!(found("import A, ..B\n"), "");
        assert_eq!(found("x = 1\nusing A"), "");
        assert_eq!(found("\"\"\"text\"\"\"\nusing A"), "");
        assert_eq!(found("using A\nf(\n"), "");
        assert_eq!(found(""), "");
    }
}
