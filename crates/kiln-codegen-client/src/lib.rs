//! The client of the code generator: finds its library, opens it in this process or in a process of its own, and exchanges
//! the bytes of `kiln-unit` with it.
//!
//! [`CodegenClient`] is what a session has of it; [`RoundTrip`] is one request and its reply. LLVM is in the library, so a
//! session that compiles nothing never loads it, and a crash of LLVM in a process of its own is an error with words.
//!
//! # Deliberately absent
//! What is compiled, and where results are kept.
#![expect(clippy::wildcard_enum_match_arm, reason = "kinds of errors of the standard library are not ours")]

mod client;
#[expect(unsafe_code, reason = "opens the code generator; see ARCHITECTURE.md")]
mod library;
mod process;
mod protocol;

pub use client::{Backend, ClientOptions, CodegenClient, OnOpen};
pub use library::{Codegen, CodegenError, file_identity, find, identity};
pub use process::{Isolation, LIMIT_USUAL, Workers, serve};
pub use protocol::RoundTrip;
