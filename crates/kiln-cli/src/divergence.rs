//! `kiln reflect divergence`: how values differ between items that run together, beside the lines of the source.

use crate::json::Json;
use kiln::divergence::{LaneOperation, LineFact, ShownLoop, Spread};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The facts of each line of a file, with how many instructions each is of.
type Lines<'a> = BTreeMap<u32, &'a BTreeMap<LineFact, u32>>;

/// Shows the loops for people. `source` returns the text of a file.
pub(crate) fn text(loops: &[ShownLoop], source: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    for it in loops {
        let _ = writeln!(out, "{}, {}: {}", it.function, it.part, form(it));
        let mut files: BTreeMap<&str, Lines<'_>> = BTreeMap::new();
        for ((file, line), facts) in &it.lines {
            files.entry(file).or_default().insert(*line, facts);
        }
        for (file, lines) in files {
            let _ = writeln!(out, "  {file}");
            write_file(&mut out, source(file).as_deref().unwrap_or_default(), &lines);
        }
        out.push('\n');
    }
    out
}

/// The same for programs.
pub(crate) fn json(loops: &[ShownLoop]) -> Json {
    let fact = |(it, count): (&LineFact, &u32)| {
        let (spread, stride) = match it.spread {
            Spread::Uniform => ("uniform", None),
            Spread::Consecutive(stride) => ("consecutive", Some(stride)),
            Spread::Varying => ("varying", None),
        };
        let mut fields = vec![
            ("operation", it.operation.name().into()),
            ("value", spread.into()),
            ("some_items", it.is_partial.into()),
            ("divergent_loop", it.is_in_divergent_loop.into()),
            ("instructions", u64::from(*count).into()),
        ];
        if let Some(stride) = stride {
            fields.insert(2, ("stride", Json::Number(stride as f64)));
        }
        Json::Object(fields)
    };
    let line = |((file, line), facts): (&(String, u32), &BTreeMap<LineFact, u32>)| {
        Json::Object(vec![
            ("file", file.as_str().into()),
            ("line", u64::from(*line).into()),
            ("facts", Json::List(facts.iter().map(fact).collect())),
        ])
    };
    let shown = |it: &ShownLoop| {
        let form = match &it.lanes {
            Ok(lanes) => ("items", u64::from(*lanes).into()),
            Err(why) => ("item_by_item", why.0.as_str().into()),
        };
        Json::Object(vec![
            ("function", it.function.as_str().into()),
            ("part", it.part.as_str().into()),
            form,
            ("lines", Json::List(it.lines.iter().map(line).collect())),
        ])
    };
    Json::Object(vec![("loops", Json::List(loops.iter().map(shown).collect()))])
}

fn form(it: &ShownLoop) -> String {
    match &it.lanes {
        Ok(lanes) => format!("{lanes} items at once"),
        Err(why) => format!("one item after the other: {}", why.0),
    }
}

/// Writes the lines from the first to the last that something is known of.
fn write_file(out: &mut String, source: &str, lines: &Lines<'_>) {
    let (Some(first), Some(last)) = (lines.keys().next(), lines.keys().next_back()) else { return };
    let notes: BTreeMap<u32, String> = lines.iter().map(|(line, facts)| (*line, note(facts))).collect();
    let items = |line: &u32| match lines.get(line) {
        None => "",
        Some(facts) if facts.keys().all(|it| !it.is_partial) => "all",
        Some(facts) if facts.keys().all(|it| it.is_partial) => "some",
        Some(_) => "all, some",
    };
    let width = notes.values().map(|it| it.chars().count()).max().unwrap_or(0).min(NOTE_WIDTH);
    for line in *first..=*last {
        let text = source.lines().nth(line as usize - 1).unwrap_or_default();
        let note = notes.get(&line).map_or("", |it| it);
        // A long note has a line of its own, above that of the source.
        let (above, beside) = if note.chars().count() > width { (note, "") } else { ("", note) };
        if !above.is_empty() {
            let _ = writeln!(out, "  {:>9}  {above}", "");
        }
        let shown = format!("  {:>9}  {beside:<width$} |{line:>4} | {text}", items(&line));
        let _ = writeln!(out, "{}", shown.trim_end());
    }
}

/// The characters of a note beside the source, at most.
const NOTE_WIDTH: usize = 60;

/// Returns the facts of a line, those of values first; each once, whether all items do it or some.
fn note(facts: &BTreeMap<LineFact, u32>) -> String {
    let mut all: Vec<String> = Vec::new();
    let mut add = |it: String| {
        if !all.contains(&it) {
            all.push(it);
        }
    };
    let of_values = |it: &&LineFact| it.operation == LaneOperation::Value;
    for it in facts.keys().filter(of_values) {
        add(spread(it.spread));
    }
    for it in facts.keys().filter(|it| !of_values(it)) {
        let is_loop = it.is_in_divergent_loop && it.operation == LaneOperation::Branch;
        add(match (it.operation, it.spread) {
            (LaneOperation::Branch, Spread::Uniform) => "uniform branch".into(),
            (LaneOperation::Branch, _) if is_loop => {
                "divergent branch of a loop that items leave one by one".into()
            }
            (LaneOperation::Branch, _) => "divergent branch".into(),
            (operation @ (LaneOperation::Gather | LaneOperation::Scatter), Spread::Consecutive(stride)) => {
                format!("{} of stride {stride}", operation.name())
            }
            (operation, _) => operation.name().into(),
        });
    }
    all.join(", ")
}

fn spread(it: Spread) -> String {
    match it {
        Spread::Uniform => "uniform".into(),
        Spread::Consecutive(stride) => format!("consecutive {stride:+}"),
        Spread::Varying => "varying".into(),
    }
}
