//! The directory of a store: made private, and refused when it is not.
//!
//! ```text
//! <root>/CACHEDIR.TAG
//! <root>/v2/seg/<seq>-<tag>.seg      segments
//! <root>/v2/idx/<ranges>.idx         tables
//! <root>/v2/touch/<rand>.log         what was used, for eviction
//! <root>/v2/lease/<number>           locked by the process that makes a result
//! <root>/v2/maintenance.lock         tried, never waited for
//! ```
//!
//! Another version of the format is another directory beside `v2`; neither touches the other's.

use crate::config::{Config, StoreMode};
use rustix::fs::Access;
use std::fmt;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The directory of this version of the format.
pub(crate) const VERSION_DIR: &str = "v2";

const TAG_FILE: &str = "CACHEDIR.TAG";
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of compiled code, made by kiln.\n";
const OTHERS_WRITE: u32 = 0o022;
const BYTES_MAX_DEFAULT: u64 = 2 << 30;

/// Why a directory cannot be a store.
#[derive(Debug)]
pub enum OpenError {
    /// The path is not a directory.
    NotADirectory(PathBuf),
    /// The directory belongs to another user, who could put any code into it.
    Owner {
        /// The directory.
        path: PathBuf,
        /// Its owner.
        uid: u32,
    },
    /// Its mode lets others write to it.
    WritableByOthers {
        /// The directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The system refused.
    Io {
        /// The path that was opened or made.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::NotADirectory(path) => write!(f, "{} is not a directory", path.display()),
            OpenError::Owner { path, uid } => {
                write!(f, "{} belongs to another user ({uid})", path.display())
            }
            OpenError::WritableByOthers { path, mode } => {
                write!(f, "{} can be written by others (mode {mode:o})", path.display())
            }
            OpenError::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Io { error, .. } => Some(error),
            OpenError::NotADirectory(_) | OpenError::Owner { .. } | OpenError::WritableByOthers { .. } => {
                None
            }
        }
    }
}

/// A directory that was checked.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    /// `<root>/v2`.
    pub(crate) dir: PathBuf,
    /// The user all files must belong to.
    pub(crate) owner: u32,
    /// Locks and lengths of files others write are not to be trusted.
    pub(crate) network: bool,
    /// Files may be made in it.
    pub(crate) writable: bool,
    /// Most bytes of segments and tables.
    pub(crate) bytes_max: u64,
}

impl Root {
    pub(crate) fn segments(&self) -> PathBuf {
        self.dir.join("seg")
    }

    pub(crate) fn tables(&self) -> PathBuf {
        self.dir.join("idx")
    }

    pub(crate) fn touches(&self) -> PathBuf {
        self.dir.join("touch")
    }

    pub(crate) fn leases(&self) -> PathBuf {
        self.dir.join("lease")
    }

    /// Opens the root of `config`; `None` if it does not exist and the mode does not create it.
    pub(crate) fn open(config: &Config) -> Result<Option<Root>, OpenError> {
        let writes = config.mode.writes();
        if config.mode == StoreMode::Off {
            return Ok(None);
        }
        if writes && !config.root.join(VERSION_DIR).join("touch").is_dir() {
            create(&config.root)?;
        }
        let Some(mut root) = existing(&config.root, writes)? else { return Ok(None) };
        let (file_system_bytes, network) = file_system(&root.dir);
        root.network = config.network || network;
        root.bytes_max = config.bytes_max.unwrap_or(BYTES_MAX_DEFAULT.min(file_system_bytes / 20));
        Ok(Some(root))
    }

    /// The root of an overlay, which is only read; `None` if it is not there.
    pub(crate) fn overlay(path: &Path) -> Result<Option<Root>, OpenError> {
        existing(path, false)
    }
}

fn create(root: &Path) -> Result<(), OpenError> {
    let at = |path: &Path, error| OpenError::Io { path: path.to_owned(), error };
    if let Some(parent) = root.parent() {
        fs::create_dir_all(parent).map_err(|error| at(parent, error))?;
    }
    let version = root.join(VERSION_DIR);
    for path in [root, &version, &version.join("seg"), &version.join("idx"), &version.join("touch")] {
        match DirBuilder::new().mode(0o700).create(path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            // A store that is there but cannot be written can still be read.
            Err(_) if version.join("seg").is_dir() => return Ok(()),
            Err(error) => return Err(at(path, error)),
        }
    }
    let tag = root.join(TAG_FILE);
    if !tag.exists() {
        // Only backup programs read it.
        let _ = fs::write(tag, TAG);
    }
    Ok(())
}

/// Checks the directories of a store that is there.
fn existing(root: &Path, own: bool) -> Result<Option<Root>, OpenError> {
    let dir = root.join(VERSION_DIR);
    let euid = rustix::process::geteuid().as_raw();
    let mut owner = euid;
    for (nth, path) in [root, &dir, &dir.join("seg"), &dir.join("idx")].into_iter().enumerate() {
        // The root may be a link that the user has set; what is in it may not.
        let found = if nth == 0 { fs::metadata(path) } else { fs::symlink_metadata(path) };
        let metadata = match found {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(OpenError::Io { path: path.to_owned(), error }),
        };
        if !metadata.is_dir() {
            return Err(OpenError::NotADirectory(path.to_owned()));
        }
        let uid = metadata.uid();
        // What the administrator has installed may be read by all.
        let trusted = uid == euid || (!own && uid == 0);
        if !trusted || (nth > 0 && uid != owner) {
            return Err(OpenError::Owner { path: path.to_owned(), uid });
        }
        let mode = metadata.mode() & 0o777;
        if mode & OTHERS_WRITE != 0 {
            return Err(OpenError::WritableByOthers { path: path.to_owned(), mode });
        }
        owner = uid;
    }
    let may_write = |path: PathBuf| rustix::fs::access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    let writable = own && may_write(dir.join("seg")) && may_write(dir.join("idx"));
    Ok(Some(Root { dir, owner, network: false, writable, bytes_max: u64::MAX }))
}

/// Types of `statfs` on which a file may be written from another machine: NFS, SMB, CIFS, 9P, FUSE, Ceph, Lustre, AFS,
/// GPFS, Coda, BeeGFS, OCFS2.
const NETWORK: [u32; 12] = [
    0x6969,
    0x517b,
    0xff53_4d42,
    0x0102_1997,
    0x6573_5546,
    0x00c3_6400,
    0x0bd0_0bd0,
    0x5346_414f,
    0x4750_4653,
    0x7375_7245,
    0x1983_0326,
    0x7461_636f,
];

/// Returns the size of the file system of `path` in bytes, and whether it is a network file system.
fn file_system(path: &Path) -> (u64, bool) {
    match rustix::fs::statfs(path) {
        Ok(found) => {
            let bytes = found.f_blocks.saturating_mul(found.f_bsize as u64);
            (bytes, NETWORK.contains(&(found.f_type as u32)))
        }
        Err(_) => (u64::MAX, false),
    }
}
