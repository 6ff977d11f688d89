//! Cases of parsing: `tests/expr/*.txt`, each a Julia text and the expressions it is.
//!
//! A case is a few lines of Julia and then, one a line, what they become: `=> ` an expression, `!! ` an error with
//! its line and column. Lines that start with `##` say why the case is there. Files whose name starts with `lines`
//! show line nodes as `#line`. A file is a test; `KILN_BLESS=1` rewrites it.

use kiln_ir::Ast;
use kiln_lower::expr::{print, print_with_lines, to_ast};
use kiln_syntax::{FileId, parse};
use kiln_testing::{Outcome, Suite, Verdict, compare, files, read, stem};
use kiln_types::Types;
use std::path::Path;
use std::process::ExitCode;

fn results(source: &str, lines: bool) -> Vec<String> {
    let types = Types::new();
    let mut ast = Ast::new();
    let parsed = parse(source, FileId(1));
    let mut out: Vec<String> = Vec::new();
    for id in to_ast(&parsed, &types, &mut ast) {
        let shown = if lines { print_with_lines(&ast, &types, id) } else { print(&ast, &types, id) };
        out.push(format!("=> {}", shown.replace('\n', "\\n")));
    }
    for diagnostic in &parsed.diagnostics {
        let (line, column) = parsed.lines.line_column(diagnostic.primary.span.start);
        out.push(format!("!! {line}:{column} {}", diagnostic.message));
    }
    out
}

/// The text with every case's results replaced by what they are now, and how many cases there are.
fn renew(text: &str, lines: bool) -> (String, usize) {
    let mut out = String::new();
    let mut source: Vec<&str> = Vec::new();
    let mut answered = false;
    let mut cases = 0;
    let all: Vec<&str> = text.lines().collect();
    for (at, line) in all.iter().enumerate() {
        if line.starts_with("##") {
            out.push_str(&format!("{line}\n"));
            continue;
        }
        let answer = line.starts_with("=> ") || line.starts_with("!! ");
        if answer && !answered {
            for result in results(&source.join("\n"), lines) {
                out.push_str(&format!("{result}\n"));
            }
            cases += 1;
            source.clear();
        }
        let next_answers = all[at..].iter().find(|line| line.starts_with("=> ") || line.starts_with("!! "));
        if !answer {
            if !(line.is_empty() && source.is_empty()) && next_answers.is_some() {
                source.push(line);
            }
            out.push_str(&format!("{line}\n"));
        }
        answered = answer;
    }
    (out, cases)
}

fn cases(path: &Path) -> Verdict {
    compare(path, &renew(&read(path), stem(path).starts_with("lines")).0)
}

/// Cases are not lost by the way.
fn count(folder: &Path) -> Verdict {
    let count: usize = files(folder, "txt").iter().map(|it| renew(&read(it), false).1).sum();
    if count >= 250 { Ok(Outcome::Passed) } else { Err(format!("only {count} cases")) }
}

/// Windows on the case files are programs cut off at both ends, with results in between that are no Julia at all.
fn windows(path: &Path) -> Verdict {
    let types = Types::new();
    let text = read(path);
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for window in starts.windows(120).step_by(3) {
        let mut ast = Ast::new();
        let parsed = parse(&text[window[0]..window[119]], FileId(1));
        for id in to_ast(&parsed, &types, &mut ast) {
            print(&ast, &types, id);
        }
    }
    Ok(Outcome::Passed)
}

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expr");
    Suite::new()
        .files("cases/", &folder, "txt", cases)
        .files("damaged/", &folder, "txt", windows)
        .test("number of cases", move || count(&folder))
        .run()
}
