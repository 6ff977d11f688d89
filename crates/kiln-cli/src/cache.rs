//! `kiln cache`: looking into the store of compiled units, and looking after it.

use crate::cli::{CacheArgs, CacheCommand, KernelArgs};
use crate::compile::given::compile_options;
use crate::environment;
use crate::json::Json;
use crate::remote;
use crate::terminal::say;
use kiln::cache::{
    BundleReport, Change, Class, GcLimits, Key, KeyValue, Listed, Store, StoreMode, StoreOptions, bundle,
    inspect,
};
use kiln::compile::{CompileOptions, Space};
use kiln::{Cause, Error, Explained, KernelOptions, Session, SessionOptions};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Reads the store's options from the environment. The default is on, in the user's cache directory.
///
/// # Errors
/// When a variable has an invalid value.
pub(crate) fn options() -> Result<Option<StoreOptions>, Error> {
    let text = |name: &str| std::env::var(name).ok().filter(|it| !it.is_empty());
    let (mode, verify_one_in) = match text("KILN_CACHE") {
        None => (StoreMode::ReadWrite, 0),
        Some(word) => parse_mode(&word).ok_or_else(|| {
            let modes = "off, ro, rw, verify or recache, or verify=1/N";
            Error::usage(format!("error: KILN_CACHE is `{word}`; it can be {modes}"))
        })?,
    };
    let bytes_max = match text("KILN_CACHE_MAX") {
        None => None,
        Some(size) => Some(parse_size(&size).ok_or_else(|| {
            Error::usage(format!(
                "error: KILN_CACHE_MAX is `{size}`; it is a number of bytes, as in 500M or 2G"
            ))
        })?),
    };
    let root = text("KILN_CACHE_DIR").map(PathBuf::from).or_else(|| {
        let base = text("XDG_CACHE_HOME").map(PathBuf::from);
        Some(base.or_else(|| Some(PathBuf::from(text("HOME")?).join(".cache")))?.join("kiln"))
    });
    let (Some(root), true) = (root, mode != StoreMode::Off) else { return Ok(None) };
    let overlays = std::env::var_os("KILN_CACHE_OVERLAYS");
    let overlays = overlays.map_or(Vec::new(), |it| std::env::split_paths(&it).collect());
    let remote = remote::options()?;
    Ok(Some(StoreOptions { root, mode, bytes_max, overlays, verify_one_in, remote }))
}

/// A mode, and of how many units that are found one is verified: none, unless the word is `verify=1/N`.
fn parse_mode(word: &str) -> Option<(StoreMode, u32)> {
    match word.strip_prefix("verify=1/") {
        Some(one_in) => Some((StoreMode::ReadWrite, one_in.parse().ok().filter(|it| *it > 0)?)),
        None => Some((StoreMode::parse(word)?, 0)),
    }
}

/// A number of bytes that the command line gives.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    parse_size(text).ok_or_else(|| format!("`{text}` is no number of bytes"))
}

/// `500M`, `2G`, `1048576`.
fn parse_size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().trim_end_matches("IB").trim_end_matches('B') {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Runs `kiln cache ...`.
pub(crate) fn run(args: &CacheArgs) -> Result<ExitCode, Error> {
    if let CacheCommand::Relay = &args.command {
        return remote::relay();
    }
    if let CacheCommand::Keygen { file, name } = &args.command {
        return remote::generate_keys(file, name, args.json);
    }
    let Some(mut options) = options()? else {
        return Err(Error::usage(
            "error: there is no cache: KILN_CACHE is off, or there is no home directory",
        ));
    };
    // The commands are about the directories.
    let shared = options.remote.take();
    if let CacheCommand::Explain { target, kernel, file, signature } = &args.command {
        options.mode = StoreMode::ReadOnly;
        return explain(args, options, (target.as_deref(), kernel), (file, signature));
    }
    if let CacheCommand::Why { file, signature } = &args.command {
        return why(args, options, file, signature);
    }
    if !options.mode.eq(&StoreMode::ReadOnly) {
        options.mode = StoreMode::ReadWrite;
    }
    let store = kiln::cache::open_store(&options).map_err(|it| Error::program(format!("error: {it}")))?;
    let failed = |it: kiln::cache::OperationError| Error::program(format!("error: {it}"));
    let (report, code) = match &args.command {
        CacheCommand::Stats => (stats(&store), ExitCode::SUCCESS),
        CacheCommand::Du => (du(&store), ExitCode::SUCCESS),
        CacheCommand::Ls => {
            (Json::List(inspect::list(&store).iter().map(listed).collect()), ExitCode::SUCCESS)
        }
        CacheCommand::Show { key } => {
            let found = inspect::show(&store, key);
            if found.is_empty() {
                return Err(Error::program(format!("error: no key begins with `{key}`")));
            }
            (Json::List(found.iter().map(|it| shown(&store, it)).collect()), ExitCode::SUCCESS)
        }
        CacheCommand::Verify => verify(&store),
        CacheCommand::Gc { max, days } => (gc(&store, max.as_deref(), *days)?, ExitCode::SUCCESS),
        CacheCommand::Export { file } => {
            (bundled(bundle::export(&store, file, &|_| true).map_err(failed)?, file), ExitCode::SUCCESS)
        }
        CacheCommand::Import { file } => {
            let report = bundle::import(&store, file).map_err(failed)?;
            let code = if report.damaged == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) };
            (bundled(report, file), code)
        }
        CacheCommand::Push { name } => (remote::push(&store, shared, name, args.json)?, ExitCode::SUCCESS),
        CacheCommand::Pull { .. } if options.mode == StoreMode::ReadOnly => {
            return Err(Error::usage("error: KILN_CACHE=ro: the store is only read, and pull adds to it"));
        }
        CacheCommand::Pull { name } => remote::pull(&store, shared, name, args.json)?,
        CacheCommand::Clear => {
            inspect::clear(&store).map_err(failed)?;
            (Json::Object(vec![("cleared", options.root.display().to_string().into())]), ExitCode::SUCCESS)
        }
        CacheCommand::Explain { .. }
        | CacheCommand::Why { .. }
        | CacheCommand::Keygen { .. }
        | CacheCommand::Relay => unreachable!("has run above"),
    };
    say(&if args.json { report.to_line() } else { report.to_text() });
    Ok(code)
}

/// Evicts entries.
fn gc(store: &Store, max: Option<&str>, days: Option<u64>) -> Result<Json, Error> {
    let bytes_max = max
        .map(|it| parse_size(it).ok_or_else(|| Error::usage(format!("error: `{it}` is no number of bytes"))));
    let age_max = days.map(|it| Duration::from_secs(it * 86_400));
    let report = inspect::gc(store, &GcLimits { bytes_max: bytes_max.transpose()?, age_max })
        .map_err(|it| Error::program(format!("error: {it}")))?;
    Ok(Json::Object(vec![
        ("bytes_before", report.bytes_before.into()),
        ("bytes_after", report.bytes_after.into()),
        ("segments_evicted", report.segments_evicted.into()),
        ("records_kept", report.records_kept.into()),
    ]))
}

fn stats(store: &Store) -> Json {
    let (usage, life) = (inspect::usage(store), inspect::lifetime(store));
    let shared = inspect::upstream_lifetime(store);
    Json::Object(vec![
        ("directory", usage.dir.display().to_string().into()),
        ("keys", usage.keys.iter().sum::<u64>().into()),
        ("contents", usage.contents.into()),
        ("bytes", (usage.segment_bytes + usage.table_bytes).into()),
        ("bytes_max", usage.bytes_max.into()),
        ("hits", life.hits.into()),
        ("misses", life.misses.into()),
        ("seconds_saved", Json::Number(life.time_saved.as_secs_f64())),
        ("remote_hits", shared.hits.into()),
        ("remote_misses", shared.misses.into()),
        ("remote_rejected", shared.rejected.into()),
        ("remote_offered", shared.offered.into()),
        ("remote_bytes", shared.bytes.into()),
        ("remote_seconds", Json::Number(shared.waited.as_secs_f64())),
    ])
}

/// Describes an export or an import.
fn bundled(report: BundleReport, file: &Path) -> Json {
    Json::Object(vec![
        ("file", file.display().to_string().into()),
        ("entries", report.entries.into()),
        ("present", report.present.into()),
        ("damaged", report.damaged.into()),
    ])
}

fn du(store: &Store) -> Json {
    let usage = inspect::usage(store);
    let mut fields = vec![
        ("segments", usage.segments.into()),
        ("segment_bytes", usage.segment_bytes.into()),
        ("tables", usage.tables.into()),
        ("table_bytes", usage.table_bytes.into()),
    ];
    for (at, class) in Class::ALL.into_iter().enumerate() {
        fields.push((class.name(), usage.key_bytes[at].into()));
    }
    Json::Object(fields)
}

fn listed(it: &Listed) -> Json {
    Json::Object(vec![
        ("key", it.key.id().to_string().into()),
        ("subject", it.key.subject().into()),
        ("class", it.key.class().name().into()),
        ("bytes", it.payload_bytes.into()),
        ("stored_bytes", it.stored_bytes.into()),
        ("milliseconds", Json::Number(it.cost.as_secs_f64() * 1e3)),
    ])
}

fn shown(store: &Store, it: &Listed) -> Json {
    let Json::Object(mut fields) = listed(it) else { return Json::List(Vec::new()) };
    fields.push(("content", it.content.to_string().into()));
    fields.push(("parts", parts(store, &it.key)));
    Json::Object(fields)
}

/// The parts of a key, those of nested keys in place.
fn parts(store: &Store, key: &Key) -> Json {
    let all = key.parts().into_iter().map(|part| {
        let value = match &part.value {
            KeyValue::Nested(id) => match inspect::nested(store, *id) {
                Some(nested) => parts(store, &nested),
                None => id.to_string().into(),
            },
            plain @ (KeyValue::Text(_) | KeyValue::Bytes(_) | KeyValue::Number(_) | KeyValue::Digest(..)) => {
                plain.to_string().into()
            }
        };
        Json::Object(vec![("part", part.name.into()), ("value", value)])
    });
    Json::List(all.collect())
}

fn verify(store: &Store) -> (Json, ExitCode) {
    let report = inspect::verify(store);
    let faults = report.faults.iter().map(|it| {
        Json::Object(vec![
            ("path", it.path.display().to_string().into()),
            ("offset", it.offset.into()),
            ("reason", it.reason.name().into()),
        ])
    });
    let faults: Vec<Json> = faults.collect();
    let code = if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) };
    let fields = vec![
        ("segments", report.segments.into()),
        ("records", report.records.into()),
        ("tables", report.tables.into()),
        ("unfinished_bytes", report.unfinished_bytes.into()),
        ("faults", Json::List(faults)),
    ];
    (Json::Object(fields), code)
}

/// Shows the definitions that ended the results of a function.
fn why(args: &CacheArgs, store: StoreOptions, file: &str, signature: &str) -> Result<ExitCode, Error> {
    let session = Session::new(asking(file, store)?)?;
    let ended = session.why(file, signature)?;
    let report = ended.into_iter().map(|it| {
        let chain = it.chain.into_iter().map(Json::from);
        let mut fields = vec![("result", it.place.into()), ("definition", it.definition.into())];
        if let Some((file, line)) = it.at {
            fields.push(("at", format!("{file}:{line}").into()));
        }
        fields.push(("callers", Json::List(chain.collect())));
        fields.push(("revived", it.kept.into()));
        Json::Object(fields)
    });
    let report = Json::List(report.collect());
    say(&if args.json { report.to_line() } else { report.to_text() });
    Ok(ExitCode::SUCCESS)
}

/// Returns the subject of a part of a unit's key: parts that are about one function end in its ordinal.
fn about(part: &str, functions: &[String]) -> String {
    let function = part.rsplit_once(' ').filter(|it| it.0 != "library").and_then(|(what, ordinal)| {
        let function = functions.get(ordinal.parse::<usize>().ok()?)?;
        Some(format!("{} {function}", what.replace("body", "body of").replace(" of callee", " of")))
    });
    function.unwrap_or_else(|| part.to_owned())
}

/// A changed part of a key.
fn changed(change: &Change, functions: &[String]) -> Json {
    let part = about(&change.part, functions);
    let value = |it: &Option<KeyValue>| it.as_ref().map_or("nothing".to_owned(), ToString::to_string);
    format!("{part}: {}, was {}", value(&change.new), value(&change.old)).into()
}

/// A changed definition: its name, location, and the change if it can be shown.
fn cause_to_json(cause: &Cause) -> Json {
    let mut said = cause.what.clone();
    if let Some((file, line)) = &cause.at {
        said += &format!(" at {file}:{line}");
    }
    if let Some((then, now)) = &cause.change {
        said += &format!(": {now}, was {then}");
    }
    said.into()
}

/// A session that runs a file to be asked about it.
fn asking(file: &str, store: StoreOptions) -> Result<SessionOptions, Error> {
    Ok(environment::options()?.program(file).store(Some(store)).output_to_stderr(true))
}

/// Lists the key of each unit of a kernel, and the changes since its subject was last stored.
fn explain(
    args: &CacheArgs,
    store: StoreOptions,
    (target, kernel): (Option<&str>, &KernelArgs),
    (file, signature): (&str, &str),
) -> Result<ExitCode, Error> {
    let mut asked = asking(file, store)?;
    if !kernel.device_library.is_empty() {
        asked = asked.device_libraries(kernel.device_library.clone());
    }
    let session = Session::new(asked)?;
    let options = compile_options(kernel, target.unwrap_or("native"))?;
    let CompileOptions { name, space, kernel, .. } = &options;
    let is_plain = name.is_none() && *space == Space::OfArguments && *kernel == KernelOptions::default();
    let options = (target.is_some() || !is_plain).then_some(&options);
    let units = session.explain(file, signature, options)?;
    let report = units.iter().map(|Explained { key, explanation, functions, causes }| {
        let mut fields = vec![("key", key.id().to_string().into()), ("subject", key.subject().into())];
        fields.push(("hit", explanation.miss.is_none().into()));
        if let Some(miss) = explanation.miss {
            fields.push(("reason", miss.name().into()));
        }
        if let Some(closest) = explanation.closest().filter(|_| explanation.miss.is_some()) {
            let changed = closest.changes.iter().map(|it| changed(it, functions));
            fields.push(("changed", Json::List(changed.collect())));
        }
        if !causes.is_empty() {
            fields.push(("causes", Json::List(causes.iter().map(cause_to_json).collect())));
        }
        Json::Object(fields)
    });
    let report = Json::List(report.collect());
    say(&if args.json { report.to_line() } else { report.to_text() });
    Ok(ExitCode::SUCCESS)
}
