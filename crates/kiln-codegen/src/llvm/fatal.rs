//! LLVM's fatal errors. It calls a handler for one that must not return, and would end the process if there were none.
//!
//! Calls of LLVM that can end so go through [`guarded`]: the handler leaves LLVM's frames for it, as LLVM's
//! own `CrashRecoveryContext` does. Nothing of what LLVM was working on can be used again after that, or be disposed: a caller
//! leaks the module, its context and the machine. Only fatal errors are caught: a signal ends the process still, which is
//! why what is known to crash runs in a process of its own (`kiln-driver`).
//!
//! # Invariants
//! * Between [`guarded`] and the handler no frame of ours owns anything: what is done there is `Copy`, and so is its result.
//! * LLVM holds no lock while it calls the handler.

use super::process::{ESCAPE, HANDLER, JOB, LAST};
use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use std::ffi::{CStr, c_char, c_void};
use std::io::Write;
use std::mem::MaybeUninit;

/// Where to go on after a fatal error: the stack as [`enter`] left it.
#[repr(C)]
pub(super) struct Escape {
    stack: *mut c_void,
}

/// Does `work` for the job of that name. Beside its result: the fatal error that LLVM made meanwhile, if it did.
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

/// Does `work`, which calls LLVM and nothing else; `None` if that made a fatal error, which [`during`] tells. What LLVM was
/// given must not be touched again then.
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

/// Calls `work(context)` and returns false; or true, if [`leave`] is called meanwhile.
///
/// # Safety
/// No frame between the two owns anything that must be dropped.
#[cfg(all(target_arch = "x86_64", unix))]
#[unsafe(naked)]
unsafe extern "C" fn enter(
    escape: *mut Escape,
    work: unsafe extern "C" fn(*mut c_void),
    context: *mut c_void,
) -> bool {
    // What a callee has to keep is kept on the stack, whose place the escape remembers.
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

/// Goes on where the [`enter`] returns that was given `escape`.
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

/// Elsewhere a fatal error ends the process.
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

/// Ends the process where no caller can be told: the last message must be ours.
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

    /// A fatal error is left for its caller, again and again, and later callers are not told of it.
    #[test]
    fn a_fatal_error_comes_back() {
        for at in 0..3 {
            let (result, fatal) = during("a test", || guarded(|| report(c"no more".as_ptr())));
            assert_eq!((result, fatal.as_deref()), (None, Some("no more")), "{at}");
            let (result, fatal) = during("a test", || guarded(|| at + 1));
            assert_eq!((result, fatal), (Some(at + 1), None));
        }
    }

    /// One that is left inside of another leaves the inner one only.
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
