//! Regular expressions: compiled once a session, matched on strings.
//!
//! Patterns are PCRE's, as Julia's are; [`regex_syntax`](super::regex_syntax) lists the supported part.

use super::arguments::Arguments;
use super::regex_subroutines::without_calls;
use super::regex_syntax::{PatternError, translate};
use crate::heap::{arrays, text};
use crate::{Run, Value};
use fancy_regex::Regex;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Compiled patterns, by options and pattern.
#[derive(Debug, Default)]
pub(crate) struct RegexCache {
    compiled: Mutex<FxHashMap<(String, String), Arc<Regex>>>,
}

fn compiled(args: &Arguments<'_>) -> Run<Arc<Regex>> {
    let key = (args.text(1)?, args.text(0)?);
    let mut known = args.rt.regexes.compiled.lock();
    if let Some(found) = known.get(&key) {
        return Ok(found.clone());
    }
    let made = translated(&key.1, &key.0)
        .map_err(|it| it.to_string())
        .and_then(|it| Regex::new(&it).map_err(|it| it.to_string()));
    match made {
        Ok(regex) => {
            let regex = Arc::new(regex);
            known.insert(key, regex.clone());
            Ok(regex)
        }
        Err(message) => Err(args.error(&format!("PCRE compilation error: {message}"))),
    }
}

fn translated(pattern: &str, options: &str) -> Result<String, PatternError> {
    let expanded = without_calls(pattern, options.contains('x'))?;
    translate(expanded.as_deref().unwrap_or(pattern), options)
}

pub(super) fn regex_match(args: &Arguments<'_>) -> Run {
    args.expect(4, 4)?;
    let regex = compiled(args)?;
    let Ok(subject) = std::str::from_utf8(args.bytes(2)?) else {
        return Err(args.error("a regular expression is matched on valid UTF-8 only"));
    };
    let start = usize::try_from(args.int(3)?).unwrap_or(0);
    if start > subject.len() || !subject.is_char_boundary(start) {
        return Ok(args.heap().nothing());
    }
    let found = regex.captures_from_pos(subject, start);
    let captures = found.map_err(|it| args.error(&format!("PCRE.exec error: {it}")))?;
    let Some(captures) = captures else { return Ok(args.heap().nothing()) };
    let heap = args.heap();
    let mut offsets: Vec<Value> = Vec::with_capacity(2 * captures.len());
    for at in 0..captures.len() {
        let range = captures.get(at).map(|it| (it.start() as i64, it.end() as i64));
        let (begin, end) = range.unwrap_or((-1, -1));
        offsets.extend([heap.int(begin), heap.int(end)]);
    }
    Ok(arrays::vector(heap, heap.core().int64, &offsets))
}

pub(super) fn regex_names(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let regex = compiled(args)?;
    let heap = args.heap();
    let name = |it: Option<&str>| it.map_or_else(|| heap.nothing(), |it| text::string(heap, it));
    let names: Vec<Value> = regex.capture_names().skip(1).map(name).collect();
    Ok(arrays::any_vector(heap, &names))
}
