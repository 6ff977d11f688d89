//! The bytes that cross the LLVM boundary and what comes back, and the launch ABI of compiled kernels.
//!
//! The driver turns a [`CodegenRequest`] into bytes and hands them to codegen (in this process or another). Codegen shows
//! what it [`Emitted`] and is told whether that is known; if not, it goes on to compile it. The driver reads a
//! [`CodegenReply`] from the bytes that return. A reply's object and [`LinkInfo`] make a [`Body`], which names nothing
//! outside itself: callees, throw sites and functions are ordinals of the request. The [`Binding`] that ties a body to
//! one code instance stays with the caller, so equal bodies can be shared.
//!
//! Readers are checked: whatever the bytes are, the result is a value or a [`Malformed`], never a panic.
//!
//! # Deliberately absent
//! Types and IR: a function's body is opaque bytes here (`kiln_ir::wire` writes and reads them), and so are the facts
//! of the target (`kiln_targets::TargetFacts`).

pub mod bytes;
mod composition;
mod device_runtime;
mod emitted;
mod launch;
mod line_table;
mod link_info;
mod listing;
mod reply;
mod request;
mod targets;
mod unit;

pub use bytes::Malformed;
pub use composition::{
    Composed, CompositionReply, CompositionRequest, DeviceOptions, InvalidEntryName, Part, PartCall, Wanted,
    check_entry_name, references, references_symbol,
};
pub use device_runtime::needs_device_runtime;
pub use emitted::Emitted;
pub use launch::{
    FunctionEntry, GroupsEntry, ItemEntry, LaunchContext, LaunchHeap, LaunchRecord, NO_ITEM, RECORD_FRAMES,
    RECORD_OPERAND_BYTES,
};
pub use line_table::{LineTable, PartLines, Place, Scope};
pub use link_info::{
    Definition, ExternalCall, Global, GlobalRole, Line, LinkInfo, NO_STMT, OperandPlace, Role, SITE_BOUNDS,
    SITE_CALL, SITE_DIVIDE, SITE_MEMORY, SITE_STACK, SITE_TYPE, Site,
};
pub use listing::{ListingReply, ListingRequest};
pub use reply::{CodegenReply, Compiled, Refusal, RefusalKind, StageTime};
pub use request::{
    CodegenOptions, CodegenRequest, EntryKind, FunctionRequest, Plain, RuntimeRole, SHARED_BASE, SITE_BASE,
    Traits, body_symbol,
};
pub use targets::{TargetsReply, TargetsRequest};
pub use unit::{Binding, Body, Stages, Unit};
