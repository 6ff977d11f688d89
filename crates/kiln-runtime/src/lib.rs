//! One Julia session: its values, code tables and interpreter.
//!
//! [`Heap`] holds values in Julia's layout; intrinsics, builtins and host functions work on them.

mod bignum;
pub mod bug;
pub mod builtins;
pub mod caching;
pub mod collecting;
pub mod deferred;
pub mod eval;
pub mod exceptions;
#[expect(unsafe_code, reason = "the heap is the one place of this crate that reads and writes raw memory")]
pub mod heap;
pub mod host;
pub mod image;
pub mod interp;
pub mod intrinsics;
mod pauses;
mod preparing;
mod roots;
pub mod runtime;
mod services;
mod setup;
pub mod tables;
pub mod tasks;
#[cfg(test)]
mod testing;
pub mod throw;
mod thrown;

pub use heap::{Coherence, Heap, MEMORY_HEAD_BYTES, Value};
pub use pauses::Pauses;
pub use roots::{Rooted, Roots};
pub use runtime::Runtime;
pub use services::{
    CompiledBody, ExpandError, FileChange, FileStatus, FrontError, FrontResult, FrontStage, Frontend,
    GeneratedBody, HostCode, HostCompiler, HostIo, HotPart, HotSpot, KernelDevice, KernelHost, LaunchShape,
    OpenMode, PackageSource, ParseRequest, ParseRule, ParsedFile, ParsedText, ProcessEnd, ProcessFact,
    ProcessRequest, ProcessStream, StoredCode, TypedQuery,
};
pub use throw::NameScope;
pub use thrown::{Abort, FrameCode, Run, Thrown, TraceFrame};
