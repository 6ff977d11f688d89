//! Traces of a session for Perfetto and Chrome: the "complete" events of the Trace Event Format.

use crate::json::Json;
use crate::terminal::complain;
use kiln::{Error, Session, ThreadTrace, TraceSpan};
use std::path::Path;

/// The number of this process, and of its first thread.
const FIRST: u64 = 1;

/// Writes the trace to `file`, or on standard error.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write(session: &Session, file: Option<&Path>) -> Result<(), Error> {
    let line = to_json(&session.trace()).to_line();
    let Some(file) = file else {
        complain(line.trim_end());
        return Ok(());
    };
    let written = std::fs::write(file, line);
    written.map_err(|it| {
        Error::program(format!("error: the trace cannot be written to {}: {it}", file.display()))
    })
}

fn to_json(threads: &[ThreadTrace]) -> Json {
    let mut events = Vec::new();
    for (tid, thread) in (FIRST..).zip(threads) {
        let named = Json::Object(vec![("name", thread.name.as_str().into())]);
        events.push(event("thread_name", "M", tid, vec![("args", named)]));
        events.extend(thread.spans.iter().map(|it| complete(it, tid)));
    }
    Json::Object(vec![("displayTimeUnit", "ms".into()), ("traceEvents", Json::List(events))])
}

fn complete(span: &TraceSpan, tid: u64) -> Json {
    let micros = |nanos: u64| Json::Number(nanos as f64 / 1e3);
    let mut fields = vec![("cat", "kiln".into()), ("ts", micros(span.start)), ("dur", micros(span.nanos))];
    if !span.about.is_empty() {
        fields.push(("args", Json::Object(vec![("of", span.about.as_str().into())])));
    }
    event(&span.stage, "X", tid, fields)
}

fn event(name: &str, phase: &str, tid: u64, more: Vec<(&'static str, Json)>) -> Json {
    let mut fields =
        vec![("name", name.into()), ("ph", phase.into()), ("pid", FIRST.into()), ("tid", tid.into())];
    fields.extend(more);
    Json::Object(fields)
}
