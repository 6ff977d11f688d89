//! Failures and warnings for programs, as JSON, beside the text for people.

use crate::json::Json;
use crate::terminal::complain;
use kiln::{CheckFinding, Diagnostic, Error, ItemOfGroup, SourceLabel};

/// Returns the value of `error` in the output of a command: kind, code, text and diagnostics.
pub(crate) fn to_json(failure: &Error) -> Json {
    Json::Object(vec![
        ("kind", failure.kind.name().into()),
        ("code", (*failure.code).into()),
        ("message", failure.message.as_str().into()),
        ("diagnostics", Json::List(failure.diagnostics.iter().map(diagnostic).collect())),
    ])
}

/// Returns the line that a command ends with when it fails.
pub(crate) fn line(failure: &Error) -> String {
    Json::Object(vec![("error", to_json(failure))]).to_line()
}

/// Tells the user of warnings, on standard error: with `json` a line of JSON each, as a failure is.
pub(crate) fn warn(warnings: &[Diagnostic], json: bool) {
    for warning in warnings {
        if json {
            complain(&Json::Object(vec![("warning", diagnostic(warning))]).to_line());
            continue;
        }
        let place = warning.place.as_ref().map(|it| format!("{}:{}: ", it.file, it.line));
        complain(&format!("kiln: warning: {}{}", place.unwrap_or_default(), warning.message));
    }
}

/// Returns the line of a finding of the checks of kernels.
pub(crate) fn finding_line(it: &CheckFinding) -> String {
    let numbers = |it: [i64; 3]| Json::List(it.map(|it| Json::from(it.unsigned_abs())).into());
    let item =
        |it: &ItemOfGroup| Json::Object(vec![("item", numbers(it.item)), ("group", numbers(it.group))]);
    let mut fields = vec![
        ("kernel", it.kernel.as_str().into()),
        ("items", Json::List(it.items.iter().map(item).collect())),
        ("count", it.count.into()),
        ("diagnostic", diagnostic(&it.diagnostic)),
    ];
    if let Some(array) = &it.array {
        fields.push(("array", array.as_str().into()));
    }
    Json::Object(vec![("finding", Json::Object(fields))]).to_line()
}

fn diagnostic(it: &Diagnostic) -> Json {
    let severity = if it.is_warning { "warning" } else { "error" };
    let mut fields: Vec<(&'static str, Json)> = vec![
        ("code", (*it.code).into()),
        ("severity", severity.into()),
        ("message", it.message.as_str().into()),
    ];
    if let Some(label) = &it.place {
        fields.extend(place(label));
    }
    fields.push(("labels", Json::List(it.labels.iter().map(|it| Json::Object(place(it))).collect())));
    if let Some(help) = &it.help {
        fields.push(("help", help.as_str().into()));
    }
    Json::Object(fields)
}

/// The fields of a place: lines and columns from 1, columns and the span in bytes.
fn place(it: &SourceLabel) -> Vec<(&'static str, Json)> {
    let span = [it.span.start as u64, it.span.end as u64];
    vec![
        ("file", it.file.as_str().into()),
        ("line", u64::from(it.line).into()),
        ("column", u64::from(it.column).into()),
        ("span", Json::List(span.map(Json::from).into())),
        ("label", it.label.as_str().into()),
    ]
}
