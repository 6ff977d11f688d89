//! The client of the code generator: finds its library, opens it in this process or in a process of its own, and exchanges
//! the bytes of `kiln-unit` with it.
//!
//! [`CodegenClient`] is a session's access to it; [`RoundTrip`] is one request and its reply. LLVM is in the library,
//! so a session that compiles nothing never loads it, and a crash of LLVM in a separate process is an error with a
//! message.
//!
//! # Deliberately absent
//! Knowledge of the compiled code, and storage of results.
#![expect(clippy::wildcard_enum_match_arm, reason = "kinds of errors of the standard library are not ours")]

mod client;
#[expect(unsafe_code, reason = "opens the code generator; see ARCHITECTURE.md")]
mod library;
mod process;
mod protocol;

pub use client::{ClientOptions, CodegenClient, CodegenHandle, OnOpen};
pub use library::{Codegen, CodegenError, file_identity, find, identity};
pub use process::{Isolation, LIMIT_USUAL, ServeError, UnknownIsolation, Workers, serve};
pub use protocol::RoundTrip;
