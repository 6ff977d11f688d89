//! Recovery from LLVM's fatal errors. LLVM calls a handler that must not return, and ends the process without one.
//!
//! Calls of LLVM that may fail fatally go through [`guarded`]: the handler unwinds LLVM's frames to it without
//! running destructors, as LLVM's own `CrashRecoveryContext` does. The objects that LLVM was working on must not be
//! used or disposed of afterwards: callers leak the module, its context and the machine. Signals still end the
//! process, so code that may crash LLVM is compiled in a process of its own (`kiln-codegen-client`).
//!
//! # Invariants
//! * Between [`guarded`] and the handler no Rust frame owns anything: the work is `Copy`, and so is its result.
//! * LLVM holds no lock while it calls the handler.

use super::process::{ESCAPE, HANDLER, JOB, LAST};
use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use std::ffi::{CStr, c_char, c_void};
use std::io::Write;
use std::mem::MaybeUninit;

/// The point to return to after a fatal error: the stack as [`enter`] left it.
#[repr(C)]
pub(super) struct Escape {
    stack: *mut c_void,
}

/// Runs `work` for the job of that name. Returns its result, and the fatal error that LLVM reported meanwhile.
pub(crate) fn during<T>(job: &str, work: impl FnOnce() -> T) -> (T, Option<String>) {
    // SAFETY: the handler has the type LLVM wants and lives as long as the library.
    HANDLER.call_once(|| unsafe { LLVMInstallFatalErrorHandler(Some(report)) });
    struct Restore(String, Option<String>);
    impl Drop for Restore {
        fn drop(&mut self) {
            JOB.set(std::mem::take(&mut self.0));
            LAST.set(self.1.take());
        }
    }
    let _restore = Restore(JOB.replace(job.to_owned()), LAST.take());
    let result = work();
    (result, LAST.take())
}

/// Runs `work`, which only calls LLVM; `None` after a fatal error, which [`during`] returns. The objects passed to
/// LLVM must not be used again then.
pub(super) fn guarded<T: Copy, F: FnOnce() -> T + Copy>(work: F) -> Option<T> {
    struct Call<F, T> {
        work: F,
        result: MaybeUninit<T>,
    }
    /// # Safety
    /// `call` is a [`Call`] of these types that nothing else uses.
    unsafe extern "C" fn run<T: Copy, F: FnOnce() -> T + Copy>(call: *mut c_void) {
        // SAFETY: by the contract.
        let call = unsafe { &mut *call.cast::<Call<F, T>>() };
        call.result.write((call.work)());
    }
    let mut call = Call { work, result: MaybeUninit::<T>::uninit() };
    let mut escape = Escape { stack: std::ptr::null_mut() };
    let outer = ESCAPE.replace(&raw const escape);
    // SAFETY: `call` is what `run` takes, and both outlive the call; nothing in between is dropped.
    let escaped = unsafe { enter(&raw mut escape, run::<T, F>, (&raw mut call).cast()) };
    ESCAPE.set(outer);
    // SAFETY: `run` has returned, so it has written the result.
    (!escaped).then(|| unsafe { call.result.assume_init() })
}

/// Calls `work(context)` and returns false, or true if [`leave`] is called meanwhile.
///
/// # Safety
/// No frame in between owns anything that must be dropped.
#[cfg(all(target_arch = "x86_64", unix))]
#[unsafe(naked)]
unsafe extern "C" fn enter(
    escape: *mut Escape,
    work: unsafe extern "C" fn(*mut c_void),
    context: *mut c_void,
) -> bool {
    // Callee-saved registers are on the stack, whose position the escape holds.
    core::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "mov [rdi], rsp",
        "mov rdi, rdx",
        "call rsi",
        "xor eax, eax",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Returns from the call of [`enter`] that got `escape`.
///
/// # Safety
/// That call has not returned, and is of this thread.
#[cfg(all(target_arch = "x86_64", unix))]
#[unsafe(naked)]
unsafe extern "C" fn leave(escape: *const Escape) -> ! {
    core::arch::naked_asm!(
        "mov rsp, [rdi]",
        "mov eax, 1",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// On other processors a fatal error ends the process.
#[cfg(not(all(target_arch = "x86_64", unix)))]
unsafe fn enter(_: *mut Escape, work: unsafe extern "C" fn(*mut c_void), context: *mut c_void) -> bool {
    // SAFETY: by the contract.
    unsafe { work(context) };
    false
}

#[cfg(not(all(target_arch = "x86_64", unix)))]
unsafe fn leave(_: *const Escape) -> ! {
    end()
}

extern "C" fn report(reason: *const c_char) {
    note(reason);
    let escape = ESCAPE.replace(std::ptr::null());
    if escape.is_null() {
        end();
    }
    // SAFETY: only `guarded` sets it, and takes it away before it returns. Nothing here is to be dropped.
    unsafe { leave(escape) }
}

fn note(reason: *const c_char) {
    // SAFETY: LLVM gives a string that ends in NUL.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    LAST.set(Some(reason.trim_end().to_owned()));
}

/// Ends the process where no caller can be told, after a last message.
fn end() -> ! {
    let reason = LAST.take().unwrap_or_default();
    let job = JOB.with_borrow(Clone::clone);
    let _ = writeln!(
        std::io::stderr(),
        "error[bug]: this is a bug in kiln, not in the program: LLVM cannot go on: {reason}\n  \
         = while generating code of {job}\n  \
         = help: please report it with this message and the program"
    );
    std::process::exit(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fatal error reaches its caller, repeatedly, and no later caller.
    #[test]
    fn a_fatal_error_comes_back() {
        for at in 0..3 {
            let (result, fatal) = during("a test", || guarded(|| report(c"no more".as_ptr())));
            assert_eq!((result, fatal.as_deref()), (None, Some("no more")), "{at}");
            let (result, fatal) = during("a test", || guarded(|| at + 1));
            assert_eq!((result, fatal), (Some(at + 1), None));
        }
    }

    /// An error in a nested call leaves the inner call only.
    #[test]
    fn the_inner_one_is_left() {
        let (result, fatal) = during("outer", || {
            guarded(|| {
                let inner = guarded(|| report(c"inner".as_ptr()));
                (inner.is_none(), 7)
            })
        });
        assert_eq!((result, fatal.as_deref()), (Some((true, 7)), Some("inner")));
    }
}
