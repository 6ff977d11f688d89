//! PCRE patterns as `fancy-regex` writes them.
//!
//! Most of the two notations is one. Rewritten here: what `$` means before a last line end, `{` that repeats nothing,
//! `[` and `&&` in a class, escapes that differ (`\h`, `\R`, `\Z`, `\<`, `\e`), quotations (`\Q...\E`). Not understood,
//! and said so: branch reset, subroutine calls, verbs, conditions on anything but a group, the options that no
//! pattern of ours can honour (`a`).

const HORIZONTAL: &str = r"\t\p{Zs}";
const LINE_END: &str = r"(?:\r\n|[\n\x0B\f\r\x{85}\x{2028}\x{2029}])";

/// The pattern with its options (letters of `imsxua`) in front; what is not understood.
pub(super) fn translate(pattern: &str, options: &str) -> Result<String, String> {
    let mut letters = String::new();
    for it in options.chars() {
        match it {
            'i' | 'm' | 's' | 'x' => letters.push(it),
            'u' => {}
            _ => return Err(format!("the option `{it}` is not supported")),
        }
    }
    let many_lines = letters.contains('m') || inline_flag(pattern, 'm');
    let mut out = match letters.is_empty() {
        true => String::new(),
        false => format!("(?{letters})"),
    };
    Translation { rest: pattern, out: &mut out, in_class: false, many_lines }.run()?;
    Ok(out)
}

/// Whether some `(?flags)` sets this flag.
fn inline_flag(pattern: &str, flag: char) -> bool {
    pattern.match_indices("(?").any(|(at, _)| {
        let flags = pattern[at + 2..].chars().take_while(char::is_ascii_lowercase);
        flags.collect::<String>().contains(flag)
    })
}

struct Translation<'a> {
    rest: &'a str,
    out: &'a mut String,
    in_class: bool,
    many_lines: bool,
}

impl Translation<'_> {
    fn take(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn run(&mut self) -> Result<(), String> {
        while let Some(next) = self.take() {
            match next {
                '\\' => self.escape()?,
                _ if self.in_class => self.class_member(next),
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

    fn group(&mut self) -> Result<(), String> {
        self.out.push('(');
        for (start, what) in [
            ("?|", "branch reset groups are"),
            ("?R)", "recursion is"),
            ("?&", "subroutine calls are"),
            ("*", "verbs are"),
        ] {
            if self.rest.starts_with(start) {
                return Err(format!("{what} not supported"));
            }
        }
        Ok(())
    }

    /// `{2,3}` repeats; any other brace stands for itself.
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
        self.in_class = true;
    }

    fn class_member(&mut self, next: char) {
        match next {
            ']' => {
                self.in_class = false;
                self.out.push(']');
            }
            '[' if self.rest.starts_with(':') => {
                let end = self.rest.find(":]").map_or(self.rest.len(), |it| it + 2);
                self.out.push('[');
                self.out.push_str(&self.rest[..end]);
                self.rest = &self.rest[end..];
            }
            '[' | '&' | '~' => {
                self.out.push('\\');
                self.out.push(next);
            }
            other => self.out.push(other),
        }
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(next) = self.take() else {
            return Err(r"\ at end of pattern".into());
        };
        match next {
            'h' if self.in_class => self.out.push_str(HORIZONTAL),
            'h' => self.out.push_str(&format!("[{HORIZONTAL}]")),
            'H' if !self.in_class => self.out.push_str(&format!("[^{HORIZONTAL}]")),
            'R' if !self.in_class => self.out.push_str(LINE_END),
            'N' if !self.in_class => self.out.push_str(r"[^\n]"),
            'Z' if !self.in_class => self.out.push_str(r"(?=\n?\z)"),
            'e' => self.out.push_str(r"\x1B"),
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
    use super::translate;
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
    fn what_is_not_understood_is_said() {
        assert_eq!(translate("(?|a|b)", ""), Err("branch reset groups are not supported".into()));
        assert_eq!(translate("a", "a"), Err("the option `a` is not supported".into()));
    }
}
