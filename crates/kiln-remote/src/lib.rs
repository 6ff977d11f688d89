//! Shared caches: entries of a store on a server that other machines use, too. Nothing that a server sends is trusted.
//!
//! A store ([`kiln_cache::Store`]) that misses asks its [`RemoteClient`], which asks the *relay*, a process of its own that speaks HTTP or
//! Redis's protocol to the server ([`serve_relay`]). All lookups of a session together wait for a given time, and after that, or after the first failure of
//! the server, it is asked no more. When the session ends, the relay reads its results from the store and sends them.
//!
//! # On the server
//! The layout is that of bazel-remote and of any server of files with `GET` and `PUT`:
//!
//! ```text
//! /ac/<id of the key>      an entry       message ActionResult (`action_result.rs`) around an envelope (`envelope.rs`) around
//!                                         key, cost and payload (`entry.rs`)
//! /ac/<hash of the name>   a manifest     the same around a list of packs (`manifest.rs`)
//! /cas/<sha256>            a payload of more than 64 KiB, or a pack
//! ```
//!
//! On Redis they are values of `kiln:ac:<...>` and `kiln:cas:<...>`.
//!
//! # Invariants
//! * An entry is used if its checksum holds, its key is the one asked for, its payload has the hash it names, and, where
//!   keys are trusted ([`TrustedKeys`]), one of them has signed it. Anything else is a counted miss.
//! * Lengths are bounded before memory is asked for.
//! * No failure of a server or of the relay reaches the program's results, and each costs a bounded time.
//!
//! # Deliberately absent
//! TLS and passwords: a proxy on the machine has them. Deletion: servers evict by themselves.

mod action_result;
mod address;
mod client;
mod entry;
mod envelope;
#[doc(hidden)]
pub mod fuzz;
mod http;
mod identity;
mod manifest;
mod protocol;
mod redis;
mod relay;
mod server;
mod service;
mod transfer;

pub use address::{AddressError, RemoteAddress, RemoteUse};
pub use client::{RemoteClient, RemoteOptions, WAIT_USUAL};
pub use envelope::Rejection;
pub use http::{RemoteError, RequestLimits};
pub use identity::{EntrySigner, KeyFileError, TrustedKeys, generate_keys};
pub use relay::serve_relay;
pub use service::{Fetched, RemoteCache};
pub use transfer::{TransferError, TransferReport, pull, push};
