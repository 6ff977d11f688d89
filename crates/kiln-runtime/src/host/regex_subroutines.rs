//! Calls of named groups in PCRE patterns, `(?&name)` and `(?P>name)`, and `(?(DEFINE)...)`, written without them: a call becomes a copy
//! of the group that captures nothing, and groups that are only defined are repeated zero times, so that they keep their numbers.
//! Refused by name, since a copy would mean something else: recursion, references and conditions in called groups, and options that are
//! set behind the pattern's start.

use super::regex_syntax::PatternError;

/// How deep calls may be in one another, and how long a pattern may become.
const DEPTH_MAX: usize = 20;
const LENGTH_MAX: usize = 1 << 16;
const DEFINE: &str = "(?(DEFINE)";
const CALLS: [&str; 2] = ["(?&", "(?P>"];
const NAMES: [(&str, char); 3] = [("(?<", '>'), ("(?P<", '>'), ("(?'", '\'')];

/// Returns the pattern without calls; `None` if it has none.
pub(super) fn without_calls(pattern: &str, extended: bool) -> Result<Option<String>, PatternError> {
    if !pattern.contains(DEFINE) && !CALLS.iter().any(|it| pattern.contains(it)) {
        return Ok(None);
    }
    let options = leading_options(pattern);
    if parts(pattern).any(|it| it.1 == "(" && it.0 != 0 && option_length(&pattern[it.0..]).is_some()) {
        return Err(PatternError::new(
            "options that are set within a pattern with calls of groups are not supported",
        ));
    }
    let extended = extended || options.contains('x');
    let pattern = if extended { without_comments(pattern) } else { pattern.to_owned() };
    let mut out = String::new();
    expand(&pattern, &pattern, 0, &mut out)?;
    Ok(Some(out))
}

/// The letters of `(?letters)` or `(?letters:`, and how long that is.
fn option_length(text: &str) -> Option<usize> {
    let letters = text.strip_prefix("(?")?;
    let end = letters.find(|it: char| !it.is_ascii_alphabetic() && !matches!(it, '-' | '^'))?;
    (end > 0 && letters[end..].starts_with([')', ':'])).then_some("(?".len() + end + 1)
}

/// The options that a pattern begins with.
fn leading_options(pattern: &str) -> &str {
    let of_all = |it: &usize| pattern[..*it].ends_with(')');
    option_length(pattern).filter(of_all).map_or("", |it| &pattern[..it])
}

/// The parts of a pattern: an escape, a quotation, a class, or one character.
fn parts(pattern: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &pattern[at..];
        let first = rest.chars().next()?;
        let len = match first {
            '\\' if rest.starts_with(r"\Q") => rest.find(r"\E").map_or(rest.len(), |it| it + 2),
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            '[' => class_length(rest),
            other => other.len_utf8(),
        };
        at += len;
        Some((at - len, &rest[..len]))
    })
}

/// The length of the class that a text begins with.
fn class_length(text: &str) -> usize {
    let mut members = text.char_indices().skip(1).peekable();
    members.next_if(|it| it.1 == '^');
    members.next_if(|it| it.1 == ']');
    while let Some((at, member)) = members.next() {
        match member {
            '\\' => drop(members.next()),
            ']' => return at + 1,
            '[' if text[at..].starts_with("[:") => {
                while members.next_if(|it| it.1 != ']').is_some() {}
                members.next();
            }
            _ => {}
        }
    }
    text.len()
}

fn without_comments(pattern: &str) -> String {
    let mut out = String::new();
    let mut in_comment = false;
    for (_, part) in parts_or_lines(pattern) {
        in_comment = match part {
            "#" => true,
            "\n" => false,
            _ => in_comment,
        };
        if !in_comment {
            out.push_str(part);
        }
    }
    out
}

/// The parts of a pattern with comments, in which nothing but the end of the line has a meaning.
fn parts_or_lines(pattern: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let mut in_comment = false;
    std::iter::from_fn(move || {
        let rest = &pattern[at..];
        let first = rest.chars().next()?;
        let len = match first {
            _ if in_comment => first.len_utf8(),
            _ => parts(rest).next().map_or(first.len_utf8(), |it| it.1.len()),
        };
        in_comment = if in_comment { first != '\n' } else { first == '#' };
        at += len;
        Some((at - len, &rest[..len]))
    })
}

/// The text of the group that a text begins with, up to its end.
fn group(text: &str) -> &str {
    let mut depth = 0usize;
    for (at, part) in parts(text) {
        match part {
            "(" => depth += 1,
            ")" if depth <= 1 => return &text[..=at],
            ")" => depth -= 1,
            _ => {}
        }
    }
    text
}

/// The content of the group with this name.
fn named<'a>(pattern: &'a str, name: &str) -> Option<&'a str> {
    parts(pattern).filter(|it| it.1 == "(").find_map(|(at, _)| {
        let rest = &pattern[at..];
        let has_name = |it: &&(&str, char)| {
            let after = rest.strip_prefix(it.0).and_then(|after| after.strip_prefix(name));
            after.is_some_and(|after| after.starts_with(it.1))
        };
        let (start, _) = NAMES.iter().find(has_name)?;
        let whole = group(rest);
        whole.get(start.len() + name.len() + 1..whole.len() - 1)
    })
}

/// Whether a text begins with something that asks which text a group has matched.
fn is_reference(text: &str) -> bool {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), Some('g' | 'k' | '1'..='9')) => true,
        _ => text.starts_with("(?P=") || text.starts_with("(?(") && !text.starts_with(DEFINE),
    }
}

/// Writes a part of a pattern without calls. In a copy, groups capture nothing.
fn expand(whole: &str, part: &str, depth: usize, out: &mut String) -> Result<(), PatternError> {
    if depth > DEPTH_MAX || out.len() > LENGTH_MAX {
        return Err(PatternError::new("recursion is not supported"));
    }
    let mut skip = 0;
    for (at, text) in parts(part) {
        if at < skip {
            continue;
        }
        let rest = &part[at..];
        let call = CALLS.iter().find_map(|it| rest.strip_prefix(it)?.split_once(')'));
        if depth > 0 && is_reference(rest) {
            return Err(PatternError::new("references and conditions in called groups are not supported"));
        }
        if text != "(" {
            out.push_str(text);
        } else if let Some((name, after)) = call {
            let body = named(whole, name)
                .ok_or_else(|| PatternError::new("reference to non-existent subpattern"))?;
            out.push_str("(?:");
            expand(whole, body, depth + 1, out)?;
            out.push(')');
            skip = part.len() - after.len();
        } else if rest.starts_with(DEFINE) {
            let all = group(rest);
            out.push_str("(?:");
            let defined = all.strip_prefix(DEFINE).and_then(|it| it.strip_suffix(')'));
            let defined = defined.ok_or_else(|| PatternError::new("missing closing parenthesis"))?;
            expand(whole, defined, depth, out)?;
            out.push_str("){0}");
            skip = at + all.len();
        } else if depth > 0 {
            let name = NAMES.iter().find_map(|(start, end)| rest.strip_prefix(start)?.split_once(*end));
            match name.filter(|it| !it.0.starts_with(['=', '!'])) {
                Some((_, after)) => {
                    out.push_str("(?:");
                    skip = part.len() - after.len();
                }
                None if rest.starts_with("(?") || rest.starts_with("(*") => out.push('('),
                None => out.push_str("(?:"),
            }
        } else {
            out.push('(');
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::without_calls;

    fn written(pattern: &str) -> String {
        without_calls(pattern, false).unwrap().unwrap()
    }

    #[test]
    fn a_call_is_a_copy_that_captures_nothing() {
        assert_eq!(written("(?<d>[0-9]+)-(?&d)"), "(?<d>[0-9]+)-(?:[0-9]+)");
        assert_eq!(written(r"(?<d>(\()[)])(?P>d)"), r"(?<d>(\()[)])(?:(?:\()[)])");
        assert_eq!(without_calls("a(b)", false), Ok(None));
    }

    #[test]
    fn groups_that_are_only_defined_keep_their_numbers() {
        assert_eq!(written("(?(DEFINE)(?<w>x))(?&w)y"), "(?:(?<w>x)){0}(?:x)y");
    }

    #[test]
    fn comments_are_no_calls() {
        let found = without_calls("# 1) as in (?&w)\n(?(DEFINE)(?<w>x))(?&w)", true).unwrap();
        assert_eq!(found.as_deref(), Some("\n(?:(?<w>x)){0}(?:x)"));
    }

    #[test]
    fn a_group_that_calls_itself_is_refused() {
        assert!(without_calls("(?<p>a(?&p)?b)", false).is_err());
        assert!(without_calls("(?&none)", false).is_err());
    }

    #[test]
    fn what_a_copy_would_change_is_refused() {
        assert!(without_calls(r"(?<q>(['x])a\2)(?&q)", false).is_err());
        assert!(without_calls("(?<q>a)(?i)(?&q)", false).is_err());
        assert!(without_calls("(?(DEFINE)é", false).is_err());
        assert_eq!(written("(?i)(?<q>a)(?&q)"), "(?i)(?<q>a)(?:a)");
        assert_eq!(written(r"(?<q>\Q(\E)(?&q)"), r"(?<q>\Q(\E)(?:\Q(\E)");
    }
}
