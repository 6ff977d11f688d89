//! Device links: parts written in LLVM's language, their artifacts, and the verdicts of other programs.
//!
//! The standard error names programs that are missing.

mod bpf;
mod foreign;
mod gcn;
mod harness;
mod lines;
mod link;
mod ptx;
mod spirv;
