//! Rules of Makefiles, as compilers write them for their inputs.

/// The inputs of a rule.
pub(crate) fn inputs(rule: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut letters = rule.trim_end().chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('\n')) => _ = letters.next(),
            ('\\', Some(' ' | '#' | '\\')) | ('$', Some('$')) => word.extend(letters.next()),
            (' ' | '\n', _) => words.push(std::mem::take(&mut word)),
            (letter, _) => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|it| !it.is_empty());
    let after_targets = words.iter().position(|it| it.ends_with(':')).map_or(0, |at| at + 1);
    words.split_off(after_targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_they_were_before_they_were_escaped() {
        let rule = "out/a.a out/a.h: a.jl part\\ one.jl c\\\\d \\\n  e$$f\n";
        assert_eq!(inputs(rule), ["a.jl", "part one.jl", "c\\d", "e$f"]);
        assert_eq!(inputs(""), [""; 0]);
    }
}
