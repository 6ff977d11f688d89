//! The top-level expressions of a test file and the sites in each.

use kiln_syntax::{FileId, Parse, Severity, SyntaxKind, Token};

/// The macros of the `Test` module whose uses are sites.
const SITE_MACROS: [&str; 8] = [
    "test",
    "test_throws",
    "test_broken",
    "test_skip",
    "test_logs",
    "test_warn",
    "test_nowarn",
    "test_deprecated",
];

/// One top-level expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopLevel {
    /// First and last byte of its text, as a range.
    pub range: std::ops::Range<usize>,
    /// The line of its first byte, from 1.
    pub line: u32,
    /// The line of each site in it, in the order of the text. Sites that share a line share their outcome.
    pub sites: Vec<u32>,
    /// The message of the first syntax error in it.
    pub syntax_error: Option<String>,
}

/// Splits a test file.
pub fn top_level(text: &str) -> Vec<TopLevel> {
    let parse = kiln_syntax::parse(text, FileId::NONE);
    let root = parse.nodes.len() - 1;
    let mut found: Vec<TopLevel> = parse
        .children(root)
        .into_iter()
        .map(|it| {
            let node = &parse.nodes[it];
            TopLevel {
                range: node.start as usize..node.end as usize,
                line: parse.lines.line(node.start),
                sites: Vec::new(),
                syntax_error: None,
            }
        })
        .filter(|it| !it.range.is_empty())
        .collect();
    for token in parse.tokens.iter().filter(|it| is_site(&parse, it)) {
        let at = token.start as usize;
        if let Some(owner) = found.iter_mut().find(|it| it.range.contains(&at)) {
            owner.sites.push(parse.lines.line(token.start));
        }
    }
    for problem in parse.diagnostics.iter().filter(|it| it.severity == Severity::Error) {
        let at = problem.primary.span.start as usize;
        if let Some(owner) = found.iter_mut().find(|it| at <= it.range.end) {
            owner.syntax_error.get_or_insert_with(|| problem.message.clone());
        }
    }
    found
}

/// Whether a token is the name of a site's macro: `test` in `@test x == 1`.
fn is_site(parse: &Parse, token: &Token) -> bool {
    let (start, end) = (token.start as usize, token.end as usize);
    let name = &parse.text[start..end];
    let after_at = parse.text.as_bytes()[..start].last() == Some(&b'@');
    token.kind != SyntaxKind::At && after_at && SITE_MACROS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_found_in_code_and_not_in_text() {
        let text =
            "using Test\n@testset \"@test\" begin\n    @test 1 == 1 # @test\n    @test_throws E f()\nend\n";
        let found = top_level(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].sites, Vec::<u32>::new());
        assert_eq!((found[1].line, found[1].sites.as_slice()), (2, [3, 4].as_slice()));
    }

    #[test]
    fn a_syntax_error_belongs_to_its_expression() {
        let found = top_level("x = 1\nf(\ny = 2\n");
        assert!(found[0].syntax_error.is_none());
        assert!(found.iter().any(|it| it.syntax_error.is_some()));
    }
}
