//! PCRE patterns as `fancy-regex` writes them.
//!
//! The two notations agree in most forms. Rewritten here: `$` before a last line end, `{` that repeats nothing, ranges and
//! `[`, `&`, `~` in a class, escapes that differ (`\h`, `\v`, `\R`, `\Z`, `\<`, `\e`, `\101`, `\N{U+41}`), quotations (`\Q...\E`).
//! Refused by name: branch reset, recursion, verbs, `\X`, the option `a`, two groups of one name.

const HORIZONTAL: &str = r"\t\p{Zs}";
const VERTICAL: &str = r"\n\x0B\f\r\x{85}\x{2028}\x{2029}";
const LINE_END: &str = r"(?:\r\n|[\n\x0B\f\r\x{85}\x{2028}\x{2029}])";

/// The part of a pattern that is malformed or not supported.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PatternError(String);

impl PatternError {
    pub(super) fn new(message: &str) -> Self {
        Self(message.to_owned())
    }
}

impl std::fmt::Display for PatternError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Translates a pattern with its options (letters of `imsxua`) in front; fails with the unsupported part.
pub(super) fn translate(pattern: &str, options: &str) -> Result<String, PatternError> {
    let mut letters = String::new();
    for it in options.chars() {
        match it {
            'i' | 'm' | 's' | 'x' => letters.push(it),
            'u' => {}
            _ => return Err(PatternError(format!("the option `{it}` is not supported"))),
        }
    }
    let many_lines = letters.contains('m') || inline_flag(pattern, 'm');
    let mut out = match letters.is_empty() {
        true => String::new(),
        false => format!("(?{letters})"),
    };
    let (class, names) = (None, Vec::new());
    Translation { rest: pattern, pattern, out: &mut out, class, names, many_lines }.run()?;
    Ok(out)
}

/// Whether some `(?flags)` sets this flag.
fn inline_flag(pattern: &str, flag: char) -> bool {
    pattern.match_indices("(?").any(|(at, _)| {
        let flags = pattern[at + 2..].chars().take_while(char::is_ascii_lowercase);
        flags.collect::<String>().contains(flag)
    })
}

/// The last member of a class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    /// None yet, or one that begins no range: `\d`, a range, a POSIX class.
    Closed,
    /// A character, with which a range may begin.
    Character,
    /// The `-` of a range, which the next member ends.
    Dash,
}

struct Translation<'a> {
    rest: &'a str,
    pattern: &'a str,
    out: &'a mut String,
    /// In a class, its last member.
    class: Option<Member>,
    /// The names of groups.
    names: Vec<&'a str>,
    many_lines: bool,
}

impl<'a> Translation<'a> {
    fn take(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn run(&mut self) -> Result<(), PatternError> {
        while let Some(next) = self.take() {
            match next {
                '\\' => self.escape()?,
                _ if self.class.is_some() => self.class_member(next),
                '[' => self.open_class(),
                '(' => self.group()?,
                '$' if !self.many_lines => self.out.push_str(r"(?:$|(?=\n\z))"),
                '{' => self.brace(),
                '}' => self.out.push_str(r"\}"),
                other => self.out.push(other),
            }
        }
        Ok(())
    }

    fn group(&mut self) -> Result<(), PatternError> {
        self.out.push('(');
        for (start, what) in [
            ("?|", "branch reset groups are"),
            ("?R)", "recursion is"),
            ("?0)", "recursion is"),
            ("*", "verbs are"),
        ] {
            if self.rest.starts_with(start) {
                return Err(PatternError(format!("{what} not supported")));
            }
        }
        let named = [("?<", '>'), ("?P<", '>'), ("?'", '\'')]
            .into_iter()
            .find_map(|(start, end)| self.rest.strip_prefix(start)?.split_once(end).map(|it| it.0));
        if let Some(name) = named.filter(|it| !it.starts_with(['=', '!'])) {
            if self.names.contains(&name) {
                return Err(PatternError::new(
                    "two named subpatterns have the same name (PCRE2_DUPNAMES not set)",
                ));
            }
            self.names.push(name);
        }
        Ok(())
    }

    /// The number of groups of the whole pattern, up to which `\12` refers back.
    fn groups(&self) -> usize {
        let opens = self.pattern.match_indices('(').filter(|(at, _)| {
            let (before, after) = (&self.pattern[..*at], &self.pattern[at + 1..]);
            !before.ends_with('\\')
                && (!after.starts_with('?') || after.starts_with("?<") || after.starts_with("?P<"))
        });
        opens.count()
    }

    /// Reads the character of an octal escape, after its first digit.
    fn octal(&mut self, first: char) -> Option<u32> {
        let digits: String = std::iter::once(first)
            .chain(self.rest.chars().take(2))
            .take_while(|it| ('0'..='7').contains(it))
            .collect();
        let decimal: String =
            std::iter::once(first).chain(self.rest.chars().take_while(char::is_ascii_digit)).collect();
        let refers = first != '0'
            && self.class.is_none()
            && (decimal.len() == 1 || decimal.parse().is_ok_and(|it: usize| it <= self.groups()));
        if refers || digits.is_empty() {
            return None;
        }
        self.rest = &self.rest[digits.len() - 1..];
        u32::from_str_radix(&digits, 8).ok()
    }

    /// A hexadecimal escape, a member of the class if there is one.
    fn code_point(&mut self, point: u32) {
        self.out.push_str(&format!(r"\x{{{point:X}}}"));
        self.member(Member::Character);
    }

    /// Notes a member of the class; behind the `-` of a range it ends that.
    fn member(&mut self, member: Member) {
        if let Some(last) = self.class {
            self.class = Some(if last == Member::Dash { Member::Closed } else { member });
        }
    }

    /// `{2,3}` repeats; any other brace is a literal.
    fn brace(&mut self) {
        let inside = self.rest.split_once('}').map(|it| it.0);
        let repeats = inside.is_some_and(|it| {
            let (least, most) = it.split_once(',').unwrap_or((it, ""));
            let digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
            !least.is_empty() && digits(least) && digits(most)
        });
        match inside {
            Some(inside) if repeats => {
                self.out.push('{');
                self.out.push_str(inside);
                self.out.push('}');
                self.rest = &self.rest[inside.len() + 1..];
            }
            _ => self.out.push_str(r"\{"),
        }
    }

    fn open_class(&mut self) {
        self.out.push('[');
        if self.rest.starts_with('^') {
            self.take();
            self.out.push('^');
        }
        if self.rest.starts_with(']') {
            self.take();
            self.out.push_str(r"\]");
        }
        let has_bracket = self.out.ends_with(r"\]");
        self.class = Some(if has_bracket { Member::Character } else { Member::Closed });
    }

    fn class_member(&mut self, next: char) {
        match next {
            ']' => {
                if self.class == Some(Member::Dash) {
                    self.out.push('-');
                }
                self.class = None;
                self.out.push(']');
            }
            '-' if self.class == Some(Member::Character) && !self.rest.starts_with(']') => {
                self.out.push('-');
                self.class = Some(Member::Dash);
            }
            '[' if self.rest.starts_with(':') => {
                let end = self.rest.find(":]").map_or(self.rest.len(), |it| it + 2);
                self.out.push('[');
                self.out.push_str(&self.rest[..end]);
                self.rest = &self.rest[end..];
                self.member(Member::Closed);
            }
            '[' | '&' | '~' | '-' => {
                self.out.push('\\');
                self.out.push(next);
                self.member(Member::Character);
            }
            other => {
                self.out.push(other);
                self.member(Member::Character);
            }
        }
    }

    fn escape(&mut self) -> Result<(), PatternError> {
        let Some(next) = self.take() else {
            return Err(PatternError::new(r"\ at end of pattern"));
        };
        let in_class = self.class.is_some();
        if next.is_ascii_digit()
            && let Some(point) = self.octal(next)
        {
            self.code_point(point);
            return Ok(());
        }
        match next {
            'N' if self.rest.starts_with("{U+") => {
                let (digits, rest) = self.rest[3..].split_once('}').unwrap_or(("", self.rest));
                let point =
                    u32::from_str_radix(digits, 16).map_err(|_| PatternError::new(r"malformed \N{U+...}"))?;
                self.rest = rest;
                self.code_point(point);
                return Ok(());
            }
            'X' => return Err(PatternError::new(r"`\X` is not supported")),
            'e' => {
                self.code_point(0x1b);
                return Ok(());
            }
            _ => self.member(if "dDwWsShHvVpPR".contains(next) { Member::Closed } else { Member::Character }),
        }
        match next {
            'h' if in_class => self.out.push_str(HORIZONTAL),
            'h' => self.out.push_str(&format!("[{HORIZONTAL}]")),
            'H' if !in_class => self.out.push_str(&format!("[^{HORIZONTAL}]")),
            'v' if in_class => self.out.push_str(VERTICAL),
            'v' => self.out.push_str(&format!("[{VERTICAL}]")),
            'V' if !in_class => self.out.push_str(&format!("[^{VERTICAL}]")),
            'R' if !in_class => self.out.push_str(LINE_END),
            'N' if !in_class => self.out.push_str(r"[^\n]"),
            'Z' if !in_class => self.out.push_str(r"(?=\n?\z)"),
            'Q' => {
                let (literal, rest) = self.rest.split_once(r"\E").unwrap_or((self.rest, ""));
                self.out.push_str(&fancy_regex::escape(literal));
                self.rest = rest;
            }
            'E' => {}
            'p' | 'P' | 'x' | 'k' | 'g' => {
                self.out.push('\\');
                self.out.push(next);
                if self.rest.starts_with('{') {
                    let end = self.rest.find('}').map_or(self.rest.len(), |it| it + 1);
                    self.out.push_str(&self.rest[..end]);
                    self.rest = &self.rest[end..];
                }
            }
            // These are meta characters only here, or nothing at all.
            '<' | '>' | '_' | '\'' | '"' | '/' | ' ' | '!' | '%' | ',' | ':' | ';' | '=' | '@' | '`' => {
                match next {
                    ' ' => self.out.push_str(r"\x20"),
                    other => self.out.push(other),
                }
            }
            other => {
                self.out.push('\\');
                self.out.push(other);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{PatternError, translate};
    use fancy_regex::Regex;

    fn found<'a>(pattern: &str, options: &str, subject: &'a str) -> Option<&'a str> {
        let regex = Regex::new(&translate(pattern, options).unwrap()).unwrap();
        regex.find(subject).unwrap().map(|it| it.as_str())
    }

    #[test]
    fn a_dollar_stands_before_a_last_line_end_too() {
        assert_eq!(found(r"^\d+$", "", "12\n"), Some("12"));
        assert_eq!(found(r"^\d+$", "", "12\n3"), None);
        assert_eq!(found(r"^\d+$", "m", "x\n12\n3x"), Some("12"));
    }

    #[test]
    fn braces_and_brackets_that_mean_nothing_stand_for_themselves() {
        assert_eq!(found(r"{(\w+)}", "", "a {b} c"), Some("{b}"));
        assert_eq!(found(r"a{2}", "", "aaa"), Some("aa"));
        assert_eq!(found(r"[[x]+", "", "a[x"), Some("[x"));
        assert_eq!(found(r"[^]]+", "", "]ab]"), Some("ab"));
        assert_eq!(found(r"[[:digit:]&&]+", "", "a1&2"), Some("1&2"));
    }

    #[test]
    fn escapes_of_pcre_are_understood() {
        assert_eq!(found(r"a\hb", "", "a\tb"), Some("a\tb"));
        assert_eq!(found(r"\<b\>", "", "a<b>"), Some("<b>"));
        assert_eq!(found(r"\Qa.b\E+", "", "xa.bb"), Some("a.bb"));
        assert_eq!(found(r"x\R", "", "x\r\n"), Some("x\r\n"));
        assert_eq!(found(r"(\w)\1", "", "abccd"), Some("cc"));
        assert_eq!(found(r"(?<=a)b", "", "bab"), Some("b"));
    }

    #[test]
    fn ranges_are_those_of_pcre() {
        assert_eq!(found(r"[+--]", "", ","), Some(","));
        assert_eq!(found(r"[--a]+", "", "xA-az"), Some("A-a"));
        assert_eq!(found(r"[\d-x]+", "", "y1-x"), Some("1-x"));
        assert_eq!(found(r"[a-]+", "", "ba-"), Some("a-"));
        assert_eq!(found(r"[]-a]+", "", "x^]"), Some("^]"));
        assert_eq!(found(r"[a-c~~x]+", "", "~bx"), Some("~bx"));
    }

    #[test]
    fn code_points_are_written_as_in_pcre() {
        assert_eq!(found(r"a\vb", "", "a\nb"), Some("a\nb"));
        assert_eq!(found(r"[\v\h]+", "", "x\u{85}\t"), Some("\u{85}\t"));
        assert_eq!(found(r"\N{U+41}\101\x41", "", "AAA"), Some("AAA"));
        assert_eq!(found(r"(a)(b)\2", "", "abb"), Some("abb"));
        assert_eq!(found(r"[\101-\103]+", "", "xABC"), Some("ABC"));
    }

    #[test]
    fn what_is_not_understood_is_said() {
        assert!(translate("(?<x>a)(?<x>b)", "").unwrap_err().0.contains("same name"));
        assert!(translate(r"\X", "").is_err());
        assert_eq!(translate("(?|a|b)", ""), Err(PatternError::new("branch reset groups are not supported")));
        assert_eq!(translate("a", "a"), Err(PatternError::new("the option `a` is not supported")));
    }
}
