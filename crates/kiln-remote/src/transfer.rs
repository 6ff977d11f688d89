//! `kiln cache push` and `kiln cache pull`: the entries of a whole store, to a server and from it, by the name of a manifest.

use crate::http::RemoteError;
use crate::manifest::{PackWriter, entry_in_pack, envelopes, packs_of};
use crate::service::RemoteCache;
use kiln_cache::{Store, inspect};
use std::fmt;
use std::time::Duration;

/// The counts of a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferReport {
    /// Entries sent, or stored.
    pub entries: u64,
    /// Entries that the store had already.
    pub present: u64,
    /// Entries and packs that were not used: damaged, too large, or without a trusted signature.
    pub rejected: u64,
    /// Packs that the server does not have any more.
    pub missing: u64,
    /// Bytes sent, or received.
    pub bytes: u64,
}

/// Why a transfer ended early.
#[derive(Debug)]
pub enum TransferError {
    /// The server failed.
    Remote(RemoteError),
    /// The server has no manifest of this name.
    NoManifest(String),
    /// The manifest is not used.
    Manifest(crate::Rejection),
}

impl From<RemoteError> for TransferError {
    fn from(error: RemoteError) -> Self {
        TransferError::Remote(error)
    }
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransferError::Remote(error) => write!(f, "{error}"),
            TransferError::NoManifest(name) => {
                write!(f, "the server has nothing by the name `{name}`: `kiln cache push` sends it")
            }
            TransferError::Manifest(why) => write!(f, "the server's list of entries is not used: {why}"),
        }
    }
}

impl std::error::Error for TransferError {}

/// Sends every entry of a store: under its own key, and in packs under `name`. `progress` is told the entries done and their number.
///
/// # Errors
/// When the server fails. Entries that were sent until then can be used.
pub fn push(
    store: &Store,
    remote: &RemoteCache,
    name: &str,
    progress: &dyn Fn(u64, u64),
) -> Result<TransferReport, TransferError> {
    let mut report = TransferReport::default();
    let mut packs = PackWriter::new(remote);
    let listed = inspect::list(store);
    for (at, it) in listed.iter().enumerate() {
        progress(at as u64, listed.len() as u64);
        let Some((key, entry)) = inspect::entry_of(store, it.key.id()) else {
            report.rejected += 1;
            continue;
        };
        if !packs.add(&key, &entry)? {
            report.rejected += 1;
            continue;
        }
        report.bytes += remote.publish(&key, &entry)?;
        report.entries += 1;
    }
    report.bytes += packs.finish(name)?;
    progress(listed.len() as u64, listed.len() as u64);
    Ok(report)
}

/// Stores the entries of the manifest `name` that the store does not have. `progress` is told the packs done and their number.
///
/// # Errors
/// When the server fails, or has no usable manifest of the name. Entries that were received until then are stored.
pub fn pull(
    store: &Store,
    remote: &RemoteCache,
    name: &str,
    progress: &dyn Fn(u64, u64),
) -> Result<TransferReport, TransferError> {
    let mut report = TransferReport::default();
    let found = packs_of(remote, name)?.ok_or_else(|| TransferError::NoManifest(name.to_owned()))?;
    let packs = found.map_err(TransferError::Manifest)?;
    for (at, pack) in packs.iter().enumerate() {
        progress(at as u64, packs.len() as u64);
        match remote.blob(&pack.sha256, pack.length)? {
            None => report.missing += 1,
            Some(Err(_)) => report.rejected += 1,
            Some(Ok(bytes)) => {
                report.bytes += bytes.len() as u64;
                store_pack(store, remote, &bytes, &mut report);
            }
        }
    }
    progress(packs.len() as u64, packs.len() as u64);
    Ok(report)
}

/// The longest wait for the entries of a pack to be written: a store's queue is bounded.
const WRITE_WAIT: Duration = Duration::from_secs(60);

fn store_pack(store: &Store, remote: &RemoteCache, pack: &[u8], report: &mut TransferReport) {
    for next in envelopes(pack) {
        let read = next.map_err(crate::Rejection::from);
        match read.and_then(|(id, envelope)| entry_in_pack(id, envelope, remote)) {
            Err(_) => report.rejected += 1,
            Ok((key, _)) if store.peek(&key).is_ok() => report.present += 1,
            Ok((key, entry)) => {
                store.put(key, entry);
                report.entries += 1;
            }
        }
    }
    store.flush(WRITE_WAIT);
}
