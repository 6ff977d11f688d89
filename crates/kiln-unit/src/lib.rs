//! The bytes that cross the LLVM boundary in both directions, and the launch ABI of compiled kernels.
//!
//! The driver serializes a [`CodegenRequest`] and passes the bytes to codegen (in this process or another). Codegen
//! sends back the [`Emitted`] unit, and the driver answers whether it is known; if not, codegen compiles it. The
//! driver reads a [`CodegenReply`] from the returned bytes. A reply's object and [`LinkInfo`] make a [`Body`], which
//! refers to nothing outside itself: callees, throw sites and functions are ordinals of the request. The
//! [`UnitBinding`] that ties a body to one code instance stays with the caller, so equal bodies can be shared.
//!
//! Readers are checked (`kiln-bytes`): for any bytes, the result is a value or a [`Malformed`], never a panic.
//!
//! # Deliberately absent
//! Types and IR: a function's body is opaque bytes here (`kiln_ir::wire` writes and reads them), as are the facts of
//! the target (`kiln_targets::TargetFacts`).

mod ahead;
mod checks;
mod device_link;
mod device_runtime;
mod divergence;
mod emitted;
mod host_table;
mod launch;
mod line_table;
mod link_info;
mod listing;
mod reply;
mod request;
mod screen;
mod targets;
mod unit;

pub use ahead::{
    DESCRIPTOR_BYTES, DESCRIPTOR_DESCRIPTION, DESCRIPTOR_ENTRY, DESCRIPTOR_VERSION, DescriptorFacts,
    EntryDescription, KIND_FUNCTION, KIND_GROUPS, KIND_ITEM, KernelDescriptor, MessagePart, SiteDescription,
};
pub use checks::{
    ACCESS_ACQUIRE, ACCESS_ATOMIC, ACCESS_GROUP, ACCESS_READ, ACCESS_RELEASE, ACCESS_WRITE, CheckTable,
    Checks, DECLARED_CONSTANT, DECLARED_DYNAMIC, DECLARED_LANES, DECLARED_PRIVATE, DECLARED_SHARED,
    DECLARED_WRITTEN, UnknownCheck,
};
pub use device_link::{
    DeviceLinkReply, DeviceLinkRequest, DeviceOptions, InvalidEntryName, LinkPart, LinkedModule, OutputKinds,
    PartCall, check_entry_name, references, references_symbol,
};
pub use device_runtime::needs_device_runtime;
pub use divergence::{
    AnalysedInstruction, AnalysedLoop, DivergenceReply, DivergenceRequest, LaneOperation, ScalarReason,
    Spread,
};
pub use emitted::Emitted;
pub use host_table::HostTable;
pub use kiln_bytes::Malformed;
pub use launch::{
    FunctionEntry, GroupsEntry, ItemEntry, LaunchContext, LaunchHeap, LaunchRecord, MEET_GIVES, MEET_NARROW,
    NO_ITEM, PLACE_ANY, RECORD_FRAMES, RECORD_OPERAND_BYTES, RUN_OPERAND_BYTES,
};
pub use line_table::{LinePlace, LineScope, LineTable, PartLines};
pub use link_info::{
    DefinedSymbol, ExternalCall, GLOBAL_CELL_IS_DIRECT, Global, GlobalRole, Line, LinkInfo, NO_STMT,
    OperandPlace, Role, SITE_ACCESS, SITE_BOUNDS, SITE_CALL, SITE_DIVIDE, SITE_MEMORY, SITE_RETURNED,
    SITE_RUN, SITE_STACK, SITE_TYPE, Site,
};
pub use listing::{ListingReply, ListingRequest};
pub use reply::{CodegenReply, CompiledUnit, Refusal, RefusalKind, StageTime};
pub use request::{
    CodegenOptions, CodegenRequest, EntryKind, FunctionRequest, Mistake, Plain, RuntimeRole, SHARED_BASE,
    SITE_BASE, Traits, body_symbol, lanes_symbol,
};
pub use screen::{
    ACCESS_SAME, ACCESS_SLOT_SHIFT, NO_SCREEN_SLOT, NOTE_ATOMIC, SCREEN_SLOTS, ScreenSlot, ScreenState,
    screen_slot,
};
pub use targets::{TargetsReply, TargetsRequest};
pub use unit::{Body, Stages, Unit, UnitBinding};
