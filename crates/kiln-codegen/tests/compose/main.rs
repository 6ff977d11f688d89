//! Compositions: parts written by hand in LLVM's language, what is made of them, and what other programs say of that.
//!
//! A program that is not here is not asked, and that is said on the standard error by its name.

mod bpf;
mod foreign;
mod gcn;
mod harness;
mod lines;
mod link;
mod ptx;
mod spirv;
