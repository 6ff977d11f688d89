//! The configuration of a store. Nothing here is read from the environment: that is the driver's business.

use crate::upstream::Upstream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The permitted operations of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreMode {
    /// Nothing: no file is touched, every lookup misses, every put is dropped.
    Off,
    /// Lookups only; the directory need not exist, and nothing in it changes.
    ReadOnly,
    /// Lookups and puts.
    #[default]
    ReadWrite,
    /// Every lookup misses, so that everything is made again; a put is compared with the stored entry, and a
    /// different one is reported ([`Stats::mismatches`](crate::Stats)) and replaces it.
    Verify,
    /// Every lookup misses, and every put replaces the stored entry.
    Recache,
}

impl StoreMode {
    /// Reads `off`, `ro`, `rw`, `verify` or `recache`.
    pub fn parse(text: &str) -> Option<StoreMode> {
        match text {
            "off" | "0" => Some(StoreMode::Off),
            "ro" => Some(StoreMode::ReadOnly),
            "rw" => Some(StoreMode::ReadWrite),
            "verify" => Some(StoreMode::Verify),
            "recache" => Some(StoreMode::Recache),
            _ => None,
        }
    }

    pub(crate) fn writes(self) -> bool {
        matches!(self, StoreMode::ReadWrite | StoreMode::Verify | StoreMode::Recache)
    }

    /// Whether lookups may find anything.
    pub fn looks_up(self) -> bool {
        matches!(self, StoreMode::ReadOnly | StoreMode::ReadWrite)
    }
}

/// The compression of payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// With zstd at this level where that makes them smaller; as they are where it does not, or below 512 bytes.
    Zstd(i32),
    /// With LZ4, which decodes faster, up to 64 KiB, and as [`Zstd`](Compression::Zstd) above.
    BySize {
        /// The level of zstd.
        zstd_level: i32,
    },
}

/// The options of opening a store.
#[derive(Clone, Debug)]
pub struct Config {
    /// The directory of the store. Created, with mode 0700, when the mode writes.
    pub root: PathBuf,
    /// The permitted operations.
    pub mode: StoreMode,
    /// Directories of other stores, looked in after the root, in this order, and never written.
    pub overlays: Vec<PathBuf>,
    /// Most bytes the root may hold; `None` is the smaller of 2 GiB and 5 % of its file system. Whole segments are evicted,
    /// of a 64th of it or 64 KiB, whatever is more, and each writer may be filling one beyond it.
    pub bytes_max: Option<u64>,
    /// The compression of payloads.
    pub compression: Compression,
    /// Most bytes that may wait to be written; a put that would exceed it is dropped and counted.
    pub queue_bytes_max: usize,
    /// The longest time that dropping the store waits for pending puts.
    pub exit_wait: Duration,
    /// A hit on an entry younger than this is not noted for eviction: it is in no danger yet.
    pub touch_after: Duration,
    /// The shortest interval between looks for other processes' writes, which misses cause.
    pub refresh_every: Duration,
    /// Treats the root as if on a network file system: no lock is trusted and no file shared between writers.
    /// Found out from the file system when false.
    pub network: bool,
    /// Asked for keys that are not in the directories, in a mode that looks up.
    pub upstream: Option<Arc<dyn Upstream>>,
}

impl Config {
    /// The defaults, for a store at `root`.
    pub fn new(root: impl Into<PathBuf>) -> Config {
        Config {
            root: root.into(),
            mode: StoreMode::ReadWrite,
            overlays: Vec::new(),
            bytes_max: None,
            compression: Compression::BySize { zstd_level: -1 },
            queue_bytes_max: 64 << 20,
            exit_wait: Duration::from_secs(1),
            touch_after: Duration::from_secs(300),
            refresh_every: Duration::from_millis(50),
            network: false,
            upstream: None,
        }
    }

    /// Returns the same configuration with another mode.
    pub fn mode(mut self, mode: StoreMode) -> Config {
        self.mode = mode;
        self
    }
}
