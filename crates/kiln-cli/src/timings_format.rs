//! The forms of `--timings`.

use std::path::PathBuf;

/// The format of timings.
#[derive(Clone, Debug)]
pub(crate) enum TimingsFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
    /// A timeline of each thread, in the JSON of Chrome's traces: to this file, if there is one.
    Trace(Option<PathBuf>),
}

impl TimingsFormat {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("trace=")) {
            ("text", _) => Ok(Self::Text),
            ("json", _) => Ok(Self::Json),
            ("trace", _) => Ok(Self::Trace(None)),
            (_, Some(file)) if !file.is_empty() => Ok(Self::Trace(Some(file.into()))),
            _ => Err("it can be text, json, trace or trace=FILE".into()),
        }
    }
}
