//! Any text parses to a tree that is the text again, and converts to expressions.
#![no_main]

use kiln_syntax::FileId;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let parse = kiln_syntax::parse(text, FileId(1));
    let again: String = parse.pieces().map(|it| &text[it.start as usize..it.end as usize]).collect();
    assert_eq!(again, text, "the tree lost something");
    let types = kiln_types::Types::new();
    kiln_lower::expr::to_ast(&parse, &types, &mut kiln_ir::Ast::new());
});
