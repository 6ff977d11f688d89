//! LLVM's fatal errors: it ends the process with them, so the last thing said must be ours.
//!
//! LLVM calls the handler on the thread that made the error, and does not go on after it; what that thread compiles is
//! kept per thread. Nothing can be unwound through LLVM's frames, so the process ends here.

use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::io::Write;
use std::sync::Once;

thread_local! {
    static JOB: RefCell<String> = const { RefCell::new(String::new()) };
}

static INSTALL: Once = Once::new();

/// Does `work` for the job of that name.
pub(crate) fn during<T>(job: &str, work: impl FnOnce() -> T) -> T {
    // SAFETY: the handler has the type LLVM wants and lives as long as the library.
    INSTALL.call_once(|| unsafe { LLVMInstallFatalErrorHandler(Some(report)) });
    struct Restore(String);
    impl Drop for Restore {
        fn drop(&mut self) {
            JOB.set(std::mem::take(&mut self.0));
        }
    }
    let _restore = Restore(JOB.replace(job.to_owned()));
    work()
}

extern "C" fn report(reason: *const c_char) {
    // SAFETY: LLVM gives a string that ends in NUL.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    let job = JOB.with_borrow(Clone::clone);
    let _ = writeln!(
        std::io::stderr(),
        "error[bug]: this is a bug in kiln, not in the program: LLVM cannot go on: {reason}\n  \
         = while generating code of {job}\n  \
         = help: please report it with this message and the program"
    );
    std::process::exit(1);
}
