//! The text form of names and modules.

/// A name as it can be written: `var"#1#2"` unless it is an identifier.
pub(crate) fn quoted(name: &str) -> String {
    if is_identifier(name) || is_operator(name) { name.to_owned() } else { format!("var{name:?}") }
}

pub(crate) fn is_identifier(name: &str) -> bool {
    const RESERVED: [&str; 24] = [
        "baremodule",
        "begin",
        "break",
        "catch",
        "const",
        "continue",
        "do",
        "else",
        "elseif",
        "end",
        "export",
        "false",
        "finally",
        "for",
        "function",
        "global",
        "if",
        "import",
        "let",
        "local",
        "macro",
        "module",
        "quote",
        "return",
    ];
    const RESERVED_TOO: [&str; 5] = ["struct", "true", "try", "using", "while"];
    let letter = |it: char| {
        it.is_alphabetic() || it == '_' || (!it.is_ascii() && !it.is_whitespace() && !is_operator_char(it))
    };
    let mut chars = name.chars();
    chars.next().is_some_and(letter)
        && chars.all(|it| letter(it) || it.is_alphanumeric() || it == '!')
        && !RESERVED.contains(&name)
        && !RESERVED_TOO.contains(&name)
}

fn is_operator_char(it: char) -> bool {
    "+-*/\\^%<>=!~&|:÷⊻⊼⊽≤≥≠≈∈∉∋∌⊆⊇∪∩√∘×⋅".contains(it)
}

pub(crate) fn is_operator(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_operator_char)
}
