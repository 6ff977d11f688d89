//! Reports that are for people or for programs: one value, two ways to write it.

use std::fmt::Write as _;

/// A report.
pub(crate) enum Json {
    Text(String),
    Whole(u64),
    Number(f64),
    Flag(bool),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Json::Whole(value)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Json::Flag(value)
    }
}

impl From<String> for Json {
    fn from(value: String) -> Self {
        Json::Text(value)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Json::Text(value.to_owned())
    }
}

impl Json {
    /// One line of JSON.
    pub(crate) fn to_line(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out.push('\n');
        out
    }

    /// Returns text for people: fields indented below their parents.
    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        self.write_text(&mut out, 0);
        out
    }

    fn write_json(&self, out: &mut String) {
        match self {
            Json::Text(text) => write_string(out, text),
            Json::Whole(value) => _ = write!(out, "{value}"),
            Json::Number(value) => _ = write!(out, "{value}"),
            Json::Flag(value) => _ = write!(out, "{value}"),
            Json::List(all) => {
                out.push('[');
                for (at, it) in all.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    it.write_json(out);
                }
                out.push(']');
            }
            Json::Object(fields) => {
                out.push('{');
                for (at, (name, it)) in fields.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    write_string(out, name);
                    out.push(':');
                    it.write_json(out);
                }
                out.push('}');
            }
        }
    }

    fn write_text(&self, out: &mut String, depth: usize) {
        match self {
            Json::List(all) => {
                for (at, it) in all.iter().enumerate() {
                    if at > 0 && depth == 0 {
                        out.push('\n');
                    }
                    it.write_text(out, depth);
                }
            }
            Json::Object(fields) => {
                for (name, value) in fields {
                    let _ = write!(out, "{:1$}{name}: ", "", 2 * depth);
                    match value {
                        Json::List(_) | Json::Object(_) => {
                            out.push('\n');
                            value.write_text(out, depth + 1);
                        }
                        Json::Text(_) | Json::Whole(_) | Json::Number(_) | Json::Flag(_) => {
                            value.write_text(out, 0)
                        }
                    }
                }
            }
            Json::Text(text) => _ = writeln!(out, "{:1$}{text}", "", 2 * depth),
            Json::Whole(value) => _ = writeln!(out, "{value}"),
            Json::Number(value) => _ = writeln!(out, "{value:.3}"),
            Json::Flag(value) => out.push_str(if *value { "yes\n" } else { "no\n" }),
        }
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for it in text.chars() {
        match it {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            it if (it as u32) < 32 => _ = write!(out, "\\u{:04x}", it as u32),
            it => out.push(it),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_json_or_lines() {
        let report =
            Json::Object(vec![("name", "a \"b\\c\n".into()), ("all", Json::List(vec![1u64.into()]))]);
        assert_eq!(report.to_line(), "{\"name\":\"a \\\"b\\\\c\\u000a\",\"all\":[1]}\n");
        assert_eq!(report.to_text(), "name: a \"b\\c\n\nall: \n1\n");
    }
}
