//! Any text parses: without a panic, without an overflow, and without losing a byte.

use kiln_syntax::{FileId, Files, SyntaxKind, parse, parse_one, render_all};
use proptest::prelude::*;

/// Every piece of Julia's grammar at least once; mutations of this reach most rules.
const SEED: &str = r#"
module A
using ..B: c as d, @m
"doc" f(x::T, y=1; z...) where {T<:Real} = x^y^2 + 2x' - [1 -2; 3 4;; 5]
function g((a, b), c)::Int
    @inbounds for i in 1:n, j ∈ a[end] if i === j; continue end end
    while x < y <= z && !w || v; x += 1 end
    try error("$x and $(y + "q")") catch e; rethrow() else 1 finally close() end
    return a ? b : c, d...
end
mutable struct S{T} <: Any; const x::T; y; end
abstract type Q end
primitive type P 8 end
macro k(e) quote $e; :(a.b.$c) end end
h = map(xs) do x; x.f.(y) |> sum end
r"a\"b"i, `ls $a`, """
    t $u
  v""", 'c', '\n', 0xff, 1f0, 1_000, 0x1p3, var"a b", :sym, :(=), :end
let a = 1, b; (; a, b) = s; i, = t; x -> y -> z end
[x for x in xs if y for z in w]
A.@b{T} #= c #= d =# e =# # f
global const k .= {a b}
x .+= y .&& z ~ w --> v => u <: t isa s ∘ r
end
"#;

fn check(text: &str) {
    let parsed = parse(text, FileId(1));
    let mut at = 0;
    for piece in parsed.pieces() {
        assert_eq!(piece.start, at, "a gap or an overlap in {text:?}");
        at = piece.end;
    }
    assert_eq!(at as usize, text.len(), "the end is lost in {text:?}");
    for (index, node) in parsed.nodes.iter().enumerate() {
        assert!(node.size as usize <= index + 1 && node.start <= node.end && node.end as usize <= text.len());
    }
    let root = parsed.nodes.last().expect("there is always a root");
    assert_eq!((root.kind, root.size as usize), (SyntaxKind::Toplevel, parsed.nodes.len()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_damaged_program_parses(cuts in prop::collection::vec((0usize..1400, 0usize..12, "[\\[\\](){}\"'`;:,@$#= \n.+a1\\\\-]{0,3}"), 1..6)) {
        let mut text = SEED.to_owned();
        for (at, length, new) in cuts {
            let mut start = at.min(text.len());
            while !text.is_char_boundary(start) { start -= 1; }
            let mut end = (start + length).min(text.len());
            while !text.is_char_boundary(end) { end += 1; }
            text.replace_range(start..end, &new);
        }
        check(&text);
    }

    #[test]
    fn any_words_in_any_order_parse(words in prop::collection::vec(prop::sample::select(vec![
        "begin", "end", "if", "else", "elseif", "for", "in", "outer", "function", "where", "struct", "mutable", "let",
        "try", "catch", "finally", "quote", "do", "return", "import", "using", "as", "export", "public", "const", "global",
        "macro", "module", "abstract", "type", "primitive", "isa", "while", "break", "x", "1", "2.5", "\"", "\"\"\"", "`", "'",
        "$", "(", ")", "[", "]", "{", "}", ",", ";", ";;", ":", "::", ".", "..", "...", "=", ".=", "+=", "+", "-", ".+", "*",
        "^", "'", "!", "&", "<:", "->", "=>", "?", "|>", "&&", "@", "@m", "\n", " ", "#=", "=#", "# ", "var\"", "∘", "√", "\\",
    ]), 0..40), spaced in any::<bool>()) {
        check(&words.join(if spaced { " " } else { "" }));
    }

    #[test]
    fn any_characters_parse(text in "\\PC{0,80}") {
        check(&text);
    }
}

#[test]
fn nesting_past_the_limit_is_an_error_and_not_an_overflow() {
    let shapes = [
        "(",
        "[",
        "{",
        "a[",
        "f(",
        "-",
        "!",
        "$",
        ":(",
        "begin ",
        "if a ",
        "a ? ",
        "a => ",
        "a^",
        "x -> ",
        "a = ",
        "@m ",
        "\"$(",
        "a::(",
        "let a = ",
        "function (",
        "quote ",
        "a where ",
        "<:",
        "&",
        "[a;; ",
        "if a elseif ",
        "T{",
        "do ",
        "return ",
        "::",
        "√",
    ];
    for opener in shapes {
        check(&opener.repeat(50_000));
    }
    let deep = parse(&"(".repeat(5_000), FileId(1));
    let messages: Vec<&str> = deep.diagnostics.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(messages, ["this is nested too deeply"], "what is not read is not missing");
}

#[test]
fn long_chains_are_no_nesting() {
    // These lean to the left: the parser loops, so no limit applies.
    for (first, link) in [("a", " - a"), ("a", ".b"), ("f", "()"), ("a", "[1]"), ("a", "'"), ("a", " |> f")] {
        let text = format!("{first}{}", link.repeat(5_000));
        let parsed = parse(&text, FileId(1));
        assert!(parsed.diagnostics.is_empty(), "{link}: {:?}", parsed.diagnostics.first());
    }
}

#[test]
fn one_statement_at_a_time_gives_the_same_text() {
    let text = "a = 1\n\nf(x) = [x\n  y]; b\n# done\n";
    let mut offset = 0;
    let mut pieces = Vec::new();
    while offset < text.len() {
        let (parsed, next) = parse_one(text, offset);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        assert!(next > offset, "no progress at {offset}");
        pieces.push(text[offset..next].trim().to_owned());
        offset = next;
    }
    assert!(parse_one(")", 0).1 > 0, "an error is progress as well");
    assert_eq!(pieces, ["a = 1", "f(x) = [x\n  y]; b\n# done"], "what is left is blank, so it is consumed");
}

#[test]
fn an_error_shows_the_opener_that_was_meant() {
    let mut files = Files::new();
    let id = files.add("kernel.jl", "function f(x)\n    if x\n        y\nend\n").unwrap();
    let parsed = files.parse(id).unwrap();
    let shown = render_all(&parsed.diagnostics, &files, false);
    let expected = "\
error[syntax/unclosed]: this `if` is never closed
 --> kernel.jl:2:5
  |
2 |     if x
  |     ^^
3 |         y
4 | end
  | --- this `end` closes it, but is indented like the end of something around it";
    assert_eq!(shown, expected);
}
