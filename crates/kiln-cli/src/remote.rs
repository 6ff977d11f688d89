//! Shared caches on servers: what the environment says about them, and `kiln cache push`, `pull`, `keygen` and `relay`.

use crate::json::Json;
use crate::terminal::say;
use indicatif::{ProgressBar, ProgressStyle};
use kiln::Error;
use kiln::cache::Store;
use kiln::cache::remote::{
    EntrySigner, RemoteAddress, RemoteCache, RemoteOptions, RequestLimits, TransferReport, TrustedKeys,
    WAIT_USUAL, serve_relay,
};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Duration;

/// The longest time that a store waits for its writer after a pull.
const WRITE_WAIT: Duration = Duration::from_secs(300);

/// The file of the program that runs.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Sets the program that runs: its entries are fetched together.
pub(crate) fn set_program(file: Option<&str>) {
    if let Some(file) = file {
        let _ = PROGRAM.set(PathBuf::from(file));
    }
}

/// Reads the options of the shared cache from the environment; `None` if none is named.
///
/// # Errors
/// When a variable has an invalid value, or a key cannot be used.
pub(crate) fn options() -> Result<Option<RemoteOptions>, Error> {
    let text = |name: &str| std::env::var(name).ok().filter(|it| !it.is_empty());
    let Some(address) = text("KILN_CACHE_REMOTE") else { return Ok(None) };
    let address = RemoteAddress::parse(&address)
        .map_err(|it| Error::usage(format!("error: KILN_CACHE_REMOTE: {it}")))?;
    let wait = match text("KILN_CACHE_REMOTE_WAIT") {
        None => WAIT_USUAL,
        Some(text) => Duration::from_millis(text.parse().map_err(|_| {
            let message = format!("error: KILN_CACHE_REMOTE_WAIT: `{text}` is no number of milliseconds");
            Error::usage(message)
        })?),
    };
    let signs_with = std::env::var_os("KILN_CACHE_SIGN").filter(|it| !it.is_empty()).map(PathBuf::from);
    let named = std::env::var_os("KILN_CACHE_TRUST").unwrap_or_default();
    let trusts: Vec<PathBuf> =
        std::env::split_paths(&named).filter(|it| !it.as_os_str().is_empty()).collect();
    if trusts.is_empty() && !named.is_empty() {
        let message = "error: KILN_CACHE_TRUST names no file: a variable in it may be empty";
        return Err(Error::usage(message));
    }
    let relay = std::env::var_os("KILN_WORKER").filter(|it| !it.is_empty()).map(PathBuf::from);
    let relay = relay.or_else(|| std::env::current_exe().ok());
    let relay =
        relay.ok_or_else(|| Error::program("error: kiln does not know where it is: KILN_WORKER says it"))?;
    let manifest = text("KILN_CACHE_MANIFEST").or_else(program_name);
    let options = RemoteOptions { address, relay, wait, signs_with, trusts, manifest };
    keys(&options)?;
    Ok(Some(options))
}

/// The name of the program that runs, the same in each checkout: its folder and its file.
fn program_name() -> Option<String> {
    let file = std::path::absolute(PROGRAM.get()?).ok()?;
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    Some(format!("{}/{}", folder.to_string_lossy(), file.file_name()?.to_string_lossy()))
}

/// Reads the keys that options name.
fn keys(options: &RemoteOptions) -> Result<(Option<EntrySigner>, TrustedKeys), Error> {
    let wrong = |variable: &str, it| Error::usage(format!("error: {variable}: {it}"));
    let signer = options.signs_with.as_deref().map(EntrySigner::load).transpose();
    let signer = signer.map_err(|it| wrong("KILN_CACHE_SIGN", it))?;
    let trusted = TrustedKeys::of(signer.as_ref(), &options.trusts);
    let trusted = trusted.map_err(|it| wrong("KILN_CACHE_TRUST", it))?;
    Ok((signer, trusted))
}

/// Runs `kiln cache relay`.
pub(crate) fn relay() -> Result<ExitCode, Error> {
    let served = serve_relay(std::io::stdin().lock(), std::io::stdout());
    served.map_err(|it| Error::program(format!("error: kiln runs this for itself: {it}")))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs `kiln cache keygen`.
pub(crate) fn generate_keys(file: &Path, name: &str, json: bool) -> Result<ExitCode, Error> {
    let made = kiln::cache::remote::generate_keys(file, name);
    let (public, line) = made.map_err(|it| Error::program(format!("error: {it}")))?;
    let report = Json::Object(vec![
        ("secret", file.display().to_string().into()),
        ("public", public.display().to_string().into()),
        ("line", line.into()),
    ]);
    say(&if json { report.to_line() } else { report.to_text() });
    Ok(ExitCode::SUCCESS)
}

/// Opens the shared cache for a transfer.
fn open(options: Option<RemoteOptions>, writes: bool) -> Result<(RemoteCache, String), Error> {
    let Some(options) = options else {
        let message = "error: KILN_CACHE_REMOTE names no shared cache: http://HOST:PORT?mode=rw, say";
        return Err(Error::usage(message));
    };
    let usage = options.address.usage;
    if !(if writes { usage.writes() } else { usage.reads() }) {
        let (operation, mode) = if writes { ("push", "rw or wo") } else { ("pull", "ro or rw") };
        let message = format!("error: KILN_CACHE_REMOTE: {operation} needs mode={mode}");
        return Err(Error::usage(message));
    }
    let (signer, trusted) = keys(&options)?;
    let remote = RemoteCache::new(&options.address, RequestLimits::default(), signer, trusted);
    Ok((remote, options.address.base))
}

/// Shows progress on a terminal.
fn progress_bar(json: bool) -> ProgressBar {
    if json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{pos}/{len} {wide_bar}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn described(report: &TransferReport, server: String) -> Json {
    Json::Object(vec![
        ("server", server.into()),
        ("entries", report.entries.into()),
        ("present", report.present.into()),
        ("rejected", report.rejected.into()),
        ("missing", report.missing.into()),
        ("bytes", report.bytes.into()),
    ])
}

/// Runs `kiln cache push`.
pub(crate) fn push(
    store: &Store,
    options: Option<RemoteOptions>,
    name: &str,
    json: bool,
) -> Result<Json, Error> {
    let (remote, server) = open(options, true)?;
    let bar = progress_bar(json);
    let shown = |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    };
    let report = kiln::cache::remote::push(store, &remote, name, &shown);
    bar.finish_and_clear();
    let report = report.map_err(|it| Error::program(format!("error: {server}: {it}")))?;
    Ok(described(&report, server))
}

/// Runs `kiln cache pull`.
pub(crate) fn pull(
    store: &Store,
    options: Option<RemoteOptions>,
    name: &str,
    json: bool,
) -> Result<(Json, ExitCode), Error> {
    let (remote, server) = open(options, false)?;
    let bar = progress_bar(json);
    let shown = |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    };
    let report = kiln::cache::remote::pull(store, &remote, name, &shown);
    bar.finish_and_clear();
    let written = store.flush(WRITE_WAIT);
    let report = report.map_err(|it| Error::program(format!("error: {server}: {it}")))?;
    if !written && report.entries > 0 {
        return Err(Error::program("error: the store cannot be written"));
    }
    let is_whole = report.rejected + report.missing == 0;
    Ok((described(&report, server), if is_whole { ExitCode::SUCCESS } else { ExitCode::from(1) }))
}
