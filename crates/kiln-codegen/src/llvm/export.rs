//! The C interface of the shared library: an instance, request bytes in, emitted bitcode shown, reply bytes out.

use super::process::silence_panics;
use crate::generator::{Generator, Host};
use std::ffi::c_void;

/// Asks the caller of a request whether the [`Emitted`](kiln_unit::Emitted) in these bytes is known; they are valid
/// during the call. The first argument is the request's context.
pub type AskFn = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> bool;

/// Makes an instance of the code generator, to be disposed of by [`kiln_codegen_close`].
///
/// # Safety
/// `host` is readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_codegen_open(host: *const Host) -> *mut Generator {
    silence_panics();
    // SAFETY: by the contract.
    let host = unsafe { *host };
    Box::into_raw(Box::new(Generator::new(host)))
}

/// Disposes of an instance.
///
/// # Safety
/// `generator` came from [`kiln_codegen_open`], is passed once, and has no running request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_codegen_close(generator: *mut Generator) {
    // SAFETY: by the contract this was a box.
    drop(unsafe { Box::from_raw(generator) });
}

/// Answers the request of `len` bytes at `request` and sets `out` and `out_len` to a reply, to be disposed of by
/// [`kiln_codegen_free`]. There always is a reply.
///
/// # Safety
/// `generator` is an instance, `request` is valid for `len` bytes, `out` and `out_len` for writing. `ask` may be
/// called once, on this thread, with `context`, and does not unwind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_codegen_request(
    generator: *const Generator,
    request: *const u8,
    len: usize,
    ask: AskFn,
    context: *mut c_void,
    out: *mut *mut u8,
    out_len: *mut usize,
) {
    // SAFETY: by the contract.
    let generator = unsafe { &*generator };
    // SAFETY: by the contract.
    let request = if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(request, len) } };
    let mut is_known = |emitted: &kiln_unit::Emitted| {
        let bytes = emitted.to_bytes();
        // SAFETY: by the contract.
        unsafe { ask(context, bytes.as_ptr(), bytes.len()) }
    };
    let reply = generator.request_bytes(request, &mut is_known).into_boxed_slice();
    // SAFETY: by the contract.
    unsafe {
        *out_len = reply.len();
        *out = Box::into_raw(reply).cast();
    }
}

/// Disposes of a reply.
///
/// # Safety
/// `reply` and `len` came from [`kiln_codegen_request`] and are passed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_codegen_free(reply: *mut u8, len: usize) {
    // SAFETY: by the contract this was a boxed slice of that length.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(reply, len)) });
}
