//! Results of the compiler on disk: keys that list the dependencies of a result, a store shared by any number of
//! processes, and its statistics. It handles bytes and keys, and knows no compiler and no other crate of kiln.
//!
//! ```
//! use kiln_cache::{Class, Config, Entry, KeyBuilder, Store};
//! use std::time::Duration;
//!
//! # fn main() -> Result<(), kiln_cache::OpenError> {
//! # let dir = std::env::temp_dir().join(format!("kiln-cache-doc-{}", std::process::id()));
//! // What many keys share is listed once.
//! let mut environment = KeyBuilder::new(Class::Codegen, "environment");
//! environment.text("llvm", "22.1.8").text("cpu", "x86-64-v3").number("level", 2);
//! let environment = environment.finish();
//!
//! // The key of one unit: every input of its result. The subject, `saxpy!`, is not hashed.
//! let unit = |ir: &[u8]| {
//!     let mut key = KeyBuilder::new(Class::Codegen, "saxpy!(Ptr{Float32})");
//!     key.nested("environment", &environment).bytes("ir", ir);
//!     key.finish()
//! };
//!
//! let store = Store::open(Config::new(&dir))?;
//! let key = unit(b"%0 = mul_float(_2, _3)");
//! assert!(store.get(&key).is_none());
//! store.put(key.clone(), Entry::new(b"object code".to_vec(), Duration::from_millis(8)));
//! assert!(store.flush(Duration::from_secs(1)));
//!
//! // Another process, or this one later:
//! let again = Store::open(Config::new(&dir))?;
//! assert_eq!(again.get(&key).unwrap().payload, b"object code");
//! assert_eq!(again.stats().hits_total(), 1);
//!
//! // After an edit the key is another one, and the store can say which part changed.
//! let edited = unit(b"%0 = add_float(_2, _3)");
//! assert!(again.get(&edited).is_none());
//! let explanation = kiln_cache::inspect::explain(&again, &edited);
//! assert_eq!(explanation.closest().unwrap().changes[0].part, "ir");
//! # drop((store, again));
//! # let _ = std::fs::remove_dir_all(dir);
//! # Ok(())
//! # }
//! ```
//!
//! # The two indices
//! A lookup goes from the id of a key to a record, and the record holds the payload, or the hash of a payload stored
//! under another key, which the second index finds. So equal results are stored once, whatever made them, and a front
//! key and a back key of one unit cost one payload.
//!
//! # Invariants
//! * No operation but [`Lease::take`], which has a limit, waits for a lock that another process can hold. A stopped process stops no
//!   other process.
//! * Whatever the files contain, a lookup returns the bytes that were put under its key or nothing. Damage is a
//!   [`Miss`] with a reason, counted; never an error, never a panic.
//! * After [`Store::flush`] returns success, a put survives the death of every process. Power loss can lose the last
//!   ones.
//! * Nothing here reads the environment or prints, and two stores of one process interact only through their files.
//!
//! # Format, version 2
//! Each structure is documented in the file that reads and writes it: the directory in `root.rs`, segments in
//! `segment.rs`, their records in `record.rs`, tables (the sorted index of ranges of segments) in `table.rs`, usage
//! logs in `touch.rs`, totals in `lifetime.rs`, key lists in `key.rs`. In short:
//!
//! ```text
//! segment = header, record*                        append-only, one writer at a time, never changed below its end
//! record  = header with seal and checksum, body    body = LZ4, zstd or raw of (payload, key list)
//! table   = header, ranges, fan-out, sorted rows   row = half a hash, segment, offset, length; immutable
//! ```
//!
//! Numbers are little-endian, hashes BLAKE3, checksums of bodies XXH3. A record is found through tables or by scanning the unindexed part of a
//! segment; it is valid only if its own seal, key and checksum agree. Another version of the format has a directory
//! of its own beside this one.
//!
//! # Deliberately absent
//! * Memory maps. A mapped file that is truncated kills the process with a signal; one `pread` of 512 bytes costs
//!   half a microsecond.
//! * `fsync`. Power loss can leave bad checksums and short files, which are misses.
//! * Single-flight of one compile across processes: other crates may add it.
//! * Networks and signatures: an [`Upstream`] of another crate has them.

pub mod bundle;
mod config;
mod contents;
mod entry;
mod files;
#[doc(hidden)]
pub mod fuzz;
mod image;
pub mod inspect;
mod key;
mod lease;
mod level;
mod lifetime;
mod live;
mod maintain;
mod queue;
mod record;
mod root;
mod segment;
mod stats;
mod store;
mod table;
mod touch;
mod upstream;
mod writer;

pub use bundle::BundleReport;
pub use config::{Compression, Config, StoreMode};
pub use entry::Entry;
pub use image::{ImageFile, ImageRefusal, write_image};
pub use inspect::{
    Alternative, Explanation, Fault, GcLimits, GcReport, Listed, OperationError, Usage, VerifyReport,
};
pub use key::{Change, Class, ContentHash, Key, KeyBuilder, KeyId, KeyPart, KeyValue, diff};
pub use lease::Lease;
pub use lifetime::{Lifetime, UpstreamLifetime};
pub use root::OpenError;
pub use stats::{Miss, Stats};
pub use store::Store;
pub use upstream::{Upstream, UpstreamStats};
