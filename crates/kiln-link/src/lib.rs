//! Objects to running code: our own linker for x86-64 ELF relocatable objects.
//!
//! A [`Linker`] owns one arena of address space, so that everything it places is within reach of a 32-bit
//! displacement. [`Linker::link`] copies an object's sections there, resolves its undefined symbols through a closure
//! of the caller (names are local to the object, so each link brings its own), applies the relocations, and returns
//! the addresses of the defined symbols. A [`CallSlot`] is a call target that one atomic store redirects;
//! [`Linker::late_slot`] makes one whose target is made when it is first called.
//!
//! [`code_object()`] makes files for AMD GPUs in the same way, and [`library_object`] and [`archive`] what the system's linker
//! takes.
//!
//! Objects may come from a cache: every length, offset and index is checked, and an unknown relocation is an
//! error, never a guess.
//!
//! # Deliberately absent
//! Unwinding tables (compiled code never unwinds), thread-local storage, IFUNC, common symbols, LLVM.
#![expect(unsafe_code, reason = "this crate writes machine code into executable memory; see ARCHITECTURE.md")]

mod arena;
mod code_object;
mod error;
mod late;
mod library;
mod linker;
mod lint;
mod relocate;
mod runtime;
mod sections;
mod slot;

pub use code_object::code_object;
pub use error::ObjectLinkError;
pub use late::{FindTarget, has_late_slots};
pub use library::{LibraryEntry, archive, library_object};
pub use linker::{Linked, Linker};
pub use lint::lint;
pub use runtime::runtime_symbol;
pub use slot::CallSlot;
