//! All state of this library that belongs to the process, or to a thread of it, and not to a
//! [`Generator`](crate::Generator): LLVM, or Rust's standard library, has one of each.
//!
//! | state | one for a process because |
//! |---|---|
//! | [`TARGETS_KNOWN`] | LLVM's registry of targets is global, and filling it is not thread-safe |
//! | [`OPTIONS_LOCK`] | some options of back ends can be set by LLVM's command line only, which is global |
//! | [`SPIRV`] | the SPIR-V back end has its extensions in such an option, and a static object: see `spirv.rs` |
//! | [`HANDLER`], [`JOB`], [`LAST`], [`ESCAPE`] | LLVM has one handler of fatal errors, which is given no context: see `fatal.rs` |
//! | [`PANIC_HOOK`], [`TRACE`] | Rust has one panic hook, which is given no context |
//!
//! # Invariants
//! * None of it reaches a reply: equal requests to two instances have equal replies.

use super::fatal::Escape;
#[cfg(all(feature = "spirv", feature = "static-llvm"))]
use super::spirv::Analysis;
use std::cell::{Cell, RefCell};
use std::sync::{Mutex, Once};

/// The back ends registered with LLVM, by the number of the [`Architecture`](super::Architecture).
pub(super) static TARGETS_KNOWN: [Once; 6] = [const { Once::new() }; 6];

/// Held while LLVM reads its command line.
pub(super) static OPTIONS_LOCK: Mutex<()> = Mutex::new(());

/// The state of the SPIR-V back end; its lock makes users take turns.
#[cfg(feature = "spirv")]
pub(super) struct Spirv {
    /// The last extensions given.
    pub(super) extensions: String,
    /// The initial state of the static object.
    #[cfg(feature = "static-llvm")]
    pub(super) pristine: Option<Box<Analysis>>,
}

/// The state of the SPIR-V back end.
#[cfg(feature = "spirv")]
pub(super) static SPIRV: Mutex<Spirv> = Mutex::new(Spirv {
    extensions: String::new(),
    #[cfg(feature = "static-llvm")]
    pristine: None,
});

/// Whether the handler of fatal errors is installed.
pub(super) static HANDLER: Once = Once::new();

/// Whether the panic hook is installed.
static PANIC_HOOK: Once = Once::new();

/// The trace of a panic.
enum Trace {
    /// No trace is wanted.
    Unwanted,
    /// The running instance wants one.
    Wanted,
    /// The trace of the last panic.
    Taken(String),
}

thread_local! {
    /// The name of the running job.
    pub(super) static JOB: RefCell<String> = const { RefCell::new(String::new()) };
    /// The last fatal error.
    pub(super) static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The point to which the handler of fatal errors returns.
    pub(super) static ESCAPE: Cell<*const Escape> = const { Cell::new(std::ptr::null()) };
    static TRACE: RefCell<Trace> = const { RefCell::new(Trace::Unwanted) };
}

/// Silences panics, which become errors. The shared library has its own standard library, and so its own hook.
pub(super) fn silence_panics() {
    PANIC_HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            TRACE.with_borrow_mut(|trace| {
                if matches!(trace, Trace::Wanted) {
                    let stack = std::backtrace::Backtrace::force_capture();
                    *trace = Trace::Taken(format!("{info}\n{stack}"));
                }
            });
        }));
    });
}

/// Sets whether the next panic on this thread leaves a trace.
pub(crate) fn trace_panics(is_wanted: bool) {
    TRACE.set(if is_wanted { Trace::Wanted } else { Trace::Unwanted });
}

/// Takes the trace of the last panic on this thread.
pub(crate) fn panic_trace() -> Option<String> {
    match TRACE.replace(Trace::Unwanted) {
        Trace::Taken(trace) => Some(trace),
        Trace::Unwanted | Trace::Wanted => None,
    }
}
