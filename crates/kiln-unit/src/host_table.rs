//! The services of the host that compiled host code calls: a table of function pointers. `repr(C)`, layout fixed by tests.
//!
//! Compiled code allocates through the table, and has the host run the statements that it cannot run itself. All of them
//! are safepoints, except `record_old`, `record_call` and `egal`.

use crate::LaunchContext;

/// The services, reached through [`LaunchContext::host`]. The launcher that sets that field may append to the table what its
/// functions need.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostTable {
    /// Runs the statement of the site of this number, with its operands as the site lays them out, and writes its value to
    /// `result` as compiled code holds it in memory. Returns 0, or the site, which is then claimed in the record: the
    /// statement has thrown, and the host keeps the exception.
    pub run:
        unsafe extern "C" fn(ctx: *mut LaunchContext, site: u32, operands: *const u8, result: *mut u8) -> u32,
    /// Allocates an object of the type of this number with `bytes` bytes of zeroed data; returns the address of its data. Returns
    /// null when memory is exhausted: then the site is claimed in the record, and the host keeps the exception.
    pub allocate: unsafe extern "C" fn(ctx: *mut LaunchContext, ty: u32, bytes: u64, site: u32) -> *mut u8,
    /// Allocates a `Memory` of the type of this number, zeroed. Returns null if the length is none of a memory, there is no
    /// room, or memory is exhausted: then the statement throws when the host runs it.
    pub allocate_memory: unsafe extern "C" fn(ctx: *mut LaunchContext, ty: u32, length: i64) -> *mut u8,
    /// Returns the object of an immutable value of the type of this number, given as compiled code holds it in memory. Returns
    /// null as `allocate` does.
    pub box_value:
        unsafe extern "C" fn(ctx: *mut LaunchContext, ty: u32, data: *const u8, site: u32) -> *mut u8,
    /// Records the object that the reference at `place` refers to, or null, which is overwritten while the collector marks.
    pub record_old: unsafe extern "C" fn(ctx: *mut LaunchContext, place: *const u8),
    /// Whether the collector marks: not 0 if references that are overwritten have to be recorded.
    pub marking: *const u8,
    /// The number of the newest world.
    pub newest_world: *const u64,
    /// The number of the world of the running code.
    pub world: u64,
    /// Takes the failure that the record has, at the start of a handler: makes the exception, adds it to those being handled
    /// and clears the record. Returns 0, or the failure's site if no handler may take it: then the record keeps it.
    pub catch: unsafe extern "C" fn(ctx: *mut LaunchContext) -> u32,
    /// Returns the object of the innermost exception being handled.
    pub exception: unsafe extern "C" fn(ctx: *mut LaunchContext) -> *mut u8,
    /// Ends the handling of all exceptions but the first `count`.
    pub pop_exceptions: unsafe extern "C" fn(ctx: *mut LaunchContext, count: u32),
    /// The number of exceptions being handled on this thread.
    pub handled: *const u32,
    /// Whether two objects of one type are identical: 1 or 0. No safepoint.
    pub egal: unsafe extern "C" fn(ctx: *mut LaunchContext, a: *const u8, b: *const u8) -> u32,
    /// Whether a device has a copy of any array: not 0 if code that launches leaves its accesses to elements to the host.
    pub device_copies: *const u8,
    /// The free cells of each size, as `kiln_memory::FreeRun`s: compiled code takes the next cell itself, and calls a service where
    /// there is none.
    pub free_runs: *const u8,
    /// The objects of small `Int`s, one for each, from that of `-kiln_memory::SHARED_INTEGER_MAX` on; null: `box_value` has it.
    pub integer_boxes: *const u64,
    /// Records the call at the site of this number, which a failure comes through on its way out, innermost first.
    pub record_call: unsafe extern "C" fn(ctx: *mut LaunchContext, site: u32),
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    /// Codegen addresses these fields by offset: moving one is a change of ABI.
    #[test]
    fn fields_are_where_codegen_looks() {
        assert_eq!(offset_of!(HostTable, run), 0);
        assert_eq!(offset_of!(HostTable, allocate), 8);
        assert_eq!(offset_of!(HostTable, allocate_memory), 16);
        assert_eq!(offset_of!(HostTable, box_value), 24);
        assert_eq!(offset_of!(HostTable, record_old), 32);
        assert_eq!(offset_of!(HostTable, marking), 40);
        assert_eq!(offset_of!(HostTable, newest_world), 48);
        assert_eq!(offset_of!(HostTable, world), 56);
        assert_eq!(offset_of!(HostTable, catch), 64);
        assert_eq!(offset_of!(HostTable, exception), 72);
        assert_eq!(offset_of!(HostTable, pop_exceptions), 80);
        assert_eq!(offset_of!(HostTable, handled), 88);
        assert_eq!(offset_of!(HostTable, egal), 96);
        assert_eq!(offset_of!(HostTable, device_copies), 104);
        assert_eq!(offset_of!(HostTable, free_runs), 112);
        assert_eq!(offset_of!(HostTable, integer_boxes), 120);
        assert_eq!(offset_of!(HostTable, record_call), 128);
        assert_eq!(size_of::<HostTable>(), 136);
    }
}
