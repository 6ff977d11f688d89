//! The shared library's one interface: request bytes in, what was emitted shown, reply bytes out.

use std::ffi::c_void;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::sync::Once;

static SILENCE: Once = Once::new();

/// A panic becomes a refusal, which says what it said; where it was is for those who work on kiln. The library has a
/// standard library, and so a hook, of its own.
fn note_panic(info: &PanicHookInfo<'_>) {
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|it| it != "0") {
        let trace = std::backtrace::Backtrace::force_capture();
        let _ = writeln!(std::io::stderr(), "{info}\n{trace}");
    }
}

/// Asks the maker of a request whether the [`Emitted`](kiln_unit::Emitted) in these bytes is known; they are valid during
/// the call. The first argument is what the request came with.
pub type AskFn = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> bool;

/// Answers the request of `len` bytes at `request` and sets `out` and `out_len` to a reply, which
/// [`kiln_codegen_free`] disposes. The reply always exists, whatever the request is.
///
/// # Safety
/// `request` is valid for `len` bytes, `out` and `out_len` for writing. `ask` may be called once, on this thread, with
/// `context`, and does not unwind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_codegen_request(
    request: *const u8,
    len: usize,
    ask: AskFn,
    context: *mut c_void,
    out: *mut *mut u8,
    out_len: *mut usize,
) {
    SILENCE.call_once(|| std::panic::set_hook(Box::new(note_panic)));
    // SAFETY: by the contract.
    let request = if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(request, len) } };
    let mut is_known = |emitted: &kiln_unit::Emitted| {
        let bytes = emitted.to_bytes();
        // SAFETY: by the contract.
        unsafe { ask(context, bytes.as_ptr(), bytes.len()) }
    };
    let reply = crate::request_bytes(request, &mut is_known).into_boxed_slice();
    // SAFETY: by the contract.
    unsafe {
        *out_len = reply.len();
        *out = Box::into_raw(reply).cast();
    }
}

/// Disposes a reply.
///
/// # Safety
/// `reply` and `len` are what [`kiln_codegen_request`] gave, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_codegen_free(reply: *mut u8, len: usize) {
    // SAFETY: by the contract this was a boxed slice of that length.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(reply, len)) });
}
