//! The format of a document with expectations: source, with comments that name stages and expected output.
//!
//! ```text
//! # Why the test is there.
//! f(x) = x + 1
//! #: typed 'f(Int64)'
//! #: check: add_int
//! ```
//!
//! A line `#: VERB WORDS` opens a section; the source of a section is the whole document. Directives of the
//! `filecheck` crate follow it. A section without directives is exact: its text follows in lines `#>`, and can be
//! blessed.

use crate::{Outcome, Verdict, check, compare};
use std::fmt::Write as _;
use std::path::Path;

/// Something to make of the source of a document, and the expectations of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The line that opens it, from 1.
    pub line: usize,
    /// The words of that line.
    pub words: Vec<String>,
    /// Directives, one a line.
    pub checks: String,
}

/// The sections of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// In their order.
    pub sections: Vec<Section>,
}

/// The first words of lines that are checks of the section before them.
const DIRECTIVES: [&str; 6] = ["check:", "nextln:", "sameln:", "unordered:", "not:", "regex:"];

/// The start of a line of exact text.
const EXACT: &str = "#>";

/// Splits as a shell does, with single quotes.
pub fn words(text: &str) -> Vec<String> {
    let (mut all, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for it in text.chars() {
        match it {
            '\'' => quoted = !quoted,
            ' ' if !quoted => {
                if !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(it),
        }
    }
    all.extend(Some(word).filter(|it| !it.is_empty()));
    all
}

impl Document {
    /// Reads the sections of a text. A line `#: upstream: NAME` is for readers: it names the test of another project
    /// that the next sections correspond to.
    ///
    /// # Panics
    /// When a check precedes the first section.
    pub fn read(text: &str) -> Self {
        let mut sections: Vec<Section> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let Some(said) = line.trim_start().strip_prefix("#:").map(str::trim) else { continue };
            let verb = said.split(' ').next().unwrap_or("");
            if DIRECTIVES.contains(&verb) {
                let section =
                    sections.last_mut().unwrap_or_else(|| panic!("line {}: nothing is run", at + 1));
                let _ = writeln!(section.checks, "{said}");
            } else if verb != "upstream:" {
                sections.push(Section { line: at + 1, words: words(said), checks: String::new() });
            }
        }
        Self { sections }
    }
}

/// Tests a document: `make` gives the result of each section. A section without directives has its exact text behind it.
///
/// # Errors
/// When a result cannot be made, or an expectation does not hold.
pub fn verify(file: &Path, make: &mut dyn FnMut(&Section) -> Result<String, String>) -> Verdict {
    let text = crate::read(file);
    let document = Document::read(&text);
    if document.sections.is_empty() {
        return Err(format!("{}: it has no section", file.display()));
    }
    let (mut failures, mut exact) = (String::new(), Vec::new());
    for section in document.sections {
        let result = make(&section);
        let problem = match result {
            Err(problem) => Some(problem),
            Ok(found) if section.checks.is_empty() => {
                exact.push((section.line, found));
                None
            }
            Ok(found) => check(&section.checks, &found).err(),
        };
        if let Some(problem) = problem {
            let place = format!("{}:{}", file.display(), section.line);
            let _ = writeln!(failures, "{place}: {}\n{problem}", section.words.join(" "));
        }
    }
    if !failures.is_empty() {
        return Err(failures);
    }
    if exact.is_empty() { Ok(Outcome::Passed) } else { compare(file, &with_exact(&text, &exact)) }
}

/// The document with these results behind the sections that open at these lines.
fn with_exact(text: &str, results: &[(usize, String)]) -> String {
    let mut document = String::new();
    for (at, line) in text.lines().enumerate().filter(|(_, it)| !it.starts_with(EXACT)) {
        let _ = writeln!(document, "{line}");
        let Some((_, result)) = results.iter().find(|(number, _)| *number == at + 1) else { continue };
        for it in result.lines() {
            let _ = writeln!(document, "{}", format!("{EXACT} {it}").trim_end());
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::{Document, Section, with_exact, words};

    const TEXT: &str = "f(x) = x\n#: typed 'f(Int64, T)' -O0\n#: check: return\n#: not: call\n#: upstream: x\n#: llvm f\n#> old\n\ng() = 1\n";

    #[test]
    fn words_are_split_at_spaces_outside_quotes() {
        assert_eq!(words("run sm_90 'f(A, B)'  --x"), ["run", "sm_90", "f(A, B)", "--x"]);
    }

    #[test]
    fn a_section_has_the_checks_that_follow_it() {
        let section = |line, words: &[&str], checks: &str| Section {
            line,
            words: words.iter().map(|it| (*it).to_owned()).collect(),
            checks: checks.to_owned(),
        };
        let sections = [
            section(2, &["typed", "f(Int64, T)", "-O0"], "check: return\nnot: call\n"),
            section(6, &["llvm", "f"], ""),
        ];
        assert_eq!(Document::read(TEXT).sections, sections);
    }

    #[test]
    fn exact_text_is_replaced_where_it_stands() {
        let blessed = with_exact(TEXT, &[(6, "new\n\nlines\n".to_owned())]);
        assert_eq!(blessed, TEXT.replace("#> old", "#> new\n#>\n#> lines"));
        assert_eq!(with_exact(&blessed, &[(6, "new\n\nlines\n".to_owned())]), blessed);
    }
}
